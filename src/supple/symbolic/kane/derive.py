"""Equations of a system: kinematics, dynamics, constraints, elimination, in this order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import ModelError
from supple.expressions.elimination import solve_symmetric
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr
from supple.expressions.linear_equations import zeros_seen
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
    variables = Variables(
        graph=system.graph,
        time=system.time,
        q=np.array(system.q, dtype=object),
        v=v,
        inputs=np.array(system.inputs, dtype=object),
        symbols=tuple(system.symbols.values()),
        values=dict(system.values),
    )
    M = zeros_seen(M)
    return cheapest_of(
        EquationsOfMotion(system.name, variables, terms, route="kane", small=little, dependence=dependence)
        for terms in truncations(rates, M, f, little, [leaf.name for leaf in v])
    )


def truncations(rates: Nodes, M: Nodes, f: Nodes, small: Sequence[Expr], names: Sequence[str]) -> Iterator[Terms]:
    """Give the equations q' = rates, M v' = f to first order in the `small` leaves in all ways there are, solved."""
    for apart in (True, False) if small else (True,):
        rates_, M_, f_ = (
            truncated(x, small, what, apart) for x, what in ((rates, "rates"), (M, "mass matrix"), (f, "forces"))
        )
        M_ = zeros_seen(M_)
        yield Terms(rates_, M_, f_, solve_symmetric(M_, f_, small, names))


def cheapest_of(found: Iterable[EquationsOfMotion]) -> EquationsOfMotion:
    """Return the equations with the fewest operations when common factors are out, the first of equal ones."""
    first, *others = found
    return min((first, *others), key=lambda e: e.operations.total) if others else first
