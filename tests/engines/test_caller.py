"""One state from Python: right arguments are taken, all others are left to the caller."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.cells import Cells, ModelNumbers
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.engines.llvm import caller
from supple.expressions.function import Function
from supple.expressions.graph import Graph

pytestmark = pytest.mark.skipif(not caller.possible(), reason="this Python lays its objects out in another way")


@pytest.fixture
def function() -> Callable[..., Any]:
    """y = c sqrt(x), with x as margin."""
    r = BlockRecorder()
    x, y, margin = Cells(r, (2,)), Cells(r, (2,), 0.0), Cells(r, (1,), 0.0)
    c = ModelNumbers(r, np.array([3.0]), 0, (0.0,))
    for i in range(2):
        y[i] = c[0] * np.sqrt(x[i])
    margin[0] = np.minimum(x[0], x[1])
    found: Callable[..., Any] = BoundProgram(Program(r, {"x": x}, {"y": y}, margin), np.array([3.0])).one
    return found


@pytest.mark.usefixtures("own_garbage")
def test_evaluates_and_returns_the_last_array(function: Callable[..., Any]) -> None:
    gc.collect()  # nothing but the function itself keeps the code and its memory
    x, y = np.array([4.0, 9.0]), np.empty(2)
    assert function(x, y) is y
    assert y.tolist() == [6.0, 9.0]


def test_makes_the_last_array_if_it_is_not_given(function: Callable[..., Any]) -> None:
    x = np.array([4.0, 9.0])
    first, second = function(x), function(4.0 * x)
    assert first.tolist() == [6.0, 9.0]
    assert second.tolist() == [12.0, 18.0]  # an array of its own
    assert first.flags.owndata


def test_arrays_that_nobody_has_any_more_are_used_again(function: Callable[..., Any]) -> None:
    x = np.array([4.0, 9.0])
    y, seen = function(x), set()
    for _ in range(10):
        seen.add(id(y))
        y = function(x)
    assert len(seen) == 2


def test_arrays_that_somebody_has_are_left_alone(function: Callable[..., Any]) -> None:
    x = np.array([4.0, 9.0])
    results = [function(i * i * x) for i in range(1, 9)]
    assert [y.tolist() for y in results] == [[6.0 * i, 9.0 * i] for i in range(1, 9)]
    views = [function(i * i * x)[1:] for i in range(1, 9)]
    assert [y.tolist() for y in views] == [[9.0 * i] for i in range(1, 9)]
    y = function(x)
    for _ in range(5):  # a result is the next argument
        root = 3.0 * np.sqrt(y)
        y = function(y)
        assert y.tolist() == root.tolist()


def _shaped(y: Any) -> None:
    y.shape = (2, 1)


def _retyped(y: Any) -> None:
    y.dtype = np.int64


def _protected(y: Any) -> None:
    y.flags.writeable = False


def _resized(y: Any) -> None:
    y.resize(1, refcheck=False)


def _watched(y: Any) -> None:
    watchers.append(weakref.ref(y))


watchers: list[Any] = []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer numpy would rather not have some of these changes
@pytest.mark.parametrize("change", [_shaped, _retyped, _protected, _resized, _watched])
def test_changed_arrays_are_not_used_again(function: Callable[..., Any], change: Callable[[Any], None]) -> None:
    x = np.array([4.0, 9.0])
    for _ in range(2):
        y = function(x)
        change(y)
    keep = [y]
    del y
    for _ in range(4):
        y = function(x)
        assert y.dtype == np.float64
        assert y.shape == (2,)
        assert y.tolist() == [6.0, 9.0]
        y[:] = 0.0
    assert keep[0] is not y
    if change is _watched:
        assert watchers[0]() is None  # it is dead, not another result by now
    watchers.clear()


def test_what_it_cannot_serve_goes_to_another_function_with_all_arguments() -> None:
    bound, seen = CompiledFunction.of(_root()).values, list[Any]()
    direct = bound.call({"y": (2, 1)}, otherwise=lambda *args, **options: seen.append((args, options)))
    out, bad = np.empty((2, 1)), np.array([-1.0, 4.0])
    x = np.array([9.0, 4.0])
    assert direct(x).tolist() == [[3.0], [2.0]]
    assert not seen
    for args, options in (((x[None],), {}), ((x,), {"out": out}), ((bad,), {}), ((), {}), (([1.0, 2.0],), {})):
        assert direct(*args, **options) is None
        assert seen.pop() == (args, options)


def test_arrays_and_arguments_are_released(function: Callable[..., Any]) -> None:
    x, bad = np.array([4.0, 9.0]), np.array([4.0, np.inf])
    before = [sys.getrefcount(y) for y in (x, bad, None)]
    for _ in range(100):
        function(x)
        function(bad)
        function(None)
    after = [sys.getrefcount(y) for y in (x, bad, None)]
    assert after[:2] == before[:2]
    assert abs(after[2] - before[2]) < 20  # None is used by others, too


def _root() -> Function:
    g = Graph()
    x = g.new_inputs("x", ["a", "b"])
    return Function("roots", g, {"x": x}, {"y": np.sqrt(x)[:, None]})


@pytest.mark.parametrize(
    "x",
    [
        [4.0, 9.0],
        (4.0, 9.0),
        None,
        4.0,
        np.array([4, 9]),
        np.array([4.0, 9.0], dtype=np.float32),
        np.array([4.0, 9.0, 1.0]),
        np.array([[4.0, 9.0]]),
        np.array([4.0, 0.0, 9.0, 0.0])[::2],
        np.array([4.0, 9.0]).astype(">f8"),
        np.array(4.0),
    ],
)
def test_leaves_other_arguments_alone(function: Callable[..., Any], x: Any) -> None:
    y = np.full(2, 5.0)
    assert function(x, y) is None
    assert y.tolist() == [5.0, 5.0]


def test_leaves_wrong_numbers_of_arguments_and_read_only_results_alone(function: Callable[..., Any]) -> None:
    x, y = np.array([4.0, 9.0]), np.empty(2)
    assert function() is None
    assert function(x, y, y) is None
    assert function(x, out=y) is None
    y.flags.writeable = False
    assert function(x, y) is None


def test_a_margin_that_is_not_positive_is_left_to_the_caller(function: Callable[..., Any]) -> None:
    for bad in (0.0, -1.0, np.nan):
        assert function(np.array([4.0, bad]), np.empty(2)) is None


def test_results_that_are_not_finite_are_left_to_the_caller(function: Callable[..., Any]) -> None:
    assert function(np.array([4.0, np.inf]), np.empty(2)) is None


def test_a_subclass_of_array_is_left_to_the_caller(function: Callable[..., Any]) -> None:
    class Tagged(np.ndarray[Any, Any]):
        pass

    assert function(np.array([4.0, 9.0]).view(Tagged), np.empty(2)) is None


@pytest.fixture
def several() -> Callable[..., Any]:
    """A matrix and a number of (x, t), the third output left aside."""
    r = BlockRecorder()
    x, t = Cells(r, (2,)), Cells(r, (1,))
    M, y, aside = Cells(r, (2, 2), 0.0), Cells(r, (1,), 0.0), Cells(r, (1,), 0.0)
    for i in range(2):
        for j in range(2):
            M[i, j] = x[i] * x[j]
    y[0] = x[0] + t[0]
    aside[0] = 1.0 / t[0]
    program = Program(r, {"x": x, "t": t}, {"M": M, "y": y, "aside": aside})
    return BoundProgram(program, np.zeros(0)).call({"y": (), "M": (2, 2)}, scalars=[1])


def test_several_outputs_come_in_a_tuple_in_their_shapes(several: Callable[..., Any]) -> None:
    x = np.array([2.0, 3.0])
    results = [several(x, 1.0 * i) for i in range(1, 5)]
    assert [y.tolist() for y, _ in results] == [3.0, 4.0, 5.0, 6.0]
    for y, M in results:
        assert (y.shape, M.shape) == ((), (2, 2))
        assert M.tolist() == [[4.0, 6.0], [6.0, 9.0]]
    seen = {id(M) for _ in range(10) for _, M in [several(x, 1.0)]}
    assert len(seen) <= 2


def test_a_scalar_is_a_float(several: Callable[..., Any]) -> None:
    x = np.array([2.0, 3.0])
    assert several(x, np.float64(1.0)) is None
    assert several(x, 1) is None
    assert several(x, np.array([1.0])) is None
    assert several(x, np.nan) is None
    assert several(x, 1.0) is not None


def test_outputs_that_are_left_aside_may_be_anything(several: Callable[..., Any]) -> None:
    y, _ = several(np.array([2.0, 3.0]), 0.0)
    assert y == 2.0


def test_inputs_that_are_not_finite_are_left_to_the_caller(several: Callable[..., Any]) -> None:
    for bad in (np.nan, np.inf, -np.inf):
        assert several(np.array([2.0, bad]), 1.0) is None


@pytest.mark.usefixtures("own_garbage")
def test_tuples_are_released(several: Callable[..., Any]) -> None:
    x = np.array([2.0, 3.0])
    held = [several(x, 1.0) for _ in range(4)]
    counts = [sys.getrefcount(z) for pair in held for z in pair]
    del held
    assert max(counts) <= 4  # the tuple, the function, the loop, the count itself
    before = len(gc.get_objects())
    for _ in range(1000):
        several(x, 1.0)
        several(x, np.inf)
    assert len(gc.get_objects()) - before < 100
