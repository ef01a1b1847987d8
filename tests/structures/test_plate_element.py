"""The plate element: rigid motions, patch tests, no locking, order of convergence."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from supple.checks import Floats
from supple.structures import Layer, Layup, Material, plate
from supple.structures.discretization.dof_map import Bools
from supple.structures.elements.plate_element import PlateElements

ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
SKEWED = np.array([[0, 0, 0], [1, 0.1, 0], [1.2, 1, 0], [-0.1, 0.8, 0]])


def patch() -> PlateElements:
    """Five elements of a square, the inner one askew, of two unequal layers."""
    outer = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    inner = np.array([[0.25, 0.3], [0.7, 0.2], [0.8, 0.7], [0.3, 0.75]])
    nodes = np.column_stack([np.concatenate([outer, inner]), np.zeros(8)])
    corners = np.array([[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]])
    return PlateElements(nodes, corners, Layup([Layer(0.01, ALUMINIUM), Layer(0.02, Material(E=3e9, nu=0.2, rho=1))]))


def solved(K: Floats, fixed: Bools, u: Floats, f: Floats) -> Floats:
    """Displacements (n,) with those of `fixed` given in u."""
    free = ~fixed
    out = u.copy()
    out[free] = np.linalg.solve(K[np.ix_(free, free)], f[free] - K[np.ix_(free, fixed)] @ u[fixed])
    return out


def assembled(elements: PlateElements) -> Floats:
    K = np.zeros((6 * len(elements.nodes),) * 2)
    for dofs, own in zip(elements.dofs, elements.stiffness(), strict=True):
        K[np.ix_(dofs, dofs)] += own
    return K


def test_six_motions_do_no_work_and_no_others() -> None:
    for nodes in (SKEWED, np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])):
        element = PlateElements(nodes, np.array([[0, 1, 2, 3]]), Layup([Layer(0.05, ALUMINIUM)]))
        values = np.linalg.eigvalsh(element.stiffness()[0])
        assert np.abs(values[:6]).max() < 1e-12 * values[-1]
        assert values[6] > 1e-6 * values[-1]


@pytest.mark.parametrize("state", range(6))
def test_states_of_constant_strain_are_exact_in_any_mesh(state: int) -> None:
    """Membrane strains xx, yy, xy and curvatures xx, yy, xy: displacements of the rim give them to all elements."""
    elements = patch()
    x, y = elements.nodes[:, :2].T
    exact = np.zeros((8, 6))
    e, k = np.zeros(3), np.zeros(3)
    (e if state < 3 else k)[state % 3] = 1e-3
    exact[:, 3], exact[:, 4] = e[0] * x + e[2] / 2 * y, e[1] * y + e[2] / 2 * x
    exact[:, 5] = -(k[0] * x**2 + k[1] * y**2 + k[2] * x * y) / 2
    exact[:, 0], exact[:, 1] = -(k[1] * y + k[2] * x / 2), k[0] * x + k[2] * y / 2
    rim = np.repeat(np.arange(8) < 4, 6)
    found = solved(assembled(elements), rim, exact.ravel(), np.zeros(48))
    np.testing.assert_allclose(found, exact.ravel(), atol=1e-13)
    strains = elements.strains() @ found[elements.dofs][:, None, :, None]
    np.testing.assert_allclose(strains[..., 0], np.broadcast_to([*e, *k, 0, 0], (5, 4, 8)), atol=1e-12)


def test_constant_transverse_shear_is_exact() -> None:
    elements = patch()
    u = np.zeros((8, 6))
    u[:, 5] = 1e-3 * elements.nodes[:, 0] - 2e-3 * elements.nodes[:, 1]
    strains = elements.strains() @ u.ravel()[elements.dofs][:, None, :, None]
    np.testing.assert_allclose(strains[..., 0], np.broadcast_to([0] * 6 + [1e-3, -2e-3], (5, 4, 8)), atol=1e-15)


def test_points_of_mass_have_the_area_and_its_moments() -> None:
    element = PlateElements(SKEWED, np.array([[0, 1, 2, 3]]), Layup([Layer(0.05, ALUMINIUM)]))
    area, x = element.areas()[0], element.positions()[0]
    assert area.sum() == pytest.approx(0.97)
    a, b = SKEWED[:, :2], np.roll(SKEWED[:, :2], -1, axis=0)
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    np.testing.assert_allclose(area @ x[:, :2], ((a + b) * cross[:, None]).sum(axis=0) / 6, rtol=1e-13)
    second = ((a**2 + a * b + b**2) * cross[:, None]).sum(axis=0) / 12
    np.testing.assert_allclose(area @ x[:, :2] ** 2, second, rtol=1e-13)


def clamped_square(elements: int, thickness: float) -> float:
    """Deflection of the middle of a clamped unit square under a uniform load, times D."""
    made = plate((1.0, 1.0), thickness, ALUMINIUM, elements=(elements, elements))
    x = made.nodes
    rim = (np.abs(x[:, 0] - 0.5) > 0.499999) | (np.abs(x[:, 1]) > 0.499999)
    free = np.flatnonzero(~np.repeat(rim, 6))
    f = np.zeros(6 * len(x))
    f[5::6] = 1.0 / elements**2
    K = scipy.sparse.csc_array(made.stiffness[free][:, free])
    u = np.zeros(len(f))
    u[free] = scipy.sparse.linalg.spsolve(K, f[free])
    middle = int(np.argmin(np.linalg.norm(x - [0.5, 0, 0], axis=1)))
    return float(u[6 * middle + 5]) * ALUMINIUM.E * thickness**3 / 12 / (1 - 0.3**2)


def test_thin_plates_do_not_lock_and_errors_fall_with_the_square_of_the_elements() -> None:
    """Timoshenko and Woinowsky-Krieger (1959), clamped square: w = 0.00126532 q a^4 / D."""
    exact = 0.00126532
    thin = {n: clamped_square(n, 1e-4) / exact - 1 for n in (4, 8, 16)}
    assert abs(thin[16]) < 4e-3
    assert clamped_square(8, 1e-6) == pytest.approx(clamped_square(8, 1e-3), rel=1e-3)
    order = np.log2(np.array([thin[4] / thin[8], thin[8] / thin[16]]))
    assert (order > 1.8).all()
    assert (order < 2.3).all()


def test_a_strip_of_single_elements_bends_in_its_plane_as_a_beam() -> None:
    """Timoshenko's cantilever of ten square elements: F l^3 / 3 E I + 6/5 F l / G A."""
    strip = plate((10.0, 1.0), 0.05, ALUMINIUM, elements=(10, 1), frames={"start": "x_min", "end": (10.0, 0.5)})
    found = strip.static({"end": (0.0, 1.0, 0.0)})[strip.frames["end"][0], 4]
    assert found == pytest.approx(1000 / (3 * 70e9 * 0.05 / 12) + 1.2 * 10 / (ALUMINIUM.G * 0.05), rel=0.01)
