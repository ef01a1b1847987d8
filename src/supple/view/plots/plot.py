"""One plot of the page: curves thinned, packed and labelled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats
from supple.view.pages.packing import packed
from supple.view.plots.rounding import ROUNDING

MOST_CURVES = 80
NAMED = 6
"""Curves that a sentence names."""
SHOWN = 8
"""Curves of a plot that are switched on when the page opens: as many as there are colours."""


def plot(
    section: str,
    title: str,
    x_axis: tuple[str, str],
    y_axis: tuple[str, str],
    x: Floats,
    curves: dict[str, NDArray[Any]],
    most: int,
) -> dict[str, Any]:
    """A plot as JSON: axes with name and unit, curves of at most `most` points; of many the largest are shown."""
    kept = largest(curves, MOST_CURVES)
    on = largest(curves, SHOWN)
    out: dict[str, Any] = {
        "section": section,
        "title": title,
        "x": {"name": x_axis[0], "unit": x_axis[1], "values": packed(downsampled(x, x, most)[0], "<f8")},
        "y": {"name": y_axis[0], "unit": "" if y_axis[1] == "1" else y_axis[1]},
        "curves": [
            {"name": name, "values": packed(downsampled(x, curves[name], most)[1]), "shown": name in on}
            for name in kept
        ],
    }
    notes = [
        f"The {len(kept)} largest of {len(curves)} curves." if len(kept) < len(curves) else "",
        f"The {len(on)} largest are switched on." if len(on) < len(kept) else "",
    ]
    return annotated(out, *notes)


def largest_first(curves: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The curves by how far they go from their lowest to their highest; equal ones stay in their order."""

    def span(y: NDArray[Any]) -> float:
        known = y[np.isfinite(y)]
        return float(np.ptp(known)) if len(known) else 0.0

    return dict(sorted(curves.items(), key=lambda item: -span(item[1])))


def without_rounding(curves: dict[str, NDArray[Any]], size: float) -> tuple[dict[str, NDArray[Any]], str]:
    """Curves with what is rounding set to zero, and a sentence that names those that are nothing else.

    Rounding is measured by `size`, or by the largest of the curves if that is larger.
    """
    reach = {name: float(np.abs(y).max(initial=0.0, where=np.isfinite(y))) for name, y in curves.items()}
    limit = ROUNDING * max(size, max(reach.values(), default=0.0))
    noise = [name for name in curves if 0.0 < reach[name] <= limit]
    cleaned = {name: np.zeros_like(y) if name in noise else y for name, y in curves.items()}
    if not noise:
        return cleaned, ""
    named = ", ".join(noise[:NAMED]) + (f" and {len(noise) - NAMED} more" if len(noise) > NAMED else "")
    return cleaned, f"Zero but for rounding, and drawn as zero: {named}."


def largest(curves: dict[str, NDArray[Any]], count: int) -> list[str]:
    """Names of the curves that reach farthest from zero, at most so many, in the order in which they are given."""
    if len(curves) <= count:
        return list(curves)
    reach = {name: float(np.abs(y).max(initial=0.0, where=np.isfinite(y))) for name, y in curves.items()}
    chosen = set(sorted(reach, key=lambda name: -reach[name])[:count])
    return [name for name in curves if name in chosen]


def downsampled(x: Floats, y: NDArray[Any], most: int) -> tuple[Floats, NDArray[Any]]:
    """A curve with at most `most` points: of each group of samples the minimum and the maximum, in their order."""
    group = -(-2 * len(x) // most)
    if group <= 2:
        return x, y
    edge = np.pad(y, (0, -len(y) % group), mode="edge").reshape(-1, group)
    swap = np.argmin(edge, axis=1) > np.argmax(edge, axis=1)
    pair = np.stack([np.fmin.reduce(edge, axis=1), np.fmax.reduce(edge, axis=1)], axis=1)  # NaN outside of a run
    pair[swap] = pair[swap, ::-1]
    starts = np.arange(0, len(x), group)
    times = np.stack([x[starts], x[np.minimum(starts + group // 2, len(x) - 1)]], axis=1)
    return times.ravel(), pair.ravel()


def annotated(plot: dict[str, Any], *notes: str) -> dict[str, Any]:
    """The plot with sentences added to its note."""
    said = [note for note in (*notes, plot.get("note", "")) if note]
    return plot | {"note": " ".join(said)} if said else plot
