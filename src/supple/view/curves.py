"""The curves of the page: coordinates, speeds, energies, and spectra with the frequencies of the bodies' modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supple.model.checks import Floats
from supple.model.model import Model
from supple.structures.body import FlexibleBody
from supple.structures.eigen import lowest_modes
from supple.view.packing import packed

MOST_NUMBERS = 200_000
"""Of all curves together; of many curves there are fewer points, but not less than 500."""
MOST_CURVES = 80
MOST_MARKS = 12


def plots(model: Model, result: xr.Dataset, spectra: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """All plots as JSON, in the order of the page; `spectra` names coordinates, all but quaternions if not given."""
    t = result["time"].values.astype(float)
    out = []
    most = int(np.clip(MOST_NUMBERS // max(model.nq + model.nv, 1), 500, 3000))
    for section, key, names, units in (
        ("Coordinates", "q", model.coordinates, model.coordinate_units),
        ("Speeds", "v", model.speeds, model.speed_units),
    ):
        for (modal, unit), columns in _groups(model, key, units).items():
            quantity = _quantity(key, modal, unit)
            title = f"{'Modal' if modal else 'Joint'} {quantity}s"
            curves = {names[i]: result[key].values[:, i] for i in columns}
            out.append(_plot(section, title, ("time", "s"), (quantity, unit), t, curves, most))
    return out + _energies(t, result, most) + _spectra(model, t, result["q"].values, spectra, most)


def frequencies(body: FlexibleBody, count: int) -> Floats:
    """The lowest natural frequencies of a body by itself, as it was reduced, Hz."""
    if body.basis != "nodal":
        squares = np.sort(body.stiffness.diagonal())
    else:
        squares = lowest_modes(body.stiffness, body.mass_matrix, min(count, body.modes))[0]
    return np.sqrt(np.maximum(squares[:count], 0.0)) / (2.0 * np.pi)


def amplitude_spectrum(t: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Frequencies (Hz) and amplitudes of the sines in x, its straight trend taken out, seen through Hann's window.

    >>> t = np.linspace(0.0, 10.0, 1001)
    >>> f, amplitude = amplitude_spectrum(t, 3.0 * np.sin(2 * np.pi * 5.0 * t))
    >>> round(float(f[amplitude.argmax()]), 2), round(float(amplitude.max()), 1)
    (5.0, 3.0)
    """
    even = np.linspace(t[0], t[-1], len(t))
    x = np.interp(even, t, x)
    rest = x - np.polyval(np.polyfit(even - t[0], x, 1), even - t[0]) if len(t) > 2 else x - x.mean()
    window = np.hanning(len(t) + 1)[:-1]
    amplitude = 2.0 * np.abs(np.fft.rfft(rest * window)) / window.sum()
    return np.fft.rfftfreq(len(t), even[1] - even[0])[1:], amplitude[1:]


def _groups(model: Model, key: str, units: Sequence[str]) -> dict[tuple[bool, str], list[int]]:
    """Places in q or v of what belongs in one plot: joints and modes apart, one unit each."""
    modal: set[int] = set()
    if model.flex is not None:
        starts = model.flex.q_mode if key == "q" else model.flex.v_mode
        for start, count in zip(starts, model.flex.modes, strict=True):
            modal.update(range(start, start + count))
    groups: dict[tuple[bool, str], list[int]] = {}
    for i, unit in enumerate(units):
        groups.setdefault((i in modal, unit), []).append(i)
    return dict(sorted(groups.items(), key=lambda item: item[0][0]))


def _quantity(key: str, modal: bool, unit: str) -> str:
    if modal:
        return "amplitude" if key == "q" else "rate"
    if key == "q":
        return {"rad": "angle", "m": "position", "1": "quaternion"}[unit]
    return "angular speed" if unit == "rad/s" else "speed"


def _energies(t: Floats, result: xr.Dataset, most: int) -> list[dict[str, Any]]:
    kinetic, potential = result["kinetic_energy"].values, result["potential_energy"].values
    total = kinetic + potential
    curves = {"kinetic": kinetic, "potential": potential, "total": total}
    change = {"total less its start": total - total[0]}
    return [
        _plot("Energy", "Energy balance", ("time", "s"), ("energy", "J"), t, curves, most),
        _plot("Energy", "Change of the total energy", ("time", "s"), ("change", "J"), t, change, most),
    ]


