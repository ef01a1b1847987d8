"""The interpreter does what machine code does, to the last bit, with every operation and in any number of lanes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supple.engines.blocks import block_program, loaded_tangents, tiers
from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.blocks import Block
from supple.engines.blocks.cells import Cells, ModelNumbers
from supple.engines.blocks.instructions import HEADER, WORDS, Op, block_instructions
from supple.engines.blocks.library import Library
from supple.engines.blocks.lifted_program import lifted_program
from supple.engines.blocks.tangent_groups import Pass
from supple.engines.blocks.tangent_program import TangentProgram
from supple.engines.blocks.tiers import LEFT
from supple.engines.code_cache.code_origin import host_fuses
from supple.engines.once import once
from supple.expressions.operations import OPERATIONS
from support.generated.random_graphs import random_function

STATES = 11
LANES = [1, 2, 4, 8]


@pytest.fixture(autouse=True)
def _interpreted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled as yet, in this process or on disk."""
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tiers, "tiered", lambda: True)
    libraries = once(Library)
    for module in (block_program, loaded_tangents):
        monkeypatch.setattr(module, "library", libraries)


def both(loaded: Any, arrays: list[Any], outputs: list[Any], numbers: Any) -> list[list[Any]]:
    """Outputs of a program as it is interpreted and as it is compiled."""
    found = []
    for _ in range(2):
        for out in outputs:
            out[:] = np.nan
        loaded.run(0, len(arrays[0]), [*arrays, *outputs], numbers)
        found.append([out.copy() for out in outputs])
        assert (loaded.words[LEFT] > 0) == (len(found) == 1)  # interpreted first
        loaded.tiers.exchange()
    return found


@pytest.mark.parametrize("lanes", LANES)
def test_values_have_the_same_bits(lanes: int) -> None:
    function = random_function(3, nodes=200, outputs=60)
    assert {n.op for n in function.order} >= OPERATIONS.keys() - {"neg"}
    program, numbers = lifted_program(function)
    x = np.random.default_rng(lanes).normal(size=(STATES, 9))
    loaded = Program.read(program.written()).loaded(lanes)
    ((interpreted,), (compiled,)) = both(loaded, [x], [np.empty((STATES, 63))], numbers)
    assert np.isfinite(interpreted).all()
    np.testing.assert_array_equal(interpreted, compiled)
    wanted = np.array([function.evaluate(s=state)["r"] for state in x])
    np.testing.assert_allclose(interpreted, wanted, rtol=1e-9, atol=1e-9)  # 200 operations one after the other


@pytest.mark.parametrize("by_states", [False, True])
@pytest.mark.parametrize("lanes", LANES)
def test_tangents_have_the_same_bits(lanes: int, by_states: bool) -> None:
    """dy/dx with y = (c0 sin(x0) x1, x0 / x1 - c1 x2 + 3 x1, -x0 x2)."""
    r = BlockRecorder()
    x, y = Cells(r, (3,)), Cells(r, (3,), 0.0)
    c = ModelNumbers(r, np.array([1.5, -2.5]), 0, (0.0,))
    y[0] = c[0] * np.sin(x[0]) * x[1]
    r.end()
    y[1] = x[0] / x[1] - c[1] * x[2] + 3 * x[1]
    y[2] = -x[0] * x[2]
    values = Program(r, {"x": x}, {"y": y})
    program = TangentProgram(values, [Pass({"x": (x.first, 3)}, {"y": (y.first, 3)})], {})
    states = np.random.default_rng(lanes).normal(size=(STATES, 3))
    outputs = [np.empty((STATES, 3)), np.empty((STATES, 9))]
    found = both(program.loaded(lanes, by_states), [states], outputs, np.array([1.5, -2.5]))
    for interpreted, compiled in zip(*found, strict=True):
        np.testing.assert_array_equal(interpreted, compiled)
    a, b, d = states.T
    zero = np.zeros_like(a)
    rows = [[1.5 * np.cos(a) * b, 1.5 * np.sin(a), zero], [1 / b, 3 - a / b**2, zero + 2.5], [-d, zero, -a]]
    np.testing.assert_allclose(found[0][1].reshape(-1, 3, 3), np.moveaxis(np.array(rows), -1, 0), atol=1e-13)


def test_what_is_stored_may_be_what_is_read() -> None:
    """Two cells change places: everything is read before anything is stored."""
    r = BlockRecorder()
    x = Cells(r, (2,))
    x[0], x[1] = x[1], x[0]
    (swapped,) = BoundProgram(Program(r, {"x": x}, {"y": x}), np.zeros(0)).batch([np.array([[1.0, 2.0]])], 1)
    np.testing.assert_array_equal(swapped, [[2.0, 1.0]])


def instructions(operations: list[Any], stores: list[Any]) -> list[Op]:
    """What is done, in order, by a block on one row."""
    words = block_instructions(Block.of(["memory"], operations, stores), {"sincos": 1, "sin": 2})
    code = np.frombuffer(words, dtype=np.int32)[HEADER // 4 :].tolist()
    found = [Op(code[i]) for i in range(0, len(code) - WORDS + 1, WORDS) if code[i] in list(Op)]
    return found[: found.index(Op.END)]


def test_sums_of_products_are_chains() -> None:
    loads = [("load", 0, i) for i in range(4)]
    found = instructions([*loads, ("mul", 0, 1), ("mul", 2, 3), ("sub", 4, 5)], [(0, 0, 6)])
    assert found[:4] == [Op.LOAD_FIRST] * 4
    assert found[4:] == [Op.MUL, *([Op.FUSED_MINUS] if host_fuses() else [Op.MUL, Op.SUB]), Op.STORE_FIRST]


def test_a_sine_and_its_cosine_are_one_call() -> None:
    found = instructions([("load", 0, 0), ("sin", 0), ("cos", 0), ("sin", 2)], [(0, 0, 1), (0, 1, 3)])
    assert found == [Op.LOAD_FIRST, Op.SINE_AND_COSINE, Op.CALL, Op.STORE_FIRST, Op.STORE_FIRST]


def test_a_constant_is_loaded_once() -> None:
    found = instructions([("load", 0, 0), ("mul", 2.5, 0), ("div", 2.5, 1)], [(0, 0, 2), (0, 1, 2.5)])
    assert found.count(Op.CONSTANT) == 1
