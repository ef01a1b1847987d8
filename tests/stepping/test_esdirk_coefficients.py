"""The coefficients of ESDIRK5(4) fulfil the conditions of their orders, are L-stable, and interpolate."""

from __future__ import annotations

import numpy as np
import pytest

from supple.stepping.esdirk_coefficients import DIAGONAL, STAGES, Coefficients, Floats, coefficients


@pytest.fixture(scope="module")
def tables() -> Coefficients:
    return coefficients()


def conditions(A: Floats, c: Floats, order: int) -> list[tuple[Floats, float]]:
    """Weights w of all rooted trees of an order, and what b w has to be (Hairer, Norsett and Wanner, 1993, II.2)."""
    Ac, Ac2 = A @ c, A @ c**2
    trees: dict[int, list[tuple[Floats, float]]] = {
        1: [(c**0, 1)],
        2: [(c, 2)],
        3: [(c**2, 3), (Ac, 6)],
        4: [(c**3, 4), (c * Ac, 8), (Ac2, 12), (A @ Ac, 24)],
        5: [(c**4, 5), (c**2 * Ac, 10), (c * Ac2, 15), (c * (A @ Ac), 30), (Ac**2, 20), (A @ c**3, 20)],
    }
    trees[5] += [(A @ (c * Ac), 40), (A @ Ac2, 60), (A @ A @ Ac, 120)]
    return [(w, 1 / density) for w, density in trees[order]]


def test_orders_of_the_pair(tables: Coefficients) -> None:
    A, c, E = tables.A, tables.C, tables.E
    assert all(abs(A[-1] @ w - x) < 1e-15 for p in range(1, 6) for w, x in conditions(A, c, p))
    embedded = A[-1] - E
    assert all(abs(embedded @ w - x) < 1e-15 for p in range(1, 5) for w, x in conditions(A, c, p))
    assert max(abs(embedded @ w - x) for w, x in conditions(A, c, 5)) > 1e-3  # it does tell the error


def test_the_diagonal_is_one_number_and_stages_have_order_two(tables: Coefficients) -> None:
    A, c = tables.A, tables.C
    assert np.array_equal(np.diag(A), [0.0, *[DIAGONAL] * (STAGES - 1)])
    assert np.array_equal(A, np.tril(A))
    np.testing.assert_allclose(A.sum(axis=1), c, atol=1e-15)
    np.testing.assert_allclose(A @ c, c**2 / 2, atol=1e-15)


def test_stability(tables: Coefficients) -> None:
    """|R| is at most one on the imaginary axis, and zero far out: A-stable with poles on the right, and L-stable."""

    def amplification(z: complex) -> float:
        return abs(1 + z * tables.A[-1] @ np.linalg.solve(np.eye(STAGES) - z * tables.A, np.ones(STAGES)))

    assert max(amplification(1j * y) for y in np.geomspace(1e-2, 1e4, 400)) <= 1 + 1e-13
    assert amplification(1e7j) < 1e-5
    assert amplification(-1e7) < 1e-5


def test_dense_output(tables: Coefficients) -> None:
    """Order 4 everywhere in a step, and rates at the ends that are those of the next step."""
    A, c, D = tables.A, tables.C, tables.D
    powers = np.arange(1, len(D) + 1)
    for x in (0.2, 0.5, 0.9):
        b = x**powers @ D
        assert all(abs(b @ w - value * x**p) < 1e-13 for p in range(1, 5) for w, value in conditions(A, c, p))
    np.testing.assert_allclose(D.sum(axis=0), A[-1], atol=1e-12)
    np.testing.assert_allclose(D[0], np.eye(STAGES)[0], atol=1e-12)
    np.testing.assert_allclose(powers @ D, np.eye(STAGES)[-1], atol=1e-12)
    assert max(np.abs(x**powers @ D).max() for x in np.linspace(0, 1, 21)) < 0.5  # errors of stages do not grow


def test_the_predictor_is_right_for_parabolas(tables: Coefficients) -> None:
    c, P = tables.C, tables.P
    for i in range(3, STAGES):
        for k in range(3):
            assert abs(P[i] @ c**k - c[i] ** k) < 1e-13
    assert np.array_equal(P, np.tril(P, -1))
