"""Kinematical equations: rates of the coordinates from the speeds (Sayers, (20)-(29))."""

from __future__ import annotations

import numpy as np

from supple.expressions.elimination import solve_symmetric
from supple.expressions.graph import Expr
from supple.symbolic.kane.kane_body import KaneBody
from supple.symbolic.vectors import Vector


def rates(body: KaneBody) -> list[Expr]:
    """Rates of a body's coordinates, translations first."""
    return [*_move_rates(body), *_turn_rates(body)]


def _move_rates(body: KaneBody) -> list[Expr]:
    """(20); for speeds in body axes (21)-(23): the velocity in the parent dotted with the directions."""
    if body.joint.translation.speeds == "rates":
        return [dof.speed for dof in body.moves]
    velocity = body.relative_velocity
    d = body.joint.translation.directions
    S = np.array([[a @ b for b in d] for a in d], dtype=object)
    known = np.array([velocity @ a for a in d], dtype=object)
    return list(solve_symmetric(S, known))


def _turn_rates(body: KaneBody) -> list[Expr]:
    """(25); for angular velocity in body axes (26)-(28), or half the quaternion times it.

    The three equations (28) are solved by dotting with vectors that are perpendicular to all axes but one: e = d2 x d3
    leaves the first rate, and the axis d2 that of itself, as d1 and d3 are perpendicular to it.
    """
    if body.joint.rotation.speeds == "rates":
        return [dof.speed for dof in body.turns]
    w = body.relative_angular_velocity
    if len(body.joint.rotation.coordinates) == 4:
        return _quaternion_rates(body, w)
    d_1, d_2, d_3 = body.joint.rotation.directions
    e = d_2.cross(d_3)
    first = (w @ e) / (d_1 @ e)
    return [first, w @ d_2, w @ d_3 - first * (d_1 @ d_3)]


def _quaternion_rates(body: KaneBody, w: Vector) -> list[Expr]:
    x, y, z, s = body.joint.rotation.coordinates
    a, b, c = (0.5 * u for u in w.components(body.basis))
    return [s * a + y * c - z * b, s * b + z * a - x * c, s * c + x * b - y * a, -(x * a + y * b + z * c)]
