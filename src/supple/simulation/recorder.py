"""Results of a run in a file, written while it goes on: `file=`, `resume=` and `overwrite=` of `supple.simulate`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import ResultsError, SimulationError
from supple.inputs.controllers import Sampled
from supple.inputs.requests import Outputs
from supple.lazy import LazyModule
from supple.simulation.accuracy import Accuracy
from supple.simulation.datasets import ORIENTATION, linear_range, run_dataset
from supple.simulation.manifest import RunManifest
from supple.simulation.recording import Recording, open_results
from supple.simulation.run import Progress
from supple.simulation.samples import Samples
from supple.simulation.simulator import Simulator

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")

PARTS = 50
"""Most parts of a run that is written to a file; each is safe once it is there."""
WORTH_WRITING = 0.2
"""Seconds of work, by a rough guess, that are worth a part of their own: writing it takes some hundredths of one. By a
guess and not by the clock, so that a run that was interrupted comes to the same parts as one that was not."""
CALLED = 1e-3
"""Seconds that an evaluation may take where functions of the user take part."""
Memory = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Recorder:
    """Where results go.

    Parameters
    ----------
    file : path
        netCDF file.
    resume, overwrite : bool
        Go on with the unfinished run in `file`; or start over in spite of it.
    accuracy : Accuracy, optional
        What judges the run.
    """

    file: str | os.PathLike[str]
    resume: bool = False
    overwrite: bool = False
    accuracy: Accuracy | None = None

    def record(self, simulator: Simulator, outputs: Outputs, progress: Progress | None = None) -> xr.Dataset:
        """The results of a run from start to horizon, or of the rest of one, in the file."""
        manifest = RunManifest.of(simulator, outputs)
        if self.resume:
            manifest.require_comparable()
            recording, memory = Recording.resume(self.file, manifest)
        else:
            recording, memory = Recording.begin(self.file, manifest, self.overwrite), None
        with recording:
            try:
                _RecordedRun(simulator, outputs, recording, memory, self.accuracy).finish(progress)
            except SimulationError as error:
                error.result = open_results(self.file)
                raise
        return open_results(self.file)


class _RecordedRun:
    """A run, or the rest of one, on its way to a file; the parts that are there make up a file in order."""

    def __init__(
        self,
        simulator: Simulator,
        outputs: Outputs,
        recording: Recording,
        memory: Memory | None,
        accuracy: Accuracy | None,
    ) -> None:
        self.simulator, self.outputs, self.recording, self.accuracy = simulator, outputs, recording, accuracy
        self.times = simulator.horizon.times()
        self.done = 0
        self.waiting: list[Samples] = []
        self.before: xr.Dataset | None = None
        self.seconds = _evaluation_seconds(simulator)
        self.watched = linear_range(simulator)
        if memory is not None:
            simulator.restore(json.loads(memory["checkpoint"].tobytes().decode()))
            self.done = int(memory["done"])
            self.watched.restore(memory)
            if accuracy is not None:
                accuracy.restore(memory)
            if ORIENTATION in memory:
                last = memory[ORIENTATION][None]
                self.before = xr.Dataset({ORIENTATION: (("time", "frame", "quaternion"), last)})

    def finish(self, progress: Progress | None) -> None:
        """Go to the end; what was found is written, whatever happens."""
        try:
            for part in self._parts(progress):
                self._append(part)
        except SimulationError:
            if self.waiting:
                self._append(Samples.joined(self.waiting))
            self.recording.finish(finished=False)
            raise
        except ResultsError:  # nothing more can be written
            raise
        except BaseException:  # the keyboard, or a function of the user's
            self.recording.finish(finished=False)
            raise
        self.recording.finish()

    def _parts(self, progress: Progress | None) -> Iterator[Samples]:
        """What is left of the run, part by part; what was soon found is put together to one."""
        simulator = self.simulator
        ends = part_ends(len(self.times))
        written = simulator.effort.evaluations
        for last in ends:
            if simulator.ended or last < self.done:
                continue
            self._advance(int(last), progress)
            work = self.seconds * (simulator.effort.evaluations - written)
            if work >= WORTH_WRITING or last == ends[-1] or simulator.ended:
                part, self.waiting = Samples.joined(self.waiting), []
                written = simulator.effort.evaluations
                yield part

    def _advance(self, last: int, progress: Progress | None) -> None:
        """To an output time; what was found waits to be written."""
        try:
            self.simulator.advance_to(float(self.times[last]), self.times[self.done : last + 1], progress)
        finally:
            if len(found := self.simulator.gathered):
                self.waiting.append(found)
                self.done += len(found)

    def _append(self, part: Samples) -> None:
        """Write a part, and what the next one starts from."""
        self.before = run_dataset(self.simulator, part, self.outputs, self.before, self.watched, self.accuracy)
        text = json.dumps(self.simulator.checkpoint())
        memory = {"checkpoint": np.frombuffer(text.encode(), dtype=np.uint8), "done": np.array(self.done)}
        memory |= self.watched.memory()
        memory |= {} if self.accuracy is None else self.accuracy.memory()
        if ORIENTATION in self.before:
            memory[ORIENTATION] = self.before[ORIENTATION].values[-1]
        self.recording.append(self.before, memory)


def part_ends(samples: int) -> list[int]:
    """The output times at which the parts of a run end; steps end there too."""
    return [int(i) for i in np.unique(np.linspace(0, samples - 1, PARTS + 1).round().astype(int))[1:]]


def _evaluation_seconds(simulator: Simulator) -> float:
    """A rough guess; where functions of the user take part, a careful one."""
    inputs = simulator.system.inputs
    sampled = any(isinstance(x, Sampled) for x in (*inputs.laws.values(), inputs.whole))
    if inputs.calls or inputs.fmus or sampled or any(callable(e.when) for e in simulator.events):
        return CALLED
    return simulator.system.evaluation_seconds
