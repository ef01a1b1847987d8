"""Speeds of composite mass centres in place of those of origins, as the source has them (Sayers, Table 9).

A body whose own speeds give the velocity of its origin, u . b, moves its composite mass centre at r with u' . b =
u . b + w x r. In terms of u' its partial velocities are its axes alone, so that rotation and translation of the body
do not meet in the mass matrix. What was written in terms of u (forces, constraints, rates) is rewritten:
u = u' - (w x r) . b.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from supple.expressions.derivatives import jacobian
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr
from supple.symbolic.kane.composite_bodies import Composite
from supple.symbolic.kane.dynamical_equations import VectorWrench
from supple.symbolic.kane.kane_body import KaneBody
from supple.symbolic.kane.speed_constraints import substituted
from supple.symbolic.vectors import Vector

Image = Mapping[Expr, Expr]


def origin_speeds(composites: Mapping[KaneBody, Composite]) -> dict[Expr, Expr]:
    """Speeds of origins, where they are others, in terms of those of mass centres, which have the same leaves."""
    out: dict[Expr, Expr] = {}
    for body, composite in composites.items():
        if composite.translation != "nonrecursive":
            continue
        turning = body.angular_velocity.cross(composite.com)
        for dof in body.moves:
            change: Expr = turning @ dof.direction
            if change is not change.graph.zero:
                out[dof.speed] = dof.speed - change
    return out


def rewritten(nodes: Iterable[Expr], image: Image) -> Nodes:
    """Expressions of speeds of origins as those of speeds of mass centres."""
    return substituted(np.array(list(nodes), dtype=object), image)


def rewritten_wrenches(wrenches: Sequence[VectorWrench], image: Image) -> list[VectorWrench]:
    """Wrenches rewritten in the same way."""
    return [
        replace(x, force=_vector(x.force, image), at=_vector(x.at, image), torque=_vector(x.torque, image))
        for x in wrenches
    ]


def _vector(x: Vector, image: Image) -> Vector:
    units = list(x.terms)
    return Vector(x.graph, dict(zip(units, rewritten(x.terms.values(), image), strict=True)))


def speed_slopes(speeds: Sequence[Expr], image: Image) -> Nodes:
    """J (n, n): changes of the speeds of origins with those of mass centres, along which forces act then as J* f."""
    leaves = np.array(list(speeds), dtype=object)
    return jacobian(np.array([image.get(x, x) for x in speeds], dtype=object), leaves)
