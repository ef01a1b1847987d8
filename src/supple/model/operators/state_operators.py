"""The spatial operators of a state, by the names of Jain and Rodriguez.

Vectors are stacked body by body (modal part, then six numbers in body axes) or speed by speed, parent first. With that
numbering E_Phi and Phi of (3.20), (3.21), which carry forces inward, are upper triangular, their transposes lower.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from supple.call_checks import checked
from supple.checks import generator, integer
from supple.errors import StateError
from supple.model.operators.body_blocks import Bodies
from supple.model.operators.influence_matrices import Influence
from supple.model.operators.linear_operator import BlockDiagonal, Identity, Invertible, Numbers, Operator
from supple.model.operators.modal_split import ModalSplit
from supple.model.operators.nodal_operators import NodalOperators
from supple.model.operators.tree_influence import TreeInfluence


class Operators:
    """The operators and vectors of one state. Bars and stars of the source are `_bar` and `.T`.

    Of a flexible body vectors have the modal part first, then the six numbers of its frame; its degrees of freedom are
    those of its joint, then its modes.

    Attributes
    ----------
    E_Phi, Phi : Operator
        (3.20), (3.21): forces to the parent; forces summed inward.
    A, B : Operator
        (3.17), of all bodies: E_Phi = A B, from the child to the node that carries it and from there to the parent.
    H, M, R, P, D, G, K, tau_bar, E_Psi, Psi : Operator
        Joint maps (3.15), body inertias (3.25), composite (5.2) and articulated inertias, innovations, Kalman gains,
        shifted gains, projections, and the articulated counterparts of E_Phi, Phi (6.1)-(6.3). D holds the joints' own
        inertia J too.
    K_m : Operator
        Modal stiffness (3.40).
    a_m, b_m, eta : (length of Phi,) arrays
        Coriolis acceleration (3.27), gyroscopic force (3.39) less what is applied, and deformation, zero for frames.
        Bodies on the ground have -g in a_m: gravity acts as an acceleration of the ground.
    C : (nv,) array
        Coriolis, centrifugal, elastic and applied forces of (3.45).
    passive : (nv,) array
        Forces of joint springs and dampers and of modal damping: T of the source is tau + passive.
    Phi_A, Psi_A : Operator
        CDI's forward influence matrix and its resolvent with A = Phi*(parent, body).
    J : Operator
        The joints' own inertia.
    mass_matrix, inverse_mass_matrix : Operator
        (3.45) + J, and (6.6).
    factor, root : Operator
        I + H Phi K of (6.4), whose inverse is I - H Psi K (6.5), and L = (I + H Phi K) D^1/2: M = L L*.
    """

    def __init__(self, bodies: Bodies, q: Numbers, v: Numbers) -> None:
        self.bodies, self.q, self.v = bodies, q, v
        numbers = bodies.numbers
        self.B = BlockDiagonal([_only_rigid(bodies.node_to_child(k), bodies.modes(k)) for k in numbers])
        attachments = [bodies.attachment(k).T for k in numbers]
        self.A = Influence(bodies.parents, attachments, True, [bodies.modes(k) + 6 for k in numbers])
        self.Phi_A = Influence(bodies.parents, [B.T @ A for A, B in zip(attachments, self.B.blocks, strict=True)])
        self.H = BlockDiagonal([bodies.joint_map(k) for k in numbers])
        self.M = BlockDiagonal([bodies.mass(k) for k in numbers])
        self.J = BlockDiagonal([bodies.joint_inertia(k) for k in numbers])

    # ------------------------------------------------------------ forces and accelerations of the state

    @cached_property
    def K_m(self) -> BlockDiagonal:
        return BlockDiagonal([self.bodies.stiffness(k) for k in self.bodies.numbers])

    @cached_property
    def eta(self) -> Numbers:
        flex, n = self.bodies.flex, len(self.v)
        modal = np.zeros(n, self.q.dtype)
        if flex is not None:
            for k in self.bodies.numbers:
                modal[self.bodies.modal(k)] = self.q[flex.q_mode[k] : flex.q_mode[k] + flex.modes[k]]
        return self.bodies.stacked(modal, np.zeros((len(self.bodies.parents) + 1, 6), self.q.dtype))

    @cached_property
    def a_m(self) -> Numbers:
        return self.coriolis + self._ground(np.concatenate([np.zeros(3), -self.bodies.tree.gravity]))

    @cached_property
    def coriolis(self) -> Numbers:
        """a_m by itself, without gravity."""
        return self.bodies.stacked(np.zeros(len(self.v), self.v.dtype), self.bodies.at.bias)

    @cached_property
    def gyroscopic(self) -> Numbers:
        """b_m by itself, without what is applied."""
        return self.bodies.stacked(self.bodies.at.modal_gyroscopic, self.bodies.at.gyroscopic)

    @cached_property
    def b_m(self) -> Numbers:
        return self.bodies.stacked(self.bodies.at.modal, self.bodies.at.load)

    @cached_property
    def C(self) -> Numbers:
        return self.H @ (self.Phi @ (self.M @ (self.Phi.T @ self.a_m) + self.b_m + self.K_m @ self.eta))

    @cached_property
    def passive(self) -> Numbers:
        return self.bodies.at.passive + self.H @ (self.K_m @ self.eta)

    def _ground(self, x: Numbers) -> Numbers:
        """What a motion x of the ground gives the bodies on it; zero for all others."""
        parts = [
            A @ x if p < 0 else np.zeros(len(A)) for p, A in zip(self.Phi_A.parents, self.Phi_A.blocks, strict=True)
        ]
        return np.concatenate([np.zeros(0), *parts])

    # ------------------------------------------------------------ inertias of outboard bodies

    @cached_property
    def R(self) -> BlockDiagonal:
        R = [M.copy() for M in self.M.blocks]
        for i, p, A in self.Phi_A.T.joined():
            R[p] = R[p] + A.T @ R[i] @ A
        return BlockDiagonal(R)

    @cached_property
    def P(self) -> BlockDiagonal:
        P = [M.copy() for M in self.M.blocks]
        for i, p, A in self.Phi_A.T.joined():
            u = self.H.blocks[i] @ P[i]
            D = u @ self.H.blocks[i].T + self.J.blocks[i]
            self._require_inertia(i, D, P[i])
            inward = A.T @ (P[i] - u.T @ np.linalg.solve(D, u)) @ A
            # The recursion doubles what rounding has of an antisymmetric part at every body of a flexible chain.
            P[p] = P[p] + 0.5 * (inward + inward.T)
        return BlockDiagonal(P)

    @cached_property
    def D(self) -> BlockDiagonal:
        pairs = zip(self.H.blocks, self.P.blocks, self.J.blocks, strict=True)
        return BlockDiagonal([H @ P @ H.T + J for H, P, J in pairs], self._require_inertias)

    def _require_inertia(self, i: int, D: Numbers, P: Numbers) -> None:
        """Raise if D of body i, counted from 0, has no inverse."""
        self.bodies.require_inertia(i + 1, D, self.bodies.at.H[self.bodies.joint(i + 1)], P[-6:, -6:])

    def _require_inertias(self) -> None:
        """Raise if D of a body has no inverse."""
        for i, (D, P) in enumerate(zip(self.D.blocks, self.P.blocks, strict=True)):
            self._require_inertia(i, D, P)

    @cached_property
    def G(self) -> BlockDiagonal:
        self._require_inertias()
        triples = zip(self.H.blocks, self.P.blocks, self.D.blocks, strict=True)
        return BlockDiagonal([np.linalg.solve(D, H @ P).T for H, P, D in triples])

    @cached_property
    def tau_bar(self) -> BlockDiagonal:
        return BlockDiagonal([np.eye(len(G)) - G @ H for G, H in zip(self.G.blocks, self.H.blocks, strict=True)])

    # ------------------------------------------------------------ from body to body

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
    def K(self) -> Operator:
        return self.E_Phi @ self.G

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

    # ------------------------------------------------------------ the mass matrix and its factors

    @cached_property
    def factor(self) -> Invertible:
        one = Identity(self.H.shape[0])
        return Invertible(one + self.H @ self.Phi @ self.K, one - self.H @ self.Psi @ self.K)

    @cached_property
    def root(self) -> Operator:
        return self.factor @ self.D.root()

    @cached_property
    def mass_matrix(self) -> Invertible:
        forward = self.H @ self.Phi @ self.M @ self.Phi.T @ self.H.T + self.J
        inner = self.factor.backward
        return Invertible(forward, inner.T @ self.D.inverse() @ inner)

    @cached_property
    def inverse_mass_matrix(self) -> Invertible:
        return self.mass_matrix.inverse()

    @property
    def log_det(self) -> float | complex:
        """Logarithm of the determinant of the mass matrix, which is that of D; complex for complex q."""
        pairs = [np.linalg.slogdet(D) for D in self.D.blocks]
        total = sum(size for _, size in pairs)
        if np.iscomplexobj(self.q):
            return complex(total + sum(np.log(sign) for sign, _ in pairs))
        return float(total)

    @checked
    def random_forces(self, count: int, seed: int) -> Numbers:
        """Normal generalized forces (count, nv) with the covariance M: L times white noise."""
        noise = generator(seed, "seed").normal(size=(len(self.v), integer(count, "count", 0, 1_000_000_000)))
        return np.asarray((self.root @ noise).T)

    @checked
    def random_speeds(self, count: int, seed: int) -> Numbers:
        """Normal speeds (count, nv) with the covariance M^-1: half a joule of kinetic energy a degree of freedom."""
        noise = generator(seed, "seed").normal(size=(len(self.v), integer(count, "count", 0, 1_000_000_000)))
        return np.asarray((self.root.T.inverse() @ noise).T)

    # ------------------------------------------------------------ the same by other names

    @cached_property
    def split(self) -> ModalSplit:
        """Modes and joints one after the other, (7.8)-(7.10)."""
        return ModalSplit(self.bodies, self.H, self.M, self.P, self.J, self.A, self.B)

    @cached_property
    def nodal(self) -> NodalOperators:
        """The symbols of Rodriguez, over the nodes of the finite elements."""
        return NodalOperators(self.bodies, self.q)

    @cached_property
    def cdi(self) -> TreeInfluence:
        """The symbols of CDI, in ground axes; for rigid bodies alone."""
        if self.bodies.flex is not None:
            raise StateError("operators: cdi: expected rigid bodies alone, the source knows no others")
        return TreeInfluence(self.bodies)


def _only_rigid(X: Numbers, modes: int) -> Numbers:
    """[0, X]: of a body with modes the frame alone carries forces inward."""
    return np.concatenate([np.zeros((6, modes)), X], axis=1)
