"""The graph: each rule of simplification, sharing, numpy's functions, and random expressions against numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from supple.engines.blocks.compiled_function import CompiledFunction
from supple.errors import ModelError
from supple.expressions.function import Function
from supple.expressions.graph import UFUNCS, Expr, Graph, GraphTooLarge, Leaf
from supple.expressions.operations import FUNCTIONS

g = Graph()
x: Any = g.input("x")
y: Any = g.input("y")
z: Any = g.input("z")

# Two ways to write one thing; each pair is one rule.
SAME: list[tuple[str, Expr, Expr]] = [
    ("constants are folded", g.constant(2) + 3, g.constant(5)),
    ("no negative zero", g.constant(-0.0), g.zero),
    ("x + 0", x + 0, x),
    ("x + y = y + x", x + y, y + x),
    ("x + x", x + x, 2 * x),
    ("constants gather in sums", (x + 2) + 3, x + 5),
    ("x + (-y)", x + (-y), x - y),
    ("-x + y", -x + y, y - x),
    ("(x - y) + y", (x - y) + y, x),
    ("y + (x - y)", y + (x - y), x),
    ("sin^2 + cos^2", np.sin(x) ** 2 + np.cos(x) ** 2, g.one),
    ("x - x", x - x, g.zero),
    ("x - 0", x - 0, x),
    ("0 - x", 0 - x, -x),
    ("x - 3", x - 3, x + (-3)),
    ("x - (-y)", x - (-y), x + y),
    ("-x - y", -x - y, -(x + y)),
    ("x - (x - y)", x - (x - y), y),
    ("(x - y) - x", (x - y) - x, -y),
    ("(x + y) - y", (x + y) - y, x),
    ("(x + y) - x", (x + y) - x, y),
    ("x - (x + y)", x - (x + y), -y),
    ("y - (x + y)", y - (x + y), -x),
    ("y - x = -(x - y)", y - x, -(x - y)),
    ("x y = y x", x * y, y * x),
    ("0 x", 0 * x, g.zero),
    ("1 x", 1 * x, x),
    ("(-1) x", -1 * x, -x),
    ("(-2) x", -2 * x, -(2 * x)),
    ("constants gather in products", 2 * (3 * x), 6 * x),
    ("(-x) y", -x * y, -(x * y)),
    ("x (-y)", x * (-y), -(x * y)),
    ("x / 4", x / 4, 0.25 * x),
    ("0 / x", 0 / x, g.zero),
    ("x / x", x / x, g.one),
    ("(-x) / y", -x / y, -(x / y)),
    ("x / (-y)", x / (-y), -(x / y)),
    ("(-2) / x", -2 / x, -(2 / x)),
    ("-(-x)", g.neg(-x), x),
    ("+x", +x, x),
    ("x^0", x**0, g.one),
    ("x^1", x**1, x),
    ("x^2", x**2, x * x),
    ("x^5", x**5, (x * x) * (x * x) * x),
    ("x^-2", x**-2, 1 / (x * x)),
    ("x^0.5", x**0.5, np.sqrt(x)),
    ("functions of constants", g.sin(g.constant(0.3)), g.constant(math.sin(0.3))),
    ("odd functions", np.tanh(-x), -np.tanh(x)),
    ("even functions", np.cos(-x), np.cos(x)),
    ("equal calls are one node", np.arctan2(x, y), g.atan2(x, y)),
]


@pytest.mark.parametrize(("left", "right"), [pair[1:] for pair in SAME], ids=[pair[0] for pair in SAME])
def test_simplification(left: Expr, right: Expr) -> None:
    assert left is right


DIFFERENT: list[tuple[str, Expr, Expr]] = [
    ("x - y and y - x", x - y, y - x),
    ("x / y and y / x", x / y, y / x),
    ("atan2 has an order", np.arctan2(x, y), np.arctan2(y, x)),
    ("squares of two angles", np.sin(x) ** 2 + np.cos(y) ** 2, g.one),
    ("x^17 stays a power", x**17, x**16 * x),
    ("an input and a parameter of one name", g.input("k"), g.parameter("k")),
    ("exp is neither odd nor even", np.exp(-x), np.exp(x)),
]


@pytest.mark.parametrize(("left", "right"), [pair[1:] for pair in DIFFERENT], ids=[pair[0] for pair in DIFFERENT])
def test_what_is_not_the_same(left: Expr, right: Expr) -> None:
    assert left is not right


def test_a_sum_made_twice_adds_one_node() -> None:
    graph = Graph()
    a: Any = graph.input("a")
    b: Any = graph.input("b")
    first = a * b + np.sin(a)
    count = len(graph.nodes)
    assert graph.input("b") * a + np.sin(a) is first
    assert len(graph.nodes) == count
    assert all(arg.id < node.id for node in graph.nodes for arg in node.args)


def test_a_leaf_has_a_kind_and_a_name() -> None:
    graph = Graph()
    angle = graph.new_input("arm.angle", "q")
    assert (angle.kind, angle.name, repr(angle)) == ("q", "arm.angle", "q:arm.angle")
    rates = graph.new_inputs("v", ["arm.angle", "a:b"])
    assert [x.value for x in rates] == [Leaf("v", "arm.angle"), Leaf("v", "a:b")]
    assert graph.input("arm.angle", "q") is angle
    assert graph.input("q:arm.angle") is not angle
    mass = graph.parameter("m")
    assert (mass.kind, mass.name, repr(mass)) == ("parameter", "m", "m")
    with pytest.raises(AttributeError, match="name"):
        _ = (angle + 1).name


def test_a_new_input_has_a_name_that_is_not_taken() -> None:
    graph = Graph()
    graph.new_inputs("q", ["x", "y"])
    graph.parameter("x")
    assert graph.new_input("x").value == Leaf("", "x")
    with pytest.raises(ModelError, match=r"^input 'x' is defined twice$"):
        graph.new_input("x")
    with pytest.raises(ModelError, match=r"^input 'q:y' is defined twice$"):
        graph.new_inputs("q", ["z", "y"])


def test_a_graph_has_a_limit() -> None:
    graph = Graph(limit=4)
    a: Any = graph.input("a")
    b = a + 0 * a  # nothing new
    assert b is a
    b = 1 + a
    with pytest.raises(GraphTooLarge, match="limit of 4 nodes"):
        np.sin(b)


def test_what_is_undefined_is_left_to_the_run() -> None:
    minus: Any = g.constant(-1.0)
    assert np.log(minus).op == "log"
    assert (x / 0).op == "div"
    assert (x / 1e-310).op == "div"  # its inverse is not a number
    assert (x**math.inf).op == "pow"


def test_quotients_of_constants_are_rounded_once() -> None:
    for a in range(1, 100):
        for b in range(1, 100):
            assert (g.constant(a) / g.constant(b)).value == a / b
            assert (a * x) / b is (a / b) * x
    assert (g.constant(1.1) ** 7).value == 1.1**7


def test_nothing_divided_by_nothing_is_not_a_number() -> None:
    undefined = [g.zero / g.zero, 0 / (x - x), g.one / g.zero]
    out = Function("f", g, {"s": np.array([x])}, {"r": np.array(undefined)}).evaluate(s=[1.0])["r"]
    assert np.isnan(out[:2]).all()
    assert out[2] == math.inf


@pytest.mark.parametrize(
    ("write", "number", "value"),
    [
        (lambda x: (1e308 * x) * 10, 1e-10, 1e299),
        (lambda x: 1e-200 * (1e-200 * x), 1e200, 1e-200),
        (lambda x: (1e-200 * x) / 1e200, 1e200, 1e-200),
        (lambda x: (1e308 + x) + 1e308, -1e308, 1e308),
        (lambda x: x / 1e-310, 1e-300, 1e-300 / 1e-310),
        (lambda x: (x * x) * 1e-200 * (x * 1e-200), 1e150, 1e50),
    ],
)
def test_constants_are_not_gathered_beyond_the_range_of_numbers(write: Any, number: float, value: float) -> None:
    f = Function("f", g, {"s": np.array([x])}, {"r": np.array([write(x)])})
    assert f.evaluate(s=[number])["r"][0] == pytest.approx(value, rel=1e-12)
    compiled = CompiledFunction.of(f)
    assert compiled([number])[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(compiled(np.full((40, 1), number)), value, rtol=1e-12)


@pytest.mark.parametrize("name", ["minimum", "maximum"])
@pytest.mark.parametrize("pair", [(math.nan, 1.0), (1.0, math.nan), (math.nan, math.nan), (1.0, 2.0), (2.0, 1.0)])
def test_the_smaller_and_the_larger_are_those_of_numpy(name: str, pair: tuple[float, float]) -> None:
    """A limit does not hide what is not a number."""
    ufunc = getattr(np, name)
    expected = ufunc(*pair)
    f = Function("f", g, {"s": np.array([x, y])}, {"r": np.array([ufunc(x, y)])})
    folded = ufunc(g.constant(pair[0]), g.constant(pair[1]))
    for found in (f.evaluate(s=pair)["r"][0], CompiledFunction.of(f)(list(pair))[0], folded.value):
        np.testing.assert_equal(found, expected)


def test_a_node_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x)


def test_texts_of_nodes() -> None:
    assert repr(x) == "x"
    assert repr(x * y) == f"mul(#{x.id}, #{y.id})"


UNARY = [name for name, own in UFUNCS.items() if own not in ("add", "sub", "mul", "div", "pow", "atan2", "min", "max")]
BINARY = [name for name in UFUNCS if name not in UNARY]


def test_every_function_has_a_name_in_numpy() -> None:
    assert set(FUNCTIONS) <= set(UFUNCS.values())
    assert len(UNARY) > 12
    assert len(BINARY) == 8


@pytest.mark.parametrize("name", UNARY)
def test_numpy_functions_of_nodes(name: str) -> None:
    made = getattr(np, name)(x)
    assert made is getattr(g, UFUNCS[name])(x)


@pytest.mark.parametrize("name", BINARY)
def test_numpy_functions_of_two(name: str) -> None:
    ufunc, own = getattr(np, name), getattr(g, UFUNCS[name])
    assert ufunc(x, y) is own(x, y)
    assert ufunc(x, 2.5) is own(x, g.constant(2.5))
    assert ufunc(np.float64(2.5), x) is own(g.constant(2.5), x)


@pytest.mark.parametrize("name", sorted({*UNARY, *BINARY} - {"sign", "minimum", "maximum"}))
def test_numpy_functions_of_arrays_of_nodes(name: str) -> None:
    ufunc, own = getattr(np, name), getattr(g, UFUNCS[name])
    nodes = np.array([[x, y], [z, x * y]], dtype=object)
    if name in UNARY:
        assert all(a is own(b) for a, b in zip(ufunc(nodes).flat, nodes.flat, strict=True))
    else:
        assert all(a is own(b, z) for a, b in zip(ufunc(nodes, z).flat, nodes.flat, strict=True))


@pytest.mark.parametrize("name", ["sign", "minimum", "maximum"])
def test_what_numpy_does_by_comparing_is_refused_for_arrays(name: str) -> None:
    nodes = np.array([x, y], dtype=object)
    with pytest.raises(TypeError):
        getattr(np, name)(*([nodes] if name in UNARY else [nodes, nodes]))


def test_numpy_functions_that_the_graph_does_not_have() -> None:
    with pytest.raises(TypeError):
        np.floor(x)
    with pytest.raises(AttributeError):
        g.floor(x)


def test_float64_on_the_left() -> None:
    two = np.float64(2.0)
    assert two + x is x + 2
    assert two - x is 2 - x
    assert two * x is 2 * x
    assert two / x is 2 / x
    assert two**x is 2**x


def test_arrays_of_numbers_with_a_node() -> None:
    numbers = np.array([1.0, 2.0])
    for made, expected in ((numbers * x, [x, 2 * x]), (x - numbers, [x - 1, x - 2]), (numbers / x, [1 / x, 2 / x])):
        assert all(a is b for a, b in zip(made, expected, strict=True))


def test_a_node_is_no_number() -> None:
    with pytest.raises((TypeError, ValueError)):
        x + "text"


# ------------------------------------------------------------ random expressions

EPS = 2.0**-50
"""Four roundings for each operation: the graph may put a product for a quotient, and folds numbers in other orders."""


class Bounded:
    """A number with a bound of what rounding can have done to it."""

    def __init__(self, value: float, error: float = 0.0) -> None:
        self.value, self.error = value, error + EPS * abs(value)


def _add(a: Bounded, b: Bounded) -> Bounded:
    return Bounded(a.value + b.value, a.error + b.error)


def _sub(a: Bounded, b: Bounded) -> Bounded:
    return Bounded(a.value - b.value, a.error + b.error)


def _mul(a: Bounded, b: Bounded) -> Bounded:
    return Bounded(a.value * b.value, abs(a.value) * b.error + abs(b.value) * a.error + a.error * b.error)


def _div(a: Bounded, b: Bounded) -> Bounded:
    assume(abs(b.value) > 1e-3 + 2 * b.error)
    slack = abs(b.value) - b.error
    return Bounded(a.value / b.value, (a.error + abs(a.value / b.value) * b.error) / slack)


def _contraction(function: Callable[[float], float]) -> Callable[[Bounded], Bounded]:
    """A function whose slope is nowhere greater than one."""
    return lambda a: Bounded(function(a.value), a.error)


BY_NUMBER: dict[str, Callable[..., Bounded]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": lambda a: Bounded(-a.value, a.error),
    "square": lambda a: _mul(a, a),
    **{name: _contraction(getattr(np, name)) for name in ("sin", "cos", "arctan", "tanh", "abs")},
}
BY_NODE: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "square": lambda a: a**2,
    **{name: getattr(np, name) for name in ("sin", "cos", "arctan", "tanh", "abs")},
}

Tree = Any
leaves = st.sampled_from(["x", "y", "z"]) | st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])
trees: st.SearchStrategy[Tree] = st.recursive(
    leaves,
    lambda inner: (
        st.tuples(st.sampled_from(["add", "sub", "mul", "div"]), inner, inner)
        | st.tuples(st.sampled_from(["neg", "square", "sin", "cos", "arctan", "tanh", "abs"]), inner)
    ),
    max_leaves=25,
)


def built(tree: Tree, leaf: Callable[[Any], Any], operations: dict[str, Callable[..., Any]]) -> Any:
    if isinstance(tree, tuple):
        return operations[tree[0]](*(built(part, leaf, operations) for part in tree[1:]))
    return leaf(tree)


@settings(max_examples=150, deadline=None)
@given(trees, st.lists(st.floats(-2, 2), min_size=3, max_size=3))
def test_random_expressions_keep_their_value(tree: Tree, numbers: list[float]) -> None:
    values = dict(zip("xyz", numbers, strict=True))
    expected: Bounded = built(tree, lambda k: Bounded(values[k] if isinstance(k, str) else k), BY_NUMBER)
    assume(expected.error < 1e-6)
    graph = Graph()
    node = built(tree, lambda k: graph.input(k) if isinstance(k, str) else graph.constant(k), BY_NODE)
    inputs = np.array([graph.input(k) for k in "xyz"], dtype=object)
    found = Function("f", graph, {"s": inputs}, {"r": node}).evaluate(s=numbers)["r"]
    assert abs(found - expected.value) <= 2 * expected.error + 1e-300
