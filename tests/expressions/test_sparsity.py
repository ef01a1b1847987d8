"""Patterns of Jacobians against the Jacobians themselves."""

from __future__ import annotations

import numpy as np
import pytest

from supple.expressions.derivatives import jacobian
from supple.expressions.graph import Graph
from supple.expressions.sparsity import SparsityPattern, sparsity
from support.generated.random_graphs import random_function


@pytest.mark.parametrize("seed", range(30))
def test_all_that_is_outside_the_pattern_is_zero(seed: int) -> None:
    f = random_function(seed)
    r, s = f.outputs["r"], f.inputs["s"]
    pattern = sparsity(r, s)
    there = pattern.dense(np.ones(len(pattern), dtype=bool))
    zero = np.array([[node is f.graph.zero for node in row] for row in jacobian(r, s)])
    assert zero[~there].all()
    assert 0 < len(pattern) < there.size
    # Inside the pattern a zero is one of terms that cancel, as in atan2(x, x): the exception.
    assert zero[there].mean() < 0.3


def test_outputs_that_are_constants_inputs_numbers_and_repeated() -> None:
    g = Graph()
    x, y, z = g.new_inputs("", "xyz")
    pattern = sparsity([g.constant(2.0), y, 3.0, x * z, y], [x, y, z])
    assert [list(pattern.row(i)) for i in range(5)] == [[], [1], [], [0, 2], [1]]
    assert pattern.shape == (5, 3)
    assert pattern.density == 4 / 15


def test_a_sign_does_not_move_but_an_absolute_value_does() -> None:
    g = Graph()
    x, y = g.new_inputs("", "xy")
    pattern = sparsity([np.sign(x) * y, abs(x), np.sign(x + y)], [x, y])
    assert [list(pattern.row(i)) for i in range(3)] == [[1], [0], []]


def test_inputs_that_stand_twice_or_are_inner_nodes() -> None:
    g = Graph()
    x, y = g.new_inputs("", "xy")
    inner = np.sin(x)
    pattern = sparsity([inner * y], [x, inner, y, x])
    assert list(pattern.row(0)) == [0, 1, 2, 3]


def test_nothing_at_all() -> None:
    g = Graph()
    x = g.input("x")
    assert sparsity([], [x]).shape == (0, 1)
    assert sparsity([x], []).shape == (1, 0)
    assert len(sparsity([], [])) == 0


def test_more_inputs_than_a_machine_word_has_bits() -> None:
    g = Graph()
    x = g.new_inputs("x", [str(i) for i in range(200)])
    pattern = sparsity([x[i] * x[-1 - i] for i in range(100)], x)
    assert [list(pattern.row(i)) for i in range(100)] == [[i, 199 - i] for i in range(100)]


def test_matrices_and_the_transpose() -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(5, 7)) * (rng.uniform(size=(5, 7)) < 0.3)
    A[2] = 0.0
    pattern = SparsityPattern.of_rows([np.flatnonzero(row) for row in A], 7)
    values = A[pattern.rows, pattern.columns]
    assert np.array_equal(pattern.matrix(values).toarray(), A)
    assert np.array_equal(pattern.dense([values, 2 * values]), [A, 2 * A])
    T = pattern.transposed
    assert np.array_equal(T.dense(A.T[T.rows, T.columns]), A.T)
    assert len(T) == len(pattern) > 5


def test_what_changes_in_jumps_alone_counts_if_it_is_asked_for() -> None:
    g = Graph()
    x, y = g.input("x"), g.input("y")
    outputs = [g.function("sign", x) * y, g.function("sign", x)]
    assert sparsity(outputs, [x, y]).columns.tolist() == [1]
    through = sparsity(outputs, [x, y], through_steps=True)
    assert (through.starts.tolist(), through.columns.tolist()) == ([0, 2, 3], [0, 1, 0])
