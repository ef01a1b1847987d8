"""`supple.sweep`: many runs of one model with other numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.errors import StateError, unexpected
from supple.files.sweep_paths import sweep_arguments
from supple.formulations import FORMULATIONS, Formulation
from supple.sweeps.case_sources import CaseSource, FileCases, ModelCases
from supple.sweeps.plan import SweepPlan, SweepSettings, make_plan
from supple.sweeps.serial_engine import SerialEngine
from supple.sweeps.sweep_dataset import MemorySink

if TYPE_CHECKING:
    import xarray as xr

Progress = Callable[[int, int, int], None]


def plan_of(
    model: Formulation | str | os.PathLike[str],
    given: Mapping[str, Any],
    changes: Mapping[str, Any] | None = None,
    run: Mapping[str, Any] | None = None,
) -> SweepPlan:
    """The plan of a sweep of a model or a model file.

    Parameters
    ----------
    model : Formulation or path
    given : mapping of str to what SweepSettings has
        None is not given; of a file its table [sweep] says what is not given.
    changes : mapping of path to value, optional
        Of a file, in all cases.
    run : mapping, optional
        Of a model: keyword arguments of `supple.simulate`.
    """
    said = {key: x for key, x in given.items() if x is not None}
    source: CaseSource
    if isinstance(model, FORMULATIONS):
        if changes:
            raise StateError("changes: expected with a model file, got a model; Model.with_parameters changes one")
        source, folder = ModelCases(model, dict(run or {})), Path()
    elif isinstance(model, str | os.PathLike):
        if run:
            raise StateError(f"supple.sweep: {next(iter(run))!r}: expected with a model, got a file; changes sets it")
        source, folder = FileCases.read(Path(model), changes or {}), Path(model).parent
        own = sweep_arguments(source.content(), Path(model))
        if "table" in said or "vary" in said:
            own = {key: x for key, x in own.items() if key in ("measure", "trajectories", "seed")}
        said = own | said
        said.pop("timeout", None)
    else:
        raise unexpected("supple.sweep", "a Model or the path of a model file", model)
    return make_plan(source, SweepSettings(**{"vary": {}, "measure": {}, **said}), folder)


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
    **run: Any,
) -> xr.Dataset:
    """Many runs."""
    given = dict(
        vary=vary, measure=measure, sampler=sampler, samples=samples, seed=seed, table=table, together=together,
        correlation=correlation, trajectories=trajectories,
    )  # fmt: skip
    plan = plan_of(model, given, changes, run)
    plan.check()
    sink = MemorySink(plan)
    engine = SerialEngine()
    for block in engine.run(plan, [[case] for case in range(plan.count)]):
        sink.write(block)
    return sink.dataset()
