"""A process that runs cases of a sweep: `python -m supple.sweeps.worker_process`, started by `LocalEngine`.

It reads tasks from its input and writes what came of them to its output. What cases print goes to the error output. It
ends at once when its input does, so that no process outlives a sweep that was killed.
"""

from __future__ import annotations

import os
import sys
import threading
from queue import SimpleQueue
from typing import Any, BinaryIO

from supple.sweeps.case_messages import receive, send, unpacked
from supple.sweeps.case_run import CaseRunner
from supple.sweeps.trajectory_writer import TrajectoryWriter


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Run tasks until the source ends."""
    waiting: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(source, waiting), daemon=True).start()
    runner: CaseRunner | None = None
    while True:
        kind, *said = waiting.get()
        if kind == "plan":
            sys.path[:] = said[1]
            try:
                runner = unpacked(said[0])
            except Exception as error:  # a module that is not found, say
                send(target, ("refused", f"{type(error).__name__}: {error}"))
                continue
            send(target, ("ready",))
        else:
            assert runner is not None
            _run(runner, said[0], said[1], target)


def _run(runner: CaseRunner, task: list[tuple[int, dict[str, Any]]], store: str | None, target: BinaryIO) -> None:
    """Run the cases of a task, each reported when it is done; then write their trajectories."""
    kept = []
    for case, changes in task:
        outcome = runner.run(case, changes)
        if store is None:
            send(target, ("case", outcome))
        else:
            kept.append(outcome)
            send(target, ("case", outcome.without_trajectories()))
    if store is not None:
        try:
            TrajectoryWriter(store).write(kept)
        except OSError as error:
            send(target, ("disk", error.strerror or str(error)))
            return
    send(target, ("done",))


def _listen(source: BinaryIO, waiting: SimpleQueue[Any]) -> None:
    while (said := receive(source)) is not None:
        waiting.put(said)
    os._exit(0)


def main() -> None:
    """Use the output for answers alone."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, target)


if __name__ == "__main__":
    main()
