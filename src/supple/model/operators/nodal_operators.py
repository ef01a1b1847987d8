"""A system in the symbols of Rodriguez, (4.4)-(9.26): bodies as nodes of finite elements.

Spatial vectors of the joints are in the axes of the outboard body, at its origin: V+ before the joint's own motion, V-
after it. With modes in place of nodal displacements h is Pi*, and nothing else changes. Where a joint has an inertia of
its own it is in D.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from supple.model.operators.body_blocks import Bodies
from supple.model.operators.body_nodes import body_nodes
from supple.model.operators.influence_matrices import Influence
from supple.model.operators.linear_operator import BlockDiagonal, Identity, Invertible, Numbers, Operator


class NodalOperators:
    """Operators over all nodes of all bodies.

    Attributes
    ----------
    B, C, Phi : Operator
        From nodes to the joint of their body, from joints to the nodes that carry them, from joint to joint: section
        4.3. Phi = (I - B C)^-1.
    h, H, chi : Operator
        Displacements, joint axes, and both together (4.5). Degrees of freedom are as in the model: of each body those
        of its joint, then its modes.
    m, M : Operator
        Mass matrices of the nodes, and of the rigid bodies (6.2).
    r, R : Operator
        Composite inertias over nodes and at joints (7.2).
    p, P, d, D, g, G : Operator
        (8.2a), (8.2b): articulated inertias, innovations and gains of displacements and joints.
    B_tilde, C_tilde, Psi, psi : Operator
        Their projections, Psi = (I - B_tilde C_tilde)^-1 and psi = Psi B_tilde C.
    K, L, D_all : Operator
        (8.1), (8.3): M = (I + K) D_all (I + K)*, (I + K)^-1 = I - L. The print of L has h C_tilde psi G where
        h (C + C_tilde psi) G is needed.
    """

    def __init__(self, bodies: Bodies, q: Numbers) -> None:
        numbers, parents = bodies.numbers, bodies.parents
        nodes = [body_nodes(bodies, k, q) for k in numbers]
        self.B = BlockDiagonal([x.B for x in nodes])
        self.h = BlockDiagonal([x.Pi.T for x in nodes])
        self.m = BlockDiagonal([x.m for x in nodes])
        self.H = BlockDiagonal([bodies.at.H[bodies.joint(k)] for k in numbers])
        carried = []
        for k, p in zip(numbers, parents, strict=True):
            C = np.zeros((self.B.blocks[p].shape[1] if p >= 0 else 6, 6), bodies.at.R.dtype)
            first = 6 * nodes[p].attachment[k] if p >= 0 else 0
            C[first : first + 6] = bodies.node_to_child(k)
            carried.append(C.T)
        self.C = Influence(parents, carried, True, [x.B.shape[1] for x in nodes])
        self._J = [bodies.joint_inertia(k)[: len(H), : len(H)] for k, H in zip(numbers, self.H.blocks, strict=True)]
        self.joints, self.displacements = bodies.of_joints, bodies.of_modes
        self._bodies = bodies

    @cached_property
    def Phi(self) -> Operator:
        return self._inward(self.C.blocks, self.B.blocks).resolvent().T

    def _inward(self, C: list[Numbers], B: list[Numbers]) -> Influence:
        """(B C)*, from joint to joint; C by its transposed blocks."""
        pairs = zip(C, self.C.parents, strict=True)
        return Influence(self.C.parents, [c @ B[p].T if p >= 0 else np.zeros((6, 6)) for c, p in pairs])

    @cached_property
    def chi(self) -> BlockDiagonal:
        triples = zip(self.H.blocks, self.B.blocks, self.h.blocks, strict=True)
        return BlockDiagonal([np.concatenate([H @ B, h]) for H, B, h in triples])

    @cached_property
    def M(self) -> BlockDiagonal:
        return BlockDiagonal([B @ m @ B.T for B, m in zip(self.B.blocks, self.m.blocks, strict=True)])

    @cached_property
    def mass_matrix(self) -> Operator:
        """(5.1), with the joints' own inertia."""
        carried = Identity(self.m.shape[0]) + self.C @ self.Phi @ self.B
        own = self.joints @ BlockDiagonal(self._J) @ self.joints.T
        return self.chi @ carried @ self.m @ carried.T @ self.chi.T + own

    # ------------------------------------------------------------ composite bodies, section 7

    @cached_property
    def r(self) -> BlockDiagonal:
        r = [m.copy() for m in self.m.blocks]
        for i, p, C in self.C.joined():
            r[p] = r[p] + C.T @ (self.B.blocks[i] @ r[i] @ self.B.blocks[i].T) @ C
        return BlockDiagonal(r)

    @cached_property
    def R(self) -> BlockDiagonal:
        return BlockDiagonal([B @ r @ B.T for B, r in zip(self.B.blocks, self.r.blocks, strict=True)])

    # ------------------------------------------------------------ innovations, section 8

    @cached_property
    def p(self) -> BlockDiagonal:
        p = [m.copy() for m in self.m.blocks]
        for i, parent, C in self.C.joined():
            P = self._through(i, p[i])
            PH = P @ self.H.blocks[i].T
            D = self.H.blocks[i] @ PH + self._J[i]
            self._bodies.require_inertia(i + 1, D, self.H.blocks[i], P)
            P_plus = P - PH @ np.linalg.solve(D, PH.T)
            p[parent] = p[parent] + C.T @ (0.5 * (P_plus + P_plus.T)) @ C
        return BlockDiagonal(p)

    def _through(self, i: int, p: Numbers) -> Numbers:
        """P(k) = B (p - g d g*) B* (8.2b) of body i, counted from 0."""
        ph = p @ self.h.blocks[i].T
        B = self.B.blocks[i]
        P = B @ (p - ph @ np.linalg.solve(self.h.blocks[i] @ ph, ph.T)) @ B.T
        return 0.5 * (P + P.T)

    @cached_property
    def P(self) -> BlockDiagonal:
        return BlockDiagonal([self._through(i, p) for i, p in enumerate(self.p.blocks)])

    @cached_property
    def d(self) -> BlockDiagonal:
        return BlockDiagonal([h @ p @ h.T for h, p in zip(self.h.blocks, self.p.blocks, strict=True)])

    @cached_property
    def D(self) -> BlockDiagonal:
        triples = zip(self.H.blocks, self.P.blocks, self._J, strict=True)
        return BlockDiagonal([H @ P @ H.T + J for H, P, J in triples], self._require_inertias)

    def _require_inertias(self) -> None:
        """Raise if D of a joint has no inverse."""
        for i, blocks in enumerate(zip(self.D.blocks, self.H.blocks, self.P.blocks, strict=True)):
            self._bodies.require_inertia(i + 1, *blocks)

    @cached_property
    def g(self) -> BlockDiagonal:
        triples = zip(self.h.blocks, self.p.blocks, self.d.blocks, strict=True)
        return BlockDiagonal([np.linalg.solve(d, h @ p).T for h, p, d in triples])

    @cached_property
    def G(self) -> BlockDiagonal:
        self._require_inertias()
        triples = zip(self.H.blocks, self.P.blocks, self.D.blocks, strict=True)
        return BlockDiagonal([np.linalg.solve(D, H @ P).T for H, P, D in triples])

    @cached_property
    def D_all(self) -> BlockDiagonal:
        zeros = [np.zeros((len(D), len(d))) for D, d in zip(self.D.blocks, self.d.blocks, strict=True)]
        return BlockDiagonal(
            [np.block([[D, z], [z.T, d]]) for D, d, z in zip(self.D.blocks, self.d.blocks, zeros, strict=True)]
        )

    @cached_property
    def B_tilde(self) -> BlockDiagonal:
        triples = zip(self.B.blocks, self.g.blocks, self.h.blocks, strict=True)
        return BlockDiagonal([B - B @ g @ h for B, g, h in triples])

    @cached_property
    def C_tilde(self) -> Influence:
        triples = zip(self.C.blocks, self.G.blocks, self.H.blocks, strict=True)
        return Influence(self.C.parents, [C - H.T @ (G.T @ C) for C, G, H in triples], True, self.C.columns)

    @cached_property
    def Psi(self) -> Operator:
        return self._inward(self.C_tilde.blocks, self.B_tilde.blocks).resolvent().T

    @cached_property
    def psi(self) -> Operator:
        return self.Psi @ self.B_tilde @ self.C

    @cached_property
    def K(self) -> Operator:
        u, t = self.displacements, self.joints
        first = self.h @ self.C @ self.Phi
        second = self.H @ self.Phi
        carried = u @ (first @ self.B @ self.g @ u.T + first @ self.G @ t.T)
        return carried + t @ (second @ self.B @ self.g @ u.T + (second - self.H) @ self.G @ t.T)

    @cached_property
    def L(self) -> Operator:
        u, t = self.displacements, self.joints
        nodes = self.h @ (self.C_tilde @ self.Psi @ self.B @ self.g @ u.T)
        joints = self.h @ (self.C + self.C_tilde @ self.psi) @ self.G @ t.T
        return u @ (nodes + joints) + t @ (self.H @ self.Psi @ self.B @ self.g @ u.T + self.H @ self.psi @ self.G @ t.T)

    @cached_property
    def factor(self) -> Invertible:
        """I + K, whose inverse is I - L (8.3)."""
        one = Identity(self.chi.shape[0])
        return Invertible(one + self.K, one - self.L)
