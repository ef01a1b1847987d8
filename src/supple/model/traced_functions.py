"""The functions of a model as graphs: which there are, their inputs and outputs, and derivatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from supple.call_checks import checked
from supple.errors import StateError, nearest, one_of
from supple.expressions.derivatives import along
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Expr
from supple.model.step_formulas import STEPS
from supple.model.trace import Trace

if TYPE_CHECKING:
    from supple.model.model import Model

STATE = ("q", "v")
INPUTS: dict[str, tuple[str, ...]] = {
    "forward_dynamics": (*STATE, "tau"),
    "inverse_dynamics": (*STATE, "a"),
    "bias_forces": STATE,
    "mass_matrix": ("q",),
    "inverse_mass_matrix": ("q",),
    "kinematics": ("q",),
    "energy": STATE,
    "sums": STATE,
    "derivative": STATE,
    "rk4": (*STATE, "tau", "dt"),
    "semi_implicit_euler": (*STATE, "tau", "dt"),
    "leapfrog": (*STATE, "tau", "dt"),
}
"""What can be traced, and from which inputs."""
TRACEABLE = tuple(INPUTS)


class Sized(Protocol):
    """What decides the lengths of inputs and outputs: a model of any formulation."""

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        ...

    @property
    def nv(self) -> int:
        """Number of speeds."""
        ...

    @property
    def bodies(self) -> tuple[str, ...]:
        """Their names."""
        ...


def require_function(what: str, *further: str) -> None:
    """Raise StateError unless `what` is a function that can be traced, or one of the `further` ones."""
    known = (*INPUTS, *further)
    if not isinstance(what, str) or what not in known:
        raise StateError(f"no function {what!r} to trace{nearest(what, known) or one_of(known)}")


def signature(
    model: Sized, what: str, parameters: Sequence[str] = (), derivatives: Sequence[str] = ()
) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """Lengths of the inputs and shapes of the outputs of a traced function, without tracing it."""
    require_function(what)
    n, nq, bodies = model.nv, model.nq, len(model.bodies)
    lengths = {"q": nq, "v": n, "tau": n, "a": n, "dt": 1}
    inputs = {name: lengths[name] for name in INPUTS[what]}
    if parameters:
        inputs["parameters"] = len(parameters)
    step: dict[str, tuple[int, ...]] = {"q": (nq,), "v": (n,)}
    plain_outputs: dict[str, dict[str, tuple[int, ...]]] = {
        "forward_dynamics": {"a": (n,)},
        "inverse_dynamics": {"tau": (n,)},
        "bias_forces": {"tau": (n,)},
        "mass_matrix": {"M": (n, n)},
        "inverse_mass_matrix": {"W": (n, n)},
        "kinematics": {"R": (bodies, 3, 3), "p": (bodies, 3)},
        "energy": {"energy": (2,)},
        "sums": {"energy": (2,), "momentum": (6,), "moment": (3,)},
        "derivative": {"rate": (nq,)},
        "rk4": step,
        "semi_implicit_euler": step,
        "leapfrog": step,
    }
    outputs = dict(plain_outputs[what])
    for name, shape in plain_outputs[what].items():
        for by in derivatives:
            if by not in inputs:
                raise StateError(f"derivatives: {what} has no input {by!r}{nearest(by, inputs)}")
            outputs[f"d{name}_d{by}"] = (*shape, n if by == "q" else inputs[by])
    return inputs, outputs


@checked
def traced(
    model: Model,
    what: str,
    parameters: Sequence[str] = (),
    derivatives: Sequence[str] = (),
    limit: float = math.inf,
) -> Function:
    """One of the model's functions as a graph.

    Parameters
    ----------
    what : str
        One of `TRACEABLE`.
    parameters : sequence of str
        What stays symbolic, see `parameter_names`.
    derivatives : sequence of str
        Inputs by which the outputs are differentiated as well ("parameters" are one); by q in the directions of the
        speeds, dq = S x, as `Model.linearize` has it.
    limit : int
        Most nodes there may be.
    """
    return traced_on(Trace(model, parameters, limit), what, parameters, derivatives)


def traced_on(t: Any, what: str, parameters: Sequence[str] = (), derivatives: Sequence[str] = ()) -> Function:
    """The same on a trace of any formulation."""
    lengths, shapes = signature(t.model, what, parameters, derivatives)
    inputs: dict[str, Nodes] = {"q": t.q, "v": t.v, "tau": t.tau, "a": t.a}
    inputs["dt"] = t.graph.new_inputs("", ["dt"])
    inputs["parameters"] = np.array(list(t.parameters.values()), dtype=object)
    found = traced_outputs(t, what, inputs["dt"][0])
    outputs = dict(found)
    for name, nodes in found.items():
        for by in derivatives:
            outputs[f"d{name}_d{by}"] = _derivative(t, what, nodes, inputs[by], by)
    arguments = {name: inputs[name] for name in lengths}
    return Function(what, t.graph, arguments, {name: outputs[name] for name in shapes})


def traced_outputs(t: Trace, what: str, dt: Expr) -> dict[str, Nodes]:
    """The outputs of a function by name, on the nodes of a trace."""
    if what == "kinematics":
        R, p = t.poses(t.q)
        return {"R": R, "p": p}
    if what in STEPS:
        q, v = STEPS[what](t, t.q, t.v, dt, lambda _, q, v: t.forward_dynamics(q, v, t.tau))
        return {"q": q, "v": v}
    made = {
        "forward_dynamics": lambda: {"a": t.forward_dynamics(t.q, t.v, t.tau)},
        "inverse_dynamics": lambda: {"tau": t.inverse_dynamics(t.q, t.v, t.a)},
        "bias_forces": lambda: {"tau": t.bias_forces(t.q, t.v)},
        "mass_matrix": lambda: {"M": t.mass_matrix(t.q)},
        "inverse_mass_matrix": lambda: {"W": t.inverse_mass_matrix(t.q)},
        "energy": lambda: {"energy": t.energy(t.q, t.v)},
        "sums": lambda: dict(zip(("energy", "momentum", "moment"), t.sums(t.q, t.v), strict=True)),
        "derivative": lambda: {"rate": t.rates(t.q, t.v)},
    }
    return made[what]()


def _derivative(t: Trace, what: str, outputs: Nodes, by: Nodes, name: str) -> Nodes:
    """Derivatives of outputs, the direction last."""
    if what == "forward_dynamics" and t.model.loops is None:
        return _acceleration_derivative(t, outputs, by, name)
    return _along(t, outputs, by, name)


def _along(t: Trace, outputs: Nodes, by: Nodes, name: str) -> Nodes:
    """Forward derivatives along each direction of an input."""
    if name == "q":
        directions = [dict(zip(by, column, strict=True)) for column in t.tangent(by).T]
    else:
        directions = [{leaf: 1.0} for leaf in by]
    rows = list(outputs.flat)
    moving = [{leaf: rate for leaf, rate in d.items() if not _is_zero(rate)} for d in directions]
    columns = np.array(along(rows, moving), dtype=object)
    return np.moveaxis(columns.reshape(len(moving), *outputs.shape), 0, -1)


def _acceleration_derivative(t: Trace, a: Nodes, by: Nodes, name: str) -> Nodes:
    """From M a + bias = tau: da = M^-1 (dtau - d(balance) at fixed a), cheaper than through the recursion.

    Of trees alone. The balance is differentiated for accelerations that are leaves, which are then replaced by a.
    """
    W = t.inverse_mass_matrix(t.q)
    if name == "tau":
        return t.by_forces(t.q, W)
    forces = _along(t, t.balance(t.q, t.v, t.a, t.tau), by, name)
    leaves = np.concatenate([t.q, t.v, t.tau, t.a])
    at_leaves = Function("forces", t.graph, {"leaves": leaves}, {"d": forces}, t.parameters.values())
    at_a = at_leaves.substitute(dict(zip(t.a, a, strict=True))).outputs["d"]
    return -(W @ at_a)


def _is_zero(x: Any) -> bool:
    return bool(x.op == "constant" and x.value == 0.0) if isinstance(x, Expr) else x == 0
