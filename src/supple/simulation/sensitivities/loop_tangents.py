"""Tangents of states whose loops are closed: at the start, and where an event has changed a state."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from supple.model.loops.closing import Closing
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.impacts import moving_speeds
from supple.simulation.sensitivities.run_tangents import RunTangents

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]


def closed_tangents(
    tangents: RunTangents,
    system: DrivenSystem,
    state: tuple[float, Vector, Vector],
    dy: Vector,
    du: Vector,
    places: Iterable[int],
    dt: Vector | None = None,
) -> Vector:
    """Changes (n, P) of a closed state that stays closed, from those of the state as it was given.

    By the implicit function theorem: phi(q, p) = 0, so that J dq = -(d phi along what is given), and the same of the
    speeds. Coordinates and speeds at some places keep their changes; of the others the step of least kinetic energy is
    taken, which is the only one where what is given leaves no choice.

    Parameters
    ----------
    tangents : RunTangents
    system : DrivenSystem
    state : tuple
        t, y, u, with loops closed.
    dy, du : (n, P), (k, P) arrays
    places : iterable of int
        Of y, which an assembly would leave as they are.
    dt : (P,) array, optional
        Changes of time, for prescribed motions.
    """
    t, y, u = state
    model = system.model.floating_frames("a closed loop")
    loops = model.loops
    assert loops is not None
    nq, nv, kernel = model.nq, model.nv, tangents.constraint_errors(system)
    fixed, still = system.prescribed.copy(), system.prescribed.copy()
    for place in places:
        if place < nq:
            fixed[moving_speeds(model, place)] = True
        else:
            still[place - nq] = True
    q, out = y[:nq], dy.copy()
    J = loops.constraint_state(q, y[nq : nq + nv]).J
    rows = len(J)
    closing = [Closing(loops, q, J, held) for held in (fixed, still)]
    errors = kernel(t, y, u, out, du, dt)[1]
    errors[:rows][~np.asarray(loops.holonomic)] = 0.0
    out[:nq] += model.tangent(q) @ _steps(closing[0], errors[:rows], J, model.is_mode)
    errors = kernel(t, y, u, out, du, dt)[1]
    out[nq : nq + nv] += _steps(closing[1], errors[rows:], J, model.is_mode)
    return out


def _steps(closing: Closing, errors: Vector, J: Vector, modes: Mask) -> Vector:
    """Steps (nv, P) that take errors (rows, P) away: of the joints, or of modes too where these do not suffice."""
    steps = np.array([closing.joints(x) for x in errors.T]).T
    left = np.abs(errors + J @ steps).max(initial=0.0)
    if modes.any() and left > 1e-9 * np.abs(errors).max(initial=0.0):
        same = np.zeros(len(modes))
        steps = np.array([closing.strained(x, same) for x in errors.T]).T
    return np.asarray(steps)
