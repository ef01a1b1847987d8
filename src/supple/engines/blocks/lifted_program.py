"""Functions of a graph as programs: the constants are loaded, so that those of one structure share their code."""

from __future__ import annotations

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import LARGE, NUMBERS
from supple.engines.blocks.driven_code import Numbers
from supple.engines.blocks.graph_recorder import GraphRecorder
from supple.engines.blocks.program_cache import PROGRAMS
from supple.expressions.function import Function
from supple.expressions.lifting import LiftedFunction


def lifted_program(function: Function, largest: int = LARGE) -> tuple[Program, Numbers]:
    """Return a function as a program, and the constants that it loads.

    Parameters
    ----------
    function : Function
    largest : int
        See `GraphRecorder`.
    """
    lifted = LiftedFunction(function)

    def make() -> Program:
        recorder = GraphRecorder(largest=largest)
        inputs = {name: recorder.new_inputs(name, map(str, range(x.size))) for name, x in function.inputs.items()}
        leaves = {
            old: new for name, x in function.inputs.items() for old, new in zip(x.flat, inputs[name], strict=True)
        }
        outputs = lifted.moved(recorder, leaves, lambda i: recorder.load(NUMBERS, i, 0))
        made = recorder.program(inputs, outputs)
        recorder.release()
        return made

    return PROGRAMS.stored(Program, (lifted.digest, largest), make), lifted.numbers
