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
        One of scipy's: DOP853, RK45, RK23, Radau, BDF, LSODA; or "generalized_alpha", implicit steps of fixed length
        for stiff flexible systems.
    rtol, atol : float
        Tolerances of scipy's integrators.
    step : float, optional
        Length of the steps of "generalized_alpha", s.
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
    method = _implicit(integrator, step)
    if method is not None:
        states, attributes = _march(model, method, times, q0, v0, drive, functions, progress)
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


def _implicit(integrator: str | type[Any] | GeneralizedAlpha, step: float | None) -> GeneralizedAlpha | None:
    """The implicit method, if one is asked for."""
    if integrator == "generalized_alpha":
        if step is None:
            raise StateError("step: generalized_alpha needs the length of its steps, s")
        return GeneralizedAlpha(step)
    if step is not None:
        raise StateError(f"step: only generalized_alpha by its name takes one, got {step} for {integrator!r}")
    return integrator if isinstance(integrator, GeneralizedAlpha) else None


def _march(
    model: Model,
    method: GeneralizedAlpha,
    times: Vector,
    q: Vector,
    v: Vector,
    drive: Drive,
    functions: Dynamics,
    progress: Callable[[float], None] | None,
) -> tuple[Vector, dict[str, Any]]:
    """States at all times by implicit steps, and how they were found."""
    states = np.zeros((len(times), model.nq + model.nv))
    start = functions.accelerations(q, v, drive(0.0, q, v))
    iterations = 0
    for n, (q_n, v_n, used) in enumerate(march(model, method, times, q, v, drive, start)):
        states[n] = np.concatenate([q_n, v_n])
        iterations = used
        if progress is not None:
            progress(float(times[n]))
    steps = method.count(times) * (len(times) - 1)
    attributes = {"integrator": "generalized_alpha", "step": float(times[-1]) / steps, "rho": method.rho}
    return states, attributes | {"steps": steps, "evaluations": iterations, "engine": functions.engine}


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
        known = (*INTEGRATORS, "generalized_alpha")
        raise StateError(f"integrator: no {integrator!r}{nearest(integrator, known)}") from None


def _positive(value: float, what: str) -> float:
    if not (np.isfinite(value) and value > 0):
        raise StateError(f"{what}: expected a positive number, got {value}")
    return float(value)
