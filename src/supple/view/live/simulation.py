"""A simulation that runs while it is watched: paced to real time, steered and reset by hand.

One thread advances the motion a frame at a time and publishes it; any number of others wait for what is new and send
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
from supple.model.model import Model
from supple.view.live.motion import FrameBatch, LiveMotion
from supple.view.live.mouse_force import MouseForce, MouseSpring
from supple.view.live.pace import FRAME, Pace
from supple.view.live.record import LiveRecord

KEPT = 100
"""Frames that wait for a slow reader."""


@dataclass(frozen=True, eq=False)
class LiveFrame:
    """A moment: which one it is, in which run, the time, the coordinates, the model, and the energies, J."""

    number: int
    run: int
    t: float
    q: Floats
    model: Model
    kinetic: float
    potential: float


class _Superseded(Exception):
    """The frame being computed is no longer wanted."""


class Live:
    """A model in motion.

    Parameters
    ----------
    model : Model
    **arguments
        Of `supple.simulate`: how it starts, what acts on it, the integrator, what is recorded.

    Attributes
    ----------
    motion : LiveMotion
    record : LiveRecord
        The motion since the last reset.
    """

    def __init__(self, model: Model, **arguments: Any) -> None:
        self.model = model
        self.motion = LiveMotion(model, arguments)
        self.record = LiveRecord(self.motion.outputs)
        self.speed = 1.0
        self.running = False
        self.error = ""
        self._pull: MouseForce | None = None
        self._last: tuple[Floats, Floats] = self.motion.start
        self._waiting_steps = 0
        self._busy = False
        self._steps = 0
        self._pace = Pace()
        self._changed = threading.Condition()
        self._frames: deque[LiveFrame] = deque(maxlen=KEPT)
        self._run = self._turn = self._number = self._version = self._watchers = 0
        self._closed = False
        with self._changed:
            self._published()

    # ------------------------------------------------------------ commands

    def run(self, on: bool) -> None:
        """Go on, or pause. What has failed goes on from where it was."""
        with self._changed:
            if on:
                self._require_unended()
                self.running, self.error = True, ""
            else:
                self._halt()
            self._tell()

    def step(self) -> None:
        """Pause, and go on by one frame."""
        with self._changed:
            self._require_unended()
            if self.running:
                self._halt()
            self.error = ""
            self._waiting_steps += 1
            self._tell()

    def set_speed(self, speed: float) -> None:
        """Choose how much faster than real time it should go."""
        if not (np.isfinite(speed) and speed > 0):
            raise StateError(f"speed: expected a positive number, got {speed}")
        with self._changed:
            self.speed = float(speed)
            self._tell()

    def set(self, values: Mapping[str, float]) -> None:
        """Set forces, set points, variables or numbers of the model by name; the others stay."""
        with self._changed:
            self.motion.choose(values)
            self.record.note(self.t, values)
            if not (self.running or self._busy):
                self._show_changed()
            self._tell()

    def grab(self, spring: MouseSpring | None) -> None:
        """Let the mouse draw at a body, or let go."""
        with self._changed:
            self.motion.spring = spring
            if spring is None:
                self._pull = None
            self._tell()

    def set_configuration(self, change: Callable[[Floats], Floats]) -> None:
        """Make a changed configuration the start: at rest, or with the speeds of the start if it has not moved yet."""
        with self._changed:
            if self.running:
                raise StateError("configuration: expected a paused simulation, got a running one")
            before, speeds = self._last
            v = speeds if self.t == 0 else np.zeros(self.model.nv)
            q = self.model.normalize(change(before))
            self._restart(self.motion.closed(q, v, np.flatnonzero(q != before).tolist()))

    def reset(self, to_file: bool = False) -> None:
        """Go back to the start; with `to_file` to that of the file, with all that it says."""
        with self._changed:
            self._restart(as_file=to_file)

    # ------------------------------------------------------------ watching

    def watch(self) -> None:
        """Count one who watches; what was told to run before, begins."""
        with self._changed:
            self._watchers += 1
            self._changed.notify_all()

    def leave(self) -> None:
        """Count one less; when nobody is left, pause."""
        with self._changed:
            self._watchers -= 1
            if not self._watchers:
                self.motion.spring = self._pull = None
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

    @property
    def t(self) -> float:
        """Time of the newest frame, s."""
        return self._frames[-1].t

    def values(self, starts: Mapping[str, float]) -> dict[str, float]:
        """Present values of what can be set, by name, from those at the start."""
        with self._changed:
            return self.motion.values(starts)

    @property
    def state(self) -> tuple[Floats, Floats]:
        """Coordinates and speeds of the newest frame."""
        return self._last

    def _status(self) -> dict[str, Any]:
        simulator = self.motion.simulator
        return {
            "running": self.running,
            "speed": self.speed,
            "achieved": self._pace.achieved if self.running else None,
            "error": self.error,
            "ended": simulator.ended,
            "events": [[t, name] for t, name in simulator.happened if t <= self.t][-3:],
            "method": self.motion.method,
            "pull": self._pull,
            "altered": bool(self.motion.chosen) or self.motion.start is not self.motion.file_start,
            "recorded": self.record.seconds,
        }

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
            steered, request, turn = self.motion.steered, self.motion.request(), self._turn
            self._busy = True
            pictures = max(1, round(self._pace.frame / FRAME)) if self.running else 1
            span = self.speed * (self._pace.frame / pictures if self.running else FRAME)
            before = steered.simulator.effort.steps

        def still_wanted(_: float) -> None:
            if self._closed or self._turn != turn:
                raise _Superseded

        try:
            piece = self.motion.advance(steered, request, span, pictures, still_wanted)
        except _Superseded:
            return
        except Exception as error:  # the edge of the thread: whatever it was, the reader must see it
            text = str(error) if isinstance(error, SuppleError) else f"{type(error).__name__}: {error}"
            with self._changed:
                self._fail(text, turn)
            return
        finally:
            self._busy = False
        with self._changed:
            if self._turn == turn:
                self._steps = steered.simulator.effort.steps - before
                self._take(piece)

    def _loop(self) -> None:
        def wanted() -> bool:
            return bool((self.running and self._watchers) or self._waiting_steps)

        while True:
            with self._changed:
                if not wanted() and not self._closed:
                    self._pace.pause()
                    self._changed.wait_for(lambda: wanted() or self._closed)
                if self._closed:
                    return
                self._waiting_steps = max(0, self._waiting_steps - 1)
                self._pace.begin(self.t, self.speed)
            self.advance()
            with self._changed:
                rest = self._pace.end(self.t, self.speed, self._steps) if self.running else 0.0
            time.sleep(rest)

    # ------------------------------------------------------------ under the lock

    def _restart(self, start: tuple[Floats, Floats] | None = None, as_file: bool = False) -> None:
        self.motion.restart(start, as_file)
        self._last, self._pull = self.motion.start, None
        self._turn += 1
        self._waiting_steps = 0
        self.error = ""
        self.record.clear()
        self._published()

    def _published(self) -> None:
        """The start of a run as its first frame."""
        self._run += 1
        self._frames.clear()
        simulator = self.motion.simulator
        q, v = self._last
        kinetic, potential = simulator.system.sums(q[None], v[None])[0][0]
        self._publish(0.0, q, simulator.model, float(kinetic), float(potential))
        self.record.begin(simulator)
        self._tell()

    def _show_changed(self) -> None:
        """The present state again, with what was set while it is paused."""
        simulator = self.motion.simulator
        if simulator.ended:
            return
        self.motion.apply(self.motion.steered, self.motion.request())
        state = simulator.state
        self._last = state.q, state.v
        kinetic, potential = simulator.system.sums(state.q[None], state.v[None])[0][0]
        self._publish(self.t, state.q, simulator.model, float(kinetic), float(potential))

    def _publish(self, t: float, q: Floats, model: Any, kinetic: float, potential: float) -> None:
        self._number += 1
        self._frames.append(LiveFrame(self._number, self._run, t, q, model, kinetic, potential))

    def _take(self, piece: FrameBatch) -> None:
        """Publish frames."""
        x, simulator = piece.samples, self.motion.simulator
        for t, q, (kinetic, potential) in zip(x.t, x.q, piece.energies, strict=True):
            if t > self.t:
                self._publish(float(t), q, piece.model, float(kinetic), float(potential))
        self._pull = piece.pull
        self.record.add(piece)
        if len(x):
            self._last = x.q[-1], x.v[-1]
        if simulator.ended:
            t, name = simulator.happened[-1]
            self._halt()
            self.error = f"Event {name!r} has ended the run at t = {t:.6g} s. Reset goes back to the start."
        self._tell()

    def _require_unended(self) -> None:
        if self.motion.simulator.ended:
            raise StateError("run: an event has ended it; expected a reset first")

    def _halt(self) -> None:
        """Pause; a frame that is being computed is dropped."""
        self.running = False
        self._waiting_steps = 0
        self._turn += 1

    def _fail(self, text: str, turn: int) -> None:
        if self._turn == turn:
            self.error, self.running = text, False
            self._tell()

    def _tell(self) -> None:
        self._version += 1
        self._changed.notify_all()
