"""Cutting a beam into pieces: where, what each piece has of the whole, and which pieces are equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import Floats, Ints, text
from supple.errors import ModelError
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.substructured_beam import ENDS, BeamPieces, Place
from supple.structures.materials import Material
from supple.structures.reduction.reduction import Reduction
from supple.structures.sections.cross_sections import CrossSection
from supple.structures.structure import Structure

if TYPE_CHECKING:
    from supple.structures.builders.beam import Beam

MOST_PIECES = 2_000
"""Of one beam: as many bodies in the recursions."""
BASES = ("cantilever", "craig-bampton", "nodal")
Frames = Mapping[str, tuple[int, ...]]


class Segment(NamedTuple):
    """Equal elements one after the other: from node to node in m, how many, and what they are made of."""

    step: tuple[float, ...]
    elements: int
    section: CrossSection
    material: Material
    y_axis: tuple[float, ...]


class PointMass(NamedTuple):
    """A rigid piece of mass on nodes, as `Structure.with_mass` takes it."""

    nodes: tuple[int, ...]
    mass: float
    inertia: tuple[float, ...]
    offset: tuple[float, ...]


def cut(beam: Beam, count: int, wanted: Reduction, make: Callable[[Sequence[Segment]], Structure]) -> BeamPieces:
    """See `Beam.pieces`; `make` gives the elements of segments."""
    basis, root = wanted.basis, wanted.root
    _require_count(count, len(beam.nodes) - 1)
    modes = 0 if wanted.modes is None and basis == "craig-bampton" else wanted.modes
    if count == 1:
        body = beam.reduce(basis, modes, root, wanted.interfaces, wanted.damping)
        return BeamPieces((body,), (0,), body.nodes, {name: Place(0, name) for name in body.frames})
    _require_basis(basis, root)
    cuts = _cuts(beam.nodes, count)
    inner = _interfaces(beam, wanted)
    places, frames = _local_frames({**inner, **beam.frames}, cuts, root, inner)
    known: list[tuple[Any, FlexibleBody]] = []
    bodies = []
    for i in range(count):
        own = _between(beam.segments, cuts[i], cuts[i + 1]), frames[i], _masses_on(beam.point_masses, cuts, i, root)
        found = next((body for other, body in known if other == own), None)
        if found is None:
            clamped = [name for name in frames[i] if name in (*ENDS, *inner)] if basis == "craig-bampton" else None
            found = _piece(make(own[0]), *own[1:]).reduce(basis, modes, root, clamped, wanted.damping)
            known.append((own, found))
        bodies.append(found)
    order = list(range(count)) if root == "start" else list(range(count))[::-1]
    return BeamPieces(
        tuple(bodies[i] for i in order),
        tuple(int(cuts[i]) for i in order),
        beam.nodes - beam.nodes[0 if root == "start" else -1],
        {name: Place(order.index(i), node) for name, (i, node) in places.items() if name in beam.frames},
    )


def _interfaces(beam: Beam, wanted: Reduction) -> Frames:
    """The frames or nodes that are interfaces within pieces."""
    wanted.require_basis(BASES)
    if wanted.interfaces is None:
        return beam.frames if wanted.basis == "craig-bampton" else {}
    if isinstance(wanted.interfaces, str) or not isinstance(wanted.interfaces, Sequence):
        raise ModelError(f"interfaces: expected a list of frames, got {wanted.interfaces!r}")
    return {text(name, "interfaces"): beam.find(name) for name in wanted.interfaces}


def _between(segments: Sequence[Segment], a: int, b: int) -> tuple[Segment, ...]:
    """The elements between two nodes."""
    ends = np.concatenate([[0], np.cumsum([segment.elements for segment in segments])])
    counts = [min(b, ends[i + 1]) - max(a, ends[i]) for i in range(len(segments))]
    return tuple(segment._replace(elements=int(n)) for segment, n in zip(segments, counts, strict=True) if n > 0)


def _masses_on(masses: Sequence[PointMass], cuts: Ints, piece: int, root: str) -> tuple[PointMass, ...]:
    """Masses on a piece by the numbers of its own nodes; one where two pieces meet is on the inner one."""
    return tuple(
        x._replace(nodes=tuple(int(node - cuts[piece]) for node in x.nodes))
        for x in masses
        if _pieces_with(cuts, x.nodes, root)[:1] == [piece]
    )


def _piece(bare: Structure, frames: Frames, masses: Sequence[PointMass]) -> Structure:
    """Elements with the frames and masses of a piece."""
    made = replace(bare, frames=dict(frames))
    for x in masses:
        where = next((name for name, nodes in frames.items() if nodes == x.nodes), x.nodes[0])
        inertia = np.array(x.inertia)
        made = made.with_mass(where, x.mass, inertia.reshape(3, 3) if len(inertia) == 9 else inertia, x.offset)
    return made


def _require_count(count: int, elements: int) -> None:
    """Refuse a number of pieces that a beam of so many elements cannot have."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ModelError(f"beam: pieces: expected a whole number of at least 1, got {count!r}")
    if count > min(elements, MOST_PIECES):
        most = f"its {elements} elements" if elements <= MOST_PIECES else f"{MOST_PIECES:,}"
        raise ModelError(f"beam: pieces: expected at most {most}, got {count}")


