"""A serial chain of flexible links as Jain and Rodriguez describe it: constants, velocities and bias terms.

Bodies are numbered from the base, and the degrees of freedom of a body are its hinge, then its modes, as in `supple`;
symbols are the source's. Hinges turn about y, links are ruthlessly linearized (8.1). The arrays hold numbers or graph
nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.model.rotations import on_nodes
from supple.spatial import SLOT, rotate_inertia, shift_inertia
from supple.structures import FlexibleBody

Array = NDArray[Any]
AXIS = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])


class Link(NamedTuple):
    """The constants of one body, in its axes, at its frame F_k."""

    M_ff: Array
    """(n, n)."""
    M_rf: Array
    """(6, n)."""
    M_rr: Array
    """(6, 6)."""
    K: Array
    """(n, n) stiffness."""
    N: Array
    """(n, 3, 3) S_1 + J_1* of (B.50): the gyroscopic force on a mode is -omega* N omega."""
    Pi_t: Array
    """(6, n) shapes at the outboard node."""
    Pi_d: Array
    """(6, n) shapes at the inboard node, seen at the frame."""
    l_t: Array
    """(3,) from the frame to the outboard node."""
    l_d: Array
    """(3,) from the inboard node, where the hinge is, to the frame."""

    @property
    def modes(self) -> int:
        """n."""
        return len(self.K)

    @property
    def H(self) -> Array:
        """(6,) H_F: the motion of the frame for a unit speed of the hinge."""
        return shift_motion(self.l_d, AXIS)


class Motion(NamedTuple):
    """What a state gives, a list entry for each body."""

    R: list[Array]
    """From body to parent axes."""
    V: list[Array]
    """(6,) velocity of the frame, V_m^r."""
    a: list[Array]
    """(6,) Coriolis acceleration, a_mR^0 of (B.11)."""
    b_f: list[Array]
    """(n,) modal part of b_m^0 + K_m theta."""
    b_r: list[Array]
    """(6,) rigid part of b_m^0."""


# ---------------------------------------------------------------- vectors and matrices


def cross_matrix(l: Array) -> Array:
    """l~."""
    return np.array([[0.0, -l[2], l[1]], [l[2], 0.0, -l[0]], [-l[1], l[0], 0.0]], dtype=np.asarray(l).dtype)


def cross(a: Array, b: Array) -> Array:
    """a x b; b may have further columns."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def shift_motion(l: Array, x: Array) -> Array:
    """phi* x: motion at a point, seen at l from it. Columns are motions."""
    return np.concatenate([x[:3], x[3:] - cross(l, x[:3])])


def shift_force(l: Array, f: Array) -> Array:
    """phi f: force at l, referred to the point from which l runs. Columns are forces."""
    return np.concatenate([f[:3] + cross(l, f[3:]), f[3:]])


def turned(R: Array, x: Array) -> Array:
    """R times both halves of 6-vectors."""
    return np.concatenate([R @ x[:3], R @ x[3:]])


def rotation(angle: Any) -> Array:
    """R_parent_body of a hinge about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def moved_inertia(R: Array | None, l: Array, P: Array) -> Array:
    """phi P phi* of a symmetric 6x6, turned by R afterwards; without R it stays in its axes."""
    packed: list[Any] = [None] * 21
    for i, j in np.ndindex(6, 6):
        packed[SLOT[i][j]] = P[i, j]
    shifted = on_nodes(shift_inertia)(tuple(l), tuple(packed))
    found = shifted if R is None else on_nodes(rotate_inertia)(tuple(R.flat), shifted)
    return np.array([[found[SLOT[i][j]] for j in range(6)] for i in range(6)])


def symmetric_product(A: Array, B: Array) -> Array:
    """A B where it is symmetric: half of the entries are computed."""
    out = np.empty((len(A), len(A)), dtype=np.result_type(A, B))
    for i in range(len(A)):
        out[i, : i + 1] = out[: i + 1, i] = A[i] @ B[:, : i + 1] if A.shape[1] else 0.0
    return out


# ---------------------------------------------------------------- links


def link_of(body: FlexibleBody, seed: int | None = None) -> Link:
    """A reduced body as a link.

    With a `seed` the same body in other variables, as general as the source's: the modes are mixed, so that no matrix
    is diagonal; the frame is beside the hinge and floats, so that Pi_d is not zero.
    """
    integrals, end = body.integrals, body.frame("end")
    M_rr = rigid_inertia(integrals.mass, integrals.moment, integrals.J_0)
    M_rf = np.concatenate([integrals.F_0.T, integrals.E.T])
    X = integrals.X
    N = np.trace(X, axis1=1, axis2=2)[:, None, None] * np.eye(3) - X
    G, K = body.mass_matrix.toarray(), body.stiffness.toarray()
    still = np.zeros((6, body.modes))
    plain = Link(G, M_rf, M_rr, K, N, end.shape, still, end.position, np.zeros(3))
    return plain if seed is None else _floating(plain, np.random.default_rng(seed))


def rigid_inertia(mass: float, moment: Array, J: Array) -> Array:
    """[[J, h~], [-h~, m I]] (3.1), symmetric to the last bit."""
    h = cross_matrix(moment)
    return np.block([[symmetric(J), h], [-h, mass * np.eye(3)]])


def mixing(modes: int, seed: int) -> Array:
    """C with eta = C eta' between the modes of a link and those of `link_of` with a seed."""
    return np.random.default_rng(seed).normal(size=(modes, modes)) + 2 * np.eye(modes)


