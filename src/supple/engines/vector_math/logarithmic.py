"""Logarithm and power."""

from __future__ import annotations

import math
import sys

from supple.engines.vector_math.exponential import LN2, LN2_LOW, ONE_BITS, exponential_tail, power_of_two
from supple.engines.vector_math.lanes import Lanes, choose, magnitude, muladd, polynomial, round_to_integer

SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
FRACTION = (1 << 52) - 1
EXPONENT_OF_2_52 = 0x433 << 52

# log(1 + f) = f - f^2/2 + s (f^2/2 + z LOGARITHM(z)) with s = f / (2 + f), z = s^2, sqrt(1/2) <= 1 + f < sqrt(2):
# FreeBSD msun e_log.c.
LOGARITHM = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)


def split_exponent(x: Lanes) -> tuple[Lanes, Lanes]:
    """m and the exponent k as doubles, x = 2^k m with sqrt(1/2) <= m < sqrt(2), for a normal x > 0.

    The bits of x and those of sqrt(1/2) differ by k in the exponent. A small integer below the exponent bits of 2^52 is
    that integer plus 2^52 as a double.
    """
    offset = x.bits() + (ONE_BITS - SQRT_HALF_BITS)
    m = ((offset & FRACTION) + SQRT_HALF_BITS).real()
    return m, ((offset >> 52) | EXPONENT_OF_2_52).real() - (2.0**52 + 1023.0)


def is_normal(x: Lanes) -> Lanes:
    """Whether x is positive, finite and not subnormal."""
    return (x >= sys.float_info.min) & (x < math.inf)


def log(x: Lanes) -> tuple[tuple[Lanes], Lanes]:
    """Natural logarithm, and where it is not to be trusted."""
    m, k = split_exponent(x)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    half = 0.5 * f * f
    small = muladd(s, muladd(z, polynomial(z, LOGARITHM), half), k * LN2_LOW)
    return (muladd(k, LN2, -((half - small) - f)),), ~is_normal(x)


# The power follows FreeBSD msun e_pow.c: log2(x) in two doubles of which the first has 21 bits, so that its product
# with the first 21 bits of y is exact.
HIGH_WORD = 0xFFFFFFFF00000000

# log(m / b) 3/2 = s (3 + s^2 + s^4 POWER(s^2)) with s = (m - b) / (m + b), b = 1 or 3/2.
POWER = (
    5.99999999999994648725e-01,
    4.28571428578550184252e-01,
    3.33333329818377432918e-01,
    2.72728123808534006489e-01,
    2.30660745775561754067e-01,
    2.06975017800338417784e-01,
)
TWO_THIRDS_LOG2E = 9.61796693925975554329e-01
TWO_THIRDS_LOG2E_HIGH, TWO_THIRDS_LOG2E_LOW = 9.61796700954437255859e-01, -7.02846165095275826516e-09
LOG2_3_2, LOG2_3_2_LOW = 5.84962487220764160156e-01, 1.35003920212974897128e-08
LN2_NEAREST, LN2_HIGH, LN2_REST = 6.93147180559945286227e-01, 6.93147182464599609375e-01, -1.90465429995776804525e-09

SQRT_3_2 = 1.22474487139158904910
SQRT_3_4 = 0.86602540378443864676


def high(x: Lanes) -> Lanes:
    """`x` cut off after 21 bits."""
    return (x.bits() & HIGH_WORD).real()


def log2_parts(x: Lanes) -> tuple[Lanes, Lanes]:
    """Binary logarithm of a normal x > 0 in two parts, the first of 21 bits."""
    m, k = split_exponent(x)
    # b = 1 for m from sqrt(3/4) to sqrt(3/2); else b = 3/2, for which a small m is doubled.
    small, large = m < SQRT_3_4, m > SQRT_3_2
    m = choose(small, m + m, m)
    k = choose(small, k - 1.0, k)
    off = small | large
    b = choose(off, 1.5, 1.0)

    u, v = m - b, 1.0 / (m + b)
    s = u * v
    s_high = high(s)
    t_high = high(m + b)
    t_low = m - (t_high - b)
    s_low = v * ((u - s_high * t_high) - s_high * t_low)

    z = s * s
    r = muladd(z * z, polynomial(z, POWER), s_low * (s_high + s))
    z_high = s_high * s_high
    t_high = high(3.0 + z_high + r)
    t_low = r - ((t_high - 3.0) - z_high)
    u = s_high * t_high
    v = muladd(s_low, t_high, t_low * s)

    p_high = high(u + v)
    p_low = v - (p_high - u)
    a = TWO_THIRDS_LOG2E_HIGH * p_high
    a_low = TWO_THIRDS_LOG2E_LOW * p_high + (p_low * TWO_THIRDS_LOG2E + choose(off, LOG2_3_2_LOW, 0.0))
    c = choose(off, LOG2_3_2, 0.0)
    first = high(((a + a_low) + c) + k)
    return first, a_low - (((first - k) - c) - a)


def pow_(x: Lanes, y: Lanes) -> tuple[tuple[Lanes], Lanes]:
    """x to the power y, and where it is not to be trusted: where x is not normal or the result nearly not."""
    first, second = log2_parts(x)
    y_high = high(y)
    p = y_high * first
    p_low = muladd(y - y_high, first, y * second)
    total = p + p_low
    n, bits = round_to_integer(total, 1.0)
    p = p - n
    # 2^(p + p_low) = exp(z + w)
    t = high(p + p_low)
    u = t * LN2_HIGH
    v = muladd(p_low - (t - p), LN2_NEAREST, t * LN2_REST)
    z = u + v
    tail = exponential_tail(z, v - (z - u))
    return (power_of_two(bits) * (1.0 + (z + tail)),), ~(is_normal(x) & (magnitude(total) < 1020.0))
