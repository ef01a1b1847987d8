"""All plots of the page: coordinates, speeds, energies, further quantities, spectra."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats
from supple.formulations import Formulation
from supple.view.plots.groups import groups, quantity
from supple.view.plots.output_plots import count_output_curves, output_plots
from supple.view.plots.plot import annotated, largest_first, plot, without_rounding
from supple.view.plots.rounding import ROUNDING, sizes
from supple.view.plots.spectra import spectra as spectra_of

if TYPE_CHECKING:
    import xarray as xr

WITHIN = 100.0
"""Errors of single steps, rtol times the energy, that add up to a change that says nothing about the motion."""
MOST_NUMBERS = 600_000
"""Of all curves together; of many curves there are fewer points, but not less than 500."""
MOST_POINTS = 10_000
"""Of a curve: as many samples are shown whole where there are up to 60 curves."""


def plots(model: Formulation, result: xr.Dataset, spectra: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """All plots as JSON, in the order of the page; `spectra` names coordinates, all but quaternions if not given.

    In place of what is zero but for rounding stands its name, see `output_plots`.
    """
    t = result["time"].values.astype(float)
    most, known = most_points(model, result), sizes(model, result)
    out = []
    for section, key, names, units in (
        ("Coordinates", "q", model.coordinates, model.coordinate_units),
        ("Speeds", "v", model.speeds, model.speed_units),
    ):
        for (modal, unit), columns in groups(model, key, units).items():
            what = quantity(key, modal, unit)
            title = f"{'Modal' if modal else 'Joint'} {what}s"
            curves = largest_first({names[i]: result[key].values[:, i] for i in columns})
            cleaned, note = without_rounding(curves, 0.0 if modal else known.get((key, unit), 0.0))
            out.append(annotated(plot(section, title, ("time", "s"), (what, unit), t, cleaned, most), note))
    out += _energies(t, result, most) + output_plots(model, result, most)
    events = _events(result, t)
    timed = [sheet | {"marks": events} if events and "curves" in sheet else sheet for sheet in out]
    return timed + spectra_of(model, result, spectra, most)


def most_points(model: Formulation, result: xr.Dataset) -> int:
    """Points of a curve at most."""
    count = model.nq + model.nv + count_output_curves(result)
    return int(np.clip(MOST_NUMBERS // max(count, 1), 500, MOST_POINTS))


def _events(result: xr.Dataset, t: Floats) -> list[dict[str, Any]]:
    """Lines at the times of events: the variable `event_time` by name, or the attribute `events`, pairs as JSON."""
    happened: list[tuple[float, str]] = []
    if "event_time" in result:
        times = result["event_time"]
        names = times["event"].values if "event" in times.coords else np.full(times.shape, "")
        happened = [(float(x), str(name)) for x, name in zip(times.values, names, strict=True)]
    elif isinstance(result.attrs.get("events"), str):
        happened = [(float(x), str(name)) for x, name in json.loads(result.attrs["events"])]
    shown = sorted(x for x in happened if t[0] <= x[0] <= t[-1])
    return [{"x": x, "label": name, "kind": "event"} for x, name in shown]


def _energies(t: Floats, result: xr.Dataset, most: int) -> list[dict[str, Any]]:
    kinetic, potential = result["kinetic_energy"].values, result["potential_energy"].values
    total = kinetic + potential
    curves = {"kinetic": kinetic, "potential": potential, "total": total}
    change, title = {"total less its start": total - total[0]}, "Change of the total energy"
    if "work" in result:
        work = result["work"].values
        curves["work of the actuators"] = work
        change, title = {"work less change of energy": work - (total - total[0])}, "Energy lost to dampers and stops"
    size = float(max(np.abs(kinetic).max(), np.abs(potential).max()))
    sheet = plot("Energy", title, ("time", "s"), ("change", "J"), t, change, most)
    return [
        plot("Energy", "Energy balance", ("time", "s"), ("energy", "J"), t, curves, most),
        _judged(sheet, float(np.abs(next(iter(change.values()))).max()), size, result),
    ]


def _judged(sheet: dict[str, Any], change: float, size: float, result: xr.Dataset) -> dict[str, Any]:
    """A plot of a change of energy, drawn flat where it is only rounding, with a note where it is an error."""
    if change <= ROUNDING * size:
        return annotated(sheet | {"min_range": ROUNDING * size}, "Zero but for rounding.")
    if change <= WITHIN * float(result.attrs.get("rtol", 0.0)) * size:
        return annotated(sheet, "No more than the tolerance of the integration allows.")
    return sheet
