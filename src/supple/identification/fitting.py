"""`supple.fit`: numbers of a model from measured signals of its motion."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, is_number
from supple.errors import FileFormatError, StateError, nearest, unexpected
from supple.formulations import FORMULATIONS, Formulation
from supple.identification.fit_result import Fit
from supple.identification.measurements import Measurements, read_measurements
from supple.identification.weighted_fit import Signals, Unknowns, weighted_fit
from supple.sweeps.case_derivatives import DifferentiatedCases
from supple.sweeps.case_sources import CaseSource, FileCases, ModelCases
from supple.sweeps.varied_numbers import start_values

CLOSE = 1e-9
"""Share of the duration by which a sample may lie outside of the run."""


@checked
def fit(
    model: Formulation | str | os.PathLike[str],
    data: Any,
    vary: Sequence[str] | Mapping[str, float | None],
    *,
    signals: Sequence[str] = (),
    noise: float | Mapping[str, Any] | None = None,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    priors: Mapping[str, tuple[float, float]] | None = None,
    scale: Mapping[str, float] | None = None,
    missing: str = "refuse",
    changes: Mapping[str, Any] | None = None,
    **run: Any,
) -> Fit:
    """Numbers of a model for which its motion comes closest to measured signals, with their uncertainty.

    Least squares by a trust-region method, with derivatives of the motion that are exact where values lead to
    parameters of the model (masses, joints, springs, stiffness and damping of modes, the start), and central
    differences elsewhere.

    Parameters
    ----------
    model : Model or path
        A model, or a model file (.toml) that says what is simulated.
    data : xarray.Dataset, pandas.DataFrame, mapping of name to array, or path of a CSV file
        A column "time" (or "t"), s from the start of the run, and one for each signal, named as in results or by the
        end of such a name: "q.arm.angle", "arm.angle", "position.boom/end.z". The run goes on to the last time.
    vary : sequence of str, or mapping of str to number
        What is fitted, and where the search starts if not at the present value. Of a file paths such as
        "body.load.mass", of a model names of `supple.symbolic.parameter_names`; of both "simulation.q.arm.angle" for
        the start and "variables.k" for variables of formulas.
    signals : sequence of str
        Columns to use; all if there are none.
    noise : float or mapping of signal to float or (n,) array, optional
        Standard deviation of the noise of the signals. Estimated if not given, one level for each signal.
    bounds : mapping of str to (low, high), optional
        None for no bound.
    priors : mapping of str to (mean, standard deviation), optional
        What is known of a value before the measurement.
    scale : mapping of str to float, optional
        Size of a change of a value that matters, if not the value itself.
    missing : str
        "refuse" samples that are not a number, or "skip" them.
    changes : mapping of path to value, optional
        Values that differ in all runs: paths of a file, or names of parameters, variables and settings of a model.
    **run
        Of a model: keyword arguments of `supple.simulate`: start, laws, integrator, tolerances.

    Returns
    -------
    Fit
        Values, covariance, confidence intervals, residuals, and combinations of parameters that are not identified.
        Prints as a table.
    """
    source = case_source(model, changes, run, "supple.fit")
    measured = read_measurements(data, signals, missing)
    unknowns = read_unknowns(source, vary, bounds, priors, scale)
    _require_within(measured, source, unknowns)
    times, places = _times(measured)
    cases = DifferentiatedCases(source, unknowns.names, tuple(measured.signals), times)
    first = cases(unknowns.start)
    kept = {tuple(unknowns.start): first}

    def response(x: Floats) -> Signals:
        found = kept[tuple(x)] if tuple(x) in kept else cases(x)
        kept.clear()
        kept[tuple(x)] = found
        return {name: (found.signals[name].values[places], found.slopes[name][places]) for name in measured.signals}

    solution = weighted_fit(response, measured, unknowns, _levels(measured, noise))
    response(solution.values)
    best = kept[tuple(solution.values)]
    named = {x.name: name for name, x in first.signals.items()}
    if len(named) < len(first.signals):
        raise StateError(f"data: expected each signal once, got {', '.join(map(repr, first.signals))}")
    return Fit(best.model, best.result, measured, unknowns, solution, best, source)


def case_source(
    model: Formulation | str | os.PathLike[str],
    changes: Mapping[str, Any] | None,
    run: Mapping[str, Any],
    where: str,
) -> CaseSource:
    """What motions are made from: a model with settings of a run, or a file."""
    if isinstance(model, FORMULATIONS):
        try:
            return ModelCases.changed(model, dict(run), changes or {})
        except StateError as error:
            raise StateError(str(error).replace("supple.sweep", where, 1)) from None
    if not isinstance(model, str | os.PathLike):
        raise unexpected(where, "a Model or the path of a model file", model)
    if run:
        raise StateError(f"{where}: {next(iter(run))!r}: expected with a model, got a file; changes sets it")
    try:
        return FileCases.read(Path(model), changes or {})
    except FileFormatError as error:
        raise FileFormatError(str(error).replace(": sweep: expected", f": {where}: expected", 1)) from None


def read_unknowns(
    source: CaseSource,
    vary: Sequence[str] | Mapping[str, float | None],
    bounds: Mapping[str, tuple[float | None, float | None]] | None,
    priors: Mapping[str, tuple[float, float]] | None = None,
    scale: Mapping[str, float] | None = None,
) -> Unknowns:
    """Parameters to be found, checked."""
    if isinstance(vary, str) or not all(isinstance(x, str) for x in vary) or not len(vary):
        raise StateError(f"vary: expected names of parameters, got {vary!r}")
    names = tuple(vary)
    for i, name in enumerate(names):
        if name in names[:i]:
            raise StateError(f"vary: {name!r} stands twice")
    try:
        source.require_paths(names)
    except FileFormatError as error:
        raise FileFormatError(str(error).replace(": sweep: vary", ": vary", 1)) from None
    start = start_values(source, names, vary if isinstance(vary, Mapping) else {}, "vary")
    limits = _pairs(bounds, names, "bounds")
    lower = np.array([-np.inf if limits[n][0] is None else limits[n][0] for n in names], dtype=float)
    upper = np.array([np.inf if limits[n][1] is None else limits[n][1] for n in names], dtype=float)
    for name, low, x, high in zip(names, lower, start, upper, strict=True):
        if not low < high:
            raise StateError(f"bounds: {name!r}: expected a lower and a higher number, got {low:g} and {high:g}")
        if not low <= x <= high:
            raise StateError(f"bounds: {name!r}: the start {x:g} is not between {low:g} and {high:g}")
    known = _pairs(priors, names, "priors")
    mean = np.array([known[n][0] or 0.0 for n in names], dtype=float)
    deviation = np.array([np.inf if known[n][1] is None else known[n][1] for n in names], dtype=float)
    if not (deviation > 0).all():
        name = names[int(np.argmin(deviation))]
        raise StateError(f"priors: {name!r}: expected a positive standard deviation, got {deviation.min():g}")
    return Unknowns(names, start, lower, upper, _scales(scale, names, start, (lower, upper)), mean, deviation)


def _scales(
    scale: Mapping[str, float] | None, names: tuple[str, ...], start: Floats, bounds: tuple[Floats, Floats]
) -> Floats:
    """What is given, else the start, else the distance of the bounds, else one."""
    given = dict(scale or {})
    for name, x in given.items():
        _require_name(name, names, "scale")
        if not is_number(x) or not x > 0:
            raise StateError(f"scale: {name!r}: expected a positive number, got {x!r}")
    width = bounds[1] - bounds[0]
    default = np.where(start != 0.0, np.abs(start), np.where(np.isfinite(width), width, 1.0))
    return np.array([given.get(name, x) for name, x in zip(names, default, strict=True)], dtype=float)


def _pairs(
    given: Mapping[str, tuple[float | None, float | None]] | None, names: tuple[str, ...], what: str
) -> dict[str, tuple[float | None, float | None]]:
    """Two numbers for each name, None where they are not given."""
    out: dict[str, tuple[float | None, float | None]] = dict.fromkeys(names, (None, None))
    for name, pair in (given or {}).items():
        _require_name(name, names, what)
        try:
            low, high = pair
        except (TypeError, ValueError):
            raise StateError(f"{what}: {name!r}: expected two numbers, got {pair!r}") from None
        for x in (low, high):
            if x is not None and (isinstance(x, bool) or not isinstance(x, int | float | np.number) or np.isnan(x)):
                raise StateError(f"{what}: {name!r}: expected two numbers, got {pair!r}")
        out[name] = (low, high)
    return out


def _require_name(name: str, names: tuple[str, ...], what: str) -> None:
    if name not in names:
        raise StateError(f"{what}: {name!r} is not varied{nearest(name, names)}")


def _require_within(data: Measurements, source: CaseSource, unknowns: Unknowns) -> None:
    """Refuse data outside of the run."""
    _, settings = source.made(dict(zip(unknowns.names, map(float, unknowns.start), strict=True)))
    end = settings.get("duration", np.inf)
    slack = CLOSE * float(data.t[-1] - data.t[0])
    if data.t[0] < -slack or data.t[-1] > end + max(slack, CLOSE * end if np.isfinite(end) else 0.0):
        shown = f"from 0 to {end:g} s" if np.isfinite(end) else "from 0 s on"
        raise StateError(f"data: expected times of the run, {shown}, got {data.t[0]:g} to {data.t[-1]:g} s")


def _times(data: Measurements) -> tuple[Floats, slice]:
    """Output times of a run, from 0 s on, and which of them are those of the data."""
    t = np.maximum(data.t, 0.0)
    if t[0] > 0.0:
        return np.concatenate([[0.0], t]), slice(1, None)
    return t, slice(None)


def _levels(data: Measurements, noise: float | Mapping[str, Any] | None) -> dict[str, Floats] | None:
    """Noise level of each sample."""
    if noise is None:
        return None
    given = dict(noise) if isinstance(noise, Mapping) else dict.fromkeys(data.signals, noise)
    for name in given:
        if name not in data.signals:
            raise StateError(f"noise: no signal {name!r} in the data{nearest(name, data.signals)}")
    out = {}
    for name, x in data.signals.items():
        if name not in given:
            raise StateError(f"noise: signal {name!r}: expected its level too, got none")
        try:
            out[name] = np.broadcast_to(np.asarray(given[name], dtype=float), x.shape)
        except (TypeError, ValueError):
            raise StateError(
                f"noise: signal {name!r}: expected a number, or {len(x)} of them, got {given[name]!r}"
            ) from None
        if not (np.isfinite(out[name]) & (out[name] > 0)).all():
            raise StateError(f"noise: signal {name!r}: expected positive finite numbers, got {given[name]!r}")
    return out
