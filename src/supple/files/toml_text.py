"""A mechanism as the text of a TOML model file; every number is written so that it is read back exactly."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from supple.checks import Floats
from supple.description.constraints import Closure, Constraint, Gear
from supple.description.description import Description
from supple.description.joints import Joint
from supple.description.members import GROUND, Frame, Placed
from supple.errors import ModelError
from supple.files.constraints import KINDS
from supple.files.visual_text import visual_tables
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import BeamPieces

Pairs = list[tuple[str, Any]]
LOADS = ("stiffness", "rest", "damping", "inertia")


def text(
    mech: Description,
    files: Mapping[str, FlexibleBody | BeamPieces] = MappingProxyType({}),
    formulation: Sequence[Any] = (),
    folder: Path | None = None,
) -> str:
    """The file's text; what has its default value is left out.

    Parameters
    ----------
    mech : Description
    files : dict of str to FlexibleBody or BeamPieces
        The files that hold its flexible bodies, see `body_files`.
    formulation : sequence of (key, value)
        Of the table that says in which formulation it is simulated, if there is one.
    folder : Path, optional
        From which mesh files are named.
    """
    if not mech.bodies:
        raise ModelError(f"mechanism {mech.name!r}: expected at least one body to write, got none")
    stored = {id(body): name for name, body in files.items()}
    visuals = visual_tables(mech, folder)
    drawn = {name: [("visuals", tables)] for name, tables in visuals.items()}
    parts = [lines_text([("name", mech.name), ("gravity", mech.gravity), *drawn.get(GROUND, [])])]
    bodies = [[*_body(mech, placed, stored), *drawn.get(placed.name, [])] for placed, _ in mech.parts()]
    parts += [table_text("body", body) for body in bodies]
    own = {label: frame for label, frame in mech.frames.items() if not _brought(mech, label, frame)}
    parts += [table_text("frame", _frame(mech, label, frame)) for label, frame in own.items()]
    parts += [table_text("spring_damper", _plain(spring)) for spring in mech.springs.values()]
    parts += [table_text("wrench", _plain(wrench)) for wrench in mech.wrenches.values()]
    parts += [_constraint(name, constraint) for name, constraint in mech.constraints.items()]
    parts += [table_text("coupling", _plain(coupling)) for coupling in mech.couplings]
    parts += [table_text("limit", [(key, x) for key, x in _plain(limit) if x is not None]) for limit in mech.limits]
    parts += [f"[formulation]\n{lines_text(list(formulation))}"] if formulation else []
    return "\n".join(parts)


def body_files(mech: Description, stem: str) -> dict[str, FlexibleBody | BeamPieces]:
    """A file name for each flexible body, after the first body of the mechanism that is made of it."""
    files: dict[str, FlexibleBody | BeamPieces] = {}
    known: set[int] = set()
    for placed, beam in mech.parts():
        body = placed.body if beam is None else beam.pieces
        if not isinstance(body, RigidBody) and id(body) not in known:
            plain = re.sub(r"[^\w-]+", "_", placed.name)[:40]
            taken = {file.casefold() for file in files}
            file, number = f"{stem}.{plain}.h5", 2
            while file.casefold() in taken:
                file, number = f"{stem}.{plain}_{number}.h5", number + 1
            files[file] = body
            known.add(id(body))
    return files


def _body(mech: Description, placed: Placed, stored: Mapping[int, str]) -> Pairs:
    parent, node = mech.carrier(placed.parent, placed.node)
    pairs: Pairs = [("name", placed.name), ("parent", parent), ("joint", _joint(placed.joint))]
    if node is None:
        pairs += _pose("at", placed.position, placed.rotation)
    else:
        pairs += [("at", node), *_pose("offset", placed.position, placed.rotation)]
    body = mech.beams[placed.name].pieces if placed.name in mech.beams else placed.body
    return pairs + (_rigid(body) if isinstance(body, RigidBody) else _flexible(placed, stored[id(body)]))


def _rigid(body: RigidBody) -> Pairs:
    diagonal = np.diag(np.diag(body.inertia))
    pairs: Pairs = [("mass", body.mass)]
    pairs += [("com", body.com)] if body.com.any() else []
    if body.inertia.any():
        pairs += [("inertia", np.diag(diagonal) if np.array_equal(diagonal, body.inertia) else body.inertia)]
    pairs += [("allow_unphysical", True)] if body.allow_unphysical else []
    return pairs


def _flexible(placed: Placed, file: str) -> Pairs:
    pairs: Pairs = [("flexible", {"file": file})]
    pairs += [] if placed.fidelity == "full" else [("fidelity", placed.fidelity)]
    return pairs if placed.stiffening else [*pairs, ("stiffening", False)]


def _brought(mech: Description, label: str, frame: Frame) -> bool:
    """Whether a flexible body brings this frame by itself."""
    still = not frame.position.any() and np.array_equal(frame.rotation, np.eye(3))
    if frame.node is None or not still:
        return False
    owner = mech.owner(frame.body)
    if owner in mech.beams:
        pieces = mech.beams[owner].pieces
        return any(label == f"{owner}/{name}" for name in pieces.frames)
    body = mech.bodies[frame.body].body
    return label == f"{frame.body}/{frame.node}" and isinstance(body, FlexibleBody) and frame.node in body.frames


def _joint(joint: Joint) -> dict[str, Any]:
    """Kind and parameters, then what the joint carries, one number where all degrees of freedom have the same."""
    table: dict[str, Any] = {"type": joint.kind}
    table |= {f.name: getattr(joint, f.name) for f in dataclasses.fields(joint) if f.name not in LOADS}
    for name in LOADS:
        values = getattr(joint, name)
        if any(values):
            table[name] = values[0] if len(set(values)) == 1 else values
    return table


def _frame(mech: Description, label: str, frame: Frame) -> Pairs:
    body, node = mech.carrier(frame.body, frame.node)
    name = label.removeprefix(f"{body}/")
    named: Pairs = [("label", label)] if name == label else [("name", name)]
    carrier = body if node is None else f"{body}/{node}"
    return [*named, ("body", carrier), *_pose("position", frame.position, frame.rotation)]


def _pose(key: str, position: Floats, rotation: Floats) -> Pairs:
    pairs: Pairs = [(key, position)] if position.any() else []
    return pairs if np.array_equal(rotation, np.eye(3)) else [*pairs, ("rotation", rotation)]


def _constraint(name: str, constraint: Constraint) -> str:
    """A joint that closes a loop, or another constraint."""
    if isinstance(constraint, Closure):
        ends: Pairs = [("first", constraint.first), ("second", constraint.second)]
        return table_text("loop", [("name", name), *ends, ("joint", _joint(constraint.joint))])
    own = [
        (key, x) for key, x in _plain(constraint) if x is not None and not (isinstance(constraint, Gear) and x == "")
    ]
    return table_text("constraint", [("name", name), ("type", KINDS[type(constraint)]), *own])


def _plain(element: Any) -> Pairs:
    """Keys of an element whose fields are those of its table."""
    return [(f.name, getattr(element, f.name)) for f in dataclasses.fields(element)]


def table_text(name: str, pairs: Pairs) -> str:
    """One of several tables of a name."""
    return f"[[{name}]]\n{lines_text(pairs)}"


def lines_text(pairs: Iterable[tuple[str, Any]]) -> str:
    """Keys and values, a line each."""
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in pairs)


def content_text(content: Mapping[str, Any]) -> str:
    """What was read of a TOML file, as the text of one: single values first, then tables, a value a line."""
    tables = {
        key: x for key, x in content.items() if _is_table(x) or (isinstance(x, list) and x and all(map(_is_table, x)))
    }
    parts = [lines_text((key, x) for key, x in content.items() if key not in tables)]
    for key, x in tables.items():
        if isinstance(x, list):
            parts += [table_text(_key(key), list(table.items())) for table in x]
        else:
            parts.append(f"[{_key(key)}]\n{lines_text(x.items())}")
    return "\n".join(filter(None, parts))


def _is_table(x: Any) -> bool:
    return isinstance(x, dict)


def _are_tables(x: Any) -> bool:
    return isinstance(x, list) and bool(x) and all(map(_is_table, x))


def _key(name: str) -> str:
    """A key in TOML, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: Any) -> str:
    """A value in TOML: `repr` of a float is the shortest text that is read as the same float."""
    if isinstance(value, str):
        # A JSON string is a TOML string, but for the one control character that JSON lets stand.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(x)}" for key, x in value.items()) + " }"
    if isinstance(value, int):
        return repr(value)
    if np.ndim(value) == 0 and not isinstance(value, list | tuple):
        return repr(float(value))
    return "[" + ", ".join(_value(x) for x in value) + "]"
