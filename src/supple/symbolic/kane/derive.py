"""Equations of a system: kinematics, dynamics, constraints, elimination, in this order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import ModelError
from supple.expressions.elimination import solve_symmetric
from supple.expressions.graph import Expr
from supple.expressions.small import truncated
from supple.symbolic.equations_of_motion import Dependence, EquationsOfMotion, Terms, Variables
from supple.symbolic.kane.speed_constraints import reduced, substituted

if TYPE_CHECKING:
    from supple.symbolic.kane.kane_system import KaneSystem


def derive(system: KaneSystem, small: Iterable[Expr] = (), mass_centre_speeds: bool = False) -> EquationsOfMotion:
    """The equations of motion of a system.

    Parameters
    ----------
    system : KaneSystem
    small : iterable of Expr
        Coordinates and speeds that stay small.
    mass_centre_speeds : bool
        Take speeds of composite mass centres and not of origins.
    """
    little = tuple(small)
    for x in little:
        if not isinstance(x, Expr) or (x not in system.q and x not in system.v):
            raise ModelError(f"system {system.name!r}: small: expected coordinates and speeds of it, got {x!r}")
    v = np.array(system.v, dtype=object)
    rates = system.kinematical_equations()
    M, f = system.dynamical_equations(mass_centre_speeds)
    constraints = system.constraints
    image = system.origin_speeds() if mass_centre_speeds else {}
    if image:
        rates = substituted(rates, image)
        velocities = substituted(np.array([c.velocity for c in constraints], dtype=object), image)
        constraints = [replace(c, velocity=x) for c, x in zip(constraints, velocities, strict=True)]
    dependence = None
    if constraints:
        motion: dict[Expr, Any] = {**dict(zip(system.q, rates, strict=True)), system.time: 1.0}
        found = reduced(constraints, system.v, motion, M, f)
        rates, M, f = substituted(rates, found.image(system.v)), found.M, found.f
        loops = [c for c in constraints if c.position is not None]
        dependence = Dependence(
            v[found.dependent],
            found.speeds,
            np.array([c.coordinate for c in loops], dtype=object),
            np.array([c.position for c in loops], dtype=object),
        )
        v = v[found.independent]
    rates, M, f = (truncated(x, little, what) for x, what in ((rates, "rates"), (M, "mass matrix"), (f, "forces")))
    a = solve_symmetric(M, f, little, [leaf.name for leaf in v])
    variables = Variables(
        graph=system.graph,
        time=system.time,
        q=np.array(system.q, dtype=object),
        v=v,
        inputs=np.array(system.inputs, dtype=object),
        symbols=tuple(system.symbols.values()),
        values=dict(system.values),
    )
    terms = Terms(rates, M, f, a)
    return EquationsOfMotion(system.name, variables, terms, route="kane", small=little, dependence=dependence)
