"""Running the recursions on graph nodes: equations from the one source."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError, nearest
from supple.expressions.derivatives import forward
from supple.expressions.elimination import pivots, solve_symmetric
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Expr, Graph
from supple.model.parameters import INERTIA, Symbols, plain_symbols
from supple.model.regroup import regrouped
from supple.model.rotations import on_nodes
from supple.recursions import (
    articulated,
    closed_chains,
    closure_forces,
    closures,
    composite,
    coordinates,
    energy,
    kinematics,
    newton_euler,
)
from supple.recursions.tree import Flex, Tree, sizes, workspace
from supple.structures.body import FlexibleBody

if TYPE_CHECKING:
    from supple.model.model import Model


class Trace:
    """A model whose state is made of nodes.

    Parameters
    ----------
    model : Model
    parameters : sequence of str, or Symbols
        Names (see `parameter_names`) of what stays symbolic, or these with names of their own for all leaves; all other
        numbers are folded in.
    limit : int, optional
        Most nodes the graph may have.
    regroup : bool
        Move inertia inward where the motion does not notice, see `regroup`: cheaper equations of motion. Energy and
        momentum stay those of the bodies as they are.
    """

    def __init__(
        self,
        model: Model,
        parameters: Sequence[str] | Symbols = (),
        limit: float = math.inf,
        regroup: bool = False,
    ) -> None:
        self.model = model
        self.graph = Graph(limit)
        symbols = parameters if isinstance(parameters, Symbols) else plain_symbols(model, parameters)
        self.parameters = symbols.nodes(self.graph)
        self.symbols = symbols.leaves(self.graph)
        self.tree = self._symbolic_tree()
        self.flex = None if model.flex is None else Flex(**as_objects(model.flex))
        self.moving = regrouped(self.tree, self.flex) if regroup else self.tree
        self.q = self.leaves("q", symbols.called(model.coordinates))
        self.v = self.leaves("v", symbols.called(model.speeds))
        self.tau = self.leaves("tau", [symbols.inputs.get(speed, speed) for speed in model.speeds])
        self.a = self.leaves("a", symbols.called(model.speeds))

    def leaves(self, kind: str, names: Sequence[str]) -> Nodes:
        """Inputs named "kind:name"."""
        return np.array([self.graph.input(f"{kind}:{name}") for name in names], dtype=object)

    # ------------------------------------------------------------ the recursions

    def forward_dynamics(self, q: Nodes, v: Nodes, tau: Nodes) -> Nodes:
        """Accelerations."""
        return self.hybrid_dynamics(q, v, tau, np.zeros(self.model.nv, dtype=bool))[0]

    def hybrid_dynamics(self, q: Nodes, v: Nodes, drive: Nodes, given: NDArray[np.bool_]) -> tuple[Nodes, Nodes]:
        """Accelerations and generalized forces; `drive` holds accelerations where they are `given`, else forces."""
        if self.model.loops is not None:
            return self._closed_dynamics(q, v, drive, given)
        ws, a, tau = self.workspace(), _zeros(self.model.nv), drive.copy()
        on_nodes(kinematics.ground_acceleration)(-1.0, self.moving, ws)
        on_nodes(articulated.articulate)(self.moving, self.flex, q, v, tau, given, self._unloaded(), ws, a)
        return a, tau

    def _closed_dynamics(self, q: Nodes, v: Nodes, drive: Nodes, given: NDArray[np.bool_]) -> tuple[Nodes, Nodes]:
        """The same with the forces that close the loops, those of rows that repeat others left out."""
        loops = self.model.loops
        assert loops is not None
        cl, cw = self.closures()
        a, tau = _zeros(self.model.nv), drive.copy()
        args = q, v, tau, given, self._unloaded(), self.workspace(), cw, a
        on_nodes(closed_chains.free_motion)(self.moving, self.flex, cl, *args)
        cw.force[:] = self._least_forces(cw.S, -cw.acceleration)
        on_nodes(closure_forces.close)(given, tau, cw, a)
        return a, tau

    def _least_forces(self, S: Nodes, r: Nodes) -> Nodes:
        """Forces of least size with S force = r, by `closure_forces.REFINEMENTS` solutions with a regularized S."""
        rows, own, regularized = self._regularized(S)
        right = r[rows]
        force = _zeros(len(rows))
        for _ in range(closure_forces.REFINEMENTS):
            force = force + solve_symmetric(regularized, right - own @ force)
        out = _zeros(len(r))
        out[rows] = force
        return out

    def _regularized(self, S: Nodes) -> tuple[list[int], Nodes, Nodes]:
        """Rows that something changes, S of them, and the same regularized (see `closure_forces`)."""
        rows = [i for i in range(len(S)) if self.graph.node(S[i, i]) is not self.graph.zero]
        own = S[np.ix_(rows, rows)]
        return rows, own, own + np.diag(closure_forces.REGULARIZATION * own.diagonal())

    def closures(self) -> tuple[closures.Closures, closures.ClosureWorkspace]:
        """Arrays and workspace of the closed loops."""
        assert self.model.loops is not None
        cl = closures.Closures(**as_objects(self.model.loops.arrays))
        return cl, closures.closure_workspace(cl, self.model.nv, object)

    def closed(self, q: Nodes, v: Nodes, given: NDArray[np.bool_]) -> tuple[Nodes, Nodes, Nodes]:
        """Coordinates and speeds after one step towards the closed loops, of least kinetic energy, and S before it.

        Prescribed speeds stay.
        """
        loops = self.model.loops
        assert loops is not None
        cl, cw = self.closures()
        on_nodes(closed_chains.open_motion)(self.moving, self.flex, cl, q, v, given, self.workspace(), cw)
        dq, dv = (-(self._least_forces(cw.S, x) @ cw.X) for x in (cw.position, cw.velocity))
        return q + self.tangent(q) @ dq, v + dv, cw.S

    def closure_margins(self, S: Nodes) -> Nodes:
        """What rows add to those before them, each as a share of itself: near zero where it repeats others."""
        rows, own, regularized = self._regularized(S)
        out = np.array([self.graph.one] * len(S), dtype=object)
        out[rows] = pivots(regularized) / own.diagonal()
        return out

    def power(self, q: Nodes, v: Nodes, tau: Nodes) -> Any:
        """Power of the generalized forces."""
        return tau @ v

    def inverse_dynamics(self, q: Nodes, v: Nodes, a: Nodes) -> Nodes:
        """Generalized forces."""
        tau, none = _zeros(1, self.model.nv), np.zeros((0, 0, 6), dtype=object)
        on_nodes(newton_euler.inverse_dynamics)(
            self.moving, self.flex, q[None], v[None], a[None], self._unloaded()[None], self.workspace(), tau, none
        )
        return tau[0]

    def bias_forces(self, q: Nodes, v: Nodes) -> Nodes:
        """Generalized forces at zero acceleration."""
        return self.inverse_dynamics(q, v, _zeros(self.model.nv))

    def mass_matrix(self, q: Nodes) -> Nodes:
        """M."""
        M = _zeros(self.model.nv, self.model.nv)
        on_nodes(composite.mass)(self.moving, self.flex, q, self.workspace(), M)
        return M

    def inverse_mass_matrix(self, q: Nodes) -> Nodes:
        """M^-1, from its innovations factors."""
        model, ws, given = self.model, self.workspace(), np.zeros(self.model.nv, dtype=bool)
        for k in range(1, len(model.bodies) + 1):
            on_nodes(composite.configuration_step)(self.moving, self.flex, k, q, ws)
        on_nodes(articulated.articulated_inertias)(self.moving, self.flex, given, ws)
        W = _zeros(model.nv, model.nv)
        for i in range(model.nv):
            x, row = _zeros(model.nv), _zeros(model.nv)
            x[i] = 1.0
            on_nodes(articulated.inverse_mass_times)(self.moving, self.flex, x, given, ws, row)
            W[i, : i + 1] = W[: i + 1, i] = row[: i + 1]  # the other half is the same, and costs more this way
        return W

    def rates(self, q: Nodes, v: Nodes) -> Nodes:
        """Rates of the coordinates."""
        out = _zeros(1, self.model.nq)
        on_nodes(coordinates.rates)(self.tree, self.flex, q[None], v[None], out)
        return out[0]

    def advanced(self, q: Nodes, v: Nodes, dt: Any) -> Nodes:
        """Coordinates after dt at constant speeds."""
        out = _zeros(1, self.model.nq)
        step = np.empty(1, dtype=object)
        step[0] = dt
        on_nodes(coordinates.advance)(self.tree, self.flex, q[None], v[None], step, out)
        return out[0]

    def poses(self, q: Nodes) -> tuple[Nodes, Nodes]:
        """R (bodies, 3, 3) and p (bodies, 3) in the ground frame."""
        rows = len(self.model.bodies) + 1
        R, p = _zeros(1, rows, 9), _zeros(1, rows, 3)
        on_nodes(kinematics.poses)(self.tree, self.flex, q[None], self.workspace(), R, p)
        return R[0, 1:].reshape(-1, 3, 3), p[0, 1:]

    def energy(self, q: Nodes, v: Nodes) -> Nodes:
        """Kinetic and potential energy."""
        return self.sums(q, v)[0]

    def sums(self, q: Nodes, v: Nodes) -> tuple[Nodes, Nodes, Nodes]:
        """Energies (2,), momentum (6,), first moment of mass (3,)."""
        out, momentum, moment = _zeros(1, 2), _zeros(1, 6), _zeros(1, 3)
        on_nodes(energy.energy_and_momentum)(
            self.tree, self.flex, q[None], v[None], self.workspace(), out, momentum, moment
        )
        return out[0], momentum[0], moment[0]

    def function(self, name: str, inputs: dict[str, Nodes], outputs: dict[str, Nodes]) -> Function:
        """A function of these inputs and of the symbolic parameters."""
        return Function(name, self.graph, inputs, outputs, self.symbols.values())

    def tangent(self, q: Nodes) -> Nodes:
        """S (nq, nv): rates of the coordinates are S v."""
        columns = [
            self.rates(q, np.array([float(i == j) for i in range(self.model.nv)], dtype=object))
            for j in range(self.model.nv)
        ]
        return np.array(columns, dtype=object).reshape(self.model.nv, self.model.nq).T

    # ------------------------------------------------------------ arrays of nodes

    def workspace(self) -> Any:
        """New arrays of nodes."""
        return workspace(sizes(self.model.tree, self.model.flex), object)

    def _unloaded(self) -> Nodes:
        return _zeros(len(self.model.bodies) + 1, 6)

    def _symbolic_tree(self) -> Tree:
        """The model's arrays as plain numbers, with nodes where a parameter is symbolic."""
        parts = as_objects(self.model.tree)
        for i, c in enumerate("xyz"):
            self._put(parts["gravity"], i, f"gravity.{c}")
        for k, (name, placed) in enumerate(self.model.description.bodies.items(), start=1):
            for i, c in enumerate("xyz"):
                self._put(parts["position"], (k, i), f"{name}.at.{c}")
            if not isinstance(placed.body, FlexibleBody):
                self._put_inertia(parts, k, name, placed.body)
        fields = {"stiffness": "stiffness", "rest": "rest", "damping": "damping", "inertia": "joint_inertia"}
        for i, speed in enumerate(self.model.speeds):
            for what, field in fields.items():
                self._put(parts[field], i, f"{speed}.{what}")
        return Tree(**parts)

    def _put(self, array: Nodes, place: Any, name: str) -> None:
        if name in self.parameters:
            array[place] = self.parameters[name]

    def _put_inertia(self, parts: dict[str, Any], k: int, name: str, body: Any) -> None:
        """Mass, first moment and inertia about the origin of a body, some of whose properties are symbolic."""
        own = [f"{name}.mass", *(f"{name}.com.{c}" for c in "xyz"), *(f"{name}.inertia.{ij}" for ij in INERTIA)]
        if not any(label in self.parameters for label in own):
            return
        upper = [float(x) for x in body.inertia[np.triu_indices(3)]]
        numbers: list[Any] = [body.mass, *map(float, body.com), *upper]
        m, *rest = (self.parameters.get(label, x) for label, x in zip(own, numbers, strict=True))
        c, J = rest[:3], rest[3:]
        h = [m * x for x in c]
        parts["mass"][k] = m
        parts["moment"][k] = h
        parts["inertia"][k] = [
            J[0] + (h[1] * c[1] + h[2] * c[2]),
            J[1] - h[0] * c[1],
            J[2] - h[0] * c[2],
            J[3] + (h[0] * c[0] + h[2] * c[2]),
            J[4] - h[1] * c[2],
            J[5] + (h[0] * c[0] + h[1] * c[1]),
        ]


