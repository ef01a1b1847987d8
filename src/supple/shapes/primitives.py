"""Simple solids, each centred at its origin."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.checks import array, number
from supple.errors import ModelError
from supple.shapes.revolve_sweep import turned
from supple.shapes.shape import UPRIGHT, RoundShape, Shape
from supple.shapes.triangle_mesh import NOTHING, TriangleMesh, joined

BOX_FACES = (
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
)  # fmt: skip
"""Of the corners in the order of `itertools.product`: x slowest, z fastest."""
BALL = 24
"""Corners around a ball."""


@checked
@dataclass(frozen=True)
class Box(Shape):
    """A box with these sides along x, y and z, m.

    Examples
    --------
    >>> Box((0.2, 0.1, 0.1)).triangles().volume.__round__(9)
    0.002
    """

    size: Any
    kind = "box"

    def __post_init__(self) -> None:
        super().__post_init__()
        size = array(self.size, (3,), "box: size")
        if (size <= 0).any():
            raise ModelError(f"box: size: expected three positive numbers, got {size.tolist()}")
        self._set(size=tuple(size.tolist()))

    def local_triangles(self) -> TriangleMesh:
        """Twelve triangles."""
        corners = np.array(list(product((-0.5, 0.5), repeat=3))) * self.size
        return TriangleMesh(corners, np.array(BOX_FACES))


@checked
@dataclass(frozen=True)
class Cylinder(RoundShape):
    """A full cylinder of this radius and length along its axis, m."""

    radius: float
    length: float
    kind = "cylinder"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius", "length")

    def upright(self) -> TriangleMesh:
        """About z."""
        r, h = self.radius, self.length / 2.0
        return turned([(0.0, -h), (r, -h), (r, h), (0.0, h)])


@checked
@dataclass(frozen=True)
class Sphere(Shape):
    """A ball of this radius, m."""

    radius: float
    kind = "sphere"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius")

    def local_triangles(self) -> TriangleMesh:
        """In rings about z."""
        return turned(_rounded(self.radius, 0.0), BALL)


@checked
@dataclass(frozen=True)
class Capsule(RoundShape):
    """A cylinder of this radius and length along its axis, m, with half a ball on each end besides."""

    radius: float
    length: float
    kind = "capsule"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius", "length")

    def upright(self) -> TriangleMesh:
        """About z."""
        return turned(_rounded(self.radius, self.length / 2.0), BALL)


@checked
@dataclass(frozen=True)
class Cone(RoundShape):
    """A cone, m: its base of this radius half its length behind the origin, its tip, or end of radius `top`, before."""

    radius: float
    length: float
    top: float = 0.0
    kind = "cone"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius", "length")
        self._set(top=number(self.top, "cone: top", minimum=0.0))

    def upright(self) -> TriangleMesh:
        """About z."""
        h = self.length / 2.0
        end = [(self.top, h), (0.0, h)] if self.top > 0 else [(0.0, h)]
        return turned([(0.0, -h), (self.radius, -h), *end])


@checked
@dataclass(frozen=True)
class Disc(RoundShape):
    """A flat round disc without thickness, m; with `inner` a ring."""

    radius: float
    inner: float = 0.0
    kind = "disc"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius")
        _require_inner(self, "disc")

    def upright(self) -> TriangleMesh:
        """In the plane x, y, seen from both sides."""
        r, hole = self.radius, self.inner
        return joined([turned([(hole, 0.0), (r, 0.0)]), turned([(r, 0.0), (hole, 0.0)])])


@checked
@dataclass(frozen=True)
class Pipe(RoundShape):
    """A hollow cylinder of this outer and inner radius and length along its axis, m."""

    radius: float
    inner: float
    length: float
    kind = "pipe"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("radius", "length")
        _require_inner(self, "pipe")

    def upright(self) -> TriangleMesh:
        """About z."""
        r, hole, h = self.radius, self.inner, self.length / 2.0
        inside = [(hole, h), (hole, -h)] if hole > 0 else [(0.0, h)]
        return turned([(hole, -h), (r, -h), (r, h), *inside])


@checked
@dataclass(frozen=True)
class Structure(Shape):
    """The structure of a flexible body, which is drawn where it is: with a colour and an opacity of its own."""

    kind = "structure"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at != Shape.at or self.rotation != UPRIGHT:
            raise ModelError("structure: expected color and opacity alone, for it is where its body is")

    def local_triangles(self) -> TriangleMesh:
        """None besides those of the body."""
        return NOTHING


def _require_inner(shape: Disc | Pipe, what: str) -> None:
    inner = number(shape.inner, f"{what}: inner", minimum=0.0)
    if inner >= shape.radius:
        raise ModelError(f"{what}: inner: expected less than the radius {shape.radius:g}, got {inner:g}")
    object.__setattr__(shape, "inner", inner)


def _rounded(radius: float, half: float) -> list[tuple[float, float]]:
    """Profile of two half balls, `half` above and below the origin."""
    angle = np.linspace(0.0, np.pi / 2.0, BALL // 4 + 1)[1:]
    quarter = [(float(radius * np.cos(a)), float(radius * np.sin(a))) for a in angle[:-1]]
    lower = [(r, -half - z) for r, z in reversed(quarter)]
    upper = [(r, half + z) for r, z in quarter]
    middle = [(radius, -half), (radius, half)] if half > 0 else [(radius, 0.0)]
    return [(0.0, -half - radius), *lower, *middle, *upper, (0.0, half + radius)]
