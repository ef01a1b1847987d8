"""Where the run of a model starts: what is exported of one state is exported of this one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.formulations import Formulation
from supple.simulation.samples import State
from supple.simulation.simulator import Simulator

Vector = NDArray[np.float64]
LAWS = ("tau", "motion", "wrenches", "variables")
START = ("q", "v", "guess", "start", "limits")


def start_point(model: Formulation, arguments: Mapping[str, Any] | None = None) -> State:
    """State, accelerations and generalized forces at time 0, loops closed; `arguments` are those of `simulate`."""
    given = arguments or {}
    return Simulator(model, **{name: given[name] for name in (*START, *LAWS) if name in given}).state
