"""The spatial operators of a posture as objects.

An operator times a vector runs a recursion over the bodies and costs O(n); its matrix is formed only when asked for.
Vectors are stacked body by body (six numbers a body, body axes) or speed by speed, parent first. With that numbering
E_Phi and Phi of (3.20), (3.21), which carry forces inward, are upper triangular, their transposes lower.

Influence matrices are CDI's: Phi_A carries a vector from parent to child through the block A of the child,
Psi_A = (I - Phi_A)^-1. With A = X* (parent's motion seen at the child) they are the transposes of E_Phi and Phi.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.engines.kernels import step, sweep
from supple.errors import StateError
from supple.recursions.articulated import articulated_inertias
from supple.recursions.composite import composite, own_inertias
from supple.recursions.tree import Array, Tree, Workspace
from supple.spatial import load_inertia

if TYPE_CHECKING:
    from supple.model.model import Model

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
    blocks : (n, k, k) array_like
        A_i; the blocks of roots do not matter.

    Examples
    --------
    >>> chain = Influence([-1, 0, 1], np.ones((3, 1, 1)))
    >>> chain.dense()[2]
    array([0., 1., 0.])
    >>> chain.nilpotency()
    3
    """

    def __init__(self, parents: ArrayLike, blocks: ArrayLike, transposed: bool = False) -> None:
        self.parents = np.asarray(parents, dtype=np.int64)
        self.blocks = np.ascontiguousarray(blocks, dtype=np.float64)
        self.transposed = transposed
        if np.any(self.parents >= np.arange(len(self.parents))) or np.any(self.parents < -1):
            raise StateError("parents: expected each number to be smaller than the body's own, or -1")
        super().__init__((self.blocks.shape[0] * self.blocks.shape[1],) * 2)

    def apply(self, x: Numbers) -> Numbers:
        return self._run(influence_inward if self.transposed else influence_outward, x)

    def _run(self, recursion: Any, x: Numbers) -> Numbers:
        """One of the four recursions below on the columns of x, stacked body by body."""
        n, k, _ = self.blocks.shape
        z = np.zeros((n, k, x.shape[1]))
        recursion(self.parents, self.blocks, np.array(x, dtype=np.float64).reshape(n, k, -1), z)
        return z.reshape(n * k, -1)

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
        return self._run(resolvent_inward if self.transposed else resolvent_outward, x)


@step
def add_product(A: Array, transposed: bool, x: Array, z: Array) -> None:
    """z gains A x or A* x, for the columns of x."""
    for i in range(A.shape[0]):
        for j in range(A.shape[0]):
            a = A[j, i] if transposed else A[i, j]
            for c in range(x.shape[1]):
                z[i, c] += a * x[j, c]


@sweep
def influence_outward(parents: Array, A: Array, x: Array, z: Array) -> None:
    """z = Phi_A x: z_i = A_i x_parent (P1). z is zero at the start."""
    for i in range(len(parents)):
        if parents[i] >= 0:
            add_product(A[i], False, x[parents[i]], z[i])


@sweep
def influence_inward(parents: Array, A: Array, x: Array, z: Array) -> None:
    """z = Phi_A* x: z_i = sum of A_j* x_j over the children j (P2)."""
    for i in range(len(parents)):
        if parents[i] >= 0:
            add_product(A[i], True, x[i], z[parents[i]])


@sweep
def resolvent_outward(parents: Array, A: Array, x: Array, z: Array) -> None:
    """z = Psi_A x: z_i = A_i z_parent + x_i, parents first."""
    for i in range(len(parents)):
        for j in range(x.shape[1]):
            for c in range(x.shape[2]):
                z[i, j, c] = x[i, j, c]
        if parents[i] >= 0:
            add_product(A[i], False, z[parents[i]], z[i])


