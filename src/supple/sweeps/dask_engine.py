"""The engine of many machines: cases as tasks of a Dask cluster, or of one that is started here.

The scheduler carries case numbers, values and measures, never trajectories, which workers write to the
store themselves.
"""

from __future__ import annotations

import importlib
import logging
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np

from supple.errors import ResultsError, StateError
from supple.sweeps.case_blocks import FAILED, Block, Outcome
from supple.sweeps.case_messages import packed, unpacked
from supple.sweeps.case_run import CaseRunner
from supple.sweeps.local_engine import DIED, SINGLE, LocalEngine
from supple.sweeps.plan import SweepPlan
from supple.sweeps.trajectory_writer import TrajectoryWriter

ANSWER = 5.0
"""Seconds within which a scheduler has to answer."""
TASK_SECONDS, SECONDS_A_WORKER = 1.0, 5e-3
"""About how long a task should take at least, and for each worker of the cluster: the scheduler needs about a
millisecond for each task, and is busy for a fifth of the time then, however many workers there are."""
MOST_IN_TASK = 256
AHEAD = 4
"""Tasks that are with the scheduler for each of its processes."""
LEAST_AHEAD = 64
ALONE = 2
"""How often a case is run alone before it is taken for one that kills its worker."""
KNOWN = 5.0
"""Seconds for which the number of workers is taken as known."""
CONFIG = {"distributed.scheduler.allowed-failures": 0, "distributed.deploy.lost-worker-timeout": "1 hour"}
"""Of a cluster of our own: no task survives the death of its worker, its cases are run again one by one; and a worker
that died is waited for, since on a busy machine it takes longer than the usual 15 s to begin again."""


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
        self._config: Any = nullcontext()
        self._spent = [0.0, 0]
        self._known = 0, -np.inf
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
        config = importlib.import_module("dask").config
        self._config = config.set(CONFIG)
        return self._distributed.LocalCluster(
            n_workers=workers,
            processes=True,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",  # None would take the usual port, which another cluster may have
            scheduler_kwargs={"dashboard": False},
            memory_limit=0,
            silence_logs=logging.CRITICAL,
            env=SINGLE,
        )

    def run(
        self, plan: SweepPlan, tasks: Sequence[Sequence[int]], writer: TrajectoryWriter | None = None
    ) -> Iterator[Block]:
        """Blocks as they are finished; tasks of short cases are put together if no chunks are to be written."""
        # A task and not scattered data: if all workers die that hold it, it is made again.
        model = self.client.submit(bytes, packed(plan.runner), key=f"sweep-{plan.hash[:16]}-{id(plan)}", pure=False)
        store = None if writer is None else writer.store

        def sent(task: list[int]) -> Any:
            items = [(case, plan.changes(case)) for case in task]
            return self.client.submit(run_task, model, plan.hash, items, store, pure=False, retries=0)

        waiting, suspects = deque(self._grouped(tasks, writer)), list[int]()
        running = self._distributed.as_completed(loop=self.client.loop, raise_errors=False)
        under_way: dict[str, list[int]] = {}
        try:
            while waiting or under_way:
                while waiting and len(under_way) < self._ahead():
                    future = sent(waiting[0])
                    under_way[future.key] = waiting.popleft()
                    running.add(future)
                future = next(running)
                task = under_way.pop(future.key)
                found = self._outcomes(future)
                if found is None and future.status == "error":
                    suspects += task
                elif found is None:  # cancelled, as when the scheduler lost all workers for a moment
                    waiting.appendleft(task)
                else:
                    yield Block.of(found, plan.measures)
            # A worker that dies takes all its tasks with it: which case it was is found with each of them alone.
            for case in suspects:
                alone = None
                for _ in range(ALONE):
                    running.add(sent([case]))
                    alone = self._outcomes(next(running))
                    if alone is not None:
                        break
                yield Block.of(alone or [Outcome(case, FAILED, DIED)], plan.measures)
        finally:
            self.client.cancel([model])

    def _outcomes(self, future: Any) -> list[Outcome] | None:
        """What a task has found; None if its worker died or the task was lost; other errors are those of the sweep."""
        if future.status == "finished":
            outcomes: list[Outcome] = future.result()
            self._spent[0] += sum(x.wall_time for x in outcomes)
            self._spent[1] += len(outcomes)
            return outcomes
        error = future.exception() if future.status == "error" else None
        if isinstance(error, OSError):
            reason = error.strerror or error
            raise ResultsError(f"sweep: the store cannot be written: {reason}; resume=True continues the sweep")
        if error is not None and not isinstance(error, self._distributed.KilledWorker):
            raise StateError(f"sweep: a worker cannot run cases: {type(error).__name__}: {error}")
        return None

    def _grouped(self, tasks: Sequence[Sequence[int]], writer: TrajectoryWriter | None) -> Iterator[list[int]]:
        """The tasks; without chunks to write, cases put together so that a task takes about a second."""
        seconds, count = self._spent
        if writer is not None or not count:
            yield from ([*task] for task in tasks if len(task))
            return
        cases = [case for task in tasks for case in task]
        size = cases_in_task(len(cases), seconds / count, self._processes())
        yield from (cases[i : i + size] for i in range(0, len(cases), size))

    def _processes(self) -> int:
        """Workers of the cluster; asked for every few seconds, since they come and go."""
        count, since = self._known
        if time.monotonic() - since > KNOWN:
            count = max(1, len(self.client.nthreads()))
            self._known = count, time.monotonic()
        return count

    def _ahead(self) -> int:
        return max(LEAST_AHEAD, AHEAD * self._processes())

    def close(self) -> None:
        """Leave the cluster; end the one that was started here."""
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()
        self._config.__exit__(None, None, None)


def cases_in_task(cases: int, seconds: float, workers: int) -> int:
    """Cases of a task, by their number, the time of each, s, and the number of workers.

    Examples
    --------
    >>> cases_in_task(1_000_000, 0.2, 2), cases_in_task(1_000_000, 0.2, 1000), cases_in_task(500, 0.001, 8)
    (5, 25, 16)
    """
    share = ceil(cases / (AHEAD * workers))
    wanted = max(TASK_SECONDS, SECONDS_A_WORKER * workers)
    return max(1, min(MOST_IN_TASK, share, ceil(wanted / max(seconds, 1e-6))))


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
