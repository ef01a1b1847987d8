"""Attributes of results: what a run did, as opposed to what was requested."""

from __future__ import annotations

import json
from typing import Any

from supple.inputs.function_laws import function_laws
from supple.integrators import CustomSolver, Stepped
from supple.simulation.simulator import Simulator

SAME_STEP = 1e-6
"""Fraction by which the length of steps may differ from the requested one without a word."""


def attributes(simulator: Simulator) -> dict[str, Any]:
    """Return how a motion was computed: integrator, tolerances, effort, events."""
    method, effort, partition = simulator.method, simulator.effort, simulator.partition
    speeds = simulator.model.speeds
    chosen = [] if partition is None else [(t, [speeds[i] for i in free]) for t, free in partition.choices]
    settings, reason, asked = method.attributes(), simulator.choice.reason, simulator.choice.options
    if asked.name not in (method.name, CustomSolver.name):
        reason += f"; {asked.name} carries no sensitivities, {method.name} does"
    if isinstance(asked, Stepped) and effort.longest < (1.0 - SAME_STEP) * asked.step and effort.steps:
        settings["step"] = float(f"{effort.longest:.12g}")
        reason += f", in steps of {effort.longest:.6g} s that end at the output times, instead of {asked.step:g} s"
    if "engine" not in settings:
        settings["engine"] = simulator.system.engine
    functions = function_laws(simulator.system.inputs)
    return {
        "integrator": method.name,
        "reason": reason,
        **settings,
        "steps": effort.steps,
        **({"rejected_steps": effort.rejected} if method.counts_rejected else {}),
        "evaluations": effort.evaluations,
        "events": json.dumps(simulator.happened),
        **({"independent": json.dumps(chosen)} if chosen else {}),
        **({"functions": "; ".join(f"{name}: {how}" for name, how in functions.items())} if functions else {}),
    }