def _spectra(model: Model, t: Floats, q: Floats, names: Sequence[str] | None, most: int) -> list[dict[str, Any]]:
    wanted = range(model.nq) if names is None else [model.coordinate_index(name) for name in names]
    out = []
    marks = _marks(model)
    for (modal, unit), columns in _groups(model, "q", model.coordinate_units).items():
        used = [i for i in columns if i in wanted and unit != "1"]
        curves = {}
        for i in used[:MOST_CURVES]:
            f, curves[model.coordinates[i]] = amplitude_spectrum(t, q[:, i])
        if not used or len(t) < 8:
            continue
        title = f"Spectra of {'modal' if modal else 'joint'} {_quantity('q', modal, unit)}s"
        plot = _plot("Spectra", title, ("frequency", "Hz"), ("amplitude", unit), f, curves, most)
        beyond = [mark for mark in marks if mark["x"] > f[-1]]
        plot |= {"log": True, "marks": [mark for mark in marks if mark["x"] <= f[-1]][:MOST_MARKS]}
        if beyond:
            plot["note"] = (
                f"The samples show frequencies up to {f[-1]:.4g} Hz; the mode {beyond[0]['label']} at "
                f"{beyond[0]['x']:.4g} Hz lies above, and what it does is folded back. Simulate with more samples."
            )
        if plot["marks"]:
            plot["note"] = f"Dashed: modes of the bodies by themselves. {plot.get('note', '')}".strip()
        out.append(plot)
    return out


def _marks(model: Model) -> list[dict[str, Any]]:
    """Natural frequencies of the flexible bodies by themselves; equal ones once, with the first one's name."""
    at: dict[str, list[str]] = {}
    values: dict[str, float] = {}
    for name, placed in model.description.bodies.items():
        if isinstance(placed.body, FlexibleBody):
            for i, f in enumerate(frequencies(placed.body, MOST_MARKS), start=1):
                at.setdefault(f"{f:.6g}", []).append(f"{name}.mode{i}")
                values[f"{f:.6g}"] = float(f)
    labels = {key: names[0] + (f" +{len(names) - 1}" if len(names) > 1 else "") for key, names in at.items()}
    return sorted(({"x": values[key], "label": labels[key]} for key in at), key=lambda mark: float(str(mark["x"])))


def _plot(
    section: str,
    title: str,
    x_axis: tuple[str, str],
    y_axis: tuple[str, str],
    x: Floats,
    curves: dict[str, NDArray[Any]],
    most: int,
) -> dict[str, Any]:
    shown = dict(list(curves.items())[:MOST_CURVES])
    plot: dict[str, Any] = {
        "section": section,
        "title": title,
        "x": {"name": x_axis[0], "unit": x_axis[1], "values": packed(_thinned(x, x, most)[0], "<f8")},
        "y": {"name": y_axis[0], "unit": "" if y_axis[1] == "1" else y_axis[1]},
        "curves": [{"name": name, "values": packed(_thinned(x, y, most)[1])} for name, y in shown.items()],
    }
    if len(curves) > len(shown):
        plot["note"] = f"The first {len(shown)} of {len(curves)} curves."
    return plot


def _thinned(x: Floats, y: NDArray[Any], most: int) -> tuple[Floats, NDArray[Any]]:
    """A curve with at most `most` points: of each group of samples the least and the greatest, in their order."""
    group = -(-2 * len(x) // most)
    if group <= 2:
        return x, y
    edge = np.pad(y, (0, -len(y) % group), mode="edge").reshape(-1, group)
    swap = np.argmin(edge, axis=1) > np.argmax(edge, axis=1)
    pair = np.stack([edge.min(axis=1), edge.max(axis=1)], axis=1)
    pair[swap] = pair[swap, ::-1]
    starts = np.arange(0, len(x), group)
    times = np.stack([x[starts], x[np.minimum(starts + group // 2, len(x) - 1)]], axis=1)
    return times.ravel(), pair.ravel()
