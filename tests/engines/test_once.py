"""Results that are made once, also if threads ask for them at the same time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from supple.engines.once import once


def test_threads_that_ask_at_once_get_one_result() -> None:
    made: list[int] = []
    barrier = threading.Barrier(8)

    @once
    def thing(number: int) -> object:
        """A thing."""
        made.append(number)
        threading.Event().wait(0.01)  # lets the others come as far as they can
        return object()

    def ask(number: int) -> object:
        barrier.wait()
        return thing(number % 2)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert sorted(made) == [0, 1]
    assert len(set(map(id, found))) == 2
    assert thing.__doc__ == "A thing."
