"""Sweeps as `supple.sweep` gives them, of functions whose statistics are known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

ISHIGAMI_FIRST = (0.3139, 0.4424, 0.0)
ISHIGAMI_TOTAL = (0.5576, 0.4424, 0.2437)
Floats = NDArray[np.float64]


def ishigami(points: Floats) -> Floats:
    """Ishigami's function, a = 7, b = 0.1, at points (n, 3) of the unit cube."""
    x, y, z = (2 * np.pi * points - np.pi).T
    return np.asarray(np.sin(x) + 7 * np.sin(y) ** 2 + 0.1 * z**4 * np.sin(x))


def sweep_of(
    varied: dict[str, Any],
    measured: dict[str, Floats],
    *,
    sampler: str = "random",
    failed: Sequence[int] = (),
    title: str = "synthetic",
    **plan: Any,
) -> xr.Dataset:
    """A sweep with these values by case; failed cases have no numbers, and a message."""
    n = len(next(iter(measured.values())))
    status, message = np.ones(n, dtype=np.int8), np.full(n, "", dtype=object)
    status[list(failed)], message[list(failed)] = 2, "no convergence at t = 0.3 s"
    return xr.Dataset(
        {
            "status": ("case", status),
            "message": ("case", message),
            "wall_time": ("case", np.full(n, 0.01)),
            **{name: ("case", np.where(status == 2, np.nan, y), {"units": "m"}) for name, y in measured.items()},
        },
        {"case": np.arange(n), **{path: ("case", x) for path, x in varied.items()}},
        {"title": title, "sweep": json.dumps({"sampler": sampler, "vary": {path: {} for path in varied}, **plan})},
    )
