"""Shapes have the bounds, area and volume of what they are called, are closed, and refuse other sizes."""

from __future__ import annotations

from collections import Counter
from math import cos, pi, sin

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple.shapes import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Disc,
    Mesh,
    Path,
    Pipe,
    Shape,
    Sphere,
    Text,
    TriangleMesh,
    Triangles,
)

SQUARE = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
TURN = Rotation.from_euler("xyz", [0.3, -0.4, 1.1])


def polygon(corners: int) -> float:
    """Area of a polygon in the unit circle."""
    return corners / 2.0 * sin(2.0 * pi / corners)


def require_closed(mesh: TriangleMesh) -> None:
    """Each edge belongs to two triangles, which go along it in opposite directions."""
    number = np.unique(mesh.vertices.round(12), axis=0, return_inverse=True)[1].reshape(-1)
    faces = number[mesh.faces]
    edges = Counter((int(a), int(b)) for face in faces for a, b in zip(face, np.roll(face, -1), strict=True))
    assert edges
    assert all(edges[b, a] == count for (a, b), count in edges.items())


BALL = (polygon(24) * sum((cos(a) ** 2 + cos(a) * cos(b) + cos(b) ** 2) / 3.0 * (sin(b) - sin(a)) for a, b in zip(
    np.linspace(0, pi / 2, 7)[:-1], np.linspace(0, pi / 2, 7)[1:], strict=True)) * 2.0)  # fmt: skip
"""Volume of a ball of six rings of truncated pyramids a side."""


@pytest.mark.parametrize(
    ("shape", "volume", "reach"),
    [
        (Box((0.2, 0.3, 0.4)), 0.024, (0.1, 0.15, 0.2)),
        (Cylinder(0.2, 0.5), polygon(48) * 0.04 * 0.5, (0.2, 0.2, 0.25)),
        (Cylinder(0.2, 0.5, axis="x"), polygon(48) * 0.04 * 0.5, (0.25, 0.2, 0.2)),
        (Cylinder(0.2, 0.5, axis="-z"), polygon(48) * 0.04 * 0.5, (0.2, 0.2, 0.25)),
        (Sphere(0.3), BALL * 0.027, (0.3, 0.3, 0.3)),
        (Capsule(0.3, 0.5), BALL * 0.027 + polygon(24) * 0.09 * 0.5, (0.3, 0.3, 0.55)),
        (Cone(0.3, 0.6), polygon(48) * 0.09 * 0.6 / 3.0, (0.3, 0.3, 0.3)),
        (Cone(0.3, 0.6, top=0.1), polygon(48) * (0.09 + 0.03 + 0.01) * 0.6 / 3.0, (0.3, 0.3, 0.3)),
        (Disc(0.3), 0.0, (0.3, 0.3, 0.0)),
        (Pipe(0.3, 0.2, 0.5), polygon(48) * 0.05 * 0.5, (0.3, 0.3, 0.25)),
        (Path([(-1, 0, 0), (1, 0, 0)], section=(0.2, 0.4)), 0.16, (1.0, 0.1, 0.2)),
        (Path([(0, 0, -1), (0, 0, 1)], radius=0.1), polygon(16) * 0.02, (0.1, 0.1, 1.0)),
        (Path(SQUARE, section=(0.2, 0.1), closed=True), 0.16, (1.1, 1.1, 0.05)),
    ],
    ids=lambda x: x.kind if isinstance(x, Shape) else "",
)  # fmt: skip
def test_volumes_and_bounds(shape: Shape, volume: float, reach: tuple[float, float, float]) -> None:
    mesh = shape.triangles()
    require_closed(mesh)
    assert mesh.volume == pytest.approx(volume, rel=1e-12, abs=1e-15)
    np.testing.assert_allclose(mesh.bounds, np.array([-1.0, 1.0])[:, None] * reach, atol=1e-12)


def test_poses_move_triangles() -> None:
    shape = Box((0.1, 0.2, 0.3), at=(1, 2, 3), rotation=TURN, color="orange", opacity=0.5)
    still = Box((0.1, 0.2, 0.3)).triangles()
    expected = still.vertices @ TURN.as_matrix().T + np.array([1, 2, 3])
    np.testing.assert_allclose(shape.triangles().vertices, expected, atol=1e-15)
    assert (shape.color, shape.opacity) == ("#ffa500", 0.5)
    assert shape == Box((0.1, 0.2, 0.3), at=(1, 2, 3), rotation=TURN.as_matrix(), color="#FFA500", opacity=0.5)


def test_texts_are_as_high_as_they_say() -> None:
    low, high = Text("Arm 2", 0.1).triangles().bounds
    assert 0.1 < high[1] - low[1] < 0.13  # strokes are 0.012 wide, and pointed at corners
    assert high[0] == pytest.approx(-low[0], abs=0.02)
    assert (Text("A\N{SNOWMAN}", 0.1).triangles().area) > Text("A", 0.1).triangles().area


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Box((1, 0, 1)), "box: size: expected three positive numbers, got [1.0, 0.0, 1.0]"),
        (lambda: Sphere(-1), "sphere: radius: expected a positive number, got -1"),
        (lambda: Pipe(0.1, 0.2, 1), "pipe: inner: expected less than the radius 0.1, got 0.2"),
        (
            lambda: Path([(0, 0, 0)], radius=1),
            "path: points: expected 2 to 20,000 points, each unlike the one before it, got 1",
        ),
        (lambda: Path([(0, 0, 0), (1, 0, 0)]), "path: expected either radius or section, got neither"),
        (
            lambda: Sphere(1, color="gren"),
            "sphere: color: expected '#rrggbb' or the name of a colour, got 'gren'; did you mean 'green'?",
        ),
        (lambda: Sphere(1, opacity=2), "sphere: opacity: expected at most 1, got 2"),
        (lambda: Mesh("", scale=1), "mesh: file: expected a path, got ''"),
        (lambda: Mesh("a.stl", scale=0), "mesh: scale: expected numbers other than zero, got [0.0, 0.0, 0.0]"),
        (lambda: Text("", 1), "text: text: expected 1 to 200 letters, got ''"),
        (lambda: Triangles([(0,) * 3], [(0, 1, 2)]), "triangles: expected numbers of vertices from 0 to 0, got 0 to 2"),
    ],
)  # fmt: skip
def test_what_is_no_shape_is_refused(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(supple.ModelError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize("closed", [False, True])
def test_a_path_that_turns_back_is_as_thick_on_both_ways(closed: bool) -> None:
    back = [(0, 0, 0), (1, 0, 0), (0.2, 0, 0), (0.2, 2, 0)]
    pole = Path(back, section=(0.1, 0.2), closed=closed).triangles()
    # to the tip and back, the lengths along the middle; a right angle keeps the volume, as do lids at sharp corners
    lengths = 1.0 + 0.8 + 2.0 + (np.hypot(0.2, 2.0) if closed else 0.0)
    assert pole.volume == pytest.approx(0.02 * lengths, rel=1e-9)
    np.testing.assert_allclose(pole.bounds[1, 0], 1.0)  # flat at its tip
    wire = Path([(0, 0, 0), (0, 0, 1), (0, 1e-9, 0)], radius=0.1).triangles()
    assert wire.volume == pytest.approx(2 * 16 / 2 * np.sin(2 * np.pi / 16) * 0.01)
