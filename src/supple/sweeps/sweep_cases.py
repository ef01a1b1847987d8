"""The cases of a sweep as statistics need them: what was varied, what was measured, which cases finished."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats, Ints
from supple.errors import StateError
from supple.sampling.distributions import SEED
from supple.sweeps.case_blocks import FAILED, FINISHED, NOT_RUN, STOPPED

if TYPE_CHECKING:
    import xarray as xr

OWN = ("status", "message", "wall_time")
"""Variables of a sweep that are neither varied nor measured."""


@dataclass(frozen=True, eq=False)
class SweepCases:
    """Numbers of a sweep by case.

    Attributes
    ----------
    title : str
    numbers : (cases,) array
        Of the cases, as `supple run` takes them.
    status : (cases,) array
    messages : tuple of str
        Why a case failed or stopped; "" for others.
    varied : dict of str to (cases,) array
        By path; numbers, or names. Seeds are left out: nothing depends on their size.
    measured : dict of str to (cases,) array
        By measure; NaN where there is no number.
    units, formulas : dict of str to str
        By measure; "" where they are not known.
    sampler : str
        "" if the sweep does not say.
    factors : tuple of tuple of str
        Paths that vary together, each group once.
    correlated : bool
        Whether factors depend on each other.
    """

    title: str
    numbers: Ints
    status: Ints
    messages: tuple[str, ...]
    varied: dict[str, NDArray[Any]]
    measured: dict[str, Floats]
    units: dict[str, str]
    formulas: dict[str, str]
    sampler: str
    factors: tuple[tuple[str, ...], ...]
    correlated: bool

    @property
    def done(self) -> NDArray[np.bool_]:
        """(cases,) whether a case ran to its end, or to an event that ends it."""
        return np.isin(self.status, (FINISHED, STOPPED))

    @property
    def independent(self) -> NDArray[np.bool_]:
        """(cases,) whether a case is drawn from the distribution by itself; of Saltelli's scheme only A and B are."""
        if self.sampler != "saltelli":
            return np.ones(len(self.numbers), dtype=bool)
        return np.asarray(np.arange(len(self.numbers)) % (len(self.factors) + 2) < 2)


def sweep_cases(sweep: xr.Dataset) -> SweepCases:
    """The cases of a sweep, checked.

    Raises
    ------
    StateError
        When the Dataset is not a sweep, or none of its cases finished.
    """
    for name in ("case", "status"):
        if name not in sweep.variables or sweep[name].dims != ("case",):
            raise StateError(f"sweep: expected what supple.sweep gives, got no variable {name!r} over cases")
    status = np.asarray(sweep["status"].values, dtype=np.int64)
    messages = tuple(map(str, sweep["message"].values)) if "message" in sweep else ("",) * len(status)
    plan: dict[str, Any] = json.loads(sweep.attrs.get("sweep", "{}"))
    order = {name: i for i, name in enumerate([*plan.get("vary", ()), *plan.get("measures", ())])}
    names = sorted((str(name) for name in sweep.variables), key=lambda name: order.get(name, len(order)))  # as written
    columns = {k: sweep[k] for k in names if sweep[k].dims == ("case",) and k != "case" and k not in OWN}
    seeds = {path for path, kind in plan.get("vary", {}).items() if SEED in kind}
    varied = {name: x.values for name, x in columns.items() if name in sweep.coords and name not in seeds}
    measured = {name: x for name, x in columns.items() if name in sweep.data_vars and x.dtype.kind in "fiub"}
    _require_some(sweep["case"].values, status, messages)
    ends = np.isin(status, (FINISHED, STOPPED))
    return SweepCases(
        title=str(sweep.attrs.get("title", "sweep")),
        numbers=np.asarray(sweep["case"].values, dtype=np.int64),
        status=status,
        messages=messages,
        varied={name: _numbers_or_names(x) for name, x in varied.items()},
        measured={name: np.where(ends, x.values.astype(float), np.nan) for name, x in measured.items()},
        units={name: str(x.attrs.get("units", "")) for name, x in measured.items()},
        formulas={name: str(x.attrs.get("formula", "")) for name, x in measured.items()},
        sampler=str(plan.get("sampler", "")),
        factors=_factors(list(varied), plan.get("together") or ()),
        correlated=bool(plan.get("correlation")),
    )


def _require_some(numbers: Ints, status: Ints, messages: tuple[str, ...]) -> None:
    """Refuse a sweep that has nothing to say, with the reason of its first case."""
    if np.isin(status, (FINISHED, STOPPED)).any():
        return
    if not (status == FAILED).any():
        raise StateError(f"sweep: expected finished cases, got none: all {len(status):,} are still to be run")
    first = int(np.flatnonzero(status == FAILED)[0])
    count, waiting = int((status == FAILED).sum()), int((status == NOT_RUN).sum())
    all_of = f"all {count:,} cases failed" if not waiting else f"{count:,} cases failed, {waiting:,} were not run"
    raise StateError(f"sweep: {all_of}; case {int(numbers[first])}: {messages[first] or 'no message'}")


def _numbers_or_names(x: NDArray[Any]) -> NDArray[Any]:
    return x.astype(float) if x.dtype.kind in "fiub" else np.array([str(value) for value in x])


def _factors(paths: list[str], together: Any) -> tuple[tuple[str, ...], ...]:
    """Paths in groups that vary together, in the order of their first path."""
    group_of = {str(path): tuple(map(str, group)) for group in together for path in group}
    groups = dict.fromkeys(group_of.get(path, (path,)) for path in paths)
    return tuple(tuple(path for path in group if path in paths) for group in groups)
