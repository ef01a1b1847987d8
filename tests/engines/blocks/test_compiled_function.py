"""Compiled functions: every shape of inputs and outputs, and what is refused."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supple.engines.blocks import block_program
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.engines.blocks.lifted_program import lifted_program
from supple.engines.llvm import jit
from supple.errors import StateError, SuppleError
from supple.symbolic import Function, Graph

COUNT = 11  # not a multiple of any number of lanes
RNG = np.random.default_rng(0)
S, U = RNG.normal(size=(COUNT, 3)), RNG.normal(size=(COUNT, 2))


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory for objects."""
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    return tmp_path


def several() -> Function:
    """Outputs of all shapes: a vector, a matrix, a number, nothing, and constants."""
    g: Any = Graph()
    x, y, z, u, w = (g.input(name) for name in ("x", "y", "z", "u", "w"))
    outputs = {
        "vector": [x * u, np.sin(y) + w],
        "matrix": [[x, y - z, 2.5], [np.exp(u), np.sqrt(x * x + 1), z]],
        "number": x * y * z,
        "nothing": [],
        "constant": [[0.25]],
    }
    return Function("several", g, {"s": np.array([x, y, z]), "u": np.array([u, w])}, outputs)  # type: ignore[arg-type]


def expected(s: Any, u: Any) -> list[Any]:
    """What `several` gives, by numpy."""
    s, u = np.broadcast_arrays(*(np.pad(x, (*[(0, 0)] * (x.ndim - 1), (0, 3 - x.shape[-1]))) for x in (s, u)))
    x, y, z, u, w = s[..., 0], s[..., 1], s[..., 2], u[..., 0], u[..., 1]
    matrix = [[x, y - z, np.full(x.shape, 2.5)], [np.exp(u), np.sqrt(x * x + 1), z]]
    return [
        np.stack([x * u, np.sin(y) + w], axis=-1),
        np.stack([np.stack(row, axis=-1) for row in matrix], axis=-2),
        x * y * z,
        np.zeros((*x.shape, 0)),
        np.full((*x.shape, 1, 1), 0.25),
    ]


def assert_same(got: Any, wanted: list[Any]) -> None:
    assert [x.shape for x in got] == [x.shape for x in wanted]
    for x, y in zip(got, wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("batch", [(), (1,), (COUNT,), (0,), (2, 3), (2, COUNT)])
def test_several_outputs_of_any_shape(batch: tuple[int, ...], lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_program, "host_lanes", lambda: lanes)
    f = CompiledFunction.of(several())
    assert f.inputs == {"s": 3, "u": 2}
    assert f.outputs == {"vector": (2,), "matrix": (2, 3), "number": (), "nothing": (0,), "constant": (1, 1)}
    s, u = np.resize(S, (*batch, 3)), np.resize(U, (*batch, 2))
    assert_same(f(s, u), expected(s, u))


@pytest.mark.parametrize(
    ("s", "u"),
    [
        (S, U[0]),
        (S[0], U),
        (S[:, None], U[None, :4]),
        (S[0], U[None, :1]),
        (S[:0], U[0]),
        (np.asfortranarray(S), U[::-1]),
    ],
)
def test_leading_axes_broadcast(s: Any, u: Any) -> None:
    assert_same(CompiledFunction.of(several())(s, u), expected(s, u))


def test_other_kinds_of_numbers() -> None:
    f = CompiledFunction.of(several())
    assert_same(f([1, 2, 3], (True, False)), expected(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0])))
    assert_same(f(S.astype("f4"), U), expected(S.astype("f4").astype(float), U))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_one_state_and_one_output_for_any_number_of_inputs(count: int) -> None:
    g = Graph()
    arrays = {f"a{i}": np.array([g.input(f"x{i}"), g.input(f"y{i}")]) for i in range(count)}
    total = sum(x[0] * x[1] for x in arrays.values())
    f = CompiledFunction.of(Function("f", g, arrays, {"sum": total}))  # type: ignore[dict-item]
    values = RNG.normal(size=(count, 2))
    for inputs in (list(values), values.tolist(), [x[None] for x in values]):
        one = f(*inputs)
        np.testing.assert_allclose(one, np.full(one.shape, values.prod(axis=1).sum()), rtol=1e-15)
    assert f(*values).shape == ()
    assert f(*values[:, None]).shape == (1,)


