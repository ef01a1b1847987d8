"""Nodes are joined as the structure was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from supple import structures
from supple.structures import FlexibleBody
from supple.view.scene.guessed_surface import outline

STEEL = structures.Material(E=2e11, nu=0.3, rho=7800.0)
SQUARE = structures.Rectangle(0.02, 0.02)


def reduced(structure: structures.Structure) -> FlexibleBody:
    return structure.reduce("cantilever", modes=2)


@pytest.mark.parametrize(
    "points", [[(0, 0, 0), (1, 0, 0)], [(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 0, 0), (1, 0, 0), (1, 1, 1)]]
)
def test_a_beam_is_a_line_from_node_to_node(points: list[tuple[float, float, float]]) -> None:
    found = outline(reduced(structures.beam_path(points, SQUARE, STEEL, 5)))
    count = 5 * (len(points) - 1)
    assert {tuple(sorted(line)) for line in found.lines.tolist()} == {(i, i + 1) for i in range(count)}
    assert len(found.triangles) == 0


def test_a_solid_is_its_closed_surface() -> None:
    body = reduced(structures.box(1.0, 0.3, 0.1, STEEL, (6, 3, 2), quadratic=False))
    found = outline(body)
    x = body.nodes[found.nodes][found.triangles]
    areas = np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1) / 2.0
    assert areas.sum() == pytest.approx(2 * (0.3 + 0.1 + 0.03), rel=0.05)
    edges = np.sort(
        np.concatenate([found.triangles[:, [0, 1]], found.triangles[:, [1, 2]], found.triangles[:, [0, 2]]])
    )
    _, counts = np.unique(edges, axis=0, return_counts=True)
    assert np.all(counts % 2 == 0)


def test_a_plate_with_a_hole_keeps_it() -> None:
    x, y = (a.ravel() for a in np.meshgrid(np.arange(9) / 8, np.arange(9) / 8))
    hole = (np.abs(x - 0.5) < 0.2) & (np.abs(y - 0.5) < 0.2)
    nodes = np.stack([x, y, 0.0 * x], axis=1)[~hole]
    beam = reduced(structures.beam(1.0, SQUARE, STEEL, len(nodes) - 1))
    plate = replace(beam, nodes=nodes)
    found = outline(plate)
    triangles = nodes[found.nodes][found.triangles]
    a, b = (triangles[:, i, :2] - triangles[:, 0, :2] for i in (1, 2))
    area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum() / 2.0
    filled_corners = 4 * 0.125**2 / 2
    assert area == pytest.approx(1.0 - 0.25 + filled_corners)