def as_objects(arrays: Tree | Flex | closures.Closures) -> dict[str, Any]:
    """Real numbers as objects, so that nodes can stand among them."""
    return {name: x.astype(object) if x.dtype.kind == "f" else x for name, x in arrays._asdict().items()}


def _zeros(*shape: int) -> Nodes:
    return np.zeros(shape, dtype=object)


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


def signature(
    model: Model, what: str, parameters: Sequence[str] = (), derivatives: Sequence[str] = ()
) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """Lengths of the inputs and shapes of the outputs of a traced function, without tracing it."""
    if what not in INPUTS:
        raise StateError(f"no function {what!r} to trace{nearest(what, INPUTS)}")
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
    lengths, shapes = signature(model, what, parameters, derivatives)
    t = Trace(model, parameters, limit)
    inputs: dict[str, Nodes] = {"q": t.q, "v": t.v, "tau": t.tau, "a": t.a}
    inputs["dt"] = np.array([t.graph.input("dt")], dtype=object)
    inputs["parameters"] = np.array(list(t.parameters.values()), dtype=object)
    found = _outputs(t, what, inputs["dt"][0])
    outputs = dict(found)
    for name, nodes in found.items():
        for by in derivatives:
            outputs[f"d{name}_d{by}"] = _derivative(t, what, nodes, inputs[by], by)
    arguments = {name: inputs[name] for name in lengths}
    return Function(what, t.graph, arguments, {name: outputs[name] for name in shapes})


