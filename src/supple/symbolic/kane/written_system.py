"""Systems of vectors as plain tables of names, numbers and formulas, which files hold: read, and written.

The tables are those of `supple.files.vector_schema`. What is written is read back as the same expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from supple.errors import FileFormatError, ModelError, StateError, nearest
from supple.expressions.function import Function
from supple.expressions.graph import Expr
from supple.expressions.operations import FUNCTIONS
from supple.expressions.printers.writer import CodeWriter
from supple.expressions.printers.writing_plan import planned
from supple.symbolic.kane.building_block import KaneJoint, MassProperties
from supple.symbolic.kane.kane_body import KaneBody
from supple.symbolic.kane.kane_system import KaneSystem
from supple.symbolic.kane.tables import rotation_bases
from supple.symbolic.kane.vector_formula import Scope, scalar_formula, vector_formula
from supple.symbolic.vector_bases import VectorBasis
from supple.symbolic.vectors import Vector, axis

Table = Mapping[str, Any]
Laws = dict[str, str | float]
AXES = ("x", "y", "z")

# ------------------------------------------------------------ reading


def system_of_tables(data: Table) -> tuple[KaneSystem, Laws]:
    """The system that tables describe, and the laws of its inputs; a `ModelError` that names the place of an error."""
    if not isinstance(data.get("name"), str):
        raise FileFormatError(f"name: expected a text, got {data.get('name')!r}")
    system = KaneSystem(data["name"])
    system.parameters(**data.get("parameters", {}))
    laws: Laws = dict(data.get("inputs", {}))
    for name in laws:
        system.input(name)
    scope = Scope(system, data.get("expressions", {}))
    for i, table in enumerate(data.get("body", ()), start=1):
        _add_body(system, scope, table, f"body[{i}] {table.get('name')!r}")
    _require_one_meaning(scope)
    gravity = data.get("gravity", "")
    if gravity:
        system.gravity = _vector(gravity, system.ground, scope, "gravity")
    for kind, read in READERS.items():
        for i, table in enumerate(data.get(kind, ()), start=1):
            read(system, scope, table, f"{kind}[{i}]")
    for name in scope.expressions:
        scope[name]  # what nobody uses must be right as well
    return system, laws


def _add_body(system: KaneSystem, scope: Scope, table: Table, where: str) -> None:
    parent = table.get("parent", "ground")
    if parent != "ground" and parent not in system.bodies:
        raise StateError(f"{where}: parent: no body {parent!r} before this{nearest(parent, system.bodies)}")
    carrier, joint = system.body(parent), dict(table.get("joint", {}))
    for key in ("axis", "reference"):
        if key in joint:
            joint[key] = _direction(joint[key], carrier, scope, f"{where}: joint: {key}")
    joint["translations"] = [
        _direction(x, carrier, scope, f"{where}: joint: translations") for x in joint.get("translations", ())
    ]
    inertia = np.array(table.get("inertia", (0, 0, 0)), dtype=object)
    moments = np.empty(inertia.shape, dtype=object)
    for at, x in np.ndenumerate(inertia):
        moments[at] = scalar_formula(x, scope, f"{where}: inertia")
    properties = MassProperties(
        scalar_formula(table.get("mass", 0.0), scope, f"{where}: mass"),
        [scalar_formula(x, scope, f"{where}: com") for x in table.get("com", (0, 0, 0))],
        moments,
    )
    at = _direction(table.get("at", (0, 0, 0)), carrier, scope, f"{where}: at")
    system.add_body(table["name"], carrier, KaneJoint(**joint), properties, at)


def _direction(x: Any, body: KaneBody, scope: Scope, where: str) -> Any:
    """An axis by its letter, or a vector."""
    return x if x in AXES else _vector(x, body, scope, where)


def _vector(x: Any, body: KaneBody, scope: Scope, where: str) -> Vector:
    """A formula, or three components in the frame of a body."""
    if isinstance(x, str):
        return vector_formula(x, scope, where)
    return body.vector(*(scalar_formula(c, scope, where) for c in x))


def _on(system: KaneSystem, name: str, where: str) -> KaneBody:
    if name != "ground" and name not in system.bodies:
        raise StateError(f"{where}: no body {name!r}{nearest(name, system.bodies)}")
    return system.body(name)


def _read_force(system: KaneSystem, scope: Scope, table: Table, where: str) -> None:
    body = _on(system, table["on"], f"{where}: on")
    against = _on(system, table["against"], f"{where}: against") if table.get("against") else None
    at = _vector(table["at"], body, scope, f"{where}: at") if table.get("at") else None
    system.add_force(_vector(table["vector"], body, scope, f"{where}: vector"), body, at, against)


def _read_torque(system: KaneSystem, scope: Scope, table: Table, where: str) -> None:
    body = _on(system, table["on"], f"{where}: on")
    against = _on(system, table["against"], f"{where}: against") if table.get("against") else None
    system.add_torque(_vector(table["vector"], body, scope, f"{where}: vector"), body, against)


def _read_speed_force(system: KaneSystem, scope: Scope, table: Table, where: str) -> None:
    speed = _leaf(system.v, table["speed"], f"{where}: speed")
    system.add_speed_force(speed, scalar_formula(table["force"], scope, f"{where}: force"))


def _read_constraint(system: KaneSystem, scope: Scope, table: Table, where: str) -> None:
    speed = _leaf(system.v, table["dependent"], f"{where}: dependent")
    system.constrain(scalar_formula(table["velocity"], scope, f"{where}: velocity"), speed)


def _read_closure(system: KaneSystem, scope: Scope, table: Table, where: str) -> None:
    coordinate = _leaf(system.q, table["dependent"], f"{where}: dependent")
    system.close(scalar_formula(table["position"], scope, f"{where}: position"), coordinate)


READERS = {
    "force": _read_force,
    "torque": _read_torque,
    "generalized_force": _read_speed_force,
    "constraint": _read_constraint,
    "closure": _read_closure,
}


def _leaf(leaves: Sequence[Expr], name: str, where: str) -> Expr:
    found = {leaf.name: leaf for leaf in leaves}
    if name not in found:
        raise StateError(f"{where}: no {name!r}{nearest(name, found)}")
    return found[name]


def _require_one_meaning(scope: Scope) -> None:
    """Refuse names that stand for two things."""
    s = scope.system
    kinds: dict[str, Iterable[str]] = {
        "a parameter": s.symbols,
        "an input": [x.name for x in s.inputs],
        "a coordinate": [x.name for x in s.q],
        "a speed": [x.name for x in s.v],
        "an expression": scope.expressions,
        "time": ["t"],
        "an axis": [f"{name}.{c}" for name in ("ground", *s.bodies) for c in AXES],
    }
    first: dict[str, str] = {}
    for kind, names in kinds.items():
        for name in names:
            if first.setdefault(name, kind) != kind:
                raise StateError(f"system {s.name!r}: {name!r} would stand for {first[name]} and for {kind}")


# ------------------------------------------------------------ writing


def written(system: KaneSystem, inputs: Mapping[str, str | float], parameters: Mapping[str, float]) -> dict[str, Any]:
    """Tables from which `system_of_tables` gives the same system, with these numbers."""
    _require_one_meaning(Scope(system, {}))
    parts = _Parts(system)
    text = parts.text
    frame = system.ground.frame
    return {
        "name": system.name,
        "gravity": [text(c) for c in system.gravity.components(frame)],
        "parameters": {name: float(parameters[name]) for name in system.symbols},
        "inputs": dict(inputs),
        "expressions": parts.expressions,
        "body": [parts.body(body) for body in system.bodies.values()],
        "force": [
            {"vector": parts.vector(x.force, x.body), "on": x.body.name, "at": parts.vector(x.at, x.body)}
            for x in system.wrenches
            if not x.force.is_zero
        ],
        "torque": [
            {"vector": parts.vector(x.torque, x.body), "on": x.body.name}
            for x in system.wrenches
            if not x.torque.is_zero
        ],
        "generalized_force": [{"speed": system.v[i].name, "force": text(x)} for i, x in system.speed_forces.items()],
        "constraint": [
            {"velocity": text(x.velocity), "dependent": system.v[x.dependent].name}
            for x in system.constraints
            if x.position is None
        ],
        "closure": [
            {"position": text(x.position), "dependent": x.coordinate.name}
            for x in system.constraints
            if x.position is not None and x.coordinate is not None
        ],
    }


class _Parts:
    """Parts of a system as text; what is used more than once has a name among the expressions."""

    def __init__(self, system: KaneSystem) -> None:
        self.system = system
        if system.speed_inertias:
            raise ModelError(f"system {system.name!r} was made of a model: save the model")
        states = [*system.q, *system.v, *system.inputs]
        names = {x.id: _quoted(x.name) for x in (*states, *system.symbols.values())} | {system.time.id: "t"}
        taken = {x.name for x in (*states, *system.symbols.values())}
        nodes = np.array(list(self._nodes()), dtype=object)
        leaves = np.array([*states, system.time], dtype=object)
        plan = planned(Function("parts", system.graph, {"x": leaves}, {"y": nodes}, list(system.symbols.values())))
        self.writer = CodeWriter(names, {name: name for name in FUNCTIONS}, repr)
        shared = [*plan.constants, *plan.variables]
        free = [f"z{i}" for i in range(1, len(shared) + len(taken) + 1) if f"z{i}" not in taken]
        self.expressions = {name: self.writer.define(node, name) for node, name in zip(shared, free, strict=False)}

    def _nodes(self) -> Iterable[Expr]:
        s = self.system
        yield from s.gravity.components(s.ground.frame)
        for body in s.bodies.values():
            yield from self._body_nodes(body)
        for x in s.wrenches:
            for vector in (x.force, x.at, x.torque):
                yield from vector.components(x.body.frame)
        yield from s.speed_forces.values()
        for c in s.constraints:
            yield c.velocity if c.position is None else c.position

    def _body_nodes(self, body: KaneBody) -> Iterable[Expr]:
        assert body.parent is not None
        yield from (body.rigid.mass, *body.rigid.com.components(body.frame))
        yield from (x for row in _inertia(body) for x in row)
        for vector in (body.joint.point, *body.joint.translation.directions, *self._start(body)):
            yield from vector.components(body.parent.frame)

    def _start(self, body: KaneBody) -> list[Vector]:
        """The first rotation axis and the next one in the nominal configuration, where they are not the parent's."""
        turned = rotation_bases(body)
        start = turned[0].parent if turned else body.frame
        assert start is not None
        assert body.parent is not None
        if start is body.parent.frame:
            return []
        first = turned[0].axis if turned else 0
        return [axis(start, first), axis(start, (first + 1) % 3)]

    def text(self, node: Expr) -> str | float:
        """A formula, or a number."""
        return float(node.value) if node.op == "constant" else self.writer.expression(node)

    def components(self, vector: Vector, frame: VectorBasis) -> list[str | float]:
        """Of a vector in a frame."""
        return [self.text(c) for c in vector.components(frame)]

    def vector(self, vector: Vector, body: KaneBody) -> list[str | float]:
        """Components in the frame of a body."""
        return self.components(vector, body.frame)

    def body(self, body: KaneBody) -> dict[str, Any]:
        """The table of a body."""
        joint, parent = body.joint, body.parent
        assert parent is not None
        turned = rotation_bases(body)
        if len(turned) != len(joint.rotation.coordinates) or joint.pitch is not joint.pitch.graph.zero:
            raise ModelError(
                f"system {self.system.name!r}: body {body.name!r}: expected a building-block joint to save"
            )
        absolute = "absolute" in (joint.translation.speeds, joint.rotation.speeds)
        out: dict[str, Any] = {
            "translations": [self.components(d, parent.frame) for d in joint.translation.directions],
            "rotations": "".join(str(x.axis + 1) for x in turned),
            "coordinates": [x.name for x in body.coordinates],
            "speed_names": [x.name for x in body.speeds],
            "speeds": "auto" if absolute else "rates",
        }
        for key, direction in zip(("axis", "reference"), self._start(body), strict=False):
            out[key] = self.components(direction, parent.frame)
        return {
            "name": body.name,
            "parent": parent.name,
            "joint": out,
            "at": self.components(joint.point, parent.frame),
            "mass": self.text(body.rigid.mass),
            "com": self.components(body.rigid.com, body.frame),
            "inertia": [[self.text(x) for x in row] for row in _inertia(body)],
        }


def _inertia(body: KaneBody) -> list[list[Expr]]:
    """The inertia in the frame of the body."""
    columns = [(body.rigid.inertia @ axis(body.frame, j)).components(body.frame) for j in range(3)]
    return [[columns[j][i] for j in range(3)] for i in range(3)]


def _quoted(name: str) -> str:
    """A name as formulas hold it."""
    words = name.split(".")
    return name if all(word.isidentifier() and word.isascii() for word in words) else repr(name)
