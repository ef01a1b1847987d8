"""Shells of facets: the roof and the cylinder of the shell obstacle course, frequencies and stresses of tubes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy
from scipy.spatial.transform import Rotation

from supple.checks import Floats, Ints
from supple.errors import ModelError, PhysicsWarning
from supple.structures import FlexibleBody, Material, Structure, plate, shell
from supple.structures.sparse_modes import factorised

RX, RY, RZ, UX, UY, UZ = range(6)
STEEL = Material(E=2.1e11, nu=0.3, rho=7850.0)


def patch(n: int, m: int, position: Callable[[Floats, Floats], tuple[Floats, ...]]) -> tuple[Floats, Ints]:
    """Nodes and quadrilaterals over the unit square of parameters."""
    u, v = (x.ravel() for x in np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, m + 1)))
    i = (np.arange(m)[:, None] * (n + 1) + np.arange(n)).ravel()
    return np.stack(position(u, v), axis=1), np.stack([i, i + 1, i + n + 2, i + n + 1], axis=1)


def tube(radius: float, length: float, round_: int, along: int) -> tuple[Floats, Ints]:
    """A closed circular tube along x."""
    t, x = 2 * np.pi * np.arange(round_) / round_, np.linspace(0.0, length, along + 1)
    T, X = (y.ravel() for y in np.meshgrid(t, x))
    nodes = np.stack([X, radius * np.cos(T), radius * np.sin(T)], axis=1)
    i, j = (y.ravel() for y in np.meshgrid(np.arange(round_), np.arange(along)))
    k = (i + 1) % round_
    return nodes, np.stack([j * round_ + i, (j + 1) * round_ + i, (j + 1) * round_ + k, j * round_ + k], axis=1)


def deflection(made: Structure, held: dict[int, Floats], force: Floats) -> Floats:
    """(k, 6) with directions held where the nodes (k,) say so."""
    fixed = np.unique(np.concatenate([6 * np.flatnonzero(where) + c for c, where in held.items()]))
    free = np.setdiff1d(np.arange(made.layout.size), fixed)
    u = np.zeros(made.layout.size)
    u[free] = factorised(scipy.sparse.csr_array(made.stiffness[free][:, free])).solve(force[free])
    return u.reshape(-1, 6)


def test_scordelis_lo_roof() -> None:
    """0.3024 at the middle of the free edge (MacNeal and Harder, 1985); a quarter of the roof."""
    R, L, angle = 25.0, 50.0, np.deg2rad(40.0)
    nodes, quads = patch(8, 8, lambda u, v: (R * np.sin(angle * u), L / 2 * v, R * np.cos(angle * u)))
    roof = shell(nodes, quads, 0.25, Material(E=4.32e8, nu=0.0, rho=1.0))
    weight = 90.0 / 0.25 * (roof.mass_matrix @ np.tile([0.0, 0.0, 0.0, 0.0, 0.0, -1.0], len(nodes)))
    x, y, _ = nodes.T
    wall, middle, crown = y > L / 2 - 1e-9, y < 1e-9, x < 1e-9
    held = {UX: wall | crown, UZ: wall, UY: middle, RX: middle, RY: crown, RZ: middle | crown}
    sag = deflection(roof, held, weight)[8, UZ]
    assert sag == pytest.approx(-0.3024, rel=0.01)


def test_pinched_cylinder_with_diaphragms() -> None:
    """1.8248e-5 under each load (Belytschko et al., 1985); an eighth. MITC4 has 0.93 with 16 elements a side."""
    R, L = 300.0, 600.0
    nodes, quads = patch(16, 16, lambda u, v: (R * np.sin(np.pi / 2 * u), L / 2 * v, R * np.cos(np.pi / 2 * u)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PhysicsWarning)  # a soft material in no units
        cylinder = shell(nodes, quads, 3.0, Material(E=3e6, nu=0.3, rho=1.0))
    x, y, z = nodes.T
    wall, middle, top, side = y > L / 2 - 1e-6, y < 1e-6, x < 1e-6, z < 1e-6
    held = {UX: wall | top, UY: middle, UZ: wall | side, RX: middle | side, RY: top | side, RZ: middle | top}
    load = np.zeros(cylinder.layout.size)
    load[UZ] = -0.25
    assert deflection(cylinder, held, load)[0, UZ] == pytest.approx(-1.8248e-5, rel=0.08)
    assert deflection(cylinder, held, load)[0, UZ] == pytest.approx(-0.929 * 1.8248e-5, rel=0.005)


def test_a_free_cylinder_rings_as_a_ring_does() -> None:
    """Rayleigh's inextensional modes of a short free cylinder, n = 2 and 3: those of a ring in plane stress.

    w^2 = n^2 (n^2 - 1)^2 / (n^2 + 1) D / (rho t R^4), with E t^3 / 12 in place of D for a narrow ring.
    """
    R, t, b = 1.0, 0.005, 0.04
    nodes, quads = tube(R, b, 72, 1)
    ring = shell(nodes, quads, t, STEEL, frames={"start": 0})
    K, M = ring.stiffness, ring.mass_matrix
    squares = scipy.sparse.linalg.eigsh(
        K, 20, M, sigma=-1e2, v0=np.ones(K.shape[0]), return_eigenvectors=False, which="LM"
    )
    frequencies = np.sqrt(np.sort(squares)[6:]) / (2 * np.pi)
    for n in (2, 3):
        square = n**2 * (n**2 - 1) ** 2 / (n**2 + 1) * STEEL.E * t**2 / 12 / (STEEL.rho * R**4)
        near = np.abs(frequencies / (np.sqrt(square) / (2 * np.pi)) - 1.0)
        assert np.sort(near)[1] < 0.02  # each twice
    assert ring.mass == pytest.approx(STEEL.rho * t * b * 72 * 2 * R * np.sin(np.pi / 72))


def test_a_tube_under_a_tip_force_has_the_stresses_of_a_beam() -> None:
    R, t, L, F = 0.1, 0.002, 1.5, 1000.0
    nodes, quads = tube(R, L, 24, 20)
    made = shell(nodes, quads, t, STEEL, frames={"start": lambda x: x[0] < 1e-9, "tip": lambda x: x[0] > L - 1e-9})
    moved = made.static({"tip": [0, 0, 0, 0, 0, F]})
    n, G = 24, STEEL.E / (2.0 * (1.0 + STEEL.nu))
    area = 2 * n * R * np.sin(np.pi / n) * t
    inertia = area / 2 * R**2 * (1 + 2 * np.cos(np.pi / n) ** 2) / 3  # of a thin polygon
    expected = F * L**3 / (3 * STEEL.E * inertia) + F * L / (0.53 * G * area)  # Cowper's coefficient of a thin tube
    assert moved[-1, UZ] == pytest.approx(expected, rel=0.01)
    assert made.stress_source is not None
    found = made.stress_source.stresses(scipy.sparse.csr_array(moved.reshape(-1, 1)))
    assert found is not None
    k = len(nodes)
    sigma = (found.values(np.ones(1))[:k, 0] + found.values(np.ones(1))[k:, 0]) / 2.0
    within = np.abs(nodes[:, 0] - L / 2) < 0.3 * L
    theory = -F * (L - nodes[:, 0]) * nodes[:, 2] / inertia
    np.testing.assert_allclose(sigma[within], theory[within], atol=0.02 * np.abs(theory).max())


def test_a_flat_shell_of_any_orientation_is_a_plate() -> None:
    flat = plate((1.0, 0.6), 0.01, STEEL, elements=(4, 3), frames={"start": "x_min"})
    source: Any = flat.stress_source
    turn = Rotation.from_euler("ZYX", [0.4, -1.1, 0.3]).as_matrix()
    nodes = flat.nodes @ turn.T + [1.0, 2.0, 3.0]
    made = shell(nodes, source.plate.corners, 0.01, STEEL, frames={"start": list(flat.frames["start"])})
    whole = scipy.sparse.kron(scipy.sparse.eye_array(2 * len(nodes)), turn)
    for one, other in ((made.stiffness, flat.stiffness), (made.mass_matrix, flat.mass_matrix)):
        assert abs(whole.T @ one @ whole - other).max() < 1e-9 * abs(other).max()
    ours, theirs = made.reduce("cantilever", 4), flat.reduce("cantilever", 4)
    np.testing.assert_allclose(ours.stiffness.diagonal(), theirs.stiffness.diagonal(), rtol=1e-8)
    principal = [principal_stresses(body) for body in (ours, theirs)]
    np.testing.assert_allclose(principal[0], principal[1], atol=1e-6 * np.abs(principal[1]).max())
    assert ours.report is not None
    assert theirs.report is not None
    straight = shell(flat.nodes, source.plate.corners, 0.01, STEEL, frames={"start": list(flat.frames["start"])})
    upright = straight.reduce("cantilever", 4).report
    assert upright is not None
    np.testing.assert_allclose(upright.southwell, theirs.report.southwell, rtol=1e-6, atol=1e-9)
    assert made.surface is not None
    vertices = made.surface.vertices(nodes)
    np.testing.assert_allclose((vertices[: len(nodes)] - vertices[len(nodes) :]) @ turn[:, 2], 0.01, rtol=1e-9)


def principal_stresses(body: FlexibleBody) -> Floats:
    """(points, 3) for unit coordinates."""
    assert body.recovery is not None
    assert body.recovery.stresses is not None
    xx, yy, zz, xy, yz, zx = body.recovery.stresses.values(np.ones(body.modes)).reshape(-1, 6).T
    tensors = np.moveaxis(np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]), -1, 0)
    return np.asarray(np.linalg.eigvalsh(tensors), dtype=np.float64)


def test_triangles_are_cut_into_quadrilaterals() -> None:
    nodes = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.2], [0.0, 1.0, 0.2]]
    made = shell(nodes, [[0, 1, 2], [0, 2, 3]], 0.01, STEEL, frames={"start": [0, 1]})
    assert len(made.nodes) == 4 + 5 + 2
    assert made.mass == pytest.approx(STEEL.rho * 0.01 * np.hypot(1.0, 0.2))


@pytest.mark.parametrize(
    ("nodes", "elements", "message"),
    [
        (
            [[0, 0, 0], [1, 0, 0], [1, 1, 0.9], [0, 1, 0]],
            [[0, 1, 2, 3]],
            r"element 0: expected four corners in a plane",
        ),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], [[0, 1, 2, 3]], r"element 0: .* with an area"),
        ([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 2, 1, 3]], r"element 0: expected a"),
        (
            [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]],
            [[0, 1, 2, 4]],
            r"element 0: .* from 0 to 3, got \[0, 1, 2, 4\]",
        ),
        ([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 2, 2]], [[0, 1, 2, 3]], r"node 4: expected all nodes in"),
        (
            [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 2, 0], [1, 2, 0]],
            [[0, 1, 2, 3], [2, 3, 4, 5]],
            r"elements 0 and 1: expected nodes that go round in the same sense",
        ),
        ([[0, 0, 0], [1, 0, 0]], [[0, 1]], r"elements: expected whole numbers of shape"),
    ],
)
def test_wrong_meshes(nodes: Any, elements: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        shell(np.array(nodes, dtype=float), elements, 0.01, STEEL)
