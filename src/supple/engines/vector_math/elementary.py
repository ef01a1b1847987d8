"""Functions that need no approximation: roots, signs and choices."""

from __future__ import annotations

from supple.engines.vector_math.lanes import Lanes, choose, intrinsic, magnitude, muladd


def sqrt(x: Lanes) -> tuple[tuple[Lanes], None]:
    """Square root; not a number below zero."""
    return (intrinsic("sqrt", x),), None


def hypot(x: Lanes, y: Lanes) -> tuple[tuple[Lanes], Lanes]:
    """Length of (x, y), and where it is not to be trusted: where squares overflow or lose digits below."""
    square = muladd(x, x, y * y)
    nothing = magnitude(x) + magnitude(y) == 0.0
    return (intrinsic("sqrt", square),), ~((square < 1e300) & (square > 1e-280) | nothing)


def abs_(x: Lanes) -> tuple[tuple[Lanes], None]:
    """Magnitude."""
    return (magnitude(x),), None


def sign(x: Lanes) -> tuple[tuple[Lanes], None]:
    """Sign as `numpy.sign` has it: -1, 0, 1 or not a number; of a negative zero, zero."""
    return (choose(x > 0.0, 1.0, choose(x < 0.0, -1.0, x + 0.0)),), None


def min_(a: Lanes, b: Lanes) -> tuple[tuple[Lanes], None]:
    """The smaller as `numpy.minimum` has it: not a number where either is not."""
    return (choose(a == a, choose(a < b, a, b), a),), None


def max_(a: Lanes, b: Lanes) -> tuple[tuple[Lanes], None]:
    """The larger as `numpy.maximum` has it: not a number where either is not."""
    return (choose(a == a, choose(a > b, a, b), a),), None
