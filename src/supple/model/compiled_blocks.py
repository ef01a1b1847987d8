"""Compiled functions made of blocks, which all models of a structure share: nothing is compiled for a model alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.engines.blocks.block_function import BlockFunction
from supple.engines.blocks.block_program import Program
from supple.model.compiled import Compiled
from supple.model.parameter_arrays import ParameterArrays
from supple.model.programs import Ends, ModelStructure, Numbers, program
from supple.model.recorded_trace import RecordedTrace, parametrized_program
from supple.model.step_formulas import STEPS
from supple.model.traced_functions import signature, traced_outputs

if TYPE_CHECKING:
    from supple.model.model import Model

RECURSION_OF: dict[str, tuple[Any, ...]] = {
    "forward_dynamics": ("forward_dynamics",),
    "inverse_dynamics": ("inverse_dynamics", False, False),
    "bias_forces": ("bias_forces",),
    "mass_matrix": ("mass_matrix",),
    "kinematics": ("body_poses",),
    "energy": ("energies",),
    "sums": ("sums",),
    "derivative": ("rates",),
    "rk4": ("rk4",),
    "semi_implicit_euler": ("semi_implicit_euler",),
    "leapfrog": ("leapfrog",),
}
"""The recursion of each function of a tree, and its options."""


def moves_loops(model: Model, what: str) -> bool:
    """Whether a function finds the forces that close loops."""
    return model.loops is not None and (what == "forward_dynamics" or what in STEPS)


def parametrized(model: Model, parameters: Sequence[str]) -> ModelStructure:
    """The structure of a model of which some numbers are inputs."""
    arrays = ParameterArrays(model, parameters) if parameters else None
    return ModelStructure(model.tree, model.flex, model.nq, parameters=arrays)


class CompiledBlocks(Compiled, BlockFunction):
    """A function of the state in blocks of machine code, the model's numbers loaded: for any size of model.

    Parameters
    ----------
    model : Model
    what : str
        One of `TRACEABLE`, but for the inverse mass matrix.
    parameters : sequence of str
        Numbers that are one more input.
    threads : int, optional
    """

    engine = "blocks"

    def __init__(self, model: Model, what: str, parameters: Sequence[str], threads: int | None) -> None:
        self.model, self.what, self.parameters, self.derivatives = model, what, tuple(parameters), ()
        self._inputs, outputs = signature(model, what, self.parameters)
        made, numbers = self._closed_program() if moves_loops(model, what) else self._tree_program()
        BlockFunction.__init__(self, f"{what} of {model.name!r}", made, numbers, outputs, threads)

    def _tree_program(self) -> tuple[Program, Numbers]:
        structure = parametrized(self.model, self.parameters)
        recursion, *options = RECURSION_OF[self.what]
        return program(structure, structure.digest(), recursion, *options), structure.numbers.values()

    def _closed_program(self) -> tuple[Program, Numbers]:
        def make(t: RecordedTrace) -> Ends:
            dt = t.graph.new_inputs("", ["dt"])
            leaves: dict[str, Any] = {"q": t.q, "v": t.v, "tau": t.tau, "dt": dt}
            if t.parameters:
                leaves["parameters"] = np.array(list(t.parameters.values()), dtype=object)
            return {name: leaves[name] for name in self._inputs}, traced_outputs(t, self.what, dt[0])

        return parametrized_program(self.model, self.parameters, ("compiled", self.what), make)
