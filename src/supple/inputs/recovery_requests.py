"""Stresses and section forces of the flexible bodies of a model, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from supple.checks import Ints
from supple.errors import StateError, nearest
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.recovery import Kind
from supple.structures.elements.recovery_table import RecoveryTable


@dataclass(frozen=True, eq=False)
class Recovered:
    """What is recovered of one body of a model.

    Attributes
    ----------
    body : str
        Of a beam in pieces, the piece.
    own : RecoveryTable
        For a unit of each coordinate, with the names and positions of the whole beam.
    static : function that returns the same for a unit of each static shape
    """

    body: str
    own: RecoveryTable
    static: Callable[[], RecoveryTable]


def stresses(model: Model, name: str) -> list[Recovered]:
    """Of a flexible body, "boom", or at a place of it, "boom/12" or "boom/end"; of each piece of a beam."""
    body, slash, place = name.partition("/")
    found = recovered(model, body, "stresses")
    if not slash:
        return found
    node = _node(model, body, place)
    chosen = [(x, np.flatnonzero(x.own.nodes == node)) for x in found]
    if not any(len(points) for _, points in chosen):
        known = np.unique(np.concatenate([x.own.nodes for x in found]))
        near = int(known[np.argmin(np.abs(known - node))])
        raise StateError(f"{name!r}: no stresses are known at node {node} of {body!r}; those of node {near} are")
    return [Recovered(x.body, x.own.at(points), partial(_at, x, points)) for x, points in chosen if len(points)]


def _at(x: Recovered, points: Ints) -> RecoveryTable:
    return x.static().at(points)


def whole_stresses(model: Model, name: str) -> list[Recovered]:
    """Of a flexible body, or of each piece of a beam."""
    if "/" in name:
        raise StateError(f"expected a flexible body, whose largest stress is wanted, got the place {name!r}")
    return stresses(model, name)


def section_forces(model: Model, name: str) -> list[Recovered]:
    """Of a beam, or of each piece of one."""
    return recovered(model, name, "section_forces")


def require_static(model: Model, name: str) -> None:
    """Refuse a body that has coordinates of modes and no static shapes."""
    for body, found in _bodies(model, name):
        recovery = found.recovery
        if found.basis != "nodal" and (recovery is None or recovery.static is None):
            raise StateError(
                f"{body!r} has no static shapes; expected a body that `reduce` made, or recovery by 'displacement'"
            )


def flexible_body(model: Model, name: str) -> FlexibleBody:
    """A flexible body by its name; of a beam in pieces the first."""
    placed = model.description.bodies
    found = placed[name].body if name in placed else None
    if isinstance(found, FlexibleBody):
        return found
    known = [key for key, other in placed.items() if isinstance(other.body, FlexibleBody)]
    if found is not None:
        raise StateError(f"expected a flexible body, got {name!r}, which is rigid{nearest(name, known)}")
    raise StateError(f"no flexible body {name!r}{nearest(name, known)}")


def _bodies(model: Model, name: str) -> list[tuple[str, FlexibleBody]]:
    """A flexible body, or the pieces of a beam, with their names."""
    beam = model.description.beams.get(name)
    if beam is None:
        return [(name, flexible_body(model, name))]
    return list(zip(beam.names, beam.pieces.bodies, strict=True))


def recovered(model: Model, name: str, kind: Kind) -> list[Recovered]:
    """Return strains, stresses or section forces of a flexible body, or of each piece of a beam."""
    flexible_body(model, name)
    beam, out = model.description.beams.get(name), []
    for i, (body, made) in enumerate(_bodies(model, name)):
        own: RecoveryTable | None = None if made.recovery is None else getattr(made.recovery, kind)
        if own is None:
            raise StateError(_unknown(name, made, kind))
        whole = own if beam is None else beam.pieces.whole(i, own)
        out.append(Recovered(body, whole, partial(_static, made, kind)))
    return out


def _static(body: FlexibleBody, kind: Kind) -> RecoveryTable:
    assert body.recovery is not None
    found = body.recovery.static_forces if kind == "section_forces" else body.recovery.static_stresses
    assert found is not None
    return found


def _unknown(name: str, body: FlexibleBody, kind: Kind) -> str:
    """Say why nothing is known, and what would help."""
    if kind == "strains":
        return (
            f"{name!r} has none: it was made of matrices or read from a file without strains, so that its elements are "
            "not known; expected a body of beams or solid elements"
        )
    return f"{name!r} has no {kind.replace('_', ' ')}: {_reason(body, kind)}"


def _reason(body: FlexibleBody, what: str) -> str:
    """Why nothing is known, and what would help."""
    if what == "section_forces":
        return "it is not made of beams; expected a beam or a beam path"
    if body.recovery is not None and body.recovery.section_forces is not None:
        return "its section is known by constants alone; expected a Rectangle, Circle, Tube or IBeam"
    return (
        "its elements are not known; expected a body of beams, plates or solid elements, or of matrices with recovery="
    )


def _node(model: Model, name: str, place: str) -> int:
    """The number of a node, or of the node nearest to a named frame."""
    beam, body = model.description.beams.get(name), flexible_body(model, name)
    nodes = body.nodes if beam is None else beam.pieces.nodes
    frames = {key: x.position for key, x in body.frames.items()} if beam is None else beam.pieces.positions()
    if place in frames:
        return int(np.argmin(np.linalg.norm(nodes - frames[place], axis=1)))
    if place.isdecimal() and int(place) < len(nodes):
        return int(place)
    hint = "" if place.isdecimal() else nearest(place, frames)
    raise StateError(f"no node '{name}/{place}': {name!r} has nodes 0 to {len(nodes) - 1}{hint}")
