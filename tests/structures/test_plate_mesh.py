"""Meshes of plates: areas, given nodes, outlines that are none."""

from __future__ import annotations

import numpy as np
import pytest

from supple.checks import Floats
from supple.errors import ModelError
from supple.structures.builders.plate_mesh import PlateMesh, area_of, check_outline, fill, grid

L_SHAPE = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2.0]])
SLIT = np.array([[0, 0], [1, 0], [1, 1], [0.52, 1], [0.52, 0.1], [0.48, 0.1], [0.48, 1], [0, 1.0]])
WEDGE = np.array([[0, 0], [3, 0], [1.5, 0.3], [0, 2.0]])


def areas(mesh: PlateMesh) -> Floats:
    return np.array([area_of(corners) for corners in mesh.nodes[mesh.corners][..., :2]])


@pytest.mark.parametrize("outline", [L_SHAPE, SLIT, WEDGE])
def test_elements_fill_a_polygon_and_are_convex(outline: Floats) -> None:
    places = np.array([[0.3, 0.3], [0.301, 0.0], [0.0, 0.0]])
    mesh = fill(check_outline(outline), 0.2, places)
    assert areas(mesh).sum() == pytest.approx(area_of(outline), rel=1e-12)
    x = mesh.nodes[mesh.corners][..., :2]
    before, after = np.roll(x, 1, axis=1) - x, np.roll(x, -1, axis=1) - x
    assert (after[..., 0] * before[..., 1] - after[..., 1] * before[..., 0] > 0).all()
    gaps = np.linalg.norm(mesh.nodes[:, None, :2] - places, axis=2).min(axis=0)
    assert gaps.max() < 1e-12
    assert len(np.unique(mesh.nodes.round(9), axis=0)) == len(mesh.nodes)


def test_an_outline_in_either_direction_is_the_same_plate() -> None:
    np.testing.assert_array_equal(check_outline(L_SHAPE[::-1]), L_SHAPE)


def test_lines_of_a_grid_move_to_where_nodes_are_wanted() -> None:
    mesh = grid(1.0, 0.5, (4, 2), np.array([[0.3, 0.1], [1.0, 0.25], [0.31, 0.1]]))
    np.testing.assert_allclose(np.unique(mesh.nodes[:, 0]), [0, 0.3, 0.31, 0.5, 0.75, 1])
    np.testing.assert_allclose(np.unique(mesh.nodes[:, 1]), [-0.25, 0.1, 0.25])
    assert areas(mesh).sum() == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("outline", "message"),
    [
        ([[0, 0], [1, 1], [1, 0], [0, 1]], "does not cross itself, but edges 1 and 3 meet"),
        ([[0, 0], [2, 0], [1, 0], [1, 1]], "edge 2 runs back along edge 1"),
        ([[0, 0], [1, 0], [2, 0]], "expected a polygon with an area"),
        ([[0, 0], [1, 0], [1, 0], [0, 1]], r"expected different corners, got \[1.0, 0.0\] twice"),
        ([[0, 0], [1, 0]], "expected three corners or more, got 2"),
        ([[0, 0], [2, 0], [2, 2], [1, 0], [0, 2]], "does not cross itself, but edges 1 and 3 meet"),
    ],
)
def test_outlines_that_are_none_are_refused(outline: list[list[float]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        check_outline(np.array(outline, dtype=float))


def test_too_many_nodes_are_refused() -> None:
    with pytest.raises(ModelError, match="at most 50,000 nodes"):
        fill(L_SHAPE, 0.005, np.zeros((0, 2)))
