"""Model files in TOML: reading, checking and writing. The format is in `schema`."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from supple.errors import FileFormatError, nearest
from supple.files.emit import text
from supple.files.faults import Faults, read_bytes
from supple.files.schema import JOINTS, BodyTable, FrameTable, ModelFile
from supple.files.simulation import Simulation
from supple.files.tables import AnyRotation, Table
from supple.model import joints
from supple.model.bodies import RigidBody
from supple.model.checks import Floats, array, rotation_matrix
from supple.model.mechanism import GROUND, Frame, Mechanism
from supple.model.model import Model

JOINT_CLASSES: dict[str, type[joints.Joint]] = {
    cls.kind: cls
    for cls in (
        joints.Revolute,
        joints.Prismatic,
        joints.Helical,
        joints.Cylindrical,
        joints.Universal,
        joints.Spherical,
        joints.Planar,
        joints.Free,
        joints.Fixed,
        joints.BuildingBlock,
    )
}


def read(path: str | os.PathLike[str]) -> Mechanism:
    """The mechanism that a TOML file describes; a `FileFormatError` with all its faults if there are any."""
    faults = Faults(Path(path))
    mech = _assembled(_parsed(faults), faults)
    faults.refuse()
    return mech


def read_simulation(path: str | os.PathLike[str]) -> Simulation | None:
    """The simulation table of a TOML file, None if it has none."""
    return _parsed(Faults(Path(path))).simulation


def check(path: str | os.PathLike[str]) -> list[str]:
    """All faults of a TOML file that one reading can find; empty if it is right."""
    faults = Faults(Path(path))
    try:
        file = _parsed(faults)
    except FileFormatError as error:
        return str(error).split("\n")
    mech = _assembled(file, faults)
    if file.simulation and not faults.found:
        for fault in file.simulation.faults(mech.build()):
            faults.add("simulation", fault)
    return faults.found


def write(model: Mechanism | Model, path: str | os.PathLike[str]) -> None:
    """Write a model or mechanism as TOML, exactly: what is read from the file is equal to it.

    The file is complete or not there at all: it is written under another name and then given its own.
    """
    content = text(model.description if isinstance(model, Model) else model)
    target = Path(path)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        draft.write_text(content, encoding="utf-8")
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise FileFormatError(f"{target}: cannot be written: {error.strerror}") from None


# ------------------------------------------------------------ from text to tables


def _parsed(faults: Faults) -> ModelFile:
    """The file as tables that fit the schema."""
    content = read_bytes(faults.path)
    try:
        data = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{faults.path}: expected UTF-8 text, got other bytes at line {line}") from None
    except ValueError as error:  # TOMLDecodeError, or a whole number of thousands of digits
        lines = content.decode("utf-8").split("\n")
        end = f"at line {len(lines)}, column {len(lines[-1]) + 1}, the end of the file"
        raise FileFormatError(
            f"{faults.path}: not valid TOML: {str(error).replace('at end of document', end)}"
        ) from None
    except RecursionError:
        raise FileFormatError(f"{faults.path}: not a model: lists or tables nested too deeply") from None
    try:
        return ModelFile.model_validate(data)
    except ValidationError as error:
        for line_error in error.errors():
            faults.add(_place(data, line_error["loc"]), line_error["msg"])
        raise FileFormatError("\n".join(faults.found)) from None


def _place(data: Any, loc: tuple[int | str, ...]) -> str:
    """Where in the file, in words: "body[2] 'arm': joint: axis", tables counted from one."""
    words: list[str] = []
    for i, item in enumerate(loc):
        if isinstance(item, int):
            name = data[loc[0]][item].get("name") if isinstance(data[loc[0]][item], dict) else None
            words[-1] += f"[{item + 1}]" + (f" {name!r}" if isinstance(name, str) else "")
        elif not item.startswith("#") and not (item in JOINTS and loc[i - 1] == "joint"):
            words.append(item)
    return ": ".join(words)


# ------------------------------------------------------------ from tables to a mechanism


def _assembled(file: ModelFile, faults: Faults) -> Mechanism:
    """The mechanism, worth something only if no fault was noted."""
    mech = Mechanism("file")
    with faults.noted(""):
        mech = Mechanism(file.name, file.gravity)
    bodies = {table.name for table in file.body}
    frames: dict[str, list[tuple[str, FrameTable]]] = {}
    for i, frame in enumerate(file.frame, start=1):
        place = f"frame[{i}] {frame.name or frame.label!r}"
        if frame.body != GROUND and frame.body not in bodies:
            faults.add(place, f"body: no body {frame.body!r}{nearest(frame.body, [GROUND, *bodies])}")
        elif frame.label in bodies | {GROUND}:
            faults.add(place, "label: there is a body of this name")
        frames.setdefault(frame.body, []).append((place, frame))
    for place, frame in frames.get(GROUND, []):
        _add_frame(mech, place, frame, faults)
    for place, body in _parent_first(file.body, faults):
        _add_body(mech, place, body, faults)
        for frame_place, frame in frames.pop(body.name, []):
            _add_frame(mech, frame_place, frame, faults)
    _add_elements(mech, file, faults)
    return mech


def _parent_first(tables: list[BodyTable], faults: Faults) -> Iterator[tuple[str, BodyTable]]:
    """The bodies with their places in the file, in its order, but each behind the bodies that carry it."""
    number = {table.name: i for i, table in reversed(list(enumerate(tables)))}
    done: set[int] = set()
    for start in range(len(tables)):
        chain: dict[int, BodyTable] = {}  # from this body towards the ground, as far as not done before
        i, above = start, start not in done
        while above:
            table = chain[i] = tables[i]
            above = table.parent != GROUND and number.get(table.parent) not in done
            if above and (fault := _parent_fault(table, number, chain)):
                faults.add(f"body[{i + 1}] {table.name!r}", f"parent: {fault}")
                chain[i] = table.model_copy(update={"parent": GROUND})
                above = False
            i = number.get(table.parent, i)
        done |= chain.keys()
        yield from ((f"body[{k + 1}] {table.name!r}", table) for k, table in reversed(chain.items()))


def _parent_fault(table: BodyTable, number: dict[str, int], chain: dict[int, BodyTable]) -> str | None:
    """Why the parent of the last body of the chain cannot come next."""
    if table.parent not in number:
        return f"no body {table.parent!r}{nearest(table.parent, [GROUND, *number])}"
    if number[table.parent] in chain:
        names = [t.name for t in chain.values()]
        loop = [*names[names.index(table.parent) :], table.parent]
        return f"expected a way to the ground, got the loop {' -> '.join(map(repr, loop))}"
    return None


def _add_body(mech: Mechanism, place: str, table: BodyTable, faults: Faults) -> None:
    """Add a body; where something is wrong, note it and add one that can carry others all the same."""
    body, joint = RigidBody(0.0), None
    with faults.noted(place):
        body = RigidBody(table.mass, table.com, table.inertia, table.allow_unphysical)
    with faults.noted(f"{place}: joint", prefix=f"{table.joint.type} joint: "):
        parameters = table.joint.model_dump(exclude={"type"})
        joint = JOINT_CLASSES[table.joint.type](**parameters)
    rotation = _matrix(table.rotation, place, faults)
    with faults.noted(place, prefix=f"body {table.name!r}: "):
        mech.add_body(table.name, body, table.parent, joint, table.at, rotation)
    if isinstance(table.at, str) and table.name not in mech.bodies:
        _add_body(mech, place, table.model_copy(update={"at": [0.0, 0.0, 0.0]}), Faults(faults.path))


def _matrix(rotation: AnyRotation, place: str, faults: Faults) -> Floats | None:
    """A rotation in any of its forms as a matrix."""
    with faults.noted(f"{place}: rotation", prefix="rotation: "):
        return rotation.matrix() if isinstance(rotation, Table) else rotation_matrix(rotation, "rotation")
    return None


def _add_frame(mech: Mechanism, place: str, table: FrameTable, faults: Faults) -> None:
    rotation = _matrix(table.rotation, place, faults)
    if table.name is not None:
        with faults.noted(place, prefix=f"frame {table.name!r} on {table.body!r}: "):
            mech.add_frame(table.name, table.body, table.position, rotation)
        return
    label = str(table.label)
    if "." in label or not all(label.split("/")) or label.count("/") > 1:
        faults.add(place, f"label: expected 'name' or 'body/name', got {label!r}")
    elif label in mech.frames:
        faults.add(place, "label: there is a frame of this name already")
    else:
        R = rotation_matrix(rotation, "rotation")
        mech.frames[label] = Frame(table.body, array(table.position, (3,), "position"), R)


def _add_elements(mech: Mechanism, file: ModelFile, faults: Faults) -> None:
    """Add what acts between bodies that are all there by now."""
    for i, spring in enumerate(file.spring_damper, start=1):
        with faults.noted(f"spring_damper[{i}] {spring.name!r}", prefix=f"spring-damper {spring.name!r}: "):
            mech.add_spring_damper(**spring.model_dump())
    for i, wrench in enumerate(file.wrench, start=1):
        with faults.noted(f"wrench[{i}] {wrench.name!r}", prefix=f"wrench {wrench.name!r}: "):
            mech.add_wrench(**wrench.model_dump())
    for i, coupling in enumerate(file.coupling, start=1):
        with faults.noted(f"coupling[{i}]"):
            mech.add_coupling(**coupling.model_dump())
