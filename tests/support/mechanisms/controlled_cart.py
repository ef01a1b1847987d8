"""The cart with a pendulum, as tests of controllers take it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import supple

EXAMPLES = Path(__file__).parents[3] / "examples"
SETTING: dict[str, Any] = {
    "q": {"arm.angle": 0.3, "cart.position": 0.2},
    "integrator": "DOP853",
    "rtol": 1e-9,
    "samples": 21,
}
SAME: dict[str, Any] = {"rtol": 0, "atol": 1e-12}
"""Of motions of some 0.5 m and rad: rounding differs where h x is x/rate."""


@cache
def cart_pendulum() -> supple.Model:
    return supple.files.read(EXAMPLES / "cart_pendulum.toml").model
