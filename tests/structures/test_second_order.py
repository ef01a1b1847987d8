"""Displacements of second order: buckling loads, Southwell coefficients, kinematics of bent and twisted beams."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from supple.errors import ModelError
from supple.structures import (
    FlexibleBody,
    Material,
    Rectangle,
    SecondOrder,
    Structure,
    beam,
    beam_path,
    box,
    from_matrices,
)
from supple.structures.body.integration import modal_integrals
from supple.structures.discretization.clamping import clamp
from supple.structures.elements.beam import BeamSegment
from supple.structures.elements.beam_element import Element, gauss
from supple.structures.elements.stressed_state import LoadCases
from supple.structures.stiffening.geometric_stiffness import stressed_loads
from supple.structures.stiffening.second_order import second_order
from supple.structures.stiffening.unit_loads import unit_loads
from supple.structures.stiffening.unit_mass_basis import residual_mass

Floats = NDArray[np.float64]
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
LENGTH = 2.0
THIN = Rectangle(0.02, 0.01)


@pytest.fixture
def every_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shapes also for loads that would have to bend the body beyond linear theory before they matter.

    And for points on arms that hardly move.
    """
    monkeypatch.setattr("supple.structures.stiffening.geometric_stiffness.IN_RANGE", 1e300)
    monkeypatch.setattr("supple.structures.stiffening.finite_rotation.NOTICEABLE", 1e-4)


def slaved(body: FlexibleBody) -> SecondOrder:
    assert body.second_order is not None
    return body.second_order


def along(body: FlexibleBody, coefficients: Floats) -> Floats:
    """sum_k coefficients_k C_k (n, n)."""
    return np.einsum("k,krs->rs", coefficients, slaved(body).quadratic.dense())


def under_force(body: FlexibleBody, frame: str, component: int) -> Floats:
    """Geometric stiffness of a unit moment or force at a frame: -g there."""
    return -along(body, body.frames[frame].second[component])


def buckling(body: FlexibleBody, geometric: Floats) -> tuple[float, float]:
    """Lowest factors of a load, against and along it, at which the stiffness is singular; inf for none."""
    shares = scipy.linalg.eigh(-geometric, body.stiffness.toarray(), eigvals_only=True)
    least = 1e-12 * np.abs(shares).max()
    return (
        -1.0 / shares.min() if shares.min() < -least else np.inf,
        1.0 / shares.max() if shares.max() > least else np.inf,
    )


# ------------------------------------------------------------ the element


def test_linear_axial_force_gives_the_published_matrix() -> None:
    """Cubic shapes and N linear from N1 to N2: exact, so that rounding is all that may differ."""
    l, N1, N2 = 0.7, 3.0, -1.4
    segment = BeamSegment(Element(l, THIN, ALUMINIUM, False), np.eye(3), np.array([0]), np.zeros((2, 3)), False)
    s, w = gauss()
    resultants = np.zeros((len(s), 6))
    resultants[:, 0] = N1 + (N2 - N1) * s
    K = np.tensordot(resultants, segment.unit_matrices(s, w), 2)
    a = 3.0 * (N1 + N2) / (5.0 * l)
    expected = np.array(
        [
            [a, N2 / 10, -a, N1 / 10],
            [N2 / 10, l * (3 * N1 + N2) / 30, -N2 / 10, -l * (N1 + N2) / 60],
            [-a, -N2 / 10, a, -N1 / 10],
            [N1 / 10, -l * (N1 + N2) / 60, -N1 / 10, l * (N1 + 3 * N2) / 30],
        ]
    )
    for dofs, sign in (((4, 2, 10, 8), 1.0), ((5, 1, 11, 7), -1.0)):
        signs = np.array([1.0, sign, 1.0, sign])
        np.testing.assert_allclose(K[np.ix_(dofs, dofs)], expected * np.outer(signs, signs), atol=1e-14 * a)


