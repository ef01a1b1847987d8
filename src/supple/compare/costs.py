"""What one evaluation of forward dynamics costs in either formulation."""

from __future__ import annotations

import numpy as np

from supple.bench import best_time
from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.compiled_function import LONG
from supple.engines.blocks.lifted_program import lifted_program
from supple.expressions.graph import GraphTooLarge
from supple.formulations import Formulation
from supple.model.compiled import LARGEST, LIMIT

STATES = 64
"""Evaluated one after another, so that the call itself costs nothing."""
UNKNOWN = (np.nan, np.nan)


def cost_of(model: Formulation) -> tuple[float, float]:
    """Operations and microseconds of one evaluation in machine code on one core; NaN where that would be too long."""
    try:
        function = model.forward_dynamics_function(LIMIT)
    except GraphTooLarge:
        return UNKNOWN
    if len(function.order) > LARGEST:
        return UNKNOWN
    code = BoundProgram(*lifted_program(function, LONG))
    q, v = (np.stack(x) for x in zip(*(model.random_state(i) for i in range(STATES)), strict=True))
    tau = np.zeros_like(v)
    return float(function.operations.total), best_time(lambda: code.one_by_one(q, v, tau)) / STATES * 1e6
