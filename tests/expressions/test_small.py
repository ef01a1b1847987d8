"""First order in small variables: exact to first order, not beyond, cheaper, and refused where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.expressions.derivatives import jacobian
from supple.expressions.function import Function
from supple.expressions.graph import Expr, Graph
from supple.expressions.small import small_ids, truncated
from supple.model.trace import Trace
from support.generated.generators import random_tree


def leaves(g: Graph, names: str) -> list[Expr]:
    return [g.input(name) for name in names]


def at_sizes(inputs: list[Expr], small: list[Expr], exact: Any, short: Any, sizes: tuple[float, ...]) -> list[float]:
    """Largest difference for small variables of each size, relative to the size of the exact values."""
    g = inputs[0].graph
    f = Function("f", g, {"x": np.array(inputs)}, {"exact": exact, "short": short})
    start = np.random.default_rng(2).uniform(0.4, 1.0, len(inputs))
    out = []
    for size in sizes:
        x = np.where([leaf in small for leaf in inputs], size * start, start)
        y = f.evaluate(x=x)
        out.append(float(np.abs(y["short"] - y["exact"]).max() / np.abs(y["exact"]).max()))
    return out


def written_out(x: Any, y: Any, s: Any, t: Any) -> list[Expr]:
    """Expressions in which every rule is at work."""
    return [
        (x + s) * (y + t),
        x * np.cos(s + t) + y * np.sin(s) * np.sin(t) + np.sin(2 * t),
        (x + s * t) / (y + s) + s / (x + t),
        np.exp(s) * np.sqrt(1 + t) + np.log(2 + s * y) * t,
        np.tan(s + x) * x + np.arctan2(s, 1 + t) + np.arcsin(0.5 + s),
        (2 + s) ** 2.5 + np.tanh(s * x) + np.cosh(s) * y,
        np.abs(s - 3) + np.sign(1 + t) * x + np.maximum(s + t, -1.0) + np.minimum(x, 5.0 + s) * np.cos(t),
        np.sin(x + s) * np.cos(y - t) + s,
    ]


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("number", range(8))
def test_the_error_is_of_second_order_and_the_slope_is_exact(number: int, apart: bool) -> None:
    g = Graph()
    inputs = x, y, s, t = leaves(g, "xyst")
    exact = np.array([written_out(x, y, s, t)[number]], dtype=object)
    short = truncated(exact, [s, t], apart=apart)
    coarse, fine = at_sizes(inputs, [s, t], exact, short, (1e-2, 1e-3))
    assert fine < 2e-2 * coarse or coarse < 1e-15
    assert coarse < 1e-2
    slope, slope_of_short = (jacobian(form, np.array([s, t])) for form in (exact, short))
    assert at_sizes(inputs, [s, t], slope, slope_of_short, (0.0,))[0] < 1e-14


def test_what_varies_is_not_computed_twice() -> None:
    """cos(x + s) and its value cos(x) at zero are two functions; P is a parameter."""
    g = Graph()
    (x, s), P = leaves(g, "xs"), g.parameter("P")
    y = np.cos(x + s)
    for apart, expected in ((True, np.cos(x)), (False, y)):
        (found,) = truncated(np.array([y + s * y * (P + s)], dtype=object), [s], apart=apart)
        assert found is y + s * expected * P


def test_the_rules_drop_something() -> None:
    """Of all but the two expressions that have nothing to drop."""
    g = Graph()
    x, y, s, t = leaves(g, "xyst")
    inputs, same = {"x": np.array([x, y, s, t])}, []
    for number, expression in enumerate(written_out(x, y, s, t)):
        exact = np.array([expression], dtype=object)
        short = truncated(exact, [s, t])
        if short[0] is expression:
            same.append(number)
        else:
            cheap, dear = (Function("f", g, inputs, {"y": form}).operations for form in (short, exact))
            assert cheap.total < dear.total
    assert same == [0, 7]


def test_results_of_simple_cases() -> None:
    g = Graph()
    x, s, t = leaves(g, "xst")
    given = np.array([[np.sin(s), np.cos(s)], [s * t, (x + s) * t], [s / (x + t), 3.0]], dtype=object)
    found = truncated(given, [s, t])
    assert found.shape == (3, 2)
    assert found[0].tolist() == [s, g.one]
    assert found[1].tolist() == [g.zero, x * t]
    assert found[2].tolist() == [s / x, 3.0]
    assert truncated(given, []).tolist() == given.tolist()


def test_equations_of_motion_to_first_order() -> None:
    """Mass matrix, forces and rates of a tree with some coordinates and speeds small."""
    model = random_tree(4, 4, forces=False)
    t = Trace(model)
    inputs = [*t.q, *t.v]
    kept = {leaf for k in (1, 2) for leaf in (t.q[-k], t.v[-k])}
    q, v = model.random_state(3)
    for nodes, exactly in ((t.mass_matrix(t.q), False), (t.bias_forces(t.q, t.v), False), (t.rates(t.q, t.v), True)):
        f = Function("f", t.graph, {"x": np.array(inputs)}, {"exact": nodes, "short": truncated(nodes, kept)})
        errors = []
        for size in (1e-2, 1e-3):
            x = np.where([leaf in kept for leaf in inputs], size, 1.0) * np.concatenate([q, v])
            y = f.evaluate(x=x)
            errors.append(np.abs(y["exact"] - y["short"]).max())
        if exactly:  # the rates of these joints are the speeds
            assert errors == [0.0, 0.0]
        else:
            assert 1e-8 < errors[1] < 2e-2 * errors[0]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda x, s: x / np.sin(s), "a denominator vanishes"),
        (lambda x, s: x * np.log(s), "log has no value"),
        (lambda x, s: x + np.sqrt(s), "sqrt has no finite slope"),
        (lambda x, s: np.arcsin(1 - s), "asin has no finite slope"),
        (lambda x, s: s**0.3 + x, "pow has no finite slope"),
        (lambda x, s: np.abs(s), "abs has no slope"),
        (lambda x, s: x * np.sign(s), "sign has no slope"),
        (lambda x, s: np.maximum(s, 0.0), "max has no slope"),
        (lambda x, s: np.arctan2(s, 2 * s), "atan2 has no slope"),
    ],
)
def test_what_has_no_first_order_is_refused_by_name(make: Any, why: str) -> None:
    g = Graph()
    x, s = g.input("x"), g.input("boom.angle", "q")
    with pytest.raises(supple.StateError, match=f"rates: .* first order in boom.angle, but {why}"):
        truncated(np.array([make(x, s)]), [s], "rates")


def test_small_nodes_are_known_by_their_form() -> None:
    g = Graph()
    x, y, s, t = leaves(g, "xyst")
    vanishing = [s, s * x, s + t, -s, s / x, np.sin(s), np.sin(s) * t, s - x * t, g.zero]
    others = [x, x + s, np.cos(s), x / s, s / t, np.cos(s) * x, x * y - s, g.one]
    found = small_ids([*vanishing, *others], [s, t])
    assert all(node.id in found for node in vanishing)
    assert not any(node.id in found for node in others)
