"""Block Lanczos: modes of matrices whose modes are known, equal frequencies, massless shapes, and where it gives up."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import scipy

from supple.checks import Floats
from supple.structures import Material, box, from_matrices
from supple.structures.discretization.clamping import clamp
from supple.structures.eigen.block_lanczos import NoConvergenceError, block_lanczos
from supple.structures.eigen.lowest_modes import DENSE, cut, lowest_modes

SIZE = 2000


def springs(stiffness: Floats, mass: Floats, count: int, most: int | None = None) -> tuple[Floats, Floats]:
    """Modes of masses on springs to the ground."""
    return block_lanczos(lambda x: x / stiffness[:, None], lambda x: mass[:, None] * x, len(mass), count, most)


def test_equal_frequencies_and_massless_shapes() -> None:
    k = np.sort(np.random.default_rng(1).uniform(1.0, 1e6, SIZE))
    k[5:7] = k[4]
    mass = np.ones(SIZE)
    mass[1:200:2] = 0.0
    squares, phi = springs(k, mass, 12)
    np.testing.assert_allclose(squares, k[mass > 0.0][:12], rtol=1e-12)
    np.testing.assert_allclose(phi.T @ (mass[:, None] * phi), np.eye(12), atol=1e-12)
    assert np.abs(k[:, None] * phi - mass[:, None] * phi * squares).max() < 1e-6 * squares[-1]


def test_no_more_modes_than_mass() -> None:
    k = np.linspace(1.0, 2.0, SIZE)
    mass = np.zeros(SIZE)
    mass[::100] = 1.0
    squares, phi = springs(k, mass, 40)
    np.testing.assert_allclose(squares, k[::100], rtol=1e-12)
    assert phi.shape == (SIZE, 20)


def test_a_solid_has_the_modes_that_arpack_finds() -> None:
    beam = box(1.0, 0.1, 0.1, Material(E=70e9, nu=0.3, rho=2700.0), (8, 2, 2))
    held, small = clamp(beam, "start"), beam.condensed
    K, M = cut(small.stiffness, held.free), cut(small.mass.matrix, held.free)
    assert K.shape[0] > DENSE
    expected, shapes = scipy.sparse.linalg.eigsh(K.tocsc(), 8, M.tocsc(), sigma=0.0)
    squares, phi = lowest_modes(K, M, 8)
    np.testing.assert_allclose(squares, expected, rtol=1e-10)
    angles = scipy.linalg.svdvals(phi.T @ (M @ shapes))
    np.testing.assert_allclose(angles, 1.0, rtol=1e-9)  # the same space, equal frequencies in any order
    assert np.abs(K @ phi - M @ phi * squares).max() < 1e-8 * np.abs(K @ phi).max()


def test_too_few_vectors_are_an_error() -> None:
    with pytest.raises(NoConvergenceError, match="modes: 12 did not converge with 24 vectors"):
        springs(np.linspace(1.0, 2.0, SIZE), np.ones(SIZE), 12, most=30)


def test_matrices_are_factorised_once_each() -> None:
    beam = box(1.0, 0.1, 0.1, Material(E=70e9, nu=0.3, rho=2700.0), (8, 2, 2))
    lumped = scipy.sparse.diags_array(np.asarray(beam.mass_matrix.sum(axis=1)).ravel())
    mixed = (beam.mass_matrix + lumped) / 2.0  # neither consistent nor lumped: factorised as it is
    assert beam.layout.size > DENSE
    with mock.patch.object(scipy.sparse.linalg, "splu", wraps=scipy.sparse.linalg.splu) as splu:
        imported = from_matrices(beam.nodes, mixed, beam.stiffness, dict(beam.frames))
        assert splu.call_count == 1
        imported.reduce("cantilever", 4)
        imported.reduce("free-free", 4)
        assert splu.call_count == 2
