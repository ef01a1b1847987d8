"""Modes and joints of each body eliminated one after the other: the operators of (7.8)-(7.10).

Each body becomes two, (7.6): one with the modes, one without mass that has the joint. Where several children sit on a
body, what the source writes for its one outboard node holds with their columns side by side.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from supple.model.operators.body_blocks import Bodies
from supple.model.operators.influence_matrices import Influence
from supple.model.operators.linear_operator import BlockDiagonal, Operator


class ModalSplit:
    """Two stages for each body.

    Attributes
    ----------
    H_f, H_r : Operator
        The rows of H that belong to modes and to joints (3.18).
    Lam, zeta, Ups, Omega : Operator
        (7.8). zeta, Ups and Omega have six columns for each child.
    Gamma : Operator
        Articulated inertia that each child brings to its attachment node.
    D_f, G_f, tau_f, P_r : Operator
        The modes: innovations, gains, projections, and what they leave of P (7.9).
    D_r, G_r, tau_r, P_plus : Operator
        The joints: the same. D_r holds the joints' own inertia too.
    mu, g, P_R, G_R, P_R_plus : Operator
        What (7.10) computes of these: the rows of the frames, six for each body.
    """

    def __init__(
        self,
        bodies: Bodies,
        H: BlockDiagonal,
        M: BlockDiagonal,
        P: BlockDiagonal,
        J: BlockDiagonal,
        A: Influence,
        B: BlockDiagonal,
    ) -> None:
        self.P, self._A, self._B, self._bodies = P, A, B, bodies
        joints = [bodies.joint(k).stop - bodies.joint(k).start for k in bodies.numbers]
        self.H_r = BlockDiagonal([h[:n] for h, n in zip(H.blocks, joints, strict=True)])
        self.H_f = BlockDiagonal([h[n:] for h, n in zip(H.blocks, joints, strict=True)])
        self._J = [j[:n, :n] for j, n in zip(J.blocks, joints, strict=True)]
        self.Lam = BlockDiagonal([h @ m @ h.T for h, m in zip(self.H_f.blocks, M.blocks, strict=True)]).inverse()

    @cached_property
    def zeta(self) -> Operator:
        return self.H_f @ self._A

    @cached_property
    def Ups(self) -> Operator:
        return self.Lam @ self.zeta

    @cached_property
    def Omega(self) -> Operator:
        return self.zeta.T @ self.Ups

    @cached_property
    def Gamma(self) -> BlockDiagonal:
        return BlockDiagonal([B @ P @ B.T for B, P in zip(self._B.blocks, self.P_plus.blocks, strict=True)])

    @cached_property
    def D_f(self) -> BlockDiagonal:
        return BlockDiagonal([H @ P @ H.T for H, P in zip(self.H_f.blocks, self.P.blocks, strict=True)])

    @cached_property
    def G_f(self) -> BlockDiagonal:
        return _gains(self.H_f, self.P, self.D_f)

    @cached_property
    def tau_f(self) -> BlockDiagonal:
        return _projections(self.H_f, self.G_f)

    @cached_property
    def P_r(self) -> BlockDiagonal:
        return _projected(self.tau_f, self.P)

    @cached_property
    def D_r(self) -> BlockDiagonal:
        triples = zip(self.H_r.blocks, self.P_r.blocks, self._J, strict=True)
        return BlockDiagonal([H @ P @ H.T + J for H, P, J in triples], self._require_inertias)

    def _require_inertias(self) -> None:
        """Raise if D_r of a joint has no inverse."""
        for i, (D, H, P) in enumerate(zip(self.D_r.blocks, self.H_r.blocks, self.P_R.blocks, strict=True)):
            self._bodies.require_inertia(i + 1, D, H[:, -6:], P)

    @cached_property
    def G_r(self) -> BlockDiagonal:
        self._require_inertias()
        return _gains(self.H_r, self.P_r, self.D_r)

    @cached_property
    def tau_r(self) -> BlockDiagonal:
        return _projections(self.H_r, self.G_r)

    @cached_property
    def P_plus(self) -> BlockDiagonal:
        return _projected(self.tau_r, self.P_r)

    @cached_property
    def mu(self) -> BlockDiagonal:
        return BlockDiagonal([P[-6:] @ H.T for H, P in zip(self.H_f.blocks, self.P.blocks, strict=True)])

    @cached_property
    def g(self) -> BlockDiagonal:
        return BlockDiagonal([G[-6:] for G in self.G_f.blocks])

    @cached_property
    def P_R(self) -> BlockDiagonal:
        return BlockDiagonal([P[-6:, -6:] for P in self.P_r.blocks])

    @cached_property
    def G_R(self) -> BlockDiagonal:
        return BlockDiagonal([G[-6:] for G in self.G_r.blocks])

    @cached_property
    def P_R_plus(self) -> BlockDiagonal:
        return BlockDiagonal([P[-6:, -6:] for P in self.P_plus.blocks])


def _gains(H: BlockDiagonal, P: BlockDiagonal, D: BlockDiagonal) -> BlockDiagonal:
    """P H* D^-1."""
    triples = zip(H.blocks, P.blocks, D.blocks, strict=True)
    return BlockDiagonal([np.linalg.solve(d, h @ p).T for h, p, d in triples])


def _projections(H: BlockDiagonal, G: BlockDiagonal) -> BlockDiagonal:
    """I - G H."""
    return BlockDiagonal([np.eye(len(g)) - g @ h for h, g in zip(H.blocks, G.blocks, strict=True)])


def _projected(tau: BlockDiagonal, P: BlockDiagonal) -> BlockDiagonal:
    """tau P, kept symmetric."""
    products = [t @ p for t, p in zip(tau.blocks, P.blocks, strict=True)]
    return BlockDiagonal([0.5 * (x + x.T) for x in products])
