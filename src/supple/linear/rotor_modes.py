"""Modes of a model in steady rotation at any speeds along a sweep, each followed from speed to speed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from supple.formulations import Formulation
from supple.linear.balance import Balance
from supple.linear.eigenmodes import eigenmodes
from supple.linear.round_rotors import in_fixed_axes
from supple.linear.small_motions import LinearEquations, linear_equations
from supple.linear.start import Floats, Values, coordinates
from supple.linear.steady import held_and_spinning, require_constant, steady_configuration
from supple.linear.tracking import ModeSet, Tracks, followed, pairs, started
from supple.linear.whirl import Rotor, Whirl
from supple.model.dynamic_functions import Loads

ALIKE = 0.7
"""Modal assurance below which a step of the sweep is halved to follow the modes."""
HALVINGS = 4


class RotorState(NamedTuple):
    """A steady rotation and its modes.

    Attributes
    ----------
    at : float
        Place along the sweep: 2.5 is half way from its third speeds to its fourth.
    q, v, holding : arrays
        The state, and the generalized forces that it takes.
    modes : ModeSet
    whirl : Whirl
    """

    at: float
    q: Floats
    v: Floats
    holding: Floats
    modes: ModeSet
    whirl: Whirl


@dataclass(frozen=True, eq=False)
class Sweep:
    """Steady rotations at speeds of some joints.

    Attributes
    ----------
    model : Formulation
    places : dict of str to int
        The joints that spin, and the places of their speeds in v.
    speeds : (points, joints) array
        rad/s.
    start : (nq,) array
        Coordinates from which the first steady rotation is looked for.
    tau, external, fixed
        As for `steady_rotation`.
    prescribed : bool
        Whether the joints that spin do not move in the modes.
    rotor : Rotor
    watched : int, optional
        How many of the slowest modes must be alike from speed to speed; all if None.
    stood : tuple of int
        Those of the joints whose rotors are described in fixed axes.
    """

    model: Formulation
    places: dict[str, int]
    speeds: Floats
    start: Floats
    tau: Values | None
    external: Loads | None
    fixed: tuple[str, ...]
    prescribed: bool
    rotor: Rotor
    watched: int | None = None
    stood: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        model: Formulation,
        places: dict[str, int],
        speeds: Floats,
        q: Values | None,
        tau: Values | None,
        external: Loads | None,
        fixed: Iterable[str],
        prescribed: bool,
        at: str | None,
        watched: int | None,
    ) -> Sweep:
        """The sweep, refused where small motions about its fastest or slowest rotation change as a joint goes round."""
        fixed = tuple(fixed)
        start = coordinates(model, q, held_and_spinning(model, fixed, places), rigid=False)
        rotor = Rotor(model, start, list(places.values()), at)
        out = cls(model, places, speeds, start, tau, external, fixed, prescribed, rotor, watched)
        fast = int(np.argmax(np.abs(speeds[:, 0])))
        slow = int(np.argmin(np.where(speeds[:, 0] == 0, np.inf, np.abs(speeds[:, 0]))))
        stood = {j for i in (slow, fast) for j in require_constant(out.equations(i, start, True)[0], tau, external)}
        return replace(out, stood=tuple(stood))

    def equations(self, at: float, near: Floats, held: bool) -> tuple[LinearEquations, Floats]:
        """Small motions about the steady rotation at a place of the sweep, and its coordinates."""
        model, v, names = self.model, np.zeros(self.model.nv), (*self.fixed, *self.places)
        i = min(int(at), len(self.speeds) - 2) if len(self.speeds) > 1 else 0
        low, high = self.speeds[i], self.speeds[min(i + 1, len(self.speeds) - 1)]
        v[list(self.places.values())] = low + (at - i) * (high - low)
        balance = Balance(model, self.tau, self.external, held_and_spinning(model, self.fixed, self.places), v)
        q, _ = steady_configuration(balance, near)
        e = linear_equations(model, q, v, None, self.external, names if held else self.fixed)
        return in_fixed_axes(e, self.stood) if self.stood else e, q

    def state(self, at: float, near: Floats) -> RotorState:
        """The steady rotation at a place of the sweep, found from coordinates near it."""
        e, q = self.equations(at, near, self.prescribed)
        found = eigenmodes(e)
        modes = pairs(ModeSet(found.values, found.shapes, self.model.mass_matrix(q)), len(e.free))
        modes = self.rotor.rounded(q, modes) if e.state.v.any() else modes
        whirl = self.rotor.whirl(q, e.state.v, modes, self.stood)
        return RotorState(at, q, e.state.v, e.state.holding, modes, whirl)

    def speed(self, state: RotorState) -> float:
        """Of the first joint, rad/s."""
        return float(state.v[next(iter(self.places.values()))])

    def follow(self, tracks: Tracks, here: RotorState, there: RotorState, depth: int = HALVINGS) -> Tracks:
        """Modes of one state found again in the next; where they change much, by states between."""
        out = followed(tracks, there.modes, self.speed(there) - self.speed(here))
        slow = np.argsort(np.abs(out.values))[: self.watched]
        known = slow[tracks.places[slow] >= 0]
        if depth and len(known) and out.likeness[known].min() < ALIKE:
            middle = self.state((here.at + there.at) / 2, here.q)
            return self.follow(self.follow(tracks, here, middle, depth - 1), middle, there, depth - 1)
        return out

    def run(self) -> tuple[list[RotorState], list[Tracks]]:
        """All states of the sweep, and where the modes of the first are in them."""
        states = [self.state(0, self.start)]
        tracks = [started(states[0].modes)]
        for i in range(1, len(self.speeds)):
            states.append(self.state(i, states[-1].q))
            tracks.append(self.follow(tracks[-1], states[-2], states[-1]))
        return states, tracks
