"""Chains of equal links hinged about y, as in Table 1 of Jain and Rodriguez, for `supple`."""

from __future__ import annotations

from functools import cache

import numpy as np

import supple
from supple import structures

ALUMINIUM = structures.Material(E=7e10, nu=0.33, rho=2700.0)
SECTION = structures.Rectangle(0.04, 0.02)
GRAVITY = (0.0, 0.0, -9.81)
Body = structures.FlexibleBody | supple.RigidBody


@cache
def crooked(modes: int) -> Body:
    """A link without any symmetry: three directions in space, a heavy piece beside its corner. Rigid without modes."""
    points = [(0, 0, 0), (0.3, 0.1, 0.05), (0.5, -0.1, 0.25), (0.9, 0.05, 0.1)]
    structure = structures.beam_path(points, SECTION, ALUMINIUM, 4)
    inertia = np.array([[1e-3, 2e-4, 1e-4], [2e-4, 2e-3, 3e-4], [1e-4, 3e-4, 2.5e-3]])
    structure = structure.with_mass("corner1", 0.4, inertia=inertia, offset=(0.02, 0.03, -0.01))
    body = structure.reduce("free-free", modes=modes or 1, root="start")
    return body if modes else supple.RigidBody(body.mass, body.com, body.inertia)


@cache
def straight(modes: int) -> structures.FlexibleBody:
    """A straight beam."""
    return structures.beam(1.0, SECTION, ALUMINIUM, 12).reduce("free-free", modes=modes, root="start")


def chain_of(body: Body, bodies: int, fidelity: str = "ruthless", turned: bool = False) -> supple.Model:
    """Each link hinged to the end of the one before.

    All hinges are parallel in the undeformed chain; with `turned` each is perpendicular to the one before, so that a
    chain of rigid links moves in space too.
    """
    mech = supple.Mechanism("chain", gravity=GRAVITY)
    rigid = isinstance(body, supple.RigidBody)
    for i in range(bodies):
        parent, hinge = f"b{i - 1}" if i else "ground", supple.Revolute("y")
        at = None if i == 0 else (0.9, 0.05, 0.1) if rigid else "end"
        rotation = np.roll(np.eye(3), 1, axis=0) if turned else None
        mech.add_body(f"b{i}", body, parent, hinge, at, rotation, "full" if rigid else fidelity)
    return mech.build()
