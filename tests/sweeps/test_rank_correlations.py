"""Spearman's correlation: ties, truth of a normal pair, and how often chance alone looks significant."""

from __future__ import annotations

import numpy as np
import pytest

from supple.sweeps import rank_correlation


def test_a_normal_pair_has_the_closed_form() -> None:
    """6 / pi asin(rho / 2) of two normal variables with correlation rho."""
    x, noise = np.random.default_rng(1).normal(size=(2, 20_000))
    found = rank_correlation(x, 0.6 * x + 0.8 * noise)
    assert found.value == pytest.approx(6 / np.pi * np.arcsin(0.3), abs=0.02)
    assert found.p_value < 1e-100


def test_equal_values_share_a_rank_and_no_variation_has_no_correlation() -> None:
    assert rank_correlation(np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 2, 3])).value == pytest.approx(1.0)
    assert rank_correlation(np.arange(5.0), -np.exp(np.arange(5.0))).value == pytest.approx(-1.0)
    assert np.isnan(rank_correlation(np.ones(9), np.arange(9.0)).value)
    assert np.isnan(rank_correlation(np.arange(3.0), np.arange(3.0)).p_value)


def test_chance_is_significant_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    hits = sum(rank_correlation(*rng.uniform(size=(2, 50))).p_value < 0.05 for _ in range(1000))
    assert hits / 1000 == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 1000))
