"""A summary of a sweep as tables of text, for the terminal and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.sweeps.sweep_summary import significance

if TYPE_CHECKING:
    import xarray as xr

MOST_ROWS = 20
"""Of correlations and indices of one measure: the largest are shown."""


class SummaryTable(NamedTuple):
    """A table of text; names of columns that hold numbers end in ">"."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


def summary_tables(found: xr.Dataset) -> list[SummaryTable]:
    """What `summary` found, as tables: statistics, quantiles, then what each measure depends on, and failed cases."""
    tables = [_statistics(found), _quantiles(found)]
    tables += [_influences(found, i) for i in range(found.sizes["measure"])]
    return [table for table in [*tables, _failures(found)] if table.rows]


def written(x: float) -> str:
    """A number of five digits; "-" for none.

    >>> written(1234567.0), written(np.nan), written(-np.inf)
    ('1.2346e+06', '-', '-inf')
    """
    return "-" if np.isnan(x) else f"{x:.5g}"


def interval(low: float, high: float) -> str:
    """An interval; "-" for none.

    >>> interval(0.1, np.inf)
    '0.1 .. inf'
    """
    return "-" if np.isnan(low) or np.isnan(high) else f"{low:.4g} .. {high:.4g}"


def _statistics(found: xr.Dataset) -> SummaryTable:
    share = f"{100 * found.attrs['coverage']:g}/{100 * found.attrs['level']:g}"
    sure = f"{100 * found.attrs['level']:g} %"
    rows: list[tuple[str, ...]] = []
    for i in range(found.sizes["measure"]):
        one = found.isel(measure=i)
        x = {name: float(one[name]) for name in found.data_vars if found[name].dims == ("measure",)}
        rows.append(
            (
                _labelled(one),
                f"{int(x['count']):,}",
                written(x["minimum"]),
                written(x["maximum"]),
                written(x["mean"]),
                interval(x["mean_low"], x["mean_high"]),
                written(x["std"]),
                interval(x["std_low"], x["std_high"]),
                written(x["tolerance_lower"]),
                written(x["tolerance_upper"]),
                interval(x["tolerance_between_low"], x["tolerance_between_high"]),
            )
        )
    columns = ("measure", "cases>", "min>", "max>", "mean>", f"{sure}>", "std>", f"{sure}>")
    return SummaryTable("Measures", (*columns, f"{share} above>", f"{share} below>", f"{share} within>"), rows)


def _quantiles(found: xr.Dataset) -> SummaryTable:
    shares = [f"{100 * p:g} %>" for p in found["probability"].values]
    rows = []
    for i in range(found.sizes["measure"]):
        one = found.isel(measure=i)
        ends = zip(one["quantile_low"].values, one["quantile_high"].values, strict=True)
        rows.append((_labelled(one), *(written(x) for x in one["quantile"].values)))
        if np.isfinite(one["mean_low"]):
            rows.append((f"  {100 * found.attrs['level']:g} % interval", *(interval(a, b) for a, b in ends)))
    return SummaryTable("Quantiles", ("measure", *shares), rows)


def _influences(found: xr.Dataset, measure: int) -> SummaryTable:
    """Rank correlations and Sobol indices of one measure, the largest first."""
    one, limit = found.isel(measure=measure), significance(found)
    indices = {str(name): i for i, name in enumerate(one["factor"].values)}
    ranks = {str(name): i for i, name in enumerate(one["path"].values)}
    lines: dict[str, tuple[float, tuple[str, ...]]] = {}
    for name in [*ranks, *(name for name in indices if name not in ranks)]:
        cells, size = [name, "-", "-", "-", "-", "-", "-"], 0.0
        if name in ranks:
            r, p = float(one["rank_correlation"][ranks[name]]), float(one["p_value"][ranks[name]])
            cells[1:3] = [f"{r:+.3f}" if np.isfinite(r) else "-", _chance(p, limit)]
            size = abs(r) if np.isfinite(r) else 0.0
        if name in indices:
            for at, kind in ((3, "first_order"), (5, "total_order")):
                x, low, high = (float(one[f"{kind}{end}"][indices[name]]) for end in ("", "_low", "_high"))
                cells[at : at + 2] = [f"{x:.3f}" if np.isfinite(x) else "-", interval(low, high)]
                size = max(size, x if np.isfinite(x) else 0.0)
        lines[name] = (size, tuple(cells))
    rows = [cells for _, cells in sorted(lines.values(), key=lambda line: -line[0])]
    sure = f"{100 * found.attrs['level']:g} %>"
    columns = ("varied", "rank correlation>", "chance>", "first-order index>", sure, "total index>", sure)
    used = [j for j in range(len(columns)) if j == 0 or any(row[j] != "-" for row in rows)]
    shown = [tuple(row[j] for j in used) for row in rows[:MOST_ROWS]]
    more = f", {MOST_ROWS} of {len(rows)}" if len(rows) > MOST_ROWS else ""
    return SummaryTable(f"What {one['measure'].item()} depends on{more}", tuple(columns[j] for j in used), shown)


def _chance(p: float, limit: float) -> str:
    """A p-value, with a star where it is more than chance."""
    if np.isnan(p):
        return "-"
    return f"{'< 1e-6' if p < 1e-6 else f'{p:.2g}'}{' *' if p < limit else '  '}"


def _failures(found: xr.Dataset) -> SummaryTable:
    pairs = zip(found["failed_case"].values, found["failed_message"].values, strict=True)
    rows: list[tuple[str, ...]] = [(str(case), str(message)) for case, message in pairs]
    more = f", {MOST_ROWS} of {len(rows):,}" if len(rows) > MOST_ROWS else ""
    return SummaryTable(f"Failed cases{more}", ("case", "message"), rows[:MOST_ROWS])


def _labelled(one: xr.Dataset) -> str:
    name, unit = str(one["measure"].item()), str(one["unit"].item())
    return f"{name}, {unit}" if unit else name