@pytest.mark.parametrize("shear", [False, True])
def test_energy_is_the_work_of_the_resultants_on_exact_strains(shear: bool) -> None:
    """Strains of a section that turns by exp(theta), by second differences: 1e-6 is their error at this step.

    Left out on both sides: the stretch of the axis, and the trapeze term, which is not one of a rigid section. Axial
    forces work on the slope of the axis, those of a section that turns by itself on another angle: none with shear.
    """
    element = Element(0.7, Rectangle(0.2, 0.1), ALUMINIUM, shear)
    segment = BeamSegment(element, np.eye(3), np.array([0]), np.zeros((2, 3)), False)
    s, w = gauss()
    rng = np.random.default_rng(1)
    n, m = rng.normal(size=(2, len(s), 3))
    d = rng.normal(size=12)
    d[[3, 9]] = 0.0
    if shear:
        n[:, 0] = 0.0
    turn, _ = element.motion(s)
    slopes, rates = element.slopes(s), element.strains(s)[:, 1:]
    weights = w * element.length

    def work(size: float) -> float:
        theta, rate = size * (turn @ d), size * (rates @ d)
        tangent = np.column_stack([np.ones(len(s)), size * (slopes @ d)])
        R = Rotation.from_rotvec(theta)
        h = 1e-5
        bend = (Rotation.from_rotvec(theta - h * rate).inv() * Rotation.from_rotvec(theta + h * rate)).as_rotvec()
        strain = R.inv().apply(tangent) - [1.0, 0.0, 0.0]
        return float(weights @ (np.sum(n * strain, axis=1) + np.sum(m * bend, axis=1) / (2.0 * h)))

    h = 1e-3
    twist = rates[:, 0] @ d
    trapeze = float(weights * n[:, 0] * element.section.polar / element.section.A @ twist**2)
    K = np.tensordot(np.concatenate([n, m], axis=1), segment.unit_matrices(s, w), 2)
    assert d @ K @ d - trapeze == pytest.approx((work(h) + work(-h)) / h**2, rel=1e-5)


# ------------------------------------------------------------ buckling


def test_euler_column_and_own_weight() -> None:
    """One bending plane: pi^2/4 EI/L^2, and q L^3/EI = 7.837347, the first zero of a Bessel function of order -1/3."""
    body = beam(LENGTH, THIN, ALUMINIUM, 20).reduce("cantilever", modes=24)
    EI, mass = ALUMINIUM.E * THIN.Iy, ALUMINIUM.rho * THIN.A
    compression, tension = buckling(body, under_force(body, "end", 3))
    assert tension > 1e3 * compression
    first = np.pi**2 / 4.0 * EI / LENGTH**2
    assert first < compression < 1.0001 * first  # modes converge from above
    weight = buckling(body, -along(body, slaved(body).E[:, 0]))[0]
    zero = scipy.optimize.brentq(lambda x: scipy.special.jv(-1.0 / 3.0, x), 1.5, 2.2)
    assert weight * mass * LENGTH**3 / EI == pytest.approx(2.25 * zero**2, rel=2e-6)
    assert 2.25 * zero**2 == pytest.approx(7.837347, abs=5e-7)


@pytest.mark.parametrize("shear", [False, True])
def test_nodal_coordinates_and_columns_that_shear(shear: bool) -> None:
    """Engesser's load P/(1 + P/kGA): shear makes 2.5 % here, Haringx's formula 6e-4 more; 40 elements give 3e-6."""
    square = Rectangle(0.2, 0.2)
    body = beam(1.0, square, ALUMINIUM, 40, shear=shear).reduce("nodal")
    euler = np.pi**2 / 4.0 * ALUMINIUM.E * square.Iy
    soft = euler / (square.shear_factors(ALUMINIUM.nu)[0] * ALUMINIUM.G * square.A) if shear else 0.0
    compression, _ = buckling(body, under_force(body, "end", 3))
    assert compression == pytest.approx(euler / (1.0 + soft), rel=1e-5)


@pytest.mark.usefixtures("every_load")
def test_lateral_buckling_of_a_strip() -> None:
    """A force on the tip along the height: 4.012599 sqrt(EI GJ)/L^2 either way; linear twist converges with h^2."""
    strip = Rectangle(0.001, 0.05)
    scale = np.sqrt(ALUMINIUM.E * strip.Iz * ALUMINIUM.G * strip.J) / LENGTH**2
    exact = 2.0 * scipy.optimize.brentq(lambda x: scipy.special.jv(-0.25, x), 1.5, 2.5)
    assert exact == pytest.approx(4.012599, abs=5e-7)
    errors = []
    for elements in (10, 20):
        body = beam(LENGTH, strip, ALUMINIUM, elements).reduce("nodal")
        down, up = buckling(body, under_force(body, "end", 5))
        assert down == pytest.approx(up, rel=1e-9)
        errors.append(up / scale / exact - 1.0)
    assert 0.0 < errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)


