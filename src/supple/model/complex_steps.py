"""Derivatives by complex steps: exact to rounding, without a step size to choose.

f(x + i h d) = f(x) + i h f'(x) d + O(h^2), and h is so small that nothing but the first order is left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
Function = Callable[[Numbers], Numbers]
COMPLEX_STEP = 1e-30


def imaginary_steps(x: Numbers, directions: Numbers) -> Numbers:
    """States (..., k, n): x (..., n) after an imaginary step along each of the directions (..., k, n)."""
    return np.expand_dims(x, -2) + 1j * COMPLEX_STEP * directions


def step_slopes(values: Numbers) -> NDArray[np.float64]:
    """Changes of a function from its values at `imaginary_steps`, of the same shape."""
    return np.asarray(values.imag / COMPLEX_STEP, dtype=np.float64)


def by_complex_steps(function: Function, x: Numbers, directions: Numbers) -> NDArray[np.float64]:
    """Changes (..., m, k) of function(x) (..., m) with x (..., n) along directions (..., k, n)."""
    return np.swapaxes(step_slopes(function(imaginary_steps(x, directions))), -1, -2)


def by_differences(function: Function, x: Numbers, directions: Numbers, step: float = 1e-6) -> NDArray[np.float64]:
    """The same by central differences, for functions that take real numbers only, such as machine code."""
    at, moves = np.expand_dims(x, -2), step * directions
    return np.swapaxes(function(at + moves) - function(at - moves), -1, -2) / (2.0 * step)
