"""Running the recursions on graph nodes: equations from the one source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from supple.engines.plain import plain
from supple.errors import StateError, nearest
from supple.model.model import Model
from supple.recursions import articulated, composite, coordinates, energy, kinematics, newton_euler
from supple.recursions.tree import Tree, workspace
from supple.symbolic.function import Function, Nodes
from supple.symbolic.graph import Expr, Graph

INERTIA = ("xx", "xy", "xz", "yy", "yz", "zz")


def parameter_names(model: Model) -> list[str]:
    """Names of everything that can be left symbolic.

    For each body mass, com.x ..., inertia.xx ... (about the centre of mass) and at.x ... (position of its joint); for each
    speed stiffness, rest, damping and inertia; gravity.x ...
    """
    names = [f"gravity.{c}" for c in "xyz"]
    for body in model.bodies:
        names += [f"{body}.mass", *(f"{body}.com.{c}" for c in "xyz")]
        names += [*(f"{body}.inertia.{ij}" for ij in INERTIA), *(f"{body}.at.{c}" for c in "xyz")]
    for speed in model.speeds:
        names += [f"{speed}.{what}" for what in ("stiffness", "rest", "damping", "inertia")]
    return names


class Trace:
    """A model whose state is made of nodes.

    Parameters
    ----------
    model : Model
    parameters : sequence of str
        Names (see `parameter_names`) of what stays symbolic; all other numbers are folded in.
    """

    def __init__(self, model: Model, parameters: Sequence[str] = ()) -> None:
        self.model = model
        self.graph = Graph()
        known = set(parameter_names(model))
        for name in parameters:
            if name not in known:
                raise StateError(f"model {model.name!r}: no parameter {name!r}{nearest(name, known)}")
        self.parameters = {name: self.graph.parameter(name) for name in parameters}
        self.tree = self._symbolic_tree()
        self.q = self.leaves("q", model.coordinates)
        self.v = self.leaves("v", model.speeds)
        self.tau = self.leaves("tau", model.speeds)
        self.a = self.leaves("a", model.speeds)

    def leaves(self, kind: str, names: Sequence[str]) -> Nodes:
        """Inputs named "kind:name"."""
        return np.array([self.graph.input(f"{kind}:{name}") for name in names], dtype=object)

    # ------------------------------------------------------------ the recursions

    def forward_dynamics(self, q: Nodes, v: Nodes, tau: Nodes) -> Nodes:
        """Accelerations."""
        ws, a = self._workspace(), _zeros(self.model.nv)
        plain(kinematics.ground_acceleration)(-1.0, self.tree, ws)
        free = np.zeros(self.model.nv, dtype=bool)
        plain(articulated.articulate)(self.tree, q, v, tau.copy(), free, self._unloaded(), ws, a)
        return a

    def inverse_dynamics(self, q: Nodes, v: Nodes, a: Nodes) -> Nodes:
        """Drive forces."""
        tau, none = _zeros(1, self.model.nv), np.zeros((0, 0, 6), dtype=object)
        plain(newton_euler.inverse_dynamics)(
            self.tree, q[None], v[None], a[None], self._unloaded()[None], self._workspace(), tau, none
        )
        return tau[0]

    def bias_forces(self, q: Nodes, v: Nodes) -> Nodes:
        """Drive forces at zero acceleration."""
        return self.inverse_dynamics(q, v, _zeros(self.model.nv))

    def mass_matrix(self, q: Nodes) -> Nodes:
        """M."""
        M = _zeros(self.model.nv, self.model.nv)
        plain(composite.mass)(self.tree, q, self._workspace(), M)
        return M

    def inverse_mass_matrix(self, q: Nodes) -> Nodes:
        """M^-1, from its innovations factors."""
        model, ws, given = self.model, self._workspace(), np.zeros(self.model.nv, dtype=bool)
        for k in range(1, len(model.bodies) + 1):
            plain(kinematics.joint_step)(self.tree, k, q, ws)
        plain(articulated.articulated_inertias)(self.tree, given, ws)
        W = _zeros(model.nv, model.nv)
        for i in range(model.nv):
            x = _zeros(model.nv)
            x[i] = 1.0
            plain(articulated.inverse_mass_times)(self.tree, x, given, ws, W[i])
        return W

    def rates(self, q: Nodes, v: Nodes) -> Nodes:
        """Rates of the coordinates."""
        out = _zeros(1, self.model.nq)
        plain(coordinates.rates)(self.tree, q[None], v[None], out)
        return out[0]

    def advanced(self, q: Nodes, v: Nodes, dt: Any) -> Nodes:
        """Coordinates after dt at constant speeds."""
        out = _zeros(1, self.model.nq)
        step = np.empty(1, dtype=object)
        step[0] = dt
        plain(coordinates.advance)(self.tree, q[None], v[None], step, out)
        return out[0]

    def poses(self, q: Nodes) -> tuple[Nodes, Nodes]:
        """R (bodies, 3, 3) and p (bodies, 3) in the ground frame."""
        rows = len(self.model.bodies) + 1
        R, p = _zeros(1, rows, 9), _zeros(1, rows, 3)
        plain(kinematics.poses)(self.tree, q[None], self._workspace(), R, p)
        return R[0, 1:].reshape(-1, 3, 3), p[0, 1:]

    def energy(self, q: Nodes, v: Nodes) -> Nodes:
        """Kinetic and potential energy."""
        out, momentum, moment = _zeros(1, 2), _zeros(1, 6), _zeros(1, 3)
        plain(energy.energy_and_momentum)(self.tree, q[None], v[None], self._workspace(), out, momentum, moment)
        return out[0]

    def function(self, name: str, inputs: dict[str, Nodes], outputs: dict[str, Nodes]) -> Function:
        """A function of these inputs and of the symbolic parameters."""
        return Function(name, self.graph, inputs, outputs, self.parameters.values())

    # ------------------------------------------------------------ arrays of nodes

    def _workspace(self) -> Any:
        return workspace(len(self.model.bodies), self.model.nv, object)

    def _unloaded(self) -> Nodes:
        return _zeros(len(self.model.bodies) + 1, 6)

    def _symbolic_tree(self) -> Tree:
        """The model's arrays as plain numbers, with nodes where a parameter is symbolic."""
        parts = {
            name: x.astype(object) if x.dtype.kind == "f" else x for name, x in self.model.tree._asdict().items()
        }
        for i, c in enumerate("xyz"):
            self._put(parts["gravity"], i, f"gravity.{c}")
        for k, (name, placed) in enumerate(self.model.description.bodies.items(), start=1):
            for i, c in enumerate("xyz"):
                self._put(parts["position"], (k, i), f"{name}.at.{c}")
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


