"""A mechanism as the text of a TOML model file; every number is written so that it is read back exactly."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from supple.errors import ModelError
from supple.model.checks import Floats
from supple.model.joints import Joint
from supple.model.mechanism import Frame, Mechanism, Placed

Pairs = list[tuple[str, Any]]
LOADS = ("stiffness", "rest", "damping", "inertia")


def text(mech: Mechanism) -> str:
    """The file's text; what has its default value is left out."""
    if not mech.bodies:
        raise ModelError(f"mechanism {mech.name!r}: expected at least one body to write, got none")
    parts = [_lines([("name", mech.name), ("gravity", mech.gravity)])]
    parts += [_table("body", _body(placed)) for placed in mech.bodies.values()]
    parts += [_table("frame", _frame(label, frame)) for label, frame in mech.frames.items()]
    parts += [_table("spring_damper", _plain(spring)) for spring in mech.springs.values()]
    parts += [_table("wrench", _plain(wrench)) for wrench in mech.wrenches.values()]
    parts += [_table("coupling", _plain(coupling)) for coupling in mech.couplings]
    return "\n".join(parts)


def _body(placed: Placed) -> Pairs:
    body = placed.body
    diagonal = np.diag(np.diag(body.inertia))
    pairs: Pairs = [("name", placed.name), ("parent", placed.parent), ("joint", _joint(placed.joint))]
    pairs += _pose("at", placed.position, placed.rotation)
    pairs += [("mass", body.mass)]
    pairs += [("com", body.com)] if body.com.any() else []
    if body.inertia.any():
        pairs += [("inertia", np.diag(diagonal) if np.array_equal(diagonal, body.inertia) else body.inertia)]
    pairs += [("allow_unphysical", True)] if body.allow_unphysical else []
    return pairs


def _joint(joint: Joint) -> dict[str, Any]:
    """Kind and parameters, then what the joint carries, one number where all freedoms have the same."""
    table: dict[str, Any] = {"type": joint.kind}
    table |= {f.name: getattr(joint, f.name) for f in dataclasses.fields(joint) if f.name not in LOADS}
    for name in LOADS:
        values = getattr(joint, name)
        if any(values):
            table[name] = values[0] if len(set(values)) == 1 else values
    return table


def _frame(label: str, frame: Frame) -> Pairs:
    name = label.removeprefix(f"{frame.body}/")
    named: Pairs = [("label", label)] if name == label else [("name", name)]
    return [*named, ("body", frame.body), *_pose("position", frame.position, frame.rotation)]


def _pose(key: str, position: Floats, rotation: Floats) -> Pairs:
    pairs: Pairs = [(key, position)] if position.any() else []
    return pairs if np.array_equal(rotation, np.eye(3)) else [*pairs, ("rotation", rotation)]


def _plain(element: Any) -> Pairs:
    """Keys of an element whose fields are those of its table."""
    return [(f.name, getattr(element, f.name)) for f in dataclasses.fields(element)]


def _table(name: str, pairs: Pairs) -> str:
    return f"[[{name}]]\n{_lines(pairs)}"


def _lines(pairs: Iterable[tuple[str, Any]]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in pairs)


def _value(value: Any) -> str:
    """A value in TOML: `repr` of a float is the shortest text that is read as the same float."""
    if isinstance(value, str):
        # A JSON string is a TOML string, but for the one control character that JSON lets stand.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(x)}" for key, x in value.items()) + " }"
    if np.ndim(value) == 0 and not isinstance(value, list | tuple):
        return repr(float(value))
    return "[" + ", ".join(_value(x) for x in value) + "]"
