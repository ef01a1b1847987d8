"""A program of blocks with numbers, called with arrays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from supple.engines.blocks.block_program import Bound, Loaded, Program
from supple.engines.blocks.driven_code import Numbers
from supple.engines.llvm.batch_function import BatchFunction
from supple.engines.llvm.entries import BLOCKS, Words, record
from supple.engines.llvm.jit import host_lanes


class BlockFunction(BatchFunction):
    """A function made of blocks, evaluated for one state or, one state a SIMD lane, for whole batches.

    Parameters
    ----------
    name : str
        For messages.
    program : Program
    numbers : array
        All numbers that it loads.
    outputs : mapping of str to tuple of int
        Names and shapes of the results.
    threads : int, optional
        Most cores that are used; all if not given.
    lanes : int, optional
        States side by side where other machine code calls it; as many as the processor has lanes if not given.

    Attributes
    ----------
    program : Program
    numbers : array
    """

    def __init__(
        self,
        name: str,
        program: Program,
        numbers: Numbers,
        outputs: Mapping[str, tuple[int, ...]],
        threads: int | None = None,
        lanes: int | None = None,
    ) -> None:
        lengths = {key: size for key, (_, size) in program.inputs.items()}
        super().__init__(name, lengths, outputs, program.weight, threads)
        self.program, self.lanes = program, lanes or host_lanes()
        self.numbers = numbers
        self._records: dict[int, tuple[Words, Loaded, Numbers]] = {}

    def _one_state(self) -> Callable[..., Any] | None:
        return Bound(self.program, self.numbers).call(self.outputs, otherwise=self.evaluate)

    @property
    def address(self) -> int:
        """Of a record with memory of this thread."""
        own = threading.get_ident()
        if own not in self._records:
            loaded = self.program.loaded(self.lanes)
            memory = loaded.memory()
            pointers = (x.ctypes.data for x in (loaded.words, memory, self.numbers))
            self._records[own] = record(BLOCKS, loaded.driver, *pointers), loaded, memory
        return int(self._records[own][0].ctypes.data)

    def _evaluate(self, first: int, last: int, arrays: Sequence[Numbers]) -> None:
        lanes = host_lanes()
        loaded = self.program.side_by_side(lanes if last - first >= 2 * lanes else 1)
        loaded.tiers.expect((last - first) // loaded.lanes)
        loaded.run(first, last, arrays, self.numbers)

    def foresee(self, evaluations: int) -> None:
        """Tell how often other machine code is about to call it, see `Tiers.foresee`."""
        self.program.loaded(self.lanes).tiers.foresee(evaluations)

    def one_by_one(self, *inputs: Numbers) -> list[Numbers]:
        """Outputs (states, n) from inputs (1 or states, n), contiguous, by the code for one state.

        For few states, which are not worth code for states side by side.
        """
        states = max(len(x) for x in inputs)
        outs = [np.empty((states, size)) for _, size in self.program.outputs.values()]
        loaded = self.program.loaded(1)
        loaded.tiers.expect(states)
        loaded.run(0, states, [*inputs, *outs], self.numbers)
        return outs
