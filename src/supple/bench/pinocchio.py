"""Pinocchio as a peer: its quantities for a robot file, in the coordinates and speeds of a supple model.

Pinocchio's free joints have linear speeds before angular ones, its continuous joints the cosine and sine of the angle,
its planar joints both that and linear speeds in body axes. With v_pin = T(q) v, forces go by T*, accelerations by
a_pin = T a + dT/dt v. Joints are matched by the links they carry.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from supple.errors import PhysicsWarning, SingularError
from supple.files import read
from supple.files.urdf import body_names
from supple.model.model import Model

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JointMatch:
    """Where the entries of one joint stand: in Pinocchio's q and v, and in the model's."""

    kind: str
    pin_q: int
    pin_v: int
    q: int
    v: int


class Peer:
    """A robot in both libraries.

    Parameters
    ----------
    model : Model
        What `supple.files.read` gave for the file, without stops and gears.
    path : path
        The URDF file, which Pinocchio reads for itself.
    floating_base : bool
    """

    def __init__(self, model: Model, path: Path, floating_base: bool = False) -> None:
        self.model = model
        base = (pin.JointModelFreeFlyer(),) if floating_base else ()
        self.pin: Any = pin.buildModelFromUrdf(str(path), *base)
        self.data: Any = self.pin.createData()
        self.matches = self._matched()

    @classmethod
    def of_file(cls, path: Path, floating_base: bool = False) -> Peer:
        """The robot of a URDF file in both libraries."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PhysicsWarning)
            model = read(path, floating_base, limits=False, mimic=False).model
        return cls(model, path, floating_base)

    def _matched(self) -> list[JointMatch]:
        frames = list(self.pin.frames)
        carried = [f for f in frames if f.type == pin.FrameType.BODY]
        names = body_names([f.name for f in carried])
        matches = []
        for number in range(1, self.pin.njoints):
            joint = self.pin.joints[number]
            moves = (self.pin.names[number], pin.FrameType.JOINT)
            frame = next(i for i, f in enumerate(frames) if (f.name, f.type) == moves)
            body = names[next(f.name for f in carried if f.parentFrame == frame)]
            q = next(i for i, name in enumerate(self.model.coordinates) if name.startswith(f"{body}."))
            v = next(i for i, name in enumerate(self.model.speeds) if name.startswith(f"{body}."))
            kind = {(7, 6): "free", (4, 3): "planar", (2, 1): "continuous", (1, 1): "single"}[joint.nq, joint.nv]
            matches.append(JointMatch(kind, joint.idx_q, joint.idx_v, q, v))
        return matches

    def coordinates(self, q: Floats) -> Floats:
        """Pinocchio's q."""
        out = np.zeros(self.pin.nq)
        for m in self.matches:
            i = m.pin_q
            if m.kind == "free":
                out[i : i + 7] = q[m.q : m.q + 7]
            elif m.kind == "planar":
                out[i : i + 4] = q[m.q], q[m.q + 1], np.cos(q[m.q + 2]), np.sin(q[m.q + 2])
            elif m.kind == "continuous":
                out[i : i + 2] = np.cos(q[m.q]), np.sin(q[m.q])
            else:
                out[i] = q[m.q]
        return out

    def speed_map(self, q: Floats) -> Floats:
        """T(q), Pinocchio's speeds from the model's."""
        T = np.zeros((self.pin.nv, self.model.nv))
        for m in self.matches:
            i, j = m.pin_v, m.v
            if m.kind == "free":
                T[i : i + 3, j + 3 : j + 6] = T[i + 3 : i + 6, j : j + 3] = np.eye(3)
            elif m.kind == "planar":
                c, s = np.cos(q[m.q + 2]), np.sin(q[m.q + 2])
                T[i : i + 3, j : j + 3] = [[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]
            else:
                T[i, j] = 1.0
        return T

    def speed_map_rate(self, q: Floats, v: Floats) -> Floats:
        """dT/dt, which only planar joints have."""
        rate = np.zeros((self.pin.nv, self.model.nv))
        for m in self.matches:
            if m.kind == "planar":
                c, s, w = np.cos(q[m.q + 2]), np.sin(q[m.q + 2]), v[m.v + 2]
                rate[m.pin_v : m.pin_v + 2, m.v : m.v + 2] = w * np.array([[-s, c], [-c, -s]])
        return rate

    def inverse_dynamics(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """Pinocchio's generalized forces, as the model's."""
        T = self.speed_map(q)
        a_pin = T @ a + self.speed_map_rate(q, v) @ v
        return np.asarray(T.T @ pin.rnea(self.pin, self.data, self.coordinates(q), T @ v, a_pin))

    def regressor(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """Pinocchio's joint torque regressor, with rows and columns as the model's.

        Its inertia has yy before xz, and its columns come joint by joint.
        """
        found = self.regressor_call(q, v, a)()
        parameters = [10 * k + i for k in self._joints() for i in (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)]
        return np.asarray(self.speed_map(q).T @ found[:, parameters])

    def regressor_call(self, q: Floats, v: Floats, a: Floats) -> Callable[[], Any]:
        """A call of Pinocchio's own function, to be timed."""
        T = self.speed_map(q)
        a_pin = T @ a + self.speed_map_rate(q, v) @ v
        return partial(pin.computeJointTorqueRegressor, self.pin, self.data, self.coordinates(q), T @ v, a_pin)

    def _joints(self) -> list[int]:
        """For each body of the model its joint of Pinocchio, counted from zero without the universe."""
        number = {match.v: i for i, match in enumerate(self.matches)}
        return [number[int(first)] for first in self.model.tree.v_first[1:-1]]

    def mass_matrix(self, q: Floats) -> Floats:
        """Pinocchio's mass matrix, as the model's."""
        T = self.speed_map(q)
        upper = np.triu(pin.crba(self.pin, self.data, self.coordinates(q)))
        return np.asarray(T.T @ (upper + np.triu(upper, 1).T) @ T)

    def forward_dynamics(self, q: Floats, v: Floats, tau: Floats) -> Floats:
        """Pinocchio's accelerations, as the model's."""
        T = self.speed_map(q)
        a_pin = pin.aba(self.pin, self.data, self.coordinates(q), T @ v, np.linalg.solve(T.T, tau))
        return np.linalg.solve(T, a_pin - self.speed_map_rate(q, v) @ v)


@dataclass(frozen=True)
class Differences:
    """Largest relative differences over some states.

    Forward dynamics may differ by rounding times the condition of the mass matrix; it is None if the matrix is singular
    in both libraries.
    """

    inverse: float
    mass_matrix: float
    forward: float | None
    forward_allowed: float

    @property
    def right(self) -> bool:
        return max(self.inverse, self.mass_matrix) <= 1e-10 and (self.forward or 0.0) <= self.forward_allowed


def relative(x: Floats, y: Floats) -> float:
    """Largest difference over largest entry."""
    return float(np.abs(x - y).max() / np.abs(y).max())


def compared(peer: Peer, states: int) -> Differences:
    """The worst over random states; the least favourable one also decides what forward dynamics may differ by."""
    inverse, matrix, allowed = 0.0, 0.0, 1e-10
    forward: float | None = 0.0
    model = peer.model
    for number in range(states):
        q, v = model.random_state(number)
        a = np.random.default_rng(number).normal(size=model.nv)
        M, tau = peer.mass_matrix(q), peer.inverse_dynamics(q, v, a)
        inverse = max(inverse, relative(model.inverse_dynamics(q, v, a), tau))
        matrix = max(matrix, relative(model.mass_matrix(q), M))
        allowed = max(allowed, 1e-13 * float(np.linalg.cond(M)))
        expected = peer.forward_dynamics(q, v, tau)
        try:
            found = model.forward_dynamics(q, v, tau)
        except SingularError:
            forward = float("inf") if np.isfinite(expected).all() else None
        else:
            forward = max(forward or 0.0, relative(found, expected))
    return Differences(inverse, matrix, forward, allowed)
