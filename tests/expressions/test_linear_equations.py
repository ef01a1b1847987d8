"""Linear equations in symbols: as numpy solves them, with pivots that do not vanish, and refused where singular."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.expressions.linear_equations import solve_general, zeros_seen

Floats = NDArray[np.float64]


def leaves(g: Graph, name: str, shape: tuple[int, ...], parameters: bool = False) -> NDArray[Any]:
    """An array of inputs, or of parameters."""
    made = np.empty(shape, dtype=object)
    for index in np.ndindex(shape):
        label = name + "".join(map(str, index))
        made[index] = g.parameter(label) if parameters else g.input(label)
    return made


def constants(g: Graph, x: Floats) -> NDArray[Any]:
    """An array of numbers as nodes."""
    made = np.empty(x.shape, dtype=object)
    for index in np.ndindex(x.shape):
        made[index] = g.constant(float(x[index]))
    return made


def sparse(n: int, rng: np.random.Generator) -> Floats:
    """A matrix that can be inverted, with zeros in it, the first pivot among them if there is more than one."""
    while True:
        A = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.6)
        if n > 1:
            A[0, 0] = 0.0
        if abs(np.linalg.det(A)) > 1e-2:
            return A


@pytest.mark.parametrize("n", range(1, 8))
def test_numbers(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(20):
        g, A, B = Graph(), sparse(n, rng), rng.normal(size=(n, 3))
        found = solve_general(constants(g, A), constants(g, B))
        assert all(node.op == "constant" for node in found.flat)
        np.testing.assert_allclose(A @ np.array([[x.value for x in row] for row in found]), B, rtol=0, atol=1e-10)


@pytest.mark.parametrize("parameters", [False, True], ids=["inputs", "parameters"])
@pytest.mark.parametrize("n", range(1, 7))
def test_symbols(n: int, parameters: bool) -> None:
    """Solved once, right for all numbers; zeros and a constant among the entries."""
    rng = np.random.default_rng(n)
    g, zeros = Graph(), sparse(n, rng) == 0
    A, B = leaves(g, "a", (n, n), parameters), leaves(g, "b", (n, 2))
    A[zeros] = g.zero
    A[n - 1, n // 2] = g.constant(0.7)
    before = A.copy()
    X = solve_general(A, B)
    assert (before == A).all()  # the arguments are left alone
    symbols = [x for x in A.flat if x.op in ("input", "parameter")]
    inputs = {"B": B} if parameters else {"A": np.array(symbols, dtype=object), "B": B}
    function = Function("solved", g, inputs, {"X": X}, symbols if parameters else ())
    for _ in range(5):
        number = {x: rng.uniform(0.5, 2.0) * rng.choice([-1, 1]) for x in symbols}
        values: dict[str, Any] = {"B": rng.normal(size=B.shape), "A": [number[x] for x in symbols]}
        dense = np.array([[number.get(x, x.value) for x in row] for row in A])
        given = {x.name: y for x, y in number.items()}
        found = function.evaluate(given, **{key: values[key] for key in inputs})["X"]
        expected = np.linalg.solve(dense, values["B"])
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.linalg.cond(dense) * np.abs(expected).max())


def test_a_singular_matrix_of_numbers_is_refused() -> None:
    g, rng = Graph(), np.random.default_rng(0)
    A = rng.normal(size=(5, 5))
    A[:, 3] = A[:, 0] - 2 * A[:, 2]
    with pytest.raises(ZeroDivisionError) as caught:
        solve_general(constants(g, A), constants(g, np.ones((5, 1))))
    assert caught.value.args == (3,)  # the first unknown that nothing is left of


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_determinant_that_is_zero_in_disguise_is_refused(n: int) -> None:
    """Rows that depend on each other for all values of the symbols, though no entry of them is zero."""
    g = Graph()
    A = leaves(g, "a", (n, n))
    A[-1] = g.sin(A[0, 0]) * A[0] + A[1 % (n - 1)]
    with pytest.raises(ZeroDivisionError):
        solve_general(A, leaves(g, "b", (n, 1)))


def test_entries_that_vanish_identically_become_zero() -> None:
    g = Graph()
    x, y, m = g.input("x"), g.input("y"), g.parameter("m")
    hidden = m * (x + y) ** 2 - m * (x * x + y * y) - 2 * (m * x) * y
    bad = np.sqrt(-2 - x * x)
    M = np.array([[m, hidden, 1e-9 * x], [hidden, 2 + x, bad], [1e-9 * x, bad, m * m]], dtype=object)
    assert hidden is not g.zero
    found = zeros_seen(M)
    assert (found[0, 1], found[1, 0]) == (g.zero, g.zero)
    same = [(0, 0), (1, 1), (2, 2), (0, 2), (2, 0), (1, 2), (2, 1)]
    assert all(found[at] is M[at] for at in same)


def test_an_empty_column_names_its_unknown() -> None:
    g = Graph()
    A = leaves(g, "a", (4, 4))
    A[:, 1] = g.zero
    with pytest.raises(ZeroDivisionError) as caught:
        solve_general(A, leaves(g, "b", (4, 1)))
    assert caught.value.args == (1,)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_pivots_that_vanish_in_the_nominal_configuration_are_avoided(n: int) -> None:
    """Rotations one after the other, the first rows with sin(x) first: at x = 0 those entries are zero."""
    g = Graph()
    x, B = leaves(g, "x", (n - 1,)), leaves(g, "b", (n, 1))
    A = constants(g, np.eye(n))
    for i in range(n - 1):
        turn = constants(g, np.eye(n))
        turn[i, i], turn[i, i + 1] = g.sin(x[i]), g.cos(x[i])
        turn[i + 1, i], turn[i + 1, i + 1] = -g.cos(x[i]), g.sin(x[i])
        A = A @ turn
    function = Function("solved", g, {"x": x, "b": B}, {"A": A, "X": solve_general(A, B)})
    rng = np.random.default_rng(n)
    for configuration in (np.zeros(n - 1), 0.1 * rng.normal(size=n - 1), 0.8 * rng.random(n - 1)):
        b = rng.normal(size=(n, 1))
        found = function.evaluate(x=configuration, b=b)
        assert configuration.any() or found["A"][0, 0] == 0.0
        np.testing.assert_allclose(found["X"], found["A"].T @ b, rtol=0, atol=1e-10)


def test_two_equations_without_a_constant_never_divide_by_an_entry() -> None:
    """A rotation can be inverted at every angle, where its sine vanishes and where its cosine does."""
    g = Graph()
    x, B = g.input("x"), leaves(g, "b", (2, 1))
    A = np.array([[g.cos(x), -g.sin(x)], [g.sin(x), g.cos(x)]])
    function = Function("solved", g, {"x": np.array([x]), "b": B}, {"X": solve_general(A, B)})
    assert function.operations.divisions == 0
    for angle in (0.0, np.pi / 2, np.pi, 1.0):
        c, s = np.cos(angle), np.sin(angle)
        found = function.evaluate(x=[angle], b=[[3.0], [-2.0]])["X"]
        np.testing.assert_allclose(found[:, 0], [3 * c - 2 * s, -3 * s - 2 * c], rtol=0, atol=1e-15)