def _outputs(t: Trace, what: str, dt: Expr) -> dict[str, Nodes]:
    """The outputs by name."""
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


class Stepping(Protocol):
    """What the formulas of a step ask for: of a trace on nodes, or of a model on numbers."""

    @property
    def model(self) -> Any:
        """Whose speeds are counted."""
        ...

    def advanced(self, q: Nodes, v: Nodes, dt: Any) -> Nodes:
        """Coordinates after dt at constant speeds."""
        ...

    def rates(self, q: Nodes, v: Nodes) -> Nodes:
        """Rates of the coordinates."""
        ...


Accelerate = Callable[[float, Nodes, Nodes], Nodes]
"""Rates of the speeds (and of what is integrated beside them) at a fraction of the step, for coordinates and speeds."""


def _semi_implicit_euler(t: Stepping, q: Nodes, w: Nodes, dt: Any, accelerate: Accelerate) -> tuple[Nodes, Nodes]:
    """Speeds first, then coordinates with the new speeds."""
    w = w + dt * accelerate(0.0, q, w)
    return t.advanced(q, w[: t.model.nv], dt), w


def _leapfrog(t: Stepping, q: Nodes, w: Nodes, dt: Any, accelerate: Accelerate) -> tuple[Nodes, Nodes]:
    """Half a step of the coordinates, a whole one of the speeds, the other half; of second order.

    The forces are those of the speeds in the middle, found in two rounds; what depends on the configuration alone is
    the same in both and there once. Stable up to a step of 2 over the highest angular frequency, at a third of the
    price of rk4.
    """
    n = t.model.nv
    q = t.advanced(q, w[:n], 0.5 * dt)
    middle = w + 0.5 * dt * accelerate(0.5, q, w)
    w = w + dt * accelerate(0.5, q, middle)
    return t.advanced(q, w[:n], 0.5 * dt), w