def _zeros(*shape: int) -> Nodes:
    return np.zeros(shape, dtype=object)


def traced(model: Model, what: str, parameters: Sequence[str] = ()) -> Function:
    """One of the model's functions as a graph; `what` as in `Model.compile`."""
    t = Trace(model, parameters)
    state: dict[str, Nodes] = {"q": t.q, "v": t.v}
    if what == "forward_dynamics":
        return t.function(what, {**state, "tau": t.tau}, {"a": t.forward_dynamics(t.q, t.v, t.tau)})
    if what == "inverse_dynamics":
        return t.function(what, {**state, "a": t.a}, {"tau": t.inverse_dynamics(t.q, t.v, t.a)})
    if what == "bias_forces":
        return t.function(what, state, {"tau": t.bias_forces(t.q, t.v)})
    if what == "mass_matrix":
        return t.function(what, {"q": t.q}, {"M": t.mass_matrix(t.q)})
    if what == "inverse_mass_matrix":
        return t.function(what, {"q": t.q}, {"W": t.inverse_mass_matrix(t.q)})
    if what == "kinematics":
        R, p = t.poses(t.q)
        return t.function(what, {"q": t.q}, {"R": R, "p": p})
    if what == "energy":
        return t.function(what, state, {"energy": t.energy(t.q, t.v)})
    if what == "derivative":
        return t.function(what, state, {"rate": t.rates(t.q, t.v)})
    raise StateError(f"no function {what!r} to trace{nearest(what, TRACEABLE)}")


TRACEABLE = (
    "forward_dynamics",
    "inverse_dynamics",
    "bias_forces",
    "mass_matrix",
    "inverse_mass_matrix",
    "kinematics",
    "energy",
    "derivative",
)
