"""Functions of the coordinates and speeds by themselves: start states, rates, steps at constant speeds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.checks import generator
from supple.model.arguments import of_each_state
from supple.model.frozen import FrozenModel, Numbers
from supple.structures.body.flexible_body import FlexibleBody


class StateFunctions(FrozenModel):
    """What is known of a state without forces and masses."""

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
        rng = generator(seed, f"model {self.name!r}: random state: seed")
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
        (out,), shape, _ = self.batch(q=(q, self.nq))
        out = out.copy()
        for i in self.quaternions:
            out[:, i : i + 4] /= np.sqrt(np.sum(out[:, i : i + 4] ** 2, axis=1, keepdims=True))
        return out.reshape((*shape, self.nq))

    def derivative(self, q: ArrayLike, v: ArrayLike) -> Numbers:
        """Rates of the coordinates, (..., nq)."""
        found: Numbers | None = self._one.derivative(q, v)
        if found is not None:
            return found
        (q_, v_), shape, _ = self.batch(q=(q, self.nq), v=(v, self.nv))
        return self.evaluation.rates(q_, v_).reshape((*shape, self.nq))

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: ArrayLike) -> Numbers:
        """Coordinates (..., nq) after the time `dt` at constant speeds v; rotations stay rotations.

        The motion is exact (a screw for a free joint), except for three successive angles, which take one
        fourth-order step.
        """
        found: Numbers | None = self._one.integrate(q, v, dt)
        if found is not None:
            return found
        (q_, v_, dt_), shape, _ = self.batch(
            q=(q, self.nq), v=(v, self.nv), dt=(of_each_state(self._where, "dt", dt), 1)
        )
        return self.evaluation.advanced(q_, v_, dt_[:, 0].copy()).reshape((*shape, self.nq))

    def tangent(self, q: ArrayLike) -> Numbers:
        """S (..., nq, nv): rates of the coordinates are S v."""
        found: Numbers | None = self._one.tangent(q)
        if found is not None:
            return found
        (q_,), shape, _ = self.batch(q=(q, self.nq))
        S = self.evaluation.tangent(q_)
        if S is not None:
            return S.reshape((*shape, self.nq, self.nv))
        states = q_.reshape((*shape, 1, self.nq))
        return np.swapaxes(self.derivative(states, np.eye(self.nv)), -1, -2)
