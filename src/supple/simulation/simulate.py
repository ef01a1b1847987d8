"""`supple.simulate`: the motion of a model, with inputs, events and results."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.call_checks import checked
from supple.description.limits import Limit
from supple.errors import SimulationError, StateError
from supple.formulations import Formulation, require_formulation
from supple.inputs.controllers import Signal
from supple.inputs.events import Event
from supple.inputs.inputs import Laws, Motion
from supple.inputs.requests import Outputs
from supple.inputs.run_requirements import LOOPS
from supple.inputs.wrenches import Wrench
from supple.integrators import Integrator, resolved
from supple.lazy import LazyModule
from supple.linear_theory.validity import warn_of, warnings_of
from supple.simulation.accuracy import Accuracy
from supple.simulation.datasets import run_dataset
from supple.simulation.horizon import Horizon
from supple.simulation.run import Progress
from supple.simulation.samples import Samples
from supple.simulation.simulator import Simulator
from supple.simulation.start_state import STARTS, Values

if TYPE_CHECKING:
    import xarray as xr

    from supple.simulation import recorder
else:
    recorder = LazyModule("supple.simulation.recorder")  # with all that reads and writes files


@checked
def simulate(
    model: Formulation,
    duration: float | None = None,
    q: Values | None = None,
    v: Values | None = None,
    tau: Laws = None,
    *,
    motion: Mapping[str, Motion | Signal] | None = None,
    wrenches: Sequence[Wrench] = (),
    variables: Mapping[str, float] | None = None,
    events: Sequence[Event] = (),
    limits: Sequence[Limit] = (),
    outputs: Outputs | None = None,
    sensitivities: Sequence[str] = (),
    integrator: str | type[Any] | Integrator = "auto",
    rtol: float | None = None,
    atol: float | None = None,
    step: float | None = None,
    guess: Mapping[str, float] | None = None,
    start: str = STARTS[0],
    loops: str = LOOPS[0],
    samples: int = 201,
    check: bool = False,
    parts: bool = False,
    progress: Progress | None = None,
    file: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
) -> xr.Dataset:
    """The motion from a state, as a dataset over time.

    Parameters
    ----------
    model : Model
    duration : float
        Seconds.
    q, v : array_like or mapping of name to number, optional
        State at the start; what is not named is neutral and at rest. Closed loops are closed before the start: named
        coordinates and speeds keep their values, if their rates are speeds; an array is a guess. What is prescribed
        must be as it is prescribed.
    tau : array_like, mapping or function, optional
        Generalized forces: numbers for all speeds; or by speed name a number, a formula ("5*sin(t) -
        2*rate(arm.angle)"), a `Table`, a `PID`, a `Sampled` function, or a function of (t, q, v); or one function of
        (t, q, v) for all. Functions that work on symbols become part of the equations, others are called. A
        `LinearController` or an `FmuController` is a mapping of this kind.
    motion : mapping of speed name to Motion, number, formula of t or Table, optional
        Prescribed motions (of positions, if not a `Motion`); the forces that they take are found.
    wrenches : sequence of Wrench
        Moments and forces at frames and nodes that follow laws: formulas, tables, functions.
    variables : mapping of name to number, optional
        Names for formulas, which events may change.
    events : sequence of Event
    limits : sequence of Limit
        Stops of joints.
    outputs : Outputs, optional
        What to give besides the state: frames, wrenches, nodes, strains.
    sensitivities : sequence of str
        Parameters by which the motion is differentiated, exactly, through events and impacts: numbers of the model
        ("arm.mass", see `supple.symbolic.parameter_names`), of laws ("arm.angle.kp", "arm.angle.force"), variables,
        stops ("arm.angle.upper"), coordinates and speeds at the start ("q.arm.angle", "v.arm.angle"; "start" for all).
        The result then has q_sensitivity (time, coordinate, parameter) and its like.
    integrator : str, class of scipy, or one of `supple.integrators`
        "auto" chooses an adaptive one from the fastest motion of the system, and says why. Adaptive: DOP853, explicit,
        and ESDIRK54, implicit for stiff systems, native loops; RK45, RK23, Radau, BDF, LSODA of scipy, CVODE and IDA of
        SUNDIALS. Fixed steps: "generalized_alpha", implicit, for stiff systems; "variational", for long runs
        without drift of energy and momenta; "leapfrog", "rk4", "semi_implicit_euler", explicit, native loops.
    rtol, atol, step : float, optional
        Options of an integrator that is given by name: tolerances of adaptive ones, rtol 1e-8 if not given, 1e-6 where
        "auto" finds the system stiff; length of fixed steps, s. Without atol errors are
        relative to the size of the motion, body by body, so that a vibration of 1 nm is as exact as one of 1 m; a
        given atol is added to rtol times every state, whatever its unit.
    guess : mapping of name to number, optional
        Coordinates from which the loops are closed, besides those of q; they may change.
    start : str
        "given": coordinates that are not named are neutral. "equilibrium": they are where gravity, springs and the laws
        at time 0 hold them at rest; speeds are those of v. "steady": the same while the joints named in v turn at their
        speeds, with centrifugal and gyroscopic forces. Coordinates that q names, and what is prescribed, stay; an array
        is where the search starts.
    loops : str
        How closed loops are kept closed. "projection": all speeds share in it, by the least kinetic energy;
        "independent": as many speeds as there are dofs are left as they are, the others follow from them, and
        which ones these are is chosen anew where the choice has become a bad one.
    samples : int
        Number of output times, both ends included.
    check : bool
        Estimate the error of the result: the run is made twice, first with tolerances a tenth as large or steps half as
        long, and the attribute `estimated_error` has the largest distance of the two, in each unit.
    parts : bool
        Take the steps of a run that is written to a file, which end with each of its parts: the motion is then the one
        in that file, bit for bit.
    progress : function of a float, optional
        Called now and then with the simulated time.
    file : path, optional
        netCDF file, written part by part while the run goes on; a run that was killed can be resumed from it.
    resume, overwrite : bool
        Go on with the unfinished run in `file`; or start over in spite of it.

    Returns
    -------
    xarray.Dataset
        q (time, coordinate), v, a, tau (time, speed), energies, momentum, work of all inputs (time), wrenches of laws
        as applied_wrench (time, law, component), and what `outputs` asks for, with names and units; times of events.
        Attributes say how it was found, and why so, and which flexible bodies left the range of their linear theory.

    Warns
    -----
    PhysicsWarning
        Once, after the run, where flexible bodies left that range, with what to do; see `supple.validity`.

    Raises
    ------
    SimulationError
        When the integration cannot go on, with the time and the coordinate; `error.result` is the motion up to there.

    Notes
    -----
    Quaternions of the output have unit length. During the integration their length does not matter: rotations are
    taken from their direction alone.
    """
    require_formulation(model, "supple.simulate")
    if duration is None:
        raise StateError("supple.simulate: expected a duration, s, got none")
    if not (outputs is None or isinstance(outputs, Outputs)):
        raise StateError(f"outputs: expected a supple.Outputs, got {outputs!r}")
    if not (progress is None or callable(progress)):
        raise StateError(f"progress: expected a function of the time, got {progress!r}")
    if not (file is None or isinstance(file, str | os.PathLike)):
        raise StateError(f"file: expected the path of a results file, got {file!r}")
    if resume and file is None:
        raise StateError("resume: expected the file of the run to go on with, got none")
    arguments = simulator_arguments(
        model=model,
        duration=duration,
        q=q,
        v=v,
        tau=tau,
        motion=motion,
        wrenches=wrenches,
        variables=variables,
        guess=guess,
        start=start,
        events=events,
        limits=limits,
        loops=loops,
        integrator=integrator,
        rtol=rtol,
        atol=atol,
        step=step,
        samples=samples,
    )
    simulator = Simulator(**arguments, sensitivities=sensitivities)
    accuracy = Accuracy.of(simulator, arguments, progress) if check else None
    wanted = outputs or Outputs()
    if simulator.sensitivity is not None:
        simulator.sensitivity.frames = tuple(wanted.frames)
    simulator.require_inertia()
    if file is not None:
        result = recorder.Recorder(file, resume, overwrite, accuracy).record(simulator, wanted, progress)
    else:
        times = simulator.horizon.times()
        found: list[Samples] = []
        try:
            for last in recorder.part_ends(len(times)) if parts else [len(times) - 1]:
                if not simulator.ended:
                    done = sum(map(len, found))
                    found.append(simulator.advance_to(times[last], times[done : last + 1], progress))
        except SimulationError as error:
            error.result = run_dataset(
                simulator, Samples.joined([*found, simulator.gathered]), wanted, accuracy=accuracy
            )
            raise
        result = run_dataset(simulator, Samples.joined(found), wanted, accuracy=accuracy)
    warn_of(model, warnings_of(result))
    return result


def simulator_arguments(
    *,
    duration: float,
    samples: int = 201,
    integrator: str | type[Any] | Integrator = "auto",
    rtol: float | None = None,
    atol: float | None = None,
    step: float | None = None,
    **others: Any,
) -> dict[str, Any]:
    """Keyword arguments of `Simulator` from those of `simulate`, without those for its results."""
    return {**others, "integrator": resolved(integrator, rtol, atol, step), "horizon": Horizon(duration, samples)}


def start_results(model: Formulation, settings: Mapping[str, Any]) -> xr.Dataset:
    """Return what `simulate` gives with these arguments at time 0: all its signals, by name.

    No step is made, whatever the duration.
    """
    known = {name: x for name, x in settings.items() if name not in ("outputs", "sensitivities", "check")}
    outputs, sensitivities = settings.get("outputs") or Outputs(), settings.get("sensitivities", ())
    simulator = Simulator(**simulator_arguments(model=model, **known), sensitivities=sensitivities)
    if simulator.sensitivity is not None:
        simulator.sensitivity.frames = tuple(outputs.frames)
    return run_dataset(simulator, simulator.advance_to(0.0, np.zeros(1)), outputs)
