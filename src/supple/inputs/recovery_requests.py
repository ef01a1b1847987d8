"""Stresses and section forces of the flexible bodies of a model, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import numpy as np

from supple.checks import Ints
from supple.errors import StateError, nearest
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.elements.section_forces import SectionForces
from supple.structures.elements.stresses import Recovery, Stresses

T = TypeVar("T", Stresses, SectionForces)


@dataclass(frozen=True, eq=False)
class Recovered(Generic[T]):
    """What is recovered of one body of a model.

    Attributes
    ----------
    body : str
        Of a beam in pieces, the piece.
    own : Stresses or SectionForces
        For a unit of each coordinate, with the names and positions of the whole beam.
    static : function that returns the same for a unit of each static shape
    """

    body: str
    own: T
    static: Callable[[], T]


def stresses(model: Model, name: str) -> list[Recovered[Stresses]]:
    """Of a flexible body, "boom", or at a place of it, "boom/12" or "boom/end"; of each piece of a beam."""
    body, slash, place = name.partition("/")
    found = _recovered(model, body, lambda x: x.stresses, lambda x: x.static_stresses, "stresses")
    if not slash:
        return found
    node = _node(model, body, place)
    chosen = [(x, np.flatnonzero(x.own.nodes == node)) for x in found]
    if not any(len(points) for _, points in chosen):
        known = np.unique(np.concatenate([x.own.nodes for x in found]))
        near = int(known[np.argmin(np.abs(known - node))])
        raise StateError(f"{name!r}: no stresses are known at node {node} of {body!r}; those of node {near} are")
    return [Recovered(x.body, x.own.at(points), partial(_at, x, points)) for x, points in chosen if len(points)]


def _at(x: Recovered[Stresses], points: Ints) -> Stresses:
    return x.static().at(points)


def whole_stresses(model: Model, name: str) -> list[Recovered[Stresses]]:
    """Of a flexible body, or of each piece of a beam."""
    if "/" in name:
        raise StateError(f"expected a flexible body, whose largest stress is wanted, got the place {name!r}")
    return stresses(model, name)


def section_forces(model: Model, name: str) -> list[Recovered[SectionForces]]:
    """Of a beam, or of each piece of one."""
    return _recovered(model, name, lambda x: x.section_forces, lambda x: x.static_forces, "section forces")


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


def _recovered(
    model: Model,
    name: str,
    own_of: Callable[[Recovery], T | None],
    static_of: Callable[[Recovery], T | None],
    what: str,
) -> list[Recovered[T]]:
    flexible_body(model, name)
    beam, out = model.description.beams.get(name), []
    for i, (body, made) in enumerate(_bodies(model, name)):
        own = None if made.recovery is None else own_of(made.recovery)
        if own is None or made.recovery is None:
            raise StateError(f"{name!r} has no {what}: {_reason(made, what)}")
        whole = own if beam is None else beam.pieces.whole(i, own)
        out.append(Recovered(body, whole, partial(_static, made.recovery, static_of)))
    return out


def _static(recovery: Recovery, static_of: Callable[[Recovery], T | None]) -> T:
    found = static_of(recovery)
    assert found is not None
    return found


def _reason(body: FlexibleBody, what: str) -> str:
    """Why nothing is known, and what would help."""
    if what == "section forces":
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
