"""Cameras see all of a motion, floors are below it, shadows lie where the light throws them, coils reach their ends."""

from __future__ import annotations

import numpy as np
import pytest

import supple
import supple.shapes as shapes
from supple.errors import StateError
from supple.shapes.triangle_mesh import TriangleMesh
from supple.view.film.camera import Camera, view_of
from supple.view.film.floor import Floor, floor_below
from supple.view.film.symbols import MovingSymbol
from supple.view.scene.extent import MotionExtent, motion_extent
from supple.view.scene.level import Level
from supple.view.scene.places import ScenePlaces
from supple.view.scene.symbol_shapes import symbol_shape

LEVEL = Level.of(np.array([0.0, 0.0, -9.81]))
SUN = np.array([0.6, 0.0, 0.8])


@pytest.mark.parametrize("azimuth", [-52.0, 0.0, 130.0])
@pytest.mark.parametrize("elevation", [-20.0, 20.0, 90.0])
@pytest.mark.parametrize("size", [(1280, 720), (300, 500)])
def test_all_points_are_in_the_picture_and_fill_it(azimuth: float, elevation: float, size: tuple[int, int]) -> None:
    seen = np.random.default_rng(0).normal(size=(500, 3)) * [3.0, 1.0, 0.5] + [10.0, 0.0, 2.0]
    view = view_of(Camera(azimuth, elevation), LEVEL, seen, *size)
    np.testing.assert_allclose(view.axes @ view.axes.T, np.eye(3), atol=1e-14)
    focal, x_middle, y_middle, near = view.lens(*size)
    x = (seen - view.eye(np.zeros(3))) @ view.axes.T
    assert x[:, 2].min() > near
    picture = [x_middle, y_middle] + focal * x[:, :2] / x[:, 2:]
    from_middle = np.abs(picture / size - 0.5)
    assert from_middle.max() == pytest.approx(0.46)  # 0.92 of it is filled


def test_up_is_up_and_azimuth_is_where_the_camera_stands() -> None:
    view = view_of(Camera(90.0, 0.0, 5.0), LEVEL, np.zeros((1, 3)), 100, 100)
    np.testing.assert_allclose(view.axes, [[-1, 0, 0], [0, 0, -1], [0, -1, 0]], atol=1e-15)
    np.testing.assert_allclose(view.eye(np.array([1.0, 0.0, 0.0])), [1.0, 5.0, 0.0], atol=1e-14)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((0.0, 91.0), "camera: expected an elevation from -90 to 90 degrees, got 91"),
        ((0.0, 0.0, -1.0), "camera: expected a distance above zero, got -1 m"),
        ((np.nan, 0.0), "camera: expected finite numbers"),
    ],
)
def test_cameras_that_cannot_be_are_refused(numbers: tuple[float, ...], message: str) -> None:
    with pytest.raises(StateError, match=message):
        Camera(*numbers)


def test_a_floor_is_at_the_origin_or_below_the_model() -> None:
    cloud = np.random.default_rng(1).uniform(-1, 1, (100, 3))
    extent = MotionExtent(3.0, 3.0, np.array([-1.0, -1.0, -1.0]), np.array([1.0, 1.0, 1.0]), -1.5, (0.0, 0.0))
    floor = floor_below(LEVEL, extent, cloud, SUN, 10.0)
    assert floor.height == -1.5
    assert floor.spacing == 0.5
    heights = []
    for z in (5.0, 0.5, -1.0):
        mech = supple.Mechanism("stone")
        mech.add_body("stone", supple.RigidBody(1.0), joint=supple.Free(), at=(0, 0, z))
        mech.add_visual("stone", shapes.Box((1.0, 1.0, 1.0)))
        stage = ScenePlaces(mech.build())
        heights.append(motion_extent(stage, stage.model.neutral()[None]).floor)
    assert heights == pytest.approx([4.5 - np.sqrt(3.0), 0.0, -1.5])  # never more than its size below it


