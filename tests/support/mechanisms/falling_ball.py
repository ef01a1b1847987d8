"""A ball that can only fall, the integrators that tests of events and stops go through, and what happened in a run."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import supple

G = 9.81
FALL = math.sqrt(2 / G)
"""Time to fall 1 m, s."""
METHODS: list[dict[str, Any]] = [
    {"integrator": "DOP853"},
    {"integrator": "ESDIRK54"},
    {"integrator": "RK45"},
    {"integrator": "Radau"},
    {"integrator": "CVODE", "rtol": 1e-11, "atol": 1e-13},
    {"integrator": "IDA", "rtol": 1e-10, "atol": 1e-12},
    {"integrator": "leapfrog", "step": 1e-2},
    {"integrator": "rk4", "step": 1e-2},
    {"integrator": "generalized_alpha", "step": 1e-2},
    {"integrator": "variational", "step": 1e-2},
]
methods = pytest.mark.parametrize("method", METHODS, ids=lambda x: x["integrator"])


def ball() -> supple.Model:
    mech = supple.Mechanism("ball")
    mech.add_body("ball", supple.RigidBody(2.0), joint=supple.Prismatic("z"))
    return mech.build()


def happened(result: Any) -> list[tuple[float, str]]:
    return [(t, name) for t, name in json.loads(result.attrs["events"])]
