"""From the tables of a model file to a mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from supple.checks import Floats, array, rotation_matrix
from supple.description.members import GROUND, Frame
from supple.erls.dh import HERE, Placement, name_end
from supple.errors import nearest
from supple.files.error_list import ErrorList
from supple.files.file_table import AnyRotation, FileTable
from supple.files.flexible_bodies import FlexibleBodies
from supple.files.schema import BodyTable, FrameTable, ModelFile
from supple.model.mechanism import Mechanism
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import BeamPieces


def mechanism_of(file: ModelFile, errors: ErrorList) -> Mechanism:
    """The mechanism that the tables of a file describe; of no use if an error was collected."""
    mech = Mechanism("file")
    with errors.collected(""):
        mech = Mechanism(file.name, file.gravity)
    builder = _Builder(mech, FlexibleBodies(file, errors), errors)
    bodies = {table.name for table in file.body}
    frames: dict[str, list[tuple[str, FrameTable]]] = {}
    for i, frame in enumerate(file.frame, start=1):
        place, carrier = f"frame[{i}] {frame.name or frame.label!r}", frame.body.partition("/")[0]
        if carrier != GROUND and carrier not in bodies:
            errors.add(place, f"body: no body {carrier!r}{nearest(carrier, [GROUND, *bodies])}")
        elif frame.label in bodies | {GROUND}:
            errors.add(place, "label: there is a body of this name")
        frames.setdefault(carrier, []).append((place, frame))
    builder.add_frames(GROUND, frames.get(GROUND, []))
    for place, body in _parent_first(file.body, errors):
        builder.add_body(place, body)
        builder.add_frames(body.name, frames.pop(body.name, []))
    builder.add_elements(file)
    builder.add_visuals(file)
    return mech


def _parent_first(tables: list[BodyTable], errors: ErrorList) -> Iterator[tuple[str, BodyTable]]:
    """The bodies with their places in the file, in its order, but each behind the bodies that carry it."""
    number = {table.name: i for i, table in reversed(list(enumerate(tables)))}
    done: set[int] = set()
    for start in range(len(tables)):
        chain: dict[int, BodyTable] = {}  # from this body towards the ground, as far as not done before
        i, above = start, start not in done
        while above:
            table = chain[i] = tables[i]
            above = table.parent != GROUND and number.get(table.parent) not in done
            if above and (error := _parent_error(table, number, chain)):
                errors.add(f"body[{i + 1}] {table.name!r}", f"parent: {error}")
                chain[i] = table.model_copy(update={"parent": GROUND})
                above = False
            i = number.get(table.parent, i)
        done |= chain.keys()
        yield from ((f"body[{k + 1}] {table.name!r}", table) for k, table in reversed(chain.items()))


def _parent_error(table: BodyTable, number: dict[str, int], chain: dict[int, BodyTable]) -> str | None:
    """Why the parent of the last body of the chain cannot come next."""
    if table.parent not in number:
        return f"no body {table.parent!r}{nearest(table.parent, [GROUND, *number])}"
    if number[table.parent] in chain:
        names = [t.name for t in chain.values()]
        loop = [*names[names.index(table.parent) :], table.parent]
        return f"expected a way to the ground, got the loop {' -> '.join(map(repr, loop))}"
    return None


class _Builder:
    """A mechanism being built from tables.

    A part that is wrong is reported, and a rigid body without mass takes its place, so that what it carries can still
    be checked. What refers to a place on a flexible body that could not be made is joined to the body itself.
    """

    def __init__(self, mech: Mechanism, flexible: FlexibleBodies, errors: ErrorList) -> None:
        self.mech = mech
        self.flexible = flexible
        self.errors = errors
        self.lost: set[str] = set()
        self.ends: dict[str, Placement] = {}

    def add_body(self, place: str, table: BodyTable) -> None:
        """Add a body."""
        body, joint = self._body(place, table), None
        with self.errors.collected(f"{place}: joint", prefix=f"{table.joint.type} joint: "):
            joint = table.joint.made()
        rotation = _matrix(table.rotation, place, self.errors)
        at: Any = [0.0, 0.0, 0.0] if table.parent in self.lost else table.at
        if table.dh is not None:
            with self.errors.collected(f"{place}: dh"):
                at, rotation = table.dh.placed(joint, self.ends.get(table.parent, HERE))
        with self.errors.collected(place, prefix=f"body {table.name!r}: "):
            self.mech.add_body(table.name, body, table.parent, joint, at, rotation, table.fidelity, table.stiffening)
        if table.name not in self.mech.bodies:
            with ErrorList(self.errors.path).collected(place):
                self.mech.add_body(table.name, body, table.parent, joint, None, rotation)
        elif any(table.offset):
            self._shift(table.name, at, table.offset)
        if table.dh is not None and table.dh.convention == "standard":
            self.ends[table.name] = table.dh.end(joint)
            with self.errors.collected(f"{place}: dh", prefix=f"link {table.name!r}: "):
                if table.name not in self.lost:
                    name_end(self.mech, table.name, self.ends[table.name])

    def _body(self, place: str, table: BodyTable) -> RigidBody | FlexibleBody | BeamPieces:
        if table.flexible is not None:
            made = self.flexible.body(table.flexible, f"{place}: flexible")
            if made is not None:
                return made
            self.lost.add(table.name)
        elif table.mass is not None:
            with self.errors.collected(place):
                return RigidBody(table.mass, table.com, table.inertia, table.allow_unphysical)
        return RigidBody(0.0)

    def _shift(self, name: str, at: str | list[float], offset: list[float]) -> None:
        """Move a joint on from the frame or place where it is, in the axes there."""
        placed = self.mech.bodies[name]
        axes = np.eye(3)
        if isinstance(at, str):
            owner = self.mech.owner(placed.parent)
            axes = self.mech.find_frame(at if "/" in at else f"{owner}/{at}").rotation
        self.mech.bodies[name] = replace(placed, position=placed.position + axes @ np.array(offset))

    def add_frames(self, carrier: str, tables: list[tuple[str, FrameTable]]) -> None:
        """Add the frames on one body, each behind the frame that it starts from."""
        waiting = tables
        while waiting:
            labels = {f"{carrier}/{table.name}" for _, table in waiting}
            later = [(place, table) for place, table in waiting if table.body in labels]
            for place, table in waiting:
                if table.body not in labels or len(later) == len(waiting):
                    self._add_frame(place, table)
            waiting = later if len(later) < len(waiting) else []

    def _add_frame(self, place: str, table: FrameTable) -> None:
        rotation = _matrix(table.rotation, place, self.errors)
        label, base = str(table.label), self._known(table.body)
        if table.name is not None:
            with self.errors.collected(place, prefix=f"frame {table.name!r} on {base!r}: "):
                self.mech.add_frame(table.name, base, table.position, rotation)
            carrier = base.partition("/")[0]
            if f"{carrier}/{table.name}" not in self.mech.frames:
                with ErrorList(self.errors.path).collected(place):
                    self.mech.add_frame(table.name, carrier)
        elif "." in label or not all(label.split("/")) or label.count("/") > 1:
            self.errors.add(place, f"label: expected 'name' or 'body/name', got {label!r}")
        elif label in self.mech.frames:
            self.errors.add(place, "label: there is a frame of this name already")
        else:
            with self.errors.collected(place):
                start = self.mech.find_frame(base)
                position = start.position + start.rotation @ array(table.position, (3,), "position")
                R = start.rotation @ rotation_matrix(rotation, "rotation")
                self.mech.frames[label] = Frame(start.body, position, R, start.node)

    def _known(self, frame: str) -> str:
        """A frame, or its body if that stands in for a flexible one."""
        body = frame.partition("/")[0]
        return body if body in self.lost else frame

    def add_elements(self, file: ModelFile) -> None:
        """Add what acts between bodies that are all there by now."""
        for i, spring in enumerate(file.spring_damper, start=1):
            ends = {"first": self._known(spring.first), "second": self._known(spring.second)}
            with self.errors.collected(
                f"spring_damper[{i}] {spring.name!r}", prefix=f"spring-damper {spring.name!r}: "
            ):
                self.mech.add_spring_damper(**spring.model_dump() | ends)
        for i, wrench in enumerate(file.wrench, start=1):
            frame = {"frame": self._known(wrench.frame)}
            with self.errors.collected(f"wrench[{i}] {wrench.name!r}", prefix=f"wrench {wrench.name!r}: "):
                if wrench.constant:
                    self.mech.add_wrench(**wrench.model_dump() | frame)
                else:  # acts in runs alone, see `ModelFile.run_arguments`
                    for name in wrench.frames:
                        self.mech.find_frame(self._known(name))
        for i, loop in enumerate(file.loop, start=1):
            with self.errors.collected(f"loop[{i}] {loop.name!r}", prefix=f"constraint {loop.name!r}: "):
                first, second = self._known(loop.first), self._known(loop.second)
                self.mech.close_loop(loop.name, first, second, loop.joint.made())
        for i, constraint in enumerate(file.constraint, start=1):
            place = f"constraint[{i}] {constraint.name!r}"
            with self.errors.collected(place, prefix=f"constraint {constraint.name!r}: "):
                self.mech.constrain(constraint.name, constraint.made())
        for i, coupling in enumerate(file.coupling, start=1):
            with self.errors.collected(f"coupling[{i}]"):
                self.mech.add_coupling(**coupling.model_dump())
        self.mech.limits = [table.limit() for table in file.limit]

    def add_visuals(self, file: ModelFile) -> None:
        """Add what the ground and the bodies are drawn as."""
        everywhere = [("", GROUND, file.visuals)]
        everywhere += [(f"body[{i}] {x.name!r}: ", x.name, x.visuals) for i, x in enumerate(file.body, start=1)]
        for place, carrier, tables in everywhere:
            if tables is not None and carrier not in self.lost:
                self.mech.visuals.setdefault(carrier, ())
                for i, table in enumerate(tables, start=1):
                    with self.errors.collected(f"{place}visuals[{i}]", prefix=f"{table.type}: "):
                        shape = table.made(self.errors.path.parent)
                        frame = carrier if table.on is None else f"{carrier}/{table.on}"
                        self.mech.add_visual(frame, shape)


def _matrix(rotation: AnyRotation, place: str, errors: ErrorList) -> Floats | None:
    """A rotation in any of its forms as a matrix."""
    with errors.collected(f"{place}: rotation", prefix="rotation: "):
        return rotation.matrix() if isinstance(rotation, FileTable) else rotation_matrix(rotation, "rotation")
    return None
