"""The engine of one machine: processes that run cases, with a supervisor that replaces those that die."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from math import ceil
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen
from typing import Any

from supple.errors import ResultsError, StateError, SuppleError
from supple.sweeps.case_blocks import FAILED, Block, Outcome
from supple.sweeps.case_messages import packed, receive, send
from supple.sweeps.plan import SweepPlan
from supple.sweeps.trajectory_writer import TrajectoryWriter

SINGLE = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "SUPPLE_THREADS"), "1"
)
"""Processes are as many as processors; threads in each would take turns with them."""
TRIES = 2
"""How often a case is run whose process dies."""
MOST_FAILED_STARTS = 3
WORTH = 1.0
"""Seconds of work that are worth another process: it takes about as long to begin."""
DIED = "the process that ran it died, and again when the case was repeated"


class _Worker:
    """A process, and what it is doing."""

    def __init__(self, inbox: SimpleQueue[Any], plan: bytes) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = Popen(
            [sys.executable, "-m", "supple.sweeps.worker_process"],
            stdin=PIPE,
            stdout=PIPE,
            stderr=self.errors,
            env={**os.environ, **SINGLE},
            start_new_session=True,  # an interrupt of the terminal is the supervisor's
        )
        self.ready = False
        self.task: list[int] | None = None
        self.left: list[int] = []
        self.done: list[Outcome] = []
        self.since = time.monotonic()
        self.late = False
        threading.Thread(target=self._listen, args=(inbox,), daemon=True).start()
        self.tell(("plan", plan, sys.path))

    def _listen(self, inbox: SimpleQueue[Any]) -> None:
        assert self.process.stdout is not None
        said: Any = True
        while said is not None:
            try:
                said = receive(self.process.stdout)  # type: ignore[arg-type]
            except (OSError, ValueError):
                said = None
            inbox.put((self, said))

    def tell(self, x: Any) -> None:
        """Send something; that it has died is found by the thread that listens."""
        assert self.process.stdin is not None
        try:
            send(self.process.stdin, x)  # type: ignore[arg-type]
        except (BrokenPipeError, OSError):
            return

    def last_words(self) -> str:
        """The end of its error output."""
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self.process.poll()}"

    def end(self) -> None:
        """Kill it, and wait until it is gone."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.errors):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what it was sent last is not wanted any more
                    continue


class LocalEngine:
    """Runs cases in processes of this machine.

    A case whose process dies is run once more; if that dies too, the case has failed, and no other.

    Parameters
    ----------
    workers : int, optional
        Processes; by default as many as there are processors. Fewer are started for little work.
    timeout : float, optional
        Time after which the process of a case is killed, s.
    """

    name = "local"

    def __init__(self, workers: int | None = None, timeout: float | None = None) -> None:
        available: int = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.most = available if workers is None else workers
        if isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 1:
            raise StateError(f"workers: expected a whole number above zero, got {workers!r}")
        self.timeout = timeout
        self._workers: list[_Worker] = []
        self._inbox: SimpleQueue[Any] = SimpleQueue()
        self._plan: tuple[SweepPlan, bytes] | None = None
        self._spent = [0.0, 0]
        self._failed_starts = 0

    def run(
        self, plan: SweepPlan, tasks: Sequence[Sequence[int]], writer: TrajectoryWriter | None = None
    ) -> Iterator[Block]:
        """Blocks as they are finished: of single cases, or of tasks if there is a writer."""
        if self._plan is None or self._plan[0] is not plan:
            self.close()
            self._plan = plan, packed(plan.runner)
        waiting: deque[list[int]] = deque(list(task) for task in tasks if len(task))
        deaths: Counter[int] = Counter()
        while waiting or any(worker.task for worker in self._workers):
            self._start(sum(map(len, waiting)))
            for worker in self._workers:
                if waiting and worker.ready and worker.task is None:
                    self._give(worker, waiting.popleft(), plan, writer)
            for worker, said in self._heard():
                found = self._handled(worker, said, writer, waiting, deaths)
                if found:
                    yield Block.of(found, plan.measures)

    def _start(self, cases: int) -> None:
        """Start as many processes as the work that is left is worth."""
        assert self._plan is not None
        seconds, count = self._spent
        wanted = min(self.most, ceil(cases * seconds / count / WORTH)) if count else 1
        busy = sum(worker.task is not None for worker in self._workers)
        while cases and len(self._workers) < min(self.most, max(1, wanted, busy)):
            self._workers.append(_Worker(self._inbox, self._plan[1]))

    def _give(self, worker: _Worker, task: list[int], plan: SweepPlan, writer: TrajectoryWriter | None) -> None:
        worker.task, worker.left, worker.done, worker.since = task, list(task), [], time.monotonic()
        items = [(case, plan.changes(case)) for case in task]
        worker.tell(("task", items, None if writer is None else writer.store))

    def _heard(self) -> list[tuple[_Worker, Any]]:
        """What processes have said; those that take too long are killed, which is heard as well."""
        wait = 1.0
        if self.timeout is not None:
            now = time.monotonic()
            for worker in self._workers:
                if worker.task and now - worker.since > self.timeout and not worker.late:
                    worker.late = True
                    worker.process.kill()
            wait = min(wait, self.timeout / 4)
        try:
            heard = [self._inbox.get(timeout=wait)]
            while not self._inbox.empty():
                heard.append(self._inbox.get())
        except Empty:
            return []
        return [(worker, said) for worker, said in heard if worker in self._workers]

    def _handled(
        self,
        worker: _Worker,
        said: Any,
        writer: TrajectoryWriter | None,
        waiting: deque[list[int]],
        deaths: Counter[int],
    ) -> list[Outcome]:
        """Act on what a process said, and give what is known now."""
        if said is None:
            return self._replaced(worker, writer, waiting, deaths)
        kind = said[0]
        if kind == "ready":
            worker.ready, self._failed_starts = True, 0
        elif kind == "refused":
            raise StateError(
                f"sweep: a process cannot read the model, its laws or a measure: {said[1]}; functions must be in a "
                "module that it can import, or cloudpickle installed (pip install supple[sweep])"
            )
        elif kind == "disk":
            raise ResultsError(f"sweep: the store cannot be written: {said[1]}; resume=True continues the sweep")
        elif kind == "case":
            outcome: Outcome = said[1]
            worker.left.remove(outcome.case)
            worker.since = time.monotonic()
            self._spent[0] += outcome.wall_time
            self._spent[1] += 1
            if writer is None:
                return [outcome]
            worker.done.append(outcome)
        elif kind == "done":
            found, worker.task, worker.done = worker.done, None, []
            return found
        return []

    def _replaced(
        self, worker: _Worker, writer: TrajectoryWriter | None, waiting: deque[list[int]], deaths: Counter[int]
    ) -> list[Outcome]:
        """Forget a process that died; its case has failed if that was not the first time, all others are run again."""
        words = worker.last_words() if not worker.ready else ""
        worker.end()
        self._workers.remove(worker)
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= MOST_FAILED_STARTS:
                raise SuppleError(f"sweep: processes die before they are ready: {words}")
        if not worker.task or not worker.left:
            if worker.task and writer is not None:  # it died while it wrote
                waiting.appendleft(worker.task)
            return []
        case = worker.left[0]
        deaths[case] += 1
        failed = worker.late or deaths[case] >= TRIES
        again = [x for x in (worker.left if writer is None else worker.task) if not (failed and x == case)]
        if again:
            waiting.appendleft(again)
        message = f"took longer than {self.timeout:g} s, and was stopped" if worker.late else DIED
        return [Outcome(case, FAILED, message)] if failed else []

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()
