"""Expressions multiplied out: identities that must come out short, and the same value whatever the expression."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from supple.expressions.expand import LIMIT, Expansion, Monomial, expanded
from supple.expressions.function import Function
from supple.expressions.graph import Expr, Graph
from supple.expressions.printers import listing

NAMES = ("a", "b", "c")
Builder = Callable[[Any, Any, Any, Any], Any]

SHORT: dict[str, tuple[Builder, Builder]] = {
    "squares": (lambda g, a, b, c: (a + b) * (a - b) + b * b, lambda g, a, b, c: a * a),
    "sine": (lambda g, a, b, c: b - b * g.cos(a) ** 2, lambda g, a, b, c: b * g.sin(a) ** 2),
    "fourth power": (lambda g, a, b, c: (1 - g.cos(a) ** 2) ** 2, lambda g, a, b, c: g.sin(a) ** 4),
    "one": (lambda g, a, b, c: g.sin(a) * (g.sin(a) + b) + g.cos(a) ** 2 - b * g.sin(a), lambda g, a, b, c: g.one),
    "difference": (
        lambda g, a, b, c: c * g.cos(a) * g.cos(b) + g.sin(a) * c * g.sin(b),
        lambda g, a, b, c: c * g.cos(a - b),
    ),
    "sum": (
        lambda g, a, b, c: g.cos(a) * g.cos(b) - g.sin(a) * g.sin(b),
        lambda g, a, b, c: g.cos(a + b),
    ),
    "sine of the sum": (
        lambda g, a, b, c: g.cos(a) * g.sin(b) + g.sin(a) * g.cos(b),
        lambda g, a, b, c: g.sin(a + b),
    ),
    "sine of the difference": (
        lambda g, a, b, c: g.sin(a) * g.cos(b) - g.cos(a) * g.sin(b),
        lambda g, a, b, c: g.sin(a - b),
    ),
    "square of a sum of products": (
        lambda g, a, b, c: (g.cos(a) * g.cos(b) + g.sin(a) * g.sin(b)) ** 2,
        lambda g, a, b, c: g.cos(a - b) ** 2,
    ),
    "taken apart": (
        lambda g, a, b, c: g.sin(a + b) - g.sin(a) * g.cos(b) + c,
        lambda g, a, b, c: c + g.cos(a) * g.sin(b),
    ),
    "common factor below": (lambda g, a, b, c: (a * b + a * c) / (b + c), lambda g, a, b, c: a),
    "parts of one": (lambda g, a, b, c: a * b / (b + c) + a * c / (b + c), lambda g, a, b, c: a),
    "fractions": (lambda g, a, b, c: 1 / (1 / a + 1 / b), lambda g, a, b, c: a * b / (a + b)),
    "root": (lambda g, a, b, c: g.sqrt(a + b) ** 3 / g.sqrt(b + a), lambda g, a, b, c: a + b),
    "argument": (lambda g, a, b, c: g.exp(a * (b + c) - a * b), lambda g, a, b, c: g.exp(a * c)),
    "rounding": (lambda g, a, b, c: 0.1 * a + 0.2 * a - 0.3 * a + b, lambda g, a, b, c: b),
    "odd": (lambda g, a, b, c: g.sin(a - b) + g.sin(b - a), lambda g, a, b, c: g.zero),
}


def symbols() -> tuple[Graph, list[Expr]]:
    g = Graph()
    return g, [g.input(name) for name in NAMES]


def products(node: Expr, limit: int = LIMIT) -> list[Monomial] | None:
    return Expansion(node.graph, limit).products(node)


def function_of(g: Graph, leaves: Any, outputs: Any) -> Function:
    return Function("f", g, {"x": leaves}, outputs)


@pytest.mark.parametrize("case", SHORT)
def test_what_belongs_together_becomes_one(case: str) -> None:
    g, leaves = symbols()
    long, short = (build(g, *leaves) for build in SHORT[case])
    assert expanded(long) is expanded(short)
    wanted, found = products(short), products(long)
    assert found == wanted
    assert found is not None
    assert len(found) <= 2


def test_products_of_functions_of_one_angle_are_left() -> None:
    g, (a, b, _) = symbols()
    x = b * g.function("sin", a) * g.function("cos", a)
    (term,) = products(x) or []
    assert {(node.op, n) for node, n in term.powers} == {("input", 1), ("sin", 1), ("cos", 1)}


def test_different_factors_keep_their_squares() -> None:
    """b cos^2 + c sin^2 has two terms; with cosines alone it would have three."""
    g, (a, b, c) = symbols()
    found = products(b * g.function("cos", a) ** 2 + c * g.function("sin", a) ** 2)
    assert found is not None
    assert len(found) == 2


def test_too_many_terms_are_left_alone() -> None:
    _, (a, b, c) = symbols()
    power = (a + b + c) ** 4
    assert len(products(power) or []) == 15
    assert products(power, limit=15) is not None
    assert products(power, limit=14) is None
    assert expanded((a + b + c + 1.0) ** 9) is None


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_what_is_no_number_is_left_alone(value: float) -> None:
    g, (a, b, _) = symbols()
    assert expanded(a * g.constant(value) + b) is None
    assert expanded(a / (b * 0.0 + a - a)) is None


def test_two_runs_agree() -> None:
    texts = []
    for _ in range(2):
        g, leaves = symbols()
        nodes = [expanded(build(g, *leaves)) for pair in SHORT.values() for build in pair]
        texts.append(listing(function_of(g, leaves, {"y": nodes})))
    assert texts[0] == texts[1]


# ---------------------------------------------------------------- any expression

UNARY = ("neg", "sin", "cos", "tanh", "square", "over")
BINARY = ("add", "sub", "mul", "div", "sum of angles")
TREES = st.recursive(
    st.sampled_from(NAMES) | st.sampled_from([0.5, 1.0, -2.0, 3.0]),
    lambda inner: st.tuples(st.sampled_from(UNARY), inner) | st.tuples(st.sampled_from(BINARY), inner, inner),
    max_leaves=9,
)


def built(g: Any, tree: Any) -> Any:
    """A tree of operations as a node; nothing is divided by what may vanish."""
    if isinstance(tree, str):
        return g.input(tree)
    if isinstance(tree, float):
        return g.constant(tree)
    x, y = (built(g, branch) for branch in (tree[1], tree[-1]))
    match tree[0]:
        case "neg" | "sin" | "cos" | "tanh":
            return g.neg(x) if tree[0] == "neg" else g.function(tree[0], x)
        case "square":
            return x * x
        case "over":
            return 1.0 / (3.0 + g.sin(x))
        case "div":
            return x / (2.0 + g.cos(y))
        case "sum of angles":
            return g.cos(x) * g.cos(y) - g.sin(x) * g.sin(y)
    return getattr(g, tree[0])(x, y)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(TREES, st.tuples(*[st.floats(-1.5, 1.5) for _ in NAMES]))
def test_the_value_stays(tree: Any, values: tuple[float, ...]) -> None:
    g, leaves = symbols()
    node = built(g, tree)
    terms, new = products(node), expanded(node)
    assert (terms is None) == (new is None)
    assume(terms is not None)
    assert terms is not None
    atoms = sorted({atom for term in terms for atom, _ in term.powers}, key=lambda atom: atom.id)
    f = function_of(g, leaves, {"old": node, "new": new, "atoms": atoms})
    found = f.evaluate(x=values)
    number = dict(zip(atoms, found["atoms"], strict=True))
    sizes = [
        abs(t.coefficient) * math.prod(abs(number[x]) ** n if number[x] or n > 0 else 1 for x, n in t.powers)
        for t in terms
    ]
    assert abs(found["new"] - found["old"]) <= 1e-11 * (1.0 + sum(sizes))  # terms round by their own size
