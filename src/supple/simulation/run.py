"""Integrating the motion of a model: scipy's solvers, and implicit steps for stiff systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike
from scipy import integrate

from supple.errors import SimulationError, StateError, nearest
from supple.model.model import Model
from supple.simulation.drives import Drive, Vector, drive_function, named_vector
from supple.simulation.dynamics import Dynamics, dynamics
from supple.simulation.fixed_steps import EXPLICIT, FixedSteps, steps_between, walk
from supple.simulation.generalized_alpha import GeneralizedAlpha, march
from supple.simulation.results import as_dataset

INTEGRATORS: dict[str, type[Any]] = {
    "DOP853": integrate.DOP853,
    "RK45": integrate.RK45,
    "RK23": integrate.RK23,
    "Radau": integrate.Radau,
    "BDF": integrate.BDF,
    "LSODA": integrate.LSODA,
}


STEPPED = ("generalized_alpha", *EXPLICIT)
"""Integrators of fixed steps."""


def simulate(
    model: Model,
    duration: float,
    q: ArrayLike | Mapping[str, float] | None = None,
    v: ArrayLike | Mapping[str, float] | None = None,
    tau: ArrayLike | Mapping[str, float] | Drive | None = None,
    *,
    integrator: str | type[Any] | GeneralizedAlpha = "DOP853",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    step: float | None = None,
    samples: int = 201,
    progress: Callable[[float], None] | None = None,
) -> xr.Dataset:
    """The motion from a state, as a dataset over time.

    Parameters
    ----------
    model : Model
    duration : float
        Seconds.
    q, v : array_like or mapping of name to number, optional
        State at the start; what is not named is neutral and at rest.
    tau : array_like, mapping or function, optional
        Drive forces: constant, constant by speed name, or a function of (t, q, v) that returns (nv,).
    integrator : str, solver class or GeneralizedAlpha
        One of scipy's: DOP853, RK45, RK23, Radau, BDF, LSODA. With steps of fixed length: "generalized_alpha",
        implicit, for stiff systems; "leapfrog", "rk4", "semi_implicit_euler", explicit, loops in machine code.
    rtol, atol : float
        Tolerances of scipy's integrators.
    step : float, optional
        Length of fixed steps, s.
    samples : int
        Number of output times, both ends included.
    progress : function of a float, optional
        Called with the simulated time after every step.

    Returns
    -------
    xarray.Dataset
        q (time, coordinate), v (time, speed), kinetic_energy and potential_energy (time), with names and units.

    Raises
    ------
    SimulationError
        When the step size vanishes or the state is no longer finite, with the time and the coordinate.

    Notes
    -----
    Quaternions of the output have unit length. During the integration their length does not matter: rotations are
    taken from their direction alone.
    """
    duration = _positive(duration, "duration")
    if samples < 2:
        raise StateError(f"samples: expected at least 2, got {samples}")
    q0 = model.neutral() if q is None else named_vector(model.coordinates, q, "q", model.neutral())
    v0 = np.zeros(model.nv) if v is None else named_vector(model.speeds, v, "v")
    drive = drive_function(model, tau)
    functions = dynamics(model, q0, v0, drive(0.0, q0, v0))

    times = np.linspace(0.0, duration, samples)
    method = _stepper(integrator, step)
    if method is not None:
        states, attributes = _march(model, method, times, q0, v0, tau, functions, progress)
        return _result(model, times, states, functions, attributes)

    def rate(t: float, y: Vector) -> Vector:
        if not np.isfinite(y).all():  # a trial step went too far: the integrator takes a shorter one
            return np.full_like(y, np.nan)
        q_, v_ = y[: model.nq], y[model.nq :]
        a = functions.accelerations(q_, v_, drive(t, q_, v_))
        return np.concatenate([functions.rates(q_, v_), a])

    solver_class = _solver_class(integrator)
    solver = solver_class(
        rate,
        0.0,
        np.concatenate([q0, v0]),
        duration,
        rtol=_positive(rtol, "rtol"),
        atol=_positive(atol, "atol"),
    )
    states, steps = _advance(model, solver, times, progress)
    attributes = {
        "integrator": solver_class.__name__,
        "rtol": rtol,
        "atol": atol,
        "steps": steps,
        "evaluations": int(solver.nfev),
        "engine": functions.engine,
    }
    return _result(model, times, states, functions, attributes)


def _result(model: Model, times: Vector, states: Vector, functions: Dynamics, attributes: dict[str, Any]) -> xr.Dataset:
    """Coordinates and speeds of all times as a dataset."""
    q, v = model.normalize(states[:, : model.nq]), np.ascontiguousarray(states[:, model.nq :])
    return as_dataset(model, times, q, v, functions.energy(q, v), attributes)


def _stepper(
    integrator: str | type[Any] | GeneralizedAlpha, step: float | None
) -> GeneralizedAlpha | FixedSteps | None:
    """The method of fixed steps, if one is asked for."""
    if isinstance(integrator, str) and integrator in STEPPED:
        if step is None:
            raise StateError(f"step: {integrator} needs the length of its steps, s")
        return GeneralizedAlpha(step) if integrator == "generalized_alpha" else FixedSteps(integrator, step)
    if step is not None:
        raise StateError(f"step: only {', '.join(STEPPED)} take one, got {step} for {integrator!r}")
    return integrator if isinstance(integrator, GeneralizedAlpha) else None


def _march(
    model: Model,
    method: GeneralizedAlpha | FixedSteps,
    times: Vector,
    q: Vector,
    v: Vector,
    tau: Any,
    functions: Dynamics,
    progress: Callable[[float], None] | None,
) -> tuple[Vector, dict[str, Any]]:
    """States at all times by fixed steps, and how they were found."""
    drive = drive_function(model, tau)
    if isinstance(method, GeneralizedAlpha):
        name = "generalized_alpha"
        motion = march(model, method, times, q, v, drive, functions.accelerations(q, v, drive(0.0, q, v)))
    else:
        name = method.name
        motion = walk(model, method, times, q, v, drive, constant=not callable(tau))
    states = np.zeros((len(times), model.nq + model.nv))
    evaluations = 0
    for n, (q_n, v_n, used) in enumerate(motion):
        states[n] = np.concatenate([q_n, v_n])
        evaluations = used
        if progress is not None:
            progress(float(times[n]))
    steps = steps_between(times, method.step) * (len(times) - 1)
    attributes = {"integrator": name, "step": float(times[-1]) / steps, "steps": steps}
    return states, attributes | {"evaluations": evaluations, "engine": functions.engine}


def _advance(model: Model, solver: Any, times: Vector, progress: Callable[[float], None] | None) -> tuple[Vector, int]:
    """States at all times, and the number of steps taken."""
    states = np.zeros((len(times), len(solver.y)))
    states[0] = solver.y
    done, steps = 1, 0
    while solver.status == "running":
        message = solver.step()
        steps += 1
        bad = np.flatnonzero(~np.isfinite(solver.y))
        if solver.status == "failed" or len(bad):
            names = [*model.coordinates, *(f"rate of {name}" for name in model.speeds)]
            fastest = int(np.argmax(np.abs(np.nan_to_num(solver.f)))) if not len(bad) else int(bad[0])
            raise SimulationError(
                f"model {model.name!r}: the integration stopped at t = {solver.t:.6g} s of {times[-1]:g} s "
                f"after {steps} steps: {message or 'the state is not finite'}; "
                f"look at {names[fastest]!r}, which {'is not finite' if len(bad) else 'changes fastest'}"
            )
        upto = int(np.searchsorted(times, solver.t, side="right"))
        if upto > done:
            states[done:upto] = solver.dense_output()(times[done:upto]).T
            done = upto
        if progress is not None:
            progress(float(solver.t))
    return states, steps


def _solver_class(integrator: Any) -> type[Any]:
    if not isinstance(integrator, str):
        return integrator
    try:
        return INTEGRATORS[integrator]
    except KeyError:
        known = (*INTEGRATORS, *STEPPED)
        raise StateError(f"integrator: no {integrator!r}{nearest(integrator, known)}") from None


def _positive(value: float, what: str) -> float:
    if not (np.isfinite(value) and value > 0):
        raise StateError(f"{what}: expected a positive number, got {value}")
    return float(value)
