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
from supple.structures import FlexibleBody, Material, Structure, plate, shell, von_mises
from supple.structures.eigen.lowest_modes import factorised

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


def twisted_beam(n: int, m: int) -> tuple[Floats, Ints]:
    """Twelve by 1.1, turned by a right angle from end to end (MacNeal and Harder, 1985)."""

    def position(u: Floats, v: Floats) -> tuple[Floats, ...]:
        turn, y = np.pi / 2 * u, 1.1 * (v - 0.5)
        return 12.0 * u, y * np.cos(turn), y * np.sin(turn)

    return patch(n, m, position)


@pytest.mark.parametrize(("thickness", "references"), [(0.32, (5.424e-3, 1.754e-3)), (0.0032, (5256.0, 1294.0))])
def test_twisted_beam_of_warped_elements(thickness: float, references: tuple[float, float]) -> None:
    """Tip deflections along a unit force, in the plane of the tip and out of it.

    References: MacNeal and Harder (1985); of the thin beam Simo, Fox and Rifai (1989).
    """
    nodes, quads = twisted_beam(12, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PhysicsWarning)  # in no units
        made = shell(nodes, quads, thickness, Material(E=29e6, nu=0.22, rho=1.0))
    root: Any = nodes[:, 0] < 1e-9
    tip = np.flatnonzero(nodes[:, 0] > 12 - 1e-9)
    for direction, expected in zip((UZ, UY), references, strict=True):
        force = np.zeros(made.layout.size)
        force[6 * tip + direction] = [0.25, 0.5, 0.25]
        found = deflection(made, dict.fromkeys(range(6), root), force)[tip[1], direction]
        assert found == pytest.approx(expected, rel=0.013)
    rigid = made.layout.rigid_motions(np.zeros(3))
    assert np.abs(made.stiffness @ rigid).max() < 1e-13 * abs(made.stiffness).max()


def test_mass_of_a_warped_element() -> None:
    """That of the surface z = h (1 - 2 x) (1 - 2 y) over the unit square, and its moments in rigid motions."""
    h, t = 0.05, 0.01
    made = shell([[0, 0, h], [1, 0, -h], [1, 1, h], [0, 1, -h]], [[0, 1, 2, 3]], t, STEEL)
    x, w = (0.5 * y for y in np.polynomial.legendre.leggauss(8))
    X, Y = np.meshgrid(2.0 * x, 2.0 * x)  # 2 x - 1 and 2 y - 1 of the points
    area = np.outer(w, w) * np.sqrt(1.0 + 4.0 * h**2 * (X**2 + Y**2))
    assert made.mass == pytest.approx(STEEL.rho * t * area.sum(), rel=1e-5)
    rigid = made.layout.rigid_motions(np.array([0.5, 0.5, 0.0]))
    M = rigid.T @ made.mass_matrix @ rigid
    np.testing.assert_allclose(M[3:, 3:], made.mass * np.eye(3), atol=1e-9 * made.mass)
    about_z = STEEL.rho * t * (area * (X**2 + Y**2) / 4.0).sum()
    assert M[2, 2] == pytest.approx(about_z, rel=2e-3)


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
    assert made.elements is not None
    found = made.elements.stresses(scipy.sparse.csr_array(moved.reshape(-1, 1)))
    assert found is not None
    k = len(nodes)
    sigma = (found.values(np.ones(1))[:k, 0] + found.values(np.ones(1))[k:, 0]) / 2.0
    within = np.abs(nodes[:, 0] - L / 2) < 0.3 * L
    theory = -F * (L - nodes[:, 0]) * nodes[:, 2] / inertia
    np.testing.assert_allclose(sigma[within], theory[within], atol=0.02 * np.abs(theory).max())


def box_beam(a: float, length: float, across: int, along: int) -> tuple[Floats, Ints]:
    """A square tube along x."""
    side, zero = np.arange(across) / across - 0.5, np.full(across, 0.5)
    y, z = np.concatenate([[zero, side], [-side, zero], [-zero, -side], [side, -zero]], axis=1) * a
    round_ = tube(1.0, length, 4 * across, along)
    nodes = round_[0]
    nodes[:, 1], nodes[:, 2] = np.tile(y, along + 1), np.tile(z, along + 1)
    return nodes, round_[1]


