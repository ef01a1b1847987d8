"""Which way a rotor whirls in a mode, and at which frequencies that is seen from the ground and from the rotor.

Coordinates of what a spinning joint carries turn with it: a motion of theirs at w is seen in fixed axes at w + W and
w - W, W the speed of the joint. Across the axis every motion is a sum of circles: with U the complex amplitude along
two axes, (U1 + i U2) / 2 runs round at w, and (U1 - i U2)* / 2 at -w. Each is seen in fixed axes at its own speed plus
that of the axes that its coordinates turn with. The largest circle decides: it is forward if it runs round as the rotor
does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from supple.errors import StateError, nearest
from supple.formulations import Formulation
from supple.linear.round_rotors import carried_coordinates
from supple.linear.start import Bools, Floats, Numbers
from supple.linear.tracking import ModeSet
from supple.structures.body.flexible_body import FlexibleBody

NODES = 9
"""Of each flexible body that are looked at."""
LATERAL, TWIST = 0.1, 0.01
"""Motion across the axis, as a share of that along it and of the twist times the size of the rotor, from which a mode
counts as lateral."""
NONE = 1e-6
"""Share of tilt times size of the rotor, below which nothing moves; share of an angular velocity that is none."""
ROUND = 0.05
"""Difference of two circles, as a share of their sum, below which an orbit is a line that runs round neither way."""


class Whirl(NamedTuple):
    """How modes run round the axis of a rotor.

    Attributes
    ----------
    fixed, rotating : (n,) arrays
        Angular frequencies in fixed axes and in those of the rotor, rad/s.
    sense : (n,) array of int
        1 for forward whirl, -1 for backward, 0 for motion in a plane, along or about the axis, and without spin.
    pure : (n,) array of bool
        Whether the motion has one frequency in fixed axes.
    """

    fixed: Floats
    rotating: Floats
    sense: np.ndarray[tuple[int], np.dtype[np.int8]]
    pure: Bools


def centre_frames(model: Formulation, at: str | None = None) -> list[str]:
    """Frames whose motion is looked at: one that is asked for, else bodies, named frames and nodes between."""
    mech = model.description
    if at is not None:
        named = [*model.bodies, *mech.frames]
        if at not in named:
            try:
                model.pose(model.neutral(), at)
            except StateError:
                raise StateError(f"at: no frame {at!r}{nearest(at, named)}") from None
        return [at]
    out = [*model.bodies, *mech.frames]
    for name, placed in mech.bodies.items():
        if isinstance(placed.body, FlexibleBody):
            count = len(placed.body.nodes)
            out += [f"{name}/{i}" for i in np.unique(np.linspace(0, count - 1, min(count, NODES)).astype(int))]
    return out


class Rotor:
    """The turning axes of a model in steady rotation, by the joints that spin; whirl is relative to the first.

    Parameters
    ----------
    model : Formulation
    q : (nq,) array
        Any steady configuration: the axes of the joints do not move.
    places : sequence of int
        Speeds of the joints that spin.
    at : str, optional
        The frame whose motion decides; by default that with the largest motion.
    """

    def __init__(self, model: Formulation, q: Floats, places: list[int], at: str | None = None) -> None:
        self.model, self.places, self.frames = model, places, centre_frames(model, at)
        bodies = [model.body_of_state(model.speeds[i]) for i in places]
        axes = [model.jacobian(q, body)[:3, i] for body, i in zip(bodies, places, strict=True)]
        self.axis = axes[0] / np.linalg.norm(axes[0])
        e = np.eye(3)[int(np.argmin(np.abs(self.axis)))]
        first = np.cross(e, self.axis)
        first /= np.linalg.norm(first)
        self.plane = np.stack([first, np.cross(self.axis, first)])
        self.along = [float(self.axis @ a) for a in axes]
        self.carried = np.stack([carried_coordinates(model, i) for i in places])
        origins = np.array([model.pose(q, frame)[1] for frame in self.frames])
        self.size = float(np.ptp(origins, axis=0).max(initial=0.0)) or 1.0

    def rounded(self, q: Floats, modes: ModeSet) -> ModeSet:
        """The modes, with forward and backward circles as the shapes of those that share an eigenvalue."""
        shapes, J = modes.shapes.astype(complex), None
        for i, members in enumerate(modes.alike()):
            if len(members) == 1 or members[0] < i or modes.values[i].imag == 0:
                continue
            J = self._jacobians(q) if J is None else J
            X = modes.plane(members)
            if X.shape[1] < len(members):
                continue
            # (frames, displacement and rotation, two axes, k)
            U = np.einsum("ai,fpij,jk->fpak", self.plane, J.reshape(len(J), 2, 3, -1), X)
            U[:, 0] *= self.size
            circles = (U[:, :, 0] + 1j * U[:, :, 1], U[:, :, 0] - 1j * U[:, :, 1])
            forward, backward = (np.einsum("fpk,fpl->kl", c.conj(), c) for c in circles)
            shapes[:, members] = X @ np.linalg.eigh(forward - backward)[1]
        return modes if J is None else ModeSet(modes.values, shapes, modes.mass)

    def _jacobians(self, q: Floats) -> Floats:
        return np.stack([self.model.jacobian(q, frame) for frame in self.frames])

    def whirl(self, q: Floats, v: Floats, modes: ModeSet, stood: Sequence[int] = ()) -> Whirl:
        """Of modes about a state of steady rotation; rotors on some joints may be described in fixed axes."""
        values, shapes = modes.values, modes.shapes
        speed, w, n = self.along[0] * v[self.places[0]], np.abs(values.imag), np.arange(len(values))
        seen, power, axial, twist = self._circles(
            q,
            np.where(np.isin(self.places, stood), 0.0, v[self.places]),
            w,
            np.where(values.imag < 0, shapes.conj(), shapes),
        )
        total = power.sum(axis=1)
        across, tilt = np.sqrt(total.max(axis=1)) * [[1.0], [self.size]]
        tilts = np.maximum(np.maximum(across, axial), TWIST * twist) <= NONE * tilt  # the centre stays, the axis tilts
        moves = tilts | (across > np.maximum(LATERAL * axial, TWIST * twist))
        kind = tilts.astype(int)
        frame = np.argmax(total[kind, :, n], axis=1)
        own = power[kind, :, frame, n].T  # (circles, n), of the frame that moves most
        largest = np.argmax(own, axis=0)
        whirling = seen[largest, n]
        same = np.abs(np.abs(seen) - np.abs(whirling)) <= NONE * (w + np.abs(speed))
        pure = (own * same).sum(axis=0) > (1 - ROUND) * own.sum(axis=0)
        second, first = np.sqrt(np.sort(own, axis=0)[-2:])
        clear = moves & (first - second > ROUND * (first + second)) & (speed != 0)
        sense = np.where(clear, np.sign(whirling * speed), 0).astype(np.int8)
        fixed = np.where(moves, np.abs(whirling), w)
        return Whirl(fixed, np.where(moves, np.abs(whirling - speed), w), sense, ~moves | pure)

    def _circles(self, q: Floats, speeds: Floats, w: Floats, shapes: Numbers) -> tuple[Floats, Floats, Floats, Floats]:
        """Circles of all frames in modes at angular frequencies w (n,), in axes that turn at speeds of the joints.

        Returns
        -------
        seen : (circles, n) array
            Their angular velocities in fixed axes, rad/s.
        power : (2, circles, frames, n) array
            Squares of their radii, of displacement and of rotation.
        axial, twist : (n,) arrays
            The largest motion along the axis, and the largest rotation about it times the size of the rotor.
        """
        turning = np.asarray(self.along) * speeds @ self.carried  # of the axes of each coordinate
        rates = np.unique(turning)
        groups = np.stack([np.where((turning == rate)[:, None], shapes, 0.0) for rate in rates])
        moved = np.einsum("fij,gjn->gfin", self._jacobians(q), groups)
        parts = (moved[:, :, 3:], moved[:, :, :3])
        U1, U2 = (np.stack([np.einsum("i,gfin->gfn", e, part) for part in parts]) for e in self.plane)
        power = np.abs(np.concatenate([U1 + 1j * U2, U1 - 1j * U2], axis=1)) ** 2 / 4
        seen = np.concatenate([rates[:, None] + w, rates[:, None] - w])
        axial, twist = (np.abs(np.einsum("i,gfin->fn", self.axis, part)).max(axis=0) for part in parts)
        return seen, power, axial, self.size * twist
