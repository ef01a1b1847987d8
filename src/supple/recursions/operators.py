"""The spatial operators of a configuration as objects.

An operator times a vector runs a recursion over the bodies and costs O(n); its matrix is formed only when asked for.
Vectors are stacked body by body (six numbers a body, body axes) or speed by speed, parent first. With that numbering
E_Phi and Phi of (3.20), (3.21), which carry forces inward, are upper triangular, their transposes lower.

Influence matrices are CDI's: Phi_A carries a vector from parent to child through the block A of the child,
Psi_A = (I - Phi_A)^-1. With A = X* (parent's motion seen at the child) they are the transposes of E_Phi and Phi.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.engines.kernels import sweep
from supple.errors import StateError
from supple.recursions.composite import configuration_step
from supple.recursions.tree import Array, Flex, Tree, Workspace

Numbers = NDArray[Any]


class Operator:
    """A linear map that is applied, not stored: `@`, `.T`, `+`, `-`, `.dense()`."""

    __array_ufunc__ = None

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape

    def apply(self, x: Numbers) -> Numbers:
        """This operator times the columns of x (columns of the operator, m)."""
        raise NotImplementedError

    @property
    def T(self) -> Operator:
        """The transpose."""
        raise NotImplementedError

    @overload
    def __matmul__(self, other: Operator) -> Operator: ...

    @overload
    def __matmul__(self, other: ArrayLike) -> Numbers: ...

    def __matmul__(self, other: Operator | ArrayLike) -> Operator | Numbers:
        if isinstance(other, Operator):
            _require(self.shape[1] == other.shape[0], self, other.shape)
            return Product(self, other)
        x = np.asarray(other)
        _require(x.ndim in (1, 2) and x.shape[0] == self.shape[1], self, x.shape)
        return self.apply(x[:, None])[:, 0] if x.ndim == 1 else self.apply(x)

    def __add__(self, other: Operator) -> Operator:
        return Sum(self, other, 1.0)

    def __sub__(self, other: Operator) -> Operator:
        return Sum(self, other, -1.0)

    def dense(self) -> Numbers:
        """The matrix."""
        out: Numbers = self.apply(np.eye(self.shape[1]))
        return out

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.shape[0]} x {self.shape[1]}>"


def _require(fits: bool, operator: Operator, got: tuple[int, ...]) -> None:
    if not fits:
        raise StateError(f"{operator!r} @: expected something of length {operator.shape[1]}, got shape {got}")


class Identity(Operator):
    """The identity of n rows."""

    def __init__(self, n: int) -> None:
        super().__init__((n, n))

    def apply(self, x: Numbers) -> Numbers:
        return x

    @property
    def T(self) -> Identity:
        return self


class Product(Operator):
    """Left times right."""

    def __init__(self, left: Operator, right: Operator) -> None:
        super().__init__((left.shape[0], right.shape[1]))
        self.left, self.right = left, right

    def apply(self, x: Numbers) -> Numbers:
        return self.left.apply(self.right.apply(x))

    @property
    def T(self) -> Product:
        return Product(self.right.T, self.left.T)


class Sum(Operator):
    """Left plus sign times right."""

    def __init__(self, left: Operator, right: Operator, sign: float) -> None:
        if left.shape != right.shape:
            raise StateError(f"{left!r} +-: expected the same shape, got {right.shape}")
        super().__init__(left.shape)
        self.left, self.right, self.sign = left, right, sign

    def apply(self, x: Numbers) -> Numbers:
        return self.left.apply(x) + self.sign * self.right.apply(x)

    @property
    def T(self) -> Sum:
        return Sum(self.left.T, self.right.T, self.sign)


class BlockDiagonal(Operator):
    """Blocks of any shapes along the diagonal."""

    def __init__(self, blocks: Sequence[Numbers]) -> None:
        self.blocks = [np.asarray(b) for b in blocks]
        self._rows = np.cumsum([0, *(b.shape[0] for b in self.blocks)])
        self._columns = np.cumsum([0, *(b.shape[1] for b in self.blocks)])
        super().__init__((int(self._rows[-1]), int(self._columns[-1])))

    def apply(self, x: Numbers) -> Numbers:
        out = np.zeros((self.shape[0], x.shape[1]), np.result_type(x, *self.blocks[:1]))
        for k, block in enumerate(self.blocks):
            out[self._rows[k] : self._rows[k + 1]] = block @ x[self._columns[k] : self._columns[k + 1]]
        return out

    @property
    def T(self) -> BlockDiagonal:
        return BlockDiagonal([b.T for b in self.blocks])

    def inverse(self) -> BlockDiagonal:
        """Its inverse, block by block."""
        return BlockDiagonal([np.linalg.inv(b) for b in self.blocks])


class Influence(Operator):
    """Phi_A of CDI (Def. 1): block (i, parent of i) is A_i, all others are zero.

    Parameters
    ----------
    parents : (n,) sequence of int
        Number of each body's parent, smaller than its own; -1 for a root.
    blocks : sequence of n matrices
        A_i, with as many rows as body i has and as many columns as its parent; of a root only the rows matter.

    Examples
    --------
    >>> chain = Influence([-1, 0, 1], np.ones((3, 1, 1)))
    >>> chain.dense()[2]
    array([0., 1., 0.])
    >>> chain.nilpotency()
    3
    """

    def __init__(self, parents: ArrayLike, blocks: Sequence[Numbers] | Numbers, transposed: bool = False) -> None:
        self.parents = np.asarray(parents, dtype=np.int64)
        self.blocks = [np.asarray(b, dtype=np.float64) for b in blocks]
        self.transposed = transposed
        if np.any(self.parents >= np.arange(len(self.parents))) or np.any(self.parents < -1):
            raise StateError("parents: expected each number to be smaller than the body's own, or -1")
        self._first = np.cumsum([0, *(len(b) for b in self.blocks)])
        super().__init__((int(self._first[-1]),) * 2)

    def apply(self, x: Numbers) -> Numbers:
        """z_i = A_i x_parent (P1); transposed, the sum of A_j* x_j over the children j (P2)."""
        z = np.zeros(x.shape, np.result_type(x, float))
        for i, p, A in self._joined():
            if self.transposed:
                z[self._rows(p)] += A.T @ x[self._rows(i)]
            else:
                z[self._rows(i)] = A @ x[self._rows(p)]
        return z

    def _rows(self, i: int) -> slice:
        return slice(self._first[i], self._first[i + 1])

    def _joined(self) -> Iterator[tuple[int, int, Numbers]]:
        """Number, parent and block of all bodies that are no roots, children first if transposed."""
        order = range(len(self.parents) - 1, -1, -1) if self.transposed else range(len(self.parents))
        return ((i, int(self.parents[i]), self.blocks[i]) for i in order if self.parents[i] >= 0)

    @property
    def T(self) -> Influence:
        return type(self)(self.parents, self.blocks, not self.transposed)

    def nilpotency(self) -> int:
        """The least power of Phi_A that is zero: the number of bodies on the longest branch."""
        depth = np.zeros(len(self.parents), dtype=int)
        for i, p in enumerate(self.parents):
            depth[i] = 1 if p < 0 else depth[p] + 1
        return int(depth.max(initial=0))

    def resolvent(self) -> Resolvent:
        """Psi_A = (I - Phi_A)^-1 = I + Phi_A + Phi_A^2 + ..., with the same transposition."""
        return Resolvent(self.parents, self.blocks, self.transposed)


class Resolvent(Influence):
    """Psi_A of CDI: block (i, j) is the product of the A on the path from j out to i."""

    def apply(self, x: Numbers) -> Numbers:
        """z_i = x_i + A_i z_parent, parents first; transposed, x_i and the A_j* z_j of the children j, these first."""
        z = np.array(x, np.result_type(x, float))
        for i, p, A in self._joined():
            if self.transposed:
                z[self._rows(p)] += A.T @ z[self._rows(i)]
            else:
                z[self._rows(i)] += A @ z[self._rows(p)]
        return z


@sweep
def configurations(tree: Tree, flex: Flex | None, q: Array, ws: Workspace) -> None:
    """R, l, H, node_*, second, moment and inertia of all bodies into the workspace, for one configuration."""
    for k in range(1, len(tree.parent)):
        configuration_step(tree, flex, k, q, ws)


class Operators:
    """The operators of one configuration. Bars and stars of the source are `_bar` and `.T`.

    Of a flexible body vectors have the modal part first, then the six numbers of its frame; its degrees of freedom are
    those of its joint, then its modes.

    Attributes
    ----------
    E_Phi, Phi : Operator
        (3.20), (3.21): forces to the parent; forces summed inward.
    H, M, R, P, D, G, K, tau_bar, E_Psi, Psi : Operator
        Joint maps (3.15), body inertias (3.25), composite (5.2) and articulated inertias, innovations, Kalman gains,
        shifted gains, projections, and the articulated counterparts of E_Phi, Phi (6.1)-(6.3). D holds the joints' own
        inertia J too.
    Phi_A, Psi_A : Operator
        CDI's forward influence matrix and its resolvent with A = Phi*(parent, body).
    J : Operator
        The joints' own inertia.
    mass_matrix, inverse_mass_matrix : Operator
        (3.45) + J, and (6.6).
    """

    def __init__(self, tree: Tree, flex: Flex | None, q: Array, ws: Workspace) -> None:
        configurations(tree, flex, q, ws)
        bodies = range(1, len(tree.parent))
        self.Phi_A = Influence(tree.parent[1:] - 1, [_outward(tree, flex, k, ws) for k in bodies])
        self.H = BlockDiagonal([_joint_map(tree, flex, k, ws) for k in bodies])
        self.M = BlockDiagonal([_modal_mass(tree, flex, k, ws) for k in bodies])
        self.J = BlockDiagonal([_joint_inertia(tree, k) for k in bodies])

    @cached_property
    def R(self) -> BlockDiagonal:
        R = [M.copy() for M in self.M.blocks]
        for i, p, A in self.Phi_A.T._joined():
            R[p] += A.T @ R[i] @ A
        return BlockDiagonal(R)

    @cached_property
    def P(self) -> BlockDiagonal:
        P = [M.copy() for M in self.M.blocks]
        for i, p, A in self.Phi_A.T._joined():
            u = self.H.blocks[i] @ P[i]
            D = u @ self.H.blocks[i].T + self.J.blocks[i]
            inward = A.T @ (P[i] - u.T @ np.linalg.solve(D, u)) @ A
            # The recursion doubles what rounding has of an antisymmetric part at every body of a flexible chain.
            P[p] += 0.5 * (inward + inward.T)
        return BlockDiagonal(P)

    @cached_property
    def Psi_A(self) -> Operator:
        return self.Phi_A.resolvent()

    @cached_property
    def E_Phi(self) -> Operator:
        return self.Phi_A.T

    @cached_property
    def Phi(self) -> Operator:
        return self.Psi_A.T

    @cached_property
    def D(self) -> BlockDiagonal:
        pairs = zip(self.H.blocks, self.P.blocks, self.J.blocks, strict=True)
        return BlockDiagonal([H @ P @ H.T + J for H, P, J in pairs])

    @cached_property
    def G(self) -> BlockDiagonal:
        triples = zip(self.H.blocks, self.P.blocks, self.D.blocks, strict=True)
        return BlockDiagonal([np.linalg.solve(D, H @ P).T for H, P, D in triples])

    @cached_property
    def K(self) -> Operator:
        return self.E_Phi @ self.G

    @cached_property
    def tau_bar(self) -> BlockDiagonal:
        return BlockDiagonal([np.eye(len(G)) - G @ H for G, H in zip(self.G.blocks, self.H.blocks, strict=True)])

    @cached_property
    def _articulated_influence(self) -> Influence:
        """Phi_A with A = (X tau_bar)*: its transpose is E_Psi = E_Phi tau_bar."""
        blocks = [t.T @ A for t, A in zip(self.tau_bar.blocks, self.Phi_A.blocks, strict=True)]
        return Influence(self.Phi_A.parents, blocks)

    @cached_property
    def E_Psi(self) -> Operator:
        return self._articulated_influence.T

    @cached_property
    def Psi(self) -> Operator:
        return self._articulated_influence.resolvent().T

    @cached_property
    def mass_matrix(self) -> Operator:
        return self.H @ self.Phi @ self.M @ self.Phi.T @ self.H.T + self.J

    @cached_property
    def inverse_mass_matrix(self) -> Operator:
        factor = Identity(self.H.shape[0]) - self.H @ self.Psi @ self.K
        return factor.T @ self.D.inverse() @ factor


# ---------------------------------------------------------------- blocks of one body


def _outward(tree: Tree, flex: Flex | None, k: int, ws: Workspace) -> Numbers:
    """Phi*(parent, k) of (3.14): motion of the parent, modal part first, seen by body k; its own modes see nothing."""
    X = _phi(ws.l[k]) @ np.kron(np.eye(2), ws.R[k].reshape(3, 3))
    if flex is None or ws.flex is None:
        return X.T
    p, s = tree.parent[k], flex.attachment[k]
    A = np.concatenate([np.zeros((flex.modes[p], 6)), np.eye(6)])
    if s >= 0:
        shape = flex.attachment_shape[flex.attachment_row[s] : flex.attachment_row[s] + flex.modes[p]].copy()
        shape[:, :3] = shape[:, :3] @ ws.flex.node_Q[s].reshape(3, 3).T
        A = np.concatenate([shape, _phi(ws.flex.node_l[s])])
    return np.concatenate([np.zeros((flex.modes[k], len(A))), (A @ X).T])


def _joint_map(tree: Tree, flex: Flex | None, k: int, ws: Workspace) -> Numbers:
    """H of (3.15) with Pi_d = 0: the joint's degrees of freedom move the frame, the modes themselves."""
    joint, modes = tree.v_mode[k] - tree.v_first[k], 0 if flex is None else flex.modes[k]
    H = np.zeros((joint + modes, modes + 6))
    H[:joint, modes:] = ws.H[tree.v_first[k] : tree.v_mode[k]]
    H[joint:, :modes] = np.eye(modes)
    return H


