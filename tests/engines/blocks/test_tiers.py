"""Blocks that are interpreted first: when they are compiled, and that nobody sees it but by the time."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from supple.engines.blocks import block_program, loaded_tangents, tiers
from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.cells import Cells
from supple.engines.blocks.library import Library
from supple.engines.blocks.tangent_groups import Pass
from supple.engines.blocks.tangent_program import BoundTangents, TangentProgram
from supple.engines.blocks.tiers import FAST, LEFT, WORTH, settle
from supple.engines.llvm.jit import host_lanes
from supple.engines.once import once
from supple.model.programs import ModelStructure, program
from support.generated.generators import random_tree

NONE = np.zeros(0)


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Nothing is compiled as yet, in this process or on disk; gives what is: how many functions at a time."""
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tiers, "tiered", lambda: True)
    compiled: list[int] = []

    class Watched(Library):
        def _compile(self, names: list[str], text: str) -> None:
            compiled.append(len(names))
            super()._compile(names, text)

    libraries = once(Watched)
    for module in (block_program, loaded_tangents):
        monkeypatch.setattr(module, "library", libraries)
    return compiled


def recorded() -> Program:
    """y = x0 x1 + sin(x0) / x1, twice alike, and z = x0 y."""
    r = BlockRecorder()
    x, y, z = Cells(r, (2,)), Cells(r, (2,), 0.0), Cells(r, (1,), 0.0)
    for i in range(2):
        y[i] = x[0] * x[1] + np.sin(x[0]) / x[1]
        r.end()
    z[0] = x[0] * y[0]
    return Program(r, {"x": x}, {"y": y, "z": z})


def states(n: int) -> Any:
    """Random ones."""
    return np.random.default_rng(n).normal(size=(n, 2))


def test_functions_are_exchanged_when_they_have_run_often(empty: list[int]) -> None:
    bound, x = BoundProgram(recorded(), NONE), states(1)
    first = [y.copy() for y in bound.batch([x], 1)]
    assert empty == []
    loaded = bound.program.loaded(1)
    left = int(loaded.words[LEFT])
    assert WORTH // 2 < left < WORTH  # one block is called twice, which pays back sooner
    loaded.words[LEFT] = 2
    before = loaded.words.copy()
    bound.batch([x], 1)
    assert empty == []
    again = bound.batch([x], 1)
    settle()
    assert empty == [2]
    assert loaded.words[LEFT] == FAST
    assert (loaded.words != before).sum() == 1 + 3
    for y, same in zip([*first, *first], [*again, *bound.batch([x], 1)], strict=True):
        np.testing.assert_array_equal(y, same)


def test_a_call_of_one_state_counts_too(empty: list[int]) -> None:
    one = BoundProgram(recorded(), NONE).one
    x, y, z = states(1)[0], np.empty(2), np.empty(1)
    for _ in range(WORTH + 1):
        one(x, y, z)
    settle()
    assert empty == [2]


def test_a_large_batch_is_compiled_at_once(empty: list[int]) -> None:
    n = host_lanes() * WORTH
    BoundProgram(recorded(), NONE).batch([states(n)], n)
    assert empty == [2]


def test_what_is_foreseen_is_compiled_while_the_interpreter_runs(empty: list[int]) -> None:
    bound, x = BoundProgram(recorded(), NONE), states(1)
    first = [y.copy() for y in bound.batch([x], 1)]
    loaded = bound.program.loaded(1)
    loaded.tiers.foresee(int(loaded.words[LEFT]) - 1)
    settle()
    assert empty == []
    loaded.tiers.foresee(int(loaded.words[LEFT]))
    loaded.tiers.foresee(WORTH)
    settle()
    assert empty == [2]
    assert loaded.words[LEFT] == FAST
    for y, same in zip(first, bound.batch([x], 1), strict=True):
        np.testing.assert_array_equal(y, same)


def test_compiled_code_that_is_there_is_taken(empty: list[int]) -> None:
    BoundProgram(recorded(), NONE).program.loaded(1).tiers.exchange()
    other = recorded().loaded(1)
    assert empty == [2]
    assert other.words[LEFT] == 0


def test_threads_see_no_difference(empty: list[int]) -> None:
    bound, x = BoundProgram(recorded(), NONE), states(64)
    wanted = bound.batch([x], 64)
    bound.program.side_by_side(host_lanes()).words[LEFT] = 500
    barrier = threading.Barrier(8)

    def work(_: int) -> bool:
        barrier.wait()
        return all((y == same).all() for _ in range(40) for y, same in zip(bound.batch([x], 64), wanted, strict=True))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    settle()
    assert empty == [2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked on this system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the child leaves at once
def test_nobody_waits_for_the_compiler_but_a_fork() -> None:
    loaded = recorded().loaded(1)
    loaded.words[LEFT] = 1
    x, y, z = states(1), np.empty((1, 2)), np.empty((1, 1))
    held, exchange = threading.Event(), tiers.Tiers.exchange

    def late(own: tiers.Tiers) -> None:
        held.wait()
        exchange(own)

    with mock.patch.object(tiers.Tiers, "exchange", late):
        loaded.run(0, 1, [x, y, z], NONE)
    assert loaded.words[LEFT] == 0
    np.testing.assert_array_equal(z, x[:, :1] * y[:, :1])
    held.set()
    child = os.fork()
    if not child:
        os._exit(0 if loaded.words[LEFT] == FAST else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("count", [1, 64])
def test_models_have_the_same_bits(count: int) -> None:
    """Values and derivatives of a random tree, for single states and batches."""
    model = random_tree.__wrapped__(4, 6)  # no other test has loaded its code
    structure = ModelStructure(model.tree, model.flex, model.nq)
    values = Program.read(program(structure, structure.digest(), "forward_dynamics").written())  # nothing loaded yet
    q, v = (np.array(x) for x in zip(*(model.random_state(i) for i in range(count)), strict=True))
    inputs = [q, v, np.ones((count, model.nv))]
    bound = BoundProgram(values, structure.numbers.values())
    derivatives = TangentProgram(values, [Pass({"v": values.inputs["v"]}, {"a": values.outputs["a"]})], {})
    tangents = BoundTangents(derivatives, bound.numbers)
    lanes = host_lanes() if count > 1 else 1
    found = []
    for _ in range(2):
        found.append([*bound.batch(inputs, count), *tangents.batch(inputs, count)])
        used: list[Any] = [
            values.loaded(lanes),
            derivatives.values.loaded(lanes),
            derivatives.loaded(host_lanes(), count > 1),
        ]
        for loaded in used:
            loaded.tiers.exchange()
            assert loaded.words[LEFT] == FAST
    for x, same in zip(*found, strict=True):
        np.testing.assert_array_equal(x, same)
