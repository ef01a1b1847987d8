"""Combinations of parameters that data do not determine are found and named."""

from __future__ import annotations

import numpy as np

from supple.identification.identifiability import information

T = np.linspace(0.1, 3.0, 40)


def test_a_ratio_is_all_that_a_frequency_tells() -> None:
    # sin(sqrt(k / m) t): only k / m matters.
    k, m, level = 50.0, 2.0, 0.01
    slope = np.cos(np.sqrt(k / m) * T) * T * np.sqrt(k / m) / 2
    found = information(np.stack([slope / k, -slope / m], axis=1) / level, np.array([k, m]), ("k", "m"))
    (only,) = found.unidentified
    assert set(only.shares) == {"k", "m"}
    assert abs(only.shares["k"] - only.shares["m"]) < 1e-6
    assert np.isinf(only.deviation)
    assert np.isinf(np.diag(found.covariance)).all()
    assert "k and m: the data determine them not at all where they change together" in str(only)
    assert "k by +1 %, m by +1 %" in str(only)


def test_a_parameter_without_effect_and_one_with_little() -> None:
    J = np.stack([T, np.zeros_like(T), 1e-3 * T**2], axis=1)
    found = information(J, np.ones(3), ("a", "b", "c"))
    assert [list(x.shares) for x in found.unidentified] == [["b"], ["c"]]
    assert str(found.unidentified[0]) == "b: the data determine it not at all"
    assert str(found.unidentified[1]).startswith("c: the data determine it only to")
    assert np.isfinite(found.covariance[0, 0])
    assert np.isinf(found.covariance[1, 1])
    expected = np.linalg.inv(J[:, [0, 2]].T @ J[:, [0, 2]])
    np.testing.assert_allclose(found.covariance[np.ix_([0, 2], [0, 2])], expected, rtol=1e-9)


def test_fewer_residuals_than_parameters() -> None:
    found = information(np.array([[1.0, 1.0, 0.0]]) * 100, np.ones(3), ("a", "b", "c"))
    assert len(found.unidentified) == 2
    assert found.condition == np.inf
