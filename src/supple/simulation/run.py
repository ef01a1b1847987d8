"""`supple.simulate`: the motion of a model, with inputs, events and results."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from supple.description.limits import Limit
from supple.errors import ResultsError, SimulationError, StateError, nearest
from supple.formulations import Formulation, require_formulation, settings_of
from supple.inputs.controllers import Signal
from supple.inputs.events import Event, require_sound
from supple.inputs.functions import UNKNOWN, text
from supple.inputs.inputs import Inputs, Laws, Motion
from supple.inputs.outputs import Outputs
from supple.model.inputs import named_vector
from supple.simulation.choice import choose
from supple.simulation.course import Course, Part, Vector, integral
from supple.simulation.methods.fixed_steps import FixedSteps
from supple.simulation.methods.generalized_alpha import GeneralizedAlpha
from supple.simulation.results import as_dataset
from supple.simulation.storage import Plan, Recording, open_results
from supple.simulation.system import System

PARTS = 50
"""Most parts of a run that is written to a file; each is safe once it is there."""
LOOPS = ("projection", "independent")
TURNED = "orientation"
"""Variable whose last values the next part goes on from: the sign of a quaternion must not jump."""


def simulate(
    model: Formulation,
    duration: float,
    q: ArrayLike | Mapping[str, float] | None = None,
    v: ArrayLike | Mapping[str, float] | None = None,
    tau: Laws = None,
    *,
    motion: Mapping[str, Motion | Signal] | None = None,
    variables: Mapping[str, float] | None = None,
    events: Sequence[Event] = (),
    limits: Sequence[Limit] = (),
    outputs: Outputs | None = None,
    integrator: str | type[Any] | GeneralizedAlpha | FixedSteps = "auto",
    rtol: float | None = None,
    atol: float | None = None,
    step: float | None = None,
    guess: Mapping[str, float] | None = None,
    loops: str = "projection",
    samples: int = 201,
    progress: Callable[[float], None] | None = None,
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
        (t, q, v) for all. Functions that work on symbols become part of the equations, others are called.
    motion : mapping of speed name to Motion, number, formula of t or Table, optional
        Prescribed motions (of positions, if not a `Motion`); the forces that they take are found.
    variables : mapping of name to number, optional
        Names for formulas, which events may change.
    events : sequence of Event
    limits : sequence of Limit
        Stops of joints.
    outputs : Outputs, optional
        What to give besides the state: frames, wrenches, nodes, strains.
    integrator : str, scipy solver class, GeneralizedAlpha or FixedSteps
        "auto" chooses from the fastest motion of the system, and says why. Adaptive: DOP853 (a native loop), RK45,
        RK23, Radau, BDF, LSODA of scipy, CVODE and IDA of SUNDIALS. Fixed steps: "generalized_alpha", implicit, for
        stiff systems; "leapfrog", "rk4", "semi_implicit_euler", explicit, native loops.
    rtol, atol : float, optional
        Tolerances of adaptive integrators, rtol 1e-8 if not given; where one is given, "auto" takes an adaptive
        integrator. Without atol errors are relative to the size of the motion, body by body, so that a vibration of
        1 nm is as exact as one of 1 m; a given atol is added to rtol times every state, whatever its unit.
    step : float, optional
        Length of fixed steps, s.
    guess : mapping of name to number, optional
        Coordinates from which the loops are closed, besides those of q; they may change.
    loops : str
        How closed loops are kept closed. "projection": all speeds share in it, by the least kinetic energy;
        "independent": as many speeds as there are dofs are left as they are, the others follow from them, and
        which ones these are is chosen anew where the choice has become a bad one.
    samples : int
        Number of output times, both ends included.
    progress : function of a float, optional
        Called now and then with the simulated time.
    file : path, optional
        netCDF file, written part by part while the run goes on; a run that was killed can be resumed from it.
    resume, overwrite : bool
        Go on with the unfinished run in `file`; or begin anew in spite of it.

    Returns
    -------
    xarray.Dataset
        q (time, coordinate), v, a, tau (time, speed), energies, momentum, work of the drives (time), and what `outputs`
        asks for, with names and units; times of events. Attributes say how it was found, and why so.

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
    if not (np.isfinite(duration) and duration > 0):
        raise StateError(f"duration: expected a positive number, got {duration}")
    if samples < 2:
        raise StateError(f"samples: expected at least 2, got {samples}")
    if loops not in LOOPS:
        raise StateError(f"loops: expected one of {', '.join(LOOPS)}, got {loops!r}{nearest(loops, LOOPS)}")
    for name, given in (("loops", loops if loops != LOOPS[0] else None), ("guess", guess)):
        if given is not None and model.loops is None:
            raise StateError(f"{name}: model {model.name!r} has no closed loops, got {given!r}")
    if guess is not None and q is not None and not isinstance(q, Mapping):
        raise StateError("guess: an array q is a guess already, expected one of them, or q by name")
    if resume and file is None:
        raise StateError("resume: expected the file of the run to go on with, got none")
    named = {x.coordinate for x in limits}
    limits = [*(x for x in model.description.limits if x.coordinate not in named), *limits]
    inputs = Inputs(model, tau, motion, variables, stops=bool(limits))
    q_0 = named_vector(model.coordinates, guess or {}, "guess", model.neutral())
    q_0 = q_0 if q is None else named_vector(model.coordinates, q, "q", q_0)
    v_0 = np.zeros(model.nv) if v is None else named_vector(model.speeds, v, "v")
    system = System(model, inputs, q_0, v_0)
    _require_no_conflict(system, q, v, q_0, v_0)
    if limits:
        model.floating_frames("a stop of joints")
    if integrator == "generalized_alpha" or isinstance(integrator, GeneralizedAlpha):
        model.floating_frames("generalized_alpha")
    if model.loops is not None:
        _require_closing(model, integrator)
        prescribed = [name for name, given in zip(model.speeds, system.given, strict=True) if given]
        q_0, v_0 = system.start_state(q_0, v_0)
        q_0 = model.loops.assemble(q_0, [*_kept(model, q), *prescribed])
        v_0 = model.loops.consistent(q_0, v_0, [*_kept(model, v), *prescribed])
    require_sound(model, inputs, events, limits, q_0)
    course = Course(system, events, limits, float(duration), samples, progress, loops == "independent")
    y, u = course.start(q_0, v_0)
    choice = choose(integrator, step, rtol, atol, system, y, u, float(duration), samples)
    course.choice = choice
    wanted = outputs or Outputs()
    settings = {
        "duration": float(duration),
        "samples": samples,
        "integrator": str(choice.integrator),
        "rtol": choice.rtol,
        "atol": atol,
        "loops": loops,
        "q": q_0.tolist(),
        "v": v_0.tolist(),
        "inputs": inputs.describe(),
        "events": [*map(_described, events), *map(_described, limits)],
        "outputs": repr(wanted),
    }
    if file is None:
        try:
            (part,) = course.parts(1)
        except SimulationError as error:
            error.result = _dataset(course, Part.joined(course.unfinished), wanted)
            raise
        return _dataset(course, part, wanted)
    if resume:
        _require_comparable(settings)
    plan = Plan(model.mechanism_model(), settings | settings_of(model))
    recording, memory = Recording.resume(file, plan) if resume else (Recording.begin(file, plan, overwrite), None)
    with recording:
        try:
            _record(course, recording, wanted, memory)
        except SimulationError as error:
            error.result = open_results(file)
            raise
    return open_results(file)


def _require_closing(model: Formulation, integrator: Any) -> None:
    """Refuse what cannot close loops."""
    if integrator == "generalized_alpha" or isinstance(integrator, GeneralizedAlpha):
        raise StateError(
            f"model {model.name!r} has closed loops, which {integrator} does not take; expected DOP853, Radau, BDF, "
            "CVODE, IDA, leapfrog, rk4 or another explicit method"
        )


def _kept(model: Formulation, given: ArrayLike | Mapping[str, float] | None) -> list[str]:
    """Speeds whose coordinates, or which themselves, were given by name: an assembly leaves them as they are."""
    return [name for name in given if name in model.speeds] if isinstance(given, Mapping) else []


def _record(course: Course, recording: Recording, outputs: Outputs, memory: dict[str, Any] | None) -> None:
    """A run, or the rest of one, to its file; the parts that are there make up a file in order, whatever happens."""
    before: xr.Dataset | None = None

    def append(part: Part) -> None:
        nonlocal before
        before = _dataset(course, part, outputs, before)
        turned = {TURNED: before[TURNED].values[-1]} if TURNED in before else {}
        recording.append(before, course.memory() | turned)

    if memory is not None:
        course.restore(memory)
        if TURNED in memory:
            before = xr.Dataset({TURNED: (("time", "frame", "quaternion"), memory[TURNED][None])})
    try:
        for part in course.parts(PARTS):
            append(part)
    except SimulationError:
        if course.unfinished:
            append(Part.joined(course.unfinished))
        recording.finish(finished=False)
        raise
    except ResultsError:  # nothing more can be written
        raise
    except BaseException:  # the keyboard, or a function of the user's
        recording.finish(finished=False)
        raise
    recording.finish()


def _dataset(course: Course, part: Part, outputs: Outputs, before: xr.Dataset | None = None) -> xr.Dataset:
    """A part of a run, or all of it, as a dataset; quaternions go on from the part before."""
    x, system = part, course.system
    out = as_dataset(
        system.model,
        x.t,
        x.q,
        x.v,
        x.a,
        x.tau,
        outputs,
        course.attributes(),
        sums=system.sums,
        before=before,
        given=system.given,
    )
    work = integral(x, system)
    if work is not None:
        out["work"] = ("time", work, {"units": "J", "long_name": "work of the drives"})
    return out


def _described(x: Event | Limit) -> str:
    """An event or a limit as text; of a function its name and a digest of its code, the same in every process."""
    return f"{type(x).__name__}({', '.join(f'{f.name}={text(getattr(x, f.name))}' for f in fields(x))})"


def _require_comparable(settings: Mapping[str, Any]) -> None:
    """Refuse to go on with a run whose laws cannot be compared with those it began with."""
    laws = [f"{key}: {law}" for key, law in settings["inputs"].items()] + settings["events"]
    for law in laws:
        if UNKNOWN in law:
            raise StateError(
                f"resume: {law}; expected a law that depends on numbers, texts, arrays and functions of these, so that "
                "it is known to be the one that the run began with. overwrite=True begins anew"
            )


def _require_no_conflict(system: System, q: Any, v: Any, q_0: Vector, v_0: Vector) -> None:
    """Refuse a start that contradicts a prescribed motion."""
    model = system.model
    q_1, v_1 = system.start_state(q_0, v_0)
    for given, names, before, after in ((q, model.coordinates, q_0, q_1), (v, model.speeds, v_0, v_1)):
        for i, name in enumerate(names):
            named = given is not None and (not isinstance(given, Mapping) or name in given)
            unit = name.split(".")[-1] in ("qx", "qy", "qz", "qw")  # of any length
            if named and not unit and abs(before[i] - after[i]) > 1e-6 * max(1.0, abs(after[i])):
                raise StateError(f"{name!r}: starts at {before[i]:g}, but its prescribed motion starts at {after[i]:g}")
