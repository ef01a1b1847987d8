"""Surfaces are cut where they are sharp, and joined where they are smooth."""

from __future__ import annotations

import numpy as np
import pytest

import supple.shapes as shapes
from supple.view.scene.creases import split_at_sharp_edges


def test_a_box_is_cut_along_all_edges() -> None:
    mesh = shapes.Box((1.0, 2.0, 3.0)).triangles()
    origin, faces = split_at_sharp_edges(mesh.vertices, mesh.faces)
    assert len(origin) == 24
    np.testing.assert_array_equal(mesh.vertices[origin][faces], mesh.vertices[mesh.faces])


def test_a_ball_is_not_cut() -> None:
    mesh = shapes.Sphere(1.0).triangles()
    origin, faces = split_at_sharp_edges(mesh.vertices, mesh.faces)
    assert len(origin) == len(np.unique(mesh.vertices[mesh.faces].reshape(-1, 3), axis=0))
    np.testing.assert_array_equal(mesh.vertices[origin][faces], mesh.vertices[mesh.faces])


@pytest.mark.parametrize("shape", [shapes.Sphere(1.0), shapes.Cylinder(0.3, 1.0)])
def test_vertices_that_a_file_repeats_are_joined(shape: shapes.Shape) -> None:
    mesh = shape.triangles()
    repeated = mesh.vertices[mesh.faces].reshape(-1, 3)
    origin, faces = split_at_sharp_edges(repeated, np.arange(len(repeated)).reshape(-1, 3))
    assert len(origin) == len(split_at_sharp_edges(mesh.vertices, mesh.faces)[0])
    np.testing.assert_array_equal(repeated[origin][faces], mesh.vertices[mesh.faces])


def test_no_triangles_are_none() -> None:
    origin, faces = split_at_sharp_edges(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
    assert (origin.shape, faces.shape) == ((0,), (0, 3))
