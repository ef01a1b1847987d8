"""A page that shows a sweep: its cases as lines through all their numbers, selected by ranges, and what follows."""

from __future__ import annotations

import html
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.checks import Ints
from supple.lazy import LazyModule
from supple.sweeps.case_blocks import FAILED, NOT_RUN, STOPPED
from supple.sweeps.sweep_cases import SweepCases, sweep_cases
from supple.sweeps.sweep_summary import STRATIFIED, significance, summary
from supple.sweeps.sweep_tables import summary_tables
from supple.version import VERSION
from supple.view.pages.packing import packed
from supple.view.pages.page import filled, number_table, page, terms, write_page
from supple.view.pages.sweep_trajectories import trajectories
from supple.view.scene.sampling import with_extremes

if TYPE_CHECKING:
    import xarray as xr

stats = LazyModule("scipy.stats")
SCRIPTS = (
    "viewer/tabs.js",
    "sweep/sweep_cases.js",
    "sweep/sweep_canvas.js",
    "sweep/sweep_parallel.js",
    "sweep/sweep_charts.js",
    "sweep/sweep_scatter.js",
    "sweep/sweep_table.js",
    "sweep/sweep_envelope.js",
    "sweep/sweep.js",
)
MOST_NUMBERS = 400_000
"""Of all axes of a page together, 4.3 MB; of more cases some are left out."""
EXTREMES = 200
"""Cases with the largest and smallest values of each measure that a page holds in any case."""
MOST_MESSAGES = 1000


@checked
def write_sweep(
    sweep: xr.Dataset,
    path: str | os.PathLike[str],
    *,
    file: str | os.PathLike[str] = "FILE",
    options: Sequence[str] = (),
    found: xr.Dataset | None = None,
) -> Path:
    """Write a page that shows a sweep, and return its path.

    Parameters
    ----------
    sweep : xarray.Dataset
        What `supple.sweep` gave, or `supple.open_sweep` read.
    path : path
        Of the HTML file.
    file : path, optional
        The model file, for the command that repeats a case.
    options : sequence of str
        Further arguments of that command, such as the store of a sweep of other samples than the file says.
    found : xarray.Dataset, optional
        Its summary, if it is known already.

    Raises
    ------
    StateError
        When this is not a sweep, or none of its cases finished.
    """
    return write_page(path, sweep_page(sweep, file=file, options=options, found=found))


def sweep_page(
    sweep: xr.Dataset,
    *,
    file: str | os.PathLike[str] = "FILE",
    options: Sequence[str] = (),
    found: xr.Dataset | None = None,
) -> str:
    """The page that `write_sweep` writes."""
    cases = sweep_cases(sweep)
    known = (found if found is not None else summary(sweep)) if cases.measured else None
    kept = kept_cases(cases)
    data: dict[str, Any] = {
        "cases": packed(cases.numbers[kept], "<u4"),
        "status": packed(cases.status[kept], "<u1"),
        "independent": packed(cases.independent[kept], "<u1"),
        "axes": _axes(cases, kept),
        "messages": _messages(cases, kept),
        "command": shlex.join(["supple", "run", os.fspath(file), *options]),
        "order": _by_influence(cases, known),
        "normal": float(stats.norm.isf(significance(known) / 2)) if known is not None else 0.0,
        "indices": _indices(known),
    }
    curves, omitted = trajectories(sweep, kept, cases)
    if curves is not None:
        data["trajectories"] = curves
    body = filled(
        "pages/sweep.html",
        title=html.escape(cases.title),
        alert=_alert(cases),
        summary=terms(_terms(sweep, cases)),
        kept=html.escape(" ".join(filter(None, (_omission(cases, kept), omitted)))),
        confidence=f"{100 * known.attrs['level']:g} %" if known is not None else "",
        indices=html.escape(_about_indices(cases)),
        statistics=_statistics(known),
        notes=html.escape(known.attrs["notes"].replace("\n", " ")) if known is not None else "",
    )
    return page(f"{cases.title}: sweep", body, data, SCRIPTS)


def kept_cases(cases: SweepCases) -> Ints:
    """Places of the cases that the page holds: all, or extremes, failed ones and an even choice of others."""
    n, most = len(cases.numbers), MOST_NUMBERS // max(1, len(cases.varied) + len(cases.measured))
    if n <= most:
        return np.arange(n)
    failed = np.flatnonzero(cases.status == FAILED)[:MOST_MESSAGES]
    return with_extremes(cases.measured.values(), EXTREMES, failed, n, most)


def _axes(cases: SweepCases, kept: Ints) -> list[dict[str, Any]]:
    """Axes of the page as JSON: what was varied, then what was measured."""
    out = []
    for path, x in cases.varied.items():
        names, numbers = _named(x[kept])
        out.append({"name": path, "unit": "", "measure": False, "values": packed(numbers, "<f8")} | names)
    for name, y in cases.measured.items():
        values = {"values": packed(np.where(np.isfinite(y), y, np.nan)[kept], "<f8"), "formula": cases.formulas[name]}
        out.append({"name": name, "unit": cases.units[name], "measure": True} | values)
    return out