def _modal_mass(tree: Tree, flex: Flex | None, k: int, ws: Workspace) -> Numbers:
    """M_m of (3.25)."""
    if flex is None or ws.flex is None or flex.modes[k] == 0:
        return _rigid(tree.mass[k], tree.moment[k], tree.inertia[k])
    modes, row = flex.modes[k], flex.mode_row[k]
    span = slice(flex.v_mode[k], flex.v_mode[k] + modes)
    M = np.zeros((modes + 6, modes + 6))
    M[modes:, modes:] = _rigid(tree.mass[k], ws.flex.moment[k], ws.flex.inertia[k])
    M[:modes, :modes] = np.diag(tree.joint_inertia[span])
    for r in range(modes):
        entries = slice(flex.offdiagonal_first[row + r], flex.offdiagonal_first[row + r + 1])
        M[r, flex.offdiagonal_mode[entries]] = flex.offdiagonal_value[entries, 0]
    M[:modes, modes:] = ws.flex.coupling[span]
    M[modes:, :modes] = M[:modes, modes:].T
    return M


def _rigid(m: float, h: Numbers, J: Numbers) -> Numbers:
    """(3.1) at the body's origin."""
    matrix = np.array([[J[0], J[1], J[2]], [J[1], J[3], J[4]], [J[2], J[4], J[5]]])
    return np.block([[matrix, _tilde(h)], [-_tilde(h), m * np.eye(3)]])


def _joint_inertia(tree: Tree, k: int) -> Numbers:
    """The joint's own inertia; that of modes is in M."""
    own = tree.joint_inertia[tree.v_first[k] : tree.v_first[k + 1]].copy()
    own[tree.v_mode[k] - tree.v_first[k] :] = 0.0
    return np.diag(own)


def _tilde(a: Numbers) -> Numbers:
    return np.cross(np.eye(3), a)


def _phi(l: Numbers) -> Numbers:
    """phi of (3.8)."""
    return np.block([[np.eye(3), _tilde(l)], [np.zeros((3, 3)), np.eye(3)]])
