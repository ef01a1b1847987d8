"""The engine of many machines: cases as tasks of a Dask cluster, or of one that is started here.

The scheduler carries case numbers, values and measures, never trajectories, which workers write to the
store themselves.
"""

from __future__ import annotations

import importlib
import logging
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import ceil
from typing import Any

from supple.errors import ResultsError, StateError
from supple.sweeps.case_blocks import FAILED, Block, Outcome
from supple.sweeps.case_messages import packed, unpacked
from supple.sweeps.case_run import CaseRunner
from supple.sweeps.local_engine import DIED, SINGLE, LocalEngine
from supple.sweeps.plan import SweepPlan
from supple.sweeps.trajectory_writer import TrajectoryWriter

ANSWER = 5.0
"""Seconds within which a scheduler has to answer."""
TASK_SECONDS = 1.0
"""About how long a task should take: the scheduler needs about a millisecond for each."""
MOST_IN_TASK = 256
AHEAD = 4
"""Tasks that are with the scheduler for each of its processes."""
LEAST_AHEAD = 64
FAILURES = 2
"""Deaths of workers after which a task has failed: a dying worker makes all its tasks suspicious, not one alone."""


class DaskEngine:
    """Runs cases as tasks of a Dask cluster.

    Parameters
    ----------
    scheduler : str, optional
        Address of a running scheduler, "tcp://host:8786"; without one a cluster is started on this machine.
    workers : int, optional
        Processes of that cluster; by default as many as there are processors.
    """

    name = "dask"

    def __init__(self, scheduler: str | None = None, workers: int | None = None) -> None:
        self._distributed = _package()
        self._cluster: Any = None
        self._spent = [0.0, 0]
        if scheduler is None:
            # LocalEngine knows how many are possible, and says what is wrong with others.
            self._cluster = self._local(LocalEngine(workers).most)
            self.client = self._distributed.Client(self._cluster, set_as_default=False)
            return
        if workers is not None:
            raise StateError("workers: expected without a scheduler, which has workers of its own")
        try:
            self.client = self._distributed.Client(scheduler, timeout=ANSWER, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            reason = "no answer" if isinstance(error, OSError) else str(error)
            raise ResultsError(
                f"scheduler {scheduler}: {reason} within {ANSWER:g} s; expected tcp://HOST:PORT"
            ) from None

    def _local(self, workers: int) -> Any:
        with importlib.import_module("dask").config.set({"distributed.scheduler.allowed-failures": FAILURES}):
            return self._distributed.LocalCluster(
                n_workers=workers,
                processes=True,
                threads_per_worker=1,
                dashboard_address=None,
                memory_limit=0,
                silence_logs=logging.CRITICAL,
                env=SINGLE,
            )

    def run(
        self, plan: SweepPlan, tasks: Sequence[Sequence[int]], writer: TrajectoryWriter | None = None
    ) -> Iterator[Block]:
        """Blocks as they are finished; tasks of short cases are put together if no chunks are to be written."""
        blob = packed(plan.runner)
        # A task and not scattered data: if all workers die that hold it, it is made again.
        model = self.client.submit(bytes, blob, key=f"sweep-{plan.hash[:16]}-{id(plan)}", pure=False)
        waiting = deque(self._grouped(tasks, writer))
        running = self._distributed.as_completed(loop=self.client.loop, raise_errors=False)
        sent: dict[str, list[int]] = {}
        try:
            while waiting or sent:
                while waiting and len(sent) < self._ahead():
                    task = waiting.popleft()
                    items = [(case, plan.changes(case)) for case in task]
                    store = None if writer is None else writer.store
                    future = self.client.submit(run_task, model, plan.hash, items, store, pure=False, retries=0)
                    sent[future.key] = task
                    running.add(future)
                future = next(running)
                task = sent.pop(future.key)
                yield from self._finished(future, task, plan, waiting)
        finally:
            self.client.cancel([model])

    def _finished(self, future: Any, task: list[int], plan: SweepPlan, waiting: deque[list[int]]) -> Iterator[Block]:
        if future.status == "finished":
            outcomes: list[Outcome] = future.result()
            self._spent[0] += sum(x.wall_time for x in outcomes)
            self._spent[1] += len(outcomes)
            yield Block.of(outcomes, plan.measures)
            return
        error = future.exception() if future.status == "error" else None
        if isinstance(error, OSError):
            reason = error.strerror or error
            raise ResultsError(f"sweep: the store cannot be written: {reason}; resume=True continues the sweep")
        if future.status == "error" and not isinstance(error, self._distributed.KilledWorker):
            raise StateError(f"sweep: a worker cannot run cases: {type(error).__name__}: {error}")
        if future.status != "error":  # cancelled, as when the scheduler lost all workers for a moment
            waiting.appendleft(task)
        elif len(task) > 1:  # which of them it was is found one by one
            waiting.extendleft([case] for case in reversed(task))
        else:
            yield Block.of([Outcome(task[0], FAILED, DIED)], plan.measures)

    def _grouped(self, tasks: Sequence[Sequence[int]], writer: TrajectoryWriter | None) -> Iterator[list[int]]:
        """The tasks; without chunks to write, cases put together so that a task takes about a second."""
        seconds, count = self._spent
        if writer is not None or not count:
            yield from ([*task] for task in tasks if len(task))
            return
        cases = [case for task in tasks for case in task]
        share = ceil(len(cases) / (AHEAD * max(1, self._processes())))
        size = max(1, min(MOST_IN_TASK, share, ceil(TASK_SECONDS * count / max(seconds, 1e-6))))
        yield from (cases[i : i + size] for i in range(0, len(cases), size))

    def _processes(self) -> int:
        return len(self.client.scheduler_info(n_workers=-1)["workers"])

    def _ahead(self) -> int:
        return max(LEAST_AHEAD, AHEAD * self._processes())

    def close(self) -> None:
        """Leave the cluster; end the one that was started here."""
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()


@lru_cache(maxsize=4)
def _runner(key: str, blob: bytes) -> CaseRunner:
    found: CaseRunner = unpacked(blob)
    return found


def run_task(blob: bytes, key: str, items: list[tuple[int, dict[str, Any]]], store: str | None) -> list[Outcome]:
    """The cases of a task, on a worker; it writes their trajectories itself."""
    runner = _runner(key, blob)
    outcomes = [runner.run(case, changes) for case, changes in items]
    if store is None:
        return outcomes
    TrajectoryWriter(store).write(outcomes)
    return [x.without_trajectories() for x in outcomes]


def _package() -> Any:
    """The package; an error if it is not installed."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise StateError("engine 'dask' needs distributed: pip install supple[sweep]") from None
