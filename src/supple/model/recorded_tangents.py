"""Exact derivatives of what is recorded on graph nodes: tangents of its blocks, shared by all models of a structure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.program_cache import PROGRAMS
from supple.engines.blocks.tangent_groups import Pass
from supple.engines.blocks.tangent_program import BoundTangents, TangentProgram
from supple.engines.llvm.batches import CORES

Numbers = NDArray[np.float64]


def differentiated_program(program: Program, by: tuple[str, ...], results: tuple[str, ...]) -> TangentProgram:
    """A program with the derivatives of some of its outputs by some of its inputs, each entry by itself."""

    def make() -> TangentProgram:
        seeds = {name: program.inputs[name] for name in by}
        return TangentProgram(program, [Pass(seeds, {name: program.outputs[name] for name in results})], {})

    return PROGRAMS.get(("tangents", program, by, results), make)


class RecordedTangents:
    """A recorded function with derivatives, and its numbers.

    Parameters
    ----------
    recorded : Program and the numbers that it loads
        As `recorded_program` or `Formulation.block_program` give them.
    by, results : sequence of str
        Inputs by which it is differentiated, and outputs that are.
    """

    def __init__(self, recorded: tuple[Program, Numbers], by: Sequence[str], results: Sequence[str]) -> None:
        program, numbers = recorded
        self.bound = BoundTangents(differentiated_program(program, tuple(by), tuple(results)), numbers)

    def __call__(self, *inputs: Numbers) -> dict[str, Numbers]:
        """Outputs (s, n) by name and derivatives (s, m, k) as "d<output>_d<input>", from inputs (s, n)."""
        return self.bound.by_name(inputs, CORES)