@pytest.mark.usefixtures("every_load")
def test_right_angle_frame() -> None:
    """Argyris et al. (1979): a thin frame buckles out of its plane under a force at its end, at 1.088 N one way and
    0.68 N the other. Moments cross the corner, where bending of one leg is twist of the other.
    """
    frame = beam_path(
        [(0, 0, 0), (0.24, 0, 0), (0.24, -0.24, 0)],
        Rectangle(0.0006, 0.03),
        Material(E=71.24e9, nu=0.31, rho=2700),
        20,
        y_axis="z",
    )
    body = frame.reduce("nodal")
    against, along_x = buckling(body, under_force(body, "end", 3))
    assert against == pytest.approx(0.680, rel=5e-3)
    assert along_x == pytest.approx(1.088, rel=5e-3)


# ------------------------------------------------------------ stiffening


@pytest.mark.parametrize("basis", ["cantilever", "nodal"])
def test_southwell_coefficients_and_hanging_strips(basis: str) -> None:
    """Values of the continuous beam without rotary inertia: in a foil that makes 1e-7, 30 elements 1e-6.

    Hung from one end the strip bends near it, which takes many modes: nodal coordinates have them all.
    """
    foil = Rectangle(0.02, 0.001)
    body = beam(LENGTH, foil, ALUMINIUM, 30).reduce(basis, modes=None if basis == "nodal" else [1, 2, 3])
    K, M = body.stiffness.toarray(), body.mass_matrix.toarray()
    spread, uniform = -along(body, slaved(body).X[:, 0, 0]), -along(body, slaved(body).E[:, 0])
    _, modes = scipy.linalg.eigh(K, M, subset_by_index=[0, 0])
    shape = modes[:, 0]
    assert shape @ spread @ shape == pytest.approx(1.193336, rel=2e-6)
    assert shape @ (spread + LENGTH * uniform) @ shape == pytest.approx(2.764214, rel=2e-6)
    EI, mass = ALUMINIUM.E * foil.Iy, ALUMINIUM.rho * foil.A
    for gamma, expected in ((1.0, 3.732626), (10.0, 5.291783), (100.0, 12.868742)):
        gravity = gamma * EI / (mass * LENGTH**3)
        squares = scipy.linalg.eigh(K + gravity * uniform, M, eigvals_only=True)
        error = np.sqrt(squares[0] * mass * LENGTH**4 / EI) / expected - 1.0
        assert -1e-6 < error < (2e-6 if basis == "nodal" else 2e-2)


# ------------------------------------------------------------ kinematics


def exact_end(body: FlexibleBody, eta: Floats) -> Floats:
    """Rotation vector and position of the end of a straight beam whose material curvatures are linear in eta."""
    assert body.strains is not None
    values = body.strains.matrix @ eta
    by_label = dict(zip(body.strains.labels, values, strict=True))
    R, r = Rotation.identity(), np.zeros(3)
    for i in range(len(body.nodes) - 1):
        l = float(np.linalg.norm(body.nodes[i + 1] - body.nodes[i]))
        twist = by_label[f"{i}-{i + 1} twist"]
        first, last = (
            np.array([twist, *(by_label[f"{i}-{i + 1} at {i + end} curvature {axis}"] for axis in "yz")])
            for end in range(2)
        )
        pieces = 40
        for j in range(pieces):
            bend = (first + (last - first) * (j + 0.5) / pieces) * l / pieces
            r = r + (R * Rotation.from_rotvec(bend / 2.0)).apply([l / pieces, 0.0, 0.0])
            R = R * Rotation.from_rotvec(bend)
    return np.concatenate([R.as_rotvec(), r])


@pytest.mark.usefixtures("every_load")
def test_second_order_displacement_of_the_end_of_a_beam() -> None:
    """Second differences of the exact curve; its pieces, all turned by their middle, make errors of some 1e-5."""
    body = beam(1.0, Rectangle(0.02, 0.015), ALUMINIUM, 6).reduce("craig-bampton", modes=2)
    rng = np.random.default_rng(3)
    for _ in range(3):
        eta = rng.normal(size=body.modes) / np.sqrt(body.stiffness.diagonal())
        eta *= 1e-3 / np.abs(body.frames["end"].shape @ eta).max()
        differences = exact_end(body, eta) + exact_end(body, -eta) - 2.0 * exact_end(body, 0.0 * eta)
        g = slaved_end(body, eta)
        assert np.abs(g[:3]).min() > 1e-3 * np.abs(g).max()  # all rotations and displacements of second order take part
        np.testing.assert_allclose(g, differences, atol=1e-4 * np.abs(g).max())


def slaved_end(body: FlexibleBody, eta: Floats) -> Floats:
    """eta* g eta at the end."""
    C = slaved(body).quadratic.dense()
    return body.frames["end"].second @ np.einsum("r,krs,s->k", eta, C, eta)


