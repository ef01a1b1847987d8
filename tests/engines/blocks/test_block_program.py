"""Programs: any number of states, lanes and threads, and other numbers without a compiler."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from supple.engines.blocks import library as libraries
from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.cells import Cells, ModelNumbers
from supple.engines.code_cache import write_code
from supple.engines.code_cache.code_room import file_name
from supple.engines.llvm.jit import host_lanes, object_code_of
from supple.expressions.operations import FUNCTIONS

NUMBERS = np.array([1.5, -2.5])


@pytest.fixture(scope="module")
def program() -> Program:
    """y = c0 sin(x0) + c1 x1, z = x0 / x1."""
    r = BlockRecorder()
    x, y, z = Cells(r, (2,)), Cells(r, (1,), 0.0), Cells(r, (1,), 0.0)
    c = ModelNumbers(r, NUMBERS, 0, (0.0,))
    y[0] = c[0] * np.sin(x[0]) + c[1] * x[1]
    r.end()
    z[0] = x[0] / x[1]
    return Program(r, {"x": x}, {"y": y, "z": z})


@pytest.mark.parametrize("states", [0, 1, 2, 3, 7, 8, 9, 16, 17, 100])
def test_any_number_of_states(program: Program, states: int) -> None:
    x = np.random.default_rng(states).normal(size=(states, 2))
    y, z = BoundProgram(program, NUMBERS).batch([x], states)
    np.testing.assert_allclose(y[:, 0], 1.5 * np.sin(x[:, 0]) - 2.5 * x[:, 1], rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(z[:, 0], x[:, 0] / x[:, 1])


def test_a_program_that_was_written_is_read(program: Program) -> None:
    other = Program.read(program.written())
    assert (other.inputs, other.outputs, other.shapes) == (program.inputs, program.outputs, program.shapes)
    assert (other.cells, other.judged, other.weight) == (program.cells, program.judged, program.weight)
    assert other.instances == program.instances
    assert [x.block.operations for x in other.instances] == [x.block.operations for x in program.instances]
    assert [x.block.stores for x in other.instances] == [x.block.stores for x in program.instances]
    x = np.random.default_rng(5).normal(size=(5, 2))
    for own, same in zip(*(BoundProgram(p, NUMBERS).batch([x], 5) for p in (program, other)), strict=True):
        np.testing.assert_array_equal(own, same)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_any_number_of_lanes(program: Program, lanes: int) -> None:
    x = np.random.default_rng(3).normal(size=(21, 2))
    y, z = np.empty((21, 1)), np.empty((21, 1))
    program.loaded(lanes).run(0, 21, [x, y, z], NUMBERS)
    np.testing.assert_allclose(y[:, 0], 1.5 * np.sin(x[:, 0]) - 2.5 * x[:, 1], rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(z[:, 0], x[:, 0] / x[:, 1])


def test_few_states_go_through_code_for_one_state(program: Program) -> None:
    """What few are, the caller says: in operations of all states."""
    x, bound = np.random.default_rng(8).normal(size=(40, 2)), BoundProgram(program, NUMBERS)
    with mock.patch.object(Program, "loaded", autospec=True, side_effect=Program.loaded) as loaded:
        found = [bound.batch([x], 40, worth=worth) for worth in (0, 40 * program.weight - 1, 40 * program.weight)]
    assert [lanes for _, lanes in (call.args for call in loaded.call_args_list)] == [host_lanes(), host_lanes(), 1]
    for y, z in found:
        np.testing.assert_allclose(y[:, 0], 1.5 * np.sin(x[:, 0]) - 2.5 * x[:, 1], rtol=1e-14, atol=1e-15)
        np.testing.assert_array_equal(z[:, 0], x[:, 0] / x[:, 1])


def test_one_row_serves_all_states() -> None:
    r = BlockRecorder()
    x, c, y = Cells(r, (1,)), Cells(r, (1,)), Cells(r, (1,), 0.0)
    y[0] = x[0] + c[0]
    bound = BoundProgram(Program(r, {"x": x, "c": c}, {"y": y}), np.zeros(0))
    (y_,) = bound.batch([np.arange(20.0)[:, None], np.array([[0.5]])], 20)
    np.testing.assert_array_equal(y_[:, 0], np.arange(20) + 0.5)


def test_threads_have_memory_of_their_own(program: Program) -> None:
    bound = BoundProgram(program, NUMBERS)
    x = np.random.default_rng(5).normal(size=(8, 200, 2))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda part: bound.batch([part], 200)[0], x))
    for part, y in zip(x, found, strict=True):
        np.testing.assert_array_equal(y, bound.batch([part], 200)[0])


def test_every_function_of_the_graph() -> None:
    r = BlockRecorder()
    x = Cells(r, (2,))
    y = Cells(r, (len(FUNCTIONS),), 0.0)
    for i, (name, function) in enumerate(FUNCTIONS.items()):
        y[i] = getattr(r, name)(*[x[j] for j in range(function.arity)])
    bound = BoundProgram(Program(r, {"x": x}, {"y": y}), np.zeros(0))
    values = np.random.default_rng(1).uniform(0.1, 0.9, (50, 2))
    for states in (1, 50):
        (found,) = bound.batch([values[:states]], states)
        for i, (name, function) in enumerate(FUNCTIONS.items()):
            expected = getattr(np, function.numpy)(*values[:states, : function.arity].T)
            np.testing.assert_allclose(found[:, i], expected, rtol=1e-14, err_msg=name)


def test_compiled_once_and_read_back(program: Program) -> None:
    """A second library finds on disk what the first has compiled."""
    blocks = [x.block for x in program.instances]
    libraries.Library(1).blocks(blocks)
    with mock.patch.object(libraries, "object_code_of", side_effect=AssertionError("compiled again")):
        again = libraries.Library(1).blocks(blocks)
    assert set(again) == {x.name for x in blocks}


def test_a_damaged_file_is_made_again(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the object or of the index, each in every way; afterwards nothing is compiled."""
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    blocks = [x.block for x in program.instances]

    def compiled() -> int:
        with mock.patch.object(libraries, "object_code_of", wraps=object_code_of) as compiler:
            assert set(libraries.Library(1).blocks(blocks)) == {x.name for x in blocks}
        return compiler.call_count

    assert compiled() == 1
    index, object_ = sorted((tmp_path / "blocks").iterdir(), key=lambda path: path.stat().st_size)
    good = {path: path.read_bytes() for path in (index, object_)}
    for path, other in ((index, object_), (object_, index)):
        half = len(good[path]) // 2
        flipped = good[path][:half] + bytes([good[path][half] ^ 1]) + good[path][half + 1 :]
        for damaged in (flipped, good[path][:half], good[other], b""):
            path.write_bytes(damaged)
            assert compiled() == 1
            assert path.read_bytes() == good[path]
            assert compiled() == 0
        path.unlink()
        assert compiled() == 1


def test_the_index_grows_and_forgets_objects_that_are_gone(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    blocks = list({x.block.name: x.block for x in program.instances}.values())
    library = libraries.Library(1)
    for block in blocks:
        library.blocks([block])
    index, _ = library._index()
    assert sorted(index.values()) == sorted([block.name] for block in blocks)
    gone, *left = index
    (tmp_path / "blocks" / file_name("blocks", library._key(gone))).unlink()
    others = [f"x{i}" for i in range((1 << len(blocks).bit_length()) - len(blocks))]
    for name in others:  # up to a power of two
        write_code("blocks", library._key(name), b"")
        library._enter(name, [name])
    assert library._index()[0] == {x: index[x] for x in left} | {name: [name] for name in others}
