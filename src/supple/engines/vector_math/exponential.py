"""Exponential and hyperbolic functions."""

from __future__ import annotations

from supple.engines.vector_math.lanes import (
    Lanes,
    choose,
    magnitude,
    muladd,
    polynomial,
    quotient,
    round_sum,
    round_to_integer,
    times_sign,
)

LIMIT = 708.0
"""Greatest argument of the fast path: beyond, results leave the range of normal doubles."""

INVERSE_LN2 = 1.44269504088896338700e00

# ln 2 in two parts: FreeBSD msun e_exp.c. The first has 32 bits, so that its multiples up to 2^21 are exact.
LN2, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10

# exp(r) = 1 + r + r^2 EXPONENTIAL(r) for |r| <= ln(2) / 2: interpolation at the Chebyshev nodes, computed with 200
# bits; the error is below 0.003 of 2^-53.
EXPONENTIAL = (
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326141,
    0.0013888888888883752,
    0.00019841269874800683,
    2.4801587325533502e-05,
    2.75572554255029e-06,
    2.7557273661174726e-07,
    2.5105206475334834e-08,
    2.091467944897855e-09,
)

ONE_BITS = 0x3FF << 52


def exponential_tail(r: Lanes, low: Lanes) -> Lanes:
    """exp(r + low) - 1 - r for |r| <= ln(2) / 2 and a low part that rounding has left."""
    return muladd(r * r, polynomial(r, EXPONENTIAL), low)


def exponential_parts(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """r, tail and the bits of n with exp(x) = 2^n (1 + r + tail), |r| <= ln(2) / 2."""
    n, bits = round_to_integer(x, INVERSE_LN2)
    a = muladd(n, -LN2, x)
    r = muladd(n, -LN2_LOW, a)
    low = muladd(n, -LN2_LOW, a - r)
    return r, exponential_tail(r, low), bits


def power_of_two(bits: Lanes) -> Lanes:
    """2^n for the bits of n, |n| < 1023."""
    return ((bits << 52) + ONE_BITS).real()


def inverse_power_of_two(bits: Lanes) -> Lanes:
    """2^-n for the bits of n, |n| < 1023."""
    return (ONE_BITS - (bits << 52)).real()


def exp(x: Lanes) -> tuple[tuple[Lanes], Lanes]:
    """Exponential, and where it is not to be trusted."""
    r, tail, n = exponential_parts(x)
    return (power_of_two(n) * (1.0 + (r + tail)),), ~(magnitude(x) < LIMIT)


def hyperbolic_parts(size: Lanes) -> tuple[Lanes, Lanes, Lanes, Lanes, Lanes]:
    """For x >= 0: 2^n, 2^-n, r, tail and u, with exp(x) = 2^n (1 + r + tail) and exp(-x) = 2^-n (1 - u)."""
    r, tail, n = exponential_parts(size)
    q = r + tail
    return power_of_two(n), inverse_power_of_two(n), r, tail, q / (1.0 + q)


def sinh(x: Lanes) -> tuple[tuple[Lanes], Lanes]:
    """Hyperbolic sine, and where it is not to be trusted.

    2 sinh = (2^n - 2^-n) + 2^n (r + tail) + 2^-n u. Nothing cancels at n = 0, and 2^n r is added first because that sum
    is nearly exact.
    """
    size = magnitude(x)
    up, down, r, tail, u = hyperbolic_parts(size)
    twice = muladd(up, r, up - down) + muladd(up, tail, down * u)
    return (times_sign(0.5 * twice, x.bits()),), ~(size < LIMIT)


def cosh(x: Lanes) -> tuple[tuple[Lanes], Lanes]:
    """Hyperbolic cosine, and where it is not to be trusted: 2 cosh = (2^n + 2^-n) + 2^n (r + tail) - 2^-n u."""
    size = magnitude(x)
    up, down, r, tail, u = hyperbolic_parts(size)
    return (0.5 * ((up + down) + muladd(up, r, muladd(up, tail, -(down * u)))),), ~(size < LIMIT)


def tanh(x: Lanes) -> tuple[tuple[Lanes], None]:
    """Hyperbolic tangent e / (e + 2) with e = exp(2 x) - 1 = (2^n - 1) + 2^n (r + tail)."""
    size = magnitude(x)
    r, tail, n = exponential_parts(2.0 * choose(size > 22.0, 22.0, size))  # it is 1 from 19.1 on
    up = power_of_two(n)
    e, lost = round_sum(muladd(up, r, up - 1.0), up * tail)
    denominator, lost_below = round_sum(2.0, e)
    return (times_sign(quotient(e, lost, denominator, lost_below + lost), x.bits()),), None
