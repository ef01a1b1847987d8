"""The page of a Campbell diagram: frequencies and damping over the speed of a rotor, and its critical speeds."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import StateError
from supple.linear.campbell_report import critical, frequencies, remarks, unstable
from supple.version import VERSION
from supple.view.pages.page import filled, number_table, page, terms, write_page
from supple.view.plots.plot import MOST_CURVES, annotated, plot

if TYPE_CHECKING:
    import xarray as xr

NEEDED = ("frequency", "damping", "growth", "whirl", "critical_speed", "dof")
HEADROOM = 1.1
"""Lines of orders end at this multiple of the highest frequency of a mode."""


@checked
def write_campbell(found: xr.Dataset, path: str | os.PathLike[str]) -> Path:
    """Write a page with the Campbell diagram of a rotor, and return its path.

    Parameters
    ----------
    found : xarray.Dataset
        What `supple.linear.campbell` gave, or the same read back from its file.
    path : path
        Of the HTML file.
    """
    return write_page(path, campbell_page(found))


def campbell_page(found: xr.Dataset) -> str:
    """The page that `write_campbell` writes."""
    missing = [name for name in NEEDED if name not in found]
    if missing:
        raise StateError(f"found: expected what supple.linear.campbell gives, got no {', '.join(missing)}")
    if found.sizes["spin"] < 2:
        raise StateError(f"found: expected two speeds or more, got {found.sizes['spin']}")
    name = str(found.attrs["model"])
    crossings = number_table(*critical(found)) if found.sizes["critical"] else "<p>None in this range of speeds.</p>"
    body = filled(
        "pages/campbell.html",
        title=html.escape(name),
        summary=_summary(found),
        remarks=html.escape(" ".join(remarks(found))),
        critical=crossings,
        frequencies=number_table(*frequencies(found, list(range(found.sizes["mode"])))),
    )
    return page(f"{name}: Campbell diagram", body, {"plots": plots(found)}, ("pages/campbell.js",))


def plots(found: xr.Dataset) -> list[dict[str, Any]]:
    """All plots as JSON, in the order of the page."""
    speed, joint = found["spin"].values.astype(float), str(found["joint"].values[0])
    axis, f = (f"speed of {joint}", "rad/s"), found["frequency"].values
    names = [_name(found, j) for j in range(f.shape[1])]
    most = max(len(speed), 500)
    axes = "in fixed axes" if found.attrs["frame"] == "fixed" else "in the axes of the rotor"
    sheet = plot("Campbell diagram", f"Frequencies {axes}", axis, ("frequency", "Hz"), speed, _curves(names, f), most)
    for curve in sheet["curves"]:
        j = names.index(curve["name"])
        if _sense(found, j) < 0:
            curve["line"] = "dashed"
    top = HEADROOM * float(np.nanmax(f, initial=0.0))
    sheet["curves"] += _orders(found, speed, top)
    first = [float(x) for x, n in zip(found["critical_speed"], found["critical_order"], strict=True) if n == 1]
    marks = [{"x": x, "label": f"{x:.4g}", "kind": "faint"} for x in sorted(first)]
    notes = ["Dashed: backward whirl. Dotted: multiples of the speed of rotation."]
    if marks:
        notes.append("Vertical: critical speeds, 1/rev.")
    out = [annotated(sheet | ({"marks": marks} if marks else {}), *notes)]
    damping = _curves(names, 100 * found["damping"].values)
    if np.abs(found["damping"].values).max(initial=0.0) > 1e-7:
        out.append(plot("Stability", "Damping ratio", axis, ("damping ratio", "%"), speed, damping, most))
    if unstable(found).any():
        growth = _curves(names, found["growth"].values)
        out.append(plot("Stability", "Growth", axis, ("rate of growth", "1/s"), speed, growth, most))
    return out


def _curves(names: list[str], values: Floats) -> dict[str, Floats]:
    return dict(zip(names[:MOST_CURVES], values.T[:MOST_CURVES], strict=True))


def _orders(found: xr.Dataset, speed: Floats, top: float) -> list[dict[str, Any]]:
    """Lines of multiples of the speed of rotation, as far as there are modes."""
    listed = np.atleast_1d(found.attrs["orders"])
    curves = {f"{n}/rev": n * np.abs(speed) / (2 * np.pi) for n in listed}
    curves = {name: np.where(line <= top, line, np.nan) for name, line in curves.items()}
    lines = plot("", "", ("", ""), ("", ""), speed, curves, max(len(speed), 500))["curves"]
    return [line | {"line": "order", "shown": True} for line in lines]


def _sense(found: xr.Dataset, mode: int) -> int:
    """Of the whirl at most speeds."""
    return int(np.sign(found["whirl"].values[:, mode].astype(int).sum()))


def _name(found: xr.Dataset, mode: int) -> str:
    word = {1: " forward", -1: " backward", 0: ""}[_sense(found, mode)]
    return f"{mode + 1}{word}, {found['dof'].values[mode]}"


def _summary(found: xr.Dataset) -> str:
    """What was computed, as a list of terms."""
    speed = found["spin"].values
    first = found["critical_speed"].values[(found["critical_order"] == 1) & (found["critical_whirl"] >= 0)]
    said = {
        "Spinning": ", ".join(str(name) for name in found["joint"].values),
        "Speeds": f"{speed[0]:.5g} to {speed[-1]:.5g} rad/s",
        "Points": f"{len(speed):,}",
        "Axes": str(found.attrs["frame"]),
        "Modes": str(found.sizes["mode"]),
        "First critical speed": f"{first[0]:.5g} rad/s" if len(first) else "none",
        "Unstable": "at some speeds" if unstable(found).any() else "no mode",
        "supple": VERSION,
    }
    return terms(said)
