"""What a method is asked for: where it has to come to, and what it says of the functions that are watched."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

from supple.simulation.methods.segment import Task, Watch


def task(**changes: Any) -> Task:
    made = Task(1.0, np.zeros(2), 2.0, np.array([1.25, 1.5]), np.zeros(0), {}, None, np.zeros((2, 2)), lambda t: None)
    return replace(made, **changes)


def watch(address: int = 0) -> Watch:
    return Watch(lambda t, y, u: np.array([t - 3.0, 0.0, y[0]]), address, np.array([0.0, 1.0, -1.0]), np.ones(3))


def test_the_end_is_the_last_goal_and_there_once() -> None:
    assert task().goals == [1.25, 1.5, 2.0]
    assert task(times=np.array([1.25, 2.0])).goals == [1.25, 2.0]
    assert task(times=np.zeros(0)).goals == [2.0]


def test_the_last_time_is_the_one_before_the_end() -> None:
    assert task().last < 2.0
    assert np.nextafter(task().last, 3.0) == 2.0


def test_an_output_time_counts_when_it_is_reached() -> None:
    assert [task().upto(t) for t in (1.1, 1.25, 1.4, 1.5, 2.0)] == [0, 1, 1, 2, 2]


def test_only_a_python_function_that_is_watched_keeps_from_the_native_loops() -> None:
    made = [task(), task(watch=watch(7)), task(watch=watch())]
    assert [x.native for x in made] == [True, True, False]
    assert [x.address for x in made] == [0, 7, 0]
    assert [x.signs().shape for x in made] == [(3, 0), (3, 3), (3, 3)]


def test_looking_notes_the_signs_only_where_nothing_happened() -> None:
    at = watch()
    g = task(watch=at).signs()
    at.look(4.0, np.array([2.0]), np.zeros(0), g)
    assert g.tolist() == [[1.0, 1.0, 1.0], [0.0, 1.0, -1.0], [1.0, 0.0, 2.0]]
    at.look(1.0, np.array([2.0]), np.zeros(0), g)  # the first has changed its sign
    assert g.tolist() == [[1.0, 1.0, 1.0], [0.0, 1.0, -1.0], [-2.0, 0.0, 2.0]]
    assert at.crossed(g[2]).tolist() == [0]
    at.directions[0] = 1.0  # rising only: what falls is noted
    at.look(1.0, np.array([2.0]), np.zeros(0), g)
    assert g[0].tolist() == at.signs.tolist() == [-1.0, 1.0, 1.0]


def test_a_task_is_not_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        task().t = 0.0  # type: ignore[misc]