def _require_basis(basis: str, root: str) -> None:
    """Refuse what pieces that are fixed to each other cannot be made of."""
    if basis not in BASES:
        reason = ", whose ends carry no moment" if basis == "free-free" else ""
        raise ModelError(
            f"beam: pieces: basis: expected one of {', '.join(map(repr, BASES))} for pieces that are fixed to each "
            f"other, got {basis!r}{reason}"
        )
    if root not in ENDS:
        raise ModelError(f"beam: pieces: root: expected 'start' or 'end', got {root!r}")


def _cuts(nodes: Floats, count: int) -> Ints:
    """(count + 1,) the nodes of a path nearest to cuts into equal lengths, its ends among them."""
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(nodes, axis=0), axis=1))])
    share = s / s[-1]
    found = np.array([int(np.argmin(np.round(np.abs(share - i / count), 12))) for i in range(count + 1)])
    most = len(nodes) - 1 - count + np.arange(count + 1)
    for i in range(1, count + 1):
        found[i] = min(max(found[i], found[i - 1] + 1), most[i])
    return found


def _pieces_with(cuts: Ints, nodes: tuple[int, ...], root: str) -> list[int]:
    """The pieces, from the start of the beam, that have all of these nodes; the inner ones first."""
    found = [i for i in range(len(cuts) - 1) if cuts[i] <= min(nodes) and max(nodes) <= cuts[i + 1]]
    return found if root == ENDS[0] else found[::-1]


def _local_frames(
    frames: Frames, cuts: Ints, root: str, kept: Frames
) -> tuple[dict[str, Place], list[dict[str, tuple[int, ...]]]]:
    """Where the frames of a beam are, by the piece from its start, and the frames that each piece needs.

    These are its ends, rigid regions, and those of `kept`; others are known by the number of their node.
    """
    count = len(cuts) - 1
    own: list[dict[str, tuple[int, ...]]] = [
        {"start": (0,), "end": (int(cuts[i + 1] - cuts[i]),)} for i in range(count)
    ]
    places: dict[str, Place] = {}
    for name, nodes in frames.items():
        found = _pieces_with(cuts, nodes, root)
        if not found:
            raise ModelError(
                f"beam: pieces: frame {name!r}: expected the nodes of a rigid region in one piece, got nodes "
                f"{min(nodes)} to {max(nodes)}, with cuts at {', '.join(map(str, cuts[1:-1]))}"
            )
        i = found[0]
        local = tuple(int(node - cuts[i]) for node in nodes)
        known = next((end for end in ENDS if own[i][end] == local), None)
        if known is None and (len(local) > 1 or name in kept):
            own[i][name] = local
            known = name
        places[name] = Place(i, str(local[0]) if known is None else known)
    return places, own
