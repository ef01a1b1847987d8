"""The two routes of forward dynamics that Jain and Rodriguez count: composite bodies (5.5), articulated bodies (7.10).

Each is written as printed, with the sparsity of A, H_f and H_r and the symmetry of matrices used. What is formed on
the way is kept by stage, so that the operations of each can be counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from support.jain_rodriguez.chain import (
    Array,
    Link,
    Motion,
    motion,
    moved_inertia,
    node_motion,
    parts,
    shift_force,
    shift_motion,
    symmetric_product,
    turned,
)

Stages = dict[str, list[Array]]
"""Arrays that each stage of a route computes, in order."""
INVERSES = ("explicit", "indirect", "printed")
"""Of D_f: by elimination, by (7.7) without the inverse of Gamma, by (7.7) as printed, which no hinge allows."""


# ---------------------------------------------------------------- symmetric equations


def factors(A: Array) -> tuple[Array, Array]:
    """L, unit lower triangular, and 1 / D with A = L D L*."""
    A, n = A.copy(), len(A)
    L, inverse = np.zeros((n, n), dtype=A.dtype), np.zeros(n, dtype=A.dtype)
    for k in range(n):
        inverse[k] = 1 / A[k, k]
        for i in range(k + 1, n):
            L[i, k] = A[i, k] * inverse[k]
            A[i, k + 1 : i + 1] -= L[i, k] * A[k + 1 : i + 1, k]
    return L, inverse


def solution(A: Array, r: Array, first: int = 0, kept: tuple[Array, Array] | None = None) -> Array:
    """x with A x = r for a symmetric A, or for its factors; entries of r before `first` are zero."""
    L, inverse = factors(A) if kept is None else kept
    x, n = r.copy(), len(r)
    for i in range(first + 1, n):
        x[i] = x[i] - L[i, first:i] @ x[first:i]
    x[first:] = x[first:] * inverse[first:]
    for i in range(n - 2, -1, -1):
        x[i] = x[i] - L[i + 1 :, i] @ x[i + 1 :]
    return x


def inverse_of(A: Array) -> Array:
    """A^-1 of a symmetric matrix, a column at a time: 5/6 n^3 products, as the source counts."""
    if not len(A):
        return A
    kept, unit = factors(A), np.eye(len(A), dtype=A.dtype)
    return np.column_stack([solution(A, unit[:, j].copy(), j, kept) for j in range(len(A))])


# ---------------------------------------------------------------- composite bodies


def composite(chain: Sequence[Link], q: Array, v: Array, T: Array, gravity: Array) -> tuple[Array, Stages]:
    """Accelerations by (5.5), (4.2) and a dense solution of (5.1); what the stages compute."""
    m = motion(chain, q, v)
    stages: Stages = {"composite inertias": [], "mass matrix": [], "bias": [*m.V, *m.a, *m.b_f, *m.b_r]}
    M = mass_matrix(chain, m, stages)
    C = bias(chain, m, gravity, stages)
    rest = T - C
    a = solution(M, rest)
    stages |= {"T - C": [rest], "solution": [a]}
    return a, stages


def mass_matrix(chain: Sequence[Link], m: Motion, stages: Stages) -> Array:
    """M by (5.5)."""
    first = np.cumsum([0, *(1 + link.modes for link in chain)])
    M = np.zeros((first[-1], first[-1]), dtype=m.R[-1].dtype)
    R_outer = None
    for k in reversed(range(len(chain))):
        link, n = chain[k], chain[k].modes
        R_ff, R_rf, R_rr = body_inertia(chain, m, k, R_outer)
        stages["composite inertias"] += [R_rf, R_rr]
        # X(k) = R(k) H*(k), hinge and modes side by side
        X_f = np.column_stack([R_rf.T @ link.H, R_ff - R_rf.T @ link.Pi_d])
        X_r = np.column_stack([R_rr @ link.H, R_rf - R_rr @ link.Pi_d])
        i = first[k]
        M[i, i : i + n + 1] = M[i : i + n + 1, i] = link.H @ X_r
        for r in range(n):
            j = i + 1 + r
            M[j, i + 1 : j + 1] = M[i + 1 : j + 1, j] = X_f[r, 1 : r + 2] - link.Pi_d[:, r] @ X_r[:, 1 : r + 2]
        own = slice(i, first[k + 1])
        stages["mass matrix"].append(M[own, own])
        for j in reversed(range(k)):
            inner = chain[j]
            X_node = turned(m.R[j + 1], shift_force(chain[j + 1].l_d, X_r))
            X_r = shift_force(inner.l_t, X_node)
            M[first[j], own] = M[own, first[j]] = inner.H @ X_r
            modes = slice(first[j] + 1, first[j + 1])
            M[modes, own] = inner.Pi_t.T @ X_node - inner.Pi_d.T @ X_r
            M[own, modes] = M[modes, own].T
            stages["mass matrix"].append(M[first[j] : first[j + 1], own])
        R_outer = R_rr
    return M


def body_inertia(chain: Sequence[Link], m: Motion, k: int, outer: Array | None) -> tuple[Array, Array, Array]:
    """A Gamma A* + M_m: modal block, coupling, rigid block, with what the next body brings to the node; R, and P."""
    link = chain[k]
    if outer is None:
        return link.M_ff, link.M_rf, link.M_rr
    Gamma = moved_inertia(m.R[k + 1], chain[k + 1].l_d, outer)
    through = Gamma @ link.Pi_t
    ff = link.M_ff + symmetric_product(link.Pi_t.T, through)
    return ff, link.M_rf + shift_force(link.l_t, through), link.M_rr + moved_inertia(None, link.l_t, Gamma)


def bias(chain: Sequence[Link], m: Motion, gravity: Array, stages: Stages) -> Array:
    """C: generalized forces without accelerations (4.2)."""
    node: Array = np.concatenate([np.zeros(3), -gravity])
    alpha: list[Array] = []
    for link, R, a in zip(chain, m.R, m.a, strict=True):
        alpha.append(shift_motion(link.l_d, turned(R.T, node)) + a)
        node = node_motion(link, None, alpha[-1])
    C: list[Array] = []
    f_node = None
    for k in reversed(range(len(chain))):
        link = chain[k]
        f_f = link.M_rf.T @ alpha[k] + m.b_f[k]
        f_r = link.M_rr @ alpha[k] + m.b_r[k]
        if f_node is not None:
            f_f, f_r = f_f + link.Pi_t.T @ f_node, f_r + shift_force(link.l_t, f_node)
        C.append(np.concatenate([[link.H @ f_r], f_f - link.Pi_d.T @ f_r]))
        f_node = turned(m.R[k], shift_force(link.l_d, f_r))
    stages["bias"] += C
    return np.concatenate(C[::-1])


# ---------------------------------------------------------------- articulated bodies


def articulated(
    chain: Sequence[Link], q: Array, v: Array, T: Array, gravity: Array, inverse: str = "indirect"
) -> tuple[Array, Stages]:
    """Accelerations by (7.8), (7.10) and its sweeps; what the stages compute. `inverse`: one of `INVERSES`.

    The page with (7.11), (7.12) is lost; here a_m acts on P(k), before the modes are eliminated, as the counts say.
    """
    m = motion(chain, q, v)
    stages: Stages = {"velocities": [*m.V, *m.a, *m.b_f, *m.b_r], "(7.10)": [], "(7.11)": [], "(7.12)": []}
    kept = inertias(chain, m, inverse, stages)
    residuals: list[Any] = [None] * len(chain)
    z_node, forces = None, parts(chain, T)
    for k in reversed(range(len(chain))):  # (7.11)
        link, (P_rf, P_rr, D_f_inverse, g, D_R_inverse, G_R) = chain[k], kept[k]
        z_f = P_rf.T @ m.a[k] + m.b_f[k]
        z_r = P_rr @ m.a[k] + m.b_r[k]
        if z_node is not None:
            z_f, z_r = z_f + link.Pi_t.T @ z_node, z_r + shift_force(link.l_t, z_node)
        eps_f = forces[k][1] - (z_f - link.Pi_d.T @ z_r)
        z_r = z_r + g @ eps_f
        eps_r = forces[k][0] - link.H @ z_r
        residuals[k] = D_f_inverse @ eps_f, eps_r * D_R_inverse
        z_node = turned(m.R[k], shift_force(link.l_d, z_r + G_R * eps_r))
        stages["(7.11)"] += [residuals[k][0], np.array([residuals[k][1]]), z_node]
    node: Array = np.concatenate([np.zeros(3), -gravity])
    found: list[Array] = []
    for k, link in enumerate(chain):  # (7.12)
        (nu_f, nu_r), g, G_R = residuals[k], kept[k][3], kept[k][5]
        alpha = shift_motion(link.l_d, turned(m.R[k].T, node))
        hinge = nu_r - G_R @ alpha
        alpha = alpha + link.H * hinge
        modes = nu_f - g.T @ alpha
        found.append(np.concatenate([[hinge], modes]))
        node = node_motion(link, modes, alpha - link.Pi_d @ modes + m.a[k])
    stages["(7.12)"] += found
    return np.concatenate(found), stages


def inertias(chain: Sequence[Link], m: Motion, inverse: str, stages: Stages) -> list[tuple[Any, ...]]:
    """P, D_f^-1, g, D_R^-1, G_R of all bodies (7.10), with the constants of (7.8)."""
    out: list[Any] = [None] * len(chain)
    P_plus = None
    for k in reversed(range(len(chain))):
        link = chain[k]
        P_ff, P_rf, P_rr = body_inertia(chain, m, k, P_plus)
        mu = P_rf - P_rr @ link.Pi_d
        Gamma = None if P_plus is None else moved_inertia(m.R[k + 1], chain[k + 1].l_d, P_plus)
        D_f_inverse = modal_inverse(link, Gamma, inverse)
        g = mu @ D_f_inverse
        P_R = P_rr - symmetric_product(g, mu.T)
        column = P_R @ link.H
        D_R_inverse = 1 / (link.H @ column)
        G_R = column * D_R_inverse
        P_plus = P_R - np.outer(G_R, column)
        P_plus = np.tril(P_plus) + np.tril(P_plus, -1).T
        out[k] = P_rf, P_rr, D_f_inverse, g, D_R_inverse, G_R
        stages["(7.10)"] += [P_ff, P_rf, P_rr, D_f_inverse, g, P_R, G_R, P_plus]
    return out


def modal_inverse(link: Link, Gamma: Array | None, inverse: str) -> Array:
    """D_f^-1; of the tip, where nothing comes in, the constant Lam of (7.8)."""
    D_0 = link.M_ff - link.M_rf.T @ link.Pi_d - link.Pi_d.T @ (link.M_rf - link.M_rr @ link.Pi_d)
    zeta = link.Pi_t.T - link.Pi_d.T @ np.column_stack([shift_force(link.l_t, x) for x in np.eye(6)])
    Lam = inverse_of(D_0)
    if Gamma is None:
        return Lam
    if inverse == "explicit":
        return inverse_of(D_0 + symmetric_product(zeta, Gamma @ zeta.T))
    Ups = Lam @ zeta
    Omega = zeta.T @ Ups
    if inverse == "printed":
        W = inverse_of(inverse_of(Gamma) + Omega)
    else:
        W = through(Gamma, Omega)
    return Lam - symmetric_product(Ups @ W, Ups.T)


def through(Gamma: Array, Omega: Array) -> Array:
    """W = (I + Gamma Omega)^-1 Gamma, which is (Gamma^-1 + Omega)^-1 where Gamma has an inverse: 6x6 elimination."""
    A, W = np.eye(6) + Gamma @ Omega, Gamma.copy()
    inverse = np.zeros(6, dtype=A.dtype)
    for k in range(6):
        inverse[k] = 1 / A[k, k]
        for i in range(k + 1, 6):
            ratio = A[i, k] * inverse[k]
            A[i, k + 1 :] = A[i, k + 1 :] - ratio * A[k, k + 1 :]
            W[i] = W[i] - ratio * W[k]
    for i in range(5, -1, -1):
        for j in range(i + 1):  # the other half is known
            W[i, j] = (W[i, j] - A[i, i + 1 :] @ W[i + 1 :, j]) * inverse[i]
        W[:i, i] = W[i, :i]
    return W
