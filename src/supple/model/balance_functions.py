"""The balance of forces on the speeds and how it changes: what small motions and equilibria ask of a formulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import StateError
from supple.model.arguments import index_of, require_turning
from supple.model.dynamic_functions import Loads
from supple.model.frame_slopes import frame_forces, frame_motions
from supple.model.frozen import Numbers
from supple.model.linearization import direction_rates
from supple.model.loops.closing import stiffness as modal_stiffness
from supple.model.loops.scales import extent, speed_sizes
from supple.model.motion_slopes import ForceSlopes, Vector, force_slopes, joint_wrench_slopes
from supple.model.operational_space import OperationalFunctions

if TYPE_CHECKING:
    from supple.model.model import Model


class BalanceFunctions(OperationalFunctions):
    """Forces on the speeds, their slopes and their sizes."""

    def joint_speeds(self, body: str) -> list[int]:
        """Places in v of the speeds of a body's joint; its modes are not among them."""
        k = index_of(self.bodies, body, "body") + 1
        return list(range(int(self.tree.v_first[k]), int(self.tree.v_mode[k])))

    def forces_on_speeds(self, q: ArrayLike, tau: ArrayLike) -> Numbers:
        """What generalized forces (..., nv) do to the speeds: themselves."""
        (tau_,), shape, _ = self.batch(tau=(tau, self.nv))
        return tau_.reshape((*shape, self.nv))

    def wrench_forces(self, q: ArrayLike, frame: str, wrench: ArrayLike) -> Numbers:
        """Forces (nv,) on the speeds of a moment and force (6,) at a frame, in its axes."""
        at = self.find_frame(frame)
        (q_, given), shape, dtype = self.batch(q=(q, self.nq), wrench=(wrench, 6))
        if shape or dtype != np.float64:
            raise StateError(
                f"model {self.name!r}: wrench forces: expected one real state, got {dtype.__name__} of shape {shape}"
            )
        require_turning(frame, at, given)
        return frame_forces(self._model, [at], q_[0], given)[0]

    def balance_slopes(self, q: Vector, v: Vector, a: Vector, external: Loads | None = None) -> ForceSlopes:
        """Changes of the forces on the speeds that the tree takes, with q in the directions of the speeds, v and a.

        Of one state, with constant wrenches at frames, which turn with them.
        """
        found = force_slopes(self._model, q, v, a)
        if not external:
            return found
        frames = [self.find_frame(name) for name in external]
        wrenches = np.array(list(external.values()), float)
        turned = frame_forces(self._model, frames, q, wrenches)[1] @ self.tangent(q)
        return found._replace(by_q=found.by_q - turned)

    def frame_slopes(self, q: Vector, v: Vector, a: Vector, frame: str) -> dict[str, Vector]:
        """Changes "dvelocity_dq" (6, nq), "dacceleration_dv" and so on of a frame's motion, by q and v."""
        return frame_motions(self._model, self.find_frame(frame), q, v, a)

    def direction_rates(self, q: ArrayLike, v: ArrayLike) -> Numbers:
        """N (..., nv, nv): how the directions of the speeds turn with the motion."""
        found: Vector | None = self._one.direction_rates(q, v)
        if found is not None:
            return found
        (q_, v_), shape, dtype = self.batch(q=(q, self.nq), v=(v, self.nv))
        if dtype != np.float64:
            raise StateError(f"model {self.name!r}: direction_rates: expected real states, got complex numbers")
        return direction_rates(self._model, q_, v_).reshape((*shape, self.nv, self.nv))

    def doubled_energies(self, q: Vector, motions: Vector) -> Vector:
        """Twice the kinetic energy (bodies, n) of each body in motions (nv, n) of the speeds.

        It is the power of the inertial forces of accelerations equal to the speeds: what passes a body's joint, less
        what it hands on to its children, with the work of the joints between, and what its modes take. The inertia of a
        joint counts with the body that the joint carries. Of the tree: what passes through closed loops does no work in
        all, and would only take it from body to body.
        """
        tree, x = self.tree, motions.T
        f = np.einsum("kij,rj->rki", joint_wrench_slopes(self._model, q), x)
        work = x * (x @ self.mass_matrix(q))
        rotor = x * x * tree.joint_inertia
        out = np.zeros((len(self.bodies) + 1, len(x)))
        for k, name in enumerate(self.bodies, start=1):
            V = self.velocity(q, x, name, axes="frame")
            joint, own = slice(tree.v_first[k], tree.v_mode[k]), slice(tree.v_mode[k], tree.v_first[k + 1])
            passed = np.einsum("ri,ri->r", V, f[:, k - 1])
            turned = rotor[:, joint].sum(axis=1)
            out[k] += passed + turned + work[:, own].sum(axis=1)
            out[tree.parent[k]] -= passed + turned - work[:, joint].sum(axis=1)
        return out[1:]

    # ------------------------------------------------------------ equilibria

    def unit_changes(self) -> Vector:
        """Changes (nv,) of the coordinates, in the directions of the speeds, that count as one."""
        model = self._model
        return speed_sizes(model, extent(model, None if self.loops is None else self.loops.arrays) or 1.0)

    def unloaded(self) -> Model:
        """The model without gravity and applied wrenches."""
        mech = self.description.copy()
        mech.gravity = np.zeros(3)
        mech.wrenches = {}
        return type(self._model)(mech)

    def inner_forces(self, q: Vector) -> Vector:
        """Sums of the sizes (nv,) of the forces of springs and deformed bodies on the speeds, which may cancel."""
        tree = self.tree
        own = np.flatnonzero(tree.q_of_speed >= 0)
        place = np.zeros(self.nv)
        place[own] = q[tree.q_of_speed[own]]
        inner = np.abs(tree.stiffness * (place - tree.rest))
        inner += np.abs(modal_stiffness(self._model)) @ np.where(self.is_mode, np.abs(place), 0.0)
        for s in self.description.springs.values():
            gap = np.linalg.norm(self.pose(q, s.second)[1] - self.pose(q, s.first)[1])
            size = abs(s.stiffness * (gap - s.length))
            inner += size * sum(np.abs(self.jacobian(q, frame))[3:].sum(axis=0) for frame in (s.first, s.second))
        return inner

    @property
    def _model(self) -> Model:
        """This model, of which these functions are a part."""
        return self  # type: ignore[return-value]
