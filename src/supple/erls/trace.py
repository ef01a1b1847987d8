"""The equations of an equivalent rigid-link system on graph nodes: the same formulas, as equations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.erls.arrays import matmul, matvec, solve, transposed
from supple.erls.dynamics import RigidLinkEquations, hybrid
from supple.expressions.elimination import solve_symmetric
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Graph
from supple.model.body_frames import frame_arrays
from supple.model.symbolic_tree import as_objects, symbolic_tree
from supple.model.trace import Trace
from supple.recursions.frames import frame_in_body
from supple.recursions.tree import Flex

if TYPE_CHECKING:
    from supple.erls.model import ErlsModel
    from supple.model.model import Model


class DisplayTrace(Trace):
    """The model to look at, on the nodes of another trace's graph."""

    def __init__(self, model: Model, graph: Graph) -> None:
        self.model, self.graph, self.parameters = model, graph, {}
        self.tree = self.moving = symbolic_tree(model, {})
        self.flex = None if model.flex is None else Flex(**as_objects(model.flex))

    def frame_poses(self, q: Nodes, names: Sequence[str]) -> tuple[Nodes, Nodes]:
        """R (frames, 3, 3) and p (frames, 3) of frames on the bodies, in the ground frame."""
        places = [self.model.find_frame(name) for name in names]
        frames, (R, p) = self.nodes_of(frame_arrays(places)), self.poses(q)
        turns, points = [], []
        for i, place in enumerate(places):
            own, at = self.run(frame_in_body)(self.flex, frames, i, q, True, None)
            R_body = R[place.body - 1]
            turns.append(R_body @ np.array(own, dtype=object).reshape(3, 3))
            points.append(p[place.body - 1] + R_body @ np.array(at, dtype=object))
        return np.array(turns, dtype=object), np.array(points, dtype=object)


