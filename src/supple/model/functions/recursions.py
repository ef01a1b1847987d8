"""Which functions of the table are recursions on the cells of a tree, and which recursions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from supple.model.functions.table import FUNCTIONS, INTEGRATORS
from supple.model.parameter_arrays import ParameterArrays
from supple.model.programs import ModelStructure

if TYPE_CHECKING:
    from supple.model.model import Model

BY_FORMULA = ("inverse_mass_matrix", *INTEGRATORS)
"""Functions of trees whose sums and whose code in C are recorded on nodes, though recursions compute them too."""


def recursion_of(what: str) -> tuple[Any, ...]:
    """Return the recursion of a function of a tree, and its options."""
    function = FUNCTIONS[what]
    return (function.unchecked,) if function.unchecked else (function.recursion, *function.options)


def made_by_recursion(model: Model, what: str, frames: Sequence[str]) -> bool:
    """Return whether a function is a recursion on cells, and not recorded on nodes."""
    function = FUNCTIONS[what]
    if not function.recursion or function.frames or len(frames):
        return False
    if what == "regressor":
        return model.flex is None
    return model.loops is None or not (function.solves or function.closed_inputs)


def parametrized(model: Model, parameters: Sequence[str]) -> ModelStructure:
    """Return the structure of a model of which some numbers are inputs."""
    arrays = ParameterArrays(model, parameters) if parameters else None
    return ModelStructure(model.tree, model.flex, model.nq, parameters=arrays)
