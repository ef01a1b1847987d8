"""Arrays with a row for each mode of a flexible body, and for each second-order shape that follows its modes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.body.modal_integrals import axial
from supple.structures.stiffening.second_order import SecondOrder

NEGLIGIBLE = 1e-13
"""What counts as rounding in a mass between a mode and a second-order shape, relative to the masses of both."""


@dataclass(frozen=True, eq=False)
class Constants:
    """What a flexible body is to the recursions, apart from where it stands.

    Attributes
    ----------
    row : int
        Where its modes stand in the arrays of rows.
    coupling : (n, 6) array
        M_fr of the undeformed body.
    lower : sparse array
        L of G = L D L*, unit diagonal.
    scale : (n,) array
        1 / D.
    second : SecondOrder, optional
        Shapes that follow the modes.
    cross : (n, k) array
        g = Psi* M b, zero where it is rounding.
    """

    row: int
    coupling: Floats
    lower: scipy.sparse.csr_array
    scale: Floats
    second: SecondOrder | None
    cross: Floats

    @property
    def shapes(self) -> int:
        """Number of second-order shapes."""
        return self.cross.shape[1]

    @cached_property
    def diagonal(self) -> bool:
        """Whether G is, as that of modes."""
        return bool(self.lower.nnz == len(self.scale))

    def half_solve(self, x: Floats) -> Floats:
        """D^-1/2 L^-1 x of the columns of x (n, m)."""
        if self.diagonal:
            return np.asarray(np.sqrt(self.scale)[:, None] * x)
        y = scipy.sparse.linalg.spsolve_triangular(self.lower, x, lower=True, unit_diagonal=True)
        return np.sqrt(self.scale)[:, None] * np.asarray(y)

    def half_solve_transposed(self, x: Floats) -> Floats:
        """L^-* D^-1/2 x."""
        y = np.sqrt(self.scale)[:, None] * x
        if self.diagonal:
            return np.asarray(y)
        return np.asarray(
            scipy.sparse.linalg.spsolve_triangular(self.lower.T.tocsr(), y, lower=False, unit_diagonal=True)
        )

    def half_times(self, x: Floats) -> Floats:
        """L D^1/2 x."""
        return np.asarray(self.lower @ (x / np.sqrt(self.scale)[:, None]))

    def solve(self, x: Floats) -> Floats:
        """Lam x of the columns of x (n, m)."""
        return self.half_solve_transposed(self.half_solve(x))

    @cached_property
    def reduction(self) -> Floats:
        """c = Lam g (n, k)."""
        return self.solve(self.cross) if self.shapes else self.cross

    @property
    def massive(self) -> int:
        """How many second-order shapes move mass beside the modes, see `structures.shape_basis`; the first ones."""
        if self.second is None:
            return 0
        left = np.diagonal(self.second.mass_own - self.cross.T @ self.reduction)
        return int((left > 0.5).sum())


ROUNDING = 1e-14
"""Size of a block, relative to the largest, that is there by rounding: which of these are zero is chance."""


class Rows:
    """The arrays of rows; a body that occurs several times has its rows once."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, bool], Constants] = {}
        self.parts: list[tuple[FlexibleBody, Constants]] = []
        self.count = 0

    def add(self, body: FlexibleBody, stiffening: bool) -> Constants:
        """Constants of a body, with or without the shapes that follow its modes."""
        found = self.known.get((id(body), stiffening))
        if found is None:
            found = self.known[id(body), stiffening] = _constants(body, self.count, stiffening)
            self.parts.append((body, found))
            self.count += body.modes + found.shapes
        return found

    def arrays(self) -> dict[str, Any]:
        """The fields of `Flex` with a row for each mode and second-order shape."""
        most = max((c.shapes for _, c in self.parts), default=0)
        parts = [_row_arrays(body, c, most) for body, c in self.parts]
        lists = [_row_lists(body, c) for body, c in self.parts]
        widths = {"mode_momentum": 3, "mode_second": 9, "mode_participation": 6}
        widths |= {"shape_mass": most, "shape_reduction": most}
        out: dict[str, Any] = {name: stack([x[name] for x in parts], width) for name, width in widths.items()}
        out["factor_scale"] = np.concatenate([np.zeros(0), *(x["factor_scale"] for x in parts)])
        for name in ("pair", "shape_pair", "curvature", "offdiagonal", "factor"):
            out[f"{name}_first"] = _firsts([x[name][0] for x in lists])
        for name, other in (("pair", "mode"), ("shape_pair", "number"), ("curvature", "mode")):
            out[f"{name}_{other}"] = _join([x[name][1] for x in lists])
        for name in ("offdiagonal", "factor"):
            out[f"{name}_mode"] = _join([x[name][1] for x in lists])
        for name in ("pair", "shape_pair"):
            values = np.concatenate([np.zeros((0, 3, 3)), *(x[name][2] for x in lists)])
            out[f"{name}_value"], out[f"{name}_axial"] = values.reshape(-1, 9), axial(values)
        out["curvature_value"] = stack([_padded(x["curvature"][2], most) for x in lists], most)
        out["offdiagonal_value"] = stack([x["offdiagonal"][2] for x in lists], 3)
        out["factor_value"] = np.concatenate([np.zeros(0), *(x["factor"][2] for x in lists)])
        return out