def _floating(link: Link, rng: np.random.Generator) -> Link:
    """Modes mixed by C, the frame at l_d, with Pi_d: (eta, V at the hinge) = T (eta', V'), by (3.11)."""
    n = link.modes
    C = rng.normal(size=(n, n)) + 2 * np.eye(n)
    l_d, Pi_d = rng.normal(scale=0.1, size=3), rng.normal(scale=0.3, size=(6, n))
    T = np.zeros((n + 6, n + 6))
    T[:n, :n], T[n:, :n] = C, shift_motion(-l_d, Pi_d)
    T[n:, n:] = np.column_stack([shift_motion(-l_d, x) for x in np.eye(6)])
    M_root = np.block([[link.M_ff, link.M_rf.T], [link.M_rf, link.M_rr]])
    M_m = T.T @ M_root @ T

    def gyroscopic(omega: Array) -> Array:
        bias = np.concatenate([np.zeros(n + 3), cross(omega, cross(omega, -l_d))])
        own = np.concatenate([-np.einsum("i,rij,j->r", omega, link.N, omega), rigid_gyroscopic(link.M_rr, omega)])
        return (T.T @ (own + M_root @ bias))[:n]

    N = np.empty((n, 3, 3))
    for i, j in np.ndindex(3, 3):
        x, y = np.eye(3)[[i, j]]
        N[:, i, j] = -(gyroscopic(x + y) - gyroscopic(x) - gyroscopic(y)) / 2
    l_t = link.l_t - l_d
    Pi_t = link.Pi_t @ C + shift_motion(l_t, Pi_d)
    mass = float(link.M_rr[5, 5])
    M_rr = rigid_inertia(mass, first_moment(link.M_rr) - mass * l_d, M_m[n : n + 3, n : n + 3])
    return Link(symmetric(M_m[:n, :n]), M_m[n:, :n], M_rr, symmetric(C.T @ link.K @ C), N, Pi_t, Pi_d, l_t, l_d)


def symmetric(A: Array) -> Array:
    """To the last bit."""
    return np.triu(A) + np.triu(A, 1).T


def first_moment(M_rr: Array) -> Array:
    """m p_0 of a rigid inertia."""
    return np.array([M_rr[2, 4], M_rr[0, 5], M_rr[1, 3]])


def rigid_gyroscopic(M_rr: Array, omega: Array) -> Array:
    """b_omega, b_v of (B.50) for the undeformed body: omega x J omega, omega x (omega x m p)."""
    return np.concatenate([cross(omega, M_rr[:3, :3] @ omega), cross(omega, cross(omega, first_moment(M_rr)))])


# ---------------------------------------------------------------- base to tip


def parts(chain: Sequence[Link], x: Array) -> list[tuple[Any, Array]]:
    """Hinge and modes of every body in a vector of all degrees of freedom."""
    first = np.cumsum([0, *(1 + link.modes for link in chain)])
    return [(x[i], x[i + 1 : j]) for i, j in pairwise(first)]


def node_motion(link: Link, modal: Array | None, rigid: Array) -> Array:
    """A* x of (3.17): motion of the outboard node from the modal part, if there is any, and that of the frame."""
    moved = shift_motion(link.l_t, rigid)
    return moved if modal is None else moved + link.Pi_t @ modal


def motion(chain: Sequence[Link], q: Array, v: Array) -> Motion:
    """V_m of (4.2), and the bias terms a_m, b_m + K_m theta of (8.1), base to tip."""
    out = Motion([], [], [], [], [])
    node, outer = np.zeros(6, dtype=q.dtype), np.zeros(3, dtype=q.dtype)
    l_outer = np.zeros(3)
    for link, (angle, eta), (rate, eta_rate) in zip(chain, parts(chain, q), parts(chain, v), strict=True):
        R = rotation(angle)
        V = shift_motion(link.l_d, turned(R.T, node)) + link.H * rate - link.Pi_d @ eta_rate
        omega, inboard, relative = V[:3], R.T @ outer, AXIS[:3] * rate
        arm = R.T @ l_outer + link.l_d
        beyond = cross(inboard + omega, cross(relative, link.l_d))
        out.R.append(R)
        out.V.append(V)
        out.a.append(
            np.concatenate([cross(omega, relative), cross(inboard, cross(inboard, arm)) + beyond])  # (B.11)
        )
        out.b_f.append(
            np.array([-(omega @ (N @ omega)) for N in link.N], dtype=q.dtype) + link.K @ eta  # (B.50)
        )
        out.b_r.append(rigid_gyroscopic(link.M_rr, omega))
        node, outer, l_outer = node_motion(link, eta_rate, V), omega, link.l_t
    return out
