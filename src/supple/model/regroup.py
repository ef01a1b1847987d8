"""Inertia moved inward where the motion does not notice: the same equations from fewer numbers.

What a joint leaves unchanged may as well belong to the parent, because its momentum is the same there. Of a body with
mass m, first moment h and inertia I about its origin these go:

    the mass, if the origin is fixed in the parent (no translation, no screw), to that point;
    the part of h along the axis, if there is one rotation about an axis a and the origin is fixed in the parent;
    J (1 - a a*), an inertia across the axis, if there is one rotation, whatever else the joint does; J is chosen so
    that a moment of inertia of the body vanishes;
    all of I, if there is no rotation; with no translation either, everything.

What reaches the ground is lost: the ground does not move, and gravity does no work on it. Forces and springs act where
they did. Sayers (1991) does this by composite bodies; the numbers that are left are the base or minimal inertial
parameters of Khalil and Kleinfinger (1987). Forces across the joints, other than those that drive it, do change.
"""

from __future__ import annotations

from typing import Any

from supple import spatial
from supple.engines.plain import plain
from supple.expressions.graph import Expr
from supple.recursions.ports import has_ports_or_modes
from supple.recursions.tree import NO_ROTATION, ONE_AXIS, Flex, Tree
from supple.spatial import Number, Sym3, Vec3

DIAGONAL = (0, 3, 5)
"""Where xx, yy, zz stand in a symmetric 3x3."""
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Row and column of its six numbers."""
Rigid = tuple[Number, Vec3, Sym3]
"""Mass, first moment, inertia about the origin."""


def regrouped(tree: Tree, flex: Flex | None = None) -> Tree:
    """The tree with as much inertia as possible moved inward, tips first; flexible bodies keep theirs, and get none."""
    mass, moment, inertia = tree.mass.copy(), tree.moment.copy(), tree.inertia.copy()
    for k in range(len(tree.parent) - 1, 0, -1):
        p = tree.parent[k]
        flexible = plain(has_ports_or_modes)
        if flex is not None and (flexible(flex, k) or flexible(flex, p)):
            continue
        moved, left = _split(tree, k, (mass[k], tuple(moment[k]), tuple(inertia[k])))
        mass[k], moment[k], inertia[k] = left
        if p > 0:
            m, h, I = _at_parent(tree, k, moved)
            mass[p] = mass[p] + m
            moment[p] = [x + y for x, y in zip(moment[p], h, strict=True)]
            inertia[p] = [x + y for x, y in zip(inertia[p], I, strict=True)]
    return tree._replace(mass=mass, moment=moment, inertia=inertia)


def _split(tree: Tree, k: int, body: Rigid) -> tuple[Rigid, Rigid]:
    """What of body k can go, in the parent's axes but about its own origin, and what stays."""
    m, h, I = body
    none = 0.0 * m
    still = tree.translations[k] == 0 and (tree.rotation_kind[k] != ONE_AXIS or tree.pitch[k] == 0.0)
    R = plain(spatial.load9)(tree.rotation, k)
    gone, stays = (m, none) if still else (none, m)
    h_gone: Vec3 = (none, none, none)
    I_gone: Sym3 = (none,) * 6  # type: ignore[assignment]
    if tree.rotation_kind[k] == NO_ROTATION:
        I_gone, I = plain(spatial.rotate_symmetric)(R, I), I_gone
        if still:
            h_gone, h = plain(spatial.rotate)(R, h), h_gone
    elif tree.rotation_kind[k] == ONE_AXIS:
        a = plain(spatial.load3)(tree.axes, k)
        a_parent = plain(spatial.rotate)(R, a)
        J, I = _across(I, a)
        I_gone = _flat(J, a_parent)
        if still:
            along = plain(spatial.dot)(a, h)
            h_gone, h = plain(spatial.scale)(along, a_parent), plain(spatial.add)(h, plain(spatial.scale)(-along, a))
    return (gone, h_gone, I_gone), (stays, h, I)


def _across(I: Sym3, a: Vec3) -> tuple[Number, Sym3]:
    """J, and I - J (1 - a a*) with the moment of inertia about a coordinate axis zero.

    Of the coordinate axes well across a the one is taken that leaves most zeros, of equals the next after the one
    nearest to a, in the order x, y, z, x.
    """
    nearest = max(range(3), key=lambda i: abs(a[i]))
    found: list[tuple[int, Number, Sym3]] = []
    for i in ((nearest + 1) % 3, (nearest + 2) % 3):
        J = I[DIAGONAL[i]] / (1 - a[i] * a[i])
        left = [x - y for x, y in zip(I, _flat(J, a), strict=True)]
        left[DIAGONAL[i]] = 0.0 * J
        found.append((sum(map(_is_zero, left)), J, tuple(left)))  # type: ignore[arg-type]
    _, J, rest = max(found, key=lambda choice: choice[0])
    return J, rest


def _flat(J: Number, a: Vec3) -> Sym3:
    """J (1 - a a*)."""
    return tuple(J * (float(i == j) - a[i] * a[j]) for i, j in PAIRS)  # type: ignore[return-value]


def _at_parent(tree: Tree, k: int, body: Rigid) -> Rigid:
    """The same inertia about the parent's origin; it is there only as far as it does not depend on the joint."""
    l = plain(spatial.load3)(tree.position, k)
    P = plain(spatial.shift_inertia)(l, plain(spatial.rigid_inertia)(*body))
    return P[15], (P[13], P[8], P[9]), P[:6]


def _is_zero(x: Any) -> bool:
    return bool(x.op == "constant" and x.value == 0.0) if isinstance(x, Expr) else bool(x == 0.0)
