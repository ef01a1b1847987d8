"""Generalized forces as linear functions of inertial parameters: what identification of rigid bodies starts from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.errors import StateError, nearest
from supple.model.dynamic_functions import DynamicFunctions
from supple.model.frozen import Numbers
from supple.model.parameters import INERTIA
from supple.structures.body.flexible_body import FlexibleBody

INERTIAL = ("mass", *(f"first_moment.{c}" for c in "xyz"), *(f"origin_inertia.{ij}" for ij in INERTIA))
"""Parameters of a rigid body in the order of the regressor's columns."""
JOINT = ("inertia", "damping", "stiffness")
"""Numbers of joints that generalized forces are linear in too."""


class RegressorFunctions(DynamicFunctions):
    """The regressor and the parameters that it multiplies."""

    @checked
    def inertial_parameters(self, joints: Sequence[str] = ()) -> dict[str, float]:
        """The parameters pi that the regressor multiplies, by name, in the order of its columns.

        For each rigid body "arm.mass", "arm.first_moment.x" (mass times centre of mass), ..., "arm.origin_inertia.xx",
        xy, xz, yy, yz, zz (about the body's origin, in its axes); then those of joints, if asked for.

        Parameters
        ----------
        joints : sequence of str
            See `regressor`.
        """
        rows = np.concatenate([self.tree.mass[:, None], self.tree.moment, self.tree.inertia], axis=1)
        out = {
            f"{self.bodies[k]}.{what}": float(rows[k + 1, i])
            for k in self._rigid_bodies()
            for i, what in enumerate(INERTIAL)
        }
        numbers = {"inertia": self.tree.joint_inertia, "damping": self.tree.damping, "stiffness": self.tree.stiffness}
        for what, speeds in self._joint_columns(joints).items():
            out |= {f"{self.speeds[i]}.{what}": float(numbers[what][i]) for i in speeds}
        return out

    @checked
    def regressor(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, joints: Sequence[str] = ()) -> Numbers:
        """Y (..., nv, parameters): generalized forces for a unit of each of `inertial_parameters`.

        Inverse dynamics of a rigid tree is tau = Y pi, and what springs, dampers, joint inertias and wrenches take.
        Exact to rounding.

        Parameters
        ----------
        q, v, a : (..., nq), (..., nv), (..., nv) array_like
        joints : sequence of str
            Columns for numbers of joints, besides those of bodies: "inertia", "damping", "stiffness", each for all
            speeds of joints; stiffness for those that are rates of coordinates.

        Notes
        -----
        Flexible bodies have no columns, as their inertia is that of their structure, and not ten numbers that could be
        chosen; their modes have rows. Of a model with closed loops it is the regressor of the tree, cut open.

        Examples
        --------
        >>> from supple import Mechanism, RigidBody
        >>> mech = Mechanism("pendulum")
        >>> mech.add_body("arm", RigidBody(2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)))
        >>> model = mech.build()
        >>> pi = model.inertial_parameters()
        >>> round(pi["arm.first_moment.z"], 6), round(pi["arm.origin_inertia.yy"], 6)
        (-1.0, 0.6)
        >>> Y = model.regressor([0.3], [0.0], [2.0])
        >>> tau = Y @ list(pi.values())
        >>> bool(abs(tau - model.inverse_dynamics([0.3], [0.0], [2.0])) < 1e-14)
        True
        """
        found: Numbers | None = None if joints or self.flex is not None else self._one.regressor(q, v, a)
        if found is not None:
            return found
        chosen = self._joint_columns(joints)
        (q_, v_, a_), shape, dtype = self.batch(q=(q, self.nq), v=(v, self.nv), a=(a, self.nv))
        Y = self.evaluation.regressor(q_, v_, a_)
        if self.flex is not None:
            Y = Y[:, :, self._rigid_bodies()]
        Y = Y.reshape((*Y.shape[:2], Y.shape[2] * Y.shape[3]))
        parts = [Y]
        for what, speeds in chosen.items():
            columns = np.zeros((len(q_), self.nv, len(speeds)), dtype)
            values = {"inertia": a_, "damping": v_}.get(what)
            if values is None:
                values = q_[:, self.q_of_speed] - self.tree.rest
            for column, i in enumerate(speeds):
                columns[:, i, column] = values[:, i]
            parts.append(columns)
        Y = np.concatenate(parts, axis=2) if chosen else Y
        return Y.reshape((*shape, *Y.shape[1:]))

    def _rigid_bodies(self) -> list[int]:
        """Places in `bodies` of those that are not flexible."""
        placed = self.description.bodies.values()
        return [k for k, x in enumerate(placed) if not isinstance(x.body, FlexibleBody)]

    def _joint_columns(self, joints: Sequence[str]) -> dict[str, list[int]]:
        """The speeds that have a column, for each of the numbers of joints that is asked for."""
        if isinstance(joints, str):
            joints = (joints,)
        out = {}
        for what in joints:
            if what not in JOINT:
                expected = ", ".join(JOINT)
                raise StateError(
                    f"model {self.name!r}: joints: expected some of {expected}, got {what!r}{nearest(what, JOINT)}"
                )
            known = ~self.is_mode & (self.q_of_speed >= 0) if what == "stiffness" else ~self.is_mode
            out[what] = [int(i) for i in np.flatnonzero(known)]
        return out