def test_inputs_of_no_length_and_no_inputs() -> None:
    g = Graph()
    x = g.input("x")
    f = CompiledFunction.of(Function("f", g, {"none": np.array([]), "x": np.array([x])}, {"r": np.array([2 * x])}))
    assert f(np.zeros(0), np.array([3.0])) == 6.0
    np.testing.assert_array_equal(f(np.zeros((4, 0)), [3.0]), np.full((4, 1), 6.0))
    np.testing.assert_array_equal(f([], [[3.0], [4.0]]), [[6.0], [8.0]])
    constant = CompiledFunction.of(Function("c", g, {}, {"r": np.array([g.one, g.zero])}))
    np.testing.assert_array_equal(constant(), [1.0, 0.0])


def test_an_input_with_axes_comes_in_one() -> None:
    g = Graph()
    leaves = np.array([[g.input(f"x{i}{j}") for j in range(2)] for i in range(2)])
    f = CompiledFunction.of(Function("f", g, {"m": leaves}, {"transposed": leaves.T}))
    np.testing.assert_array_equal(f([1.0, 2.0, 3.0, 4.0]), [[1.0, 3.0], [2.0, 4.0]])


@pytest.mark.parametrize("batch", [(), (COUNT,), (0,), (2, 3)])
def test_outputs_go_where_they_are_wanted(batch: tuple[int, ...]) -> None:
    f = CompiledFunction.of(several())
    s, u = np.resize(S, (*batch, 3)), np.resize(U, (*batch, 2))
    out = [np.full((*batch, *shape), np.nan) for shape in f.outputs.values()]
    got = f(s, u, out=out)
    assert all(np.shares_memory(x, y) or not x.size for x, y in zip(got, out, strict=True))
    assert_same(out, expected(s, u))


def test_an_output_may_lie_on_an_input() -> None:
    g = Graph()
    x, y = g.input("x"), g.input("y")
    f = CompiledFunction.of(Function("swap", g, {"s": np.array([x, y])}, {"r": np.array([y, 3 * x])}))
    s = S[:, :2].copy()
    f(s, out=[s])
    np.testing.assert_array_equal(s, np.stack([S[:, 1], 3 * S[:, 0]], axis=1))
    rows = np.concatenate([S[:, :2], np.zeros((1, 2))])
    f(rows[:-1], out=[rows[1:]])
    np.testing.assert_array_equal(rows[1:], np.stack([S[:, 1], 3 * S[:, 0]], axis=1))


def frozen(shape: tuple[int, ...]) -> Any:
    x = np.zeros(shape)
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ((S,), r"expected 2 arguments \(s, u\), got 1"),
        ((S, U, U), r"expected 2 arguments \(s, u\), got 3"),
        ((U, U), r"s: expected real numbers of shape \(\.\.\., 3\), got float64 of shape \(11, 2\)"),
        ((S, 1.0), r"u: expected real numbers of shape \(\.\.\., 2\), got float64 of shape \(\)"),
        ((S, U + 0j), r"u: expected real numbers .* got complex128"),
        ((["a", "b", "c"], U), r"s: expected real numbers"),
        ((S[:3], U[:2]), r"leading axes do not broadcast: s \(3, 3\), u \(2, 2\)"),
    ],
)
def test_wrong_inputs_are_refused(inputs: tuple[Any, ...], message: str) -> None:
    with pytest.raises(StateError, match="<compiled several>: " + message):
        CompiledFunction.of(several())(*inputs)


@pytest.mark.parametrize(
    "out",
    [
        [np.zeros((COUNT, 1))],
        [],
        [np.zeros((COUNT, 2)), np.zeros((COUNT, 2))],
        [np.zeros((COUNT, 2), dtype=np.float32)],
        [np.zeros((2, COUNT)).T],
        [frozen((COUNT, 2))],
        [[[0.0, 0.0]] * COUNT],
    ],
)
def test_wrong_places_for_the_outputs_are_refused(out: Any) -> None:
    g = Graph()
    leaves = np.array([g.input("x"), g.input("y")])
    f = CompiledFunction.of(Function("f", g, {"s": leaves}, {"r": leaves * 2}))
    with pytest.raises(StateError, match=r"<compiled f>: out: expected contiguous, .* shapes \[\(11, 2\)\], got"):
        f(U, out=out)


def test_parameters_are_refused() -> None:
    g = Graph()
    x, m = g.input("x"), g.parameter("m")
    with pytest.raises(StateError, match="f: expected a function without parameters, got m"):
        CompiledFunction.of(Function("f", g, {"s": np.array([x])}, {"r": m * x}, [m]))


def test_what_does_not_exist_is_infinity_or_nan() -> None:
    g: Any = Graph()
    x = g.input("x")
    f = CompiledFunction.of(Function("f", g, {"s": np.array([x])}, {"r": np.array([1 / x, np.sqrt(x), np.log(x)])}))
    np.testing.assert_array_equal(f([[0.0], [-1.0]]), [[np.inf, 0.0, -np.inf], [-1.0, np.nan, np.nan]])