@sweep
def resolvent_inward(parents: Array, A: Array, x: Array, z: Array) -> None:
    """z = Psi_A* x: z_i = x_i + sum of A_j* z_j over the children j, children first."""
    for i in range(len(parents) - 1, -1, -1):
        for j in range(x.shape[1]):
            for c in range(x.shape[2]):
                z[i, j, c] += x[i, j, c]
        if parents[i] >= 0:
            add_product(A[i], True, z[i], z[parents[i]])


@step
def expand_inertias(ws: Workspace, out: Array) -> None:
    """The rows of P as 6x6 matrices, the ground's left out."""
    for k in range(len(out)):
        P = load_inertia(ws.P, k + 1)
        n = 0
        for i in range(3):
            for j in range(i, 3):
                out[k, i, j] = out[k, j, i] = P[n]
                out[k, 3 + i, 3 + j] = out[k, 3 + j, 3 + i] = P[15 + n]
                n += 1
        for i in range(3):
            for j in range(3):
                out[k, i, 3 + j] = out[k, 3 + j, i] = P[6 + 3 * i + j]


@sweep
def inertias(tree: Tree, q: Array, given: Array, ws: Workspace, M: Array, R: Array, P: Array) -> None:
    """Own (3.1), composite (5.2) and articulated (6.1) inertias of all bodies of one posture, each (n, 6, 6)."""
    own_inertias(tree, ws)
    expand_inertias(ws, M)
    composite(tree, q, ws)
    expand_inertias(ws, R)
    articulated_inertias(tree, given, ws)
    expand_inertias(ws, P)


class Operators:
    """The operators of one posture. Bars and stars of the source are `_bar` and `.T`.

    Attributes
    ----------
    E_Phi, Phi : Operator
        (3.20), (3.21): forces to the parent; forces summed inward.
    H, M, R, P, D, G, K, tau_bar, E_Psi, Psi : Operator
        Joint maps (3.15), body inertias (3.25), composite (5.2) and articulated inertias, innovations, Kalman gains,
        shifted gains, projections, and the articulated counterparts of E_Phi, Phi (6.1)-(6.3). D holds the joints' own
        inertia J too.
    Phi_A, Psi_A : Operator
        CDI's forward influence matrix and its resolvent with A = X*.
    J : Operator
        The joints' own inertia.
    mass_matrix, inverse_mass_matrix : Operator
        (3.45) + J, and (6.6).
    """

    def __init__(self, model: Model, q: ArrayLike) -> None:
        (q_,), shape, dtype, ws = model._batch(q=(q, model.nq))
        if shape != () or dtype != np.float64:
            raise StateError(f"operators: expected one real posture of shape ({model.nq},), got shape {np.shape(q)}")
        n = len(model.bodies)
        X, rows = model.joint_maps(q)
        own, whole, articulated = (np.zeros((n, 6, 6)) for _ in range(3))
        inertias(model.tree, q_[0], np.zeros(model.nv, dtype=np.bool_), ws, own, whole, articulated)
        first = model.tree.v_first[1:]
        spans = [slice(int(first[k]), int(first[k + 1])) for k in range(n)]
        self.Phi_A = Influence(model.tree.parent[1:] - 1, np.swapaxes(X, 1, 2))
        self.H = BlockDiagonal([rows[s] for s in spans])
        self.M, self.R, self.P = (BlockDiagonal(list(b)) for b in (own, whole, articulated))
        self.J = BlockDiagonal([np.diag(model.tree.joint_inertia[s]) for s in spans])

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
        return BlockDiagonal([np.eye(6) - G @ H for G, H in zip(self.G.blocks, self.H.blocks, strict=True)])

    @cached_property
    def _articulated_influence(self) -> Influence:
        """Phi_A with A = (X tau_bar)*: its transpose is E_Psi = E_Phi tau_bar."""
        blocks = [t.T @ A for t, A in zip(self.tau_bar.blocks, self.Phi_A.blocks, strict=True)]
        return Influence(self.Phi_A.parents, np.array(blocks))

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