def _rk4(t: Stepping, q: Nodes, w: Nodes, dt: Any, accelerate: Accelerate) -> tuple[Nodes, Nodes]:
    """The classical step on coordinates and speeds; quaternions are brought back to unit length."""
    n, q_0, w_0 = t.model.nv, q, w
    slopes = []
    for fraction, weight in ((0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, None)):
        dq, dw = t.rates(q, w[:n]), accelerate(fraction, q, w)
        slopes.append((dq, dw))
        if weight is not None:
            q, w = q_0 + weight * dt * dq, w_0 + weight * dt * dw
    total_q, total_w = (a + 2 * (b + c) + d for a, b, c, d in zip(*slopes, strict=True))
    q, w = q_0 + dt / 6 * total_q, w_0 + dt / 6 * total_w
    for i in t.model.quaternions:
        length = np.sqrt(sum(x * x for x in q[i : i + 4]))
        q[i : i + 4] = q[i : i + 4] / length
    return q, w


STEPS = {"rk4": _rk4, "semi_implicit_euler": _semi_implicit_euler, "leapfrog": _leapfrog}
"""Integrators that are traced as one step."""


def _derivative(t: Trace, what: str, outputs: Nodes, by: Nodes, name: str) -> Nodes:
    """Derivatives of outputs, the direction last."""
    if what == "forward_dynamics":
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
    columns = np.array([forward(rows, d) for d in moving], dtype=object)
    return np.moveaxis(columns.reshape(len(moving), *outputs.shape), 0, -1)


def _acceleration_derivative(t: Trace, a: Nodes, by: Nodes, name: str) -> Nodes:
    """From M a + bias = tau: da = M^-1 (dtau - d(inverse dynamics) at fixed a), cheaper than through the recursion.

    Inverse dynamics is differentiated for accelerations that are leaves, which are then replaced by a.
    """
    W = t.inverse_mass_matrix(t.q)
    if name == "tau":
        return W
    forces = _along(t, t.inverse_dynamics(t.q, t.v, t.a), by, name)
    leaves = np.concatenate([t.q, t.v, t.tau, t.a])
    at_leaves = Function("forces", t.graph, {"leaves": leaves}, {"d": forces}, t.parameters.values())
    at_a = at_leaves.substitute(dict(zip(t.a, a, strict=True))).outputs["d"]
    return -(W @ at_a)


def _is_zero(x: Any) -> bool:
    return bool(x.op == "constant" and x.value == 0.0) if isinstance(x, Expr) else x == 0
