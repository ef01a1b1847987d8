"""Eigenvalues and shapes of small motions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from supple.linear.small_motions import LinearEquations
from supple.linear.start import Floats, Numbers

SLOWEST = 1e-6
"""Hz; what is slower than this does not move by itself."""
ROUNDING = 1e-10
"""Share of its terms to which the stiffness of a mode is known."""
GROWING = 1e-7
"""Negative damping ratio that is more than rounding."""
SHARE = 1e-6
"""Size of the coordinates in a null vector of unit length that is more than rounding."""
SPREAD = 1e-6
"""Modes whose squared frequencies are this share of the largest are computed again among themselves."""


def is_symmetric(K: Floats) -> bool:
    """Whether K = K* to rounding, judged entry by entry beside the largest of row and column."""
    rows = np.abs(K).max(axis=1, initial=0.0)
    allowed = 1e-9 * (np.abs(K) + np.abs(K.T)) + 1e-12 * np.sqrt(np.outer(rows, rows))
    return bool((np.abs(K - K.T) <= allowed).all())


def symmetric_modes(K: Floats, M: Floats) -> tuple[Floats, Floats]:
    """Squares (n,) in rad^2/s^2, ascending, and shapes (n, n) of K x = M x square, with unit modal mass.

    A dense solution is exact to rounding of the largest square alone. So the slow modes are taken as a basis and solved
    for again, until their squares span few decades: a pendulum keeps its digits beside the stretching of a stiff rod.
    """
    squares, shapes = linalg.eigh((K + K.T) / 2.0, M)
    slow = np.abs(squares) < SPREAD * np.abs(squares).max(initial=0.0)
    if slow.any() and not slow.all():
        basis = shapes[:, slow]
        squares[slow], inner = symmetric_modes(basis.T @ K @ basis, basis.T @ M @ basis)
        shapes[:, slow] = basis @ inner
    order = np.argsort(squares)
    return squares[order], shapes[:, order]


def loose(K: Floats, squares: Floats, shapes: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which modes have no stiffness: below `SLOWEST`, or a difference of much larger terms."""
    terms = np.einsum("ir,ij,jr->r", np.abs(shapes), np.abs(K), np.abs(shapes))
    floor = 1e-18 * np.abs(squares).max(initial=0.0)
    return np.abs(squares) <= np.maximum(ROUNDING * terms, max((2 * np.pi * SLOWEST) ** 2, floor))


