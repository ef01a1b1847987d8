"""Modal integrals against sums over points, the printed sums of appendix B, and the textbook's mass matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from supple.structures import FlexibleBody, Material, ModalIntegrals, Rectangle, beam, beam_path, from_matrices
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.elements.beam_element import Element

Floats = NDArray[np.float64]
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
TO_FE = [3, 4, 5, 0, 1, 2]
BASES = [("cantilever", 5), ("free-free", 5), ("craig-bampton", 2), ("nodal", None)]


def path_stiffness(elements: int = 2) -> tuple[Floats, Floats]:
    """Nodes, and stiffness in the order ux ... rz, of a beam that turns in space."""
    structure = beam_path([(0, 0, 0), (0.5, 0.1, 0), (0.6, 0.4, 0.2)], Rectangle(0.03, 0.02), ALUMINIUM, elements)
    order = (6 * np.arange(len(structure.nodes))[:, None] + TO_FE).ravel()
    return structure.nodes, structure.stiffness.toarray()[order][:, order]


def random_lumps(seed: int, count: int, spread: bool) -> tuple[Floats, Floats, Floats]:
    """Masses, offsets p and inertias J about the nodes, of real rigid pieces; points on the nodes if not `spread`."""
    rng = np.random.default_rng(seed)
    m = rng.uniform(0.1, 1.0, count)
    p, J = np.zeros((count, 3)), np.zeros((count, 3, 3))
    if spread:
        for j in range(count):
            share = rng.dirichlet(np.ones(5)) * m[j]
            r = rng.normal(size=(5, 3)) * 0.05
            p[j] = share @ r / m[j]
            J[j] = -np.einsum("i,ikl,ilm->km", share, cross_matrix(r), cross_matrix(r))
    return m, p, J


def lumped_body(seed: int, basis: str, modes: int | None, spread: bool = True) -> tuple[FlexibleBody, list[Floats]]:
    nodes, K = path_stiffness()
    m, p, J = random_lumps(seed, len(nodes), spread)
    blocks = []
    for j in range(len(nodes)):
        P = m[j] * cross_matrix(p[j])
        blocks.append(np.block([[m[j] * np.eye(3), -P], [P, J[j]]]))
    structure = from_matrices(nodes, sparse.block_diag(blocks), K, {"start": 0, "end": len(nodes) - 1})
    assert structure.masses.given is None
    return structure.reduce(basis, modes), [m, p, J]


def energy(I: ModalIntegrals, G: Floats, v: Floats, w: Floats, eta: Floats, speed: Floats) -> float:
    """Kinetic energy by the integrals (B.5), (B.8)."""
    first = np.einsum("rij,r->ij", I.J_1, eta)
    J = I.J_0 + first + first.T + np.einsum("rsij,r,s->ij", I.J_2, eta, eta)
    F = I.F_0 + np.einsum("rsi,s->ri", I.F_1, eta)
    moment = I.moment + eta @ I.E
    rigid = 0.5 * I.mass * v @ v + v @ np.cross(w, moment) + 0.5 * w @ J @ w
    return float(rigid + v @ (speed @ I.E) + w @ (speed @ F) + 0.5 * speed @ G @ speed)


def random_motion(n: int) -> list[Floats]:
    rng = np.random.default_rng(5)
    return [rng.normal(size=3), rng.normal(size=3), rng.normal(size=n), rng.normal(size=n)]


def direct_energy(m: Floats, x: Floats, Psi: Floats, v: Floats, w: Floats, eta: Floats, speed: Floats) -> float:
    """1/2 sum m |v + w x (x + u) + du|^2, Psi (points, 3, n)."""
    velocity = v + np.cross(w, x + Psi @ eta) + Psi @ speed
    return float(0.5 * m @ np.sum(velocity**2, axis=1))


@pytest.mark.parametrize(("basis", "modes"), BASES[:3])
def test_point_masses_give_the_sums_over_points(basis: str, modes: int) -> None:
    body, (m, _, _) = lumped_body(1, basis, modes, spread=False)
    gamma = body.shapes.toarray().reshape(len(m), 6, body.modes)[:, 3:]
    I, x = body.integrals, body.nodes
    near: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12}
    np.testing.assert_allclose(I.second, np.einsum("p,pi,pj->ij", m, x, x), **near)
    np.testing.assert_allclose(I.E, np.einsum("p,pir->ri", m, gamma), **near)
    np.testing.assert_allclose(I.X, np.einsum("p,pi,pjr->rij", m, x, gamma), **near)
    np.testing.assert_allclose(I.N.dense(), np.einsum("p,pis,pjr->srij", m, gamma, gamma), **near)
    # the source's own sums, (B.4) with p = J = 0
    tilde, place = cross_matrix(np.moveaxis(gamma, 1, 2)), cross_matrix(x)
    np.testing.assert_allclose(I.J_1, -np.einsum("p,prij,pjk->rik", m, tilde, place), **near)
    np.testing.assert_allclose(I.J_2, -np.einsum("p,prij,psjk->rsik", m, tilde, tilde), **near)
    np.testing.assert_allclose(I.F_1, np.einsum("p,psij,pjr->rsi", m, tilde, gamma), **near)


@pytest.mark.parametrize(("basis", "modes"), BASES)
def test_offset_masses_with_inertia_give_the_sums_of_appendix_b(basis: str, modes: int | None) -> None:
    body, (m, p, J) = lumped_body(2, basis, modes)
    shapes = body.shapes.toarray().reshape(len(m), 6, body.modes)
    lam, gamma = shapes[:, :3], shapes[:, 3:]
    I, l0, p_, l_ = body.integrals, body.nodes, cross_matrix(p), cross_matrix(body.nodes)
    mass = m[:, None, None]
    near: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-12}
    assert I.mass == pytest.approx(m.sum())
    np.testing.assert_allclose(body.com, m @ (p + l0) / m.sum(), **near)
    np.testing.assert_allclose(I.E, np.sum(mass * (gamma - p_ @ lam), axis=0).T, **near)
    F_0 = J @ lam + mass * ((l_ + p_) @ gamma - l_ @ p_ @ lam)
    np.testing.assert_allclose(I.F_0, F_0.sum(axis=0).T, **near)
    # plus J(j): the printed minus is wrong
    np.testing.assert_allclose(I.J_0, np.sum(J - mass * (l_ @ l_ + p_ @ l_ + l_ @ p_), axis=0), **near)
    half = np.einsum("pir,pij,pjs->rs", lam, mass * p_, gamma)
    own = np.einsum("pir,pij,pjs->rs", lam, J, lam) + np.einsum("p,pir,pis->rs", m, gamma, gamma)
    G = own + half + half.T
    np.testing.assert_allclose(body.mass_matrix.toarray(), G, rtol=1e-9, atol=1e-10 * np.abs(G).max())
    assert np.abs(half).max() > 1e-4 * np.abs(own).max()


@pytest.mark.parametrize(("basis", "modes"), BASES)
def test_kinetic_energy_of_a_beam_is_that_of_its_material(basis: str, modes: int | None) -> None:
    """Gauss points through length, width and height: displacement u + theta x (0, y, z)."""
    section, n = Rectangle(0.1, 0.05), 3
    structure = beam(0.7, section, ALUMINIUM, n)
    body = structure.reduce(basis, modes)
    s, ws = np.polynomial.legendre.leggauss(4)
    t, wt = np.polynomial.legendre.leggauss(2)
    points, masses, shapes = [], [], []
    nodal = body.shapes.toarray().reshape(n + 1, 6, body.modes)
    element = Element(0.7 / n, section, ALUMINIUM, shear=False)
    turn, move = element.motion((s + 1) / 2)
    for e in range(n):
        ends = nodal[e : e + 2].reshape(12, body.modes)
        for i in range(4):
            for j, y in enumerate(t * section.width / 2):
                for k, z in enumerate(t * section.height / 2):
                    arm = np.array([0.0, y, z])
                    points.append(np.array([(e + (s[i] + 1) / 2) * 0.7 / n, y, z]))
                    masses.append(2700 * section.A * 0.7 / n * ws[i] * wt[j] * wt[k] / 8)
                    shapes.append((move[i] - cross_matrix(arm) @ turn[i]) @ ends)
    G = body.mass_matrix.toarray()
    v, w, eta, speed = random_motion(body.modes)
    eta *= 0.3
    expected = direct_energy(np.array(masses), np.array(points), np.array(shapes), v, w, eta, speed)
    assert energy(body.integrals, G, v, w, eta, speed) == pytest.approx(expected, rel=1e-11)
    rigid = energy(body.integrals, G, v, w, 0 * eta, 0 * speed)
    assert abs(expected - rigid) > 0.02 * rigid


def test_kinetic_energy_of_offset_masses_is_that_of_their_rigid_pieces() -> None:
    """Each piece as six points at p +- c that move with their node to first order."""
    body, (m, p, J) = lumped_body(3, "cantilever", 6)
    nodal = body.shapes.toarray().reshape(len(m), 6, body.modes)
    points, masses, shapes = [], [], []
    for j in range(len(m)):
        own = J[j] + m[j] * cross_matrix(p[j]) @ cross_matrix(p[j])
        second = np.trace(own) / 2 * np.eye(3) - own
        values, vectors = np.linalg.eigh(second)
        for i in range(3):
            for sign in (1, -1):
                arm = p[j] + sign * np.sqrt(3 * max(values[i], 0) / m[j]) * vectors[:, i]
                points.append(body.nodes[j] + arm)
                masses.append(m[j] / 6)
                shapes.append(nodal[j, 3:] - cross_matrix(arm) @ nodal[j, :3])
    motion = random_motion(6)
    expected = direct_energy(np.array(masses), np.array(points), np.array(shapes), *motion)
    assert energy(body.integrals, np.eye(6), *motion) == pytest.approx(expected, rel=1e-10)


def textbook_mass(l: float, section: Rectangle) -> Floats:
    """Consistent mass with rotary inertia (Przemieniecki 1968), order ux, uy, uz, rx, ry, rz."""
    M = np.zeros((12, 12))
    A, rho = section.A, 2700.0
    rod = rho * l / 6 * np.array([[2, 1], [1, 2]])
    M[np.ix_([0, 6], [0, 6])] = A * rod
    M[np.ix_([3, 9], [3, 9])] = (section.Iy + section.Iz) * rod
    a = np.array([[156, 22 * l, 54, -13 * l], [22 * l, 4 * l**2, 13 * l, -3 * l**2]])
    a = np.vstack([a, [54, 13 * l, 156, -22 * l], [-13 * l, -3 * l**2, -22 * l, 4 * l**2]]) * rho * A * l / 420
    b = np.array([[36, 3 * l, -36, 3 * l], [3 * l, 4 * l**2, -3 * l, -(l**2)]])
    b = np.vstack([b, [-36, -3 * l, 36, -3 * l], [3 * l, -(l**2), -3 * l, 4 * l**2]]) * rho / (30 * l)
    sign = np.outer([1, -1, 1, -1], [1, -1, 1, -1])
    M[np.ix_([1, 5, 7, 11], [1, 5, 7, 11])] = a + b * section.Iz
    M[np.ix_([2, 4, 8, 10], [2, 4, 8, 10])] = (a + b * section.Iy) * sign
    return M


def test_mass_of_an_element_is_the_textbooks() -> None:
    section, l = Rectangle(0.1, 0.05), 0.4
    structure = beam(l, section, ALUMINIUM, 1)
    order = (6 * np.arange(2)[:, None] + TO_FE).ravel()
    expected = textbook_mass(l, section)
    np.testing.assert_allclose(structure.mass_matrix.toarray()[order][:, order], expected, rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(structure.mass_matrix.toarray()[order][:, order] != 0, expected != 0)


def test_nodal_integrals_stay_sparse() -> None:
    body = beam(2.0, Rectangle(0.02, 0.01), ALUMINIUM, 50).reduce("nodal")
    assert body.modes == 300
    assert len(body.integrals.N.other) < 40 * body.modes
    assert body.mass_matrix.nnz + body.stiffness.nnz < 20 * body.modes
    N = body.integrals.N.dense()
    np.testing.assert_allclose(np.trace(N, axis1=2, axis2=3), body.mass_matrix.toarray(), atol=1e-14)
    np.testing.assert_allclose(N, np.transpose(N, (1, 0, 3, 2)), rtol=1e-14)


def test_a_body_without_modes_is_rigid() -> None:
    body = beam(2.0, Rectangle(0.02, 0.01), ALUMINIUM, 4).reduce("cantilever", 0)
    assert body.modes == 0
    assert body.integrals.E.shape == (0, 3)
    assert body.integrals.X.shape == (0, 3, 3)
    assert body.integrals.F_1.shape == (0, 0, 3)
    m = body.mass
    np.testing.assert_allclose(body.inertia[2, 2], m * (4.0 + 0.02**2) / 12)
