"""How a sweep goes on: which engine, which cases in which tasks, and what is written when."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Ints
from supple.errors import StateError, one_of
from supple.sweeps.case_blocks import Block
from supple.sweeps.dask_engine import DaskEngine
from supple.sweeps.lane_engine import LaneEngine
from supple.sweeps.local_engine import LocalEngine
from supple.sweeps.plan import SweepPlan
from supple.sweeps.serial_engine import SerialEngine
from supple.sweeps.sweep_dataset import MemorySink
from supple.sweeps.sweep_engines import Engine
from supple.sweeps.sweep_store import SweepStore
from supple.sweeps.trajectory_writer import TrajectoryWriter

if TYPE_CHECKING:
    import xarray as xr

Progress = Callable[[int, int, int], None]
"""Of the numbers of cases that are done, that failed, and of all."""
ENGINES = ("auto", "lanes", "serial", "local", "dask")
FEW = 16
"""Cases that are run here rather than in processes, which take a second to begin."""
KEPT = 5.0
"""Seconds of work that a sweep which is killed may lose, besides the cases under way."""


@dataclass(frozen=True)
class EngineOptions:
    """How cases are run: name of the engine or an engine, processes, address of a scheduler, time for a case."""

    engine: str | Engine = "auto"
    workers: int | None = None
    scheduler: str | None = None
    timeout: float | None = None

    def made(self, plan: SweepPlan, cases: int) -> Engine:
        """The engine for so many cases of a plan."""
        if not isinstance(self.engine, str):
            return self.engine
        if self.engine not in ENGINES:
            raise StateError(f"engine: no {self.engine!r}{one_of(ENGINES)}")
        name = self.engine
        if self.scheduler is not None and name not in ("auto", "dask"):
            raise StateError(f"scheduler: expected with the engine 'dask', got {name!r}")
        if name == "auto":
            few = cases < FEW and self.workers is None and self.timeout is None
            name = "dask" if self.scheduler is not None else "serial" if few else "local"
            lanes = LaneEngine(self.workers or os.cpu_count() or 1)
            if name == "local" and self.timeout is None and not lanes.refusal(plan):
                return lanes
        if self.timeout is not None and name != "local":
            raise StateError(f"timeout: expected with the engine 'local', which can stop a case, got {name!r}")
        if name == "lanes":
            return LaneEngine(self.workers or os.cpu_count() or 1)
        if name == "serial":
            if self.workers not in (None, 1):
                raise StateError(f"workers: expected 1 of the engine 'serial', got {self.workers}")
            return SerialEngine()
        return LocalEngine(self.workers, self.timeout) if name == "local" else DaskEngine(self.scheduler, self.workers)


def sweep_in_memory(plan: SweepPlan, options: EngineOptions, progress: Progress | None = None) -> xr.Dataset:
    """Run all cases, and keep what comes of them in memory."""
    plan.check()
    sink = MemorySink(plan)
    with closing(options.made(plan, plan.count)) as engine:
        counter = _Counter(progress, plan.count)
        first, rest = _begun(engine, plan, range(plan.count))
        for block in first:
            sink.write(block)
            counter.add(block)
        for block in engine.run(plan, [[case] for case in rest]):
            sink.write(block)
            counter.add(block)
    return sink.dataset()


def sweep_to_store(
    plan: SweepPlan,
    path: Path,
    options: EngineOptions,
    progress: Progress | None = None,
    how: tuple[bool, bool, bool] = (False, False, False),
) -> xr.Dataset:
    """Run the cases that a store does not have; `how`: resume, retry, overwrite."""
    resume, retry, overwrite = how
    if overwrite and (resume or retry):
        raise StateError("overwrite: expected without resume and retry, got both")
    store = SweepStore(path, plan)
    with closing(store):
        if (resume or retry) and store.exists:
            todo = store.resume(retry)
        else:
            plan.check()
            store.require_new(overwrite)
            todo = np.arange(plan.count)
        counter = _Counter(progress, plan.count, plan.count - len(todo))
        if len(todo):
            with closing(options.made(plan, len(todo))) as engine:
                _fill(store, engine, plan, todo, counter, overwrite)
        return store.dataset()


def _fill(store: SweepStore, engine: Engine, plan: SweepPlan, todo: Ints, counter: _Counter, overwrite: bool) -> None:
    """Run cases and write what comes of them; whatever happens, what is finished is written."""
    first: list[Block] = []
    rest: Sequence[int] = todo.tolist()
    writer = None
    if not store.begun:
        first, rest = _begun(engine, plan, rest)
        known = [x for block in first for x in block.outcomes() if x.trajectories]
        layout = known[0] if known else None
        store.create(layout.trajectories if layout else {}, layout.times if layout else None, overwrite)
    if plan.runner.trajectories:
        # Chunks of trajectories are written by those who run all their cases: the first was to see their shape.
        first, rest, writer = [], todo.tolist(), TrajectoryWriter(str(store.path.absolute()))
    with closing(_Buffer(store, counter)) as buffer:
        for block in first:
            buffer.add(block)
        tasks = [[case] for case in rest] if writer is None else _chunks(rest, store.block)
        for block in engine.run(plan, tasks, writer):
            buffer.add(block)


def _begun(engine: Engine, plan: SweepPlan, cases: Iterable[int]) -> tuple[list[Block], list[int]]:
    """Cases one after another until one succeeds, so that all code is compiled once; and the cases that are left."""
    rest, found = list(cases), []
    while rest:
        blocks = list(engine.run(plan, [rest[:1]]))
        found += blocks
        del rest[0]
        if not any(block.failed for block in blocks):
            break
    return found, rest


def _chunks(cases: Sequence[int], size: int) -> list[list[int]]:
    """Cases by the chunks that they are in."""
    out: dict[int, list[int]] = {}
    for case in cases:
        out.setdefault(case // size, []).append(case)
    return list(out.values())


class _Counter:
    """Says how far a sweep is."""

    def __init__(self, progress: Progress | None, total: int, done: int = 0) -> None:
        self._progress, self.total, self.done, self.failed = progress, total, done, 0

    def add(self, block: Block) -> None:
        """Count a block."""
        self.done += len(block.cases)
        self.failed += block.failed
        if self._progress is not None:
            self._progress(self.done, self.failed, self.total)


class _Buffer:
    """Gathers blocks, and writes them a chunk at a time, or when some seconds of work are waiting."""

    def __init__(self, store: SweepStore, counter: _Counter) -> None:
        self._store, self._counter = store, counter
        self._blocks: list[Block] = []
        self._since = time.monotonic()

    def add(self, block: Block) -> None:
        """Keep a block, and write what is worth it."""
        self._blocks.append(block)
        self._counter.add(block)
        size = sum(len(x.cases) for x in self._blocks)
        if size >= self._store.block or time.monotonic() - self._since > KEPT:
            self.close()

    def close(self) -> None:
        """Write what is waiting."""
        blocks, self._blocks = self._blocks, []
        self._since = time.monotonic()
        if blocks:
            self._store.write(Block.joined(blocks))
