"""Arc sine, arc cosine, arc tangent of one number and of two."""

from __future__ import annotations

from supple.engines.vector_math.lanes import Lanes, choose, intrinsic, magnitude, muladd, polynomial, times_sign

# pi/2 and pi as sums of two doubles.
HALF_PI, HALF_PI_LOW = 1.57079632679489655800e00, 6.12323399573676603587e-17
PI, PI_LOW = 2.0 * HALF_PI, 2.0 * HALF_PI_LOW

# asin(x) = x + x z P(z) / Q(z) with z = x^2 <= 1/4: FreeBSD msun e_asin.c.
ARC_SINE_P = (
    1.66666666666666657415e-01,
    -3.25565818622400915405e-01,
    2.01212532134862925881e-01,
    -4.00555345006794114027e-02,
    7.91534994289814532176e-04,
    3.47933107596021167570e-05,
)
ARC_SINE_Q = (
    1.0,
    -2.40339491173441421878e00,
    2.02094576023350569471e00,
    -6.88283971605453293030e-01,
    7.70381505559019352791e-02,
)

# atan(t) = t + t z P(z) / Q(z) with z = t^2, |t| <= 0.66: Cephes atan.c.
ARC_TANGENT_P = (
    -6.485021904942025371773e01,
    -1.228866684490136173410e02,
    -7.500855792314704667340e01,
    -1.615753718733365076637e01,
    -8.750608600031904122785e-01,
)
ARC_TANGENT_Q = (
    1.945506571482613964425e02,
    4.853903996359136964868e02,
    4.328810604912902668951e02,
    1.650270098316988542046e02,
    2.485846490142306297962e01,
    1.0,
)
TAN_67_5 = 2.41421356237309504880


def arc_sine_parts(x: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """Whether |x| < 1/2, then y and asin(y) - y: of y = |x| there, else of y = sqrt((1 - |x|) / 2).

    In the second case asin(|x|) = pi/2 - 2 asin(y). Beyond 1 the root is not a number.
    """
    size = magnitude(x)
    inner = size < 0.5
    z = choose(inner, size * size, muladd(size, -0.5, 0.5))
    y = choose(inner, size, intrinsic("sqrt", z))
    return inner, y, y * (z * polynomial(z, ARC_SINE_P) / polynomial(z, ARC_SINE_Q))


def asin(x: Lanes) -> tuple[tuple[Lanes], None]:
    """Arc sine; not a number beyond 1."""
    inner, y, rest = arc_sine_parts(x)
    outer = HALF_PI - (2.0 * y + (2.0 * rest - HALF_PI_LOW))
    return (times_sign(choose(inner, y + rest, outer), x.bits()),), None


def acos(x: Lanes) -> tuple[tuple[Lanes], None]:
    """Arc cosine; not a number beyond 1."""
    inner, y, rest = arc_sine_parts(x)
    middle = HALF_PI - (times_sign(y, x.bits()) + (times_sign(rest, x.bits()) - HALF_PI_LOW))
    twice = 2.0 * (y + rest)
    outer = choose(x > 0.0, twice, PI - (twice - PI_LOW))
    return (choose(inner, middle, outer),), None


def angle(a: Lanes, b: Lanes) -> Lanes:
    """Arc tangent of a / b for a >= 0 and b >= 0, not both zero.

    Above tan(67.5 degrees) it is pi/2 - atan(b / a), from 0.66 on pi/4 + atan((a - b) / (a + b)).
    """
    steep = a > TAN_67_5 * b
    middle = a > 0.66 * b
    t = choose(steep, -b, choose(middle, a - b, a)) / choose(steep, a, choose(middle, a + b, b))
    z = t * t
    rest = t * (z * polynomial(z, ARC_TANGENT_P) / polynomial(z, ARC_TANGENT_Q))
    base = choose(steep, HALF_PI, choose(middle, 0.5 * HALF_PI, 0.0))
    base_low = choose(steep, HALF_PI_LOW, choose(middle, 0.5 * HALF_PI_LOW, 0.0))
    return base + (t + (rest + base_low))


def atan(x: Lanes) -> tuple[tuple[Lanes], None]:
    """Arc tangent."""
    size = magnitude(x)
    return (times_sign(angle(size, size.constant(1.0)), x.bits()),), None


def atan2(y: Lanes, x: Lanes) -> tuple[tuple[Lanes], Lanes]:
    """Angle of the direction (x, y) from -pi to pi, and where it is not to be trusted: next to zero and far out."""
    a, b = magnitude(y), magnitude(x)
    right = angle(a, b)
    # The sign bit, not a comparison: (-0, y) lies to the left.
    turned = choose(x.bits().negative(), PI - (right - PI_LOW), right)
    total = a + b
    return (times_sign(turned, y.bits()),), ~((total > 1e-300) & (total < 1e300))
