"""Equations of many constraints as they are recorded: products and solutions in loops, the same code for any number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_recorder import in_loops, in_straight_code
from supple.engines.plain import Replacements, plain
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr
from supple.model.rotations import SIMPLE
from supple.model.symbolic_tree import zeros
from supple.recursions import closure_forces
from supple.recursions.closures import ClosureWorkspace

Rows = NDArray[np.int64]
WRITTEN_OUT = 6
"""Most constraint equations whose forces are found by straight-line code, which has tangents; beyond, by loops."""


def written_out(count: int) -> bool:
    """Whether so many constraint equations are written out."""
    return count <= WRITTEN_OUT or in_straight_code()


def parts_of(S: Nodes) -> list[Rows]:
    """Rows of a symmetric matrix by the parts that it falls into: mechanisms that do not move each other."""
    there = [np.flatnonzero(row).tolist() for row in _not_zero(S)]
    found, seen = list[Rows](), set[int]()
    for first in range(len(S)):
        if first not in seen:
            part, new = {first}, [first]
            while new:
                following = set(there[new.pop()]) - part
                part |= following
                new += following
            seen |= part
            found.append(np.array(sorted(part)))
    return found


def _not_zero(x: Nodes) -> NDArray[np.bool_]:
    """Entries that are not known to be zero."""
    known = [y is y.graph.zero if isinstance(y, Expr) else y == 0 for y in x.flat]
    return ~np.array(known, dtype=bool).reshape(x.shape)


def delassus(J: Nodes, X: Nodes) -> Nodes:
    """S, see `closure_forces.delassus_product`; each part of it by itself."""
    S, moved, answers = zeros(len(J), len(J)), _not_zero(J), _not_zero(X)
    met = moved.astype(int) @ answers.T.astype(int)
    for rows in parts_of(met + met.T):
        columns = np.flatnonzero(moved[rows].any(axis=0))
        own, part = np.ix_(rows, columns), zeros(len(rows), len(rows))
        if len(columns):
            in_loops(closure_forces.delassus_product)(J[own], X[own], zeros(len(columns), len(rows)), part)
            S[np.ix_(rows, rows)] = part
    return S


def weighted_rows(weights: Nodes, matrix: Nodes) -> Nodes:
    """The sum of the rows of a matrix, each times its weight."""
    there, total = _not_zero(matrix), zeros(matrix.shape[1])
    for columns in parts_of(there.T.astype(int) @ there.astype(int)):
        rows = np.flatnonzero(there[:, columns].any(axis=1))
        if len(rows):
            part = zeros(1, len(columns))
            in_loops(closure_forces.matrix_product)(weights[None, rows], matrix[np.ix_(rows, columns)], part)
            total[columns] = part[0]
    return total


def factors(S: Nodes) -> list[tuple[Rows, Nodes, Nodes]]:
    """Of each part of S its rows, L and pivot, see `closure_forces.factor_closures`."""
    found = [(rows, zeros(len(rows), len(rows)), zeros(len(rows))) for rows in parts_of(S)]
    for rows, L, pivot in found:
        in_loops(closure_forces.factor_closures)(S[np.ix_(rows, rows)], L, pivot)
    return found


def pivots(S: Nodes) -> Nodes:
    """What is left of the diagonal of the regularized S where rows are eliminated one after the other."""
    out = zeros(len(S))
    for rows, L, _ in factors(S):
        out[rows] = L.diagonal()
    return out


def least_forces(S: Nodes, *right: Nodes) -> list[Nodes]:
    """Forces of least size with S force = r for each right side, see `closure_forces.solve_closures`."""
    found, own = [zeros(len(S)) for _ in right], factors(S)
    for r, force in zip(right, found, strict=True):
        for rows, L, pivot in own:
            part = zeros(len(rows))
            block = S[np.ix_(rows, rows)]
            in_loops(closure_forces.solve_closures)(block, L, pivot, r[rows], zeros(len(rows)), part)
            force[rows] = part
    return found


def _delassus_product(J: Nodes, X: Nodes, columns: Nodes, S: Nodes) -> None:
    """See `closure_forces.delassus_product`."""
    if written_out(len(S)):
        plain(closure_forces.delassus_product)(J, X, columns, S)
    else:
        S[:] = delassus(J, X)


def _close(given: Any, drive: Nodes, cw: ClosureWorkspace, a: Nodes) -> None:
    """See `closure_forces.close`."""
    if written_out(len(cw.force)):
        plain(closure_forces.close)(given, drive, cw, a)
        return
    a += np.where(given, 0.0, weighted_rows(cw.force, cw.X))
    if np.any(given):
        drive += np.where(given, weighted_rows(cw.force, cw.hold), 0.0)


RECORDED: Replacements = (
    *SIMPLE,
    (closure_forces.delassus_product, _delassus_product),
    (closure_forces.close, _close),
)
"""What stands in for steps where a recursion is recorded."""
