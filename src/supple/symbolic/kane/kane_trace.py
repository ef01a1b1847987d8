"""A system of vectors on graph nodes, as simulation asks for it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.expressions.elimination import solve_symmetric
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Graph

if TYPE_CHECKING:
    from supple.symbolic.kane.kane_model import KaneModel

Mask = NDArray[np.bool_]


class KaneTrace:
    """A system whose state is made of nodes; see `supple.model.trace.Trace`.

    Parameters
    ----------
    model : KaneModel
    limit : int, optional
        Most nodes the graph may have.
    """

    def __init__(self, model: KaneModel, limit: float = math.inf) -> None:
        self.model = model
        self.graph = Graph(limit)
        self.q = self.graph.new_inputs("q", model.coordinates)
        self.v = self.graph.new_inputs("v", model.speeds)
        self.tau = self.graph.new_inputs("tau", model.speeds)

    def rates(self, q: Nodes, v: Nodes) -> Nodes:
        """Rates of the coordinates."""
        return self.model.terms.at(self.graph, q, v)["rate"]

    def advanced(self, q: Nodes, v: Nodes, dt: Any) -> Nodes:
        """Coordinates after dt at constant speeds, with the rates in the middle."""
        return q + dt * self.rates(q + 0.5 * dt * self.rates(q, v), v)

    def hybrid_dynamics(self, q: Nodes, v: Nodes, drive: Nodes, given: Mask) -> tuple[Nodes, Nodes]:
        """Accelerations and generalized forces; `drive` holds accelerations where they are `given`, else forces."""
        x = self.model.terms.at(self.graph, q, v)
        return hybrid(x["M"], x["f"], drive, given, self.model.speeds)

    def forward_dynamics(self, q: Nodes, v: Nodes, tau: Nodes) -> Nodes:
        """Accelerations."""
        return self.hybrid_dynamics(q, v, tau, np.zeros(self.model.nv, dtype=bool))[0]

    def inverse_dynamics(self, q: Nodes, v: Nodes, a: Nodes) -> Nodes:
        """Generalized forces."""
        x = self.model.terms.at(self.graph, q, v)
        return x["M"] @ a - x["f"]

    def power(self, q: Nodes, v: Nodes, tau: Nodes) -> Any:
        """Power of the generalized forces."""
        return tau @ v

    def closed(self, q: Nodes, v: Nodes, given: Mask) -> tuple[Nodes, Nodes, Nodes]:
        """The state itself: dependent speeds are no part of it."""
        return q, v, np.zeros((0, 0), dtype=object)

    def closure_margins(self, S: Nodes) -> Nodes:
        """Of no constraint equations: none."""
        return np.zeros(0, dtype=object)

    def function(self, name: str, inputs: dict[str, Nodes], outputs: dict[str, Nodes]) -> Function:
        """A function of these inputs."""
        return Function(name, self.graph, inputs, outputs)


def hybrid(M: Nodes, f: Nodes, drive: Nodes, given: Mask, names: tuple[str, ...]) -> tuple[Nodes, Nodes]:
    """a and tau of M a = f + tau; `drive` holds accelerations where they are `given`, else forces."""
    free, held = np.flatnonzero(~given), np.flatnonzero(given)
    a, tau = drive.copy(), drive.copy()
    if len(free):
        known = f[free] + drive[free]
        known = known - M[np.ix_(free, held)] @ drive[held] if len(held) else known
        a[free] = solve_symmetric(M[np.ix_(free, free)], known, names=[names[i] for i in free])
    if len(held):
        tau[held] = M[held] @ a - f[held]
    return a, tau
