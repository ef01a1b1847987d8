"""Fewer operations for the same values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.expressions.factoring import factored
from supple.expressions.function import Function
from supple.expressions.graph import Expr, Graph
from supple.model.trace import Trace
from support.generated.generators import random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"


def leaves(g: Graph, names: str) -> list[Any]:
    return [g.input(name) for name in names]


def one(node: Expr, *others: Expr) -> Expr:
    """The first of some outputs."""
    found: Expr = factored({"y": np.array([node, *others], dtype=object)})["y"][0]
    return found


def test_common_factors_are_taken_out_of_sums_of_any_length() -> None:
    g = Graph()
    a, b, x, y, z = leaves(g, "abxyz")
    assert one(a * x + a * y) is a * (x + y)
    assert one(a * x - y * a) is a * (x - y)
    assert one(b + a * x - z + a * y) is b + a * (x + y) - z
    assert one(2 * x + z + 2 * y) is 2 * (x + y) + z
    assert one(a * b * x - a * (b * y)) is a * (b * (x - y))
    assert one(x * x + x * y) is x * (x + y)
    assert one(np.sin(a * x + a * y)) is np.sin(a * (x + y))


def test_what_others_use_stays() -> None:
    g = Graph()
    a, x, y = leaves(g, "axy")
    assert one(a * x + a * y, a * x) is a * x + a * y
    assert one(a * x + a * y, np.cos(a * y)) is a * x + a * y
    assert one(a * x + y) is a * x + y


def test_what_is_fixed_is_brought_together() -> None:
    g = Graph()
    p, r = g.parameter("p"), g.parameter("r")
    x, y = leaves(g, "xy")
    assert one(p * (x * r)) is p * r * x
    assert one((p + x) + (y + r)) is (p + r) + x + y
    assert one(p * x + x) is (p + 1) * x
    assert one(p * x - y - r * x) is (p - r) * x - y
    assert one(x * y - p * y * x + p * (x * y)) is x * y


def test_numbers_and_empty_outputs_pass() -> None:
    out = factored({"a": np.array([1.0, 2.0]), "b": np.zeros((0, 3))})
    assert out["a"].tolist() == [1.0, 2.0]
    assert out["b"].shape == (0, 3)


def test_sums_of_thousands_of_terms() -> None:
    g = Graph()
    a = g.input("a")
    terms = [g.input(f"x{i}") for i in range(3000)]
    total, product = g.zero, g.one
    for x in terms:
        total, product = total + a * x, product * x
    f = Function("f", g, {"x": np.array([a, *terms])}, factored({"y": np.array([total, product])}))
    assert (f.operations.additions, f.operations.multiplications) == (2999, 1 + 2999)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_equations_of_motion_have_the_same_values(seed: int) -> None:
    model = random_tree(seed, 4)
    t = Trace(model)
    outputs = {"M": t.mass_matrix(t.q), "a": t.forward_dynamics(t.q, t.v, t.tau)}
    inputs = {"q": t.q, "v": t.v, "tau": t.tau}
    before, after = t.function("f", inputs, outputs), t.function("f", inputs, factored(outputs))
    assert after.operations.total < before.operations.total
    q, v = model.random_state(seed)
    tau = np.random.default_rng(seed).normal(size=model.nv)
    found, expected = (f.evaluate(q=q, v=v, tau=tau) for f in (after, before))
    for key, x in expected.items():
        np.testing.assert_allclose(found[key], x, rtol=0, atol=1e-12 * np.abs(x).max())


def test_a_robot_gets_five_percent_cheaper() -> None:
    t = Trace(supple.files.read(EXAMPLES / "six_axis_arm.toml").model)
    outputs = {"tau": t.inverse_dynamics(t.q, t.v, t.a)}
    inputs = {"q": t.q, "v": t.v, "a": t.a}
    before, after = (t.function("tau", inputs, x).operations for x in (outputs, factored(outputs)))
    assert after.total < 0.95 * before.total
    assert after.additions <= before.additions
