"""The regularized solution for closure forces: exact where S is sound, least in size where rows are redundant."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.engines.plain import plain
from supple.recursions.closure_forces import closing_step, factor_closures, solve_closures
from supple.recursions.closures import ClosureWorkspace, closure_workspace
from support.mechanisms.closed_mechanisms import andrews


def solved(S: Any, X: Any = None) -> ClosureWorkspace:
    """Arrays of a model with as many rows, S factored."""
    model, _ = andrews()
    assert model.loops is not None
    rows = {name: x[: len(S)] for name, x in model.loops.arrays._asdict().items() if name.startswith("row_")}
    cw = closure_workspace(model.loops.arrays._replace(**rows), 3, float)
    cw.S[:] = S
    if X is not None:
        cw.X[:] = X
    plain(factor_closures)(cw.S, cw.L, cw.pivot)
    return cw


def test_forces_of_a_sound_matrix_are_exact() -> None:
    A = np.random.default_rng(0).normal(size=(4, 4))
    S, r = A @ A.T + np.eye(4), np.array([1.0, -2.0, 3.0, 0.5])
    cw = solved(S)
    plain(solve_closures)(cw.S, cw.L, cw.pivot, r, cw.left, cw.force)
    np.testing.assert_allclose(cw.force, np.linalg.solve(S, r), rtol=1e-12)


def test_redundant_rows_share_their_force_and_rows_that_nothing_moves_have_none() -> None:
    S = np.array([[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    cw = solved(S)
    plain(solve_closures)(cw.S, cw.L, cw.pivot, np.array([4.0, 4.0, 1.0]), cw.left, cw.force)
    np.testing.assert_allclose(cw.force, [1.0, 1.0, 0.0], rtol=1e-9)


def test_the_closing_step_takes_the_error_away() -> None:
    J = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]])
    W = np.diag([1.0, 0.5, 2.0])
    error, change = np.array([0.3, -0.1]), np.zeros(3)
    cw = solved(J @ W @ J.T, J @ W)
    plain(closing_step)(error, change, cw)
    np.testing.assert_allclose(J @ change, -error, rtol=1e-12)
    # Least kinetic energy: no motion that the rows allow is in it.
    free = np.linalg.svd(J)[2][2]
    assert abs(free @ np.linalg.solve(W, change)) < 1e-12
