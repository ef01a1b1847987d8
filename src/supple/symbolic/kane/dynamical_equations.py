"""Mass matrix and force array: M u' = f (Sayers, (40)-(46))."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.expressions.function import Nodes
from supple.expressions.graph import Expr
from supple.symbolic.kane.composite_bodies import Composite
from supple.symbolic.kane.kane_body import KaneBody
from supple.symbolic.kane.partial_velocities import BodyMotion
from supple.symbolic.vectors import Vector


@dataclass(frozen=True)
class VectorWrench:
    """A force and a torque on a body.

    Attributes
    ----------
    body : KaneBody
    force : Vector
    at : Vector
        From the body's origin to a point on the force's line of action.
    torque : Vector
    """

    body: KaneBody
    force: Vector
    at: Vector
    torque: Vector


def add_inertia(M: Nodes, composite: Composite, motion: BodyMotion) -> None:
    """Add what a body gives to the mass matrix: w_j . I . w_i and m v_j . v_i (40)."""
    I, m = composite.inertia, composite.own_mass
    for i, w in motion.angular.w_i.items():
        momentum = I @ w
        for j, w_j in motion.angular.w_i.items():
            if j <= i:
                _add(M, i, j, w_j @ momentum)
    if m is m.graph.zero:
        return
    for i, v in motion.point.v_i.items():
        momentum = m * v
        for j in motion.point.v_i:
            if j <= i:
                _add(M, i, j, _product(motion, i, j, m, momentum))


def _product(motion: BodyMotion, i: int, j: int, m: Expr, momentum: Vector) -> Expr:
    """m v_j . v_i.

    Partial velocities that are both native to bodies further inward are taken from there (44), so that products which
    are zero are seen to be; else they are the body's own (43).
    """
    if i in motion.point.own or j in motion.point.own:
        own: Expr = motion.point.v_i[j] @ momentum
        return own
    native: Expr = m * (motion.point.native[j] @ motion.point.native[i])
    return native


def _add(M: Nodes, i: int, j: int, value: Expr) -> None:
    M[i, j] = M[i, j] + value
    M[j, i] = M[i, j]


def add_forces(f: Nodes, composite: Composite, motion: BodyMotion, wrenches: list[VectorWrench]) -> None:
    """Add what a body gives to the force array: its wrenches, less what the acceleration remainders take (46).

    The remainder of the acceleration is dotted with native partial velocities too where the body's own are equal to
    them, as the source does with forces: gravity across a direction of the parent then is seen to vanish.
    """
    I, m, zero = composite.inertia, composite.own_mass, motion.angular.w * 0.0
    force = sum((wrench.force for wrench in wrenches), start=zero)
    torque = sum((x.torque + (x.at - motion.point.place).cross(x.force) for x in wrenches), start=zero)
    taken = I @ motion.angular.alpha + motion.angular.w.cross(I @ motion.angular.w)
    for i, w in motion.angular.w_i.items():
        f[i] = f[i] + torque @ w - taken @ w
    for i, v in motion.point.v_i.items():
        f[i] = f[i] + force @ motion.point.native[i]
        if i in motion.point.own:
            f[i] = f[i] - motion.point.a @ (m * v)
        else:
            f[i] = f[i] - m * (motion.point.native_a @ motion.point.native[i])


def arrays(
    speeds: int,
    composites: dict[KaneBody, Composite],
    moved: dict[KaneBody, BodyMotion],
    wrenches: list[VectorWrench],
    zero: Expr,
) -> tuple[Nodes, Nodes]:
    """M (speeds, speeds) and f (speeds,) of the equations M u' = f (2)."""
    M = np.full((speeds, speeds), zero, dtype=object)
    f = np.full(speeds, zero, dtype=object)
    for body, motion in moved.items():
        add_inertia(M, composites[body], motion)
        add_forces(f, composites[body], motion, [wrench for wrench in wrenches if wrench.body is body])
    return M, f
