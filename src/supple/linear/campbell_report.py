"""A Campbell diagram as text: what `supple modes` prints for a spinning joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.call_checks import checked
from supple.linear.eigenmodes import GROWING
from supple.linear.start import Bools, Floats

if TYPE_CHECKING:
    import xarray as xr

SHOWN_SPEEDS = 11
COLUMNS = 6
"""Modes beside each other."""
WHIRL = {1: "forward", -1: "backward", 0: ""}
LETTERS = {1: "f", -1: "b", 0: " "}
Table = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""Names of columns, and rows."""


def shown_speeds(found: xr.Dataset) -> list[int]:
    """Numbers of the speeds that a table shows."""
    count = found.sizes["spin"]
    return [int(i) for i in np.unique(np.linspace(0, count - 1, min(count, SHOWN_SPEEDS)).round())]


def unstable(found: xr.Dataset) -> Bools:
    """(spin, mode) where a mode grows."""
    out: Bools = found["growth"].values > GROWING * 2 * np.pi * np.maximum(found["frequency"].values, 1.0)
    return out


def frequencies(found: xr.Dataset, modes: list[int]) -> Table:
    """Frequencies of some modes over the speed, with the sense of whirl, and ! where they grow."""
    f, sense, grows = found["frequency"].values, found["whirl"].values, unstable(found)
    rows: list[tuple[str, ...]] = []
    for i in shown_speeds(found):
        speed = float(found["spin"].values[i])
        cells = [f"{f[i, j]:.5g} {LETTERS[int(sense[i, j])]}{'!' if grows[i, j] else ' '}" for j in modes]
        rows.append((f"{speed:.5g}", f"{speed * 30 / np.pi:.5g}", *cells))
    return ("rad/s", "rpm", *(f"mode {j + 1}  " for j in modes)), rows


def critical(found: xr.Dataset) -> Table:
    """Critical speeds, one a row."""
    rows: list[tuple[str, ...]] = []
    for speed, mode, order, sense in zip(
        *(found[f"critical_{name}"].values for name in ("speed", "mode", "order", "whirl")), strict=True
    ):
        hertz = order * speed / (2 * np.pi)
        dof = str(found["dof"].values[mode - 1])
        rows.append(
            (f"{order}/rev", f"{speed:.6g}", f"{speed * 30 / np.pi:.6g}", f"{hertz:.6g}", str(mode), WHIRL[sense], dof)
        )
    return ("order", "rad/s", "rpm", "Hz", "mode", "whirl", "most moved"), rows


def ranges(speeds: Floats, inside: Bools) -> list[str]:
    """Ranges of speeds, rad/s, in words.

    >>> ranges(np.arange(5.0), np.array([False, True, True, False, True]))
    ['1 to 2', '4']
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(int)))
    return [
        f"{speeds[a]:.5g}" if b == a + 1 else f"{speeds[a]:.5g} to {speeds[b - 1]:.5g}"
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]


def remarks(found: xr.Dataset) -> list[str]:
    """What frequencies are in which axes, and which modes grow at which speeds."""
    fixed = "in fixed axes" if found.attrs["frame"] == "fixed" else "in the axes of the rotor"
    out = [f"Frequencies {fixed}; f: forward whirl, b: backward, !: grows."]
    grows, speeds = unstable(found), found["spin"].values
    for j in np.flatnonzero(grows.any(axis=0)):
        fastest = float(found["growth"].values[:, j].max())
        where = ", ".join(ranges(speeds, grows[:, j]))
        out.append(f"unstable: mode {j + 1} at {where} rad/s; the fastest grows e-fold in {1 / fastest:.3g} s")
    return out


@checked
def campbell_report(found: xr.Dataset) -> str:
    """The tables of a Campbell diagram as text: frequencies over the speed, and critical speeds.

    Parameters
    ----------
    found : xarray.Dataset
        What `campbell` gave.
    """
    joints = ", ".join(str(name) for name in found["joint"].values)
    modes = list(range(found.sizes["mode"]))
    parts = [f"{found.attrs['model']}: {len(modes)} modes over the speed of {joints}, Hz"]
    for first in range(0, len(modes), COLUMNS):
        parts.append(_text(frequencies(found, modes[first : first + COLUMNS])))
    parts.append("\n".join(remarks(found)))
    if found.sizes["critical"]:
        parts.append("critical speeds\n" + _text(critical(found)))
    else:
        parts.append("no critical speeds in this range")
    return "\n\n".join(parts)


def _text(table: Table) -> str:
    columns, rows = table
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (columns, *rows)
    )