# ------------------------------------------------------------ any structure


STRUCTURES = ("beam", "lumped", "shear", "free", "path", "nodal", "region", "box")


@cache
def structures() -> dict[str, tuple[Structure, str, int | None]]:
    corner = beam_path([(0, 0, 0), (0.6, 0, 0), (0.6, 0.5, 0.3)], Rectangle(0.02, 0.01), ALUMINIUM, 5)
    return {
        "beam": (beam(LENGTH, THIN, ALUMINIUM, 8), "cantilever", 12),
        "lumped": (beam(LENGTH, THIN, ALUMINIUM, 8, lumped=True), "cantilever", 12),
        "shear": (beam(LENGTH, THIN, ALUMINIUM, 8, shear=True), "craig-bampton", 2),
        "free": (beam(LENGTH, THIN, ALUMINIUM, 8).with_mass("end", 0.3, offset=(0.0, 0.1, 0.0)), "free-free", 4),
        "path": (corner, "cantilever", 6),
        "nodal": (corner, "nodal", None),
        "region": (corner.with_frame("stiff", [4, 5, 6]), "cantilever", 6),
        "box": (box(1.0, 0.05, 0.02, ALUMINIUM, (4, 1, 1)), "cantilever", 6),
    }


def as_found(structure: Structure, body: FlexibleBody) -> SecondOrder:
    """Shapes of second order before the body takes them in a basis of its own: of loads, then of points on arms."""
    held = clamp(structure, "start")
    coordinates: Any = np.linalg.lstsq(structure.condensed.motion.toarray(), body.shapes.toarray(), rcond=None)[0]
    if body.basis == "nodal":
        coordinates = scipy.sparse.csr_array(np.where(np.abs(coordinates) < 1e-9, 0.0, coordinates))
    assert structure.elements is not None
    unit = unit_loads(structure, held)
    loads = stressed_loads(structure, held, unit, coordinates, body.stiffness)
    found = second_order(structure, held, coordinates, unit, loads)
    assert found is not None
    return found


