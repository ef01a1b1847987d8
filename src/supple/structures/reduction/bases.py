"""The three bases of modes, as pure functions of matrices.

All are shapes of the structure seen from its root, so they vanish there. All end with a small eigenproblem in their
own span: phi* M phi = I and phi* K phi is diagonal, in the order of frequency.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.errors import ModelError
from supple.structures.discretization.mass import Sparse
from supple.structures.eigen.lowest_modes import Participation, Solve, cut, factorised, first_largest, lowest_modes
from supple.structures.reduction.mode_selection import Modes, chosen_modes

NOISE = 1e-13
"""Entries of a shape below this share of its largest are rounding."""
MASSLESS = 1e-12
"""A shape whose mass is this share of the sum over its entries has none."""


@dataclass(frozen=True, eq=False)
class ModalBasis:
    """Orthogonal shapes.

    Attributes
    ----------
    shapes : (size, n) array
        Mass-normalised.
    squares : (n,) array
        Squared frequencies, rad^2/s^2.
    interface : (n,) array
        Share of the strain energy in constraint modes and residual vectors.
    """

    shapes: Floats
    squares: Floats
    interface: Floats


def cantilever(
    K: Sparse, M: Sparse, root: Ints, rigid: Floats, scales: Floats, modes: Modes, solve: Solve | None = None
) -> ModalBasis:
    """Modes with the root's degrees of freedom fixed; `rigid` and `solve` as in `free_free`."""
    free = _without(K.shape[0], root)
    phi = _normal_modes(K, M, free, rigid, modes, "with the root fixed", solve)
    return orthogonal(_placed(phi, free, K.shape[0]), K, M, scales)


def free_free(
    K: Sparse, M: Sparse, root: Ints, rigid: Floats, scales: Floats, modes: Modes, solve: Solve | None = None
) -> ModalBasis:
    """Elastic modes of the free structure, each less the rigid motion of its root.

    With u = v + R q, where v vanishes at the root and q is the root's motion, a free vibration has no momentum:
    R* M (v + R q) = 0. What is left is an eigenproblem for v, of the held stiffness and a mass less the modal
    participation.

    Parameters
    ----------
    rigid : (size, 6) array
        R, rigid motions of which the root's rows are the unit matrix.
    solve : function, optional
        Solves with the stiffness of the held structure, where it has been factorised already.
    """
    free = _without(K.shape[0], root)
    momentum = M @ rigid
    participation = Participation(momentum[free], rigid.T @ momentum)
    K_f, M_f = cut(K, free), cut(M, free)

    def find(count: int) -> tuple[Floats, Floats]:
        return lowest_modes(K_f, M_f, count, participation, solve)

    phi = chosen_modes(modes, find, M_f, momentum[free], "free in space")
    return orthogonal(_placed(phi, free, K.shape[0]), K, M, scales)


def craig_bampton(
    K: Sparse,
    M: Sparse,
    ends: tuple[Ints, Ints],
    rigid: Floats,
    scales: Floats,
    modes: Modes,
    solve: Solve | None = None,
) -> ModalBasis:
    """Constraint modes of the boundary, and normal modes with root and boundary, the two `ends`, fixed.

    `solve` as in `free_free`: with W = K^-1 E for unit forces on the boundary, held displacements are W (E* W)^-1, and
    what a force does with the boundary fixed is K^-1 f less that of the boundary's motion.
    """
    root, boundary = ends
    size = K.shape[0]
    inner = _without(size, np.concatenate([root, boundary]))
    units = np.zeros((size, len(boundary)))
    units[boundary, np.arange(len(boundary))] = 1.0
    fixed: Solve | None = None
    if len(inner) and len(boundary) and solve is not None:
        free = _without(size, root)
        at, within = np.searchsorted(free, boundary), np.searchsorted(free, inner)
        moved = solve(np.ascontiguousarray(units[free]))
        moved = moved @ np.linalg.inv(moved[at])
        units[free] = moved
        fixed = _fixed_solver(solve, moved, at, within)
    elif len(inner) and len(boundary):
        coupling = scipy.sparse.csr_array(K[inner][:, boundary]).toarray()
        fixed = factorised(cut(K, inner)).solve
        units[inner] = -fixed(coupling)
    phi = _normal_modes(K, M, inner, rigid, modes, "with root and interfaces fixed", fixed)
    return orthogonal(np.concatenate([units, _placed(phi, inner, size)], axis=1), K, M, scales, len(boundary))


def _fixed_solver(solve: Solve, moved: Floats, at: Ints, within: Ints) -> Solve:
    """Solves with a boundary fixed, given a solver with it free and the displacements for its unit motions."""

    def fixed(f: Floats) -> Floats:
        whole = np.zeros((len(moved), *f.shape[1:]))
        whole[within] = f
        x = solve(whole)
        return np.asarray((x - moved @ x[at])[within])

    return fixed


def orthogonal(span: Floats, K: Sparse, M: Sparse, scales: Floats, interfaces: int = 0) -> ModalBasis:
    """The span's own modes, cleaned of rounding, the largest entry of each positive.

    Parameters
    ----------
    span : (size, n) array
        Independent shapes; the first `interfaces` of them are constraint modes.
    scales : (size,) array
        Make rotations and displacements comparable.
    """
    n = span.shape[1]
    sizes = np.sqrt(np.maximum(np.einsum("ij,ij->j", span, M @ span), 0.0))
    if (sizes**2 <= MASSLESS * (M.diagonal() @ span**2)).any():
        raise ModelError("reduction: an interface can move without moving any mass; give it mass or inertia")
    span = span / sizes
    K_n, M_n = _symmetric(span.T @ (K @ span)), _symmetric(span.T @ (M @ span))
    squares, y = lowest_modes(scipy.sparse.csr_array(K_n), scipy.sparse.csr_array(M_n), n)
    if len(squares) < n:
        raise ModelError(f"reduction: expected {n} independent shapes, got {len(squares)}; some move no mass")
    shapes = cleaned(span @ y, scales)
    y_c = y[:interfaces]
    energy = np.einsum("ir,ij,jr->r", y_c, K_n[:interfaces, :interfaces], y_c)
    return ModalBasis(shapes, squares, energy / squares)


def cleaned(shapes: Floats, scales: Floats) -> Floats:
    """Shapes without rounding in place of zeros, the largest entry of each positive."""
    out = shapes.copy()
    for r in range(out.shape[1]):
        size = np.abs(out[:, r]) * scales
        out[size < NOISE * size.max(), r] = 0.0
        if out[first_largest(size), r] < 0:
            out[:, r] *= -1.0
    return out + 0.0


def _without(size: int, fixed: Ints) -> Ints:
    kept = np.ones(size, bool)
    kept[fixed] = False
    return np.flatnonzero(kept).astype(np.int64)


def _placed(part: Floats, rows: Ints, size: int) -> Floats:
    out = np.zeros((size, part.shape[1]))
    out[rows] = part
    return out


def _symmetric(matrix: Floats) -> Floats:
    return (matrix + matrix.T) / 2.0


def _normal_modes(
    K: Sparse, M: Sparse, free: Ints, rigid: Floats, modes: Modes, how: str, solve: Solve | None = None
) -> Floats:
    """Shapes of the modes that are wanted with all other degrees of freedom fixed."""
    K_f, M_f = cut(K, free), cut(M, free)
    found = chosen_modes(modes, lambda count: lowest_modes(K_f, M_f, count, solve=solve), M_f, (M @ rigid)[free], how)
    return found
