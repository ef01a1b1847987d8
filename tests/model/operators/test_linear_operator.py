"""Products, sums, transposes, inverses and roots of operators are those of their matrices."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.model.operators.influence_matrices import Influence
from supple.model.operators.linear_operator import BlockDiagonal, Identity, lower_factor
from support.generated.generators import random_tree


def test_algebra_is_that_of_the_matrices() -> None:
    rng = np.random.default_rng(0)
    a, b = (BlockDiagonal([rng.normal(size=(2, 2)), rng.normal(size=(3, 3))]) for _ in range(2))
    A, B = a.dense(), b.dense()
    assert np.allclose((a @ b - a.T + Identity(5)).dense(), A @ B - A.T + np.eye(5), atol=1e-14)
    assert np.allclose((a @ b).inverse().T.dense(), np.linalg.inv(A @ B).T, atol=1e-11)
    with pytest.raises(supple.StateError, match="no inverse"):
        (a + b).inverse()


def test_roots_of_blocks() -> None:
    x = np.random.default_rng(1).normal(size=(4, 4))
    D, change = x @ x.T + np.eye(4), x + x.T
    L = lower_factor(D)
    assert np.allclose(L @ L.T, D, atol=1e-12)
    assert not np.triu(L, 1).any()
    moved = lower_factor(D + 1e-30j * change).imag / 1e-30
    assert np.allclose(moved @ L.T + L @ moved.T, change, atol=1e-12)
    roots = BlockDiagonal([D, np.zeros((0, 0)), np.array([[4.0]])]).root()
    assert np.allclose(roots.blocks[2], 2.0)


def test_wrong_shapes_and_parents_are_refused() -> None:
    block = BlockDiagonal([np.eye(2), np.eye(3)])
    with pytest.raises(supple.StateError, match="length 5, got shape \\(4,\\)"):
        block @ np.ones(4)
    with pytest.raises(supple.StateError, match="same shape"):
        block + Identity(4)
    with pytest.raises(supple.StateError, match="parents"):
        Influence([1, 0], np.zeros((2, 1, 1)))
    model = random_tree(1, 3)
    with pytest.raises(supple.StateError, match="one configuration"):
        model.operators(np.zeros((2, model.nq)))