def in_condensed(structure: Structure, body: FlexibleBody, found: SecondOrder) -> tuple[Any, Floats]:
    """Shapes of second order that move points of the condensed structure; the coordinates' shapes and those, there."""
    motion, second = structure.condensed.motion.toarray(), found.shapes
    moved = np.column_stack([body.shapes.toarray(), second])
    both = np.linalg.lstsq(motion, moved, rcond=None)[0]
    rest = np.abs(motion @ both - moved).max(axis=0)[body.modes :]
    columns = np.flatnonzero(second.any(axis=0) & (rest < 1e-9 * np.abs(second).max(axis=0)))
    return columns, np.concatenate([both[:, : body.modes], both[:, body.modes + columns]], axis=1)


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.usefixtures("every_load")
def test_loads_do_the_work_of_their_stresses(name: str) -> None:
    """K_sigma(f) = -f* g for every unit load f, though few shapes are left of those of all loads.

    K_sigma(f) is that of the stresses of f itself. Coordinates are scaled to unit stiffness; what the few shapes leave
    out is allowed 1e-6 of the load's own matrix, and loads that hardly stiffen the body 1e-5 of the largest of their
    kind.
    """
    structure, basis, modes = structures()[name]
    body = structure.reduce(basis, modes)
    second, held = as_found(structure, body), clamp(structure, "start")
    loads = unit_loads(structure, held)
    assert structure.elements is not None
    columns, both = in_condensed(structure, body, second)
    coordinates, shapes = np.split(both, [body.modes], axis=1)
    stressed = stressed_loads(structure, held, loads, coordinates, body.stiffness)
    every = np.zeros((body.modes, body.modes, len(stressed.family)))
    every[stressed.rows, stressed.columns] = stressed.value
    size = 1.0 / np.sqrt(body.stiffness.diagonal())
    scale = np.outer(size, size)
    exact = np.array([-scale * (every @ work) for work in stressed.work])
    C = second.quadratic.dense()[columns]
    found = np.array([-scale * np.tensordot(f @ shapes, C, 1) for f in loads.forces.T])
    sizes = np.abs(exact).max(axis=(1, 2))
    assert (sizes > 0).sum() >= 3
    for i, kind in enumerate(loads.kinds):
        floor = 1e-5 * sizes[loads.kinds == kind].max()
        np.testing.assert_allclose(found[i], exact[i], atol=max(1e-6 * sizes[i], floor))


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.usefixtures("every_load")
def test_shapes_have_a_unit_of_mass_beside_the_modes_or_none(name: str) -> None:
    """Rounding is that of their whole masses, of which little may be left; displacements stay what they were.

    A second time nothing changes.
    """
    structure, basis, modes = structures()[name]
    body = structure.reduce(basis, modes)
    second, found = slaved(body), as_found(structure, body)
    left = residual_mass(body.mass_matrix, second.mass_cross, second.mass_own)
    massive = int((np.diagonal(left) > 0.5).sum())
    assert massive > 0
    size = np.sqrt(np.diagonal(second.mass_own))
    expected = np.diag(np.arange(second.count) < massive).astype(float)
    assert (np.abs(left - expected) < 1e-11 * np.outer(size, size)).all()
    eta = body.small_amplitude(0.1) * np.random.default_rng(0).normal(size=body.modes)
    moved = [x.shapes @ x.quadratic.amplitudes(eta) for x in (second, found)]
    assert moved[0].any()
    np.testing.assert_allclose(moved[0], moved[1], atol=1e-9 * np.abs(moved[1]).max())
    np.testing.assert_array_equal(replace(body).frames["end"].second, body.frames["end"].second)


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.usefixtures("every_load")
def test_integrals_are_those_of_the_shapes(name: str) -> None:
    """The coordinates and the shapes of second order as one basis: its modal integrals and mass matrix.

    Shapes that move points on arms are left out; of all together the mass matrix is not negative.
    """
    structure, basis, modes = structures()[name]
    body = structure.reduce(basis, modes)
    second, small = as_found(structure, body), structure.condensed
    n, origin = body.modes, small.layout.points[small.frames["start"]]
    of_nodes, both = in_condensed(structure, body, second)
    whole = modal_integrals(small.mass, both, small.layout, origin)
    N = whole.N.dense()
    M = both.T @ (small.mass.matrix @ both)
    for mine, expected in (
        (second.E[of_nodes], whole.E[n:]),
        (second.X[of_nodes], whole.X[n:]),
        (second.N_cross[:, of_nodes], N[:n, n:]),
        (second.N_own[np.ix_(of_nodes, of_nodes)], N[n:, n:]),
        (second.mass_cross[:, of_nodes], M[:n, n:]),
        (second.mass_own[np.ix_(of_nodes, of_nodes)], M[n:, n:]),
    ):
        np.testing.assert_allclose(mine, expected, atol=1e-10 * max(np.abs(expected).max(), np.sqrt(np.diag(M)).max()))
    assert second.E.any()
    assert second.N_own.any()
    G = np.block([[body.mass_matrix.toarray(), second.mass_cross], [second.mass_cross.T, second.mass_own]])
    assert np.linalg.eigvalsh(G)[0] > -1e-12 * np.abs(G).max()
    for frame in body.frames:
        np.testing.assert_array_equal(body.frame(frame).second, slaved(body).frames[frame])
    assert not body.frames["start"].second.any()
    last = body.frame(str(len(body.nodes) - 1))
    np.testing.assert_array_equal(last.second, slaved(body).shapes[-6:])


@pytest.mark.usefixtures("every_load")
def test_a_straight_beam_needs_few_shapes() -> None:
    """Three of stretch for bending in one plane, which move nothing sideways; one of twist if it bends both ways."""
    rod = beam(LENGTH, THIN, ALUMINIUM, 10)
    plane = slaved(rod.reduce("cantilever", modes=[1, 3, 5]))
    assert plane.count == 3
    moved = plane.shapes.reshape(-1, 6, 3)
    assert moved[1:, 3].any()
    assert not moved[:, [0, 1, 2, 4, 5]].any()
    assert slaved(rod.reduce("cantilever", modes=6)).count == 4
    C = slaved(rod.reduce("cantilever", modes=6)).quadratic
    np.testing.assert_array_equal(C.dense(), C.dense().swapaxes(1, 2))
    assert rod.reduce("cantilever", modes=0).second_order is None


def test_loads_out_of_range_get_no_shapes() -> None:
    """Twist by a moment, and bending of a square rod before it buckles sideways, need rotations of a radian.

    The report has them all the same.
    """
    rod = beam(LENGTH, Rectangle(0.01, 0.01), ALUMINIUM, 10).reduce("craig-bampton", modes=2)
    assert slaved(rod).count == 4  # three of stretch, one of points on arms: a square that twists is turned by its spin
    stretched = slaved(rod).shapes.any(axis=0)
    assert stretched.sum() == 3
    assert rod.report is not None
    factors = rod.report.buckling[rod.report.load_cases.index("moment x at end")]
    assert np.isfinite(factors).all()
    flat = beam(LENGTH, Rectangle(0.001, 0.05), ALUMINIUM, 10).reduce("craig-bampton", modes=2)
    assert slaved(flat).count > 3


