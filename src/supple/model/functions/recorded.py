"""The functions of the table as programs of blocks, recorded on nodes with the numbers loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import LARGE
from supple.engines.blocks.lifted_program import lifted_program
from supple.model.functions.frames_on_nodes import arrays_of
from supple.model.functions.table import FUNCTIONS, signature
from supple.model.programs import Ends
from supple.model.recorded_trace import FRAMES, LIMIT, RecordedTrace, parametrized_program
from supple.model.traced_functions import inputs_on, traced, traced_outputs

if TYPE_CHECKING:
    from supple.model.model import Model


def function_program(
    model: Model,
    what: str,
    parameters: Sequence[str] = (),
    frames: Sequence[str] = (),
    straight: bool = False,
    largest: int = LARGE,
) -> tuple[Program, NDArray[np.float64]]:
    """Return a function as a program, and the numbers that it loads.

    What takes derivatives of its nodes is traced with the numbers of the model, which are taken out again. Only
    straight-line code has tangents.
    """

    def make(t: RecordedTrace) -> Ends:
        t.graph.straight = straight
        return ends(t, what, frames)

    if FUNCTIONS[what].differentiates:
        return lifted_program(traced(model, what, parameters, (), 20 * LIMIT, frames or None), largest)
    return parametrized_program(model, parameters, ("function", what, straight), make, groups(model, frames), largest)


def groups(model: Model, frames: Sequence[str]) -> Mapping[str, Any]:
    """Return the further numbers of a function about frames."""
    return {FRAMES: arrays_of(model, frames)} if len(frames) else {}


def ends(t: RecordedTrace, what: str, frames: Sequence[str] = ()) -> Ends:
    """Return inputs and outputs of a function on a trace."""
    lengths, _ = signature(t.model, what, tuple(t.parameters), (), frames)
    x = inputs_on(t, lengths, frames)
    return {name: x.leaves(name) for name in lengths}, traced_outputs(t, what, x)
