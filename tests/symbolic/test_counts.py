"""Operation counts by tracing."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import supple
from supple.expressions.function import Function, Operations
from supple.expressions.graph import Graph
from supple.model.functions.table import FUNCTIONS
from supple.model.symbolic_tree import zeros
from supple.model.trace import Trace
from supple.recursions import composite, conjugate_gradient, newton_euler
from supple.symbolic.counts import dense_solution
from support.generated.generators import random_tree
from support.jain_rodriguez.models import chain_of, crooked
from support.mechanisms.closed_mechanisms import slider_crank


@cache
def chain(bodies: int) -> supple.Model:
    mech = supple.Mechanism("chain")
    body = supple.RigidBody(1.0, (0.1, 0.2, 0.3), [[1, 0.1, 0.2], [0.1, 1, 0.3], [0.2, 0.3, 1]])
    for i in range(bodies):
        mech.add_body(f"b{i}", body, f"b{i - 1}" if i else "ground", supple.Revolute((1, 2, 3)), at=(0.1, 0.2, 1))
    return mech.build()


def test_articulated_bodies_cost_the_same_for_each_body_and_win_for_long_chains() -> None:
    articulated = [supple.count_operations(chain(n)).total for n in (4, 8, 12, 16)]
    steps = [b - a for a, b in pairwise(articulated)]
    assert max(steps) - min(steps) <= 4  # linear
    triangular = [supple.count_operations(chain(n), method="triangular").total for n in (4, 8, 12, 16)]
    growth = [b - a for a, b in pairwise(triangular)]
    assert growth[2] > growth[1] > growth[0]  # faster than linear
    assert triangular[3] > articulated[3]


def test_what_depends_on_parameters_alone_is_not_counted() -> None:
    model = chain(3)
    folded = supple.count_operations(model)
    symbolic = supple.count_operations(model, parameters=[f"b{i}.mass" for i in range(3)])
    assert folded.total <= symbolic.total < 1.2 * folded.total
    assert symbolic.functions == 6


def test_the_dense_solution_sees_no_zeros() -> None:
    tree = branches(3)
    assert (tree.mass_matrix(tree.neutral())[:3, 3:] == 0).all()
    triangular, dense = (supple.count_operations(tree, method=x) for x in ("triangular", "composite"))
    assert triangular.multiplications < dense.multiplications - 50
    assert triangular.additions < dense.additions - 50


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_dense_solution_is_counted_as_it_is_done(n: int) -> None:
    g = Graph()
    A, x = (g.new_inputs(name, [str(i) for i in range(size)]) for name, size in (("A", n * n), ("x", n)))
    LU, y = A.copy().reshape(n, n), x.copy()
    inverse = []
    for k in range(n):
        inverse.append(1 / LU[k, k])
        LU[k + 1 :, k] = LU[k + 1 :, k] * inverse[k]
        LU[k + 1 :, k + 1 :] = LU[k + 1 :, k + 1 :] - np.outer(LU[k + 1 :, k], LU[k, k + 1 :])
    for i in range(1, n):
        y[i] = y[i] - LU[i, :i] @ y[:i]
    for i in reversed(range(n)):
        y[i] = (y[i] - LU[i, i + 1 :] @ y[i + 1 :]) * inverse[i]
    assert dense_solution(n) == Function("solution", g, {"A": A, "x": x}, {"y": y}).operations


@cache
def branches(bodies: int) -> supple.Model:
    """Two chains on the ground."""
    mech = supple.Mechanism("branches")
    for name in "ab":
        for i in range(bodies):
            body = supple.RigidBody(1.0, (0.1, 0.2, 0.3), (1, 2, 2.5))
            mech.add_body(
                f"{name}{i}", body, f"{name}{i - 1}" if i else "ground", supple.Revolute((1, 2, 3)), at=(1, 2, 3)
            )
    return mech.build()


def test_conjugate_gradients_are_counted_by_the_iteration() -> None:
    """As many operations as a further iteration adds when they are written out one after the other."""
    model = chain(3)
    one = supple.count_operations(model, method="conjugate_gradient")
    assert one == written_out(model, 3) + written_out(model, 2) * -1
    whole = [supple.count_operations(model, method="conjugate_gradient", iterations=n) for n in (0, 4)]
    assert whole[1] == whole[0] + one * 4
    assert whole[0].functions == 6
    assert one.functions == 0
    flexible = chain_of(crooked(2), 2)
    one = supple.count_operations(flexible, method="conjugate_gradient")
    assert one == written_out(flexible, 3) + written_out(flexible, 2) * -1


def written_out(model: supple.Model, iterations: int) -> Operations:
    """Conjugate gradients from the start to the direction after the last iteration."""
    t = Trace(model)
    ws, work = t.workspace(), zeros(5, model.nv)
    t.run(newton_euler.at_rest)(t.flex, ws)
    t.run(composite.composite)(t.tree, t.flex, t.q, ws)
    t.run(conjugate_gradient.diagonal)(t.tree, t.flex, ws, work[4])
    rho = t.run(conjugate_gradient.start)(t.tau - t.bias_forces(t.q, t.v), work)
    for _ in range(iterations):
        rho = t.run(conjugate_gradient.iteration)(t.tree, t.flex, rho, ws, work)
    after = np.array([*work[:3].flat, rho], dtype=object)
    return t.function("all", {"q": t.q, "v": t.v, "tau": t.tau}, {"after": after}).operations


COUNTED = [what for what in FUNCTIONS if what not in ("constraint_forces", "operational_inertia")]
"""Those of a chain without loops, whose bodies cannot move in all directions."""


@pytest.mark.parametrize("what", COUNTED)
def test_whatever_can_be_compiled_is_counted(what: str) -> None:
    model = chain(2)
    assert supple.count_operations(model, what) == model.compile(what).operations
    assert supple.count_operations(model, what).total > 0 or what in ("derivative", "tangent", "direction_rates")


def test_derivatives_are_counted() -> None:
    model = chain(2)
    plain, more = (supple.count_operations(model, derivatives=x) for x in ((), ("q", "tau")))
    assert more.total > 1.5 * plain.total
    assert more == model.compile("forward_dynamics", derivatives=("q", "tau")).operations


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(supple.StateError, match="did you mean 'articulated'"):
        supple.count_operations(random_tree(1, 2), method="articulate")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"what": "mass_matrix", "method": "triangular"}, "'mass_matrix' has no other than 'articulated'"),
        ({"method": "composite", "derivatives": ("q", "v")}, "derivatives by q, v has no other than 'articulated'"),
        ({"iterations": 3}, "conjugate gradients have them, 0 or more; got 3 for 'articulated'"),
        ({"method": "conjugate_gradient", "iterations": -1}, "got -1 for 'conjugate_gradient'"),
        ({"what": "rollout"}, "no function 'rollout'; expected one of forward_dynamics"),
    ],
)
def test_what_has_no_count_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        supple.count_operations(chain(2), **arguments)


def test_closed_loops_have_one_method() -> None:
    model = slider_crank()
    assert supple.count_operations(model).total > 0
    with pytest.raises(supple.StateError, match="has closed loops: expected method 'articulated'"):
        supple.count_operations(model, method="triangular")
