"""Forces and accelerations, mass matrices and energies of an equivalent rigid-link system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.call_checks import checked
from supple.erls.arrays import Numbers, check_definite, matvec, solve, transposed
from supple.erls.dynamics import RigidLinkEquations, hybrid
from supple.erls.joint_loads import carried_wrenches, momentum_rates
from supple.erls.link_frames import LinkFrames
from supple.erls.link_wrenches import LinkWrench, link_wrench
from supple.errors import ModelError, StateError
from supple.model.arguments import batch, flat_rows, index_of, known_motion
from supple.model.operational_space import inverted

Loads = Mapping[str, ArrayLike]


@checked
class LinkForces(LinkFrames):
    """Inverse, forward and hybrid dynamics: M a + b = B* tau."""

    def mass_matrix(self, q: ArrayLike) -> Numbers:
        """M (..., nv, nv)."""
        (q_,), shape = self._batch(q=q)
        with self._faults(q_):
            M = self.dynamics.mass_matrix(q_[:, self._back])
        return M[:, self.order][:, :, self.order].reshape((*shape, self.nv, self.nv))

    def inverse_mass_matrix(self, q: ArrayLike) -> Numbers:
        """M^-1 (..., nv, nv), by a dense solution; tau changes the accelerations by M^-1 B*."""
        M = self.mass_matrix(q)
        with self._faults(np.asarray(q).reshape(-1, self.nq)):
            check_definite(M)
            return solve(M, np.broadcast_to(np.eye(self.nv), M.shape))

    def inverse_mass_product(self, q: ArrayLike, x: ArrayLike, prescribed: NDArray[np.bool_]) -> Numbers:
        """M^-1 x (..., nv): the speeds that impulses x give; prescribed speeds are what x has for them."""
        (q_, x_), shape = self._batch(q=q, x=x)
        M, free = self.mass_matrix(q_), np.flatnonzero(~prescribed)
        out = np.where(prescribed, x_, 0.0)
        left = (x_ - (M @ out[..., None])[..., 0])[:, free]
        out[:, free] = solve(M[:, free[:, None], free], left[..., None])[..., 0]
        return out.reshape((*shape, self.nv))

    def bias_forces(self, q: ArrayLike, v: ArrayLike, external: Loads | None = None) -> Numbers:
        """b (..., nv) of M a + b = B* tau: Coriolis, gravity, strain, springs, dampers, applied wrenches."""
        x, _, shape = self._formed(q, v, np.zeros(self.nv), external)
        return x.bias[:, self.order].reshape((*shape, self.nv))

    def actuation_matrix(self, q: ArrayLike) -> Numbers:
        """B (..., nv, nv): rates of the joints' whole motions and of the modes are B v, and tau does work on them."""
        (q_,), shape = self._batch(q=q)
        at, now = self._deformed(q_)
        B = self.dynamics.actuation_matrix(at, now, q_.shape[:-1])
        return B[:, self.order][:, :, self.order].reshape((*shape, self.nv, self.nv))

    def forces_on_speeds(self, q: ArrayLike, tau: ArrayLike) -> Numbers:
        """B* tau (..., nv): what generalized forces do to the speeds; those of joints act on the whole motions."""
        (q_, tau_), shape = self._batch(q=q, tau=tau)
        B = self.actuation_matrix(q_)
        return np.asarray((np.swapaxes(B, -1, -2) @ tau_[..., None])[..., 0]).reshape((*shape, self.nv))

    def wrench_forces(self, q: ArrayLike, frame: str, wrench: ArrayLike) -> Numbers:
        """Forces (..., nv) on the speeds of a moment and force (..., 6) at a frame, in its axes on undeformed links."""
        still = np.zeros(self.nv)
        return self.bias_forces(q, still) - self.bias_forces(q, still, {frame: wrench})

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        method: str = "composite",
        external: Loads | None = None,
    ) -> Numbers:
        """Accelerations (..., nv) that the generalized forces tau give.

        Parameters
        ----------
        q, v, tau : (..., nv) array_like
        method : str
            "composite" alone, by the mass matrix: the minimum-norm condition (11) couples every link with every other,
            so that M has no articulated factors.
        external : mapping of frame to (..., 6) array_like, optional
            Moment and force at frames, in the axes that the frames have on the undeformed links, N m and N.
        """
        if not isinstance(method, str) or method != "composite":
            raise StateError(
                f"model {self.name!r}: forward_dynamics: an equivalent rigid-link system has the method 'composite' "
                f"alone, got {method!r}; the other methods are those of floating frames, `Mechanism.build`"
            )
        x, forces, shape = self._formed(q, v, tau, external)
        force = matvec(transposed(x.actuation), forces) - x.bias
        a = solve(x.mass, force[..., None])[..., 0]
        return a[:, self.order].reshape((*shape, self.nv))

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: Loads | None = None) -> Numbers:
        """Generalized forces (..., nv) that give the accelerations a: torques of joints, forces on modes."""
        x, accelerations, shape = self._formed(q, v, a, external)
        force = matvec(x.mass, accelerations) + x.bias
        tau = solve(transposed(x.actuation), force[..., None])[..., 0]
        return tau[:, self.order].reshape((*shape, self.nv))

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        given: Mapping[str, ArrayLike],
        external: Loads | None = None,
    ) -> tuple[Numbers, Numbers]:
        """Accelerations and generalized forces (a, tau), each (..., nv), when some accelerations are given.

        Parameters
        ----------
        q, v, tau : (..., nv) array_like
            Entries of tau for the prescribed speeds do not matter.
        given : mapping of speed name to array_like
            Accelerations of these joints of the equivalent rigid links; the torques that they take are found.
        """
        tau_, accelerations = known_motion(f"model {self.name!r}", tau, self.nv, given)
        drive = tau_.copy()
        mask = self.none_prescribed
        for name, value in accelerations.items():
            i = index_of(self.speeds, name, "speed")
            if self.order[i] >= self.chain.joints:
                raise StateError(f"given: {name!r} is a mode: its acceleration is always found, not given")
            mask[i], drive[..., i] = True, value
        return self.hybrid(q, v, drive, mask, external)

    def hybrid(
        self,
        q: ArrayLike,
        v: ArrayLike,
        known: ArrayLike,
        prescribed: NDArray[np.bool_],
        external: Loads | None = None,
    ) -> tuple[Numbers, Numbers]:
        """The same by a mask (nv,); `known` has accelerations where they are prescribed, else forces."""
        x, ordered, shape = self._formed(q, v, known, external)
        a, forces = hybrid(x, ordered, prescribed[self._back])
        return tuple(y[:, self.order].reshape((*shape, self.nv)) for y in (a, forces))  # type: ignore[return-value]

    def ordered_equations(self, q: ArrayLike, v: ArrayLike) -> RigidLinkEquations:
        """M, b and B of one state (nq,), (nv,), in the order of the speeds."""
        x, _, _ = self._formed(q, v, np.zeros(self.nv), None)
        both = np.ix_(self.order, self.order)
        mass, bias, actuation = x.mass[0][both], x.bias[0][self.order], x.actuation[0][both]
        return RigidLinkEquations(mass, bias, actuation, x.configuration, x.deformation)

    # ------------------------------------------------------------ what joints carry, what frames feel

    def joint_wrenches(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: Loads | None = None) -> Numbers:
        """Wrench (..., bodies, 6) that each joint passes to its link: moment and force, at its root, in its axes.

        It is the whole of drive, spring, damper and constraint, from the momentum of the deformed links outboard; see
        `supple.erls.joint_loads`.
        """
        (q_, v_, a_, *wrenches), shape, given = self._loaded(q, v, a, external)
        x, s, w = (y[:, self._back] for y in (q_, v_, a_))
        with self._faults(q_):
            taken = momentum_rates(self.dynamics, x, s, w, self._applied(given, wrenches))
        R, p = self.poses(q_)
        found = carried_wrenches(self.dynamics, taken, (R[..., 1:, :, :], p[..., 1:, :]))
        return found.reshape((*shape, len(self.bodies), 6))

    def split_wrenches(self, q: ArrayLike, wrenches: ArrayLike) -> tuple[Numbers, Numbers]:
        """The parts of joint wrenches (..., bodies, 6) along the joints' axes and across them: (drive, constraint)."""
        self._batch(q=q)
        where, count = f"model {self.name!r}", len(self.bodies)
        (F_,), shape, _ = batch(where, {"wrenches": (flat_rows(where, "wrenches", wrenches, count, 6), 6 * count)})
        F = F_.reshape((*shape, count, 6))
        A = np.array([c.A for c in self.chain.connections])
        drive = (F * A).sum(axis=-1, keepdims=True) * A
        return drive, F - drive

    def inverse_operational_inertia(
        self, q: ArrayLike, frames: Sequence[str], axes: str = "ground", prescribed: Sequence[str] = ()
    ) -> Numbers:
        """J M^-1 J* (..., 6 m, 6 m) of m frames: their accelerations for unit moments and forces at them.

        Parameters are those of `Model.inverse_operational_inertia`; `prescribed` is refused: the torque that keeps a
        joint of the equivalent rigid links acts on the whole motion of the joint, so that forces at frames are not
        answered symmetrically.
        """
        if prescribed:
            raise StateError(
                f"model {self.name!r}: operational inertia: an equivalent rigid-link system takes no prescribed "
                f"speeds, got {list(prescribed)}; take floating frames, `Mechanism.build`"
            )
        if isinstance(frames, str):
            raise StateError(f"frames: expected a sequence of names, got {frames!r}")
        none = np.zeros((*np.shape(q)[:-1], 0, self.nv))
        J = np.concatenate([none, *(self.jacobian(q, name, axes) for name in frames)], axis=-2)
        return J @ solve(self.mass_matrix(q), np.swapaxes(J, -1, -2))

    def operational_inertia(
        self, q: ArrayLike, frames: Sequence[str], axes: str = "ground", prescribed: Sequence[str] = ()
    ) -> Numbers:
        """(J M^-1 J*)^-1 (..., 6 m, 6 m): moments and forces at m frames for unit accelerations of them."""
        inverse = self.inverse_operational_inertia(q, frames, axes, prescribed)
        return inverted(inverse, f"model {self.name!r}: operational inertia of {', '.join(frames)}")

    # ------------------------------------------------------------ sums over the links

    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
        """Kinetic and potential energy (...), J; gravity, strain and springs of joints are in the second."""
        (q_, v_), shape = self._batch(q=q, v=v)
        with self._faults(q_):
            kinetic, potential = self.dynamics.energy(q_[:, self._back], v_[:, self._back])
        return kinetic.reshape(shape), potential.reshape(shape)

    def power(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Numbers:
        """Power (...) of generalized forces, W: they act on the whole motion of the joints, B v."""
        (q_, v_, tau_), shape = self._batch(q=q, v=v, tau=tau)
        rates = (self.actuation_matrix(q_) @ v_[..., None])[..., 0]
        return np.asarray((tau_ * rates).sum(axis=-1)).reshape(shape)

    def energy_and_momentum(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
        """Kinetic and potential energy (..., 2), momentum (..., 6) and first moment of mass (..., 3)."""
        q_, v_, _ = self.display_state(q, v)
        _, momentum, moment = self.display.energy_and_momentum(q_, v_)
        return np.stack(self.energy(q, v), axis=-1), momentum, moment

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Numbers:
        """Angular momentum about the ground's origin and linear momentum (..., 6), ground axes."""
        return self.energy_and_momentum(q, v)[1]

    def center_of_mass(self, q: ArrayLike) -> Numbers:
        """Centre of mass of all links (..., 3) in the ground frame."""
        if not self.mass > 0:
            raise StateError(f"model {self.name!r}: no centre of mass, the total mass is {self.mass:g}")
        return self.energy_and_momentum(q, np.zeros(self.nv))[2] / self.mass

    # ------------------------------------------------------------ equations of a batch

    def _formed(
        self, q: ArrayLike, v: ArrayLike, third: ArrayLike, external: Loads | None
    ) -> tuple[RigidLinkEquations, Numbers, tuple[int, ...]]:
        """The equations of a batch, its forces or accelerations in their order, and the batch's axes."""
        (q_, v_, third_, *wrenches), shape, given = self._loaded(q, v, third, external)
        loads = self._applied(given, wrenches)
        with self._faults(q_):
            x = self.dynamics.equations(q_[:, self._back], v_[:, self._back], loads)
            check_definite(x.configuration.mass if self.chain.modes else x.mass)
        return x, third_[:, self._back], shape

    def _loaded(
        self, q: ArrayLike, v: ArrayLike, third: ArrayLike, external: Loads | None
    ) -> tuple[list[Numbers], tuple[int, ...], Loads]:
        """A batch of states with the wrenches at frames, its axes, and the frames."""
        if external is not None and not isinstance(external, Mapping):
            raise StateError(
                f"model {self.name!r}: external: expected a mapping of frame to (..., 6) array, "
                f"got {type(external).__name__}"
            )
        given = external or {}
        parts = {"q": (q, self.nv), "v": (v, self.nv), "tau or a": (third, self.nv)}
        parts |= {f"external wrench at {frame!r}": (w, 6) for frame, w in given.items()}
        arrays, shape, _ = self.batch(**parts)
        return arrays, shape, given

    def _applied(self, given: Loads, wrenches: Sequence[Numbers]) -> list[LinkWrench]:
        """All loads on links: the constant ones of the mechanism and those at frames."""
        found = [self._load(frame, w) for frame, w in zip(given, wrenches, strict=True)]
        return [*self.constant_loads, *(load for load in found if load is not None)]

    def _load(self, frame: str, wrench: Numbers) -> LinkWrench | None:
        try:
            return link_wrench(self.chain, frame, wrench)
        except ModelError as error:
            raise StateError(f"model {self.name!r}: external: {error}") from None
