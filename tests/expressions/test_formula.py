"""Formulas: values against Python's own mathematics, names, and what is refused."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from supple.errors import StateError
from supple.expressions.derivatives import forward
from supple.expressions.formula import COMPOSED, LONGEST, Formula
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.expressions.operations import FUNCTIONS

NAMES = ("x", "arm.angle", "left-arm.angle")
RATES = ("arm.angle", "left-arm.angle")


def value(text: str, x: tuple[float, ...] = (0.3, 0.6, 0.9), rates: tuple[float, ...] = (5.0, 7.0)) -> float:
    """The formula at numbers for the names."""
    g = Graph()
    leaves = {name: g.input(name) for name in NAMES}
    speeds = {name: g.input(f"rate {name}") for name in RATES}
    node = Formula(text).node(g, leaves, speeds)
    inputs = {"x": np.array(list(leaves.values())), "r": np.array(list(speeds.values()))}
    function = Function("f", g, inputs, {"y": np.array([node], dtype=object)})
    return float(function.evaluate(x=x, r=rates)["y"][0])


REFERENCE: dict[str, Any] = {
    **{name: getattr(math, name) for name in FUNCTIONS if hasattr(math, name)},
    "abs": abs,
    "sign": lambda x: float(np.sign(x)),
    "min": min,
    "max": max,
    "clip": lambda x, low, high: min(max(x, low), high),
    "step": lambda x: float(x > 0),
    "ramp": lambda x: max(x, 0.0),
}
TWO, THREE = ("atan2", "pow", "min", "max"), ("clip",)


def test_the_reference_below_knows_every_function() -> None:
    assert set(REFERENCE) == {*FUNCTIONS, *COMPOSED}


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_every_function_is_that_of_python(name: str) -> None:
    count = 3 if name in THREE else 2 if name in TWO else 1
    rng = np.random.default_rng(len(name))
    seen = set()
    for _ in range(20):
        x = tuple(rng.uniform(0.05, 0.95, 3))
        if name in ("min", "max", "clip", "step", "ramp", "sign", "abs", "atan2"):
            x = tuple(rng.uniform(-1, 1, 3))
        if name == "clip":
            x = (x[0], min(x[1:]), max(x[1:]))
        args = ("x", "arm.angle", "'left-arm.angle'")[:count]
        found = value(f"{name}({', '.join(args)})", x)
        assert found == pytest.approx(REFERENCE[name](*x[:count]), rel=1e-14)
        assert value(f"{name}({', '.join(map(repr, map(float, x[:count])))})") == pytest.approx(found, rel=1e-14)
        seen.add(round(found, 6))
    assert len(seen) > 1


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_arithmetic_is_that_of_python(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = tuple(rng.normal(size=3))
    leaves = {"x": x[0], "arm.angle": x[1], '"left-arm.angle"': x[2], "2": 2.0, ".5": 0.5, "1e-1": 0.1, "pi": math.pi}

    def made(depth: int) -> tuple[str, float]:
        """A text, and the number that Python gives for the same operations."""
        if depth == 0:
            name = str(rng.choice(list(leaves)))
            return name, leaves[name]
        (a, u), (b, w) = made(depth - 1), made(depth - 1)
        return (
            lambda: (f"({a} + {b})", u + w),
            lambda: (f"({a} - {b})", u - w),
            lambda: (f"{a} * {b}", u * w),
            lambda: (f"(-{a})", -u),
            lambda: (f"(+{a})", u),
            lambda: (f"({a}) / (2 + ({b})**2)", u / (2 + w**2)),
            lambda: (f"({a})**3", u**3),
        )[rng.integers(7)]()

    text, expected = made(4)
    assert value(f"({text})", x) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2**3**2", 512.0),
        ("-2**2", -4.0),
        ("2 - 3 - 4", -5.0),
        ("8 / 4 / 2", 1.0),
        ("2**-1", 0.5),
        ("x**0.5 - sqrt(x)", 0.0),
        ("x**17", 0.3**17),
        ("pow(-2 + 0*x, 3)", -8.0),
        ("sin(pi/2)", 1.0),
        (" 1_000 * x ", 300.0),
        ("arm.angle", 0.6),
        ("'arm.angle'", 0.6),
        ('"left-arm".angle', 0.9),
        ("rate(arm.angle)", 5.0),
        ("rate('left-arm.angle')*2", 14.0),
        ("step(x) + 10*step(-x)", 1.0),
    ],
)
def test_values(text: str, expected: float) -> None:
    assert value(text) == pytest.approx(expected, rel=1e-14)


def test_a_name_that_is_given_comes_before_the_constant_of_that_name() -> None:
    g = Graph()
    assert Formula("pi").node(g, {"pi": 3.0}).value == 3.0
    assert Formula("pi").node(g, {}).value == math.pi


@pytest.mark.parametrize("name", sorted(set(REFERENCE) - {"step", "sign"}))
def test_slopes_are_those_of_differences(name: str) -> None:
    count = 3 if name in THREE else 2 if name in TWO else 1
    text = f"{name}({', '.join(('x', '0.5', '0.8')[:count])})"
    g = Graph()
    x = g.input("x")
    slope = forward([Formula(text).node(g, {"x": x})], {x: 1.0})[0]
    f = Function("f", g, {"x": np.array([x])}, {"y": np.array([slope])})
    h = 1e-6
    found = f.evaluate(x=[0.6])["y"][0]
    assert found == pytest.approx((value(text, (0.6 + h, 0, 0)) - value(text, (0.6 - h, 0, 0))) / (2 * h), abs=1e-8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x.y()", "expected numbers, names"),
        ("x.sin(1)", "expected numbers, names"),
        ("lambda: 1", "expected numbers, names"),
        ("[x for x in (1, 2)]", "expected numbers, names"),
        ("x < 1", "expected numbers, names"),
        ("x if x else 2", "expected numbers, names"),
        ("x[0]", "expected numbers, names"),
        ("x // 2", "expected numbers, names"),
        ("x % 2", "expected numbers, names"),
        ("not x", "expected numbers, names"),
        ("True", "expected numbers, names"),
        ("1j", "expected numbers, names"),
        ("b'x'", "expected numbers, names"),
        ("f'{x}'", "expected numbers, names"),
        ("sin(*x)", "expected numbers, names"),
        ("sin(x=1)", "expected numbers, names"),
        ("(x, x)", "expected numbers, names"),
        ("x +", "cannot be read"),
        ("x = 1", "cannot be read at character"),
        ("import os", "cannot be read at character"),
        ("", "cannot be read"),
        ("\0", "cannot be read"),
        ("\ud800", "cannot be read"),
        ("1" * 5000, "cannot be read"),
        ("1" * 400, "expected numbers up to 1.7e308"),
        ("1e999", "expected numbers up to 1.7e308"),
        ("1e308 * 10", "expected a finite value, got inf"),
        ("log(0) + 1e999 - 1e999", "expected numbers up to 1.7e308"),
        ("x" * (LONGEST + 1), f"expected at most {LONGEST} characters, got {LONGEST + 1}"),
        ("-" * 5000 + "1", "is nested too deeply"),
        ("(" * 150 + "1" + ")" * 150 + "+", "cannot be read"),
        ("+".join(["x"] * 4000), "is nested too deeply"),
        ("'no such'", "no quantity 'no such'; there are"),
        ("arm.angel", "no quantity 'arm.angel'; did you mean 'arm.angle'?"),
        ("__import__('os')", "no function '__import__'"),
        ("x.__class__", "no quantity 'x.__class__'"),
        ("sinn(x)", "no function 'sinn'; did you mean 'sin'?"),
        ("sin()", "sin: expected 1 arguments, got 0"),
        ("clip(x, 1)", "clip: expected 3 arguments, got 2"),
        ("rate(x)", "no coordinate with a rate of its own 'x'"),
        ("rate(arm.angel)", "did you mean 'arm.angle'?"),
        ("rate(2*x)", "rate: expected the name of one coordinate"),
        ("rate()", "rate: expected the name of one coordinate"),
    ],
    ids=lambda x: x[:20].encode("ascii", "backslashreplace").decode(),
)
def test_what_is_no_formula_is_refused(text: str, words: str) -> None:
    with pytest.raises(StateError) as caught:
        value(text)
    assert words in str(caught.value)
    assert str(caught.value).startswith("formula: ")
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("2*arm.angel + 1", "arm.angel"),
        ("1 + sinn(x)*2", "sinn"),
        ("1 + sin(x, 2)*2", "sin(x, 2)"),
        ("x + x[0]", "x[0]"),
        ("rate(2*x) + 1", "rate(2*x)"),
        ("'\u00fc.angle' + nobody", "nobody"),
        ("x +* 2", "*"),
        ("x + " * 100 + "nobody" + " + x" * 100, "nobody"),
        ("(x +\n2*nobody)", "nobody"),
    ],
    ids=lambda x: x[:20].encode("ascii", "backslashreplace").decode(),
)
def test_carets_stand_below_what_is_wrong(text: str, marked: str) -> None:
    with pytest.raises(StateError) as caught:
        Formula(text).node(Graph(), {"x": 1.5, "\u00fc.angle": 0.5, "arm.angle": 1.0})
    _, line, carets = str(caught.value).split("\n")
    assert line.startswith("    ")
    assert carets.strip(" ") == "^" * len(marked)
    start = carets.index("^")
    assert line[start : start + len(marked)] == marked


def test_the_names_of_a_formula() -> None:
    assert Formula("2*arm.angle + sin(a*t) - rate('b c')/pi").names == {"arm.angle", "a", "t", "b c", "pi"}


@pytest.mark.parametrize(
    "text", ["9**9**9**9", "9**9**9**9**9**9", "exp(exp(exp(exp(9))))", "log(0)", "1/0", "sqrt(-1)"]
)
def test_what_overflows_or_does_not_exist_neither_hangs_nor_raises_but_is_no_number(text: str) -> None:
    assert not math.isfinite(value(text))


def test_long_formulas_within_the_limit_are_read() -> None:
    assert value("+".join(["x"] * 150)) == pytest.approx(45.0)
    assert value("(" * 80 + "x" + ")" * 80) == 0.3


PIECES = ["x", "arm.angle", "sin", "rate", "(", ")", "+", "-", "*", "**", "/", ".", ",", "1", "e9", "'", '"', "\\", " "]


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
@example("'\\d'")
@example("1if x else 2")
@example("0x_f")
def test_no_text_raises_anything_but_a_state_error(text: str) -> None:
    g = Graph()
    with contextlib.suppress(StateError):
        assert Formula(text).node(g, {"x": 1.5, "arm.angle": 0.5}, {"arm.angle": 2.0}).graph is g
