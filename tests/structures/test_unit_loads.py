"""Axes of the loads that second-order shapes are taken for."""

from __future__ import annotations

import numpy as np

from supple.structures.stiffening.unit_loads import _own_axes


def test_work_that_rounding_leaves_below_zero_is_none() -> None:
    """Along the first axis nothing gives way."""
    W = np.array([[-1e-25, 0.0, 0.0], [0.0, 1.0, 0.6], [0.0, 0.6, 1.0]])
    V = _own_axes(W)
    np.testing.assert_allclose(np.abs(V), np.array([[1, 0, 0], [0, 0.5**0.5, 0.5**0.5], [0, 0.5**0.5, 0.5**0.5]]))
    np.testing.assert_allclose(V.T @ W @ V, np.diag([0.0, 0.4, 1.6]), atol=1e-15)
