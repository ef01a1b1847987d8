"""Entries of sparse Jacobians against the full ones, node by node, and how many nodes large graphs take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.expressions import derivatives
from supple.expressions.derivatives import forward, jacobian
from supple.expressions.function import Function
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.sparse_jacobian import sparse_jacobian
from supple.model.trace import Trace
from support.cases import thinned
from support.generated.random_graphs import random_function

CLOSE = 1e-10
"""Forward and reverse sums round differently; the values are of size 1 to 1e3."""


def numbers(f: Function, nodes: Any, at: Any) -> Any:
    return Function("g", f.graph, f.inputs, {"r": nodes}).evaluate(s=at)["r"]


def diffusion(n: int) -> tuple[list[Expr], Any]:
    """Rates of a nonlinear equation of diffusion on a line of n points."""
    g = Graph()
    u = g.new_inputs("u", [str(i) for i in range(n)])
    flows = [np.sin(u[i + 1] - u[i]) * (u[i] * u[i + 1] + 2) for i in range(n - 1)]
    flows = [g.zero, *flows, g.zero]
    return [flows[i + 1] - flows[i] for i in range(n)], u


@pytest.mark.parametrize("seed", thinned(range(30), range(6)))
@pytest.mark.parametrize("outputs", [2, 7, 20])
def test_random_graphs_against_the_full_jacobian(seed: int, outputs: int) -> None:
    f = random_function(seed, outputs=outputs)
    r, s = f.outputs["r"], f.inputs["s"]
    at = np.random.default_rng(seed).uniform(-2, 2, len(s))
    J = sparse_jacobian(r, s)
    expected = numbers(f, jacobian(r, s), at)
    assert np.isfinite(expected).all()
    assert np.abs(expected).max() > 0.1
    found = J.pattern.dense(numbers(f, J.entries, at))
    np.testing.assert_allclose(found, expected, rtol=CLOSE, atol=CLOSE)


def test_on_a_kink_the_slopes_are_those_of_the_full_jacobian() -> None:
    g = Graph()
    x, y = s = g.new_inputs("s", "xy")
    r = np.array([np.minimum(x, y), np.maximum(x * x, y), abs(x - y), np.sign(x) * y])
    f = Function("f", g, {"s": s}, {"r": r})
    J = sparse_jacobian(f.outputs["r"], f.inputs["s"])
    expected = numbers(f, jacobian(f.outputs["r"], f.inputs["s"]), [1.0, 1.0])
    assert np.array_equal(J.pattern.dense(numbers(f, J.entries, [1.0, 1.0])), expected)


def test_terms_that_cancel_stay_in_the_pattern() -> None:
    g = Graph()
    x, y = g.new_inputs("", "xy")
    J = sparse_jacobian([(x + y) * (x - y) - x * x, x + y - y * 1.0], [x, y])
    assert len(J.entries) == 3
    assert (x + y - y) is x


@pytest.mark.parametrize("tall", [True, False], ids=["forward", "in reverse"])
def test_the_cheaper_direction_is_taken(tall: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many outputs of one input, and one output of many inputs: one sweep."""
    done = {"slopes": 0, "weights": 0}
    for name in done:
        own = getattr(derivatives.Sweeps, name)

        def counted(self: Any, x: Any, name: str = name, own: Any = own) -> Any:
            done[name] += 1
            return own(self, x)

        monkeypatch.setattr(derivatives.Sweeps, name, counted)
    g = Graph()
    x = g.new_inputs("x", [str(i) for i in range(40)])
    if tall:
        sparse_jacobian([np.sin((i + 1) * x[0]) * np.exp(x[0]) for i in range(40)], x[:1])
    else:
        sparse_jacobian([np.sum(np.sin(x) * x)], x)
    assert done == ({"slopes": 1, "weights": 0} if tall else {"slopes": 0, "weights": 1})


def test_sweeps_of_a_band_visit_the_band_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slopes that are made: a few for each of 300 points, where full sweeps would visit 300 times as many."""
    asked: list[Expr] = []
    own = derivatives.local_slopes

    def noted(node: Expr) -> Any:
        asked.append(node)
        return own(node)

    monkeypatch.setattr(derivatives, "local_slopes", noted)
    rows, u = diffusion(300)
    J = sparse_jacobian(rows, u)
    assert len(J.pattern) == 3 * 300 - 2
    assert len(asked) < 5 * len(order_of(rows))
    asked.clear()
    jacobian(np.array(rows, dtype=object), u)
    assert len(asked) < 5 * len(order_of(rows))


def test_a_sweep_along_all_inputs_of_a_colour_makes_the_same_nodes() -> None:
    """Why colours do not pay for formulas."""
    rows, u = diffusion(60)
    dense = jacobian(np.array(rows, dtype=object), u)
    for colour in range(3):
        together = forward(rows, dict.fromkeys(u[colour::3], 1.0))
        for i, node in enumerate(together):
            own = [dense[i, j] for j in range(max(0, i - 1), min(60, i + 2)) if j % 3 == colour]
            assert [node] == (own or [u[0].graph.zero])


def test_a_hundred_thousand_nodes_and_two_thousand_inputs() -> None:
    g = Graph()
    x = g.new_inputs("x", [str(i) for i in range(2000)])
    rows = list(x)
    while len(g.nodes) < 100_000:
        rows = [np.sin(node) * x[i] + x[i - 1] for i, node in enumerate(rows)]
    J = sparse_jacobian(rows, x)
    assert len(order_of(rows)) > 95_000
    assert len(J.pattern) == 2 * 2000
    assert {(j - i) % 2000 for i, j in zip(J.pattern.rows, J.pattern.columns, strict=True)} == {0, 1999}


def test_inverse_dynamics_of_branches() -> None:
    """Four arms of three links on the ground: forces on one do not depend on the others."""
    mech = supple.Mechanism("arms")
    for i in range(4):
        for k in range(3):
            parent, joint = (f"{i}{k - 1}" if k else "ground"), supple.Revolute("xyz"[k])
            mech.add_body(f"{i}{k}", supple.RigidBody(1.0, (0.1, 0.2, 0.3), (1, 2, 2.5)), parent, joint)
    t = Trace(mech.build())
    tau, s = t.inverse_dynamics(t.q, t.v, t.a), np.concatenate([t.q, t.v, t.a])
    J = sparse_jacobian(tau, s)
    assert J.pattern.density <= 0.25
    f = Function("f", t.graph, {"s": s}, {"r": tau})
    at = np.random.default_rng(1).normal(size=len(s))
    expected = numbers(f, jacobian(tau, s), at)
    assert np.abs(expected).max() > 1
    np.testing.assert_allclose(J.pattern.dense(numbers(f, J.entries, at)), expected, rtol=CLOSE, atol=CLOSE)
