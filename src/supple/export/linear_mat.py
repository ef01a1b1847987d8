"""A model linearised about the state at which its run starts, as a MATLAB file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from supple.call_checks import checked
from supple.drafts import export_target
from supple.errors import OmissionWarning, PhysicsWarning, warn
from supple.formulations import Formulation, require_formulation
from supple.linear.state import state_space
from supple.simulation.run_laws import RunLaws


@checked
def mat(
    model: Formulation,
    path: str | os.PathLike[str],
    arguments: Mapping[str, Any] | None = None,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> Path:
    """Write A, B, C and D of small motions of a model, with the names of states, inputs and outputs; return the path.

    Parameters
    ----------
    model : Model
    path : path-like
        Ends in .mat.
    arguments : mapping of str to anything, optional
        Keyword arguments of `supple.simulate` that say where a run starts and what acts in it. Motions are small about
        this state. Formulas, controllers with their states, wrenches and prescribed motions are part of the linear
        model; its inputs act besides. Events and stops are not.
    inputs, outputs : sequence of str, optional
        As for `supple.linear.state_space`.

    Warns
    -----
    OmissionWarning
        If Python functions or sampled controllers act: what they give is constant in the linear model.
    PhysicsWarning
        If the state does not last, or lasts only under forces that the run does not have.
    """
    require_formulation(model, "supple.export.mat")
    with export_target(path, ".mat") as target:
        run = RunLaws(model, arguments or {})
        left_out = ", ".join(run.constant())
        if left_out:
            warn(f"model {model.name!r}: constant in the linear model: {left_out}", OmissionWarning)
        system = state_space(model, run.q, run.v, inputs=inputs, outputs=outputs, laws=run.at(run.q, run.v))
        if system.equations.held_by:
            said = f"model {model.name!r}: the start is no equilibrium: the linear model is about a state that takes"
            warn(f'{said} {system.equations.held_by}; start = "equilibrium" finds one', PhysicsWarning)
        return system.save_mat(target)
