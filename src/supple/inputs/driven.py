"""A model and the laws that act on it, as equations in a graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.expressions.function import Nodes
from supple.expressions.graph import Expr
from supple.formulations import Formulation
from supple.formulations.protocol import TracedFormulation
from supple.inputs.inputs import Applied, Inputs
from supple.inputs.quantities import Quantities
from supple.model.compiled import LIMIT


class DrivenEquations:
    """The leaves of a run and what its laws make of them, in the graph of a trace.

    Parameters
    ----------
    model : Formulation
    inputs : Inputs
    independent : frozenset of int
        Where the model has loops, the speeds that closing them leaves as they are.
    trace : TracedFormulation, optional
        The model on nodes; one in a graph of its own if not given.
    laws : function of Quantities, optional
        What the laws make of a state; `Inputs.applied`, with their numbers as constants, if not given.
    """

    def __init__(
        self,
        model: Formulation,
        inputs: Inputs,
        independent: frozenset[int] = frozenset(),
        trace: TracedFormulation | None = None,
        laws: Callable[[Quantities], Applied] | None = None,
    ) -> None:
        self.trace = t = model.traced(LIMIT) if trace is None else trace
        self._laws = inputs.applied if laws is None else laws
        graph = t.graph
        z, u = graph.new_inputs("z", inputs.integrals), graph.new_inputs("u", inputs.held)
        variables: dict[str, Expr | float] = dict(zip(inputs.variables, u, strict=False))
        self.at = Quantities(model, graph, graph.new_input("t"), t.q, t.v, z, u, variables)
        self.acting = inputs.acting
        self._independent = independent
        self.applied: Applied = self._laws(self.at)
        self.y: Nodes = np.concatenate([t.q, t.v, z])
        self.inputs = {"t": np.array([self.at.t], dtype=object), "y": self.y, "u": u}

    def rate(self) -> Nodes:
        """dy/dt."""
        x = self.closed_state[0]
        accelerated = self._accelerated(x)  # first, as in `motion`: both are then made of the same blocks
        return np.concatenate([self.trace.rates(x.q, x.v), accelerated])

    def motion(self) -> tuple[Nodes, Nodes]:
        """Accelerations and generalized forces."""
        x = self.applied
        return self.trace.hybrid_dynamics(x.q, x.v, x.drive, x.given)

    def closed(self) -> dict[str, Nodes]:
        """The state with its loops closed, and how far their rows are from repeating each other."""
        x, S = self.closed_state
        return {"y": np.concatenate([x.q, x.v, self.at.z]), "margin": self.trace.closure_margins(S)}

    @cached_property
    def closed_state(self) -> tuple[Applied, Nodes]:
        """What the laws make of the state with its loops closed, and S of the loops."""
        x = self.at
        return self._closed_at(x.t, x.q, x.v, x.z)

    def at_state(self, t: Expr, q: Nodes, v: Nodes, z: Nodes) -> Applied:
        """What the laws make of another state; where it has loops, after one step towards their closure."""
        return self._closed_at(t, q, v, z)[0]

    def _closed_at(self, t: Expr, q: Nodes, v: Nodes, z: Nodes) -> tuple[Applied, Nodes]:
        x = self.at
        made = self._laws(Quantities(x.model, x.graph, t, q, v, z, x.u, x.variables))
        if x.model.loops is None:
            return made, np.zeros((0, 0), dtype=object)
        q, v, S = self.trace.closed(made.q, made.v, holding(made.given, self._independent))
        return self._laws(Quantities(x.model, x.graph, t, q, v, z, x.u, x.variables)), S

    def accelerations(self, t: Expr, q: Nodes, w: Nodes) -> Nodes:
        """Rates of w, speeds and integrals, at another state."""
        n = self.at.model.nv
        return self._accelerated(self.at_state(t, q, w[:n], w[n:]))

    def _accelerated(self, x: Applied) -> Nodes:
        """Rates of speeds and integrals under what the laws make of a state."""
        a, tau = self.trace.hybrid_dynamics(x.q, x.v, x.drive, x.given)
        work = [np.array([self.trace.power(x.q, x.v, tau)], dtype=object)] if self.acting else []
        return np.concatenate([a, np.array(x.z_rate, dtype=object), *work])

    def settled(self) -> Quantities:
        """What formulas see: the state as the laws have it."""
        x = self.at
        return Quantities(x.model, x.graph, x.t, self.applied.q, self.applied.v, x.z, x.u, x.variables)

    def laws(self) -> dict[str, Nodes]:
        """State, drives and rates of the laws' integrals as the laws have them."""
        x = self.applied
        return {"q": x.q, "v": x.v, "drive": x.drive, "z_rate": np.array(x.z_rate, dtype=object)}


def holding(given: NDArray[np.bool_], independent: frozenset[int]) -> NDArray[np.bool_]:
    """Speeds that closing the loops leaves as they are: those of prescribed motions, and the independent ones."""
    out = given.copy()
    out[list(independent)] = True
    return out
