"""What a run is asked to record besides its states, by name, and what the names stand for in a model.

A name that is wrong is refused with the nearest right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from supple.call_checks import checked
from supple.description.orientation import euler_sequence
from supple.errors import StateError, nearest, one_of
from supple.formulations import Formulation
from supple.inputs.recovery_requests import (
    flexible_body,
    recovered,
    require_static,
    section_forces,
    stresses,
    whole_stresses,
)
from supple.model.body_frames import BodyFrame
from supple.model.model import Model
from supple.structures.elements.recovery_table import RecoveryTable

ALL = "all"


CHOICES = {
    "velocity_axes": ("ground", "parent", "body", "frame"),
    "wrench_axes": ("ground", "parent", "body"),
    "recovery": ("displacement", "acceleration"),
}
"""Along which axes vectors can be given, and how stresses are found."""
FIRST = ("frames", "wrenches", "nodes", "strains")
"""Requests that are written down also where nothing is asked for."""


@checked
@dataclass(frozen=True, repr=False)
class Outputs:
    """What a simulation records besides states, energies and momentum. A name alone stands for a list of one.

    Parameters
    ----------
    frames : sequence of str
        "body", "body/place" or "body/12": position, orientation, velocity and acceleration in ground axes.
    wrenches : sequence of str
        Bodies whose joints' moments and forces are wanted, or "all".
    nodes : sequence of str
        Nodes of flexible bodies, "boom/12" or "boom/end", whose elastic displacement is wanted; "boom" for all of them.
        Of a beam in pieces it is that from its straight form, seen from its root.
    strains : sequence of str
        Flexible bodies whose strains are wanted; of a beam in pieces those of all of them.
    stresses : sequence of str
        Flexible bodies whose stresses are wanted at all of their recovery points, or places on them, "boom/12" or
        "boom/end".
    worst_stresses : sequence of str
        Flexible bodies of which the largest von Mises stress over all points is wanted, and where it is.
    section_forces : sequence of str
        Beams whose normal and shear forces, torsional and bending moments are wanted, along all of them.
    recovery : str
        How stresses and section forces are found. "displacement": from the coordinates of the bodies.
        "acceleration": with static corrections, so that they are those of all loads whatever the number of modes.
    euler : sequence of str
        Bodies on free and spherical joints whose Euler angles relative to the joint frame are wanted, or "all".
    euler_sequence : str
        Their axes, as in SciPy: "xyz" about fixed axes, "ZYX" about axes that turn with the body.
    velocity_axes : str
        Along which axes velocities and accelerations of frames are given: those of the "ground", of the "parent" of the
        body that has the frame, of the "body" itself, or of the "frame". What moves is always seen from the ground.
    wrench_axes : str
        The same of the moments and forces of joints: "ground", "parent" or "body".

    Examples
    --------
    >>> Outputs(frames=["arm/tip"], wrenches="all")
    Outputs(frames=('arm/tip',), wrenches=('all',), nodes=(), strains=())
    """

    frames: Sequence[str] = ()
    wrenches: Sequence[str] = ()
    nodes: Sequence[str] = ()
    strains: Sequence[str] = ()
    stresses: Sequence[str] = ()
    worst_stresses: Sequence[str] = ()
    section_forces: Sequence[str] = ()
    recovery: str = "displacement"
    euler: Sequence[str] = ()
    euler_sequence: str = "xyz"
    velocity_axes: str = "ground"
    wrench_axes: str = "body"

    def __post_init__(self) -> None:
        for key in MEANINGS:
            given: Any = getattr(self, key)
            if not isinstance(given, Iterable):
                raise StateError(f"outputs: {key}: expected names, got {given!r}")
            names = (given,) if isinstance(given, str) else tuple(given)
            for name in names:
                if not isinstance(name, str):
                    raise StateError(f"outputs: {key}: expected names, got {name!r}")
            object.__setattr__(self, key, tuple(dict.fromkeys(names)))
        for key, known in CHOICES.items():
            chosen = getattr(self, key)
            if not isinstance(chosen, str) or chosen not in known:
                raise StateError(f"outputs: {key}: no {chosen!r}{one_of(known)}")
        try:
            euler_sequence(self.euler_sequence)
        except StateError as error:
            raise StateError(f"outputs: euler_sequence: {error}") from None

    def __repr__(self) -> str:
        """As it was before there were further requests, if none of them is used: runs are known again by it."""
        told = [x for x in fields(self) if x.name in FIRST or getattr(self, x.name) != x.default]
        return f"Outputs({', '.join(f'{x.name}={getattr(self, x.name)!r}' for x in told)})"

    def errors(self, model: Model) -> list[str]:
        """What does not fit a model, each with the nearest name that does."""
        found = []
        for key, meaning in MEANINGS.items():
            for name in getattr(self, key):
                try:
                    meaning(model, name)
                except StateError as wrong:
                    found.append(f"{key}: {wrong}")
        if self.recovery == "acceleration":
            for name in self.recovered:
                try:
                    require_static(model, name)
                except StateError as wrong:
                    found.append(f"recovery: {wrong}")
        return found

    @property
    def recovered(self) -> tuple[str, ...]:
        """Bodies of which stresses or section forces are wanted."""
        every = (*self.stresses, *self.worst_stresses, *self.section_forces)
        return tuple(dict.fromkeys(name.partition("/")[0] for name in every))

    def check(self, model: Model) -> None:
        """Raise a `StateError` with all errors, if there are any."""
        found = self.errors(model)
        if found:
            raise StateError("\n".join(f"outputs: {error}" for error in found))


def frame(model: Model, name: str) -> BodyFrame:
    """A frame by its name."""
    return model.find_frame(name)


def joints(model: Formulation, name: str) -> Sequence[int]:
    """Places in `model.bodies` of a body, or of all."""
    if name == ALL:
        return range(len(model.bodies))
    if name not in model.bodies:
        raise StateError(f"no body {name!r}{nearest(name, [ALL, *model.bodies])}")
    return [model.bodies.index(name)]


def turning(model: Formulation, name: str) -> list[int]:
    """Where in q the quaternions of a body, or of all that have one, begin."""
    known = {model.coordinates[i].rpartition(".")[0]: int(i) for i in model.quaternions}
    if name == ALL:
        return list(known.values())
    if name not in known:
        raise StateError(f"no free or spherical joint {name!r}{nearest(name, [ALL, *known])}")
    return [known[name]]


def node(model: Model, name: str) -> tuple[str, str | None]:
    """A flexible body or beam in pieces, and its node or frame; None for all of its nodes."""
    body, slash, place = name.partition("/")
    flexible = flexible_body(model, body)
    beam = model.description.beams.get(body)
    nodes, frames = (flexible.nodes, [*flexible.frames]) if beam is None else (beam.pieces.nodes, [*beam.pieces.frames])
    if not slash:
        return body, None
    if place not in frames and not (place.isdecimal() and int(place) < len(nodes)):
        hint = "" if place.isdecimal() else nearest(place, frames)
        raise StateError(f"no node {name!r}: {body!r} has nodes 0 to {len(nodes) - 1}{hint}")
    return body, place


def strains(model: Model, name: str) -> list[tuple[str, RecoveryTable]]:
    """The strains of a flexible body, or of each piece of a beam: the body's name, and its strains."""
    return [(x.body, x.own) for x in recovered(model, name, "strains")]


MEANINGS: dict[str, Callable[[Model, str], Any]] = {
    "frames": frame,
    "wrenches": joints,
    "nodes": node,
    "strains": strains,
    "euler": turning,
    "stresses": stresses,
    "worst_stresses": whole_stresses,
    "section_forces": section_forces,
}
"""What the names in each field of `Outputs` stand for."""