def growing(values: Numbers) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which eigenvalues are of motions that grow by more than rounding."""
    size = np.abs(values)
    return (size > 2 * np.pi * SLOWEST) & (values.real > GROWING * size)


class Eigenmodes(NamedTuple):
    """Eigenvalues (m,), 1/s, shapes (nv, m) with unit modal mass, and whether they are those of K and M alone."""

    values: Numbers
    shapes: Numbers
    real: bool


def eigenmodes(e: LinearEquations) -> Eigenmodes:
    """Eigenvalues and shapes of small motions, slowest first.

    Of two conjugate eigenvalues the one with positive imaginary part is kept; of two that are zero, or +-s without
    damping, one. What rolls moves at rest as its speeds do, x = T z.
    """
    M = e.model.mass_matrix(e.state.q)
    if e.rolls and e.N.any():
        values, found = _rolling_modes(e, M)
        order = np.argsort(np.abs(values), kind="stable")
        return Eigenmodes(values[order], _scaled(e.carried.X @ found[:, order], M), False)
    K = e.K @ e.T
    squares, shapes = symmetric_modes(K, e.M)
    rigid = loose(K, squares, shapes)
    plain = not e.C.any() and not e.N.any() and not e.laws.names and is_symmetric(K)
    if plain:
        values = np.where(rigid, 0.0, np.sqrt(squares.astype(complex)))
        values = np.where(squares < 0, np.abs(values), 1j * values)
        found = shapes
    else:
        values, found = _state_modes(e, K, np.where(rigid, 1.0, np.sqrt(np.abs(squares))), shapes)
    order = np.argsort(np.abs(values), kind="stable")
    return Eigenmodes(values[order], _scaled(e.carried.Z @ found[:, order], M), plain)


def _state_modes(e: LinearEquations, K: Floats, w: Floats, Phi: Floats) -> tuple[Numbers, Numbers]:
    """Eigenvalues and shapes of the first-order equations, in the modes Phi of M and K.

    The states are w times the modes' coordinates, then their rates: all entries are then frequencies. States of
    controllers follow, scaled so that rows and columns are balanced.
    """
    n, z = len(w), e.laws
    N = np.zeros((n, n)) if e.rolls else Phi.T @ e.M @ e.N @ Phi
    modal, C = Phi.T @ K @ Phi, Phi.T @ e.C @ Phi
    modal[np.abs(modal) <= 1e-2 * ROUNDING * (np.abs(Phi.T) @ np.abs(K) @ np.abs(Phi))] = 0.0
    A = np.block(
        [
            [w[:, None] * N / w, np.diag(w), np.zeros((n, len(z.names)))],
            [-modal / w, -C, Phi.T @ z.force],
            [z.by_x @ e.T @ Phi / w, z.by_y @ Phi, z.by_z],
        ]
    )
    scale = np.ones(2 * n)
    if z.names:
        A, (size, _) = linalg.matrix_balance(A, permute=False, separate=True)
        scale = size[: 2 * n]
    values, states, still, null = _first_order(A)
    _clear_rounding(states, 2 * n)
    back = (scale[:n] / w)[:, None]
    return _with_rigid(values, Phi @ (back * states[:n]), Phi @ (back * _coordinates(still[:n], null)), e.M)


def _rolling_modes(e: LinearEquations, M: Floats) -> tuple[Numbers, Numbers]:
    """The same where there are more coordinates than speeds, in motion.

    Coordinates are weighed with their inertia, and with one frequency for all.
    """
    inertia = e.carried.X.T @ M @ e.carried.X
    d, Phi = np.sqrt(np.diag(inertia))[:, None], linalg.inv(linalg.cholesky(e.M))
    K = Phi.T @ e.K / d.T
    w = np.sqrt(np.abs(K).max(initial=0.0)) or 1.0
    p, z = len(d), e.laws
    A = np.block(
        [
            [d * e.N / d.T, w * d * e.T @ Phi, np.zeros((p, len(z.names)))],
            [-K / w, -Phi.T @ e.C @ Phi, Phi.T @ z.force],
            [z.by_x / (w * d.T), z.by_y @ Phi, z.by_z],
        ]
    )
    values, states, still, null = _first_order(A)
    _clear_rounding(states, p + len(Phi))
    return _with_rigid(values, states[:p] / (w * d), _coordinates(still[:p], null) / (w * d), inertia)


def _first_order(A: Floats) -> tuple[Numbers, Numbers, Floats, int]:
    """Return eigenvalues and vectors of A that are not zero, a basis of its generalized null space, and how many of it
    are null vectors: the first.

    Zero eigenvalues, most often double, are found as null spaces and taken out before the others are computed: first
    that of A, then that of what A does besides, until none is left. A chain of four is a free body whose weight is
    held: a rate tilts it, tilted it accelerates sideways.
    """
    fastest = linalg.svdvals(A).max(initial=0.0)
    moving, still, null = np.eye(len(A)), np.zeros((len(A), 0)), 0
    while moving.shape[1]:
        _, sizes, rows = linalg.svd(moving.T @ A @ moving)
        zero = sizes <= max(2 * np.pi * SLOWEST, 1e-13 * fastest)
        if not zero.any():
            break
        null = null or int(zero.sum())
        still, moving = np.hstack([still, moving @ rows[zero].T]), moving @ rows[~zero].T
    values, vectors = linalg.eig(moving.T @ A @ moving)
    # A conjugate pair counts once.
    kept = (values.imag >= 0) & (np.abs(values) > max(2 * np.pi * SLOWEST, 1e-11 * fastest))
    values, vectors = values[kept], (moving @ vectors[:, kept]).astype(complex)
    nilpotent, follow = still.T @ A @ still, still.T @ A @ vectors
    for i, value in enumerate(values):
        own = value * np.eye(len(nilpotent)) - nilpotent
        vectors[:, i] += still @ linalg.solve(own, follow[:, i]) if len(own) else 0.0
    return values, vectors, still, null


def _clear_rounding(states: Numbers, own: int) -> None:
    """Set modes of controllers alone to zero: of their states the first, the mechanism's own, are rounding."""
    states[:, np.linalg.norm(states[:own], axis=0) <= ROUNDING * np.linalg.norm(states, axis=0)] = 0.0


def _coordinates(still: Floats, null: int) -> Floats:
    """Return an orthonormal basis of the coordinates (p, m) of rigid motions, from generalized null vectors.

    Zeros come in pairs, of a motion and its rate, so that m is half their number, and at least that of the null vectors
    themselves, which come first. Others count where they move coordinates that those before do not.
    """
    count, basis = max(null, -(-still.shape[1] // 2)), np.zeros((len(still), 0))
    for column in still.T:
        left = column - basis @ (basis.T @ column)
        size = np.linalg.norm(left)
        if basis.shape[1] < count and size > SHARE:
            basis = np.hstack([basis, left[:, None] / size])
    return basis


def _with_rigid(values: Numbers, shapes: Numbers, rigid: Floats, M: Floats) -> tuple[Numbers, Numbers]:
    """Rigid motions, made orthogonal, before the others."""
    if rigid.shape[1]:
        rigid = rigid @ linalg.eigh(rigid.T @ M @ rigid)[1]
    return np.concatenate([np.zeros(rigid.shape[1]), values]), np.hstack([rigid, shapes])


def _scaled(shapes: Numbers, M: Floats) -> Numbers:
    """Return shapes with unit modal mass whose heaviest entry is real and positive.

    In modes of controllers alone nothing moves: their shapes are zero.
    """
    mass = np.einsum("ir,ij,jr->r", shapes.conj(), M, shapes).real
    still = mass <= np.finfo(float).tiny
    mass, shapes = np.where(still, 1.0, mass), np.where(still, 0.0, shapes)
    heaviest = np.argmax(np.abs(shapes) * np.sqrt(np.diag(M))[:, None], axis=0)
    lead = shapes[heaviest, np.arange(shapes.shape[1])]
    lead = np.where(still, 1.0, lead)
    return shapes * (np.abs(lead) / lead / np.sqrt(mass))