def _constants(body: FlexibleBody, row: int, stiffening: bool) -> Constants:
    """G factored without fill beyond its band, and what follows from it."""
    second = body.second_order if stiffening else None
    cross = np.zeros((body.modes, 0))
    if body.modes == 0:
        return Constants(row, np.zeros((0, 6)), scipy.sparse.csr_array((0, 0)), np.zeros(0), None, cross)
    G = scipy.sparse.csc_array(body.mass_matrix)
    if second is not None:
        size = np.sqrt(np.outer(G.diagonal(), np.diag(second.mass_own)))
        cross = np.where(np.abs(second.mass_cross) < NEGLIGIBLE * size, 0.0, second.mass_cross)
    lu = scipy.sparse.linalg.splu(G, permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    coupling = np.concatenate([axial(body.integrals.X), body.integrals.E], axis=1)
    return Constants(row, coupling, scipy.sparse.csr_array(lu.L), 1 / lu.U.diagonal(), second, cross)


def _row_arrays(body: FlexibleBody, c: Constants, most: int) -> dict[str, Floats]:
    """Arrays with a row for each mode of a body, then for each of its second-order shapes."""
    E, X, own = body.integrals.E, body.integrals.X, np.zeros((0, 0))
    if c.second is not None:
        E, X, own = np.concatenate([E, c.second.E]), np.concatenate([X, c.second.X]), c.second.mass_own
    return {
        "mode_momentum": E,
        "mode_second": X.reshape(-1, 9),
        "mode_participation": np.pad(c.solve(c.coupling) if body.modes else c.coupling, ((0, c.shapes), (0, 0))),
        "shape_mass": _padded(np.concatenate([c.cross, own.reshape(c.shapes, c.shapes)]), most),
        "shape_reduction": _padded(np.pad(c.reduction, ((0, c.shapes), (0, 0))), most),
        "factor_scale": np.pad(c.scale, (0, c.shapes), constant_values=1.0),
    }


def _row_lists(body: FlexibleBody, c: Constants) -> dict[str, tuple[Any, Any, Floats]]:
    """Lists of entries for each such row: where they begin, which others they are of, and their values."""
    pairs, k = body.integrals.N, c.shapes
    offdiagonal, values = _off_diagonal(body)
    factor = scipy.sparse.tril(c.lower, -1, format="csr")
    lists = {
        "pair": (pairs.first, pairs.other, pairs.value),
        "shape_pair": (np.zeros(body.modes + 1, int), np.zeros(0, int), np.zeros((0, 3, 3))),
        "curvature": (np.zeros(body.modes + 1, int), np.zeros(0, int), np.zeros((0, 0))),
        "offdiagonal": (offdiagonal.indptr, offdiagonal.indices, values),
        "factor": (factor.indptr, factor.indices, factor.data),
    }
    if c.second is not None:
        x = c.second
        by_shape = _listed(np.moveaxis(x.N_cross, 1, 0))  # N(s, b_j), a row for each j
        with_shape = _listed(np.concatenate([np.swapaxes(x.N_cross, -1, -2), np.swapaxes(x.N_own, 0, 1)]))
        lists["pair"] = _appended(lists["pair"], by_shape)
        lists["shape_pair"] = with_shape
        lists["curvature"] = (x.quadratic.first, x.quadratic.other, x.quadratic.value)
        for name in ("curvature", "offdiagonal", "factor"):
            first, other, value = lists[name]
            lists[name] = (np.concatenate([first, np.full(k, first[-1])]), other, value)
    return lists


def _listed(blocks: Floats) -> tuple[Any, Any, Floats]:
    """Blocks (rows, others, 3, 3) that are more than rounding, as lists."""
    sizes = np.abs(blocks).max(axis=(-2, -1))
    row, other = np.nonzero(sizes > ROUNDING * sizes.max(initial=0.0))
    return np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(blocks)))]), other, blocks[row, other]


def _appended(a: tuple[Any, Any, Floats], b: tuple[Any, Any, Floats]) -> tuple[Any, Any, Floats]:
    """The rows of two lists, one after the other."""
    return _firsts([a[0], b[0]]), np.concatenate([a[1], b[1]]), np.concatenate([a[2], b[2]])


def _padded(x: Floats, width: int) -> Floats:
    return np.pad(x, ((0, 0), (0, width - x.shape[1])))


def _off_diagonal(body: FlexibleBody) -> tuple[scipy.sparse.csr_array, Floats]:
    """Pattern of G, K and C off the diagonal, and their values there (entries, 3)."""
    parts = [scipy.sparse.csr_array(x) for x in (body.mass_matrix, body.stiffness, body.damping)]
    G, K, C = (abs(x) for x in parts)
    pattern = scipy.sparse.csr_array(G + K + C)
    pattern.setdiag(0.0)
    pattern.eliminate_zeros()
    pattern.sort_indices()
    entries = pattern.tocoo()
    values = [np.asarray(x[entries.row, entries.col]).reshape(-1) for x in parts]
    return pattern, np.stack(values, axis=1) if entries.nnz else np.zeros((0, 3))


def stack(parts: list[Floats], width: int) -> Floats:
    """Rows of all parts."""
    return np.concatenate([np.zeros((0, width)), *parts])


def _join(parts: list[Any]) -> Any:
    return np.concatenate([np.zeros(0, dtype=np.int64), *(np.asarray(p, dtype=np.int64) for p in parts)])


def _firsts(parts: list[Any]) -> Any:
    """Row pointers of stacked sparse rows."""
    total, out = 0, [np.zeros(1, dtype=np.int64)]
    for p in parts:
        out.append(total + np.asarray(p[1:], dtype=np.int64))
        total += int(p[-1])
    return np.concatenate(out)
