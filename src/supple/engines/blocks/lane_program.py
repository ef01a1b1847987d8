"""Programs whose lanes have numbers of their own: each state is a model of one structure with other numbers.

The numbers that blocks load become cells of memory, one more input. A program then runs many steps at a time, and gives
what it has found at some of them: see `lane_driver`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from supple.engines.blocks.block_program import Loaded, Program, library
from supple.engines.blocks.block_recorder import MEMORY, NUMBERS
from supple.engines.blocks.blocks import SEPARATOR, Block, Instance
from supple.engines.blocks.cell_sharing import in_less_memory
from supple.engines.blocks.driven_code import Numbers, Words
from supple.engines.blocks.lane_driver import COUNTS
from supple.engines.llvm.batches import spread
from supple.engines.llvm.jit import host_lanes

OWN = "numbers"
"""The input that holds the numbers of a state."""
CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 6)
PAUSE = 1 << 28
"""Operations, roughly, between two looks at the keyboard: some tenths of a second."""


class Schedule(NamedTuple):
    """Evaluations before each sample: how many (k,), the time of the first and the time between them (k, 2), s."""

    counts: Words
    times: Numbers

    @staticmethod
    def at(times: Numbers) -> Schedule:
        """One evaluation at each time."""
        return Schedule(np.ones(len(times), dtype=np.int64), np.stack([times, np.zeros_like(times)], axis=1))


def with_own_numbers(program: Program, count: int) -> Program:
    """The same program with its numbers, so many, as one more input of every state."""
    blocks: dict[str, Block] = {}
    found = []
    for x in program.instances:
        if NUMBERS not in x.block.spaces:
            found.append(x)
            continue
        if x.block.name not in blocks:
            spaces, *rest = x.block.text.split(SEPARATOR)
            blocks[x.block.name] = Block(SEPARATOR.join([spaces.replace(f'"{NUMBERS}"', f'"{MEMORY}"'), *rest]))
        shifts = (program.cells if space == NUMBERS else 0 for space in x.block.spaces)
        rows = tuple(row + shift for row, shift in zip(x.rows, shifts, strict=True))
        found.append(Instance(blocks[x.block.name], rows))
    other = program.with_instances(found, program.cells + count)
    other.inputs = program.inputs | {OWN: (program.cells, count)}
    return other


class LaneProgram:
    """A program in lanes with their own numbers.

    Parameters
    ----------
    program : Program
    count : int
        How many numbers it loads.
    fed_back : tuple of str, optional
        An output that is the next evaluation's input, and that input.
    """

    def __init__(self, program: Program, count: int, fed_back: tuple[str, str] | None = None) -> None:
        self.program = in_less_memory(with_own_numbers(program, count), repeated=True)
        self._loaded: dict[int, Loaded] = {}
        scratch = self.program.cells
        self.program.cells += 1
        first = {name: at for name, (at, _) in self.program.inputs.items()}
        words = [first.get("t", scratch), first.get("h", scratch), scratch, scratch, 0]
        if fed_back is not None:
            source, length = self.program.outputs[fed_back[0]]
            words[2:] = [source, first[fed_back[1]], length]
        self._words = words

    def run(self, inputs: Mapping[str, Numbers], schedule: Schedule, threads: int = 1) -> dict[str, Numbers]:
        """Outputs (states, samples, n) of all states.

        Parameters
        ----------
        inputs : mapping of name to (1, n), (states, n) or (states, samples, n) array
            All but time and step, which the schedule gives; the last where each sample has its own.
        schedule : Schedule
        threads : int
            Most cores that are used.
        """
        given = ((inputs.get(name), size) for name, (_, size) in self.program.inputs.items())
        arrays = [np.zeros((1, size)) if x is None else _rows(x) for x, size in given]
        states, samples = max(len(x) for x in arrays), len(schedule.counts)
        outs = [np.empty((states, samples, size)) for _, size in self.program.outputs.values()]
        if not (states and samples):
            return dict(zip(self.program.outputs, outs, strict=True))
        lanes = host_lanes() if states > 1 else 1
        loaded = self._in_lanes(lanes)
        evaluations = int(schedule.counts.sum())
        loaded.tiers.expect(evaluations * -(-states // lanes))
        call = _Call(loaded, [*arrays, *outs], [*self._words, samples, *schedule.counts.tolist()], schedule.times)
        groups = max(1, PAUSE // max(1, self.program.weight * evaluations * lanes))

        def part(first: int, last: int) -> None:
            memory = loaded.memory()
            for start in range(first, last, lanes * groups):
                call.run(start, min(last, start + lanes * groups), memory)

        spread(part, states, threads, self.program.weight * evaluations)
        return dict(zip(self.program.outputs, outs, strict=True))

    def _in_lanes(self, lanes: int) -> Loaded:
        if lanes not in self._loaded:
            self._loaded[lanes] = Loaded(self.program, lanes)
        return self._loaded[lanes]


def _rows(x: Numbers) -> Numbers:
    """Rows of numbers, each of them contiguous; of (states, n) they may be parts of longer ones."""
    part = x.ndim == 2 and x.dtype == np.float64 and (x.strides[1] == 8 or x.shape[1] == 1) and x.strides[0] % 8 == 0
    return x if part else np.ascontiguousarray(x, dtype=float)


_made: WeakKeyDictionary[Program, dict[tuple[int, tuple[str, str] | None], LaneProgram]] = WeakKeyDictionary()


def lane_program(program: Program, count: int, fed_back: tuple[str, str] | None = None) -> LaneProgram:
    """A program in lanes; the same one for all who ask for it, as long as there is the program."""
    made = _made.setdefault(program, {})
    if (count, fed_back) not in made:
        made[count, fed_back] = LaneProgram(program, count, fed_back)
    return made[count, fed_back]


class _Call:
    """Arguments of the driver, kept as long as it runs."""

    def __init__(self, loaded: Loaded, arrays: Sequence[Numbers], loop: Sequence[int], times: Numbers) -> None:
        self._loaded, self._arrays = loaded, arrays
        self._driver = CALL(library(loaded.lanes).lane_driver)
        self._pointers = np.array([x.ctypes.data for x in arrays], dtype=np.int64)
        self._strides = np.array(
            [0 if len(x) == 1 and x.ndim == 2 else x.strides[0] // 8 for x in arrays], dtype=np.int64
        )
        self._rows = np.array([x.shape[2] if x.ndim == 3 else 0 for x in arrays], dtype=np.int64)
        self._loop = np.array(loop, dtype=np.int64)
        self._times = np.ascontiguousarray(times, dtype=float)
        assert len(self._loop) == COUNTS + len(self._times)

    def run(self, start: int, stop: int, memory: Numbers) -> None:
        """Run the states start ... stop - 1."""
        parts = (self._pointers, self._strides, memory, self._rows, self._loop, self._times)
        self._driver(self._loaded.words.ctypes.data, start, stop, *(x.ctypes.data for x in parts))
