"""Plots of whatever else a result holds over time: accelerations, forces tau, wrenches, positions, strains, ..."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import Floats
from supple.formulations import Formulation
from supple.view.plots.groups import groups
from supple.view.plots.plot import annotated, largest_first, plot, without_rounding
from supple.view.plots.rounding import ROUNDING, sizes

if TYPE_CHECKING:
    import xarray as xr

KNOWN = ("q", "v", "kinetic_energy", "potential_energy", "work")
ASKED, ALWAYS = "Outputs", "Dynamics"
"""Sections: of what was asked for, and of what every result has."""
EVERY_RESULT = ("a", "tau", "momentum", "center_of_mass")
MOST_PLOTS = 12
"""Of one quantity."""
WORDS = {
    "N m": "moment",
    "N": "force",
    "rad/s": "angular velocity",
    "m/s": "velocity",
    "rad/s^2": "angular acceleration",
    "m/s^2": "acceleration",
    "kg m^2/s": "angular momentum",
    "kg m/s": "linear momentum",
    "1": "strain",
    "1/m": "curvature",
    "rad/m": "twist",
}
"""What a part of a quantity is that has several units."""
NAMES = {
    "position": "position",
    "displacement": "displacement",
    "elastic_displacement": "elastic displacement",
    "strain": "strain",
    "wrench": "joint",
    "applied_wrench": "applied",
    "velocity": "velocity",
    "acceleration": "acceleration",
    "orientation": "orientation",
    "center_of_mass": "centre of mass",
    "tau": "generalized forces",
    "a": "accelerations",
    "momentum": "momentum",
    "constraint_force": "constraint forces",
    "constraint_error": "constraint errors",
    "constraint_rate": "rates of constraint errors",
    "constraint_margin": "distance from a singular configuration",
}
"""Short names of variables, in the order of the page; the long one stands below the plot."""
BEFORE_PARTS = ("wrench", "applied_wrench")
"""Of these the short name stands before that of a part: "Joint moment"."""
TRIPLES = ("axis", "component", "quaternion")
"""Axes whose curves stay in their order."""
Curves = dict[str, Floats]


class PlotData(NamedTuple):
    """A plot before it is packed."""

    title: str
    name: str
    unit: str
    curves: Curves
    note: str = ""

    @property
    def reach(self) -> float:
        """The largest value."""
        return max((float(np.abs(y).max(initial=0.0, where=np.isfinite(y))) for y in self.curves.values()), default=0.0)


def count_output_curves(result: xr.Dataset) -> int:
    """How many curves there are to be shown, roughly."""
    return sum(prod(x.shape[1:]) for x in _variables(result))


def output_plots(model: Formulation, result: xr.Dataset, most: int) -> list[dict[str, Any]]:
    """Plots of all quantities over time but the state and its energies, each with its units and names.

    What is zero but for rounding has no curves, but the key `zero` with its largest value.
    """
    t = result["time"].values.astype(float)
    out = []
    scalars: dict[tuple[str, str], Curves] = {}
    known = sizes(model, result)
    for x in _variables(result):
        if x.ndim == 1:
            scalars.setdefault((_section(x), _unit(x)), {})[_short(x)] = x.values.astype(float)
            continue
        found = _sheets(model, x)
        own: dict[str, float] = {}
        for sheet in found:
            own[sheet.unit] = max(own.get(sheet.unit, 0.0), sheet.reach)
        zero = [s.reach <= ROUNDING * known.get((str(x.name), s.unit), own[s.unit]) for s in found]
        section = _section(x)
        out += [
            {"section": section, "title": sheet.title, "zero": f"{sheet.reach:.1g} {sheet.unit}" if sheet.reach else ""}
            for sheet, nothing in zip(found, zero, strict=True)
            if nothing
        ]
        kept = [sheet for sheet, nothing in zip(found, zero, strict=True) if not nothing]
        sheets = [
            _plotted(sheet, t, most, section, known.get((str(x.name), sheet.unit), own[sheet.unit])) for sheet in kept
        ]
        if len(sheets) > MOST_PLOTS:
            sheets[MOST_PLOTS - 1] = annotated(
                sheets[MOST_PLOTS - 1], f"The first {MOST_PLOTS} of {len(sheets)} plots of this quantity."
            )
        out += sheets[:MOST_PLOTS]
    for (section, unit), curves in scalars.items():
        name = next(iter(curves)) if len(curves) == 1 else "value"
        out.append(_plotted(PlotData(_capital(", ".join(curves)), name, unit, curves), t, most, section, 0.0))
    return out


def _section(x: xr.DataArray) -> str:
    name = str(x.name)
    return ALWAYS if name in EVERY_RESULT or name.startswith("constraint_") else ASKED


def _plotted(sheet: PlotData, t: Floats, most: int, section: str, size: float) -> dict[str, Any]:
    axes = ("time", "s"), (sheet.name, sheet.unit)
    curves, note = without_rounding(sheet.curves, size)
    return annotated(plot(section, sheet.title, *axes, t, curves, most), sheet.note, note)


def _variables(result: xr.Dataset) -> Iterator[xr.DataArray]:
    """What is shown here, with time as the first axis."""
    order = {name: i for i, name in enumerate(NAMES)}
    for name, x in sorted(result.data_vars.items(), key=lambda item: order.get(str(item[0]), len(order))):
        if "time" in x.dims and name not in KNOWN and x.dtype.kind in "fiub" and x.size:
            yield x.transpose("time", ...)


def _sheets(model: Formulation, x: xr.DataArray) -> list[PlotData]:
    """The plots of a quantity: along its last axis or across it, whichever makes fewer."""
    values = x.values.astype(float)
    if x.dims[1:] == ("speed",) and x.shape[1] == model.nv:
        return _by_speed(model, x, values)
    parts = [*_parts(x)]
    last = _labels(x, x.dims[-1])
    outer = [_names(x, at) for at in product(*(range(n) for n in x.shape[1:-1]))]
    flat = values.reshape(len(values), len(outer), len(last))
    before = f"{NAMES[str(x.name)]} " if str(x.name) in BEFORE_PARTS else ""
    words = {unit: before + WORDS[unit] if len(parts) > 1 and unit in WORDS else _short(x) for unit, _ in parts}

    def sheet(unit: str, name: str, curves: Curves) -> PlotData:
        return PlotData(_joined(_capital(words[unit]), name), words[unit], unit, curves, _sentence(x, words[unit]))

    if len(outer) <= len(last):
        order = dict if x.dims[-1] in TRIPLES else largest_first
        return [
            sheet(unit, name, order({_component(last[i], parts): flat[:, k, i] for i in columns}))
            for k, name in enumerate(outer)
            for unit, columns in parts
        ]
    return [
        sheet(unit, last[i], largest_first({name: flat[:, k, i] for k, name in enumerate(outer)}))
        for unit, columns in parts
        for i in columns
    ]


def _component(label: str, parts: list[Any]) -> str:
    """ "x" for "angular x" where a plot has angular or linear components only."""
    return label.removeprefix("angular ").removeprefix("linear ") if len(parts) > 1 else label


def _sentence(x: xr.DataArray, word: str) -> str:
    """What a quantity is in full, where the word for it does not say so."""
    said = _capital(_title(x))
    return "" if said.lower() == word.lower() else f"{said}."


def _by_speed(model: Formulation, x: xr.DataArray, values: Floats) -> list[PlotData]:
    """Joints and modes apart, as for the speeds themselves."""
    out = []
    units = dict.fromkeys(range(model.nv), _unit(x))
    units |= {i: unit for unit, columns in _parts(x) for i in columns}
    kinds = groups(model, "v", model.speed_units)
    joints = sum(not modal for modal, _ in kinds)
    for (modal, _), columns in kinds.items():
        unit = units[columns[0]]
        word = WORDS.get(unit, _short(x))
        title = f"{_capital(_short(x))} of {'modes' if modal else 'joints'}"
        title += f": {word}" if joints > 1 and not modal else ""
        curves = largest_first({model.speeds[i]: values[:, i] for i in columns})
        out.append(PlotData(title, word, unit, curves, _sentence(x, _short(x))))
    return out


def _parts(x: xr.DataArray) -> Iterator[tuple[str, list[int]]]:
    """Places along the last axis of one unit each.

    The attribute `units` holds them: one; several for equal parts, "N m, N" of a wrench; or the coordinate that has one
    for each, "see recovery_unit".
    """
    count = x.shape[-1]
    named = _unit(x).removeprefix("see ")
    if named in x.coords and x.coords[named].dims == x.dims[-1:]:
        by_unit: dict[str, list[int]] = {}
        for i, unit in enumerate(x.coords[named].values):
            by_unit.setdefault(str(unit), []).append(i)
        yield from by_unit.items()
        return
    units = [unit.strip() for unit in _unit(x).split(",")]
    if count % len(units):
        units = [_unit(x)]
    share = count // len(units)
    for k, unit in enumerate(units):
        yield unit, list(range(k * share, (k + 1) * share))


def _labels(x: xr.DataArray, axis: Any) -> list[str]:
    if axis in x.coords:
        return [str(label) for label in x.coords[axis].values]
    return [f"{axis} {i}" for i in range(x.sizes[axis])]


def _names(x: xr.DataArray, at: tuple[int, ...]) -> str:
    return ", ".join(_labels(x, axis)[i] for axis, i in zip(x.dims[1:-1], at, strict=True))


def _joined(title: str, name: str) -> str:
    return f"{title}: {name}" if name else title


def _title(x: xr.DataArray) -> str:
    return str(x.attrs.get("long_name", x.name)).replace("_", " ")


def _short(x: xr.DataArray) -> str:
    return NAMES.get(str(x.name), _title(x).split(",")[0])


def _unit(x: xr.DataArray) -> str:
    return str(x.attrs.get("units", ""))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
