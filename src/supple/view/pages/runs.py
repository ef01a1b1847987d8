"""A page that lays runs over each other: every signal by name, the difference of each run from the first."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any

import numpy as np

from supple.checks import Floats
from supple.results.runs import Runs
from supple.version import VERSION
from supple.view.pages.page import filled, page, terms, write_page
from supple.view.plots.plot import annotated, plot

MOST_NUMBERS = 1_500_000
"""Of all curves of a page; of many curves there are fewer points, but not less than 200."""
MOST_SIGNALS = 2000
SHOWN = 4
"""Plots that are open at first, if none are asked for."""


def write_runs(runs: Runs, path: str | os.PathLike[str]) -> Path:
    """Write a page that lays runs over each other, and return its path."""
    return write_page(path, runs_page(runs))


def runs_page(runs: Runs) -> str:
    """The page that `write_runs` writes."""
    order = runs.ordered()[:MOST_SIGNALS]
    most = int(np.clip(MOST_NUMBERS // (2 * len(order) * len(runs.names)), 200, 3000))
    data = {
        "runs": list(runs.names),
        "signals": [_entry(runs, key, most) for key in order],
        "shown": order if runs.asked else order[:SHOWN],
    }
    title = " and ".join(runs.names) if len(runs.names) < 3 else f"{len(runs.names)} runs"
    body = filled(
        "pages/runs.html", title=html.escape(title), summary=_summary(runs), note=html.escape(_note(runs, order))
    )
    return page(title, body, data, ("pages/runs.js",))


def _entry(runs: Runs, key: str, most: int) -> dict[str, Any]:
    """A signal as JSON: its plot, and that of the differences."""
    own, unit = runs.signals[key], next(iter(runs.signals[key].values())).unit
    t = np.unique(np.concatenate([*runs.times.values()]))
    curves = {name: _spread(t, runs.times[name], x.values) for name, x in own.items()}
    out: dict[str, Any] = {
        "name": key,
        "unit": unit,
        "plot": plot("Signals", key, ("time", "s"), (key.partition(".")[0], unit), t, curves, most),
    }
    found = dict(zip(runs.names[1:], runs.differences[key], strict=True))
    if found:
        t = np.unique(np.concatenate([x.t for x in found.values()]))
        gaps = {name: _spread(t, x.t, x.values) for name, x in found.items()}
        sheet = plot("Signals", f"{key}: less {runs.names[0]}", ("time", "s"), ("difference", unit), t, gaps, most)
        out["difference"] = annotated(sheet, *(f"{name}: {x.words}." for name, x in found.items()))
        out["largest"] = [f"{x.largest:.4g}" if np.isfinite(x.largest) else "no numbers" for x in found.values()]
    return out


def _spread(t: Floats, own: Floats, values: Floats) -> Floats:
    """A curve at further times, on its straight lines; no numbers outside its span."""
    return np.interp(t, own, values, left=np.nan, right=np.nan)


def _summary(runs: Runs) -> str:
    """The runs as a list of terms: duration and samples of each."""
    said = {name: f"{t[-1] - t[0]:.6g} s, {len(t):,} samples" for name, t in runs.times.items()}
    said["supple"] = VERSION
    return terms(said)


def _note(runs: Runs, order: list[str]) -> str:
    """What of the runs the page does not show, and what it shows that no run has."""
    said = []
    if len(order) < len(runs.signals):
        said.append(f"The first {len(order):,} of {len(runs.signals):,} signals.")
    for name, count in runs.only.items():
        if count:
            said.append(f"{name} has {count} signals that not all runs have.")
    if runs.interpolated:
        said.append(f"Differences of {', '.join(runs.interpolated)}: one of the two runs is interpolated by a spline.")
    return " ".join(said)
