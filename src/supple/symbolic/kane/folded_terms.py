"""The expressions of a system with numbers in place of its parameters and laws in place of its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError, nearest
from supple.expressions.derivatives import jacobian
from supple.expressions.formula import Formula
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.linear_equations import solve_general
from supple.expressions.operations import OPERATIONS
from supple.symbolic.kane.speed_constraints import substituted

if TYPE_CHECKING:
    from supple.symbolic.equations_of_motion import EquationsOfMotion
    from supple.symbolic.kane.kane_system import KaneSystem

Numbers = NDArray[Any]
ATTRACTION = 5.0
"""1/s: how fast dependent coordinates return to closed loops, from which rounding and steps of integrators lead away.
Where loops are closed it changes nothing."""
TIME = "time"
"""The coordinate that a system has as its last if something in it depends on time."""


class FoldedTerms:
    """Rates, M, f and energies of a system as expressions of coordinates and independent speeds alone.

    Parameters
    ----------
    system : KaneSystem
    equations : EquationsOfMotion
        Of the system.
    numbers : mapping of str to float
        Values of all parameters.
    laws : mapping of str to (str or float)
        A formula of time, coordinates, speeds and parameters, or a number, for each input.

    Attributes
    ----------
    timed : bool
        Whether something depends on time, which then is the last coordinate.
    function : Function
        Of q and v: `rate`, `M`, `f`, `energy` (kinetic, of gravity), `momentum` (angular, linear), `moment` of mass,
        `gap` and `slope` of loops.
    """

    def __init__(
        self,
        system: KaneSystem,
        equations: EquationsOfMotion,
        numbers: Mapping[str, float],
        laws: Mapping[str, str | float],
    ) -> None:
        e, terms = equations, equations.terms
        applied = _applied(system, laws)
        sums = {"energy": _energies(system), "momentum": _momentum(system), "moment": _moment(system)}
        outputs = {"rate": terms.rates, "M": terms.M, "f": terms.f, **sums}
        if e.dependence is not None:
            image = dict(zip(e.dependence.speeds, e.dependence.values, strict=True))
            outputs |= {key: substituted(x, image) for key, x in sums.items()}
            if len(e.dependence.coordinates):
                outputs |= _attracted(e, outputs["rate"])
        outputs = {key: substituted(_nodes(system.graph, x), applied) for key, x in outputs.items()}
        self.timed = any(system.time in order_of(x.flat) for x in outputs.values())
        graph = Graph()
        names = [leaf.name for leaf in system.q] + ([TIME] if self.timed else [])
        q, v = graph.new_inputs("q", names), graph.new_inputs("v", [leaf.name for leaf in e.variables.v])
        image = {**dict(zip(system.q, q, strict=False)), **dict(zip(e.variables.v, v, strict=True))}
        image |= {leaf: graph.constant(numbers[leaf.name]) for leaf in e.variables.symbols}
        image[system.time] = q[-1] if self.timed else graph.zero
        leaves = np.array([*system.q, *e.variables.v, system.time], dtype=object)
        made = Function("terms", system.graph, {"x": leaves}, outputs, e.variables.symbols).moved(graph, image)
        if self.timed:
            made["rate"] = np.array([*made["rate"], graph.one], dtype=object)
        self.function = Function("terms", graph, {"q": q, "v": v}, made)

    @property
    def leaves(self) -> tuple[Nodes, Nodes]:
        """Coordinates and speeds, as leaves."""
        return self.function.inputs["q"], self.function.inputs["v"]

    def at(self, graph: Graph, q: Nodes, v: Nodes) -> dict[str, Nodes]:
        """The expressions for other nodes, which may be those of another graph."""
        leaves = [leaf for x in self.leaves for leaf in x]
        return self.function.moved(graph, dict(zip(leaves, [graph.node(x) for x in (*q, *v)], strict=True)))


def evaluated(function: Function, **inputs: Numbers) -> dict[str, Numbers]:
    """Outputs (..., *shape) of a function for whole batches (..., n) of inputs, node by node."""
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in inputs.values()))
    known: dict[int, Any] = {}
    for key, leaves in function.inputs.items():
        for i, leaf in enumerate(leaves.flat):
            known[leaf.id] = inputs[key][..., i]
    with np.errstate(all="ignore"):
        for node in function.order:
            if node.id not in known:
                args = [known[a.id] for a in node.args]
                known[node.id] = node.value if node.op == "constant" else getattr(np, OPERATIONS[node.op].numpy)(*args)
    out = {}
    for key, x in function.outputs.items():
        rows = [np.broadcast_to(known[node.id], batch) for node in x.flat]
        found = np.stack(rows, axis=-1) if rows else np.zeros((*batch, 0))
        out[key] = found.reshape((*batch, *x.shape))
    return out


def _applied(system: KaneSystem, laws: Mapping[str, str | float]) -> dict[Expr, Expr]:
    """What stands for the inputs of a system."""
    known = {leaf.name: leaf for leaf in system.inputs}
    for name in laws:
        if name not in known:
            raise StateError(f"system {system.name!r}: inputs: no input {name!r}{nearest(name, known)}")
    names: dict[str, Expr | float] = {leaf.name: leaf for leaf in (*system.v, *system.q)}
    names |= {**system.symbols, "t": system.time}
    out: dict[Expr, Expr] = {}
    for name, leaf in known.items():
        if name not in laws:
            raise StateError(
                f"system {system.name!r}: inputs: expected a formula or a number for the input {name!r}, got none"
            )
        where = f"system {system.name!r}: input {name!r}"
        out[leaf] = Formula(str(laws[name]), where).node(system.graph, names, _rates(system))
    return out


def _rates(system: KaneSystem) -> dict[str, Expr | float]:
    return {q.name: rate for q, rate in zip(system.q, system.kinematical_equations(), strict=True)}


def _nodes(graph: Graph, x: Nodes) -> Nodes:
    out = np.empty(np.shape(x), dtype=object)
    for i, node in enumerate(np.asarray(x, dtype=object).flat):
        out.flat[i] = graph.node(node)
    return out


def _energies(system: KaneSystem) -> Nodes:
    """Kinetic energy, and potential energy of gravity."""
    kinetic = potential = system.graph.zero
    for body in system.bodies.values():
        mass, com, inertia = body.rigid
        v, w = body.velocity(com), body.angular_velocity
        kinetic = kinetic + 0.5 * (mass * (v @ v) + w @ (inertia @ w))
        potential = potential - mass * (system.gravity @ body.position(com))
    return np.array([kinetic, potential], dtype=object)


def _momentum(system: KaneSystem) -> Nodes:
    """Angular momentum about the ground's origin, then linear momentum, in ground axes."""
    angular = linear = system.zero
    for body in system.bodies.values():
        mass, com, inertia = body.rigid
        momentum = mass * body.velocity(com)
        linear = linear + momentum
        angular = angular + body.position(com).cross(momentum) + inertia @ body.angular_velocity
    frame = system.ground.frame
    return np.array([*angular.components(frame), *linear.components(frame)], dtype=object)


def _moment(system: KaneSystem) -> Nodes:
    """First moment of mass, in ground axes."""
    moment = sum((x.rigid.mass * x.position(x.rigid.com) for x in system.bodies.values()), start=system.zero)
    return np.array(moment.components(system.ground.frame), dtype=object)


def _attracted(e: EquationsOfMotion, rates: Nodes) -> dict[str, Nodes]:
    """Rates that lead dependent coordinates back to closed loops, the gaps of these, and their slopes."""
    assert e.dependence is not None
    places = [list(e.variables.q).index(x) for x in e.dependence.coordinates]
    gap = e.dependence.closures
    slope = jacobian(gap, e.dependence.coordinates)
    out = rates.copy()
    out[places] = out[places] - ATTRACTION * solve_general(slope, gap[:, None])[:, 0]
    return {"rate": out, "gap": gap, "slope": slope}
