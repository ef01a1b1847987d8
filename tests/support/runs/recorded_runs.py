"""Runs of a recurrence that record their results, to be killed.

`python recorded_runs.py moments PATH COUNT...` runs and kills at moments when so many parts are there; `python
recorded_runs.py everywhere DIRECTORY STRIDE` at every touch of a file, or at each of so many.

The motion is chaotic: one wrong bit, one segment left out or counted twice, and all that follows differs.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import supple
from supple.simulation.manifest import RunManifest
from supple.simulation.recording import Recording, open_results

Memory = dict[str, NDArray[Any]]
TOUCHING = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.listdir")
"""Events of the interpreter that can change a file, or come between two that do."""


def model(mass: float = 1.0) -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(mass, (0, 0, -1)), joint=supple.Revolute("y"))
    return mech.build()


def manifest(segments: int, **settings: Any) -> RunManifest:
    return RunManifest(model(), {"segments": segments, "integrator": "logistic", "q": [0.1, 0.2, 0.3], **settings})


def start() -> Memory:
    return {"x": np.array([0.1, 0.2, 0.3]), "number": np.array(0)}


def segment(memory: Memory) -> tuple[xr.Dataset, Memory]:
    """The next segment, of one to three times, and the memory behind it."""
    x, number = memory["x"], int(memory["number"])
    rows = []
    for _ in range(1 + number % 3):
        x = 3.9 * x * (1.0 - x)
        rows.append(x)
    times = number + np.arange(len(rows)) / 4
    dataset = xr.Dataset(
        {"q": (("time", "coordinate"), np.array(rows)), "name": ("time", np.array([f"t{t}" for t in times]))},
        {
            "time": ("time", times, {"units": "s"}),
            "coordinate": ["a", "b", "longer"],
            "unit": ("coordinate", ["rad", "rad", "m"]),
        },
        {"model": "recurrence", "steps": number + 1},
    )
    return dataset, {"x": x, "number": np.array(number + 1)}


def segments(count: int) -> Iterator[tuple[xr.Dataset, Memory]]:
    memory = start()
    for _ in range(count):
        dataset, memory = segment(memory)
        yield dataset, memory


def opened(path: Path, count: int) -> tuple[Recording, Memory] | None:
    """The recording to go on with, resumed or new; None if the run is finished."""
    try:
        recording, memory = Recording.resume(path, manifest(count))
    except supple.ResultsError as error:
        if "the run is finished" in str(error):
            return None
        return Recording.begin(path, manifest(count)), start()
    return recording, memory or start()


def run(path: Path, count: int) -> None:
    """Go on to the end."""
    found = opened(path, count)
    if found is None:
        return
    recording, memory = found
    while memory["number"] < count:
        dataset, memory = segment(memory)
        recording.append(dataset, memory)
    recording.finish()


def killed_at(event: int, path: Path, count: int) -> bool:
    """Whether a run, in a process of its own, was killed at this event; it has only so many."""
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    seen = 0

    def kill(name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if name in TOUCHING and str(path.parent) in str(arguments[0]):
            seen += 1
            if seen == event:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(kill)
    try:
        run(path, count)
    finally:
        os._exit(0)


def run_endless(path: Path) -> None:
    """Go on without end, and print the number of each part when it is written."""
    found = opened(path, 0)
    assert found is not None
    recording, memory = found
    while True:
        dataset, memory = segment(memory)
        recording.append(dataset, memory)
        print(int(memory["number"]), flush=True)


def kill_at_moments(path: Path, counts: list[int]) -> None:
    """Kill a run, in processes of its own, as soon as it has told of so many parts, and go on with it.

    For each of them a line: the numbers that it has told. The next one begins when a line is read.
    """
    for count in counts:
        read, write = os.pipe()
        child = os.fork()
        if not child:
            sys.stdout = os.fdopen(write, "w")
            try:
                run_endless(path)
            finally:
                os._exit(1)
        os.close(write)
        with os.fdopen(read) as told:
            numbers = [next(told).strip() for _ in range(count)]
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        print(*numbers, flush=True)
        input()


def kill_everywhere(directory: Path, count: int, stride: int) -> None:
    """Kill a run at every event there is, or at each of so many, and print a line for each.

    Whether it was killed; what was left: whether the results file is there, and the values that can be read; after it
    went on: the values, and whether the results file is all there is.
    """
    event, killed = 1 - stride, True
    while killed:
        event += stride
        path = directory / str(event) / "motion.nc"
        path.parent.mkdir()
        killed = killed_at(event, path, count)
        try:
            with open_results(path) as left:
                values = left.q.values.tobytes().hex()
        except supple.ResultsError:
            values = ""
        whole = path.exists()
        run(path, count)
        with open_results(path) as results:
            print(killed, whole, values, results.q.values.tobytes().hex(), os.listdir(path.parent) == ["motion.nc"])


if __name__ == "__main__":
    os.fsync = lambda descriptor: None  # type: ignore[assignment] # a killed process loses nothing of the disk's
    segment(start())  # xarray imports what it needs here, once for all processes
    if sys.argv[1] == "moments":
        kill_at_moments(Path(sys.argv[2]), [int(word) for word in sys.argv[3:]])
    else:
        kill_everywhere(Path(sys.argv[2]), 2, int(sys.argv[3]))
