"""A model and the laws that act on it, as equations in a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.expressions.function import Nodes
from supple.expressions.graph import Expr, Graph
from supple.formulations import Formulation
from supple.formulations.protocol import TracedFormulation
from supple.inputs.applied import Applied
from supple.inputs.inputs import Inputs
from supple.inputs.quantities import Quantities
from supple.inputs.wrenches import MOTIONS
from supple.model.compiled import LIMIT
from supple.model.trace import Trace
from supple.recursions.frame_wrenches import FrameWrenches


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
    wrenches : FrameWrenches, optional
        Where wrenches act, as the trace takes it; with numbers as constants if not given.
    symbol : function of a name and a number, optional
        Gives the symbols that stand for numbers of the laws.
    leaves : Quantities, optional
        Time, state and held values; leaves of the trace's graph if not given.
    """

    def __init__(
        self,
        model: Formulation,
        inputs: Inputs,
        independent: frozenset[int] = frozenset(),
        trace: TracedFormulation | None = None,
        laws: Callable[[Quantities], Applied] | None = None,
        wrenches: FrameWrenches | None = None,
        symbol: Callable[[str, float], Expr] | None = None,
        leaves: Quantities | None = None,
    ) -> None:
        self.trace = t = model.traced(LIMIT) if trace is None else trace
        self._laws_alone = inputs.applied if laws is None else laws
        self._wrenches, self._prescribed = wrenches, bool(inputs.motions)
        if wrenches is None and inputs.frame_wrenches is not None:
            assert isinstance(t, Trace)
            self._wrenches = t.nodes_of(inputs.frame_wrenches)
        own = run_leaves(model, inputs, t.graph, t.q, t.v) if leaves is None else leaves
        self.at = replace(own, symbol=symbol)
        self.acting = inputs.acting
        self._independent = independent
        self.applied: Applied = self._laws(self.at)
        self.y: Nodes = np.concatenate([t.q, t.v, self.at.z])
        self.inputs = {"t": np.array([self.at.t], dtype=object), "y": self.y, "u": self.at.u}

    def _laws(self, at: Quantities) -> Applied:
        """What the laws make of a state, the wrenches at work."""
        if self._wrenches is None:
            return self._laws_alone(at)
        assert isinstance(self.trace, Trace)
        return with_wrenches(self.trace, self._wrenches, at, self._laws_alone, self._prescribed)

    def wrenches(self) -> dict[str, Nodes]:
        """Wrenches along the axes of their laws, and what they do to the speeds and to the bodies."""
        x = self.applied
        assert isinstance(self.trace, Trace)
        assert self._wrenches is not None
        return {
            "wrench": x.wrench,
            "pull": x.pull,
            "on_bodies": x.on_bodies,
            "motions": frame_motions(self.trace, self._wrenches, x.q, x.v),
        }

    def rate(self) -> Nodes:
        """dy/dt."""
        return self.rate_and_motion()["rate"]

    def rate_and_motion(self) -> dict[str, Nodes]:
        """dy/dt, and the accelerations and generalized forces in it, all with the loops closed."""
        x = self.closed_state[0]
        a, tau = self.trace.hybrid_dynamics(x.q, x.v, x.drive, x.given)
        integrated = self._integrated(x, tau)
        rate = np.concatenate([self.trace.rates(x.q, x.v), a, integrated])
        return {"rate": rate, "a": a, "tau": tau}

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
        made = self._laws(replace(x, t=t, q=q, v=v, z=z))
        if x.model.loops is None:
            return made, np.zeros((0, 0), dtype=object)
        q, v, S = self.trace.closed(made.q, made.v, holding(made.given, self._independent))
        return self._laws(replace(x, t=t, q=q, v=v, z=z)), S

    def accelerations(self, t: Expr, q: Nodes, w: Nodes) -> Nodes:
        """Rates of w, speeds and integrals, at another state."""
        n = self.at.model.nv
        x = self.at_state(t, q, w[:n], w[n:])
        a, tau = self.trace.hybrid_dynamics(x.q, x.v, x.drive, x.given)
        return np.concatenate([a, self._integrated(x, tau)])

    def _integrated(self, x: Applied, tau: Nodes) -> Nodes:
        """Rates of the integrals, and the power of these forces if that is one."""
        work = [self.trace.power(x.q, x.v, tau)] if self.acting else []
        return np.array([*x.z_rate, *work], dtype=object)

    def settled(self) -> Quantities:
        """What formulas see: the state as the laws have it."""
        x = self.at
        return replace(x, q=self.applied.q, v=self.applied.v)

    def laws(self) -> dict[str, Nodes]:
        """State, drives and rates of the laws' integrals as the laws have them."""
        x = self.applied
        return {"q": x.q, "v": x.v, "drive": x.drive, "z_rate": np.array(x.z_rate, dtype=object)}


def with_wrenches(
    trace: Trace, wrenches: FrameWrenches, at: Quantities, laws: Callable[[Quantities], Applied], prescribed: bool
) -> Applied:
    """What laws make of a state with their wrenches at work; `prescribed`: they replace some of the state."""
    at = replace(at, motions=frame_motions(trace, wrenches, at.q, at.v))
    x = laws(at)
    if prescribed:  # frames move as the prescribed motions have it
        x = laws(replace(at, motions=frame_motions(trace, wrenches, x.q, x.v)))
    return x.acting(*trace.wrench_forces(wrenches, x.q, x.wrench.reshape(-1, 6)))


def frame_motions(trace: Trace, wrenches: FrameWrenches, q: Nodes, v: Nodes) -> Nodes:
    """How the frames of wrenches move."""
    return np.array([trace.graph.node(x) for x in trace.frame_motions(wrenches, q, v).flat], dtype=object)


def run_leaves(model: Formulation, inputs: Inputs, graph: Graph, q: Nodes, v: Nodes) -> Quantities:
    """Time, integrals and held values as leaves of a graph, beside a state in it."""
    z, u = graph.new_inputs("z", inputs.integrals), graph.new_inputs("u", inputs.held)
    variables: dict[str, Expr | float] = dict(zip(inputs.variables, u, strict=False))
    return Quantities(model, graph, graph.new_input("t"), q, v, z, u, variables)


def law_leaves(model: Formulation, inputs: Inputs) -> Quantities:
    """All that laws can speak of as leaves of a graph of their own, the motions of the frames of wrenches too."""
    graph = Graph()
    q, v = graph.new_inputs("q", model.coordinates), graph.new_inputs("v", model.speeds)
    moving = [f"{x.name}.{name}" for x in inputs.wrenches for name in MOTIONS]
    return replace(run_leaves(model, inputs, graph, q, v), motions=graph.new_inputs("motions", moving))


def holding(given: NDArray[np.bool_], independent: frozenset[int]) -> NDArray[np.bool_]:
    """Speeds that closing the loops leaves as they are: those of prescribed motions, and the independent ones."""
    out = given.copy()
    out[list(independent)] = True
    return out
