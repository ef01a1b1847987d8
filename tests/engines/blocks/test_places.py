"""Places: what follows from the integers of one body, and when the same holds for another."""

from __future__ import annotations

import pytest

from supple.engines.blocks.places import Indices, Origins, Place, counted, evaluated, fulfilled

PARENT = Indices([0, 0, 1, 1, 3])
FIRST = Indices([0, 0, 2, 3, 5, 6])


def alike(origins: Origins, *arguments: int) -> list[int] | None:
    """Values of all terms for other arguments, where these take the same course."""
    values = evaluated(list(origins.terms), arguments)
    return values if values is not None and fulfilled(list(origins.conditions.items()), values) else None


def start(k: int) -> tuple[Origins, Place]:
    origins = Origins([k])
    return origins, origins.arguments[0]


def test_places_follow_for_another_body() -> None:
    origins, k = start(2)
    row = 6 * PARENT[k] + FIRST[k + 1] + 4
    assert row.value == 6 * 1 + 3 + 4
    values = alike(origins, 4)
    assert values is not None
    assert values[row.term] + row.offset == 6 * 3 + 6 + 4


def test_a_comparison_is_a_condition_on_its_outcome_alone() -> None:
    origins, k = start(2)
    assert PARENT[k] > 0
    assert not PARENT[k] >= k
    assert alike(origins, 4) is not None
    assert alike(origins, 1) is None


def test_a_truth_is_a_condition() -> None:
    given = Indices([True, False, True])
    for i, other, outcome in ((0, 2, True), (0, 1, False)):
        origins, k = start(i)
        assert given[k]
        assert (alike(origins, other) is not None) == outcome


def test_the_length_of_a_loop_is_a_condition_and_its_beginning_is_not() -> None:
    origins, k = start(1)
    assert [i.value for i in counted(FIRST[k], FIRST[k + 1])] == [0, 1]
    assert alike(origins, 3) is not None
    assert alike(origins, 2) is None
    origins, k = start(3)
    assert [i.value for i in counted(FIRST[k + 1] - 1, FIRST[k] - 1, -1)] == [4, 3]
    assert alike(origins, 1) is not None


@pytest.mark.parametrize("use", [lambda k: range(k), lambda k: (7, 8, 9)[k], lambda k: 5 - k, lambda k: {k: 0}, int])
def test_a_place_that_is_used_in_any_other_way_is_bound_to_its_value(use: object) -> None:
    origins, k = start(2)
    use(k)  # type: ignore[operator]
    assert alike(origins, 2) is not None
    assert alike(origins, 1) is None


def test_differences_are_numbers_that_must_be_the_same() -> None:
    origins, k = start(2)
    assert FIRST[k + 1] - FIRST[k] == 1
    assert alike(origins, 4) is not None
    assert alike(origins, 3) is None


def test_what_lies_outside_an_array_is_not_alike() -> None:
    origins, k = start(2)
    assert PARENT[k].value == 1
    assert alike(origins, 5) is None
    assert alike(origins, -1) is None


def test_indices_of_two_axes() -> None:
    ends = Indices([[1, 2], [3, 4], [5, 6]])
    origins, e = start(0)
    end = ends[e, 1]
    assert (len(ends), end.value, ends[2, 0]) == (3, 2, 5)
    values = alike(origins, 2)
    assert values is not None
    assert values[end.term] == 6