def test_large_batches_are_spread_over_cores_with_the_same_result() -> None:
    function = several()
    s, u = RNG.normal(size=(60_000, 3)), RNG.normal(size=(60_000, 2))
    one, many = CompiledFunction.of(function, threads=1), CompiledFunction.of(function, threads=4)
    assert many.threads == 4
    assert len(s) * many.weight > 4 * 200_000  # four parts
    for x, y in zip(one(s, u), many(s, u), strict=True):
        np.testing.assert_array_equal(x, y)


CHILDREN = """
import multiprocessing, sys
import numpy as np
from supple.engines.blocks.compiled_function import CompiledFunction
from supple.symbolic import Function, Graph

def batch(count):
    g = Graph()
    x = g.input("x")
    f = CompiledFunction.of(Function("f", g, {"x": [x]}, {"y": np.sin(x) * x + x}), threads=2)
    f.values.program.weight = 250  # two parts
    x = np.arange(float(count))[:, None]
    return float(abs(f(x) - (np.sin(x) * x + x)[:, 0]).max())

if __name__ == "__main__":
    assert batch(10_000) < 1e-10  # the threads run now
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.apply_async(batch, [10_000]).get(timeout=60))
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_child_processes_spread_batches_too(start: str, tmp_path: Path) -> None:
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {start} here")
    script = tmp_path / "children.py"
    script.write_text(CHILDREN)
    done = subprocess.run([sys.executable, str(script), start], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1e-10


@pytest.mark.parametrize("lanes", ["1", "2", "4", "8"])
def test_the_number_of_lanes_can_be_chosen(lanes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLE_LANES", lanes)
    monkeypatch.setattr(block_program, "host_lanes", jit.host_lanes.__wrapped__)
    f = CompiledFunction.of(several())
    assert f.values.lanes == int(lanes)
    assert_same(f(S, U), expected(S, U))


@pytest.mark.parametrize("lanes", ["3", "0", "-4", "many", "16"])
def test_a_number_of_lanes_that_does_not_exist_is_refused(lanes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLE_LANES", lanes)
    with pytest.raises(SuppleError, match=f"SUPPLE_LANES: expected one of 1, 2, 4, 8, got '{lanes}'"):
        jit.host_lanes.__wrapped__()


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_arrays_of_any_length_come_in_and_go_out(lanes: int, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_program, "host_lanes", lambda: lanes)
    g = Graph()
    x = np.array([g.input(f"x{i}") for i in range(length)])
    f = CompiledFunction.of(Function("f", g, {"x": x}, {"y": x * 3.0, "z": x[::-1] + 1.0}))
    for states in (1, 2 * lanes, 4 * lanes + 1, 37):
        given = RNG.normal(size=(states, length))
        guarded = np.full((2, states + 2, length), np.pi)
        f(given, out=[guarded[0, 1:-1], guarded[1, 1:-1]])
        np.testing.assert_array_equal(guarded[:, 1:-1], [given * 3.0, given[:, ::-1] + 1.0])
        assert (guarded[:, [0, -1]] == np.pi).all()  # the rows before and after


def test_other_constants_compile_nothing(own_cache: Path) -> None:
    def polynomial(a: float, b: float) -> Function:
        g = Graph()
        x = g.input("x")
        return Function("polynomial", g, {"x": np.array([x])}, {"y": a + x * (b + x * x)})

    f, other = CompiledFunction.of(polynomial(2.0, 3.0)), CompiledFunction.of(polynomial(-4.0, 0.5))
    assert f.program is other.program
    assert (f([2.0]), other([2.0])) == (16.0, 5.0)
    assert len(list((own_cache / "programs").glob("*.o"))) == 1
    assert lifted_program(polynomial(1.0, 3.0))[0] is not f.program  # a one belongs to the structure


def test_the_graph_is_made_only_when_it_is_needed() -> None:
    made: list[Function] = []

    def make() -> Function:
        made.append(several())
        return made[-1]

    own = CompiledFunction.of(several())
    f = CompiledFunction("lazy", own.bound, own.outputs, source=make)
    assert_same(f(S, U), expected(S, U))
    assert not made
    assert f.operations == several().operations
    assert "void several(" in f.c_source()
    assert len(made) == 1
    with pytest.raises(StateError, match="<compiled rates>: not the function of a graph"):
        _ = CompiledFunction("rates", own.bound, own.outputs).operations
