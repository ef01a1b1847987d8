"""A model linearised about the state at which its run starts, as a MATLAB file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from supple.drafts import export_target
from supple.export.start_point import start_point
from supple.formulations import Formulation, require_formulation
from supple.linear.state import state_space


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
        Keyword arguments of `supple.simulate` that say where a run starts: motions are small about this state, which
        constant generalized forces hold. Laws are not part of the linear model, whose inputs they are.
    inputs, outputs : sequence of str, optional
        As for `supple.linear.state_space`.
    """
    require_formulation(model, "supple.export.mat")
    with export_target(path, ".mat") as target:
        start = start_point(model, arguments)
        return state_space(model, start.q, start.v, inputs=inputs, outputs=outputs).save_mat(target)
