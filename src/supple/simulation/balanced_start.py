"""A start in which forces balance: at rest, or while joints turn at constant speeds.

What is given by name, and what is prescribed, stays; everything else goes where the model's own forces and those of the
laws at time 0 hold it, loops closed: a loaded crane hangs still, a blade that turns is stretched and bent already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError
from supple.formulations import Formulation
from supple.lazy import LazyModule
from supple.simulation.driven_system import DrivenSystem

Vector = NDArray[np.float64]
steady_states = LazyModule("supple.linear.steady")


def balanced(system: DrivenSystem, q: Vector, v: Vector, given: Any, steady: bool) -> Vector:
    """Coordinates (nq,) near q in which nothing accelerates.

    Parameters
    ----------
    system : DrivenSystem
    q, v : (nq,), (nv,) arrays
        The start so far, prescribed motions as prescribed.
    given : array_like or mapping of name to number, optional
        Coordinates as the user gave them: those given by name are held.
    steady : bool
        Whether the speeds v last, of joints that turn; else the balance is one at rest.
    """
    model = system.model
    held = system.prescribed.copy()
    held[_named(model, given)] = True
    at = np.zeros(model.nv)
    if steady:
        model.floating_frames("start = 'steady'")
        at, turning = v, [model.speeds[i] for i in np.flatnonzero(v)]
        if not turning or model.is_mode[v != 0].any():
            got = ", ".join(map(repr, turning)) or "none"
            raise StateError(f"start: 'steady': expected constant speeds of joints in v, and of no modes, got {got}")
        for name in turning:
            held[model.joint_speeds(model.body_of_state(name))] = True
    if held.all():
        raise StateError(f"start: all coordinates of model {model.name!r} are given, so nothing is left to balance")
    forces = law_forces(system, at)
    try:
        found: Vector = steady_states.balanced_coordinates(model, q, forces, held, at)
    except steady_states.EquilibriumError as error:
        raise steady_states.EquilibriumError(f"start: {error} (coordinates that q names are fixed)") from None
    return found


def _named(model: Formulation, given: Any) -> list[int]:
    """Speeds that coordinates given by name hold: their rates, or those of the whole joint where they have none."""
    places: list[int] = []
    for name in given if isinstance(given, Mapping) else ():
        own = name in model.speeds
        places += [model.speeds.index(name)] if own else model.joint_speeds(model.body_of_state(name))
    return places


def law_forces(system: DrivenSystem, v: Vector) -> Callable[[Vector], Vector] | None:
    """Return the generalized forces of all laws at time 0 as a function of the coordinates; None if there are none."""
    if not system.inputs.acting:
        return None

    def forces(q: Vector) -> Vector:
        y, u = np.concatenate([q, v, system.z_0]), system.u_0.copy()
        system.begin(0.0, y, u)
        return np.where(system.prescribed, 0.0, system.laws(np.zeros(1), y, u)[2])

    return forces
