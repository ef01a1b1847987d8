"""Geometric stiffening by matrices: the integrals of displacements of second order, as other programs keep them.

A body bends by eta and its points move by g(r, s) eta_r eta_s / 2 more. Wallrapp and Schwertassek (1991) keep integrals
of g, MBDyn and SID_FEM files have them as stiffness matrices of unit loads:

    K0t_a = E2_a = int g_a        X2_ab = int x_a g_b        K0r = ax(X2)        K0omega = w* X2 w - w* w tr(X2)
    K0F_a(node) = -g_a(node)      K0M_a(node) = minus the rotation of second order there

`second_order_from` makes of them shapes b that follow the coordinates, as the recursions take them. The matrices say
how much mass b moves with the frame, int b and int x b*, but not how much it moves beside it. Of all displacements with
these integrals b(x) = B (1, x) has the least kinetic energy, and it is taken: equations of motion are then those of the
matrices to the order that these have, beyond it they are those of a mass, so that the mass matrix stays positive and
energy is conserved.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy

from supple.checks import Floats
from supple.structures.body.modal_integrals import ModalIntegrals, quadratic
from supple.structures.stiffening.second_order import SecondOrder

NEGLIGIBLE = 1e-10
"""Matrices below this share of the largest, as displacements, are rounding."""
ROUNDING = 1e-13
"""Entries of a matrix that are rounding, relative to the largest."""


@dataclass(frozen=True, eq=False)
class GeometricMatrices:
    """Integrals of the displacements g(r, s) of second order of a body with n coordinates.

    Attributes
    ----------
    E2 : (3, n, n) array
        int g_a.
    X2 : (3, 3, n, n) array
        int x_a g_b.
    nodes : dict of int to (6, n, n) array
        Rotation and displacement g of nodes, by number. Loads at other nodes do not stiffen the body.
    """

    E2: Floats
    X2: Floats
    nodes: dict[int, Floats] = field(default_factory=dict)

    def in_coordinates(self, y: Floats) -> GeometricMatrices:
        """The same for coordinates z with eta = y z."""
        nodes = {i: y.T @ g @ y for i, g in self.nodes.items()}
        return GeometricMatrices(y.T @ self.E2 @ y, y.T @ self.X2 @ y, nodes)

    def in_units(self, length: float, mass: float) -> GeometricMatrices:
        """The same in metres and kilograms, for units of so many of them."""
        scale = np.repeat([1.0, length], 3)[:, None, None]
        nodes = {i: g * scale for i, g in self.nodes.items()}
        return GeometricMatrices(self.E2 * mass * length, self.X2 * mass * length**2, nodes)


def matrices_of(second: SecondOrder, rows: dict[int, Floats]) -> GeometricMatrices:
    """Integrals of shapes that follow the coordinates, given those (6, k) of nodes by number."""
    C = second.quadratic.dense()
    return GeometricMatrices(
        np.einsum("ka,krs->ars", second.E, C),
        np.einsum("kab,krs->abrs", second.X, C),
        {i: np.einsum("ik,krs->irs", own, C) for i, own in rows.items()},
    )


def spin_parts(A: Floats) -> Floats:
    """w* A w - w* w tr(A) (6, ...) of A (3, 3, ...): factors of w_x^2, w_y^2, w_z^2, w_x w_y, w_y w_z, w_z w_x."""
    trace = A[0, 0] + A[1, 1] + A[2, 2]
    squares = [A[a, a] - trace for a in range(3)]
    return np.stack([*squares, A[0, 1] + A[1, 0], A[1, 2] + A[2, 1], A[2, 0] + A[0, 2]])


def from_spin_parts(parts: Floats, axial: Floats) -> Floats:
    """A (3, 3, ...) of which `parts` (6, ...) are the spin parts and `axial` (3, ...) is ax(A)."""
    A = np.zeros((3, 3, *parts.shape[1:]))
    for a in range(3):
        A[a, a] = parts[a] - parts[:3].sum(axis=0) / 2.0
    for k, (a, b) in enumerate(((0, 1), (1, 2), (2, 0))):
        A[a, b], A[b, a] = (parts[3 + k] + axial[(k + 2) % 3]) / 2.0, (parts[3 + k] - axial[(k + 2) % 3]) / 2.0
    return A


def second_order_from(
    matrices: GeometricMatrices, integrals: ModalIntegrals, count: int, frames: dict[str, int], extent: float
) -> SecondOrder | None:
    """Shapes that follow the coordinates and have these integrals; None if there are none.

    Parameters
    ----------
    matrices : GeometricMatrices
    integrals : ModalIntegrals
        Of the body.
    count : int
        Number of nodes.
    frames : dict of str to int
        Nodes by name.
    extent : float
        Size of the body, m.
    """
    n, m = len(integrals.E), integrals.mass
    numbers = list(matrices.nodes)
    turn = np.repeat([extent, 1.0], 3)
    inertial = np.concatenate([matrices.E2 / m, matrices.X2.reshape(9, n, n) / (m * extent)]).reshape(12, n * n)
    moved = np.zeros((0, 6, n, n)) if not numbers else np.stack([matrices.nodes[i] for i in numbers])
    moved = (moved * turn[:, None, None]).reshape(-1, n * n)
    least = NEGLIGIBLE * max(np.abs(inertial).max(initial=0.0), np.abs(moved).max(initial=0.0))
    heavy = _basis(inertial, least)
    basis = np.concatenate([heavy, _basis(moved - moved @ heavy.T @ heavy, least)])
    k = len(basis)
    if k == 0:
        return None
    C = basis.reshape(k, n, n)
    C = np.where(np.abs(C) < ROUNDING * np.abs(C).max(axis=(1, 2), keepdims=True), 0.0, C)
    shares = np.pad(heavy @ inertial.T, ((0, k - len(heavy)), (0, 0)))
    E, X = shares[:, :3] * m, shares[:, 3:].reshape(k, 3, 3) * (m * extent)
    nodes = np.zeros((count, 6, k))
    nodes[numbers] = (moved @ basis.T).reshape(-1, 6, k) / turn[:, None]
    N_cross, N_own = least_mass(integrals, E, X)
    return SecondOrder(
        quadratic([scipy.sparse.csr_array(c) for c in C], n),
        nodes.reshape(6 * count, k),
        {name: nodes[i] for name, i in frames.items()},
        E,
        X,
        N_cross,
        N_own,
        np.trace(N_cross, axis1=2, axis2=3),
        np.trace(N_own, axis1=2, axis2=3),
    )


def _basis(rows: Floats, least: float) -> Floats:
    """Orthonormal rows (k, n n) whose combinations the given rows are, but for what is less than `least`."""
    _, sizes, right = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(right[: int((sizes > least).sum())])


def least_mass(integrals: ModalIntegrals, E: Floats, X: Floats) -> tuple[Floats, Floats]:
    """int Psi_s b* (n, k, 3, 3) and int b_i b_j* (k, k, 3, 3) of the shapes b = B (1, x) with int b = E, int x b* = X.

    In each direction the integrals of b are those of B (1, x) with the moments of the body of zeroth to second order.
    """
    h = integrals.moment
    Q = np.block([[np.full((1, 1), integrals.mass), h[None]], [h[:, None], integrals.second]])
    moments = np.concatenate([E[:, None], X], axis=1)
    B = np.einsum("ij,kja->kia", np.linalg.pinv(Q, hermitian=True), moments)
    modes = np.concatenate([integrals.E[:, None], integrals.X], axis=1)
    return np.einsum("sia,kib->skab", modes, B), np.einsum("kia,ij,ljb->klab", B, Q, B)
