"""A simulation that runs while it is watched: paced to real time, driven and reset by hand.

One thread advances the state a frame at a time and publishes it; any number of others wait for what is new and send
commands. Where the computer is too slow, time goes slower, and the reader is told how fast it goes.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import Floats
from supple.errors import StateError, SuppleError
from supple.integrators import DOP853, GeneralizedAlpha
from supple.model.model import Model
from supple.simulation.horizon import Horizon
from supple.simulation.impacts import closed_again
from supple.simulation.simulator import Simulator
from supple.view.pace import FRAME, MANY, Pace

ADAPTIVE = DOP853(rtol=1e-6, atol=1e-8)
HORIZON = Horizon(1.0, samples=1 + round(1.0 / FRAME))
"""Events are looked for once a frame."""
STIFF = 30_000
"""Steps a simulated second of an explicit integrator, beyond which implicit ones are taken."""
LONGEST_STEP = 2.0**-9
"""Of implicit steps, s. A power of two: then a frame is a whole number of steps of just this length, compiled once."""
KEPT = 100
"""Frames that wait for a slow reader."""
Values = Mapping[str, float]


@dataclass(frozen=True, eq=False)
class LiveFrame:
    """A moment: which one it is, in which run, the time, the coordinates and the energies, J."""

    number: int
    run: int
    t: float
    q: Floats
    kinetic: float
    potential: float


@dataclass(frozen=True, eq=False)
class _State:
    t: float
    q: Floats
    v: Floats


class _Overtaken(Exception):
    """The frame being computed is no longer wanted."""


class Live:
    """A model in motion.

    Parameters
    ----------
    model : Model
    q, v, tau : mapping of name to number, optional
        The start and the generalized forces; what is not named is neutral, at rest, zero.
    guess : mapping of name to number, optional
        Coordinates from which closed loops are closed; those of q keep their values.
    """

    def __init__(
        self,
        model: Model,
        q: Values | None = None,
        v: Values | None = None,
        tau: Values | None = None,
        guess: Values | None = None,
    ) -> None:
        self.model = model
        q0 = _with(model.neutral(), model.coordinate_index, {**(guess or {}), **(q or {})})
        v0 = _with(np.zeros(model.nv), model.speed_index, v or {})
        places = [*map(model.coordinate_index, q or {}), *(model.nq + model.speed_index(name) for name in v or {})]
        q0, v0 = self._closed_with(q0, v0, [i for i in places if i >= model.nq or i in model.q_of_speed])
        self.file_start = self._start = self._state = _State(0.0, model.normalize(q0), v0)
        self.file_drive = _with(np.zeros(model.nv), model.speed_index, tau or {})
        self._drive = self.file_drive.copy()
        self.speed = 1.0
        self.running = False
        self.error = ""
        self._stiff = False
        self._simulator: Simulator | None = None
        self._reached: _State | None = None
        self._steps = 0
        self._pace = Pace()
        self._changed = threading.Condition()
        self._frames: deque[LiveFrame] = deque(maxlen=KEPT)
        self._run = self._turn = self._number = self._version = self._watchers = 0
        self._closed = False
        self.reset()

    # ------------------------------------------------------------ commands

    def run(self, on: bool) -> None:
        """Go on, or pause. What has failed goes on from where it was."""
        with self._changed:
            if on:
                self.running, self.error = True, ""
            else:
                self._halt()
            self._tell()

    def set_speed(self, speed: float) -> None:
        """Choose how much faster than real time it should go."""
        if not (np.isfinite(speed) and speed > 0):
            raise StateError(f"speed: expected a positive number, got {speed}")
        with self._changed:
            self.speed = float(speed)
            self._tell()

    def set_drive(self, forces: Mapping[str, float]) -> None:
        """Set some generalized forces, by the names of the speeds; the others stay."""
        with self._changed:
            self._drive = _with(self._drive, self.model.speed_index, forces)
            self._tell()

    def set_configuration(self, change: Callable[[Floats], Floats]) -> None:
        """Make a changed configuration the start: at rest, or with the speeds of the start if it has not moved yet."""
        with self._changed:
            if self.running:
                raise StateError("configuration: expected a paused simulation, got a running one")
            v = self._state.v if self._state.t == 0 else np.zeros(self.model.nv)
            q = self.model.normalize(change(self._state.q))
            self._start = _State(0.0, *self._closed_with(q, v, np.flatnonzero(q != self._state.q).tolist()))
            self._restart(self._start)

    def _closed_with(self, q: Floats, v: Floats, places: list[int]) -> tuple[Floats, Floats]:
        """The state with its loops closed; what is at some places of (q, v) keeps its value."""
        return closed_again(self.model, q, v, np.zeros(self.model.nv, dtype=bool), places)

    def reset(self, to_file: bool = False) -> None:
        """Go back to the start; with `to_file` to that of the file, and to its generalized forces."""
        with self._changed:
            if to_file:
                self._start, self._drive = self.file_start, self.file_drive.copy()
            self._restart(self._start)

    # ------------------------------------------------------------ watching

    def watch(self) -> None:
        """Count one who watches."""
        with self._changed:
            self._watchers += 1

    def leave(self) -> None:
        """Count one less; when nobody is left, pause."""
        with self._changed:
            self._watchers -= 1
            if not self._watchers:
                self._halt()
            self._tell()

    def news(self, version: int, frame: int, patience: float) -> tuple[int, list[LiveFrame], dict[str, Any]] | None:
        """Wait for something newer than a version: its version, the frames after `frame`, and the status.

        Parameters
        ----------
        version, frame : int
            What the caller has seen; -1 if nothing. Then the newest frame alone is given.
        patience : float
            Seconds to wait; None is returned when nothing came.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._version != version or self._closed, patience):
                return None
            frames = [x for x in self._frames if x.number > frame] if frame >= 0 else [self._frames[-1]]
            return self._version, frames, self._status()

    @property
    def closed(self) -> bool:
        """Whether it has ended for good."""
        return self._closed

    def _status(self) -> dict[str, Any]:
        return {
            "running": self.running,
            "speed": self.speed,
            "achieved": self._pace.achieved if self.running else None,
            "error": self.error,
            "method": self.method,
            "drive": self._drive,
            "altered": self._start is not self.file_start,
        }

    @property
    def method(self) -> str:
        """The integrator in use, in words."""
        if not self._stiff:
            return "DOP853, adaptive steps"
        return f"generalized-alpha, steps of 1/{round(1 / self._implicit_step(self.speed * FRAME))} s: stiff model"

    # ------------------------------------------------------------ running

    def start(self) -> None:
        """Begin to advance whenever it runs and is watched, on a thread of its own."""
        threading.Thread(target=self._loop, name="live simulation", daemon=True).start()

    def close(self) -> None:
        """End it."""
        with self._changed:
            self._closed = True
            self._halt()
            self._tell()

    def advance(self) -> None:
        """Compute and publish the next frame or frames; what goes wrong is kept as `error`, and pauses."""
        with self._changed:
            state, drive, turn = self._state, self._drive, self._turn
            pictures = max(1, round(self._pace.frame / FRAME))
            span = self.speed * self._pace.frame / pictures

        def still_wanted(_: float) -> None:
            if self._closed or self._turn != turn:
                raise _Overtaken

        try:
            span, integrator = self._options(span)
            simulator = self._simulator_at(state, drive, integrator)
            before, times = simulator.effort.steps, simulator.t + span * np.arange(1, pictures + 1)
            found = simulator.advance_to(times[-1], times, still_wanted)
            energies = simulator.system.sums(found.q, found.v)[0]
        except _Overtaken:
            return
        except Exception as error:  # the edge of the thread: whatever it was, the reader must see it
            text = str(error) if isinstance(error, SuppleError) else f"{type(error).__name__}: {error}"
            with self._changed:
                self._fail(text, turn)
            return
        with self._changed:
            if self._turn != turn:
                return
            self._steps = simulator.effort.steps - before
            stiff = self._steps > max(STIFF * pictures * span, MANY)
            self._stiff = self._stiff or (stiff and self.model.implicit_steps)
            for i, (q, v, (kinetic, potential)) in enumerate(zip(found.q, found.v, energies, strict=True), start=1):
                self._publish(_State(state.t + i * span, q, v), float(kinetic), float(potential))
            self._reached = self._state

    def _simulator_at(self, state: _State, drive: Floats, integrator: DOP853 | GeneralizedAlpha) -> Simulator:
        """The simulator at a state, under generalized forces: they are variables, so that it is compiled once.

        Its own time goes on, whatever the reader does: nothing here depends on it.
        """
        names = [f"force{i + 1}" for i in range(self.model.nv)]
        forces = dict(zip(names, drive.tolist(), strict=True))
        made, reached = self._simulator, self._reached
        self._simulator = self._reached = None  # until it has come to the next frame
        if made is None or made.choice.options != integrator:
            laws = dict(zip(self.model.speeds, names, strict=True))
            start = state.q, state.v, laws
            made = Simulator(self.model, *start, variables=forces, integrator=integrator, horizon=HORIZON)
        elif reached is not state:
            made.set(q=state.q, v=state.v, variables=forces)
        elif made.variables != forces:
            made.set(variables=forces)
        self._simulator = made
        return made

    def _options(self, span: float) -> tuple[float, DOP853 | GeneralizedAlpha]:
        """The length of a frame near the one wanted, and how it is integrated."""
        if not self._stiff:
            return span, ADAPTIVE
        step = self._implicit_step(span)
        return step * max(1, round(span / step)), GeneralizedAlpha(step)

    def _implicit_step(self, span: float) -> float:
        return min(LONGEST_STEP, 2.0 ** float(np.floor(np.log2(span))))

    def _loop(self) -> None:
        while True:
            with self._changed:
                if not (self.running and self._watchers) and not self._closed:
                    self._pace.pause()
                    self._changed.wait_for(lambda: (self.running and self._watchers) or self._closed)
                if self._closed:
                    return
                self._pace.begin(self._state.t, self.speed)
            self.advance()
            with self._changed:
                rest = self._pace.end(self._state.t, self.speed, self._steps)
            time.sleep(rest)

    # ------------------------------------------------------------ under the lock

    def _restart(self, state: _State) -> None:
        self._run += 1
        self._turn += 1
        self._frames.clear()
        self.error = ""
        kinetic, potential = (float(x) for x in self.model.energy(state.q, state.v))
        self._publish(state, kinetic, potential)

    def _publish(self, state: _State, kinetic: float, potential: float) -> None:
        self._state = state
        self._number += 1
        self._frames.append(LiveFrame(self._number, self._run, state.t, state.q, kinetic, potential))
        self._tell()

    def _halt(self) -> None:
        """Pause; a frame that is being computed is dropped."""
        self.running = False
        self._turn += 1

    def _fail(self, text: str, turn: int) -> None:
        if self._turn == turn:
            self.error, self.running = text, False
            self._tell()

    def _tell(self) -> None:
        self._version += 1
        self._changed.notify_all()


def _with(start: Floats, index: Callable[[str], int], values: Values) -> Floats:
    """A copy with some entries changed, by name."""
    out = start.copy()
    for name, value in values.items():
        out[index(name)] = value
    return out