def test_a_wheel_stands_on_the_floor_however_it_turns() -> None:
    mech = supple.Mechanism("wheel")
    mech.add_body("wheel", supple.RigidBody(1.0), joint=supple.Revolute("y"), at=(0, 0, 0.5))
    mech.add_visual("wheel", shapes.Cylinder(0.5, 0.1, axis=(0, 1, 0)))
    stage = ScenePlaces(mech.build())
    extent = motion_extent(stage, np.linspace(0.0, 6.0, 50)[:, None])
    assert extent.low[2] < -0.1  # corners of its box
    assert extent.floor == pytest.approx(0.0, abs=1e-9)


def test_a_shadow_lies_where_the_light_throws_it() -> None:
    mesh = shapes.Box((2.0, 1.0, 0.001)).triangles()
    points = mesh.vertices + np.array([0.0, 0.0, 4.0])
    floor = Floor(LEVEL, 0.0, 1.0, 10.0, SUN, 0.01)
    ground, dark = floor.parameters(points, mesh.faces)
    x, y, per_metre = ground[3]
    i, j = np.indices(dark.shape)
    middle = np.array([(dark * (j + 0.5)).sum(), (dark * (i + 0.5)).sum()]) / dark.sum() / per_metre + [x, y]
    np.testing.assert_allclose(middle, [-4.0 * 0.6 / 0.8, 0.0], atol=0.01)  # to a cell
    assert dark.sum() * 0.01**2 == pytest.approx(2.0, rel=0.02)  # the area: softening keeps it; to a row of cells
    assert dark.max() == pytest.approx(1.0)
    edge = np.concatenate([dark[0], dark[-1], dark[:, 0], dark[:, -1]])
    assert np.abs(edge).max() < 1e-12  # rounding of the means


def test_coils_end_where_springs_do_and_are_as_wide_as_asked() -> None:
    a, b = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]]), np.array([[0.0, 0.0, 2.0], [1.0, 4.0, 4.0]])
    coil = MovingSymbol(symbol_shape("coil"), a, b, np.full(2, 0.1), np.zeros(3))
    assert len(coil.points(0)) == coil.count == coil.faces.max() + 1
    for frame, length in ((0, 2.0), (1, 5.0)):
        axis = (b - a)[frame] / length
        x = coil.points(frame) - a[frame]
        along = x @ axis
        away = np.linalg.norm(x - np.outer(along, axis), axis=1)
        assert along.min() == pytest.approx(0.0, abs=0.02)
        assert along.max() == pytest.approx(length, abs=0.02)
        assert away.max() == pytest.approx(0.116, rel=1e-6)


def test_a_spring_of_no_length_is_drawn_at_its_place() -> None:
    still = np.ones((1, 3))
    points = MovingSymbol(symbol_shape("coil"), still, still, np.full(1, 0.1), np.zeros(3)).points(0)
    assert np.abs(points - 1.0).max() < 0.12
    hidden = MovingSymbol(symbol_shape("coil"), still, 2.0 * still, np.zeros(1), np.zeros(3)).points(0)
    np.testing.assert_array_equal(hidden, np.ones_like(hidden))


@pytest.mark.parametrize("name", ["rod", "ball", "block", "coil", "damper", "force", "moment", "contact"])
def test_symbols_are_closed_surfaces_that_face_outward(name: str) -> None:
    shape = symbol_shape(name)
    assert np.abs(np.column_stack([shape.share, shape.vectors, shape.normals])).max() <= 2.0  # what is packed
    x = shape.vectors + 12.0 * shape.share[:, None] * np.array([0.0, 0.0, 1.0])
    assert TriangleMesh(x, shape.faces).volume > 0
    if name != "coil":  # a wire without lids
        assert np.abs(sum(np.cross(*np.moveaxis(np.diff(x[shape.faces], axis=1), 1, 0)))).max() < 1e-12
