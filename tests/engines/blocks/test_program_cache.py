"""Programs are made once; only who needs the same one waits; a recording may ask for others."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from supple.engines.blocks.program_cache import ProgramCache

PATIENCE = 30.0
"""Seconds after which a thread that waits has failed."""


def noted(cache: ProgramCache, name: str, made: list[str]) -> str:
    """Return a program that notes when it is made."""

    def make() -> str:
        made.append(name)
        return name

    return cache.get((name,), make)


def test_programs_are_made_once() -> None:
    cache, made = ProgramCache(), list[str]()
    assert [noted(cache, "a", made) for _ in range(3)] == ["a"] * 3
    assert made == ["a"]
    assert len(cache) == 1


def test_those_unused_for_longest_go_first() -> None:
    cache, made = ProgramCache(size=2), list[str]()
    for name in ("a", "b", "a", "c", "a", "b"):
        noted(cache, name, made)
    assert made == ["a", "b", "c", "b"]


def test_recordings_do_not_wait_for_each_other() -> None:
    """Each of two threads is in the midst of its recording while the other one is."""
    cache, both = ProgramCache(), threading.Barrier(2)
    found: dict[str, Any] = {}

    def make(name: str) -> str:
        both.wait(PATIENCE)
        return name

    def run(name: str) -> None:
        found[name] = cache.get((name,), lambda: make(name))

    threads = [threading.Thread(target=run, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"a": "a", "b": "b"}


def test_threads_that_need_the_same_program_share_it() -> None:
    cache, begun, go_on, made = ProgramCache(), threading.Event(), threading.Event(), list[object]()

    def make() -> object:
        begun.set()
        assert go_on.wait(PATIENCE)
        made.append(object())
        return made[-1]

    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(cache.get(("a",), make))) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert begun.wait(PATIENCE)
    go_on.set()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert found == made * 4


def test_a_recording_may_ask_for_another_program() -> None:
    cache = ProgramCache()
    assert cache.get(("outer",), lambda: cache.get(("inner",), lambda: "inner") + " and outer") == "inner and outer"


def test_what_fails_is_tried_again() -> None:
    cache = ProgramCache()

    def fail() -> str:
        raise ValueError("no program")

    with pytest.raises(ValueError, match="no program"):
        cache.get(("a",), fail)
    assert cache.get(("a",), lambda: "program") == "program"
