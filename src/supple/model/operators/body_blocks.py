"""Blocks of one body: what the operators of a state are assembled from.

Of a flexible body vectors have the modal part first, then the six numbers of its frame; its degrees of freedom are
those of its joint, then its modes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from supple.model.arguments import singular_pivot
from supple.model.operators.linear_operator import BlockDiagonal, Numbers
from supple.recursions.articulated import SINGULAR
from supple.recursions.body_states import BodyStates
from supple.recursions.tree import Flex, Tree
from supple.rigid_body import RigidBody
from supple.structures.body.flexible_body import FlexibleBody


def tilde(a: Numbers) -> Numbers:
    """The matrix of the cross product a x."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def phi(l: Numbers) -> Numbers:
    """phi of (3.8)."""
    out = np.eye(6, dtype=np.result_type(l, float))
    out[:3, 3:] = tilde(l)
    return out


def both(R: Numbers) -> Numbers:
    """The change of axes R (9,) or (3, 3) of a spatial vector."""
    out = np.zeros((6, 6), R.dtype)
    out[:3, :3] = out[3:, 3:] = R.reshape(3, 3)
    return out


def rigid_mass(m: float, h: Numbers, J: Numbers) -> Numbers:
    """(3.1) at the body's origin, from mass, first moment and the six numbers of the inertia."""
    out = np.zeros((6, 6), np.result_type(h, J))
    out[:3, :3] = [[J[0], J[1], J[2]], [J[1], J[3], J[4]], [J[2], J[4], J[5]]]
    out[:3, 3:] = tilde(h)
    out[3:, :3] = -out[:3, 3:]
    out[3, 3] = out[4, 4] = out[5, 5] = m
    return out