def _named(x: NDArray[Any]) -> tuple[dict[str, Any], NDArray[Any]]:
    """Numbers of an axis; of texts their places in the list of names that goes with them."""
    if x.dtype.kind == "f":
        return {}, np.where(np.isfinite(x), x, np.nan)
    names, places = np.unique(x, return_inverse=True)
    return {"names": names.tolist()}, places


def _messages(cases: SweepCases, kept: Ints) -> list[tuple[int, str]]:
    """Why cases failed or stopped, by their numbers."""
    said = [(int(cases.numbers[i]), cases.messages[i]) for i in kept if cases.messages[i]]
    return said[:MOST_MESSAGES]


def _by_influence(cases: SweepCases, known: xr.Dataset | None) -> list[int]:
    """Places of the varied axes, those with the largest rank correlation of any measure first."""
    size = dict.fromkeys(cases.varied, 0.0)
    if known is not None and known.sizes["path"]:
        ranks = np.nan_to_num(np.abs(known["rank_correlation"].values)).max(axis=0)
        size |= dict(zip(map(str, known["path"].values), ranks.tolist(), strict=True))
    return sorted(range(len(size)), key=lambda i: -size[list(size)[i]])


def _indices(known: xr.Dataset | None) -> list[dict[str, Any]]:
    """Sobol indices of each measure that has some, the largest first; null where there is no number."""
    out: list[dict[str, Any]] = []
    for i in range(known.sizes["measure"] if known is not None else 0):
        one = known.isel(measure=i)  # type: ignore[union-attr]
        rows = [
            {"name": str(name), "first": _three(one, "first_order", j), "total": _three(one, "total_order", j)}
            for j, name in enumerate(one["factor"].values)
        ]
        rows = [row for row in rows if row["first"][0] is not None]
        rows.sort(key=lambda row: -(row["total"][0] if row["total"][0] is not None else row["first"][0]))
        if rows:
            out.append({"measure": str(one["measure"].item()), "factors": rows})
    return out


def _three(one: xr.Dataset, name: str, factor: int) -> list[Any]:
    values = [float(one[f"{name}{end}"].values[factor]) for end in ("", "_low", "_high")]
    return [x if np.isfinite(x) else None for x in values]


def _about_indices(cases: SweepCases) -> str:
    shares = "Share of the variance of a measure in all cases that a factor makes"
    if cases.sampler == "saltelli":
        return f"{shares}: blue alone (first order), orange with all others (total); lines: 95 % intervals."
    more = " Total indices need the sampler 'saltelli'."
    return f"{shares} alone (first order), as a correlation ratio; lines: 95 % intervals.{more}"


def _statistics(known: xr.Dataset | None) -> str:
    """Tables of the summary as HTML, but for failed cases, which have a tab."""
    shown = (
        [table for table in summary_tables(known) if not table.title.startswith("Failed")] if known is not None else []
    )
    return "\n".join(
        f"<h3>{html.escape(title)}</h3>\n" + number_table([name.removesuffix(">") for name in columns], rows)
        for title, columns, rows in shown
    )


def _alert(cases: SweepCases) -> str:
    """That cases failed or are still to be run, above everything."""
    failed, waiting = int((cases.status == FAILED).sum()), int((cases.status == NOT_RUN).sum())
    said = [f"{failed:,} failed"] * bool(failed) + [f"{waiting:,} not run"] * bool(waiting)
    if not said:
        return ""
    return f'<p class="alert" role="alert">Of {len(cases.status):,} cases {" and ".join(said)}.</p>'


def _terms(sweep: xr.Dataset, cases: SweepCases) -> dict[str, str]:
    """What was swept, at a glance."""
    stopped = int((cases.status == STOPPED).sum())
    named = {"lhs": "Latin hypercube"}.get(cases.sampler, cases.sampler)
    time = np.nansum(sweep["wall_time"].values) if "wall_time" in sweep else 0.0
    return {
        "Cases": f"{len(cases.status):,}",
        "Finished": f"{int(cases.done.sum()):,}",
        **({"Stopped by an event": f"{stopped:,}"} if stopped else {}),
        "Varied": f"{len(cases.varied):,}",
        "Measures": f"{len(cases.measured):,}",
        **({"Sampler": named.capitalize() if cases.sampler in STRATIFIED else named} if named else {}),
        **({"Time of all cases": f"{time:.4g} s"} if time > 0 else {}),
        "supple": str(sweep.attrs.get("supple_version", VERSION)),
    }


def _omission(cases: SweepCases, kept: Ints) -> str:
    if len(kept) == len(cases.numbers):
        return ""
    return (
        f"The page holds {len(kept):,} of {len(cases.numbers):,} cases: those with the largest and smallest measures, "
        "failed ones and an even choice of the others. Statistics are those of all."
    )
