"""What all shapes have: a pose on their body, a colour and an opacity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, array, direction, number, rotation_matrix
from supple.errors import ModelError
from supple.shapes.colors import checked_color
from supple.shapes.readers.mesh_part import MeshPart
from supple.shapes.triangle_mesh import TriangleMesh

Matrix = tuple[tuple[float, ...], ...]
UPRIGHT: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@checked
@dataclass(frozen=True, kw_only=True)
class Shape(ABC):
    """A shape that is drawn where its body is; it has no mass and touches nothing.

    Parameters
    ----------
    at : (3,) array_like
        Its origin in the frame of its body, m.
    rotation : (3, 3) array_like or Rotation, optional
        Its axes in those of the body.
    color : str, optional
        "#rrggbb" or a common name of CSS such as "orange"; that of the body if not given.
    opacity : float
        From 0, not to be seen, to 1.
    """

    at: Any = (0.0, 0.0, 0.0)
    rotation: Any = UPRIGHT
    color: str | None = None
    opacity: float = 1.0

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        what = self.kind
        R = rotation_matrix(self.rotation, f"{what}: rotation")
        opacity = number(self.opacity, f"{what}: opacity", minimum=0.0)
        if opacity > 1.0:
            raise ModelError(f"{what}: opacity: expected at most 1, got {opacity:g}")
        self._set(
            at=_plain(array(self.at, (3,), f"{what}: at")),
            rotation=tuple(_plain(row) for row in R),
            color=checked_color(self.color, f"{what}: color"),
            opacity=opacity,
        )

    def _set(self, **values: Any) -> None:
        """Fields as they were meant, in place of those that were given."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _positive(self, *names: str) -> None:
        """Sizes as numbers above zero."""
        for name in names:
            value = number(getattr(self, name), f"{self.kind}: {name}")
            if value <= 0:
                raise ModelError(f"{self.kind}: {name}: expected a positive number, got {value:g}")
            self._set(**{name: value})

    def triangles(self) -> TriangleMesh:
        """Its surface, in the axes of the body."""
        return self.placed(self.local_triangles())

    def placed(self, mesh: TriangleMesh) -> TriangleMesh:
        """Triangles in the shape's own axes, in those of the body."""
        return mesh.moved(np.array(self.rotation), np.array(self.at))

    def parts(self) -> list[MeshPart]:
        """Its surface by colours, in the axes of the body."""
        return [MeshPart(self.triangles(), self.color)]

    @abstractmethod
    def local_triangles(self) -> TriangleMesh:
        """Its surface, in its own axes."""

    def own_fields(self) -> dict[str, Any]:
        """What it is besides its pose, colour and opacity, by name."""
        common = {f.name for f in fields(Shape)}
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in common}


@checked
@dataclass(frozen=True, kw_only=True)
class RoundShape(Shape, ABC):
    """A shape about an axis through its origin."""

    axis: Any = "z"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(axis=_plain(direction(self.axis, f"{self.kind}: axis")))

    def local_triangles(self) -> TriangleMesh:
        """Its surface, turned to the axis."""
        return self.upright().moved(turn_to(np.array(self.axis)), np.zeros(3))

    @abstractmethod
    def upright(self) -> TriangleMesh:
        """Its surface about z."""


def turn_to(axis: Floats) -> Floats:
    """The shortest rotation that turns z to a unit vector."""
    x, y, z = axis
    if z < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    s = 1.0 / (1.0 + z)
    return np.array([[1.0 - s * x * x, -s * x * y, x], [-s * x * y, 1.0 - s * y * y, y], [-x, -y, z]])


def _plain(x: Floats) -> tuple[float, ...]:
    return tuple((np.asarray(x) + 0.0).tolist())
