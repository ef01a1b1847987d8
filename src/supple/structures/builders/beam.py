"""Beams in space, straight or along a path of straight segments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, Ints, array, direction, size
from supple.errors import ModelError
from supple.structures.body.beam_cutting import PointMass, Segment, cut
from supple.structures.body.substructured_beam import BeamPieces
from supple.structures.damping import Damping
from supple.structures.discretization.frames import named
from supple.structures.elements.beam import BeamElements, BeamSegment
from supple.structures.elements.beam_element import Element
from supple.structures.materials import Material
from supple.structures.reduction.mode_selection import Modes
from supple.structures.reduction.reduction import Reduction
from supple.structures.sections.cross_sections import CrossSection
from supple.structures.structure import Structure

MOST_ELEMENTS = 10_000
"""Of one structure. Beyond some thousands rounding shows in the lowest frequencies of a beam."""
SNAP = 1e-15
"""Direction cosines this close to 0 or 1 are meant to be."""


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Beam(Structure):
    """A structure of beam elements one after the other, made by `beam` and `beam_path`; it can be cut into pieces."""

    segments: tuple[Segment, ...] = ()
    lumped: bool = False
    shear: bool = False
    point_masses: tuple[PointMass, ...] = ()

    def with_mass(
        self,
        where: str | int,
        mass: float,
        inertia: ArrayLike = (0.0, 0.0, 0.0),
        offset: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Self:
        """The beam with a rigid piece of mass on a node or frame, see `Structure.with_mass`."""
        made = super().with_mass(where, mass, inertia, offset)
        numbers = (tuple(np.asarray(x, dtype=float).ravel().tolist()) for x in (inertia, offset))
        return replace(made, point_masses=(*self.point_masses, PointMass(self.find(where), float(mass), *numbers)))

    def pieces(
        self,
        count: int,
        basis: str = "craig-bampton",
        modes: Modes | None = None,
        root: str = "start",
        interfaces: Sequence[str] | None = None,
        damping: Damping = None,
    ) -> BeamPieces:
        """The beam as a chain of short flexible bodies, for large deflections; see `Structure.reduce`.

        Cuts are at the nodes nearest to equal lengths. Pieces that are equal are reduced and stored once. One piece is
        the body that `reduce` gives.

        Parameters
        ----------
        count : int
            Number of pieces, up to that of the elements.
        basis : str
            Of each piece: "craig-bampton", with the ends of the piece as interfaces, "cantilever" or "nodal".
        modes : int, sequence of int, Bandwidth or EffectiveMass
            Of each piece; 0 in "craig-bampton" if not given: the six constraint modes of its outboard end.
        root : str
            "start" or "end".
        interfaces : sequence of str, optional
            Only for "craig-bampton": frames within pieces where loads or joints act; by default all named frames.
        damping : float, sequence of float or Rayleigh, optional
            As for `reduce`. A ratio is that of the modes of a piece by itself; `Rayleigh(0, beta)` damps the beam
            alike whatever the number of pieces.

        Examples
        --------
        >>> from supple.structures import Rectangle
        >>> strip = beam(2.0, Rectangle(0.02, 0.001), Material(E=70e9, nu=0.3, rho=2700), elements=16)
        >>> pieces = strip.pieces(8)
        >>> len(pieces), pieces.modes, len({id(body) for body in pieces.bodies})
        (8, 48, 1)
        """
        return cut(self, count, Reduction(basis, modes, root, interfaces, damping), self._of_segments)

    def _of_segments(self, segments: Sequence[Segment]) -> Structure:
        """Other elements made like those of this beam, from the origin on."""
        counts = [segment.elements for segment in segments]
        steps = np.array([segment.step for segment in segments]) * np.array(counts)[:, None]
        return beam_path(
            np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)]),
            [segment.section for segment in segments],
            [segment.material for segment in segments],
            counts,
            lumped=self.lumped,
            shear=self.shear,
            y_axis=[segment.y_axis for segment in segments],
        )


@checked
def beam(
    length: float,
    section: CrossSection,
    material: Material,
    elements: int,
    lumped: bool = False,
    shear: bool = False,
) -> Beam:
    """A straight beam along x, with frames "start" and "end".

    Parameters
    ----------
    length : float
        m.
    section : Rectangle, Circle, Tube, IBeam or Section
        In the y-z plane.
    material : Material
    elements : int
        All of the same length; their ends are the nodes, numbered from the start.
    lumped : bool
        Mass at the nodes, with the section's own inertia, instead of spread along the elements.
    shear : bool
        Timoshenko's beam, which shears, instead of Euler and Bernoulli's.

    Examples
    --------
    >>> from supple.structures import Circle
    >>> boom = beam(2.0, Circle(0.01), Material(E=70e9, nu=0.3, rho=2700), elements=4)
    >>> boom.frames
    {'start': (0,), 'end': (4,)}
    """
    length = size(length, "beam: length")
    return beam_path([(0.0, 0.0, 0.0), (length, 0.0, 0.0)], section, material, elements, lumped=lumped, shear=shear)


@checked
def beam_path(
    points: ArrayLike,
    section: CrossSection | Sequence[CrossSection],
    material: Material | Sequence[Material],
    elements: int | Sequence[int],
    lumped: bool = False,
    shear: bool = False,
    y_axis: str | ArrayLike | Sequence[str | ArrayLike] | None = None,
    frames: Mapping[str, int] | None = None,
) -> Beam:
    """Straight segments one after the other, rigidly joined, with frames "start", "corner1", ... and "end".

    Parameters
    ----------
    points : (p, 3) array_like
        Start, corners and end, m.
    section, material, elements
        As for `beam`; one for all segments or one for each.
    lumped, shear : bool
        As for `beam`.
    y_axis : direction, or one for each segment
        The width of the section lies along it, as near as a right angle to the segment allows. By default it is
        horizontal, z x segment, and y for vertical segments.
    frames : dict of str to int, optional
        More names for points, by their place in `points`.

    Examples
    --------
    An L in the x-y plane:

    >>> from supple.structures import Rectangle
    >>> square = Rectangle(0.008, 0.008)
    >>> L = beam_path([(0, 0, 0), (0.5, 0, 0), (0.5, 0.5, 0)], square, Material(E=70e9, nu=0.3, rho=2700), 4)
    >>> L.frames
    {'start': (0,), 'corner1': (4,), 'end': (8,)}
    """
    x = array(points, (len(points) if isinstance(points, Sized) else 0, 3), "beam: points")
    segments = len(x) - 1
    if segments < 1:
        raise ModelError(f"beam: expected two points or more, got {len(x)}")
    counts = _for_each(elements, segments, "elements", int, "a whole number of at least 1")
    if min(counts) < 1:
        raise ModelError(f"beam: elements: expected a whole number of at least 1, got {min(counts)}")
    if sum(counts) > MOST_ELEMENTS:
        raise ModelError(f"beam: elements: expected at most {MOST_ELEMENTS:,} in all, got {sum(counts):,}")
    sections = _for_each(section, segments, "section", CrossSection, "a section such as Rectangle(width, height)")
    materials = _for_each(material, segments, "material", Material, "a Material")
    axes = [_axes(b - a, y, i) for i, (a, b, y) in enumerate(zip(x, x[1:], _y_axes(y_axis, segments), strict=False))]
    first = np.concatenate([[0], np.cumsum(counts)])
    nodes = np.concatenate(
        [a + np.arange(n)[:, None] / n * (b - a) for a, b, n in zip(x, x[1:], counts, strict=False)] + [x[-1:]]
    )
    parts = []
    for i in range(segments):
        length = size(float(np.linalg.norm(x[i + 1] - x[i])), f"beam: segment {i + 1}: length")
        element = Element(length / counts[i], sections[i], materials[i], shear)
        parts.append(BeamSegment(element, axes[i], np.arange(first[i], first[i + 1]), nodes, lumped))
    corners = {f"corner{i}": int(first[i]) for i in range(1, segments)}
    extra = {name: _point(name, number, first) for name, number in (frames or {}).items()}
    names = named({"start": 0, **corners, "end": int(first[-1]), **extra}, len(nodes))
    steps = [(b - a) / n for a, b, n in zip(x, x[1:], counts, strict=False)]
    recipe = tuple(
        Segment(tuple(step.tolist()), n, shape, stuff, tuple(R[1].tolist()))
        for step, n, shape, stuff, R in zip(steps, counts, sections, materials, axes, strict=True)
    )
    return replace(Beam.of(BeamElements(parts), names), segments=recipe, lumped=lumped, shear=shear)


def _axes(along: Floats, y_axis: Floats | None, segment: int) -> Floats:
    """Rows: the segment's x, y and z."""
    length = float(np.linalg.norm(along))
    if length < 1e-12:
        raise ModelError(f"beam: segment {segment + 1}: expected two different points, got a length of {length:g}")
    x = _snapped(along / length)
    if y_axis is not None:
        y = y_axis - (y_axis @ x) * x
        if np.linalg.norm(y) < 1e-6:
            raise ModelError(f"beam: segment {segment + 1}: expected a y_axis not along it, got {y_axis.tolist()}")
    else:
        y = np.array([-x[1], x[0], 0.0])
        if np.linalg.norm(y) < 1e-6:
            y = np.array([0.0, 1.0, 0.0]) - x[1] * x
    y = _snapped(y / np.linalg.norm(y))
    return np.stack([x, y, _snapped(np.cross(x, y))])