def require_equal_when_turned(points: Any, section: Any, turn: Any) -> None:
    """Require that the tip of a path moves in second order as in other axes; rounding of two reductions, 1e-8."""
    R = Rotation.from_rotvec(turn).as_matrix()
    nodes = np.array(points, float)
    y = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])[: len(nodes) - 1]
    plain, turned = (
        beam_path(nodes @ Q.T, section, ALUMINIUM, 5, y_axis=list(y @ Q.T)).reduce("cantilever", modes=5)
        for Q in (np.eye(3), R)
    )
    assert slaved(plain).count == slaved(turned).count
    signs = np.sign(
        np.einsum("in,in->n", turned.frames["end"].shape, np.kron(np.eye(2), R) @ plain.frames["end"].shape)
    )
    g, g_turned = (
        np.einsum("ik,krs->irs", body.frames["end"].second, slaved(body).quadratic.dense()) for body in (plain, turned)
    )
    expected = np.einsum("ij,jrs,r,s->irs", np.kron(np.eye(2), R), g, signs, signs)
    np.testing.assert_allclose(g_turned, expected, atol=1e-8 * np.abs(g).max())


@pytest.mark.usefixtures("every_load")
def test_rotation_of_the_whole_structure_changes_nothing() -> None:
    require_equal_when_turned([(0, 0, 0), (0.6, 0, 0), (0.6, 0.5, 0.3)], Rectangle(0.02, 0.013), [0.4, -1.1, 0.7])


@pytest.mark.parametrize("turn", [[0.0, 0.0, 0.9], [0.0, 0.615, 0.785], [0.4, -1.1, 0.7]])
def test_a_straight_beam_stiffens_in_any_direction(turn: list[float]) -> None:
    """Of loads along the structure's axes all would bend a beam that lies across these: none showed how stiff it is."""
    require_equal_when_turned([(0, 0, 0), (1.0, 0, 0)], Rectangle(0.02, 0.01), turn)


@pytest.mark.usefixtures("every_load")
def test_solids_are_like_beams() -> None:
    """Largest and least shares of the stiffness that unit loads at the end take or give.

    The ends of the block do not warp, which makes it stiffer in torsion, and its mesh is coarse: 5 %.
    """
    rod = beam(1.0, Rectangle(0.05, 0.02), ALUMINIUM, 20).reduce("cantilever", modes=8)
    block = box(1.0, 0.05, 0.02, ALUMINIUM, (16, 2, 1)).reduce("cantilever", modes=8)
    for component in range(6):
        shares = [
            scipy.linalg.eigh(under_force(body, "end", component), body.stiffness.toarray(), eigvals_only=True)[[0, -1]]
            for body in (rod, block)
        ]
        np.testing.assert_allclose(shares[1], shares[0], rtol=0.05, atol=1e-3 * np.abs(shares[0]).max())
    assert rod.report is not None
    assert block.report is not None
    np.testing.assert_allclose(block.report.southwell[:5, 1:], rod.report.southwell[:5, 1:], rtol=0.01)
    for name in ("force x at end", "force y at end", "moment x at end", "spin about z", "acceleration x"):
        i, j = rod.report.load_cases.index(name), block.report.load_cases.index(name)
        np.testing.assert_allclose(block.report.buckling[j], rod.report.buckling[i], rtol=0.05)
    assert np.isinf(rod.report.buckling[rod.report.load_cases.index("spin about z")]).all()


# ------------------------------------------------------------ mass on arms


@pytest.mark.usefixtures("every_load")
def test_twist_of_a_spinning_blade() -> None:
    """About its own axis a blade that twists is turned as a whole, to first order in its speed: no stiffness at all.

    Across the axis centrifugal forces turn the wide side into the plane of rotation, like a block of solid elements,
    of which the warping makes 2 to 3 %.
    """
    rod = beam(2.0, Rectangle(0.2, 0.01), ALUMINIUM, 20).reduce("cantilever", modes=5)
    block = box(2.0, 0.2, 0.01, ALUMINIUM, (16, 4, 1)).reduce("cantilever", modes=5)
    assert rod.report is not None
    assert block.report is not None
    twist = rod.report.kinds.index("torsion")
    assert block.report.kinds[twist] == "torsion"
    N = rod.integrals.N.dense()[twist, twist]
    assert N[1, 1] + N[2, 2] == pytest.approx(1.0, rel=1e-9)
    assert rod.report.southwell[twist, 0] - N[1, 1] - N[2, 2] == pytest.approx(0.0, abs=1e-9)
    assert rod.report.southwell[twist, 2] > 2.0  # half of it that of stretched fibres
    np.testing.assert_allclose(block.report.southwell[twist], rod.report.southwell[twist], rtol=0.03)


