"""`supple.sweep`: many runs of one model with other numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.call_checks import checked
from supple.checks import is_number
from supple.errors import StateError, unexpected
from supple.files.sweep_paths import sweep_arguments
from supple.formulations import FORMULATIONS, Formulation
from supple.sweeps.case_sources import CaseSource, FileCases, ModelCases
from supple.sweeps.plan import SweepPlan, SweepSettings, make_plan
from supple.sweeps.progression import EngineOptions, Progress, sweep_in_memory, sweep_to_store
from supple.sweeps.sweep_engines import Engine
from supple.sweeps.sweep_store import open_store

if TYPE_CHECKING:
    import xarray as xr


def plan_of(
    model: Formulation | str | os.PathLike[str],
    given: Mapping[str, Any],
    changes: Mapping[str, Any] | None = None,
    run: Mapping[str, Any] | None = None,
) -> tuple[SweepPlan, float | None]:
    """The plan of a sweep of a model or a model file, and the time that a case may take.

    Parameters
    ----------
    model : Formulation or path
    given : mapping of str to what SweepSettings has
        None is not given; of a file its table [sweep] says what is not given.
    changes : mapping of path to value, optional
        Of all cases.
    run : mapping, optional
        Of a model: keyword arguments of `supple.simulate`.
    """
    said = {key: x for key, x in given.items() if x is not None}
    source: CaseSource
    if isinstance(model, FORMULATIONS):
        source, folder = ModelCases.changed(model, dict(run or {}), changes or {}), Path()
    elif isinstance(model, str | os.PathLike):
        if run:
            raise StateError(f"supple.sweep: {next(iter(run))!r}: expected with a model, got a file; changes sets it")
        source, folder = FileCases.read(Path(model), changes or {}), Path(model).parent
        own = sweep_arguments(source.content(), Path(model))
        if "table" in said or "vary" in said:
            own = {key: x for key, x in own.items() if key in ("measure", "trajectories", "seed", "timeout")}
        said = own | said
    else:
        raise unexpected("supple.sweep", "a Model or the path of a model file", model)
    timeout = said.pop("timeout", None)
    if timeout is not None and not (is_number(timeout) and timeout > 0):
        raise StateError(f"timeout: expected a number of seconds above zero, got {timeout!r}")
    return make_plan(source, SweepSettings(**{"vary": {}, "measure": {}, **said}), folder), timeout


@checked
def sweep(
    model: Formulation | str | os.PathLike[str],
    vary: Mapping[str, Any] | None = None,
    measure: Mapping[str, Any] | None = None,
    *,
    sampler: str | None = None,
    samples: int | None = None,
    seed: int | None = None,
    table: str | os.PathLike[str] | None = None,
    together: Sequence[Sequence[str]] | None = None,
    correlation: Sequence[tuple[str, str, float]] | None = None,
    trajectories: Sequence[str] | None = None,
    changes: Mapping[str, Any] | None = None,
    store: str | os.PathLike[str] | None = None,
    engine: str | Engine = "auto",
    workers: int | None = None,
    scheduler: str | None = None,
    timeout: float | None = None,
    resume: bool = False,
    retry: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
    **run: Any,
) -> xr.Dataset:
    """Many runs of one model with other numbers, and what is measured of each.

    Parameters
    ----------
    model : Model or path
        A model, or a TOML model file; what its table [sweep] says is used where an argument is not given.
    vary : mapping of path to specification
        Of a file any path in it, "body.arm.mass", "simulation.q.arm.angle", "simulation.rtol"; of a model the names of
        `Model.with_parameters`, "arm.mass", with "simulation.q.NAME", "simulation.v.NAME", "variables.NAME" and
        "simulation." with an argument of `supple.simulate`. A specification is a list of values; {"range": [0, 1],
        "steps": 5}; {"uniform": [low, high]}, "normal", "lognormal", "loguniform", "triangular" or a distribution by
        its name in scipy.stats, with {"truncate": 3} standard deviations or [low, high]; a frozen distribution of
        scipy.stats; or {"seed": True}, a whole number of its own for each case.
    measure : mapping of name to formula or function
        "max(abs(arm.angle))", "last(abs(arm.angle - 1) > 0.02)", "frequency(1)", ...; or a function of the result, or
        of the result and the model, that gives a number. The attributes `case` and `seed` of the result are the case's.
    sampler : str, optional
        "grid", "list", "lhs" (Latin hypercube), "sobol", "halton", "random", "saltelli" (groups of cases for Sobol
        indices, total ones included), "table".
    samples : int, optional
        Number of cases, of samplers that draw points; of "saltelli" of groups of d + 2 cases for d factors, a power
        of 2.
    seed : int, optional
        Of all that is random; 0 if not given.
    table : path, optional
        CSV file with a path at the head of each column and a case in each line, in place of `vary`.
    together : sequence of groups of paths, optional
        What varies together.
    correlation : sequence of (path, path, number), optional
        Correlations of normal scores.
    trajectories : sequence of str, optional
        Variables or signals of the results to keep over time.
    changes : mapping of path to value, optional
        Other values in all cases, by the same paths: {"simulation.samples": 1001}.
    store : path, optional
        Directory for the results, "NAME.sweep.zarr"; it needs zarr. Without one they are in memory.
    engine : str or Engine
        "lanes": side by side in the processor's vectors, where cases differ in numbers alone and steps are of fixed
        length. "serial": one after another in this process. "local": in processes of this machine. "dask": on a Dask
        cluster. "auto": dask if a scheduler is given, serial for few cases, lanes where that is possible, else local.
    workers : int, optional
        Number of processes; by default as many as there are processors.
    scheduler : str, optional
        Address of a Dask scheduler.
    timeout : float, optional
        Time after which a case is given up, s; of the local engine.
    resume, retry, overwrite : bool
        Continue the sweep in the store, with cases that failed run once more if `retry`; or discard it.
    progress : function of (done, failed, total), optional
        Called after each block of cases.
    **run
        Of a model: arguments of `supple.simulate`, such as duration.

    Returns
    -------
    xarray.Dataset
        Over `case`: a coordinate for each path that is varied; `status` (1 finished, 2 failed, 3 stopped by an event),
        `message`, `wall_time` and the measures.

    Examples
    --------
    >>> import supple
    >>> mech = supple.Mechanism("pendulum")
    >>> mech.add_body("rod", supple.RigidBody(1.0, com=(0, 0, -9.81)))
    >>> found = supple.sweep(mech.build(), {"rod.com.z": [-9.81, -2.4525]}, {"f": "frequency(1) * 2*pi"})
    >>> found.f.values.round(9).tolist()
    [1.0, 2.0]
    """
    given = dict(
        vary=vary, measure=measure, sampler=sampler, samples=samples, seed=seed, table=table, together=together,
        correlation=correlation, trajectories=trajectories, timeout=timeout,
    )  # fmt: skip
    plan, limit = plan_of(model, given, changes, run)
    options = EngineOptions(engine, workers, scheduler, limit)
    if store is None:
        if resume or retry or overwrite:
            raise StateError("resume, retry, overwrite: expected with a store, got none")
        return sweep_in_memory(plan, options, progress)
    return sweep_to_store(plan, Path(store), options, progress, (resume, retry, overwrite))


@checked
def open_sweep(path: str | os.PathLike[str]) -> xr.Dataset:
    """The results of a sweep in a directory, finished or not, as `supple.sweep` gives them; read when they are used."""
    return open_store(Path(path))
