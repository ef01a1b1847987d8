"""What the names in a request stand for in a model; wrong ones are refused with the nearest right one."""

from __future__ import annotations

from collections.abc import Sequence

from supple.errors import StateError, nearest
from supple.model.body_frames import BodyFrame
from supple.model.model import Model
from supple.structures.body import FlexibleBody
from supple.structures.strains import Strains

ALL = "all"


def frame(model: Model, name: str) -> BodyFrame:
    """A frame by its name."""
    return model.find_frame(name)


def joints(model: Model, name: str) -> Sequence[int]:
    """Places in `model.bodies` of a body, or of all."""
    if name == ALL:
        return range(len(model.bodies))
    if name not in model.bodies:
        raise StateError(f"no body {name!r}{nearest(name, [ALL, *model.bodies])}")
    return [model.bodies.index(name)]


def node(model: Model, name: str) -> tuple[str, str | None]:
    """A flexible body, and its node or frame; None for all of its nodes."""
    body, slash, place = name.partition("/")
    flexible = flexible_body(model, body)
    if not slash:
        return body, None
    if place not in flexible.frames and not (place.isdecimal() and int(place) < len(flexible.nodes)):
        hint = "" if place.isdecimal() else nearest(place, flexible.frames)
        raise StateError(f"no node {name!r}: {body!r} has nodes 0 to {len(flexible.nodes) - 1}{hint}")
    return body, place


def gauges(model: Model, name: str) -> Strains:
    """The strains of a flexible body."""
    found = flexible_body(model, name).strains
    if found is None:
        raise StateError(
            f"{name!r} has none: it was made of matrices or read from a file without strains, so that its elements are "
            "not known; expected a body of beams or solid elements"
        )
    return found


def flexible_body(model: Model, name: str) -> FlexibleBody:
    """A flexible body by its name."""
    placed = model.description.bodies
    found = placed[name].body if name in placed else None
    if isinstance(found, FlexibleBody):
        return found
    known = [key for key, other in placed.items() if isinstance(other.body, FlexibleBody)]
    if found is not None:
        raise StateError(f"expected a flexible body, got {name!r}, which is rigid{nearest(name, known)}")
    raise StateError(f"no flexible body {name!r}{nearest(name, known)}")
