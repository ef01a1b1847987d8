"""Symmetric equations on nodes: right, cheap, in the order that a search over all orders finds."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import supple
from supple.expressions import elimination
from supple.expressions.elimination import solve_symmetric
from supple.expressions.function import Function
from supple.expressions.graph import Expr, Graph
from supple.model.trace import Trace


def equations(g: Graph, n: int, density: float, seed: int, fixed: float = 0.0) -> tuple[Any, Any, list[Expr]]:
    """A sparse symmetric matrix and right side of leaves, some of them parameters."""
    rng = np.random.default_rng(seed)
    made: list[Expr] = []

    def leaf(name: str) -> Expr:
        made.append(g.parameter(name) if rng.random() < fixed else g.input(name))
        return made[-1]

    M = np.zeros((n, n), dtype=object)
    for i in range(n):
        for j in range(i + 1):
            if i == j or rng.random() < density:
                M[i, j] = M[j, i] = leaf(f"m{i}.{j}")
    r = [g.input(f"r{i}") for i in range(n)]
    return M, np.array(r, dtype=object), [*made, *r]


def values(M: Any, made: list[Expr], seed: int = 1) -> dict[str, float]:
    """Numbers that make the matrix positive definite."""
    rng = np.random.default_rng(seed)
    diagonal = {M[i, i] for i in range(len(M))}
    return {x.name: rng.uniform(-1, 1) + (2 * len(M) if x in diagonal else 0) for x in made}


def function(made: list[Expr], **outputs: Any) -> Function:
    inputs = np.array([x for x in made if x.op == "input"], dtype=object)
    return Function("x", made[0].graph, {"x": inputs}, outputs, [x for x in made if x.op == "parameter"])


@pytest.mark.parametrize(("n", "density"), [(1, 1.0), (2, 1.0), (5, 1.0), (7, 0.4), (12, 0.2), (20, 0.15)])
@pytest.mark.parametrize("fixed", [0.0, 0.6, 1.0])
def test_solutions_solve_the_equations(n: int, density: float, fixed: float) -> None:
    g = Graph()
    M, r, made = equations(g, n, density, seed=n, fixed=fixed)
    f = function(made, x=solve_symmetric(M, r), M=M, r=r)
    numbers = values(M, made)
    out = f.evaluate(numbers, x=[numbers[leaf.name] for leaf in f.inputs["x"]])
    assert np.abs(out["r"]).max() > 0.1
    np.testing.assert_allclose(out["M"] @ out["x"], out["r"], rtol=0, atol=1e-13 * n)
    assert f.operations.divisions + f.precomputed.divisions == n


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("fixed", [0.0, 0.5])
def test_no_order_is_cheaper_than_the_one_found(seed: int, fixed: float, monkeypatch: pytest.MonkeyPatch) -> None:
    g = Graph()
    M, r, made = equations(g, 5, 0.4, seed, fixed)
    found = function(made, x=solve_symmetric(M, r)).operations.total
    totals = []
    for order in permutations(range(5)):
        monkeypatch.setattr(elimination, "_searched", lambda pattern, order=order: order)
        totals.append(function(made, x=solve_symmetric(M, r)).operations.total)
    assert min(totals) < max(totals)
    assert found == min(totals)


def test_a_bad_numbering_of_an_arrow_costs_nothing() -> None:
    """One unknown coupled to all others is eliminated last, wherever it stands."""
    g = Graph()
    totals = []
    for n in (8, 30):
        for hub in (0, n - 1):
            M = np.zeros((n, n), dtype=object)
            for i in range(n):
                M[i, i] = g.input(f"d{i}")
                if i != hub:
                    M[i, hub] = M[hub, i] = g.input(f"e{i}")
            made = [x for x in M[np.tril_indices(n)] if isinstance(x, Expr)]
            r = np.array([g.input(f"r{i}") for i in range(n)], dtype=object)
            totals.append(function([*made, *r], x=solve_symmetric(M, r)).operations.total)
    assert totals[0] == totals[1] == 9 * 7 + 2
    assert totals[2] == totals[3] == 9 * 29 + 2


def test_products_of_two_small_factors_are_dropped_and_the_rest_is_right_to_first_order() -> None:
    g = Graph()
    n = 4
    M, r, made = equations(g, n, 1.0, seed=3)
    small = [M[0, 1], M[2, 3], M[0, 3], r[2]]
    exact, short = solve_symmetric(M, r), solve_symmetric(M, r, small)
    f = function(made, exact=exact, short=short)
    cost = [function(made, x=x).operations.total for x in (exact, short)]
    assert cost[1] < 0.9 * cost[0]
    numbers, errors = values(M, made), []
    for size in (1e-2, 1e-3):
        x = [numbers[leaf.name] * (size if leaf in small else 1.0) for leaf in f.inputs["x"]]
        out = f.evaluate(x=x)
        errors.append(np.abs(out["exact"] - out["short"]).max())
    assert 1e-12 < errors[1] < 2e-2 * errors[0] < 1e-5


def test_a_long_chain_of_joints_equals_the_model() -> None:
    mech = supple.Mechanism("chain", gravity=(0, -9.81, 0))
    for i in range(40):
        body = supple.RigidBody(1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
        mech.add_body(f"b{i}", body, f"b{i - 1}" if i else "ground", supple.Revolute("z"), at=(float(i > 0), 0, 0))
    model = mech.build()
    t = Trace(model)
    a = solve_symmetric(t.mass_matrix(t.q), t.tau - t.bias_forces(t.q, t.v), names=model.speeds)
    f = t.function("a", {"q": t.q, "v": t.v, "tau": t.tau}, {"a": a})
    q, v = model.random_state(1)
    tau = np.random.default_rng(2).normal(size=40)
    expected = model.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(f.evaluate(q=q, v=v, tau=tau)["a"], expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_a_zero_on_the_diagonal_waits_until_others_fill_it() -> None:
    """The equations of a motion with a constraint, whose multiplier has no entry of its own."""
    g = Graph()
    m, c, f, b = (g.input(name) for name in "mcfb")
    x = solve_symmetric(np.array([[0, c], [c, m]], dtype=object), np.array([b, f]))
    out = Function("x", g, {"x": np.array([m, c, f, b])}, {"x": x}).evaluate(x=[2.0, 3.0, 5.0, 7.0])["x"]
    np.testing.assert_allclose(np.array([[0, 3.0], [3.0, 2.0]]) @ out, [7.0, 5.0], rtol=1e-14)


def test_equations_without_a_solution_name_the_unknown() -> None:
    g = Graph()
    m, s, r = g.input("m"), g.input("s"), np.array([g.input("f"), g.input("h")])
    with pytest.raises(supple.StateError, match=r"^equations for boom.angle: .* got a pivot that is zero"):
        solve_symmetric(np.array([[m, 0], [0, 0]], dtype=object), r, names=["hub.angle", "boom.angle"])
    with pytest.raises(supple.StateError, match="unknown 1"):  # found only when it is computed
        solve_symmetric(np.array([[m, m], [m, m]], dtype=object), r)
    with pytest.raises(supple.StateError, match="unknown 0"):
        solve_symmetric(np.array([[s, 0], [0, m]], dtype=object), r, small=[s])
