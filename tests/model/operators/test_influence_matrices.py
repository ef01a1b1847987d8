"""Influence matrices of CDI: the ten-body example of figure 2, its sets of bodies, powers and printed form."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.errors import StateError
from supple.model.operators.influence_matrices import Influence

# CDI, figure 2: the parents of bodies 1 ... 10, here counted from 0.
FIGURE_2 = [-1, 0, 0, 2, 2, 4, 3, 6, 0, 8]


def test_ten_body_example_of_cdi() -> None:
    rng = np.random.default_rng(2)
    A = rng.normal(size=(10, 3, 3))
    phi = Influence(FIGURE_2, A)
    psi = phi.resolvent().dense().reshape(10, 3, 10, 3).transpose(0, 2, 1, 3)
    A_ = {i + 1: block for i, block in enumerate(A)}
    printed = {
        (2, 1): A_[2],
        (4, 1): A_[4] @ A_[3],
        (4, 3): A_[4],
        (6, 1): A_[6] @ A_[5] @ A_[3],
        (6, 3): A_[6] @ A_[5],
        (7, 3): A_[7] @ A_[4],
        (8, 1): A_[8] @ A_[7] @ A_[4] @ A_[3],
        (8, 4): A_[8] @ A_[7],
        (8, 7): A_[8],
        (10, 1): A_[10] @ A_[9],
        (10, 9): A_[10],
    }
    for (i, j), block in printed.items():
        assert np.allclose(psi[i - 1, j - 1], block, atol=1e-14)
    for i, j in [(3, 2), (7, 5), (9, 3), (10, 3), (5, 4)]:
        assert not psi[i - 1, j - 1].any()
    assert all(np.allclose(psi[i, i], np.eye(3)) for i in range(10))


def test_nilpotency_is_the_longest_branch() -> None:
    phi = Influence(FIGURE_2, np.random.default_rng(3).normal(size=(10, 2, 2)))
    assert phi.nilpotency() == 5
    matrix = phi.dense()
    assert np.abs(np.linalg.matrix_power(matrix, 4)).max() > 0
    assert not np.linalg.matrix_power(matrix, 5).any()
    star = Influence([-1, 0, 0, 0], np.ones((4, 1, 1)))
    assert star.nilpotency() == 2
    assert np.array_equal(star.resolvent().dense(), np.eye(4) + star.dense())


PRINTED = """\
e
A_2              e
A_3              0  e
A_4 A_3          0  A_4          e
A_5 A_3          0  A_5          0        e
A_6 A_5 A_3      0  A_6 A_5      0        A_6  e
A_7 A_4 A_3      0  A_7 A_4      A_7      0    0  e
A_8 A_7 A_4 A_3  0  A_8 A_7 A_4  A_8 A_7  0    0  A_8  e
A_9              0  0            0        0    0  0    0  e
A_10 A_9         0  0            0        0    0  0    0  A_10  e"""


def test_printed_as_in_figure_2() -> None:
    phi = Influence(FIGURE_2, np.ones((10, 1, 1)))
    psi = phi.resolvent()
    assert psi.printed() == PRINTED
    assert psi.T.printed().splitlines()[6].split() == ["e", "A_8*", "0", "0"]
    assert psi.T.printed().splitlines()[3].split() == ["e", "0", "0", "A_7*", "A_7*", "A_8*", "0", "0"]
    assert phi.printed().splitlines()[4].split() == ["0", "0", "A_5", "0", "0"]


def test_sets_of_bodies_of_figure_2() -> None:
    phi = Influence(FIGURE_2, np.ones((10, 1, 1)))
    assert phi.path(2) == [2, 1]
    assert phi.path(5)[1:] == [3, 1]
    assert phi.path(6) == [6, 5, 3, 1]
    assert phi.path(10) == [10, 9, 1]
    assert phi.branch(1) == list(range(1, 11))
    assert phi.branch(2) == [2]
    assert phi.branch(3) == [3, 4, 5, 6, 7, 8]
    assert phi.branch(4) == [4, 7, 8]
    assert phi.children(1) == [2, 3, 9]
    assert phi.children(3) == [4, 5]
    assert phi.children(4) == [7]
    assert not any(phi.children(i) for i in (2, 6, 8, 10))


@pytest.mark.parametrize("body", [0, 11, -1, 2.5, True])
def test_bodies_that_are_not_there_are_named(body: float) -> None:
    phi = Influence(FIGURE_2, np.ones((10, 1, 1)))
    for sets in (phi.path, phi.branch):
        with pytest.raises(StateError, match=f"body: expected an integer from 1 to 10, got {body}"):
            sets(body)  # type: ignore[arg-type]
    assert phi.children(0) == [1]
    with pytest.raises(StateError, match="body: expected an integer from 0 to 10, got 11"):
        phi.children(11)


def test_inverse_of_a_resolvent() -> None:
    rng = np.random.default_rng(4)
    phi = Influence(FIGURE_2, rng.normal(size=(10, 2, 2)))
    for x in (phi, phi.T):
        psi = x.resolvent()
        assert np.allclose(psi.inverse().dense(), np.eye(20) - x.dense(), atol=1e-14)
        assert np.allclose((psi.inverse().inverse() @ psi.inverse()).dense(), np.eye(20), atol=1e-12)
    with pytest.raises(supple.StateError, match="no inverse"):
        phi.inverse()


def test_blocks_that_are_not_square() -> None:
    rng = np.random.default_rng(5)
    blocks = [rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), rng.normal(size=(2, 4))]
    x = Influence([-1, 0, 1], blocks, columns=[3, 4, 5])
    assert x.shape == (6, 12)
    matrix = np.zeros((6, 12))
    matrix[2:4, :3], matrix[4:6, 3:7] = blocks[1], blocks[2]
    assert np.array_equal(x.dense(), matrix)
    assert np.array_equal(x.T.dense(), matrix.T)
