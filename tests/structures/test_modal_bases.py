"""Reductions: their frequencies, their frames, and that all modes are the full model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import linalg, sparse

from supple.errors import ModelError, PhysicsWarning
from supple.structures import (
    FlexibleBody,
    Material,
    Rayleigh,
    Rectangle,
    Section,
    Structure,
    beam,
    beam_path,
    from_matrices,
)
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.eigen.lowest_modes import DENSE

Floats = NDArray[np.float64]
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
THIN = Section(A=1e-2, Iy=1e-12, Iz=4e-12, J=1e-12)


@cache
def tee(elements: int = 3) -> Structure:
    """A bent beam with an offset mass at its corner."""
    path = beam_path([(1, 1, 1), (1.5, 1, 1), (1.5, 1.2, 1.3)], Rectangle(0.03, 0.02), ALUMINIUM, elements)
    return path.with_mass("corner1", 0.4, (1e-3, 2e-3, 2e-3), (0.0, 0.05, 0.02))


def free_squares(body: FlexibleBody) -> Floats:
    """w^2 of the body with its root free: (6 + n) coordinates."""
    I, n = body.integrals, body.modes
    M = np.zeros((6 + n, 6 + n))
    M[:3, :3], M[3:6, 3:6] = I.J_0, I.mass * np.eye(3)
    M[:3, 3:6] = cross_matrix(I.moment)
    M[3:6, :3] = -cross_matrix(I.moment)
    M[6:, :3], M[6:, 3:6] = I.F_0, I.E
    M[:6, 6:] = M[6:, :6].T
    M[6:, 6:] = body.mass_matrix.toarray()
    K = np.zeros_like(M)
    K[6:, 6:] = body.stiffness.toarray()
    return np.asarray(linalg.eigh(K, M, eigvals_only=True))


def full_free_squares(structure: Structure) -> Floats:
    return np.asarray(linalg.eigh(structure.stiffness.toarray(), structure.mass_matrix.toarray(), eigvals_only=True))


@pytest.mark.parametrize("basis", ["cantilever", "free-free", "craig-bampton"])
def test_modes_are_orthogonal_and_vanish_at_the_root(basis: str) -> None:
    structure = tee()
    body = structure.reduce(basis, 7, root="end", interfaces=["start"] if basis == "craig-bampton" else None)
    n = 7 + 6 * (basis == "craig-bampton")
    assert body.labels == tuple(f"mode{i + 1}" for i in range(n))
    assert not body.frames["end"].shape.any()
    np.testing.assert_array_equal(body.frames["end"].position, 0)
    np.testing.assert_allclose(body.frames["start"].position, [-0.5, -0.2, -0.3])
    np.testing.assert_array_equal(body.mass_matrix.toarray(), np.eye(n))
    u = body.shapes.toarray()
    K, M = structure.stiffness.toarray(), structure.mass_matrix.toarray()
    np.testing.assert_allclose(u.T @ M @ u, np.eye(n), atol=1e-11)
    squares = body.stiffness.diagonal()
    np.testing.assert_allclose(u.T @ K @ u, np.diag(squares), atol=1e-10 * squares[-1])
    assert (np.diff(squares) >= 0).all()
    scaled = u.reshape(-1, 6, n) * np.array([1.0, 1, 1, 1, 1, 1])[:, None]
    length = np.linalg.norm(np.ptp(structure.nodes, axis=0))
    scaled[:, :3] *= length
    largest = scaled.reshape(-1, n)[np.argmax(np.abs(scaled.reshape(-1, n)), axis=0), np.arange(n)]
    assert (largest > 0).all()
    np.testing.assert_allclose(np.trace(body.integrals.N.dense(), axis1=2, axis2=3), np.eye(n), atol=1e-11)


def test_free_free_modes_are_exact_for_the_free_body() -> None:
    structure = tee()
    exact = full_free_squares(structure)
    for modes in (3, 9):
        found = free_squares(structure.reduce("free-free", modes))
        np.testing.assert_allclose(found[6:], exact[6 : 6 + modes], rtol=1e-8)
        np.testing.assert_allclose(found[:6], 0, atol=1e-6 * exact[6])
    other = free_squares(structure.reduce("cantilever", 9))[6:]
    assert (other[:3] > exact[6:9] * 1.0001).all()


def test_free_free_frequencies_of_a_beam() -> None:
    body = beam(1.3, THIN, ALUMINIUM, 20).reduce("free-free", 8)
    found = np.sqrt(free_squares(body)[6:])
    speed = sqrt(ALUMINIUM.E * THIN.Iy / (ALUMINIUM.rho * THIN.A)) / 1.3**2
    exact = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671]) ** 2 * speed
    for w in (*exact, *(2 * exact[:2])):
        assert np.abs(found / w - 1).min() < 1e-4


@pytest.mark.parametrize("basis", ["cantilever", "free-free", "craig-bampton"])
def test_all_modes_are_the_full_structure(basis: str) -> None:
    structure = tee(2)
    free = 6 * (len(structure.nodes) - 1)
    body = structure.reduce(
        basis, free - 6 if basis == "craig-bampton" else free, interfaces=None if basis != "craig-bampton" else ["end"]
    )
    nodal = structure.reduce("nodal")
    assert body.modes == nodal.modes == free
    exact = linalg.eigh(nodal.stiffness.toarray(), nodal.mass_matrix.toarray(), eigvals_only=True)
    np.testing.assert_allclose(body.stiffness.diagonal(), exact, rtol=1e-7)
    np.testing.assert_allclose(free_squares(body)[6:], full_free_squares(structure)[6:], rtol=1e-7)
    np.testing.assert_allclose(free_squares(nodal)[6:], full_free_squares(structure)[6:], rtol=1e-7)
    assert body.report is not None
    np.testing.assert_allclose(body.report.static_share, 1.0, rtol=1e-8)


def test_craig_bampton_is_statically_exact_and_converges() -> None:
    structure = tee(6)
    exact = structure.reduce("cantilever", 6).stiffness.diagonal()
    errors = []
    for modes in (0, 3, 12):
        body = structure.reduce("craig-bampton", modes, interfaces=["end"])
        assert body.modes == 6 + modes
        shape = body.frames["end"].shape
        compliance = shape @ np.diag(1 / body.stiffness.diagonal()) @ shape.T
        for i in range(6):
            load = np.eye(6)[i]
            np.testing.assert_allclose(compliance[:, i], structure.static({"end": load})[-1], rtol=1e-8, atol=1e-12)
        errors.append(body.stiffness.diagonal()[:6] / exact - 1)
    assert (errors[0] > errors[1]).all()
    assert errors[2].max() < 1e-3
    both = structure.reduce("craig-bampton", 2)  # all named frames
    assert both.modes == 14
    listed = structure.reduce("craig-bampton", 2, interfaces=["start", "corner1", "end"])
    np.testing.assert_array_equal(both.stiffness.diagonal(), listed.stiffness.diagonal())


def test_nodal_coordinates_are_the_displacements() -> None:
    structure = tee(2)
    body = structure.reduce("nodal")
    assert body.labels[:6] == ("1.rx", "1.ry", "1.rz", "1.ux", "1.uy", "1.uz")
    np.testing.assert_array_equal(body.shapes.toarray()[6:], np.eye(24))
    np.testing.assert_array_equal(body.stiffness.toarray(), structure.stiffness.toarray()[6:, 6:])
    np.testing.assert_array_equal(body.mass_matrix.toarray(), structure.mass_matrix.toarray()[6:, 6:])
    middle = structure.reduce("nodal", root="corner1")
    assert middle.labels[0] == "0.rx"
    np.testing.assert_array_equal(middle.frames["start"].position, [-0.5, 0, 0])


def test_damping() -> None:
    structure = tee(2)
    squares = structure.reduce("cantilever", 3).stiffness.diagonal()
    assert structure.reduce("cantilever", 3).damping.nnz == 0
    same = structure.reduce("cantilever", 3, damping=0.02).damping
    np.testing.assert_allclose(same.toarray(), np.diag(0.04 * np.sqrt(squares)))
    each = structure.reduce("cantilever", 3, damping=[0.01, 0.02, 0.0]).damping
    np.testing.assert_allclose(each.diagonal(), [0.02, 0.04, 0.0] * np.sqrt(squares))
    rayleigh = structure.reduce("cantilever", 3, damping=Rayleigh(0.5, 1e-4)).damping
    np.testing.assert_allclose(rayleigh.toarray(), np.diag(0.5 + 1e-4 * squares))
    nodal = structure.reduce("nodal", damping=Rayleigh(0.5, 1e-4))
    expected = 0.5 * nodal.mass_matrix + 1e-4 * nodal.stiffness
    np.testing.assert_allclose(nodal.damping.toarray(), expected.toarray())


def test_a_long_beam_is_solved_by_the_sparse_method() -> None:
    structure = beam_path([(0, 0, 0), (1, 0, 0), (1, 1, 0)], Rectangle(0.03, 0.02), ALUMINIUM, 60)
    assert 3 * 120 < DENSE < 3 * 600
    fine = beam_path([(0, 0, 0), (1, 0, 0), (1, 1, 0)], Rectangle(0.03, 0.02), ALUMINIUM, 300)
    for basis in ("cantilever", "free-free"):
        a, b = (s.reduce(basis, 4).stiffness.diagonal() for s in (structure, fine))
        np.testing.assert_allclose(a, b, rtol=1e-6)


def _loose() -> Structure:
    """The third of four elements is missing."""
    whole = beam(1.0, Rectangle(0.02, 0.01), ALUMINIUM, 4)
    parts = [beam(n / 4, Rectangle(0.02, 0.01), ALUMINIUM, n).stiffness for n in (2, 1)]
    return replace(whole, stiffness=sparse.csr_array(sparse.block_diag(parts)))


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: tee().reduce("modal", 3), "no basis 'modal'; expected one of 'cantilever', 'free-free', "),
        (lambda: tee().reduce("cantilever", 3, root="strat"), "root: no frame 'strat'; did you mean 'start'"),
        (lambda: tee().reduce("craig-bampton", 3, interfaces=["ned"]), "interface: no frame 'ned'; did you mean 'end'"),
        (lambda: tee().reduce("cantilever", 3, interfaces=["end"]), "interfaces: only the basis 'craig-bampton'"),
        (lambda: tee().reduce("cantilever", 37), "37 asked for, but the structure has 36 with the root fixed"),
        (lambda: tee().reduce("free-free", 37), "37 asked for, but the structure has 36 free in space"),
        (lambda: tee().reduce("craig-bampton", 25), "25 asked for, but the structure has 24 with root and interfaces"),
        (lambda: tee().reduce("cantilever"), "modes: expected their number for the basis 'cantilever', .*, got None"),
        (lambda: tee().reduce("cantilever", -1), "modes: expected their number .*, got -1"),
        (lambda: tee().reduce("nodal", 3), "modes: the nodal basis keeps all degrees of freedom, got modes=3"),
        (lambda: tee().reduce("nodal", damping=0.01), r"expected Rayleigh\(alpha, beta\), got 0.01"),
        (lambda: tee().reduce("cantilever", 3, damping=[0.1]), r"damping: expected numbers of shape \(3,\)"),
        (lambda: tee().reduce("cantilever", 3, damping=-0.1), "damping: expected at least 0, got -0.1"),
        (lambda: Rayleigh(-1.0, 0.0), "alpha: expected at least 0, got -1"),
        (lambda: _loose().reduce("cantilever", 3), r"is a mechanism, it moves without strain, most at [34]\."),
    ],
)
def test_faults_are_named(act: Callable[[], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        act()


def test_nodal_coordinates_of_scattered_nodes_are_put_in_a_narrow_band() -> None:
    structure = beam(2.0, Rectangle(0.02, 0.01), ALUMINIUM, 30)
    rng = np.random.default_rng(1)
    numbers = np.concatenate([[0], 1 + rng.permutation(30)])  # old number of each new node
    fe = (6 * numbers[:, None] + [3, 4, 5, 0, 1, 2]).ravel()
    M, K = structure.mass_matrix[fe][:, fe], structure.stiffness[fe][:, fe]
    scattered = from_matrices(
        structure.nodes[numbers], M, K, {"start": 0, "end": int(np.flatnonzero(numbers == 30)[0])}
    )
    entries = scattered.reduce("nodal").stiffness.tocoo()
    assert np.abs(entries.row - entries.col).max() < 12
    apart = scattered.stiffness.tocoo()
    assert np.abs(apart.row - apart.col).max() > 60


def test_a_structure_without_mass_is_refused() -> None:
    weightless = beam(1.0, Rectangle(0.02, 0.01), Material(E=70e9, nu=0.3, rho=0.0), 4)
    with pytest.raises(ModelError, match="expected some mass, got none"):
        weightless.reduce("cantilever", 1)
    loaded = weightless.with_mass("end", 2.0)
    stiffness = 3 * 70e9 * Rectangle(0.02, 0.01).Iy / 1.0**3
    assert loaded.reduce("cantilever", 1).stiffness.diagonal()[0] == pytest.approx(stiffness / 2.0)
    with pytest.raises(ModelError, match="an interface can move without moving any mass"):
        loaded.reduce("craig-bampton", 0)


def test_free_modes_of_masses_on_a_line_that_can_turn_without_them() -> None:
    weightless = Material(E=70e9, nu=0.3, rho=0.0)
    found = []
    for end in ((3**0.5, 0, 0), (1, 1, 1)):
        string = beam_path([(0, 0, 0), end], Rectangle(0.02, 0.02), weightless, 4)
        string = string.with_mass(0, 1.0).with_mass(2, 1.0).with_mass(4, 1.0)
        found.append(string.reduce("free-free", 4).stiffness.diagonal())
        with pytest.raises(ModelError, match="5 asked for, but the structure has 4 free in space"):
            string.reduce("free-free", 5)  # three points move in 9 ways, 5 of them rigid
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def test_too_many_elements_are_warned_of() -> None:
    fine = beam(2.0, Rectangle(0.02, 0.01), ALUMINIUM, 4000)
    with pytest.warns(PhysicsWarning, match="rounding shows in its lowest frequencies; use fewer elements"):
        fine.reduce("cantilever", 1)
    assert fine.reduce("nodal").modes == 24000


def test_rayleigh_damping_by_ratios_at_frequencies() -> None:
    """(alpha / w + beta w) / 2 of all modes of a body, in both kinds of coordinates."""
    structure = beam(0.5, Rectangle(0.03, 0.006), Material(E=70e9, nu=0.3, rho=2700), 6)
    damping = Rayleigh.at([20.0, 200.0], [0.02, 0.05])
    modal, nodal = structure.reduce("cantilever", 6, damping=damping), structure.reduce("nodal", damping=damping)
    w = 2.0 * np.pi * np.array([20.0, 200.0])
    np.testing.assert_allclose((damping.alpha / w + damping.beta * w) / 2.0, [0.02, 0.05], rtol=1e-12)
    assert modal.report is not None
    own = 2.0 * np.pi * modal.report.frequencies
    expected = (damping.alpha / own + damping.beta * own) / 2.0
    np.testing.assert_allclose(modal.damping.diagonal() / (2.0 * own), expected, rtol=1e-12)
    _, shapes = linalg.eigh(nodal.stiffness.toarray(), nodal.mass_matrix.toarray())
    found = np.diagonal(shapes.T @ nodal.damping.toarray() @ shapes)[:6] / (2.0 * own)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    one = Rayleigh.at([13.0], [0.02])
    assert one.alpha == 0.0
    assert one.beta == pytest.approx(0.04 / (2.0 * np.pi * 13.0), rel=1e-12)


@pytest.mark.parametrize(
    ("frequencies", "ratios", "message"),
    [
        ([10.0], [0.1, 0.2], "expected one or two of each"),
        ([10.0, 10.0], [0.1, 0.1], "expected different frequencies above zero"),
        ([10.0, 20.0], [0.1, 0.3], "with 0.1 at 10 Hz the ratio at 20 Hz must be between 0.05 and 0.2, got 0.3"),
        ([20.0, 10.0], [0.01, 0.1], "with 0.1 at 10 Hz the ratio at 20 Hz must be between 0.05 and 0.2, got 0.01"),
    ],
)
def test_ratios_that_no_rayleigh_damping_has(frequencies: list[float], ratios: list[float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Rayleigh.at(frequencies, ratios)
