"""What one evaluation of forward dynamics costs in either formulation."""

from __future__ import annotations

import numpy as np

from supple.bench import best_time
from supple.engines.llvm.machine_code import MachineCode
from supple.erls.model import ErlsModel
from supple.erls.trace import ErlsTrace
from supple.expressions.function import Function
from supple.expressions.graph import GraphTooLarge
from supple.model.compiled import LARGEST, LIMIT
from supple.model.model import Model
from supple.model.traced_functions import traced

STATES = 64
"""Evaluated one after another, so that the call itself costs nothing."""
UNKNOWN = (np.nan, np.nan)


def forward_dynamics(model: Model | ErlsModel) -> Function:
    """Accelerations as a function of (q, v, tau), on graph nodes."""
    if isinstance(model, ErlsModel):
        t = ErlsTrace(model, LIMIT)
        found = {"a": t.forward_dynamics(t.q, t.v, t.tau)}
        return t.function("forward_dynamics", {"q": t.q, "v": t.v, "tau": t.tau}, found)
    return traced(model, "forward_dynamics", (), (), LIMIT)


def cost_of(model: Model | ErlsModel) -> tuple[float, float]:
    """Operations and microseconds of one evaluation in machine code on one core; NaN where that would be too long."""
    try:
        function = forward_dynamics(model)
    except GraphTooLarge:
        return UNKNOWN
    if len(function.order) > LARGEST:
        return UNKNOWN
    code = MachineCode.of(function, threads=1, lanes=1)
    q, v = (np.stack(x) for x in zip(*(model.random_state(i) for i in range(STATES)), strict=True))
    tau = np.zeros_like(v)
    return float(function.operations.total), best_time(lambda: code(q, v, tau)) / STATES * 1e6
