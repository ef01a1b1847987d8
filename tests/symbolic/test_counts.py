"""Operation counts by tracing."""

from __future__ import annotations

from itertools import pairwise

import pytest

import supple
from generators import random_tree


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


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(supple.StateError, match="did you mean 'articulated'"):
        supple.count_operations(random_tree(1, 2), method="articulate")
