"""Momenta carried along a motion at constant speeds, of joints whose speeds are in body axes; for variational steps.

A spherical joint moves in the group of rotations, a free one in that of rigid motions, and so does an angle together
with three translations along body axes. All other speeds are rates of coordinates; there nothing is to be done. With
twists (w, u) and momenta (n, f) in body axes, angular first,

    ad* (n, f) = (n x w + f x u, f x w)

and exp of a twist turns axes by R = exp(w~) and moves the origin by d, so that Ad* (n, f) = (R* (n - d x f), R* f).
Iserles, Munthe-Kaas, Norsett and Zanna (2000).
"""

from __future__ import annotations

import math

from supple.engines.kernels import step, sweep
from supple.recursions.coordinates import screw_displacement
from supple.recursions.tree import ONE_AXIS, QUATERNION, Array, Tree
from supple.spatial import (
    Vec3,
    Vec6,
    add,
    add6,
    add_scaled,
    angular,
    cross,
    dot,
    join,
    linear,
    load3,
    scale,
    scale6,
    so3_coefficients,
    turn_rotation,
    unrotate,
)

BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330,
    854513 / 138, -236364091 / 2730, 8553103 / 6, -23749461029 / 870,
)  # fmt: skip
INVERSE = tuple(b / math.factorial(2 * n + 2) for n, b in enumerate(BERNOULLI))
"""x / (e^x - 1) = 1 - x/2 + sum of these times x^2, x^4, ...; to rounding for up to 1.7 rad."""


@step
def in_group(tree: Tree, k: int) -> bool:
    """Whether the speeds of joint k are not all rates of coordinates."""
    return tree.rotation_kind[k] == QUATERNION or (tree.rotation_kind[k] == ONE_AXIS and tree.translations[k] == 3)


@step
def spread_out(tree: Tree, k: int, x: Array) -> Vec6:
    """Speeds, or momenta, of a joint in a group as a spatial vector."""
    j, i = tree.v_rotation[k], tree.v_translation[k]
    turning = scale(x[j], load3(tree.axes, k))
    if tree.rotation_kind[k] == QUATERNION:
        turning = (x[j], x[j + 1], x[j + 2])
    if tree.translations[k] == 3:
        return join(turning, (x[i], x[i + 1], x[i + 2]))
    return join(turning, (0.0, 0.0, 0.0))


@step
def gather(tree: Tree, k: int, p: Vec6, out: Array) -> None:
    """Momenta of a joint from a spatial vector."""
    j, i = tree.v_rotation[k], tree.v_translation[k]
    if tree.rotation_kind[k] == QUATERNION:
        out[j], out[j + 1], out[j + 2] = p[0], p[1], p[2]
    else:
        out[j] = dot(angular(p), load3(tree.axes, k))
    if tree.translations[k] == 3:
        out[i], out[i + 1], out[i + 2] = p[3], p[4], p[5]


@step
def coadjoint(x: Vec6, p: Vec6) -> Vec6:
    """ad* p for the twist x."""
    w: Vec3 = angular(x)
    f: Vec3 = linear(p)
    return join(add(cross(angular(p), w), cross(f, linear(x))), cross(f, w))


@step
def carried(x: Vec6, p: Vec6) -> Vec6:
    """Ad* p for exp x: a momentum seen from the axes and the origin that the twist x leads to."""
    w = angular(x)
    a, b, _, _ = so3_coefficients(dot(w, w))
    R = turn_rotation(w, a, b)
    d = screw_displacement(w, linear(x))
    f = linear(p)
    return join(unrotate(R, add(angular(p), cross(f, d))), unrotate(R, f))


@step
def inverse_differential(x: Vec6, p: Vec6) -> Vec6:
    """(d exp_x^-1)* p = (1 - ad*/2 + a ad*^2 + b ad*^4) p.

    With s for ad^2 and y for the square of the angle, s (s + y)^2 = 0, so that s^n leaves
    s (-y)^m ((1 - m) - m s / y), m = n - 1, of every power.
    """
    w = angular(x)
    y = dot(w, w)
    a = b = 0.0 * y
    for n in range(len(INVERSE) - 1, -1, -1):
        a = INVERSE[n] * (1.0 - n) - y * a
        if n > 0:
            b = INVERSE[n] * n - y * b
    once = coadjoint(x, p)
    twice = coadjoint(x, once)
    fourth = coadjoint(x, coadjoint(x, twice))
    return add_scaled(add_scaled(add_scaled(p, -0.5, once), a, twice), b, fourth)


@sweep
def middle_balance(tree: Tree, v: Array, h: Array, start: Array, p: Array, out: Array, spin: Array) -> None:
    """What momenta leave for the forces in a step of the length h (1,), and spin = ad* p of the speeds.

    out = 2/h ((start + Ad* start) / 2 - (d exp^-1)* p) for half the step, of momenta at its start and p in its middle.
    """
    for k in range(1, len(tree.parent)):
        for i in range(tree.v_first[k], tree.v_first[k + 1]):
            out[i] = 2.0 / h[0] * (start[i] - p[i])
            spin[i] = 0.0
        if in_group(tree, k):
            speeds, begun, reached = spread_out(tree, k, v), spread_out(tree, k, start), spread_out(tree, k, p)
            x = scale6(0.5 * h[0], speeds)
            mean = scale6(0.5, add6(begun, carried(x, begun)))
            gather(tree, k, scale6(2.0 / h[0], add_scaled(mean, -1.0, inverse_differential(x, reached))), out)
            gather(tree, k, coadjoint(speeds, reached), spin)


@sweep
def carried_momenta(tree: Tree, v: Array, h: Array, start: Array, force: Array, out: Array) -> None:
    """Momenta after a step of the length h (1,) at the speeds v, in whose middle the impulse h force acts."""
    for k in range(1, len(tree.parent)):
        for i in range(tree.v_first[k], tree.v_first[k + 1]):
            out[i] = start[i] + h[0] * force[i]
        if in_group(tree, k):
            x = scale6(0.5 * h[0], spread_out(tree, k, v))
            middle = add_scaled(carried(x, spread_out(tree, k, start)), h[0], spread_out(tree, k, force))
            gather(tree, k, carried(x, middle), out)
