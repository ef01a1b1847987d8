"""The plan of a sweep: what is varied, in which cases, and what is measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from supple.errors import StateError
from supple.sampling.case_tables import read_cases
from supple.sampling.distributions import Column, read_quantity
from supple.sampling.samplers import MOST_CASES, SAMPLERS, sampled
from supple.sweeps.case_measures import read_measures
from supple.sweeps.case_run import CaseRunner
from supple.sweeps.case_sources import CaseSource

SHOWN_ERRORS = 3


@dataclass(frozen=True)
class SweepSettings:
    """What a user says about a sweep, in the words of the table [sweep] of model files.

    Attributes
    ----------
    vary : mapping of path to specification
    measure : mapping of name to formula or function
    sampler : str or None
    samples : int or None
    seed : int
    table : path or None
        CSV file with a case in each line, in place of `vary`.
    together : sequence of groups of paths
    correlation : sequence of (path, path, number)
    trajectories : sequence of str
    """

    vary: Mapping[str, Any]
    measure: Mapping[str, Any]
    sampler: str | None = None
    samples: int | None = None
    seed: int = 0
    table: str | Path | None = None
    together: Sequence[Sequence[str]] = ()
    correlation: Sequence[tuple[str, str, float]] = ()
    trajectories: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class SweepPlan:
    """The cases of a sweep, and how each is run.

    Attributes
    ----------
    runner : CaseRunner
    values : dict of path to (cases,) array
        Numbers, whole numbers or objects.
    count : int
        Number of cases.
    described : dict
        The plan as JSON holds it: vary, sampler, samples, seed, together, correlation, measures, trajectories.
    """

    runner: CaseRunner
    values: Mapping[str, Column]
    count: int
    described: Mapping[str, Any]

    def changes(self, case: int) -> dict[str, Any]:
        """Values of a case by path."""
        if not 0 <= case < self.count:
            raise StateError(f"case: expected one from 0 to {self.count - 1}, got {case}")
        return {path: x[case].item() if isinstance(x, np.ndarray) and x.dtype != object else x[case]
                for path, x in self.values.items()}  # fmt: skip

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(self.runner.measures)

    @cached_property
    def hash(self) -> str:
        """Of the model, the plan and the values of all cases."""
        digest = hashlib.sha256(f"{self.runner.source.digest}{json.dumps(self.described, sort_keys=True)}".encode())
        for path, x in self.values.items():
            digest.update(path.encode() + (json.dumps(x.tolist()).encode() if x.dtype == object else x.tobytes()))
        return digest.hexdigest()

    def check(self) -> None:
        """Refuse a sweep with cases that no model can be made of: those where a value is smallest or largest are tried.

        Measures of signals that the first case does not have are refused too.

        Others that fail are named by the sweep.
        """
        wrong = {case: errors for case in self._extremes() if (errors := self.runner.source.errors(self.changes(case)))}
        if wrong:
            case, errors = next(iter(wrong.items()))
            said = ", ".join(f"{path} = {_short(x)}" for path, x in self.changes(case).items())
            many = f"; {len(wrong)} of the {len(self._extremes())} cases tried are wrong" if len(wrong) > 1 else ""
            hint = "; truncate keeps a distribution in a range" if _is_drawn(self.described) else ""
            raise StateError(f"case {case} ({said}): {'; '.join(errors[:SHOWN_ERRORS])}{many}{hint}")
        self.runner.require_names(self.changes(0))

    def _extremes(self) -> list[int]:
        """Cases with the first, smallest or largest value of a path; of texts one for each."""
        found = [0]
        for x in self.values.values():
            if x.dtype == object:
                found += {json.dumps(value): i for i, value in reversed([*enumerate(x)])}.values()
            else:
                found += [int(np.argmin(x)), int(np.argmax(x))]
        return list(dict.fromkeys(found))


def make_plan(source: CaseSource, settings: SweepSettings, folder: Path | None = None) -> SweepPlan:
    """The plan of a sweep, its paths and formulas checked; a table is looked for in `folder`."""
    if isinstance(settings.seed, bool) or not isinstance(settings.seed, int | np.integer) or settings.seed < 0:
        raise StateError(f"seed: expected a whole number, zero or more, got {settings.seed!r}")
    described: dict[str, Any]
    if settings.table is not None or settings.sampler == "table":
        values, described = _from_table(settings, folder or Path())
    else:
        values, described = _from_quantities(settings)
    source.require_paths(values)
    if not settings.measure and not settings.trajectories:
        raise StateError("sweep: expected measures or trajectories, got neither: there is nothing to keep of a case")
    runner = CaseRunner(source, read_measures(settings.measure), tuple(settings.trajectories), int(settings.seed))
    described |= {
        "seed": int(settings.seed),
        "measures": {name: _formula(x) for name, x in settings.measure.items()},
        "trajectories": list(settings.trajectories),
    }
    count = len(next(iter(values.values())))
    return SweepPlan(runner, values, count, described)


def _from_table(settings: SweepSettings, folder: Path) -> tuple[dict[str, Column], dict[str, Any]]:
    if settings.table is None or settings.vary or settings.sampler not in (None, "table"):
        raise StateError("table: expected a CSV file in place of vary, with no other sampler")
    values = read_cases(folder / settings.table)
    count = len(next(iter(values.values())))
    if count > MOST_CASES or settings.samples not in (None, count):
        raise StateError(f"samples: expected {count}, the lines of {settings.table}, or none, got {settings.samples}")
    plan = {"vary": {path: {"table": str(settings.table)} for path in values}, "sampler": "table", "samples": count}
    return values, plan | {"together": [], "correlation": []}


def _from_quantities(settings: SweepSettings) -> tuple[dict[str, Column], dict[str, Any]]:
    if not settings.vary:
        raise StateError("vary: expected one or more paths, or a table, got none")
    quantities = {path: read_quantity(x, f"vary: {path!r}") for path, x in settings.vary.items()}
    correlation = [(str(a), str(b), float(c)) for a, b, c in settings.correlation]
    values = sampled(quantities, settings.sampler, settings.samples, int(settings.seed), settings.together, correlation)
    lists = all(x.values is not None for x in quantities.values())
    return values, {
        "vary": {path: x.described() for path, x in quantities.items()},
        "sampler": settings.sampler or ("grid" if settings.samples is None and lists else SAMPLERS[2]),
        "samples": len(next(iter(values.values()))),
        "together": [list(group) for group in settings.together],
        "correlation": [list(x) for x in correlation],
    }


def _formula(x: str | Callable[..., float]) -> str:
    return x if isinstance(x, str) else f"function {getattr(x, '__qualname__', type(x).__name__)}"


def _short(x: Any) -> str:
    return f"{x:.6g}" if isinstance(x, float) else repr(x)


def _is_drawn(described: Mapping[str, Any]) -> bool:
    return described["sampler"] not in ("grid", "list", "table")
