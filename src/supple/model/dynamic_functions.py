"""Forces from accelerations, accelerations from forces, and the mass matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.engines.llvm.batches import common_axes
from supple.errors import StateError, nearest
from supple.model.arguments import body_wrenches, flat_rows, known_motion
from supple.model.frozen import Numbers
from supple.model.kinematic_functions import KinematicFunctions
from supple.model.mass_solvers import SOLVERS
from supple.model.prescribed_modes import held_modes
from supple.recursions.states import Actuation, States

Loads = Mapping[str, ArrayLike]
METHODS = ("articulated", *SOLVERS)


class DynamicFunctions(KinematicFunctions):
    """Inverse, forward and hybrid dynamics."""

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: Loads | None = None) -> Numbers:
        """Generalized forces (..., nv) that give the accelerations a.

        Parameters
        ----------
        q, v, a : (..., nq), (..., nv), (..., nv) array_like
        external : mapping of frame to (..., 6) array_like, optional
            Moment and force applied at frames' origins, in their axes, N m and N.
        """
        found: Numbers | None
        if external is None:
            found = self._one.inverse_dynamics(q, v, a)
        else:
            found = self._with_wrenches("inverse_dynamics", (q, v, a), external)
        return self._newton_euler(q, v, a, external, keep=False)[0] if found is None else found

    def bias_forces(self, q: ArrayLike, v: ArrayLike, external: Loads | None = None) -> Numbers:
        """Generalized forces (..., nv) at zero acceleration: Coriolis, gravity, springs, dampers, applied wrenches."""
        found: Numbers | None = self._one.bias_forces(q, v) if external is None else None
        return self.inverse_dynamics(q, v, np.zeros(self.nv), external) if found is None else found

    def joint_wrenches(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: Loads | None = None,
        constraint_forces: ArrayLike | None = None,
    ) -> Numbers:
        """Wrench (..., bodies, 6) that each joint passes to its body: moment and force, body axes, body origin.

        It is the whole F of CDI (15): drive, spring, damper and constraint. Of a model with closed loops the forces of
        their rows are needed too, see `Loops.forces`.
        """
        if self.loops is not None and constraint_forces is None:
            raise StateError(f"model {self.name!r}: joint wrenches: expected the forces of its constraints as well")
        if external is None and constraint_forces is None:
            found: Numbers | None = self._one.joint_wrenches(q, v, a)
            if found is not None:
                return found
        return self._newton_euler(q, v, a, external, keep=True, forces_of_rows=constraint_forces)[1]

    def split_wrenches(self, q: ArrayLike, wrenches: ArrayLike) -> tuple[Numbers, Numbers]:
        """The parts of joint wrenches (..., bodies, 6) along the dofs and across them: (drive, constraint).

        The second does no work on any motion of the joint, H F = 0, and the first has no part of it (CDI, (20)).
        """
        count = len(self.bodies)
        (F_,), shape, _ = self.batch(wrenches=(flat_rows(self._where, "wrenches", wrenches, count, 6), 6 * count))
        F = F_.reshape((*shape, count, 6))
        _, H = self.joint_maps(q)
        drive = np.zeros((*np.broadcast_shapes(H.shape[:-2], F.shape[:-2]), len(self.bodies), 6), np.result_type(F, H))
        for k in range(len(self.bodies)):
            first, last = self.tree.v_first[k + 1], self.tree.v_first[k + 2]
            if last > first:
                rows = H[..., first:last, :]
                drive[..., k, :] = (np.linalg.pinv(rows) @ (rows @ F[..., k, :, None]))[..., 0]
        return drive, F - drive

    def mass_matrix(self, q: ArrayLike) -> Numbers:
        """M (..., nv, nv)."""
        found: Numbers | None = self._one.mass_matrix(q)
        if found is not None:
            return found
        (q_,), shape, _ = self.batch(q=(q, self.nq))
        return self.evaluation.mass_matrix(q_).reshape((*shape, self.nv, self.nv))

    def inverse_mass_matrix(self, q: ArrayLike) -> Numbers:
        """M^-1 (..., nv, nv), from its innovations factors (6.6); M is never formed."""
        found: Numbers | None = self._one.inverse_mass_matrix(q)
        if found is not None:
            return found
        (q_,), shape, _ = self.batch(q=(q, self.nq))
        M, fault = self.evaluation.inverse_mass_matrix(q_)
        self.refuse_singular(fault)
        return M.reshape((*shape, self.nv, self.nv))

    def inverse_mass_product(self, q: ArrayLike, x: ArrayLike, prescribed: NDArray[np.bool_]) -> Numbers:
        """M^-1 x (..., nv) of the tree, prescribed degrees of freedom held: the speeds that impulses x give."""
        (q_, x_), shape, _ = self.batch(q=(q, self.nq), x=(x, self.nv))
        out, fault = self.evaluation.inverse_mass_product(q_, x_, prescribed)
        self.refuse_singular(fault)
        return out.reshape((*shape, self.nv))

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        method: str = "articulated",
        external: Loads | None = None,
    ) -> Numbers:
        """Accelerations (..., nv) that the generalized forces tau give.

        Parameters
        ----------
        q, v, tau : (..., nq), (..., nv), (..., nv) array_like
        method : str
            "articulated": linear in the bodies, the one to use. "composite": mass matrix and a dense solution.
            "triangular": mass matrix, elimination along the branches. "conjugate_gradient": mass matrix only applied.
        external : mapping of frame to (..., 6) array_like, optional
            Moment and force applied at frames' origins, in their axes.
        """
        if method == "articulated":
            found: Numbers | None
            if external is None:
                found = self._one.forward_dynamics(q, v, tau)
            else:
                found = self._with_wrenches("forward_dynamics", (q, v, tau), external)
            if found is not None:
                return found
            return self._articulated(q, v, tau, self.none_prescribed, external)[0]
        if self.loops is not None and method in METHODS:
            raise StateError(f"model {self.name!r} has closed loops: expected method 'articulated', got {method!r}")
        if method not in METHODS:
            raise StateError(f"method: expected one of {', '.join(METHODS)}, got {method!r}{nearest(method, METHODS)}")
        (_, _, tau_), shape, _ = self.batch(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv))
        rest = tau_.reshape((*shape, self.nv)) - self.bias_forces(q, v, external)
        (q_, rest), shape, _ = self.batch(q=(q, self.nq), force=(rest, self.nv))
        return SOLVERS[method](self, q_, rest.copy()).reshape((*shape, self.nv))

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        given: Mapping[str, ArrayLike],
        external: Loads | None = None,
    ) -> tuple[Numbers, Numbers]:
        """Accelerations and generalized forces (a, tau), each (..., nv), when some accelerations are given.

        With those of all joints given and no force on the modes, this is inverse dynamics of a flexible system, which
        has fewer drives than degrees of freedom (section 4): the torques and the modal accelerations are found.

        Parameters
        ----------
        q, v, tau : (..., nq), (..., nv), (..., nv) array_like
            Entries of tau for the prescribed speeds do not matter.
        given : mapping of speed name to array_like
            Accelerations of these speeds; the forces that they take are found.
        """
        mask = self.none_prescribed
        tau_, accelerations = known_motion(self._where, tau, self.nv, given)
        drive = tau_.copy()
        for name, value in accelerations.items():
            i = self.speed_index(name)
            mask[i] = True
            drive[..., i] = value
        return self._articulated(q, v, drive, mask, external)

    def hybrid(
        self, q: ArrayLike, v: ArrayLike, known: ArrayLike, prescribed: NDArray[np.bool_]
    ) -> tuple[Numbers, Numbers]:
        """The same (a, tau) by a mask (nv,); `known` has accelerations where they are prescribed, else forces."""
        return self._articulated(q, v, known, prescribed, None)

    def power(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Numbers:
        """Power (...) of generalized forces, W."""
        (v_, tau_), shape, _ = self.batch(v=(v, self.nv), tau=(tau, self.nv))
        return np.asarray((tau_ * v_).sum(axis=-1)).reshape(shape)

    def _articulated(
        self,
        q: ArrayLike,
        v: ArrayLike,
        drive: ArrayLike,
        given: NDArray[np.bool_],
        external: Loads | None,
    ) -> tuple[Numbers, Numbers]:
        wrench, forces = self._loads(external, q=(q, self.nq), v=(v, self.nv), tau=(drive, self.nv))
        drive = np.asarray(drive) + forces if external else drive
        (q_, v_, d_, *w_), shape, dtype = self.batch(q=(q, self.nq), v=(v, self.nv), tau=(drive, self.nv), **wrench)
        if (given & self.is_mode).any():
            a, d_ = self._with_held_modes(q_, v_, d_, given, self._wrenches(w_, dtype) if w_ else None)
        elif self.loops is not None and w_:
            d_ = d_.copy()
            a = self.loops.sweeps.response(States(q_, v_), Actuation(d_, given, self._wrenches(w_, dtype))).a
        elif self.loops is not None:
            a, _, d_ = self.loops.sweeps.forward(States(q_, v_), d_, given)
        else:
            wrenches = self._wrenches(w_, dtype) if w_ else None
            a, d_, fault = self.evaluation.hybrid_dynamics(q_, v_, d_, given, wrenches)
            self.refuse_singular(fault)
        d_ = d_.reshape((*shape, self.nv))
        return a.reshape((*shape, self.nv)), d_ - forces if external else d_

    def _with_wrenches(self, name: str, state: tuple[ArrayLike, ...], external: Loads) -> Numbers | None:
        """Return a function of the table for one state with wrenches at frames; None if it cannot serve."""
        if not isinstance(external, Mapping) or not external:
            return None
        wrenches = list(external.values())
        if not all(x.__class__ is np.ndarray and x.shape == (6,) for x in wrenches):
            return None
        key = (name, *external)
        call = self._of_frames.get(key) or self._keep(
            key, self._one.of_frames(name, [self.find_frame(frame) for frame in external])
        )
        found: Numbers | None = call(*state, wrenches[0] if len(wrenches) == 1 else np.concatenate(wrenches))
        return found

    def _with_held_modes(
        self, q: Numbers, v: Numbers, drive: Numbers, given: NDArray[np.bool_], wrenches: Numbers | None
    ) -> tuple[Numbers, Numbers]:
        """Accelerations and generalized forces (s, nv) where modes are among the prescribed."""

        def motion(known: Numbers, joints: NDArray[np.bool_]) -> Numbers:
            a, _, fault = self.evaluation.hybrid_dynamics(q, v, known, joints, wrenches)
            self.refuse_singular(fault)
            return a

        a = held_modes(self, q, drive, given, motion)
        needed, _ = self.evaluation.inverse_dynamics(q, v, a, wrenches, False)
        return a, np.where(given, needed, drive)

    def _newton_euler(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: Loads | None,
        keep: bool,
        forces_of_rows: ArrayLike | None = None,
    ) -> tuple[Numbers, Numbers]:
        wrench, forces = self._loads(external, q=(q, self.nq), v=(v, self.nv), a=(a, self.nv))
        closing: dict[str, tuple[ArrayLike, int]] = {}
        if self.loops is not None and forces_of_rows is not None:
            closing["constraint_forces"] = (forces_of_rows, len(self.loops))
        (q_, v_, a_, *w_), shape, dtype = self.batch(
            q=(q, self.nq), v=(v, self.nv), a=(a, self.nv), **wrench, **closing
        )
        applied = self._wrenches(w_[:1], dtype) if wrench else None
        if self.loops is not None and closing:
            closed = self.loops.sweeps.wrenches(q_, w_[-1])
            applied = np.ascontiguousarray(closed if applied is None else applied + closed)
        tau, f = self.evaluation.inverse_dynamics(q_, v_, a_, applied, keep)
        tau = tau.reshape((*shape, self.nv))
        f = f[:, 1:].reshape((*shape, len(self.bodies), 6)) if keep else f
        return tau - forces if external else tau, f

    def _loads(
        self, external: Loads | None, **parts: tuple[ArrayLike, int]
    ) -> tuple[dict[str, tuple[ArrayLike, int]], Numbers]:
        """Applied wrenches as one more part of a batch, if there are any, and their forces on the modes.

        The `parts`, q first, are those of the batch; nothing is computed from them before they are checked.
        """
        if external is None:
            return {}, self._unloaded
        if not isinstance(external, Mapping):
            raise StateError(
                f"model {self.name!r}: external: expected a mapping of frame to (..., 6) array, "
                f"got {type(external).__name__}"
            )
        if not external:
            return {}, self._unloaded
        (q, *_), shape, _ = self.batch(**parts)
        given = {frame: (self.find_frame(frame), self._wrench(frame, w, shape)) for frame, w in external.items()}
        total, forces = body_wrenches(self.tree, self.flex, q.reshape((*shape, self.nq)), given)
        return {"external": (total.reshape((*total.shape[:-2], -1)), 6 * (len(self.bodies) + 1))}, forces

    def _wrench(self, frame: str, value: ArrayLike, shape: tuple[int, ...]) -> Numbers:
        """A wrench (..., 6) at a frame, checked; its leading axes broadcast with those of the states."""
        (wrench,), own, _ = self.batch(**{f"external wrench at {frame!r}": (value, 6)})
        wrench = wrench.reshape((*own, 6))
        common_axes(f"model {self.name!r}", {"states": np.empty((*shape, 1)), f"external wrench at {frame!r}": wrench})
        return wrench

    def _wrenches(self, parts: list[Numbers], dtype: Any) -> Numbers:
        return parts[0].reshape(-1, len(self.bodies) + 1, 6) if parts else self.no_wrench(dtype)