@pytest.mark.usefixtures("every_load")
def test_a_mass_beside_its_node_is_one_at_the_end_of_a_stiff_rod() -> None:
    """5 kg half a metre beyond the end of a 1 kg beam, by an offset and by a stiff rod without mass."""
    thin = beam(2.0, THIN, ALUMINIUM, 10)
    stiff = Material(E=7e12, nu=0.3, rho=1e-3)
    longer = beam_path([(0, 0, 0), (2, 0, 0), (2.5, 0, 0)], [THIN, Rectangle(0.2, 0.1)], [ALUMINIUM, stiff], [10, 4])
    reports = [
        structure.reduce("cantilever", modes=3).report
        for structure in (thin.with_mass("end", 5.0, offset=(0.5, 0.0, 0.0)), longer.with_mass("end", 5.0))
    ]
    beside, beyond = (report.southwell for report in reports if report is not None)
    np.testing.assert_allclose(beside, beyond, rtol=1e-5, atol=1e-6 * beyond.max())
    assert beside[0, 1] == pytest.approx(1.195, abs=1e-3)


@pytest.mark.usefixtures("every_load")
def test_a_rigid_region_is_like_very_stiff_elements() -> None:
    """Foreshortening of the region itself, its mass and frames in it; elements 1e4 times stiffer are within 1e-3."""
    points = [(0, 0, 0), (1, 0, 0), (1.6, 0.3, 0), (2.2, 0.3, 0.2)]
    stiff = Material(E=7e14, nu=0.3, rho=2700)
    region = beam_path(points, THIN, ALUMINIUM, 10).with_frame("hard", list(range(10, 21)))
    hard, soft = (
        structure.reduce("cantilever", modes=4)
        for structure in (region, beam_path(points, THIN, [ALUMINIUM, stiff, ALUMINIUM], 10))
    )
    signs = np.sign(np.einsum("in,in->n", hard.frames["end"].shape, soft.frames["end"].shape))
    for frame in ("corner1", "corner2", "end"):
        g, expected = (
            np.einsum("ik,krs,r,s->irs", body.frames[frame].second, slaved(body).quadratic.dense(), sign, sign)
            for body, sign in ((hard, signs), (soft, np.ones(4)))
        )
        np.testing.assert_allclose(g, expected, atol=1e-3 * np.abs(expected).max())
    assert hard.report is not None
    assert soft.report is not None
    np.testing.assert_allclose(hard.report.southwell, soft.report.southwell, atol=2e-3)
    for case, factors in zip(soft.report.load_cases, soft.report.buckling, strict=True):
        found = hard.report.buckling[hard.report.load_cases.index(case)]
        np.testing.assert_allclose(1.0 / found, 1.0 / factors, atol=5e-3 * np.max(1.0 / factors))


# ------------------------------------------------------------ imported matrices


def calculix() -> dict[str, Any]:
    """See tests/oracles/data/README.md."""
    stored = np.load(Path(__file__).parents[1] / "oracles" / "data" / "calculix_block.npz")
    nodes: Floats = stored["nodes"]
    out: dict[str, Any] = {"nodes": nodes}
    for name in ("stiffness", "mass", "tangent"):
        places = (stored[f"{name}_row"], stored[f"{name}_column"])
        upper = scipy.sparse.csr_array((stored[name], places), shape=(3 * len(nodes), 3 * len(nodes)))
        out[name] = upper + upper.T - scipy.sparse.diags_array(upper.diagonal())
    root = nodes[:, 0] < 1e-9
    free = scipy.sparse.diags_array(np.repeat(~root, 3).astype(float))
    across = scipy.sparse.diags_array(np.tile([1.0, 1.0, 0.0], len(nodes)))
    spin = 1e4
    stress = free @ (out["tangent"] - out["stiffness"] + spin * across @ out["mass"] @ across) @ free
    frames = {"start": np.flatnonzero(root).tolist(), "tip": int(np.argmax(nodes[:, 0]))}
    return out | {"stress": scipy.sparse.csr_array(stress / spin), "frames": frames}


