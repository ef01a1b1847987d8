"""Compiled functions made of blocks, which all models of a structure share: nothing is compiled for a model alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from supple.engines.blocks.block_function import BlockFunction
from supple.engines.blocks.block_program import Program
from supple.model.compiled import Compiled
from supple.model.functions.recorded import function_program
from supple.model.functions.recursions import made_by_recursion, parametrized, recursion_of
from supple.model.functions.table import signature
from supple.model.programs import Numbers, program

if TYPE_CHECKING:
    from supple.model.model import Model


class CompiledBlocks(Compiled, BlockFunction):
    """A function of the state in blocks of machine code, the model's numbers loaded: for any size of model.

    Parameters
    ----------
    model : Model
    what : str
        A name of the table of functions, but for the inverse mass matrix of a tree.
    parameters : sequence of str
        Numbers that are one more input.
    threads : int, optional
    frames : sequence of str
    """

    engine = "blocks"

    def __init__(
        self, model: Model, what: str, parameters: Sequence[str], threads: int | None, frames: Sequence[str] = ()
    ) -> None:
        self.model, self.what, self.parameters, self.derivatives = model, what, tuple(parameters), ()
        self.frames = tuple(frames)
        _, outputs = signature(model, what, self.parameters, (), self.frames)
        on_cells = made_by_recursion(model, what, self.frames)
        made, numbers = (
            self._tree_program() if on_cells else function_program(model, what, self.parameters, self.frames)
        )
        if tuple(made.outputs) != tuple(outputs):
            made = made.giving(tuple(outputs))
        BlockFunction.__init__(self, f"{what} of {model.name!r}", made, numbers, outputs, threads)

    def _tree_program(self) -> tuple[Program, Numbers]:
        structure = parametrized(self.model, self.parameters)
        recursion, *options = recursion_of(self.what)
        return program(structure, structure.digest(), recursion, *options), structure.numbers.values()