def test_a_box_beam_in_torsion_has_the_stress_of_bredt_at_its_folds() -> None:
    """Shear flow T / (2 A) over the thickness, on both sides of each fold; faces add and subtract G t twist rate."""
    a, t, L, T = 0.1, 0.002, 1.0, 300.0
    nodes, quads = box_beam(a, L, 4, 20)
    made = shell(nodes, quads, t, STEEL, frames={"start": lambda x: x[0] < 1e-9, "tip": lambda x: x[0] > L - 1e-9})
    source: Any = made.elements
    found = source.stresses(scipy.sparse.csr_array(made.static({"tip": [T, 0, 0, 0, 0, 0]}).reshape(-1, 1)))
    corner = np.isclose(np.abs(nodes[:, 1]), np.abs(nodes[:, 2]))
    assert len(found) == 2 * (len(nodes) + corner.sum())
    assert len(set(found.places)) == len(found)
    lower, upper = np.split(von_mises(found.values(np.ones(1))) / np.sqrt(3.0), 2)
    middle = np.abs(found.positions[: len(lower), 0] - L / 2) < 0.3 * L
    bredt = T / (2 * a**2 * t)
    np.testing.assert_allclose(((lower + upper) / 2.0)[middle], bredt, rtol=0.002)
    np.testing.assert_allclose(np.abs(upper - lower)[middle] / 2.0, bredt * 2.0 * t / a, rtol=0.3)


def test_a_tube_that_widens_has_one_hoop_stress() -> None:
    """All facets have the same strains: the mean at a node is theirs, in the plane that is tangent there."""
    R, widened = 0.1, 1e-4
    nodes, quads = tube(R, 0.5, 16, 3)
    made = shell(nodes, quads, 0.002, STEEL)
    u = np.zeros((len(nodes), 6))
    u[:, UY:] = widened * nodes[:, 1:]
    source: Any = made.elements
    found = von_mises(source.stresses(scipy.sparse.csr_array(u.reshape(-1, 1))).values(np.ones(1)))
    hoop = STEEL.E / (1 - STEEL.nu**2) * widened
    np.testing.assert_allclose(found, hoop * np.sqrt(1 - STEEL.nu + STEEL.nu**2), rtol=1e-9)


@pytest.mark.parametrize("closed", [False, True])
def test_the_surface_of_a_box_is_closed_and_split_at_its_folds(closed: bool) -> None:
    nodes, quads = box_beam(0.1, 0.2, 1, 2)
    if closed:
        quads = np.concatenate([quads, [[0, 1, 2, 3], [11, 10, 9, 8]]])
    made = shell(nodes, quads, 0.002, STEEL)
    surface, source = made.surface, made.elements
    assert surface is not None
    edges = surface.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    _, count = np.unique(edges, axis=0, return_counts=True)
    assert (count == 1).all()
    _, count = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    assert (count == 2).all()
    found = source.stresses(scipy.sparse.csr_array((6 * len(nodes), 1))) if source is not None else None
    assert found is not None
    half = len(found) // 2
    np.testing.assert_allclose(surface.vertices(nodes), np.roll(found.positions, half, axis=0))
    assert np.abs(surface.vertices(nodes)[:, 1:]).max() == pytest.approx(0.051)


def test_folds_leave_rigid_motions_free_and_no_others() -> None:
    nodes, quads = box_beam(0.1, 0.2, 1, 2)
    made = shell(nodes, quads, 0.002, STEEL)
    assert np.abs(made.stiffness @ made.layout.rigid_motions(np.zeros(3))).max() < 1e-12 * abs(made.stiffness).max()
    values = np.linalg.eigvalsh(made.stiffness.toarray())
    assert values[5] < 1e-13 * values[-1]
    assert values[6] > 1e-9 * values[-1]


def test_a_flat_shell_of_any_orientation_is_a_plate() -> None:
    flat = plate((1.0, 0.6), 0.01, STEEL, elements=(4, 3), frames={"start": "x_min"})
    source: Any = flat.elements
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
            r"element 0: corners are 0.\d+ m off its plane",
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