class ErlsTrace:
    """An equivalent rigid-link system whose state is made of nodes; see `supple.model.trace.Trace`.

    Parameters
    ----------
    model : ErlsModel
    limit : int, optional
        Most nodes the graph may have.
    """

    def __init__(self, model: ErlsModel, limit: float = math.inf) -> None:
        self.model = model
        self.graph = Graph(limit)
        self.parameters: dict[str, Any] = {}
        self.q = self.graph.new_inputs("q", model.coordinates)
        self.v = self.graph.new_inputs("v", model.speeds)
        self.tau = self.graph.new_inputs("tau", model.speeds)
        self.a = self.graph.new_inputs("a", model.speeds)

    def rates(self, q: Nodes, v: Nodes) -> Nodes:
        """Rates of the coordinates."""
        return v.copy()

    def advanced(self, q: Nodes, v: Nodes, dt: Any) -> Nodes:
        """Coordinates after dt at constant speeds."""
        return q + dt * v

    def tangent(self, q: Nodes) -> Nodes:
        """S (nq, nv): rates of the coordinates are S v."""
        return np.eye(self.model.nv).astype(object)

    def forward_dynamics(self, q: Nodes, v: Nodes, tau: Nodes) -> Nodes:
        """Accelerations."""
        return self.hybrid_dynamics(q, v, tau, np.zeros(self.model.nv, dtype=bool))[0]

    def hybrid_dynamics(self, q: Nodes, v: Nodes, drive: Nodes, given: NDArray[np.bool_]) -> tuple[Nodes, Nodes]:
        """Accelerations and generalized forces; `drive` holds accelerations where they are `given`, else forces."""
        x = self._equations(q, v)
        if not given.any():
            force = matvec(transposed(x.actuation), drive) - x.bias
            return solve_symmetric(x.mass, force, names=self.model.speeds), drive.copy()
        return hybrid(x, drive, given)

    def inverse_dynamics(self, q: Nodes, v: Nodes, a: Nodes) -> Nodes:
        """Generalized forces."""
        x = self._equations(q, v)
        n = self.model.nv
        force = matvec(x.mass, a) + x.bias
        return force if n == 0 else solve(transposed(x.actuation), force[:, None], symmetric=False)[:, 0]

    def power(self, q: Nodes, v: Nodes, tau: Nodes) -> Any:
        """Power of the generalized forces: they act on the whole motions of the joints, B v."""
        return tau @ matvec(self._equations(q, v).actuation, v)

    def closed(self, q: Nodes, v: Nodes, given: NDArray[np.bool_]) -> tuple[Nodes, Nodes, Nodes]:
        """The state itself: there are no loops to be closed, and the Delassus matrix is empty."""
        return q, v, np.zeros((0, 0), dtype=object)

    def closure_margins(self, S: Nodes) -> Nodes:
        """Of no constraint equations: none."""
        return np.zeros(0, dtype=object)

    def bias_forces(self, q: Nodes, v: Nodes) -> Nodes:
        """b."""
        return self._equations(q, v).bias

    def mass_matrix(self, q: Nodes) -> Nodes:
        """M."""
        order = self.model.order
        return self.model.dynamics.mass_matrix(q[np.argsort(order)])[np.ix_(order, order)]

    def inverse_mass_matrix(self, q: Nodes) -> Nodes:
        """M^-1, by elimination."""
        return solve(self.mass_matrix(q), np.eye(self.model.nv).astype(object))

    def balance(self, q: Nodes, v: Nodes, a: Nodes, tau: Nodes) -> Nodes:
        """M a + b - B* tau."""
        x = self._equations(q, v)
        return matvec(x.mass, a) + x.bias - matvec(transposed(x.actuation), tau)

    def by_forces(self, q: Nodes, W: Nodes) -> Nodes:
        """Changes (nv, nv) of the accelerations with tau, from W = M^-1: M^-1 B*."""
        still = np.zeros(self.model.nv)
        return matmul(W, transposed(self._equations(q, still.astype(object)).actuation))

    def poses(self, q: Nodes) -> tuple[Nodes, Nodes]:
        """R (bodies, 3, 3) and p (bodies, 3) of the roots of the links, in the ground frame."""
        roots = [self.model.display_frame(name) for name in self.model.bodies]
        display = self._display_state(q, np.zeros(self.model.nv).astype(object))[0]
        return DisplayTrace(self.model.display, self.graph).frame_poses(display, roots)

    def sums(self, q: Nodes, v: Nodes) -> tuple[Nodes, Nodes, Nodes]:
        """Energies (2,), momentum (6,), first moment of mass (3,)."""
        shown = DisplayTrace(self.model.display, self.graph)
        _, momentum, moment = shown.sums(*self._display_state(q, v))
        return self.energy(q, v), momentum, moment

    def mass(self) -> float:
        """Mass of all bodies."""
        return self.model.mass

    def _display_state(self, q: Nodes, v: Nodes) -> tuple[Nodes, Nodes]:
        """Coordinates and speeds of the model to look at."""
        model, back = self.model, np.argsort(self.model.order)
        return model.displayed(q[back], v[back])

    def energy(self, q: Nodes, v: Nodes) -> Nodes:
        """Kinetic and potential energy."""
        back = np.argsort(self.model.order)
        return np.concatenate([np.reshape(x, 1) for x in self.model.dynamics.energy(q[back], v[back])])

    def function(self, name: str, inputs: dict[str, Nodes], outputs: dict[str, Nodes]) -> Function:
        """A function of these inputs."""
        return Function(name, self.graph, inputs, outputs)

    def _equations(self, q: Nodes, v: Nodes) -> RigidLinkEquations:
        """M, b and B in the order of the speeds."""
        order = self.model.order
        back = np.argsort(order)
        x = self.model.dynamics.equations(q[back], v[back], self.model.constant_loads)
        both = np.ix_(order, order)
        return RigidLinkEquations(x.mass[both], x.bias[order], x.actuation[both], x.configuration, x.deformation)
