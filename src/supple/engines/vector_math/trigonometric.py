"""Sine, cosine and tangent."""

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

LIMIT = 1e5
"""Greatest argument of the fast path."""

TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")

# pi/2 in three parts, of 35, 35 and 53 bits. The multiples of the first two up to 2^18 are exact doubles. No double
# below 1e5 is nearer to a multiple of pi/2 than 2^-60.5 (near 29 pi/2); what the parts leave out is 0.001 units in the
# last place there, the worst of all.
HALF_PI = (
    float.fromhex("0x1.921fb54440000p+0"),
    float.fromhex("0x1.68c234c4c0000p-39"),
    float.fromhex("0x1.98a2e03707345p-77"),
)

# sin(r) = r + r^3 SINE(r^2) and cos(r) = 1 - r^2/2 + r^4 COSINE(r^2) for |r| <= pi/4: FreeBSD msun k_sin.c and k_cos.c.
SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def reduce_angle(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """Remainder of x >= 0 from the nearest multiple n of pi/2, in two parts, and the bits of n.

    After Cody and Waite. The high part is x less n times the first two parts of pi/2; the low part is what rounding
    loses there, and n times the third. The products with the first two are exact, and so is a - b, by cancellation or
    because n times the second part is the smaller: this is right also where `muladd` rounds twice.
    """
    n, quadrant = round_to_integer(x, TWO_OVER_PI)
    a = muladd(n, -HALF_PI[0], x)
    b = muladd(n, -HALF_PI[1], a)
    lost = muladd(n, -HALF_PI[1], a - b)
    return b, muladd(n, -HALF_PI[2], lost), quadrant


def sine_parts(r: Lanes, low: Lanes) -> tuple[Lanes, Lanes]:
    """sin(r + low) for |r| <= pi/4 as a sum of a large and a small part."""
    z = r * r
    return r, muladd(z * r, polynomial(z, SINE), low)


def cosine_parts(r: Lanes, low: Lanes) -> tuple[Lanes, Lanes]:
    """cos(r + low) for |r| <= pi/4 as a sum of a large and a small part."""
    z = r * r
    half = 0.5 * r
    near_one = muladd(half, -r, 1.0)
    lost = muladd(half, -r, 1.0 - near_one)
    return near_one, muladd(z * z, polynomial(z, COSINE), muladd(r, -low, lost))


def sincos(x: Lanes) -> tuple[tuple[Lanes, Lanes], Lanes]:
    """Sine and cosine, and where they are not to be trusted."""
    size = magnitude(x)
    r, low, quadrant = reduce_angle(size)
    (sine, _), (cosine, _) = round_sum(*sine_parts(r, low)), round_sum(*cosine_parts(r, low))
    # A quarter turn swaps the two; the signs follow from the quadrant's two low bits.
    odd = quadrant << 63
    half_turn = quadrant << 62
    swap = odd.negative()
    return (
        times_sign(choose(swap, cosine, sine), half_turn ^ x.bits()),
        times_sign(choose(swap, sine, cosine), half_turn ^ odd),
    ), ~(size < LIMIT)


def sin(x: Lanes) -> tuple[tuple[Lanes], Lanes]:
    """Sine, and where it is not to be trusted."""
    (sine, _), special = sincos(x)
    return (sine,), special


def cos(x: Lanes) -> tuple[tuple[Lanes], Lanes]:
    """Cosine, and where it is not to be trusted."""
    (_, cosine), special = sincos(x)
    return (cosine,), special


def tan(x: Lanes) -> tuple[tuple[Lanes], Lanes]:
    """Tangent, and where it is not to be trusted: the quotient of sine and cosine with what rounding them loses."""
    size = magnitude(x)
    r, low, quadrant = reduce_angle(size)
    odd = quadrant << 63
    swap = odd.negative()
    sine, cosine = round_sum(*sine_parts(r, low)), round_sum(*cosine_parts(r, low))
    numerator = [choose(swap, c, s) for s, c in zip(sine, cosine, strict=True)]
    denominator = [choose(swap, s, c) for s, c in zip(sine, cosine, strict=True)]
    return (times_sign(quotient(*numerator, *denominator), odd ^ x.bits()),), ~(size < LIMIT)