def _snapped(x: Floats) -> Floats:
    x = np.where(np.abs(x) < SNAP, 0.0, x)
    return np.where(np.abs(np.abs(x) - 1.0) < SNAP, np.sign(x), x)


def _y_axes(value: Any, segments: int) -> list[Floats | None]:
    if value is None:
        return [None] * segments
    several = isinstance(value, Iterable) and not isinstance(value, str)
    if not several or not any(isinstance(y, str) or np.ndim(y) for y in value):
        return [direction(value, "beam: y_axis")] * segments
    if len(value) != segments:
        raise ModelError(f"beam: y_axis: expected one or {segments}, one for each segment, got {len(value)}")
    return [direction(y, "beam: y_axis") for y in value]


def _for_each(value: Any, segments: int, what: str, kind: type, expected: str) -> list[Any]:
    values = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value] * segments
    if len(values) != segments:
        raise ModelError(f"beam: {what}: expected one or {segments}, one for each segment, got {len(values)}")
    for v in values:
        if not isinstance(v, kind):
            raise ModelError(f"beam: {what}: expected {expected}, got {v!r}")
    return values


def _point(name: str, number: int, first: Ints) -> int:
    if not 0 <= number < len(first):
        raise ModelError(f"beam: frame {name!r}: expected a point from 0 to {len(first) - 1}, got {number}")
    return int(first[number])