def test_tangent_of_a_spinning_block_of_another_program() -> None:
    """Squared frequencies that CalculiX itself finds at rest and at omega^2 = 1e4 about z.

    Its whole matrices give those of the spinning block to all digits; twelve modes cannot follow all of the
    stretch that bends with them, which makes 1e-4 of the stiffening.
    """
    given = calculix()
    block = from_matrices(
        given["nodes"],
        given["mass"],
        given["stiffness"],
        given["frames"],
        geometric_stiffness={"spin about z": given["stress"]},
    )
    body = block.reduce("cantilever", modes=12)
    second = slaved(body)
    assert second.count == 1
    squares = body.stiffness.diagonal()
    np.testing.assert_allclose(squares[:4], [11015.25, 67944.10, 437620.5, 2625724.0], rtol=2e-6)
    N = body.integrals.N.dense()
    stiffer = -along(body, second.X[:, 0, 0] + second.X[:, 1, 1])
    softer = N[:, :, 0, 0] + N[:, :, 1, 1]
    spinning = np.linalg.eigvalsh(np.diag(squares) + 1e4 * (stiffer - softer))
    np.testing.assert_allclose(spinning[:4], [22936.11, 69930.55, 502915.8, 2680579.0], rtol=6e-5)
    assert body.report is not None
    assert body.report.load_cases == ("spin about z",)
    np.testing.assert_allclose(np.diagonal(stiffer), body.report.southwell[:, 2], rtol=1e-9)
    assert np.isnan(body.report.southwell[:, :2]).all()


def test_loads_as_vectors_and_by_name_are_the_same() -> None:
    """A beam's own geometric stiffness under a pull, in the order of other programs."""
    rod = beam(LENGTH, THIN, ALUMINIUM, 6)
    pulled = rod.static({"end": (1.0, 0.0, 0.0)}).ravel()
    assert rod.elements is not None
    cases = LoadCases(pulled[:, None], np.zeros((12, 1)), np.zeros(3), np.full(7, -1))
    stress = next(iter(rod.elements.geometric_stiffness(cases))).matrix
    order = np.array([6 * node + c for node in range(7) for c in (3, 4, 5, 0, 1, 2)])
    M, K, S = (m.toarray()[order][:, order] for m in (rod.mass_matrix, rod.stiffness, stress))
    pull = np.zeros(42)
    pull[36] = 1.0
    frames = {"start": 0, "end": 6}
    by_name, by_vector = (
        from_matrices(rod.nodes, M, K, frames, geometric_stiffness=given).reduce("cantilever", modes=4)
        for given in ({"force x at end": S}, [(pull, S)])
    )
    own = under_force(rod.reduce("cantilever", modes=4), "end", 3)
    for body in (by_name, by_vector):
        np.testing.assert_allclose(under_force(body, "end", 3), own, atol=1e-9 * np.abs(own).max())
    assert from_matrices(rod.nodes, M, K, frames).reduce("cantilever", modes=4).second_order is None
    with pytest.raises(ModelError, match="'force x at start': the root is held"):
        from_matrices(rod.nodes, M, K, frames, geometric_stiffness={"force x at start": S}).reduce("cantilever", 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"forse x at end": 0},
            "geometric_stiffness: 'forse x at end': no such load case; did you mean 'force x at end'",
        ),
        ({"spin about z": np.eye(5)}, r"'spin about z': expected the shape \(18, 18\) of the stiffness, got \(5, 5\)"),
        ({"spin about z": np.triu(np.ones((18, 18)))}, "'spin about z': expected a symmetric matrix"),
        ({"spin about z": "K"}, "'spin about z': expected a matrix of numbers"),
        ([(np.ones(4), np.eye(18))], r"load 1: expected numbers of shape \(18,\)"),
        ("spin", "expected a dict of load cases to matrices, or pairs of a load and a matrix, got str"),
        (np.eye(18), "expected a dict of load cases to matrices"),
    ],
)
def test_geometric_stiffness_that_is_none(given: Any, message: str) -> None:
    rod = beam(LENGTH, THIN, ALUMINIUM, 2)
    order = np.array([6 * node + c for node in range(3) for c in (3, 4, 5, 0, 1, 2)])
    M, K = (m.toarray()[order][:, order] for m in (rod.mass_matrix, rod.stiffness))
    with pytest.raises(ModelError, match=message):
        from_matrices(rod.nodes, M, K, {"start": 0, "end": 2}, geometric_stiffness=given)