class Bodies:
    """The bodies of a model in one state.

    Parameters
    ----------
    tree, flex : Tree, Flex or None
    at : BodyStates
        Of one state.
    described : sequence of RigidBody or FlexibleBody
        What the bodies are made of.
    refuse_singular : function of int
        Raises a `SingularError` that names the joint of a speed, given 1 + its number.
    """

    def __init__(
        self,
        tree: Tree,
        flex: Flex | None,
        at: BodyStates,
        described: Sequence[RigidBody | FlexibleBody],
        refuse_singular: Callable[[int], None],
    ) -> None:
        self.tree, self.flex, self.described = tree, flex, described
        self._refuse_singular = refuse_singular
        self.at = BodyStates(*(x[0] for x in at))
        self.numbers = range(1, len(tree.parent))
        self.parents = tree.parent[1:] - 1

    def require_inertia(self, k: int, D: Numbers, H: Numbers, P: Numbers) -> None:
        """Raise if nothing resists a degree of freedom of body k, before D is inverted.

        Parameters
        ----------
        D : (n, n) array
            Innovation of its joint, or of its joint and modes.
        H : (joint, 6) array
            Motions of unit speeds of the joint.
        P : (6, 6) array
            Inertia that D is left from, as D is judged in `articulated.singular_dof`.
        """
        angular, linear = (np.sum(H[:, part].real ** 2, axis=1) for part in (slice(3), slice(3, 6)))
        size = angular * np.trace(P[:3, :3].real) + linear * np.trace(P[3:, 3:].real)
        loose = np.flatnonzero(~(np.diagonal(D).real[: len(H)] > SINGULAR * size))
        fault = int(loose[-1]) + 1 if len(loose) else singular_pivot(D.real[None]) if len(D) else 0
        self._refuse_singular(int(self.tree.v_first[k]) + fault if fault else 0)

    def modes(self, k: int) -> int:
        """Number of modes of body k."""
        return 0 if self.flex is None else int(self.flex.modes[k])

    def joint(self, k: int) -> slice:
        """The speeds of the joint of body k."""
        return slice(int(self.tree.v_first[k]), int(self.tree.v_mode[k]))

    def modal(self, k: int) -> slice:
        """The modal speeds of body k."""
        return slice(int(self.tree.v_mode[k]), int(self.tree.v_first[k + 1]))

    @cached_property
    def of_joints(self) -> BlockDiagonal:
        """Columns of the identity: places forces on joints among those on all degrees of freedom."""
        return BlockDiagonal([np.eye(self._dofs(k), self._dofs(k) - self.modes(k)) for k in self.numbers])

    @cached_property
    def of_modes(self) -> BlockDiagonal:
        """The same of modes."""
        pairs = [(self._dofs(k), self.modes(k)) for k in self.numbers]
        return BlockDiagonal([np.eye(n, modes, modes - n) for n, modes in pairs])

    def _dofs(self, k: int) -> int:
        return int(self.tree.v_first[k + 1] - self.tree.v_first[k])

    def node_to_child(self, k: int) -> Numbers:
        """phi(t, k) with the change of axes: a force at body k, at the node of its parent that carries it."""
        return phi(self.at.l[k]) @ both(self.at.R[k])

    def attachment(self, k: int) -> Numbers:
        """A of (3.17), of the parent of body k: [Pi_t* ; phi(parent, t)]; of a rigid one t is its origin."""
        p = int(self.tree.parent[k])
        s = -1 if self.flex is None else int(self.flex.attachment[k])
        if self.flex is None or s < 0:
            return np.concatenate([np.zeros((self.modes(p), 6)), np.eye(6)])
        row = self.flex.attachment_row[s]
        shape = self.with_slopes(p, self.flex.attachment_shape[row:])
        shape[:, :3] = shape[:, :3] @ self.at.node_Q[s].reshape(3, 3).T
        return np.concatenate([shape, phi(self.at.node_l[s])])

    def slopes(self, k: int) -> Numbers:
        """A* (modes, shapes) of body k: how second-order shapes follow its modes."""
        assert self.flex is not None
        return self.at.xi_slope[self.modal(k), : self.flex.second_order[k]]

    def with_slopes(self, k: int, rows: Numbers) -> Numbers:
        """Rows of the modes of body k, with those of its second-order shapes, which come next, referred to them."""
        n, slopes = self.modes(k), self.slopes(k)
        return np.asarray(rows[:n] + slopes @ rows[n : n + slopes.shape[1]], dtype=self.at.R.dtype)

    def joint_map(self, k: int) -> Numbers:
        """H of (3.15) with Pi_d = 0: the joint's degrees of freedom move the frame, the modes themselves."""
        n, modes = self.tree.v_mode[k] - self.tree.v_first[k], self.modes(k)
        H = np.zeros((n + modes, modes + 6), self.at.H.dtype)
        H[:n, modes:] = self.at.H[self.joint(k)]
        H[n:, :modes] = np.eye(modes)
        return H

    def mass(self, k: int) -> Numbers:
        """M_m of (3.25)."""
        modes = self.modes(k)
        if modes == 0:
            return rigid_mass(self.tree.mass[k], self.tree.moment[k], self.tree.inertia[k])
        M = np.zeros((modes + 6, modes + 6), self.at.R.dtype)
        M[modes:, modes:] = rigid_mass(self.tree.mass[k], self.at.moment[k], self.at.inertia[k])
        M[:modes, :modes] = self._sparse(k, 0, self.tree.joint_inertia[self.modal(k)]) + self._shape_inertia(k)
        M[:modes, modes:] = self.at.coupling[self.modal(k)]
        M[modes:, :modes] = M[:modes, modes:].T
        return M

    def _shape_inertia(self, k: int) -> Numbers:
        """What second-order shapes add to G."""
        assert self.flex is not None
        A, row, n = self.slopes(k), self.flex.mode_row[k], self.modes(k)
        g = self.flex.shape_mass[row : row + n, : A.shape[1]]
        own = self.flex.shape_mass[row + n : row + n + A.shape[1], : A.shape[1]]
        half = A @ (g.T + 0.5 * own @ A.T)
        return np.asarray(half + half.T)

    def stiffness(self, k: int) -> Numbers:
        """K_m of (3.40)."""
        modes = self.modes(k)
        K = np.zeros((modes + 6, modes + 6))
        K[:modes, :modes] = self._sparse(k, 1, self.tree.stiffness[self.modal(k)])
        return K

    def _sparse(self, k: int, which: int, diagonal: Numbers) -> Numbers:
        """G (which = 0) or K (1) of the modes of body k."""
        out = np.diag(diagonal)
        for r in range(len(out)):
            assert self.flex is not None
            row = self.flex.mode_row[k] + r
            entries = slice(self.flex.offdiagonal_first[row], self.flex.offdiagonal_first[row + 1])
            out[r, self.flex.offdiagonal_mode[entries]] = self.flex.offdiagonal_value[entries, which]
        return out

    def joint_inertia(self, k: int) -> Numbers:
        """The joint's own inertia; that of modes is in M."""
        own = self.tree.joint_inertia[self.tree.v_first[k] : self.tree.v_first[k + 1]].copy()
        own[self.tree.v_mode[k] - self.tree.v_first[k] :] = 0.0
        return np.diag(own)

    def stacked(self, modal: Numbers, rigid: Numbers) -> Numbers:
        """A vector of all bodies from modal parts (nv,) and those of the frames (n + 1, 6)."""
        parts = [part for k in self.numbers for part in (modal[self.modal(k)], rigid[k])]
        return np.concatenate([np.zeros(0, rigid.dtype), *parts])
