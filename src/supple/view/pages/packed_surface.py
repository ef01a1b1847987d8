"""A surface as the page needs it: places of vertices in steps of 16 bits, numbers of vertices in 32."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.checks import Floats
from supple.view.pages.packing import packed
from supple.view.scene.surfaces import DrawnSurface

STEPS = 2**16 - 1
HALF = 2**15 - 1
"""Steps of stresses on each side of zero."""


def packed_surface(
    surface: DrawnSurface,
    shapes: Floats | None = None,
    place: int | None = None,
    stress: tuple[Floats, Floats] | None = None,
) -> dict[str, Any]:
    """JSON: vertices are low + step * number; behind them come copies of some, where edges are sharp.

    Parameters
    ----------
    surface : DrawnSurface
    shapes : (3 n, c) array, optional
        Displacements of the vertices for the amplitudes that the page has.
    place : int, optional
        Number of the place that it moves with.
    stress : ((5 n, c), (n,)) arrays, optional
        Rows whose norm is von Mises' stress, and one over Young's modulus, as `fields.VertexStress`.
    """
    x = surface.vertices
    low, high = (x.min(axis=0), x.max(axis=0)) if len(x) else (np.zeros(3), np.zeros(3))
    step = (high - low) / STEPS
    origin, faces = surface.split()
    _, first = np.unique(origin, return_index=True)
    copied = np.setdiff1d(np.arange(len(origin)), first)
    number = origin.copy()
    number[copied] = len(x) + np.arange(len(copied))
    numbers = np.round((x - low) / np.where(step > 0, step, 1.0))
    out = {
        "vertices": packed(numbers, "<u2"),
        "low": low.tolist(),
        "step": step.tolist(),
        "copies": packed(origin[copied], "<u4"),
        "triangles": packed(number[faces], "<u4"),
        "growth": surface.growth,
        "color": surface.color,
        "opacity": surface.opacity,
        "name": surface.name,
    }
    out |= {} if place is None else {"place": place}
    if stress is not None:
        rows, compliance = stress
        size = np.abs(rows).max(axis=0, initial=0.0) / HALF
        numbers = np.round(rows / np.where(size > 0.0, size, 1.0))
        out["stress"] = {"rows": packed(numbers, "<i2"), "scale": size.tolist(), "compliance": packed(compliance)}
    return out if shapes is None else out | {"shapes": packed(shapes)}
