"""Factors by nested dissection: they solve, and refuse what is not positive definite."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
import scipy

from supple.errors import ModelError
from supple.structures import Material, box
from supple.structures.discretization import validation as soundness
from supple.structures.discretization.mass import Sparse
from supple.structures.eigen import lowest_modes as sparse_modes
from supple.structures.eigen import multifrontal as dissection
from supple.structures.eigen import nested_dissection as separators
from supple.structures.eigen.multifrontal import DissectedFactors, NotPositiveError
from supple.structures.reduction import reduce as reduction

STEEL = Material(E=200e9, nu=0.3, rho=7800)


def held() -> Sparse:
    block = box(1.0, 0.3, 0.2, STEEL, (6, 2, 2))
    free = np.flatnonzero(np.repeat(block.nodes[:, 0] > 1e-9, 3))
    return scipy.sparse.csr_array(block.stiffness[free][:, free])


def test_they_solve() -> None:
    K = held()
    factors = DissectedFactors(K)
    assert len(factors.fronts) > 5  # not trivial: it is split
    f = np.random.default_rng(0).standard_normal((K.shape[0], 3))
    np.testing.assert_allclose(factors.solve(f), np.linalg.solve(K.toarray(), f), rtol=1e-8)
    np.testing.assert_allclose(factors.solve(f[:, 0]), factors.solve(f)[:, 0], rtol=1e-12)
    separate = scipy.sparse.csr_array(scipy.sparse.block_diag([K, 2.0 * K]))
    x = DissectedFactors(separate).solve(np.concatenate([f, f]))
    np.testing.assert_allclose(x[len(f) :], x[: len(f)] / 2.0, rtol=1e-8)


def test_pieces_side_by_side_are_the_same() -> None:
    K = held()
    f = np.random.default_rng(0).standard_normal((K.shape[0], 3))
    alone = DissectedFactors(K)
    assert len(alone.pieces) > 3
    with mock.patch.object(dissection, "WORTH_THREADS", 0), mock.patch.object(dissection, "CORES", 3):
        together = DissectedFactors(K)
        np.testing.assert_allclose(together.solve(f), alone.solve(f), rtol=1e-10)
    assert together.lowest_pivot[1] == alone.lowest_pivot[1]
    pivots = np.diagonal(np.linalg.cholesky(K.toarray()[np.ix_(alone.order, alone.order)])) ** 2
    np.testing.assert_allclose(alone.lowest_pivot[0], pivots.min(), rtol=1e-8)
    assert alone.order[np.argmin(pivots)] == alone.lowest_pivot[1]


def test_what_is_not_positive_is_named() -> None:
    K = held()
    with pytest.raises(NotPositiveError):
        DissectedFactors(scipy.sparse.csr_array(K - 1e9 * scipy.sparse.eye_array(K.shape[0])))
    with mock.patch.object(soundness, "LARGE", 100):
        with pytest.raises(ModelError, match=r"resists all motions, got none or a negative stiffness near row"):
            soundness.clamped_solver(
                scipy.sparse.csr_array(K - 1e9 * scipy.sparse.eye_array(K.shape[0])), lambda i: f"row {i}"
            )
        soundness.check_not_negative(K, "stiffness")


@pytest.mark.parametrize("basis", ["cantilever", "free-free", "craig-bampton"])
def test_reductions_of_large_structures_are_the_same(basis: str) -> None:
    args = (1.0, 0.3, 0.2, STEEL, (4, 1, 1))
    small = box(*args).reduce(basis, 5)
    with (
        mock.patch.object(soundness, "LARGE", 100),
        mock.patch.object(sparse_modes, "LARGE", 100),
        mock.patch.object(sparse_modes, "DENSE", 100),
        mock.patch.object(reduction, "LARGE", 100),
    ):
        large = box(*args).reduce(basis, 5)
    np.testing.assert_allclose(large.stiffness.diagonal(), small.stiffness.diagonal(), rtol=1e-7)
    np.testing.assert_allclose(
        np.abs(large.frames["end"].shape),
        np.abs(small.frames["end"].shape),
        atol=1e-5 * np.abs(small.frames["end"].shape).max(),
    )


def test_a_long_chain_is_cut_in_time_that_is_linear_in_its_length() -> None:
    """Levels of a chain are as many as its nodes: none of them may cost a look at the whole chain."""
    count = 20_000
    chain = scipy.sparse.csr_array(scipy.sparse.eye_array(count, k=1) + scipy.sparse.eye_array(count, k=-1))
    calls: list[int] = []

    class Counted(scipy.sparse.csr_array):
        def __matmul__(self, other: Any) -> Any:
            calls.append(1)
            return super().__matmul__(other)

    middle, sides = separators._split(Counted(chain))
    assert not calls
    assert middle.sum() == 1
    assert sorted(int(side.sum()) for side in sides) == [count // 2 - 1, count // 2]
