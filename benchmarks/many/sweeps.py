"""Sweeps under trouble, the cost of a scheduler, and how far it reaches: 1,000 workers and a million cases.

1. 500 cases on a Dask cluster of two workers, one of which is killed on the way; one case always kills its worker, one
   raises. All others equal a run of this process bit for bit.
2. A sweep that is killed ten times (once with --small) at random and resumed: its store equals that of a calm one.
3. What engines cost beside the cases themselves, of 0.2 s each.
4. A simulation of the messages between a client, a scheduler, workers and a file system, with times as measured here.
"""

from __future__ import annotations

import argparse
import heapq
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import xarray as xr

import supple
from supple.sweeps.dask_engine import DaskEngine, cases_in_task
from supple.sweeps.local_engine import LocalEngine
from supple.sweeps.sweep_engines import Engine
from supple.sweeps.zarr_groups import open_group

MODEL = """
name = "oscillator"
gravity = [0.0, 0.0, 0.0]

[[body]]
name = "mass"
joint = { type = "prismatic", axis = "x", stiffness = 4.0 }
mass = 1.0

[simulation]
duration = 1.0
samples = 11
q = { "mass.position" = 1.0 }

[sweep]
seed = 1
vary = { "body.mass.joint.stiffness" = { uniform = [1.0, 9.0] } }
measure = { end = "last(mass.position)", top = "max(mass.position)" }
"""
COMMAND = [sys.executable, "-c", "from supple.cli import main; main()", "sweep"]


