"""Rank, bases and redundant equations of J, one tolerance for all of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from supple.model.loops.redundancy import LEVER, TOLERANCE, Redundancy, ranks
from supple.model.loops.singular_configurations import usual_rank
from support.mechanisms.closed_mechanisms import andrews, bricard, n_four_bar

Floats = NDArray[np.float64]
J = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 3.0, 0.0, 0.0], [2.0, 3.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0]])


def of(J: Floats, speeds: Floats | None = None) -> Redundancy:
    return Redundancy(J, np.ones(len(J)), np.ones(J.shape[1]) if speeds is None else speeds)


def test_a_combination_of_others_is_redundant() -> None:
    found = of(J)
    assert found.rank == 2
    assert found.moved.tolist() == [True, True, True, False]
    assert found.repeated() == {2: [0, 1]}
    assert found.independent.sum() == 2
    assert not found.independent[3]
    assert np.linalg.matrix_rank(J[found.independent]) == 2
    assert found.basis.shape == (4, 2)
    assert np.linalg.matrix_rank(found.basis.T @ J) == 2
    assert found.motions.shape == (4, 2)
    assert np.abs(J @ found.motions).max() < 1e-14
    assert np.linalg.matrix_rank(found.motions) == 2


def test_what_is_held_neither_moves_nor_counts() -> None:
    found = of(J, np.array([1.0, 0.0, 1.0, 1.0]))
    assert found.rank == 1
    assert found.moved.tolist() == [True, False, True, False]
    assert found.motions.shape == (4, 2)
    assert not found.motions[1].any()
    assert np.abs(J @ found.motions).max() < 1e-14


def test_units_do_not_matter() -> None:
    for row, column in ((1e6, 1.0), (1.0, 1e-6), (1e3, 1e-3)):
        scaled = J * np.array([[row], [1.0], [1.0], [1.0]]) / np.array([column, 1.0, 1.0, 1.0])
        found = Redundancy(scaled, np.array([row, 1.0, 1.0, 1.0]), np.array([column, 1.0, 1.0, 1.0]))
        assert found.rank == 2
        assert np.abs(found.motions / np.array([[column], [1], [1], [1]]) - of(J).motions).max() < 1e-12


@pytest.mark.parametrize(("angle", "rank"), [(0.3 * TOLERANCE, 1), (10 * TOLERANCE, 2)])
def test_the_tolerance_is_one(angle: float, rank: int) -> None:
    """Two equations this angle apart: every answer has the same rank."""
    nearly = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
    found = of(nearly)
    assert found.rank == rank
    assert found.independent.sum() == rank
    assert found.basis.shape[1] == rank
    assert found.motions.shape[1] == 2 - rank
    assert len(found.repeated()) == 2 - rank
    assert ranks(nearly[None], np.ones(2), np.ones(2)).tolist() == [rank]


def test_rounding_is_no_lever() -> None:
    assert not of(np.array([[0.1 * LEVER, 0.0]])).moved.any()
    assert of(np.array([[10 * LEVER, 0.0]])).rank == 1


def test_no_equations_and_no_motions() -> None:
    assert of(np.zeros((0, 3))).rank == 0
    assert of(np.zeros((0, 3))).motions.shape == (3, 3)
    assert of(np.eye(3)).motions.shape == (3, 0)
    assert of(np.eye(3), np.zeros(3)).rank == 0
    assert ranks(np.zeros((2, 0, 3)), np.zeros(0), np.ones(3)).tolist() == [0, 0]


def test_forces_are_found_where_equations_are_redundant() -> None:
    found = of(J)
    S = J @ np.diag([1.0, 0.1, 3.0, 1.0]) @ J.T
    r = J @ np.array([0.3, -1.0, 2.0, 0.0])
    np.testing.assert_allclose(S @ found.solve(S, r), r, atol=1e-12)


@pytest.mark.parametrize("name", ["squeezing mechanism", "Bricard", "row of four-bars"])
def test_mechanisms_have_the_rank_of_their_dense_matrices(name: str) -> None:
    model, guess = andrews()
    if name != "squeezing mechanism":
        model, guess = (bricard(), [0.2, -0.3, 0.1, 0.3, -0.2]) if name == "Bricard" else (n_four_bar(5), [])
    loops = model.loops
    assert loops is not None
    q = loops.assemble(guess if guess else None)
    found = loops.redundancy(loops.jacobian(q))
    assert found.rank == np.linalg.matrix_rank(loops.jacobian(q), tol=1e-9) == model.nv - 1
    assert len(found.repeated()) == len(loops) - found.rank
    assert usual_rank(loops, q[None], 1) == found.rank
    held = np.arange(model.nv) == 0
    assert loops.redundancy(loops.jacobian(q), held).rank == model.nv - 1
