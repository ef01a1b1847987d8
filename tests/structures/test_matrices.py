"""Structures from matrices: what kind of mass is found, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from supple.errors import ModelError, PhysicsWarning
from supple.structures import Material, Rectangle, Structure, beam, beam_path, from_matrices

Floats = NDArray[np.float64]
ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)


def fe_matrices(structure: Structure) -> tuple[Floats, Floats, Floats]:
    """Nodes, mass and stiffness in the order ux, uy, uz, rx, ry, rz."""
    order = (6 * np.arange(len(structure.nodes))[:, None] + [3, 4, 5, 0, 1, 2]).ravel()
    M, K = (m.toarray()[order][:, order] for m in (structure.mass_matrix, structure.stiffness))
    return structure.nodes, M, K


@cache
def bent(lumped: bool = False) -> Structure:
    return beam_path([(0, 0, 0), (0.6, 0, 0), (0.6, 0.3, 0.1)], Rectangle(0.03, 0.02), ALUMINIUM, 6, lumped=lumped)


ENDS = {"start": 0, "end": 12}


def test_lumped_masses_are_found_again() -> None:
    original = bent(lumped=True)
    copy = from_matrices(*fe_matrices(original), ENDS)
    assert copy.masses.given is None
    a, b = (s.reduce("cantilever", 6) for s in (original, copy))
    np.testing.assert_allclose(b.stiffness.diagonal(), a.stiffness.diagonal(), rtol=1e-9)
    np.testing.assert_allclose(b.integrals.N.dense(), a.integrals.N.dense(), atol=1e-9)
    np.testing.assert_allclose(b.integrals.X, a.integrals.X, atol=1e-9)
    np.testing.assert_allclose(b.frames["end"].shape, a.frames["end"].shape, atol=1e-8)


@pytest.mark.parametrize("sparsely", [False, True])
def test_any_other_mass_is_exact_to_first_order_and_close_to_second(sparsely: bool) -> None:
    original = bent()
    nodes, M, K = fe_matrices(original)
    if sparsely:
        copy = from_matrices(nodes, sparse.coo_matrix(M), sparse.csc_array(K), ENDS)
    else:
        copy = from_matrices(nodes, M.tolist(), K.tolist(), ENDS)
    assert copy.masses.given is not None
    assert copy.mass == pytest.approx(original.mass)
    np.testing.assert_allclose(copy.com, original.com, atol=1e-14)
    a, b = (s.reduce("cantilever", 6).integrals for s in (original, copy))
    np.testing.assert_allclose(b.moment, a.moment, atol=1e-12)
    np.testing.assert_allclose(b.second, a.second, atol=1e-12)
    np.testing.assert_allclose(b.E, a.E, atol=1e-9)
    np.testing.assert_allclose(b.F_0, a.F_0, atol=1e-9)
    np.testing.assert_allclose(b.X, a.X, atol=0.02 * np.abs(a.X).max())
    np.testing.assert_allclose(b.N.dense(), a.N.dense(), atol=0.05)
    assert np.abs(b.X - a.X).max() > 1e-6


def test_mass_may_be_added_to_a_given_matrix() -> None:
    nodes, M, K = fe_matrices(bent())
    added = from_matrices(nodes, M, K, ENDS).with_mass("end", 0.5, (1e-3, 1e-3, 2e-3), (0.1, 0, 0))
    reference = bent().with_mass("end", 0.5, (1e-3, 1e-3, 2e-3), (0.1, 0, 0))
    np.testing.assert_allclose(added.mass_matrix.toarray(), reference.mass_matrix.toarray(), atol=1e-13)
    a, b = (s.reduce("cantilever", 4).integrals for s in (reference, added))
    np.testing.assert_allclose(b.second, a.second, atol=1e-12)
    np.testing.assert_allclose(b.E, a.E, atol=1e-9)


def test_massless_rotations_are_no_obstacle_to_modes() -> None:
    nodes, M, K = fe_matrices(bent(lumped=True))
    points = np.diag(np.where(np.arange(len(M)) % 6 < 3, np.diagonal(M), 0.0))
    structure = from_matrices(nodes, points, K, ENDS)
    found = structure.reduce("cantilever", 4).stiffness.diagonal()
    np.testing.assert_allclose(found, bent(lumped=True).reduce("cantilever", 4).stiffness.diagonal(), rtol=6e-3)
    with pytest.raises(ModelError, match="modes: 37 asked for, but the structure has 36 with the root fixed"):
        structure.reduce("cantilever", 37)
    with pytest.raises(ModelError, match=r"mass: 1\.rx moves without mass"):
        structure.reduce("nodal")


Change = Callable[[Floats, Floats], tuple[Floats, Floats]]


def _grounded(M: Floats, K: Floats) -> tuple[Floats, Floats]:
    K[1, 1] += 1e5
    return M, K


def _skew(M: Floats, K: Floats) -> tuple[Floats, Floats]:
    K[1, 7] += 1e3
    return M, K


def _negative_mass(M: Floats, K: Floats) -> tuple[Floats, Floats]:
    M[4, 4] = -1.0
    return M, K


def _indefinite_mass(M: Floats, K: Floats) -> tuple[Floats, Floats]:
    M[1, 7] = M[7, 1] = 2 * M[1, 1]
    return M, K


def _indefinite_stiffness(M: Floats, K: Floats) -> tuple[Floats, Floats]:
    return M, K - 2 * np.outer(K[8], K[8]) / K[8, 8]


def _uneven(M: Floats, K: Floats) -> tuple[Floats, Floats]:
    M[::6, ::6] *= 2
    return M, K


def _infinite(M: Floats, K: Floats) -> tuple[Floats, Floats]:
    M[3, 3] = np.inf
    return M, K


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_grounded, r"free structure, .* resistance to rotation about x .*, rotation about z .*, motion in y"),
        (_skew, "stiffness: expected a symmetric matrix, got a largest difference of 1000"),
        (_negative_mass, "mass: expected no negative eigenvalue, got -1 on the diagonal"),
        (_indefinite_mass, "mass: expected no negative eigenvalue, got -0"),
        (_indefinite_stiffness, r"stiffness: expected no negative eigenvalue, got -\d"),
        (_uneven, "mass: expected the same mass in all directions"),
        (_infinite, "mass: expected finite numbers, got inf"),
        (lambda M, K: (M[:-1, :-1], K), "mass: expected 39 x 39 or 78 x 78 for 13 nodes .*, got 77 x 77"),
        (lambda M, K: (M[:39, :39], K), r"expected the same shape, got \(39, 39\) and \(78, 78\)"),
        (lambda M, K: (0 * M, K), "mass: expected a positive mass"),
    ],
)
def test_matrices_of_no_structure_are_refused(change: Change, message: str) -> None:
    nodes, M, K = fe_matrices(bent())
    with pytest.raises(ModelError, match=message):
        from_matrices(nodes, *change(M, K), ENDS)


def test_wrong_shapes_and_frames_are_refused() -> None:
    nodes, M, K = fe_matrices(bent())
    with pytest.raises(ModelError, match=r"nodes: expected numbers of shape \(13, 3\), got shape \(13, 2\)"):
        from_matrices(nodes[:, :2], M, K, ENDS)
    with pytest.raises(ModelError, match=r"nodes: expected positions of shape \(k, 3\)"):
        from_matrices(nodes[0], M, K, ENDS)
    with pytest.raises(ModelError, match="mass: expected a matrix of numbers"):
        from_matrices(nodes, "M", K, ENDS)
    with pytest.raises(ModelError, match="frame 'end': expected node numbers from 0 to 12, got 13"):
        from_matrices(nodes, M, K, {"end": 13})
    with pytest.raises(ModelError, match=r"frame 'end': expected a node number or several, got 1\.5"):
        from_matrices(nodes, M, K, {"end": 1.5})  # type: ignore[dict-item]
    with pytest.raises(ModelError, match="frame 'end': expected each node once"):
        from_matrices(nodes, M, K, {"end": [3, 3]})
    with pytest.raises(ModelError, match="expected a name that is no number and has no '/'"):
        from_matrices(nodes, M, K, {"12": 3})


def test_millimetres_and_tonnes_are_suspected() -> None:
    nodes, M, K = fe_matrices(beam(0.5, Rectangle(0.02, 0.01), ALUMINIUM, 10))
    length = np.where(np.arange(len(M)) % 6 < 3, 1.0, 1e3)  # rotations times mm
    K_mm = K * np.outer(length, length) / 1e3
    M_tonnes = M * np.outer(length, length) / 1e3
    with pytest.warns(PhysicsWarning, match=r"mass of 0\.00027 kg in a size of 500 m and a speed of sound"):
        from_matrices(nodes * 1e3, M_tonnes, K_mm, {"start": 0, "end": 10})
