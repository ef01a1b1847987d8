"""Modal integrals from the rows of mass and a basis."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from supple.checks import Floats
from supple.structures.body.modal_integrals import ModalIntegrals, Pairs
from supple.structures.discretization.dof_map import DofLayout, cross_matrix
from supple.structures.discretization.mass import MassModel, Sparse

NOISE = 1e-13
"""Sums below this share of what Cauchy and Schwarz allow them are rounding."""


def modal_integrals(mass: MassModel, basis: Floats | Sparse, layout: DofLayout, origin: Floats) -> ModalIntegrals:
    """The integrals in the frame at `origin`; `basis` (size, n) in the degrees of freedom of `layout`.

    Where the rows stand in for a given mass matrix, all that rigid motions see is the matrix's own; the rows only make
    the symmetric part of X, and N. Cost is linear in the rows; with a sparse basis also in its size.
    """
    m, _, second = whole = totals(mass, layout, origin)
    Pi, E, X = linear_integrals(mass, basis, layout, origin)
    N = _pairs(Pi, mass.weights)
    sizes = np.sqrt(_self_products(N))
    E = _cleaned(E, np.sqrt(m) * sizes[:, None])
    X = _cleaned(X, np.sqrt(np.trace(second)) * sizes[:, None, None])
    return ModalIntegrals(*whole, E, X, N)


def linear_integrals(
    mass: MassModel, basis: Floats | Sparse, layout: DofLayout, origin: Floats
) -> tuple[list[Any], Floats, Floats]:
    """How the rows of mass move in x, y and z, three (rows, n), and int Psi_r (n, 3) and int x Psi_r* (n, 3, 3)."""
    seen = mass.seen_from(origin)
    Pi: list[Any] = [P @ basis for P in seen.motion]
    E = np.stack([_row(seen.first_order, P) for P in Pi], axis=-1)
    Wx = seen.weights @ seen.positions
    X = np.stack([np.stack([_row(Wx[:, a], P) for P in Pi], axis=-1) for a in range(3)], axis=-2)
    if mass.given is not None:
        momentum = basis.T @ (mass.given @ layout.rigid_motions(origin))
        F_0, E = momentum[:, :3], momentum[:, 3:]
        X = (X + np.swapaxes(X, 1, 2)) / 2.0 - cross_matrix(F_0) / 2.0
    return Pi, E, X


def products(first: list[Any], other: list[Any], weights: Sparse) -> Floats:
    """int Psi_s Phi_r* (n, m, 3, 3) of two sets of shapes, given how they move the rows of mass."""
    out = np.zeros((first[0].shape[1], other[0].shape[1], 3, 3))
    for b in range(3):
        weighted = weights @ other[b]
        for a in range(3):
            out[:, :, a, b] = first[a].T @ weighted
    sizes = [np.sqrt(sum(_squares(P, weights @ P) for P in Pi)) for Pi in (first, other)]
    return _cleaned(out, np.multiply.outer(*sizes)[:, :, None, None])


def _squares(P: Any, weighted: Any) -> Floats:
    return np.asarray((P * weighted).sum(axis=0)).ravel()


def totals(mass: MassModel, layout: DofLayout, origin: Floats) -> tuple[float, Floats, Floats]:
    """Mass, its moment int x (3,) and second moment int x x* (3, 3), from `origin`."""
    if mass.given is None:
        seen = mass.seen_from(origin)
        m, moment, second = seen.mass, seen.moment, seen.positions.T @ (seen.weights @ seen.positions)
    else:
        rigid = layout.rigid_motions(origin)
        return rigid_totals(rigid.T @ (mass.given @ rigid))
    return _cleaned_totals(m, moment, second)


def rigid_totals(own: Floats) -> tuple[float, Floats, Floats]:
    """Mass, its moment int x (3,) and second moment int x x* (3, 3), from the mass matrix (6, 6) of rigid motions."""
    m = float(np.trace(own[3:, 3:]) / 3.0)
    moment = np.array([own[2, 4] - own[1, 5], own[0, 5] - own[2, 3], own[1, 3] - own[0, 4]]) / 2.0
    return _cleaned_totals(m, moment, np.trace(own[:3, :3]) / 2.0 * np.eye(3) - own[:3, :3])


def _cleaned_totals(m: float, moment: Floats, second: Floats) -> tuple[float, Floats, Floats]:
    trace = float(np.trace(second))
    return m, _cleaned(moment, np.sqrt(m * trace)), _cleaned((second + second.T) / 2.0, trace)


def _row(weights: Floats, P: Any) -> Floats:
    return np.asarray(P.T @ weights).ravel()


def _pairs(Pi: list[Any], W: Sparse) -> Pairs:
    """N(s, r)[a, b] = Pi_a* W Pi_b at (s, r), for the pairs where it is not zero."""
    n = Pi[0].shape[1]
    keys, places, values = [], [], []
    for b in range(3):
        weighted = W @ Pi[b]
        for a in range(3):
            block = scipy.sparse.coo_array(Pi[a].T @ weighted)
            keys.append(block.col.astype(np.int64) * n + block.row)
            places.append(np.full(block.nnz, 3 * a + b))
            values.append(block.data)
    pair, where = np.unique(np.concatenate(keys), return_inverse=True)
    value = np.zeros((len(pair), 9))
    value[where, np.concatenate(places)] = np.concatenate(values)
    first = np.searchsorted(pair, n * np.arange(n + 1))
    raw = Pairs(first.astype(np.int64), pair % max(n, 1), value.reshape(-1, 3, 3))
    sizes = np.sqrt(_self_products(raw))
    bound = sizes[pair // max(n, 1)] * sizes[raw.other]
    kept_value = _cleaned(raw.value, bound[:, None, None])
    kept = kept_value.any(axis=(1, 2))
    first = np.concatenate([[0], np.cumsum(kept)])[raw.first]
    return Pairs(first.astype(np.int64), raw.other[kept], kept_value[kept])


def _self_products(N: Pairs) -> Floats:
    """tr N(r, r) (n,)."""
    n = len(N.first) - 1
    out = np.zeros(n)
    row = np.repeat(np.arange(n), np.diff(N.first))
    own = row == N.other
    out[row[own]] = np.trace(N.value[own], axis1=1, axis2=2)
    return out


def _cleaned(values: Floats, bound: Floats | float) -> Floats:
    return np.where(np.abs(values) < NOISE * bound, 0.0, values)
