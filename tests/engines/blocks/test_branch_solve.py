"""Right sides divided by a matrix that is sparse as the branches of a tree are: any lanes, any number of columns."""

from __future__ import annotations

import numpy as np
import pytest

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.branch_solve import WIDEST_TILE, Branches, vectors
from supple.engines.blocks.cells import Cells
from supple.engines.blocks.tangent_groups import KnownJacobian
from supple.engines.blocks.tangent_program import TangentProgram

PARENTS = (-1, 0, 1, 1, 3, 0, -1, 6, 7, 7, 4)
"""Two trees; in the first a branch in a branch."""
NONE = np.zeros(0)


def ancestors() -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    for i in PARENTS:
        found.append(() if i < 0 else (i, *found[i]))
    return found


def matrices(states: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """M with the sparsity of the branches, positive definite, and D whose column j has entries on the branch of j."""
    rng, n = np.random.default_rng(5), len(PARENTS)
    L = np.eye(n)[None].repeat(states, axis=0)
    D = np.zeros((states, n, columns))
    for i, own in enumerate(ancestors()):
        L[:, i, list(own)] = rng.normal(size=(states, len(own)))
        if i < columns:
            D[:, [i, *own], i] = rng.normal(size=(states, 1 + len(own)))
    return np.swapaxes(L, 1, 2) @ (rng.uniform(0.5, 2.0, (states, n, 1)) * L), D


def program(columns: int) -> TangentProgram:
    """-M^-1 D and M^-1."""
    n, r = len(PARENTS), BlockRecorder()
    M, D, y = Cells(r, (n, n)), Cells(r, (n, columns)), Cells(r, (1,))
    scratch, unit = Cells(r, (n, WIDEST_TILE), 0.0), Cells(r, (2 * WIDEST_TILE,), 0.0)
    unit[WIDEST_TILE] = -1.0
    y[0] = 2 * M[0, 0]
    entries = matrices(1, columns)[1][0] != 0.0
    used = tuple(tuple(np.flatnonzero(x).tolist()) for x in entries.T)
    by_D = KnownJacobian("y", "D", D.first, (n, columns), used)
    by_M = KnownJacobian("y", "M", -1, (n, n), tuple((i,) for i in range(n)))
    own = Branches(M.first, ancestors(), scratch.first, unit.first)
    return TangentProgram(Program(r, {"M": M, "D": D}, {"y": y}, None, [unit]), [], {}, 0, [by_D, by_M], own)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("by_states", [False, True])
@pytest.mark.parametrize("columns", [3, 11])
def test_any_lanes(lanes: int, by_states: bool, columns: int) -> None:
    states, n = 13, len(PARENTS)
    M, D = matrices(states, columns)
    out = [np.full((states, k), np.nan) for k in (1, n * columns, n * n)]
    arrays = [M.reshape(states, -1), D.reshape(states, -1), *out]
    loaded = program(columns).loaded(lanes, by_states)
    for _ in range(2):  # the second run must not see the first
        loaded.run(0, states, arrays, NONE)
        inverse = np.linalg.inv(M)
        np.testing.assert_allclose(out[1].reshape(D.shape), -inverse @ D, rtol=0, atol=1e-11 * np.abs(inverse).max())
        np.testing.assert_allclose(out[2].reshape(M.shape), inverse, rtol=0, atol=1e-11 * np.abs(inverse).max())
        np.testing.assert_array_equal(out[0][:, 0], 2 * M[:, 0, 0])


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_few_columns_are_left_over(lanes: int) -> None:
    for columns in range(1, 80):
        of_states, of_one = vectors(columns, lanes, True), vectors(columns, lanes, False)
        assert of_states % lanes == 0
        assert -columns % of_states < max(4, lanes)
        assert of_one * lanes <= WIDEST_TILE
        assert -columns % (of_one * lanes) < 2 * lanes
