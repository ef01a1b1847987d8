"""Trajectories of a sweep for its page: every signal of the kept cases, thinned in time, in 16 bits a number."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats, Ints
from supple.sweeps.sweep_cases import SweepCases
from supple.view.pages.packing import packed
from supple.view.scene.sampling import evenly, with_extremes

if TYPE_CHECKING:
    import xarray as xr

MOST_NUMBERS = 1_500_000
"""Of all trajectories of a page, 4 MB."""
MOST_TIMES, FEWEST_TIMES = 500, 100
FEWEST_CASES = 200
STEPS = 65534
"""Of the range of a signal; the number above stands for none."""


def trajectories(sweep: xr.Dataset, kept: Ints, cases: SweepCases) -> tuple[dict[str, Any] | None, str]:
    """Trajectories as JSON, None if there are none, and a sentence about what of them the page does not hold."""
    names = [str(name) for name, x in sweep.data_vars.items() if x.dims[:2] == ("case", "time")]
    signals = [(name, labels) for name in names for labels in _labels(sweep[name])]
    if not signals:
        return None, ""
    done = np.flatnonzero(cases.done[kept])
    rows, times = _thinned(len(done), sweep.sizes["time"], len(signals))
    count = max(1, MOST_NUMBERS // (rows * times))
    at = evenly(sweep.sizes["time"], times)
    places = _with_extremes(done, rows, cases, kept)
    used = list(dict.fromkeys(name for name, _ in signals[:count]))
    block = sweep[used].isel(case=kept[places], time=at).load()  # what the page holds, read once
    out = [_signal(block[name], name, labels) for name, labels in signals[:count]]
    said = [
        f"Trajectories of {len(places):,} cases at {len(at):,} of {sweep.sizes['time']:,} times."
        if len(places) < len(done) or len(at) < sweep.sizes["time"]
        else "",
        f"The first {count:,} of {len(signals):,} signals." if count < len(signals) else "",
    ]
    data = {"time": packed(block["time"].values, "<f8"), "cases": packed(places, "<u4"), "signals": out}
    return data, " ".join(filter(None, said))


def _labels(x: xr.DataArray) -> list[tuple[Any, ...]]:
    """Labels of all signals of a variable; one without labels if it is a number over time."""
    return list(product(*(x[dim].values for dim in x.dims[2:])))


def _thinned(cases: int, times: int, signals: int) -> tuple[int, int]:
    """How many cases and times there is room for: first fewer times, then fewer cases, then fewer signals."""
    n = min(times, max(FEWEST_TIMES, min(MOST_TIMES, MOST_NUMBERS // (cases * signals))))
    return min(cases, max(FEWEST_CASES, MOST_NUMBERS // (n * signals))), n


def _with_extremes(done: Ints, rows: int, cases: SweepCases, kept: Ints) -> Ints:
    """Places among the kept cases: of each measure the extremes, and an even choice of the others."""
    if rows >= len(done):
        return done
    share = max(1, rows // (4 * max(1, len(cases.measured))))
    measures = [y[kept][done] for y in cases.measured.values()]
    return done[with_extremes(measures, share, np.zeros(0, int), len(done), rows)]


def _signal(x: xr.DataArray, name: str, labels: tuple[Any, ...]) -> dict[str, Any]:
    """One signal of all kept cases."""
    which = dict(zip(x.dims[2:], labels, strict=True))
    one = x.sel(which)
    values: Floats = np.asarray(one.values, dtype=float)
    sound = np.isfinite(values)
    low, high = (float(values[sound].min()), float(values[sound].max())) if sound.any() else (0.0, 0.0)
    share = np.where(sound, (values - low) / (high - low if high > low else 1.0), 0.0)
    stored = np.where(sound, np.round(STEPS * share), STEPS + 1)
    return {
        "name": ".".join([name, *map(str, labels)]),
        "unit": _unit(x, which),
        "low": low,
        "high": high,
        "values": packed(stored, "<u2"),
    }


def _unit(x: xr.DataArray, which: dict[Any, Any]) -> str:
    """The unit of a signal: that of its variable, or of its label."""
    for dim in which:
        if f"{dim}_unit" in x.coords:
            return str(x[f"{dim}_unit"].sel({dim: which[dim]}).item())
    unit = str(x.attrs.get("units", ""))
    return "" if unit == "1" or unit.startswith("see ") else unit
