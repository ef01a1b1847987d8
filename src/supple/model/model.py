"""The frozen model: every quantity of a mechanism as a function of its state.

Arrays in, arrays out. Every function takes leading batch axes, which broadcast against each other, and complex numbers
(for derivatives by complex steps). A model is never modified and may be used from several threads at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import ModelError, SingularError, StateError, nearest
from supple.expressions.function import Function
from supple.model.closed import Loops
from supple.model.compiled import Compiled, estimated_operations
from supple.model.flatten import flatten, name_states, numbering, place, places
from supple.model.inputs import COMPLEX_STEP, batch, body_wrenches, common_axes, index_of, singular_pivot
from supple.model.places import Place, modal_span, motion_at, pose_in_body
from supple.model.rollout import Rollout
from supple.model.trace import Trace
from supple.model.trace import traced as traced_function
from supple.recursions import (
    articulated,
    composite,
    conjugate_gradient,
    coordinates,
    energy,
    kinematics,
    newton_euler,
    triangular,
)
from supple.recursions.operators import Operators
from supple.recursions.tree import QUATERNION, Flex, Tree, sizes
from supple.recursions.workspaces import borrow
from supple.rigid_body import RigidBody
from supple.structures.body import FlexibleBody

if TYPE_CHECKING:
    from supple.description.description import Coupling, Description

Numbers = NDArray[Any]
Loads = Mapping[str, ArrayLike]
NULL = 1e-150
"""Largest entry of a quaternion below which its square is not a number to divide by."""
METHODS = ("articulated", "composite", "triangular", "conjugate_gradient")


class Model:
    """A frozen tree of bodies; made by `Mechanism.build` or `supple.load`.

    Attributes
    ----------
    name : str
    bodies : tuple of str
        In order, parents first; the ground is not among them.
    nq, nv : int
        Numbers of coordinates and speeds.
    coordinates, speeds : tuple of str
        Their names, "body.what"; a speed that is the rate of a coordinate has its name.
    frames : tuple of str
        Names that `pose` and the like understand.
    formulation : str
        Flexible bodies move with floating frames; by this name results files know it.
    """

    formulation: ClassVar[str] = "floating frames"

    def __init__(self, description: Description) -> None:
        self.description = description
        self.name: str = description.name
        self.bodies: tuple[str, ...] = tuple(description.bodies)
        self.tree: Tree
        self.flex: Flex | None
        self.tree, self.flex = flatten(description)
        names = name_states(description)
        self.coordinates: tuple[str, ...] = names.coordinates
        self.speeds: tuple[str, ...] = names.speeds
        self.coordinate_units: tuple[str, ...] = names.coordinate_units
        self.speed_units: tuple[str, ...] = names.speed_units
        self.couplings: tuple[Coupling, ...] = tuple(description.couplings)
        self.nq: int = len(self.coordinates)
        self.nv: int = len(self.speeds)
        self._sizes = sizes(self.tree, self.flex)
        self._places: dict[str, Place] = places(description)
        self._unloaded: Numbers = np.zeros((1, len(self.bodies) + 1, 6))
        self._free: NDArray[np.bool_] = np.zeros(self.nv, dtype=np.bool_)
        self._quaternion_places: NDArray[np.intp] = np.add.outer(self.quaternions, range(4)).astype(np.intp)
        self._quaternion_ends = self._quaternion_places[:, 3].copy()
        self.loops: Loops | None = Loops(self, names) if description.constraints else None
        self.is_mode: NDArray[np.bool_] = np.zeros(self.nv, dtype=np.bool_)
        for k in range(1, len(self.bodies) + 1):
            self.is_mode[self.tree.v_mode[k] : self.tree.v_first[k + 1]] = True
        self.is_mode.flags.writeable = False

    def __repr__(self) -> str:
        return f"<supple model {self.name!r}: {len(self.bodies)} bodies, nq={self.nq}, nv={self.nv}>"

    def __eq__(self, other: object) -> bool:
        """Same names and the same numbers everywhere."""
        if not isinstance(other, Model):
            return NotImplemented
        return (
            (self.name, self.bodies, self.coordinates, self.speeds, self.couplings)
            == (other.name, other.bodies, other.coordinates, other.speeds, other.couplings)
            and self.arrays().keys() == other.arrays().keys()
            and all(np.array_equal(x, other.arrays()[name]) for name, x in self.arrays().items())
            and self._places.keys() == other._places.keys()
            and all(self._places[name] == other._places[name] for name in self._places)
        )

    def __hash__(self) -> int:
        """Of the names: equal models have the same."""
        return hash((self.name, self.bodies, self.coordinates, self.speeds))

    @property
    def q_of_speed(self) -> NDArray[np.int64]:
        """(nv,) the coordinate whose rate each speed is; -1 for speeds in body axes."""
        return self.tree.q_of_speed

    @property
    def quaternions(self) -> list[int]:
        """Where in q each quaternion begins."""
        return [int(i) for i in self.tree.q_rotation[self.tree.rotation_kind == QUATERNION]]

    def arrays(self) -> dict[str, Numbers]:
        """All numbers of the model, by the names of `recursions.tree`, and those of rigid bodies as they were given.

        The latter do not follow from the former: m c is zero for a massless body, whose mass may be a parameter.
        """
        parts = self.tree._asdict() | (self.flex._asdict() if self.flex is not None else {})
        parts |= self.loops.arrays._asdict() if self.loops is not None else {}
        for name, placed in self.description.bodies.items():
            if isinstance(placed.body, RigidBody):
                numbers = np.array([placed.body.mass, *placed.body.com, *placed.body.inertia.flat])
                numbers.flags.writeable = False
                parts[f"{name}: mass, com, inertia"] = numbers
        return parts

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames: the ground, the bodies, and the named places on them."""
        return tuple(self._places)

    # ------------------------------------------------------------ states

    def neutral(self) -> NDArray[np.float64]:
        """Coordinates (nq,) with every angle and position zero and every quaternion the identity."""
        q = np.zeros(self.nq)
        for i in self.quaternions:
            q[i + 3] = 1.0
        return q

    def random_state(self, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A random state (q, v): angles and positions uniform in -1 ... 1, any orientation, speeds normal.

        Deformations are small: no node turns by more than 0.1 rad or moves by more than a tenth of its body's length.
        """
        rng = np.random.default_rng(seed)
        q = rng.uniform(-1.0, 1.0, self.nq)
        for k, placed in enumerate(self.description.bodies.values(), start=1):
            if self.flex is not None and isinstance(placed.body, FlexibleBody):
                first = self.flex.q_mode[k]
                q[first : first + placed.body.modes] *= placed.body.small_amplitude(0.1)
        for i in self.quaternions:
            quaternion = rng.normal(size=4)
            q[i : i + 4] = quaternion / np.linalg.norm(quaternion)
        return q, rng.normal(size=self.nv)

    def normalize(self, q: ArrayLike) -> Numbers:
        """q with every quaternion brought back to unit length."""
        (out,), shape, _ = self._batch(q=(q, self.nq))
        out = out.copy()
        for i in self.quaternions:
            out[:, i : i + 4] /= np.sqrt(np.sum(out[:, i : i + 4] ** 2, axis=1, keepdims=True))
        return out.reshape((*shape, self.nq))

    def derivative(self, q: ArrayLike, v: ArrayLike) -> Numbers:
        """Rates of the coordinates, (..., nq)."""
        (q_, v_), shape, dtype = self._batch(q=(q, self.nq), v=(v, self.nv))
        out = np.zeros((len(q_), self.nq), dtype)
        coordinates.rates(self.tree, self.flex, q_, v_, out)
        return out.reshape((*shape, self.nq))

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: ArrayLike) -> Numbers:
        """Coordinates (..., nq) after the time `dt` at constant speeds v; rotations stay rotations.

        The motion is exact (a screw for a free joint), except for three successive angles, which take one
        fourth-order step.
        """
        (q_, v_, dt_), shape, dtype = self._batch(q=(q, self.nq), v=(v, self.nv), dt=(np.expand_dims(dt, -1), 1))
        out = np.zeros((len(q_), self.nq), dtype)
        coordinates.advance(self.tree, self.flex, q_, v_, dt_[:, 0].copy(), out)
        return out.reshape((*shape, self.nq))

    # ------------------------------------------------------------ kinematics

    def pose(self, q: ArrayLike, frame: str) -> tuple[Numbers, Numbers]:
        """Rotation R (..., 3, 3) and position p (..., 3) of a frame in the ground frame.

        A frame is "body", "body/place", or "body/12" for a node of a flexible body; on that it is deformed.
        """
        place = self._place(frame)
        R, p = self.poses(q)
        R_body, p_body = R[..., place.body, :, :], p[..., place.body, :]
        own = pose_in_body(self.flex, place, np.asarray(q))
        return R_body @ own.R, p_body + (R_body @ own.p[..., None])[..., 0]

    def poses(self, q: ArrayLike) -> tuple[Numbers, Numbers]:
        """R (..., 1 + bodies, 3, 3), p (..., 1 + bodies, 3) of the ground and all body frames in the ground frame."""
        (q_,), shape, dtype = self._batch(q=(q, self.nq))
        rows = len(self.bodies) + 1
        R, p = np.zeros((len(q_), rows, 9), dtype), np.zeros((len(q_), rows, 3), dtype)
        with self._workspace(dtype) as ws:
            kinematics.poses(self.tree, self.flex, q_, ws, R, p)
        return R.reshape((*shape, rows, 3, 3)), p.reshape((*shape, rows, 3))

    def motions(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Numbers, Numbers]:
        """Velocity and acceleration (..., 1 + bodies, 6) of the ground and all body frames, each in its own axes."""
        (q_, v_, a_), shape, dtype = self._batch(q=(q, self.nq), v=(v, self.nv), a=(a, self.nv))
        V, A = np.zeros((2, len(q_), len(self.bodies) + 1, 6), dtype)
        with self._workspace(dtype) as ws:
            kinematics.motions(self.tree, self.flex, q_, v_, a_, ws, V, A)
        return V.reshape((*shape, *V.shape[1:])), A.reshape((*shape, *A.shape[1:]))

    def velocity(self, q: ArrayLike, v: ArrayLike, frame: str, axes: str = "ground") -> Numbers:
        """Angular and linear velocity (..., 6) of a frame's origin, in ground axes or its own (`axes="frame"`)."""
        return self._motion(q, v, np.zeros(self.nv), frame, axes)[0]

    def acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, axes: str = "ground") -> Numbers:
        """Angular and linear acceleration (..., 6) of a frame's origin; gravity is not counted."""
        return self._motion(q, v, a, frame, axes)[1]

    def jacobian(self, q: ArrayLike, frame: str, axes: str = "ground") -> Numbers:
        """J (..., 6, nv): velocity of a frame is J v."""
        place = self._place(frame)
        (q_,), shape, dtype = self._batch(q=(q, self.nq))
        J = np.zeros((len(q_), 6, self.nv), dtype)
        pose = pose_in_body(self.flex, place, q_)
        points = np.ascontiguousarray(np.broadcast_to(pose.p, (len(q_), 3)).astype(dtype))
        with self._workspace(dtype) as ws:
            kinematics.jacobian(self.tree, self.flex, place.body, points, q_, ws, J)
        first, _ = modal_span(self.flex, place)
        own = np.broadcast_to(pose.shape, (len(q_), *pose.shape.shape[-2:]))
        arm = np.broadcast_to(pose.p - pose.l, points.shape)[:, None, :]
        swing = np.swapaxes(np.cross(np.swapaxes(own[:, :3], 1, 2), arm), 1, 2)
        J[:, :3, first : first + own.shape[-1]] = own[:, :3]
        J[:, 3:, first : first + own.shape[-1]] = own[:, 3:] + swing
        turn = self._axes(q_, place, axes)
        return np.concatenate([turn @ J[:, :3], turn @ J[:, 3:]], axis=1).reshape((*shape, 6, self.nv))

    def _motion(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str, axes: str) -> tuple[Numbers, Numbers]:
        place = self._place(frame)
        (q_, v_, a_), shape, _ = self._batch(q=(q, self.nq), v=(v, self.nv), a=(a, self.nv))
        V, A = self.motions(q_, v_, a_)
        turn = self._axes(q_, place, axes)
        out = []
        for x in motion_at(self.flex, place, q_, v_, a_, V[:, place.body], A[:, place.body]):
            pair = np.stack([(turn @ x[:, i : i + 3, None])[..., 0] for i in (0, 3)], axis=-2)
            out.append(pair.reshape((*shape, 6)))
        return out[0], out[1]

    def _axes(self, q: Numbers, place: Place, axes: str) -> Numbers:
        """Turns body components into those of the chosen axes."""
        if axes == "ground":
            return self.poses(q)[0][..., place.body, :, :]
        if axes == "frame":
            return np.swapaxes(pose_in_body(self.flex, place, q).R, -1, -2)
        raise StateError(f"axes: expected 'ground' or 'frame', got {axes!r}")

    # ------------------------------------------------------------ dynamics

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: Loads | None = None) -> Numbers:
        """Generalized forces (..., nv) that give the accelerations a.

        Parameters
        ----------
        q, v, a : (..., nq), (..., nv), (..., nv) array_like
        external : mapping of frame to (..., 6) array_like, optional
            Moment and force applied at frames' origins, in their axes, N m and N.
        """
        return self._newton_euler(q, v, a, external, keep=False)[0]

    def bias_forces(self, q: ArrayLike, v: ArrayLike, external: Loads | None = None) -> Numbers:
        """Generalized forces (..., nv) at zero acceleration: Coriolis, gravity, springs, dampers, applied wrenches."""
        return self.inverse_dynamics(q, v, np.zeros(self.nv), external)

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
        return self._newton_euler(q, v, a, external, keep=True, forces_of_rows=constraint_forces)[1]

    def split_wrenches(self, q: ArrayLike, wrenches: ArrayLike) -> tuple[Numbers, Numbers]:
        """The parts of joint wrenches (..., bodies, 6) along the dofs and across them: (drive, constraint).

        The second does no work on any motion of the joint, H F = 0, and the first has no part of it (CDI, (20)).
        """
        F = np.asarray(wrenches)
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
        (q_,), shape, dtype = self._batch(q=(q, self.nq))
        M = np.zeros((len(q_), self.nv, self.nv), dtype)
        with self._workspace(dtype) as ws:
            composite.mass_matrix(self.tree, self.flex, q_, ws, M)
        return M.reshape((*shape, self.nv, self.nv))

    def inverse_mass_matrix(self, q: ArrayLike) -> Numbers:
        """M^-1 (..., nv, nv), from its innovations factors (6.6); M is never formed."""
        (q_,), shape, dtype = self._batch(q=(q, self.nq))
        M, x = np.zeros((len(q_), self.nv, self.nv), dtype), np.zeros(self.nv, dtype)
        with self._workspace(dtype) as ws:
            fault = articulated.inverse_mass_matrix(self.tree, self.flex, q_, self._free, ws, x, M)
        self._refuse_singular(fault)
        return M.reshape((*shape, self.nv, self.nv))

    def inverse_mass_product(self, q: ArrayLike, x: ArrayLike, prescribed: NDArray[np.bool_]) -> Numbers:
        """M^-1 x (..., nv) of the tree, prescribed degrees of freedom held: the speeds that impulses x give."""
        (q_, x_), shape, dtype = self._batch(q=(q, self.nq), x=(x, self.nv))
        out = np.zeros((len(q_), self.nv), dtype)
        with self._workspace(dtype) as ws:
            fault = articulated.inverse_mass_solve(self.tree, self.flex, q_, prescribed, ws, x_, out)
        self._refuse_singular(fault)
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
            return self._articulated(q, v, tau, self._free, external)[0]
        if self.loops is not None and method in METHODS:
            raise StateError(f"model {self.name!r} has closed loops: expected method 'articulated', got {method!r}")
        if method not in METHODS:
            raise StateError(f"method: expected one of {', '.join(METHODS)}, got {method!r}{nearest(method, METHODS)}")
        (_, _, tau_), shape, _ = self._batch(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv))
        rest = tau_.reshape((*shape, self.nv)) - self.bias_forces(q, v, external)
        (q_, rest), shape, _ = self._batch(q=(q, self.nq), force=(rest, self.nv))
        solve = {"composite": self._dense, "triangular": self._triangular}.get(method, self._conjugate_gradient)
        return solve(q_, rest.copy()).reshape((*shape, self.nv))

    def _dense(self, q: Numbers, force: Numbers) -> Numbers:
        """M^-1 times forces (states, nv), by the mass matrix and a dense solution."""
        M = self.mass_matrix(q)
        self._refuse_singular(singular_pivot(M.real))
        out: Numbers = np.linalg.solve(M, force[..., None])[..., 0]
        return out

    def _triangular(self, q: Numbers, force: Numbers) -> Numbers:
        """The same by elimination along the branches; `force` is overwritten."""
        M = np.zeros((self.nv, self.nv), force.dtype)
        with self._workspace(force.dtype.type) as ws:
            fault = triangular.triangular_solve(self.tree, self.flex, q, self._free, ws, M, force)
        self._refuse_singular(fault)
        return force

    def _conjugate_gradient(self, q: Numbers, force: Numbers) -> Numbers:
        """The same by conjugate gradients; `force` is overwritten."""
        if not self.nv:
            return force
        work, limit = np.zeros((5, self.nv), force.dtype), 200 + 20 * self.nv
        args = 1e-15, limit
        with self._workspace(force.dtype.type) as ws:
            count = conjugate_gradient.conjugate_gradient_solve(
                self.tree, self.flex, q, self._free, *args, ws, work, force
            )
        if count == -1:
            raise SingularError(
                f"model {self.name!r}: conjugate gradients did not converge in {limit} iterations; "
                "the mass matrix is too badly scaled for this method"
            )
        self._refuse_singular(max(-1 - count, 0))
        return force

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
        mask = self._free.copy()
        (drive,), _, _ = self._batch(tau=(tau, self.nv))
        shape = np.broadcast_shapes(np.shape(tau)[:-1], *(np.shape(x) for x in given.values()))
        dtype = np.result_type(drive.dtype, *(np.asarray(x).dtype for x in given.values()))
        drive = np.array(np.broadcast_to(drive.reshape((*np.shape(tau)[:-1], self.nv)), (*shape, self.nv)), dtype)
        for name, value in given.items():
            i = self.speed_index(name)
            if self.is_mode[i]:
                raise StateError(f"given: {name!r} is a mode: its acceleration is always found, not given")
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
        return np.asarray((np.asarray(tau) * v).sum(axis=-1))

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
        (q_, v_, d_, *w_), shape, dtype = self._batch(q=(q, self.nq), v=(v, self.nv), tau=(drive, self.nv), **wrench)
        d_ = d_.copy()
        a = np.zeros((len(q_), self.nv), dtype)
        wrenches = self._wrenches(w_, dtype)
        if self.loops is not None:
            a, _, fault = self.loops.forward(q_, v_, d_, given, wrenches)
        else:
            with self._workspace(dtype) as ws:
                fault = articulated.forward_dynamics(self.tree, self.flex, q_, v_, d_, given, wrenches, ws, a)
        self._refuse_singular(fault)
        d_ = d_.reshape((*shape, self.nv))
        return a.reshape((*shape, self.nv)), d_ - forces if external else d_

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
        (q_, v_, a_, *w_), shape, dtype = self._batch(
            q=(q, self.nq), v=(v, self.nv), a=(a, self.nv), **wrench, **closing
        )
        rows = len(self.bodies) + 1
        tau = np.zeros((len(q_), self.nv), dtype)
        f = np.zeros((len(q_) if keep else 0, rows, 6), dtype)
        applied = self._wrenches(w_[: len(wrench)], dtype)
        if self.loops is not None and closing:
            applied = np.ascontiguousarray(applied + self.loops.loads(q_, w_[-1]))
        with self._workspace(dtype) as ws:
            newton_euler.inverse_dynamics(self.tree, self.flex, q_, v_, a_, applied, ws, tau, f)
        tau = tau.reshape((*shape, self.nv))
        return tau - forces if external else tau, f[:, 1:].reshape((*shape, rows - 1, 6)) if keep else f

    def operators(self, q: ArrayLike) -> Operators:
        """The spatial operators of one configuration: H, Phi, Psi, M, P, D, K, ... with `@`, `.T`, `.dense()`."""
        (q_,), shape, dtype = self._batch(q=(q, self.nq))
        if shape != () or dtype != np.float64:
            raise StateError(
                f"operators: expected one real configuration of shape ({self.nq},), got shape {np.shape(q)}"
            )
        with self._workspace(dtype) as ws:
            return Operators(self.tree, self.flex, q_[0], ws)

    # ------------------------------------------------------------ sums over the bodies

    def energy(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers]:
        """Kinetic and potential energy (...), J; gravity and springs are in the second, zero at the ground's origin."""
        E, _, _, shape = self._sums(q, v)
        return E[:, 0].reshape(shape), E[:, 1].reshape(shape)

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Numbers:
        """Angular momentum about the ground's origin and linear momentum (..., 6), ground axes."""
        _, L, _, shape = self._sums(q, v)
        return L.reshape((*shape, 6))

    def center_of_mass(self, q: ArrayLike) -> Numbers:
        """Centre of mass of all bodies (..., 3) in the ground frame."""
        if not self.mass > 0:
            raise StateError(f"model {self.name!r}: no centre of mass, the total mass is {self.mass:g}")
        _, _, c, shape = self._sums(q, np.zeros(self.nv))
        return (c / self.mass).reshape((*shape, 3))

    @property
    def mass(self) -> float:
        """Mass of all bodies, kg."""
        return float(self.tree.mass.sum())

    def energy_and_momentum(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
        """Kinetic and potential energy (..., 2), momentum (..., 6) and first moment of mass (..., 3), in one sweep."""
        E, L, c, shape = self._sums(q, v)
        return E.reshape((*shape, 2)), L.reshape((*shape, 6)), c.reshape((*shape, 3))

    def compile_energy_and_momentum(self) -> Callable[[Numbers, Numbers], tuple[Numbers, Numbers, Numbers]]:
        """The same in machine code."""
        compiled: Callable[[Numbers, Numbers], tuple[Numbers, Numbers, Numbers]] = self.compile("sums")
        return compiled

    def _sums(self, q: ArrayLike, v: ArrayLike) -> tuple[Numbers, Numbers, Numbers, tuple[int, ...]]:
        (q_, v_), shape, dtype = self._batch(q=(q, self.nq), v=(v, self.nv))
        s = len(q_)
        E, L, c = np.zeros((s, 2), dtype), np.zeros((s, 6), dtype), np.zeros((s, 3), dtype)
        with self._workspace(dtype) as ws:
            energy.energy_and_momentum(self.tree, self.flex, q_, v_, ws, E, L, c)
        return E, L, c, shape

    # ------------------------------------------------------------ derivatives

    def tangent(self, q: ArrayLike) -> Numbers:
        """S (..., nq, nv): rates of the coordinates are S v."""
        return np.swapaxes(self.derivative(np.expand_dims(q, -2), np.eye(self.nv)), -1, -2)

    def linearize(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> tuple[Numbers, Numbers]:
        """A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) of the motion close to states: dx/dt = A x + B u, by complex steps.

        x holds the change of the coordinates in the directions of the speeds (dq = S x, see `tangent`: for angles and
        positions the change itself, for rotations and free bodies a small motion in body axes), then the change of the
        speeds; u the change of tau. Exact to rounding, no step size to choose. For trees alone: of a model with closed
        loops `supple.linear.state_space` has A and B in independent coordinates.
        """
        if self.loops is not None:
            raise StateError(
                f"model {self.name!r} has closed loops, where not all speeds are independent: expected a tree, or "
                "supple.linear.state_space(model, q, v, tau), whose states are independent ones"
            )
        (q_, v_, u_), shape, dtype = self._batch(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv))
        if dtype != np.float64:
            raise StateError(f"model {self.name!r}: linearize: expected real states, got complex numbers")
        n, h = self.nv, COMPLEX_STEP
        S = self.tangent(q_)
        moved, v1, u1 = q_[:, None] + 1j * h * np.swapaxes(S, 1, 2), v_[:, None], u_[:, None]  # a state a direction
        A, B = np.zeros((len(q_), 2 * n, 2 * n)), np.zeros((len(q_), 2 * n, n))
        # dq = S x: S dx/dt = d(S v)/dq S x + S dv - dS/dt x.
        turning = np.swapaxes(self.derivative(moved, v1).imag, 1, 2) / h
        S_rate = self.tangent(q_ + 1j * h * self.derivative(q_, v_)).imag / h
        A[:, :n, :n] = np.linalg.pinv(S) @ (turning - S_rate)
        A[:, :n, n:] = np.eye(n)
        A[:, n:, :n] = np.swapaxes(self.forward_dynamics(moved, v1, u1).imag, 1, 2) / h
        A[:, n:, n:] = np.swapaxes(self.forward_dynamics(q_[:, None], v1 + 1j * h * np.eye(n), u1).imag, 1, 2) / h
        B[:, n:] = self.inverse_mass_matrix(q_)
        return A.reshape((*shape, 2 * n, 2 * n)), B.reshape((*shape, 2 * n, n))

    # ------------------------------------------------------------ machine code

    def compile(
        self,
        what: str,
        *,
        parameters: Sequence[str] = (),
        derivatives: Sequence[str] = (),
        integrator: str = "rk4",
        threads: int | None = None,
    ) -> Any:
        """One of the model's functions as machine code made for this model alone: the fastest evaluation there is.

        Parameters
        ----------
        what : str
            "forward_dynamics", "inverse_dynamics", "bias_forces", "mass_matrix", "inverse_mass_matrix", "kinematics",
            "energy", "sums" (energy, momentum, first moment of mass), "derivative"; or "rollout", whole trajectories.
        parameters : sequence of str
            Numbers of the model (see `supple.symbolic.parameter_names`) that become one more argument, in this order.
        derivatives : sequence of str
            Arguments by which the outputs are differentiated too; each gives one more output. By q they are taken in
            the directions of the speeds, as in `linearize`.
        integrator : str
            Of a rollout: "rk4", "semi_implicit_euler", or "leapfrog", the cheapest for stiff flexible systems.
        threads : int, optional
            Cores that a large batch is spread over; all if not given.

        Returns
        -------
        Compiled or Rollout
            To be called as `f(q, v, tau)`, with leading batch axes; `f.operations`, `f.c_source()`.
        """
        if what == "rollout":
            if derivatives:
                raise StateError(f"derivatives: a rollout has none, got {list(derivatives)}")
            return Rollout(self, integrator, parameters, threads)
        return Compiled(self, what, parameters, derivatives, threads)

    # ------------------------------------------------------------ what simulation asks of a formulation

    def traced(self, limit: float) -> Trace:
        """The model on graph nodes; the graph may have `limit` of them."""
        return Trace(self, limit=limit)

    def forward_dynamics_function(self, limit: float) -> Function:
        """Accelerations as a function of (q, v, tau) on graph nodes."""
        return traced_function(self, "forward_dynamics", (), (), limit)

    @property
    def estimated_operations(self) -> int:
        """Operations of forward dynamics, roughly, without tracing the model."""
        return estimated_operations(self.tree, self.flex)

    @property
    def implicit_steps(self) -> bool:
        """Whether generalized-alpha steps can solve its equations: of a tree they can."""
        return self.loops is None

    @property
    def display(self) -> Model:
        """The model to look at: this one."""
        return self

    def display_state(self, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None) -> tuple[Numbers, Numbers, Numbers]:
        """Coordinates, speeds and accelerations of `display`: these themselves."""
        v = np.asarray(v)
        return np.asarray(q), v, np.zeros_like(v) if a is None else np.asarray(a)

    def display_frame(self, frame: str) -> str:
        """The frame of `display` that is meant by one of this model: itself."""
        return frame

    def floating_frames(self, what: str) -> Model:
        """This model: it is one of floating frames, which `what` takes."""
        return self

    def mechanism_model(self) -> Model:
        """The model of the same mechanism in floating frames: this one."""
        return self

    def formulation_settings(self) -> dict[str, Any]:
        """What `restored` needs besides the mechanism: nothing."""
        return {}

    @classmethod
    def restored(cls, model: Model, settings: Mapping[str, Any]) -> Model:
        """The model of a results file in this formulation."""
        return model

    # ------------------------------------------------------------ names and shapes

    def speed_index(self, name: str) -> int:
        """Place of a speed in v, by its name."""
        return index_of(self.speeds, name, "speed")

    def coordinate_index(self, name: str) -> int:
        """Place of a coordinate in q, by its name."""
        return index_of(self.coordinates, name, "coordinate")

    def joint_maps(self, q: ArrayLike) -> tuple[Numbers, Numbers]:
        """X (..., bodies, 6, 6) and H (..., nv, 6): transformation of forces to the parent, and joint maps.

        X = phi(parent, body) of (3.8) with the change of axes; rows of H are the motions that unit speeds give.
        """
        (q_,), shape, dtype = self._batch(q=(q, self.nq))
        n = len(self.bodies)
        X, H = np.zeros((len(q_), n, 6, 6), dtype), np.zeros((len(q_), self.nv, 6), dtype)
        with self._workspace(dtype) as ws:
            kinematics.joint_maps(self.tree, self.flex, q_, ws, X, H)
        return X.reshape((*shape, n, 6, 6)), H.reshape((*shape, self.nv, 6))

    def _place(self, frame: str) -> Place:
        if not isinstance(frame, str):
            raise StateError(f"model {self.name!r}: frame: expected a name, got {frame!r}")
        found = self._places.get(frame)
        if found is not None:
            return found
        try:
            return place(self.description, frame, numbering(self.description))
        except ModelError:
            raise StateError(f"model {self.name!r}: no frame {frame!r}{nearest(frame, self._places)}") from None

    def _batch(self, **parts: tuple[ArrayLike, int]) -> tuple[list[Numbers], tuple[int, ...], Any]:
        """Arrays as one batch (see `inputs.batch`), its leading axes and type."""
        arrays, shape, dtype = batch(f"model {self.name!r}", parts)
        if len(self._quaternion_ends) and next(iter(parts)) == "q":
            self._refuse_null_quaternion(arrays[0])
        return arrays, shape, dtype

    def _workspace(self, dtype: Any) -> borrow:
        """Working arrays for numbers of this type, to be used in a `with` block alone."""
        return borrow(self._sizes, dtype)

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
        (q, *_), shape, _ = self._batch(**parts)
        given = {frame: (self._place(frame), self._wrench(frame, w, shape)) for frame, w in external.items()}
        total, forces = body_wrenches(self.tree, self.flex, q.reshape((*shape, self.nq)), given)
        return {"external": (total.reshape((*total.shape[:-2], -1)), 6 * (len(self.bodies) + 1))}, forces

    def _wrench(self, frame: str, value: ArrayLike, shape: tuple[int, ...]) -> Numbers:
        """A wrench (..., 6) at a frame, checked; its leading axes broadcast with those of the states."""
        (wrench,), own, _ = self._batch(**{f"external wrench at {frame!r}": (value, 6)})
        wrench = wrench.reshape((*own, 6))
        common_axes(f"model {self.name!r}", {"states": np.empty((*shape, 1)), f"external wrench at {frame!r}": wrench})
        return wrench

    def _wrenches(self, parts: list[Numbers], dtype: Any) -> Numbers:
        if parts:
            return parts[0].reshape(-1, len(self.bodies) + 1, 6)
        return self._unloaded if dtype == np.float64 else self._unloaded.astype(dtype)

    def _refuse_null_quaternion(self, q: Numbers) -> None:
        """Refuse coordinates (states, nq) with a quaternion of no length, which is no rotation."""
        w = q.take(self._quaternion_ends, axis=1)
        if (w * w).all():  # almost always
            return
        null = np.abs(q[:, self._quaternion_places]).max(axis=-1) < NULL
        if null.any():
            first = self.coordinates[self._quaternion_places[int(np.flatnonzero(null.any(axis=0))[0]), 0]]
            raise StateError(
                f"model {self.name!r}: q: joint of {first.split('.')[0]!r}: expected a quaternion, got one of length "
                "zero, which is no rotation; that of no rotation is 0, 0, 0, 1"
            )

    def _refuse_singular(self, fault: int) -> None:
        if not fault:
            return
        speed = self.speeds[fault - 1]
        body = speed.split(".")[0]
        raise SingularError(
            f"model {self.name!r}: joint of {body!r}: nothing resists the speed {speed!r} in this configuration "
            f"(articulated inertia D is zero to rounding); give {body!r} or the bodies it carries mass or inertia, "
            "or the joint an inertia"
        )
