"""One case of a sweep run again, by itself: the model file with the values of the case."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import ResultsError, StateError
from supple.formulations import Formulation
from supple.sampling.distributions import case_seed
from supple.sweeps.case_measures import CaseRun, Measure, measured
from supple.sweeps.case_sources import FileCases
from supple.sweeps.parameter_sweep import open_sweep, plan_of

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class SweepCase:
    """A case of a sweep.

    Attributes
    ----------
    case : int
    seed : int
        Of the case.
    changes : dict of path to value
        What makes the file the case's.
    measures : mapping of str to Measure
    before : dict of str to float
        What the sweep measured, if it has run.
    """

    case: int
    seed: int
    changes: dict[str, Any]
    measures: Mapping[str, Measure]
    before: Mapping[str, float]

    def measured(self, model: Formulation, result: xr.Dataset, settings: Mapping[str, Any]) -> Iterator[str]:
        """A line for each value and each measure, which says whether the sweep found the same."""
        for path, x in self.changes.items():
            yield f"case {self.case}: {path} = {x!r}"
        run = CaseRun(model, result.assign_attrs(case=self.case, seed=self.seed), settings)
        values, units = measured(self.measures, run)
        for name, x in values.items():
            line = f"case {self.case}: {name}: {x!r} {units.get(name, '')}".rstrip()
            if name in self.before:
                same = np.array_equal(x, self.before[name], equal_nan=True)
                line += ", as in the sweep" if same else f", but {self.before[name]!r} in the sweep"
            yield line


def sweep_case(file: Path, case: int, store: Path | None, changes: Mapping[str, Any]) -> SweepCase:
    """A case of the sweep that a file describes, or that a store holds.

    Parameters
    ----------
    file : Path
    case : int
        Counted from zero.
    store : Path or None
        Results of the sweep, which may have had other samples than the file says.
    changes : mapping of path to value
        Of all cases, as the sweep had them.
    """
    if store is None:
        plan, _ = plan_of(file, {}, changes)
        return SweepCase(case, case_seed(plan.runner.seed, case), plan.changes(case), plan.runner.measures, {})
    with open_sweep(store) as found:
        described = plan_in(found)
        count = found.sizes["case"]
        if not 0 <= case < count:
            raise StateError(f"case: expected one from 0 to {count - 1}, got {case}")
        own = FileCases.read(file, changes)
        if found.attrs["model_file"] != own.text:
            raise ResultsError(f"{store}: is the sweep of another model file than {file}, or that was changed since")
        row = found.isel(case=case)
        formulas = {name: x for name, x in described["measures"].items() if not x.startswith("function ")}
        plan, _ = plan_of(file, {"vary": {path: [value_of(row[path])] for path in described["vary"]},
                                 "measure": formulas, "sampler": "list", "trajectories": [],
                                 "seed": described["seed"]}, changes)  # fmt: skip
        done = row.status.item() in (1, 3)
        before = {name: float(row[name]) for name in formulas} if done else {}
    return SweepCase(case, case_seed(described["seed"], case), plan.changes(0), plan.runner.measures, before)


def plan_in(found: xr.Dataset) -> dict[str, Any]:
    """The plan of a sweep as its results have it."""
    out: dict[str, Any] = json.loads(found.attrs["sweep"])
    return out


def value_of(x: xr.DataArray) -> Any:
    """The value of a path in a case: a number or text as it was, a list from JSON."""
    value = x.values.item()
    if not isinstance(value, str) or not value.startswith(("[", "{", "true", "false")):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
