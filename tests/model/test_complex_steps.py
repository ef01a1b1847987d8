"""Derivatives by complex steps and by differences, against those that are known."""

from __future__ import annotations

import numpy as np

from supple.model.complex_steps import Numbers, by_complex_steps, by_differences


def curve(x: Numbers) -> Numbers:
    """(..., 3) of (..., 2)."""
    a, b = x[..., 0], x[..., 1]
    return np.stack([np.sin(a) * b, a**3, np.exp(b)], axis=-1)


def jacobian(x: Numbers) -> Numbers:
    a, b = x
    return np.array([[np.cos(a) * b, np.sin(a)], [3 * a**2, 0.0], [0.0, np.exp(b)]])


def test_steps_are_exact_along_any_directions() -> None:
    x, directions = np.array([0.7, -1.3]), np.array([[1.0, 2.0], [-0.5, 0.1], [0.0, 1.0]])
    found = by_complex_steps(curve, x, directions)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, jacobian(x) @ directions.T, rtol=1e-15, atol=1e-16)


def test_leading_axes_are_kept() -> None:
    x = np.random.default_rng(0).normal(size=(4, 5, 2))
    found = by_complex_steps(curve, x, np.eye(2))
    assert found.shape == (4, 5, 3, 2)
    np.testing.assert_allclose(found[2, 3], jacobian(x[2, 3]), rtol=1e-15, atol=1e-16)


def test_differences_are_close() -> None:
    x = np.array([0.7, -1.3])
    expected = jacobian(x)
    # Central differences of step h lose h^2 and rounding over h.
    np.testing.assert_allclose(by_differences(curve, x, np.eye(2)), expected, rtol=1e-9, atol=1e-9)
    assert abs(by_differences(curve, x, np.eye(2)) - expected).max() > 0
