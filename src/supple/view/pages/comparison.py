"""The page of a mechanism in both formulations: its motion, spectra, frequencies and cost side by side."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.compare.comparison import Comparison
from supple.version import VERSION
from supple.view.pages.page import filled, number_table, page, part, terms, write_page
from supple.view.pages.scene_json import scene
from supple.view.plots.plot import annotated, plot

MOST = 3000
"""Points of a curve."""
MIN_MOTION = 1e-6
"""Share of the largest motion or amplitude below which an axis shows rounding only."""


@checked
def write_comparison(comparison: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write a page that shows both formulations, and return its path.

    Parameters
    ----------
    comparison : Comparison
        What `supple.compare.formulations` gave.
    path : path
        Of the HTML file.
    """
    return write_page(path, comparison_page(comparison))


def comparison_page(comparison: Comparison) -> str:
    """The page that `write_comparison` writes."""
    model, motion = comparison.model, comparison.motion
    data = {
        "plots": plots(comparison),
        "scene": scene(model, motion["time"].values.astype(float), motion["q"].values, [comparison.frame]),
    }
    difference, frequencies, peaks, costs = (
        f"<h3>{html.escape(title)}</h3>\n{number_table(*table)}" for title, table in comparison.tables.items()
    )
    body = filled(
        "pages/comparison.html",
        title=html.escape(model.name),
        summary=_summary(comparison),
        viewer=filled("pages/viewer.html", controls=part("pages/player.html")),
        difference=difference,
        frequencies=frequencies,
        peaks=peaks,
        costs=costs,
    )
    return page(f"{model.name}: two formulations", body, data, ("viewer/player.js", "pages/report.js"))


def plots(comparison: Comparison) -> list[dict[str, Any]]:
    """All plots as JSON, in the order of the page."""
    x, frame = comparison.data, comparison.frame
    t, f = x["time"].values.astype(float), x["frequency"].values
    out = []
    for i in _moving(x["position"].values - x["position"].values[:, :1]):
        axis = str(x["axis"].values[i])
        curves = _by_run(comparison, x["position"].values[..., i])
        out.append(plot("Motion of the frame", f"{axis} of {frame}", ("time", "s"), (axis, "m"), t, curves, MOST))
    gaps = {run: 100.0 * x["gap"].values[k] for k, run in enumerate(comparison.runs) if k}
    title = "Distance from the floating frame's"
    out.append(plot("Difference", title, ("time", "s"), ("share of the deflection", "%"), t, gaps, MOST))
    marks = _marks(x["natural_frequency"].values[0], f)
    for i in _moving(x["amplitude"].values):
        axis = str(x["axis"].values[i])
        curves = _by_run(comparison, x["amplitude"].values[..., i])
        title = f"Acceleration of {frame} along {axis}"
        sheet = plot("Spectra", title, ("frequency", "Hz"), ("amplitude", "m/s^2"), f, curves, MOST)
        out.append(annotated(sheet | {"log": True, "marks": marks}, "Dashed: natural frequencies, floating frame."))
    return out + [
        sheet for sheet in (_cost(comparison, "operations", ""), _cost(comparison, "microseconds", "us")) if sheet
    ]


def _by_run(comparison: Comparison, values: Floats) -> dict[str, Floats]:
    return dict(zip(comparison.runs, values, strict=True))


def _moving(values: Floats) -> list[int]:
    """Axes along which there is something to see."""
    size = np.abs(values).max(axis=(0, 1))
    return [int(i) for i in np.flatnonzero(size > MIN_MOTION * size.max())]


def _marks(frequencies: Floats, f: Floats) -> list[dict[str, Any]]:
    return [{"x": float(x), "label": f"{x:.4g}"} for x in frequencies if np.isfinite(x) and f[0] <= x <= f[-1]]


def _cost(comparison: Comparison, key: str, unit: str) -> dict[str, Any] | None:
    """Cost against the number of elastic coordinates, with the floating frame's as a level line."""
    elastic, values = (comparison.data[name].values.astype(float) for name in ("elastic", key))
    if len(values) < 3 or not np.isfinite(values).all():
        return None
    curves = {"equivalent rigid links": values[1:], "floating frame, as it is": np.full(len(values) - 1, values[0])}
    title = f"{key.capitalize()} of forward dynamics"
    return plot("Cost", title, ("elastic coordinates", ""), (key, unit), elastic[1:], curves, MOST)


def _summary(comparison: Comparison) -> str:
    """What was run, as a list of terms."""
    t, attrs = comparison.motion["time"].values, comparison.motion.attrs
    gap = float(comparison.data["gap"].values[-1].max())
    said = {
        "Duration": f"{t[-1] - t[0]:.6g} s",
        "Frame": comparison.frame,
        "Deflection": f"{1e3 * comparison.deflection:.4g} mm",
        "Difference": f"{100 * gap:.3g} % of it",
        "Integrator": attrs.get("integrator", "unknown"),
        "Samples": f"{len(t):,}",
        "Bodies": f"{len(comparison.model.bodies):,}",
        "Degrees of freedom": f"{comparison.model.nv:,}",
        "supple": VERSION,
    }
    return terms(said)
