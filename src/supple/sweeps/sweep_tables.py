"""A summary of a sweep as tables of text, for the terminal and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.sweeps.sweep_summary import TOGETHER, significance
from supple.sweeps.tolerance_bounds import needed_cases

if TYPE_CHECKING:
    import xarray as xr

MOST_ROWS = 20
"""Of correlations and indices of one measure: the largest are shown."""


class SummaryTable(NamedTuple):
    """A table of text; names of columns that hold numbers end in ">"."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


def summary_tables(found: xr.Dataset, across: int = 3) -> list[SummaryTable]:
    """What `summary` found, as tables: statistics, then what each measure depends on, and failed cases.

    Parameters
    ----------
    found : xarray.Dataset
    across : int
        Measures that stand beside each other.
    """
    count = found.sizes["measure"]
    tables = [_statistics(found, range(i, min(i + across, count))) for i in range(0, count, across)]
    tables += [_influences(found, i) for i in range(count)]
    return [table for table in [*tables, _failures(found)] if table.rows]


def written(x: float, low: float = np.nan, high: float = np.nan) -> str:
    """A number with its interval, if there is one; "-" for none.

    >>> written(1234567.0), written(np.nan), written(2.0, 1.5, np.inf)
    ('1.235e+06', '-', '2 (1.5 to inf)')
    """
    if np.isnan(x):
        return "-"
    return f"{x:.4g}" if np.isnan(low) or np.isnan(high) else f"{x:.4g} ({low:.4g} to {high:.4g})"


def _statistics(found: xr.Dataset, measures: range) -> SummaryTable:
    """All statistics of some measures, which stand beside each other."""
    share = f"{100 * found.attrs['coverage']:g}/{100 * found.attrs['level']:g}"
    columns = [_column(found.isel(measure=i)) for i in measures]
    shares = [f"{100 * p:g} % quantile" for p in found["probability"].values]
    bounds = [f"{share} lower bound", f"{share} upper bound", f"{share} between"]
    names = ["cases", "minimum", "maximum", "mean", "standard deviation", *shares, *bounds]
    rows = [(name, *cells) for name, *cells in zip(names, *columns, strict=True)]
    heads = [f"{_labelled(found.isel(measure=i))}>" for i in measures]
    kept = [row for row in rows if any(cell != "-" for cell in row[1:])]
    return SummaryTable(f"Statistics, with {100 * found.attrs['level']:g} % intervals", ("", *heads), kept)


def _column(one: xr.Dataset) -> list[str]:
    x = {str(name): float(one[name]) for name in one.data_vars if not one[name].dims}
    ends = zip(*(one[f"quantile{end}"].values for end in ("", "_low", "_high")), strict=True)
    low, high = x["tolerance_between_low"], x["tolerance_between_high"]
    return [
        f"{int(x['count']):,}",
        written(x["minimum"]),
        written(x["maximum"]),
        written(x["mean"], x["mean_low"], x["mean_high"]),
        written(x["std"], x["std_low"], x["std_high"]),
        *(written(*map(float, row)) for row in ends),
        _bound(one, 1, x["tolerance_lower"]),
        _bound(one, 1, x["tolerance_upper"]),
        _bound(one, 2, low, high),
    ]


def _bound(one: xr.Dataset, sides: int, *ends: float) -> str:
    """Tolerance bounds, or how many cases they need; "-" of cases that are not drawn."""
    if np.isnan(ends).any():
        return "-"
    if np.isinf(ends).any():
        return f"needs {needed_cases(one.attrs['coverage'], one.attrs['level'], sides=sides):,} cases"
    return " to ".join(f"{x:.4g}" for x in ends)


def _influences(found: xr.Dataset, measure: int) -> SummaryTable:
    """Rank correlations and Sobol indices of one measure, the largest first."""
    one, limit = found.isel(measure=measure), significance(found)
    indices = {path: i for i, factor in enumerate(one["factor"].values) for path in str(factor).split(TOGETHER)}
    ranks = {str(name): i for i, name in enumerate(one["path"].values)}
    lines: list[tuple[float, tuple[str, ...]]] = []
    for name in indices:
        cells, size = [name, "-", "-", "-", "-"], 0.0
        if name in ranks:
            r, p = float(one["rank_correlation"][ranks[name]]), float(one["p_value"][ranks[name]])
            cells[1:3] = [f"{r:+.3f}" if np.isfinite(r) else "-", _chance(p, limit)]
            size = abs(r) if np.isfinite(r) else 0.0
        if name in indices:
            for at, kind in ((3, "first_order"), (4, "total_order")):
                x, low, high = (float(one[f"{kind}{end}"][indices[name]]) for end in ("", "_low", "_high"))
                cells[at] = _share(x, low, high)
                size = max(size, x if np.isfinite(x) else 0.0)
        lines.append((size, tuple(cells)))
    rows = [cells for _, cells in sorted(lines, key=lambda line: -line[0])]
    columns = ("varied", "rank correlation>", "chance>", "first-order index>", "total index>")
    used = [j for j in range(len(columns)) if j == 0 or any(row[j] != "-" for row in rows)]
    shown = [tuple(row[j] for j in used) for row in rows[:MOST_ROWS]] if len(used) > 1 else []
    more = f", {MOST_ROWS} of {len(rows)}" if len(rows) > MOST_ROWS else ""
    return SummaryTable(f"What {one['measure'].item()} depends on{more}", tuple(columns[j] for j in used), shown)


def _share(x: float, low: float, high: float) -> str:
    """An index with its interval."""
    if np.isnan(x):
        return "-"
    return f"{x:.2f}" if np.isnan(low) or np.isnan(high) else f"{x:.2f} ({low:.2f} to {high:.2f})"


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
