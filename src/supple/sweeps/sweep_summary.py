"""What a sweep says about its measures: statistics, tolerance bounds, correlations and Sobol indices in one Dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import StateError
from supple.lazy import LazyModule
from supple.sampling.saltelli import saltelli_parts
from supple.sweeps.case_blocks import FAILED, NOT_RUN, STOPPED
from supple.sweeps.rank_correlations import rank_correlation
from supple.sweeps.sobol_indices import FEWEST, SobolIndices, given_data_indices, saltelli_indices
from supple.sweeps.statistics import Estimate, mean, quantile, standard_deviation
from supple.sweeps.sweep_cases import SweepCases, sweep_cases
from supple.sweeps.tolerance_bounds import wilks_bounds

if TYPE_CHECKING:
    import xarray as xr

xarray = LazyModule("xarray")
PROBABILITIES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
NOT_DRAWN = ("grid", "list")
"""Samplers whose cases are chosen and not drawn: they have no confidence intervals and no tolerance bounds."""
STRATIFIED = ("lhs", "sobol", "halton", "saltelli")
"""Samplers that spread cases more evenly than chance does."""
EVEN = ("sobol", "halton")
"""Samplers whose cases are even in all factors at once, also within a class along one of them."""
TOGETHER = " and "
"""Between the paths of one factor."""
ENDS = {"": "value", "_low": "low", "_high": "high"}
"""Endings of names in the Dataset, and what of an estimate they are."""


@checked
def summary(
    sweep: xr.Dataset,
    *,
    probabilities: Sequence[float] = PROBABILITIES,
    level: float = 0.95,
    coverage: float = 0.95,
    seed: int = 0,
) -> xr.Dataset:
    """Statistics of all measures of a sweep, from the cases that finished or were stopped by an event.

    Parameters
    ----------
    sweep : xarray.Dataset
        What `supple.sweep` gave, or `supple.open_sweep` read.
    probabilities : sequence of float
        Of the quantiles.
    level : float
        Confidence of intervals and of tolerance bounds.
    coverage : float
        Share of the distribution that the tolerance bounds cover.
    seed : int
        Of the bootstrap: the same sweep has the same summary.

    Returns
    -------
    xarray.Dataset
        Over `measure`: `count`, `minimum`, `maximum`, `mean`, `std`, one-sided `tolerance_lower` and `tolerance_upper`,
        two-sided `tolerance_between`; over (`measure`, `probability`): `quantile`; over (`measure`, `path`):
        `rank_correlation` and its `p_value`; over (`measure`, `factor`): `first_order` and `total_order`. Estimates
        have their intervals beside them: `mean_low`, `mean_high` and so on. Over `failed_case`: `failed_message`.
        Attributes count the cases and say what the numbers rest on.

    Raises
    ------
    StateError
        When no case finished; the message has the reason of the first that failed.
    """
    cases = sweep_cases(sweep)
    if not cases.measured:
        raise StateError("sweep: expected at least one measure, got none")
    drawn = cases.sampler not in NOT_DRAWN
    paths = [path for path, x in cases.varied.items() if x.dtype.kind == "f"]
    rows = [_row(cases, y, probabilities, level, coverage, seed, drawn) for y in cases.measured.values()]
    ranks = [_correlations(cases, y, paths, drawn) for y in cases.measured.values()]
    indices = [_indices(cases, y, level, seed, drawn) for y in cases.measured.values()]
    failed = cases.status == FAILED
    data: dict[str, Any] = {name: ("measure", [row[name] for row in rows]) for name in rows[0] if name != "quantile"}
    for end, part in ENDS.items():
        table = [[getattr(x, part) for x in row["quantile"]] for row in rows]
        data[f"quantile{end}"] = (("measure", "probability"), table)
        for kind in ("first", "total"):
            table = [[getattr(x, part) for x in getattr(found, kind)] for found in indices]
            data[f"{kind}_order{end}"] = (("measure", "factor"), np.array(table).reshape(len(rows), -1))
    data["rank_correlation"] = (("measure", "path"), np.array([r for r, _ in ranks]).reshape(len(rows), -1))
    data["p_value"] = (("measure", "path"), np.array([p for _, p in ranks]).reshape(len(rows), -1))
    data["failed_message"] = ("failed_case", [m for m, bad in zip(cases.messages, failed, strict=True) if bad])
    coordinates = {
        "measure": list(cases.measured),
        "unit": ("measure", list(cases.units.values())),
        "probability": list(map(float, probabilities)),
        "path": paths,
        "factor": [TOGETHER.join(group) for group in cases.factors],
        "failed_case": cases.numbers[failed],
    }
    return xarray.Dataset(data, coordinates, _about(cases, level, coverage))


def significance(found: xr.Dataset, level: float | None = None) -> float:
    """The p-value below which a rank correlation of a summary counts as more than chance.

    One less its confidence, divided by the number of correlations (Bonferroni): one of many is small by chance.
    """
    kept = float(found.attrs["level"]) if level is None else level
    return (1.0 - kept) / max(1, int(np.isfinite(found["p_value"].values).sum()))


def _row(
    cases: SweepCases,
    y: Floats,
    probabilities: Sequence[float],
    level: float,
    coverage: float,
    seed: int,
    drawn: bool,
) -> dict[str, Any]:
    """Statistics of one measure."""
    sound = y[np.isfinite(y) & cases.independent]
    if len(sound) == 0:
        nothing = Estimate(np.nan, np.nan, np.nan)
        return _spread(0, sound, nothing, nothing, [nothing] * len(probabilities), (np.nan,) * 4)
    one = wilks_bounds(sound, coverage, level)
    two = wilks_bounds(sound, coverage, level, sides=2)
    bounds = (one.lower, one.upper, two.lower, two.upper) if drawn else (np.nan,) * 4
    known = [mean(sound, level), standard_deviation(sound, level, seed)]
    known += [quantile(sound, p, level) for p in probabilities]
    if not drawn:
        known = [Estimate(x.value, np.nan, np.nan) for x in known]
    return _spread(len(sound), sound, known[0], known[1], known[2:], bounds)


def _spread(
    count: int, y: Floats, center: Estimate, spread: Estimate, quantiles: list[Estimate], bounds: tuple[float, ...]
) -> dict[str, Any]:
    """Statistics by the names they have in the Dataset."""
    lower, upper, low, high = bounds
    return {
        "count": count,
        "minimum": float(np.min(y)) if count else np.nan,
        "maximum": float(np.max(y)) if count else np.nan,
        **{f"mean{end}": getattr(center, part) for end, part in ENDS.items()},
        **{f"std{end}": getattr(spread, part) for end, part in ENDS.items()},
        "tolerance_lower": lower,
        "tolerance_upper": upper,
        "tolerance_between_low": low,
        "tolerance_between_high": high,
        "quantile": quantiles,
    }


def _correlations(cases: SweepCases, y: Floats, paths: list[str], drawn: bool) -> tuple[list[float], list[float]]:
    """Rank correlations of a measure with all paths, and their p-values."""
    sound = np.isfinite(y) & cases.independent
    found = [rank_correlation(cases.varied[path][sound], y[sound]) for path in paths]
    return [x.value for x in found], [x.p_value if drawn else np.nan for x in found]


def _indices(cases: SweepCases, y: Floats, level: float, seed: int, drawn: bool) -> SobolIndices:
    """Sobol indices of a measure by what the sample allows."""
    nothing = (Estimate(np.nan, np.nan, np.nan),) * len(cases.factors)
    try:
        if cases.sampler == "saltelli":
            parts = saltelli_parts(y, len(cases.factors))
            return saltelli_indices(*parts, level=level, seed=seed)
        sound = np.isfinite(y)
        varied = [_first(cases, group)[sound] for group in cases.factors]
        chance = cases.sampler not in EVEN
        found = given_data_indices(y[sound], varied, chance=chance, level=level, seed=seed)
    except StateError:  # too few cases
        return SobolIndices(nothing, nothing, 0)
    if drawn:
        return found
    return SobolIndices(tuple(Estimate(x.value, np.nan, np.nan) for x in found.first), found.total, found.cases)


def _first(cases: SweepCases, group: tuple[str, ...]) -> Any:
    """What stands for a group that varies together: its first path."""
    return cases.varied[group[0]]


def _about(cases: SweepCases, level: float, coverage: float) -> dict[str, Any]:
    """Attributes: how many cases there are of each kind, and what the numbers rest on."""
    status = cases.status
    return {
        "title": cases.title,
        "sampler": cases.sampler,
        "cases": len(status),
        "finished": int(cases.done.sum()),
        "stopped": int((status == STOPPED).sum()),
        "failed": int((status == FAILED).sum()),
        "not_run": int((status == NOT_RUN).sum()),
        "level": level,
        "coverage": coverage,
        "notes": "\n".join(_notes(cases)),
    }


def _notes(cases: SweepCases) -> list[str]:
    """Sentences a reader of the numbers must know."""
    said, status = [], cases.status
    failed, waiting = int((status == FAILED).sum()), int((status == NOT_RUN).sum())
    if failed or waiting:
        parts = [f"{failed:,} failed"] * bool(failed) + [f"{waiting:,} were not run"] * bool(waiting)
        said.append(f"Of {len(status):,} cases {' and '.join(parts)}: all numbers are those of the others.")
    for name, y in cases.measured.items():
        missing = int((cases.done & ~np.isfinite(y)).sum())
        if missing:
            said.append(f"{name} has no number in {missing:,} finished cases.")
    if cases.sampler in NOT_DRAWN:
        said.append(
            f"The cases of a {cases.sampler} are not drawn at random: no confidence intervals, no tolerance bounds."
        )
    elif cases.sampler in STRATIFIED:
        said.append(
            f"Intervals take the cases as independent; the sampler {cases.sampler!r} spreads them more evenly, so that "
            "intervals of means are wider than need be and tolerance bounds are approximate."
        )
    if cases.sampler == "saltelli":
        said.append(
            "Statistics and correlations use the samples A and B of Saltelli's scheme, two of each group of cases."
        )
    elif cases.factors and int(cases.done.sum()) >= FEWEST:
        said.append("First-order indices are correlation ratios; total ones need the sampler 'saltelli'.")
    if cases.correlated:
        said.append("Varied values are correlated: an index includes what comes with its factor.")
    return said
