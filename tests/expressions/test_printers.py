"""Printed source, run: C and Python give the numbers of the graph and of the model."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.expressions.operations import FUNCTIONS
from supple.expressions.printers import c_source, latex, listing, python_source
from supple.expressions.printers.writing_plan import planned
from supple.model.traced_functions import traced
from support.files.robots import robot_directory
from support.generated.generators import KINDS, random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"
STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic"]
PARAMETERS = {"arm.mass": 1.7, "arm.com.y": -0.5, "gravity.y": -1.62, "arm.angle.damping": 0.3, "cart.mass": 2.0}

Given = dict[str, Any]


@cache
def model(name: str) -> supple.Model:
    if name == "panda":
        return supple.load(next(robot_directory().rglob("panda.urdf")), limits=False, mimic=False)
    return random_tree(9, KINDS) if name == "tree" else supple.files.read(EXAMPLES / f"{name}.toml").model


def numbers(f: Function, number: int = 1) -> Given:
    """Inputs by name, of the right shapes; quaternions are not normalised, as no printer may need it."""
    rng = np.random.default_rng(number)
    return {key: rng.uniform(0.1, 1.0, x.shape) for key, x in f.inputs.items() if key != "parameters"}


def made(g: Graph, inputs: Any, outputs: Any, parameters: Any = (), name: str = "f") -> Function:
    """A function of nested lists of nodes."""
    return Function(name, g, inputs, outputs, parameters)


def close(found: Any, expected: Any, tolerance: float) -> None:
    scale = np.abs(expected).max(initial=1e-300)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


CASES = [
    ("pendulum", "forward_dynamics", False),
    ("panda", "forward_dynamics", False),
    ("tree", "inverse_dynamics", False),
    ("tree", "poses", False),
    ("cart_pendulum", "rk4", False),
    ("cart_pendulum", "forward_dynamics", True),
    ("cart_pendulum", "mass_matrix", True),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda c: f"{c[0]}-{c[1]}{'-parameters' if c[2] else ''}")
def case(request: pytest.FixtureRequest) -> tuple[Function, Given, Given]:
    """A function, numbers for its inputs, and its outputs at them."""
    name, what, general = request.param
    f = traced(model(name), what, [*PARAMETERS] if general else [])
    given = numbers(f)
    out = f.evaluate(PARAMETERS, **given)
    assert all(np.abs(x).max() > 1e-3 for x in out.values())
    return f, given, out


# ------------------------------------------------------------ C


def compiler() -> str:
    """A C compiler; without one the tests are skipped, but not where they must run."""
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("no C compiler")
        pytest.skip("no C compiler")
    return found


def compiled(f: Function, directory: Path) -> ctypes.CDLL:
    (directory / "f.c").write_text(c_source(f), encoding="ascii")
    command = [compiler(), *STRICT, "-shared", "-fPIC", "-o", str(directory / "f.so"), str(directory / "f.c"), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(directory / "f.so"))


def call(routine: Any, *arrays: Any) -> None:
    routine.restype = None
    routine(*(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in arrays))


def run_c(f: Function, given: Given, parameters: dict[str, float], directory: Path, name: str | None = None) -> Given:
    """Outputs from the compiled source; numbers nearby must not be touched."""
    library, plan, name = compiled(f, directory), planned(f), name or f.name
    arguments = [np.ascontiguousarray(given[key], dtype=float) for key in plan.inputs]
    if plan.parameters:
        own = np.array([parameters[leaf.name] for leaf in plan.parameters])
        constants = np.full(len(plan.constants) + 1, np.nan)
        call(library[f"{name}_precompute"], own, constants)
        assert np.isnan(constants[-1])
        arguments += [own, constants]
    out = {key: np.full(x.size + 1, np.nan) for key, x in f.outputs.items()}
    call(library[name], *arguments, *out.values())
    assert all(np.isnan(x[-1]) for x in out.values())
    return {key: out[key][:-1].reshape(x.shape) for key, x in f.outputs.items()}


def test_c_gives_the_numbers(case: tuple[Function, Given, Given], tmp_path: Path) -> None:
    f, given, expected = case
    found = run_c(f, given, PARAMETERS, tmp_path)
    for key, x in expected.items():
        close(found[key], x, 1e-13)


@pytest.mark.parametrize("name", ["panda", "tree"])
def test_c_gives_the_model_s_accelerations(name: str, tmp_path: Path) -> None:
    robot = model(name)
    q, v = robot.random_state(3)
    tau = np.linspace(-1, 1, robot.nv)
    found = run_c(traced(robot, "forward_dynamics"), {"q": q, "v": v, "tau": tau}, {}, tmp_path)
    close(found["a"], robot.forward_dynamics(q, v, tau), 1e-11)  # the model's own order of operations: conditioning


def test_c_writes_every_operation_once_and_precomputes_all_it_can(case: tuple[Function, Given, Given]) -> None:
    f, _, _ = case
    bodies = re.findall(r"^\{\n(.*?)^\}", c_source(f), re.MULTILINE | re.DOTALL)
    counts = [f.precomputed, f.operations] if planned(f).parameters else [f.operations]
    for body, count in zip(bodies, counts, strict=True):
        assert len(re.findall(r" [+-] ", body)) == count.additions
        assert body.count("*") == count.multiplications
        assert body.count("/") == count.divisions
        assert len(re.findall(r"\w\(", body)) == count.functions


def test_c_head_tells_cost_and_order() -> None:
    f = traced(model("cart_pendulum"), "forward_dynamics", [*PARAMETERS])
    text = c_source(f)
    count = f.operations
    assert f"Operations: {count.additions} additions, {count.multiplications} multiplications" in text
    assert f"alone: {f.precomputed.additions} addition" in text
    assert re.search(r"q\[1\] +arm\.angle\n", text)
    assert re.search(r"a\[0\] +cart\.position\n", text)
    assert re.search(r"parameters\[2\] +gravity\.y\n", text)
    assert "static" not in text
    assert re.findall("#include.*", text) == ["#include <math.h>"]


# ------------------------------------------------------------ Python


def run_python(f: Function, given: Given, parameters: dict[str, float], numpy: bool, name: str | None = None) -> Any:
    """What the function of the printed module returns."""
    space: dict[str, Any] = {}
    exec(compile(python_source(f, numpy), "printed", "exec"), space)
    plan, name = planned(f), name or f.name
    arguments = [given[key] if numpy else np.asarray(given[key]).tolist() for key in plan.inputs]
    if plan.parameters:
        own = [parameters[leaf.name] for leaf in plan.parameters]
        arguments += [own, space[f"{name}_precompute"](own)]
    found = space[name](*arguments)
    return dict(zip(f.outputs, found if len(f.outputs) > 1 else [found], strict=True))


def test_python_without_numpy_gives_the_numbers_to_the_last_bit(case: tuple[Function, Given, Given]) -> None:
    f, given, expected = case
    found = run_python(f, given, PARAMETERS, numpy=False)
    for key, x in expected.items():
        np.testing.assert_array_equal(found[key], x)


def test_python_with_numpy_takes_leading_axes_that_broadcast(case: tuple[Function, Given, Given]) -> None:
    f, given, _ = case
    rng = np.random.default_rng(2)
    first = next(iter(given))
    batch = {key: x + 0.1 * rng.normal(size=(3, *x.shape)) for key, x in given.items()}
    batch[first] = given[first] + 0.1 * rng.normal(size=(2, 1, *given[first].shape))
    found = run_python(f, batch, PARAMETERS, numpy=True)
    lead = (2, 3) if len(given) > 1 else (2, 1)
    for i, j in np.ndindex(lead):
        one = {key: x[i, 0] if key == first else x[j] for key, x in batch.items()}
        for key, x in f.evaluate(PARAMETERS, **one).items():
            assert found[key].shape == (*lead, *x.shape)
            close(found[key][i, j], x, 1e-13)


def test_python_takes_complex_numbers() -> None:
    """A complex step through the printed source is the derivative of the model."""
    cart = model("cart_pendulum")
    f = traced(cart, "forward_dynamics")
    q, v, tau = np.array([0.1, 0.7]), np.array([0.3, -0.8]), np.array([1.0, 2.0])
    found = run_python(f, {"q": q + 1e-30j * np.eye(2), "v": v, "tau": tau}, {}, numpy=True)["a"].imag.T / 1e-30
    close(found, cart.linearize(q, v, tau)[0][2:, :2], 1e-12)


# ------------------------------------------------------------ all functions, odd names, odd shapes


def everything() -> tuple[Function, Given]:
    """Every operation, numbers of all sizes, arrays of all ranks, an input that is not used, names that clash."""
    g: Any = Graph()
    x, y, m = g.input("x"), g.input('arm */ of /* \\ "\u00e9\n'), g.parameter("left leg.mass")
    unused, scalar = g.input("unused"), g.input("scalar")
    calls = [getattr(g, name)(x, y) for name in ("atan2", "pow", "min", "max")]
    calls += [getattr(g, name)(x * y) for name in FUNCTIONS if name not in ("atan2", "pow", "min", "max")]
    nested = [
        x - (y - (x - 3)), -(x + y) * (x - y) / (x * y), 2 / (3 / x), -x - y - 5, (x + (y + m)) - (m - 2), x / (y / m),
        -(x**0.3) ** y, np.exp(-x) * -m, (1 / x) / y, 1e-300 * x, 1e22 * y, x / 3, (x * y) * (m * 1.5) * (x * y), -m,
        m * m - 1 / m, x - 0.1, sum((i + x) * (y - i) for i in range(30)), x * (y + 2) ** 2, -2 - x, scalar * m,
        np.log(-g.constant(1.0) * m), g.sign(y - x) * x, g.sign(x - x * 1), np.sqrt(m) + g.log(g.constant(0.0)) * 0,
    ]  # fmt: skip
    outputs = {
        "sin": calls,
        "double": [nested[:12], nested[12:]],
        "z1": x * y,
        "2 z": [[[x, 0.0], [1.0, -y]]],
        "pi/4": [],
    }
    inputs = {"if": [[x], [y]], "q 1": [unused], "dt": scalar, "sin": [], "np": []}
    f = made(g, inputs, outputs, [m], "for")
    return f, {"if": [[0.6], [0.35]], "q 1": [9.0], "dt": 0.2, "sin": [], "np": []}


MASS = {"left leg.mass": 1.3}


@pytest.mark.filterwarnings("ignore:invalid value encountered in log")
def test_every_operation_in_every_language(tmp_path: Path) -> None:
    f, given = everything()
    expected = f.evaluate(MASS, **given)
    exact = python_source(f, numpy=False)
    assert "sign(" in exact
    found = {"C": run_c(f, given, MASS, tmp_path, "for_"), "numpy": run_python(f, given, MASS, True, "for_")}
    for outputs in found.values():
        for key, x in expected.items():
            np.testing.assert_allclose(outputs[key], x, rtol=1e-13, atol=0, equal_nan=True)
    assert np.isnan(expected["double"]).sum() == 1
    for printed in (listing(f), latex(f), c_source(f), python_source(f), exact):
        assert printed.isascii()
        assert printed.endswith("\n")


def test_python_without_numpy_has_every_function() -> None:
    g: Any = Graph()
    x, y = g.input("x"), g.input("y")
    calls = [g.atan2(x, y), g.pow(x, y), g.min(x, y), g.max(x, y), g.sign(x - y), g.sign(y - x), abs(y - x)]
    calls += [getattr(g, n)(x) for n in FUNCTIONS if n not in ("atan2", "pow", "min", "max", "sign", "abs")]
    f = made(g, {"s": [x, y]}, {"r": calls})
    given: Given = {"s": [0.6, 0.35]}
    np.testing.assert_array_equal(run_python(f, given, {}, numpy=False)["r"], f.evaluate(**given)["r"])


def test_what_is_not_a_number_stays_so_in_every_language(tmp_path: Path) -> None:
    g: Any = Graph()
    x, y = g.input("x"), g.input("y")
    f = made(
        g,
        {"s": [x, y]},
        {"r": [g.min(x, y), g.min(y, x), g.max(x, y), g.max(y, x), g.sign(x), g.min(y, g.constant(2.0))]},
    )
    given: Given = {"s": [np.nan, 0.35]}
    expected = [np.nan, np.nan, np.nan, np.nan, np.nan, 0.35]
    for found in (
        f.evaluate(**given),
        run_c(f, given, {}, tmp_path),
        *(run_python(f, given, {}, n) for n in (False, True)),
    ):
        np.testing.assert_array_equal(found["r"], expected)


def test_constants_that_would_overflow_are_written_apart(tmp_path: Path) -> None:
    g: Any = Graph()
    x = g.input("x")
    f = made(g, {"s": [x]}, {"r": [(1e308 * x) * 10, 1e-200 * (1e-200 * x)]})
    given: Given = {"s": [1e-10]}
    for found in (run_c(f, given, {}, tmp_path), *(run_python(f, given, {}, n) for n in (False, True))):
        np.testing.assert_array_equal(found["r"], f.evaluate(**given)["r"])
    assert "inf" not in listing(f)
    assert " 0*" not in listing(f)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 5e-324, 1.7976931348623157e308, 0.1, -1 / 3])
def test_numbers_are_written_to_the_last_bit(value: float, tmp_path: Path) -> None:
    g = Graph()
    f = made(g, {"s": [g.input("x")]}, {"r": [value]})
    for found in (run_c(f, {"s": [1.0]}, {}, tmp_path), run_python(f, {"s": [1.0]}, {}, True)):
        np.testing.assert_array_equal(found["r"], [value])
    np.testing.assert_array_equal(run_python(f, {"s": [1.0]}, {}, False)["r"], [value])


def test_a_function_of_nothing(tmp_path: Path) -> None:
    g = Graph()
    f = made(g, {}, {"r": [2.5]})
    assert run_c(f, {}, {}, tmp_path)["r"] == [2.5]
    assert run_python(f, {}, {}, True)["r"] == [2.5]
    assert run_python(f, {}, {}, False)["r"] == [2.5]