@dataclass(frozen=True)
class Trouble:
    """A measure that kills its process, always in one case and once in another, raises in a third, or sleeps."""

    folder: str
    killer: int = -1
    raiser: int = -1
    once: int = -1
    sleep: float = 0.0

    def __call__(self, result: Any) -> float:
        case, mark = result.attrs["case"], Path(self.folder, "killed")
        if case == self.killer or (case == self.once and not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if case == self.raiser:
            raise ValueError("a case that raises")
        time.sleep(self.sleep)
        return float(result.q.values[-1, 0])


def swept(file: Path, engine: str | Engine, samples: int, measure: Any, **more: Any) -> xr.Dataset:
    """A sweep with one more measure."""
    measures = {"end": "last(mass.position)", "top": "max(mass.position)", "own": measure}
    return supple.sweep(file, measure=measures, samples=samples, engine=engine, **more)


def trouble(file: Path, samples: int) -> None:
    """A cluster that loses workers."""
    with TemporaryDirectory() as folder:
        calm = swept(file, "serial", samples, Trouble(folder), trajectories=["q"])
        measure = Trouble(folder, killer=samples // 3, raiser=samples // 2, once=samples // 4)
        started = time.perf_counter()
        store = Path(folder, "a.sweep.zarr")
        found = swept(file, DaskEngine(workers=2), samples, measure, store=store, trajectories=["q"])
        seconds = time.perf_counter() - started
        assert Path(folder, "killed").exists()
        done = found.status.values == 1
        assert np.flatnonzero(~done).tolist() == [samples // 3, samples // 2]
        for name in ("end", "top", "own", "q"):
            assert found[name].values[done].tobytes() == calm[name].values[done].tobytes()
        for case in np.flatnonzero(~done).tolist():
            print(f"  case {case}: {found.message.values[case]}")
    print(f"{samples} cases on two Dask workers, one killed: {done.sum()} equal bit for bit, 2 failed; {seconds:.1f} s")


def kills(file: Path, samples: int, count: int, engine: str) -> None:
    """A sweep in a process of its own that is killed at random, and resumed each time."""
    dice = random.Random(1)
    with TemporaryDirectory() as folder:
        calm = supple.sweep(file, samples=samples, engine="serial", trajectories=["q"], store=Path(folder, "calm.zarr"))
        store = Path(folder, "killed.zarr")
        options = ["--samples", str(samples), "-o", str(store), "--engine", engine]
        options += ["--set", 'sweep.trajectories=["q"]']
        kept: list[int] = []
        done = 0
        while len(kept) < count and done < samples:
            more = ["--resume"] if store.exists() else []
            process = subprocess.Popen([*COMMAND, str(file), *options, *more], stdout=subprocess.DEVNULL)
            goal = done + dice.randint(1, max(1, (samples - done) // 3))
            while process.poll() is None and done < goal:
                time.sleep(dice.uniform(0.05, 0.3))
                done = finished(store)
            process.kill()
            process.wait()
            kept.append(done)
        subprocess.run([*COMMAND, str(file), *options, "--resume"], check=True, stdout=subprocess.DEVNULL)
        found = supple.open_sweep(store)
        for name in ("end", "top", "q", "status", "body.mass.joint.stiffness"):
            assert found[name].values.tobytes() == calm[name].values.tobytes(), name
    print(f"killed {len(kept)} times, with {kept} of {samples} cases finished, and resumed: equal bit for bit")


def finished(store: Path) -> int:
    """Cases that a store has, while another process writes to it."""
    if not (store / "status" / "c").exists():
        return 0
    return int(np.count_nonzero(open_group(store, "r")["status"][:]))


def costs(file: Path, samples: int) -> None:
    """Time of engines beside that of the cases, which sleep: processors that others use do not matter."""
    with TemporaryDirectory() as folder:
        measure = Trouble(folder, sleep=0.2)
        engines: list[Engine] = [LocalEngine(2), DaskEngine(workers=2)]
        for engine in engines:
            ends: list[float] = []
            own = swept(file, engine, samples, measure, progress=lambda *_, ends=ends: ends.append(time.perf_counter()))
            # From the first case on, when all is compiled; the second process takes its time to begin.
            first = samples // 4
            span, work = ends[-1] - ends[first], float(own.wall_time.values[first + 1 :].sum()) / 2
            print(
                f"  {engine.name}: {100 * (span / work - 1):.1f} % beside cases of {own.wall_time.values.mean():.2f} s"
            )


@dataclass(frozen=True)
class Cluster:
    """Times of a cluster, s, and how it is used.

    Attributes
    ----------
    workers, cases, in_task : int
    case : float
        Mean time of a case; single ones vary by a half.
    scheduler : float
        Of the scheduler for a task: to take it, to send it, to hear that it is done.
    client, write : float
        Of the client for a task, to hear of it; and for a case, whose measures it writes a chunk at a time.
    """

    workers: int
    cases: int
    in_task: int
    case: float
    scheduler: float = 1e-3
    client: float = 3e-4
    write: float = 1e-4

    def simulated(self, seed: int = 0) -> tuple[float, float, float]:
        """Time of the sweep, s; share of the time that workers are busy; share that the scheduler is."""
        rng = np.random.default_rng(seed)
        tasks = -(-self.cases // self.in_task)
        spread = 0.5 / np.sqrt(self.in_task)
        lengths = self.case * self.in_task * np.clip(rng.normal(1.0, spread, tasks), 0.1, None)
        free, events, scheduler, client, next_task, end = self.workers, list[tuple[float, int]](), 0.0, 0.0, 0, 0.0
        while next_task < tasks or events:
            if free and next_task < tasks:
                scheduler = max(scheduler, 0.0) + self.scheduler / 2
                heapq.heappush(events, (scheduler + lengths[next_task], next_task))
                next_task, free = next_task + 1, free - 1
                continue
            t, _ = heapq.heappop(events)
            scheduler = max(scheduler, t) + self.scheduler / 2
            client = max(client, scheduler) + self.client + self.write * self.in_task
            free, end = free + 1, client
        return end, float(lengths.sum()) / (end * self.workers), tasks * self.scheduler / end


def reach(small: bool) -> None:
    """Tables of simulated clusters."""
    alone = Cluster(1, 100, 1, 0.2, 0.0, 0.0, 0.0).simulated()
    assert abs(alone[1] - 1.0) < 1e-9  # one worker without a scheduler is always busy
    cases = 2_000 if small else 1_000_000
    print(f"{cases:,} cases; scheduler 1 ms and client 0.3 ms a task, client 0.1 ms a case (simulated)")
    print("  workers  case s  in a task  hours  workers busy  scheduler busy    tasks")
    for workers, case in ((100, 0.2), (1000, 0.2), (1000, 10.0)):
        for in_task in dict.fromkeys((1, 5, cases_in_task(cases, case, workers))):
            end, busy, scheduler = Cluster(workers, cases, in_task, case).simulated()
            numbers = f"{workers:9,}  {case:6.1f}  {in_task:9}  {end / 3600:5.2f}"
            print(f"{numbers}  {100 * busy:10.0f} %  {100 * scheduler:12.0f} %  {-(-cases // in_task):7,}")


def main() -> None:
    """Run all four parts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    with TemporaryDirectory() as folder:
        file = Path(folder, "oscillator.toml")
        file.write_text(MODEL)
        reach(small)
        kills(file, 24 if small else 1000, 1 if small else 10, "serial" if small else "local")
        if not small:  # tests/sweeps has small ones of these
            trouble(file, 500)
            costs(file, 200)


if __name__ == "__main__":
    main()
