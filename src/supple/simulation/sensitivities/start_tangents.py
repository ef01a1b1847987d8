"""How the state at the start changes with parameters: what is given, prescribed, in balance, or closed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError
from supple.model.model import Model
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.sensitivities.loop_tangents import closed_tangents
from supple.simulation.sensitivities.run_parameters import RunParameters
from supple.simulation.sensitivities.run_tangents import RunTangents
from supple.simulation.start_state import STARTS, Start

Vector = NDArray[np.float64]


def start_tangents(
    tangents: RunTangents, parameters: RunParameters, system: DrivenSystem, start: Start, q: Vector, v: Vector
) -> Vector:
    """Changes (nq + nv, P) of the start (q, v) with the parameters, scaled.

    A start with closed loops is closed again: what was given by name keeps its value, the rest follows.
    """
    model = system.model.floating_frames("a sensitivity")
    nq, nv = model.nq, model.nv
    y, u = np.concatenate([q, v, system.z_0]), system.u_0.copy()
    S = np.concatenate([parameters.q, parameters.v, np.zeros((len(system.z_0), parameters.count))])
    _require_free(model, system, S)
    S[:nq] = unit_tangents(model, q, S[:nq])
    if start.kind != STARTS[0]:
        S = _balanced(tangents, system, start, (y, u), S, parameters.u)
    S[: nq + nv] = tangents.settled(system)(0.0, y, u, S, parameters.u)[1]
    if model.loops is not None:
        places = {model.coordinates.index(x) for x in _names(start.q)} | {
            nq + model.speeds.index(x) for x in _names(start.v)
        }
        S = closed_tangents(tangents, system, (0.0, y, u), S, parameters.u, places)
    return S[: nq + nv]


def unit_tangents(model: Model, q: Vector, dq: Vector) -> Vector:
    """Changes (nq, P) of coordinates whose quaternions are kept at unit length."""
    out = dq.copy()
    for first in model.quaternions:
        own = slice(int(first), int(first) + 4)
        size = float(np.linalg.norm(q[own]))
        n = q[own] / size
        out[own] = (dq[own] - np.outer(n, n @ dq[own])) / size
    return out


def _names(given: object) -> list[str]:
    return list(given) if isinstance(given, Mapping) else []


def _require_free(model: Model, system: DrivenSystem, S: Vector) -> None:
    """Refuse starts of what is prescribed."""
    for i in np.flatnonzero(system.prescribed):
        for what, place in (("q", int(model.q_of_speed[i])), ("v", model.nq + int(i))):
            if S[place].any():
                raise StateError(
                    f"sensitivities: '{what}.{model.speeds[i]}': its motion is prescribed, so its start is no parameter"
                )


def _balanced(
    tangents: RunTangents,
    system: DrivenSystem,
    start: Start,
    state: tuple[Vector, Vector],
    S: Vector,
    du: Vector,
) -> Vector:
    """Changes of a start in which forces balance: a(q, p) = 0 of the coordinates that are free, so a_q dq = -a_p."""
    model, (y, u) = system.model.floating_frames("a sensitivity"), state
    nq, nv = model.nq, model.nv
    if model.loops is not None or len(model.quaternions):
        raise StateError(
            f"sensitivities: start = {start.kind!r} with closed loops or quaternions: its derivative is not known; "
            "give the coordinates that the balance has, with start = 'given'"
        )
    held = system.prescribed.copy()
    for name in _names(start.q):
        held[model.speeds.index(name)] = True
    if start.kind == "steady":
        for i in np.flatnonzero(y[nq : nq + nv]):
            held[model.joint_speeds(model.body_of_state(model.speeds[i]))] = True
    free = np.flatnonzero(~held)
    A = system.jacobian(0.0, y, u)[nq + free][:, np.asarray(model.q_of_speed)[free]]
    a_p = tangents.rates(system)(0.0, y, u, S, du)[1][nq + free]
    out = S.copy()
    out[np.asarray(model.q_of_speed)[free]] -= np.linalg.solve(A, a_p)
    return out
