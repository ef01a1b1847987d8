"""A tree of rigid bodies in the symbols of CDI, (1)-(20), in ground axes.

Every vector of a body is at its joint, or barred at its centre of mass. D, G, K, R, J of CDI are other things than
those of Jain and Rodriguez: the shift to the child X*, the joint map H*, the gain G, the innovation D, the articulated
inertia P.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.model.operators.body_blocks import Bodies, both, phi
from supple.model.operators.influence_matrices import Influence, Resolvent
from supple.model.operators.linear_operator import BlockDiagonal, Identity, Numbers, Operator


class TreeInfluence:
    """Operators and vectors of CDI for one state.

    Attributes
    ----------
    D, G : BlockDiagonal
        D_i of (4), zero for a body on the ground, and joint maps G_i.
    Phi_D, Psi_D : Influence, Resolvent
        (6), (7).
    S, M_bar, M : BlockDiagonal
        From joint to centre of mass (1), mass matrices there (11) and at the joint (16).
    a, a_bar, b_bar, B : (6 n,) arrays
        (5a), (2), (11), (17).
    F_bar : (6 n,) array
        The weights, at the centres of mass: with Y = S they are the external forces of (11).
    J, J_hat, R, K, beta : BlockDiagonal
        Branch inertias with their joints locked and free, and the parts of (19b). R holds inertias of the joints too.
    G_hat : list of (6, 6 - dofs) arrays
        Constraint matrices of (20).
    """

    def __init__(self, bodies: Bodies) -> None:
        self._bodies, tree, at = bodies, bodies.tree, bodies.at
        self._turn = [both(R) for R in at.R_ground]
        numbers = bodies.numbers
        self.G = BlockDiagonal([self._turn[k] @ at.H[bodies.joint(k)].T for k in numbers])
        self.D = BlockDiagonal([self._shift(k) for k in numbers])
        self._arms = [self._turn[k][:3, :3] @ tree.moment[k] / (tree.mass[k] or 1.0) for k in numbers]
        self.S = BlockDiagonal([phi(s).T for s in self._arms])
        self.M_bar = BlockDiagonal([self._central(k, s) for k, s in zip(numbers, self._arms, strict=True)])
        self._own = [bodies.joint_inertia(k) for k in numbers]

    def _shift(self, k: int) -> Numbers:
        p = int(self._bodies.tree.parent[k])
        if p == 0:
            return np.zeros((6, 6))
        return self._turn[k] @ self._bodies.node_to_child(k).T @ self._turn[p].T

    def _central(self, k: int, s: Numbers) -> Numbers:
        """M_bar of body k, whose centre of mass is at s from its joint."""
        turn = self._turn[k]
        X = phi(s).T
        at_joint = turn @ self._bodies.mass(k) @ turn.T
        return np.asarray(np.linalg.solve(X.T, np.linalg.solve(X.T, at_joint.T).T))

    @cached_property
    def Phi_D(self) -> Influence:
        return Influence(self._bodies.parents, self.D.blocks)

    @cached_property
    def Psi_D(self) -> Resolvent:
        return self.Phi_D.resolvent()

    @cached_property
    def M(self) -> BlockDiagonal:
        return BlockDiagonal([S.T @ M @ S for S, M in zip(self.S.blocks, self.M_bar.blocks, strict=True)])

    @cached_property
    def a(self) -> Numbers:
        return self._stacked([self._turn[k] @ self._bodies.at.bias[k] for k in self._bodies.numbers])

    @cached_property
    def a_bar(self) -> Numbers:
        pairs = zip(self._omegas, self._arms, strict=True)
        return self._stacked([np.concatenate([np.zeros(3), np.cross(w, np.cross(w, s))]) for w, s in pairs])

    @cached_property
    def b_bar(self) -> Numbers:
        pairs = zip(self._omegas, self.M_bar.blocks, strict=True)
        return self._stacked([np.concatenate([np.cross(w, M[:3, :3] @ w), np.zeros(3)]) for w, M in pairs])

    @cached_property
    def B(self) -> Numbers:
        return self.S.T @ (self.M_bar @ self.a_bar) + self.b_bar

    @cached_property
    def F_bar(self) -> Numbers:
        tree = self._bodies.tree
        weights = [np.concatenate([np.zeros(3), tree.mass[k] * tree.gravity]) for k in self._bodies.numbers]
        return self._stacked(weights)

    def Y(self, points: Mapping[int, ArrayLike]) -> BlockDiagonal:
        """Y of (11): external forces act at these points, from the joint, in body axes, by number of the body from 1.

        Where none is given, the force acts at the centre of mass.
        """
        arms = list(self._arms)
        for i, point in points.items():
            arms[i - 1] = self._turn[i][:3, :3] @ np.asarray(point)
        return BlockDiagonal([phi(y).T for y in arms])

    # ------------------------------------------------------------ accelerations

    @cached_property
    def J(self) -> BlockDiagonal:
        J = [M.copy() for M in self.M.blocks]
        for i, p, D in self.Phi_D.T.joined():
            inward = D.T @ self._freed(i, J[i]) @ D
            J[p] = J[p] + 0.5 * (inward + inward.T)
        return BlockDiagonal(J)

    @cached_property
    def J_hat(self) -> BlockDiagonal:
        return BlockDiagonal([self._freed(i, J) for i, J in enumerate(self.J.blocks)])

    def _freed(self, i: int, J: Numbers) -> Numbers:
        """J - J G R^-1 G* J of body i, counted from 0."""
        JG = J @ self.G.blocks[i]
        R = self.G.blocks[i].T @ JG + self._own[i]
        self._bodies.require_inertia(i + 1, R, self.G.blocks[i].T, J)
        return J - JG @ np.linalg.solve(R, JG.T)

    @cached_property
    def R(self) -> BlockDiagonal:
        triples = zip(self.G.blocks, self.J.blocks, self._own, strict=True)
        return BlockDiagonal([G.T @ J @ G + own for G, J, own in triples], self._require_inertias)

    def _require_inertias(self) -> None:
        """Raise if R of a joint has no inverse."""
        for i, (R, G, J) in enumerate(zip(self.R.blocks, self.G.blocks, self.J.blocks, strict=True)):
            self._bodies.require_inertia(i + 1, R, G.T, J)

    @cached_property
    def K(self) -> BlockDiagonal:
        self._require_inertias()
        triples = zip(self.G.blocks, self.J.blocks, self.R.blocks, strict=True)
        return BlockDiagonal([np.linalg.solve(R, G.T @ J).T for G, J, R in triples])

    @cached_property
    def beta(self) -> BlockDiagonal:
        triples = zip(self.G.blocks, self.K.blocks, self.D.blocks, strict=True)
        return BlockDiagonal([D - G @ (K.T @ D) for G, K, D in triples])

    @cached_property
    def mass_matrix(self) -> Operator:
        """(18c), with the joints' own inertia."""
        return self.G.T @ self.Psi_D.T @ self.M @ self.Psi_D @ self.G + BlockDiagonal(self._own)

    @cached_property
    def inverse_mass_matrix(self) -> Operator:
        """The operators of (19b)."""
        Psi_beta = Influence(self._bodies.parents, self.beta.blocks).resolvent()
        inner = Identity(self.R.shape[0]) - self.G.T @ Psi_beta.T @ self.Phi_D.T @ self.K
        return inner.T @ self.R.inverse() @ inner

    @cached_property
    def G_hat(self) -> list[Numbers]:
        return [np.asarray(scipy.linalg.null_space(G.T)) if G.size else np.eye(6) for G in self.G.blocks]

    @cached_property
    def _omegas(self) -> list[Numbers]:
        return [self._turn[k][:3, :3] @ self._bodies.at.omega[k] for k in self._bodies.numbers]

    def _stacked(self, parts: list[Numbers]) -> Numbers:
        return np.concatenate([np.zeros(0), *parts])
