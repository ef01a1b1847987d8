"""A recursion as a program: the blocks of its structure in order, run on any numbers of that structure."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from supple.engines.blocks.block_recorder import LENGTH, MEMORY, NUMBERS, BlockRecorder
from supple.engines.blocks.blocks import ENCODER, Block, Instance, instances, needed
from supple.engines.blocks.cell_sharing import in_less_memory
from supple.engines.blocks.cells import Cells
from supple.engines.blocks.driven_code import DrivenCode, Numbers, Words
from supple.engines.blocks.library import Library
from supple.engines.blocks.tiers import Tables, TieredFunctions, Tiers
from supple.engines.llvm import caller
from supple.engines.llvm.batches import spread
from supple.engines.llvm.entries import BLOCKS, record
from supple.engines.llvm.jit import host_lanes
from supple.engines.once import once

MARGIN = "margin"
"""The output that is not positive where the others mean nothing."""
STORED = ("cells", "inputs", "outputs", "shapes", "judged", "weight")
"""What is known of a program besides its instances."""
GROUPS, NEAR = 2, 40_000
"""Most groups of states that go through a block in turn, and bytes of memory that they may take together: what the
nearest cache of common processors holds beside numbers and tables."""


@once
def library(lanes: int) -> Library:
    """The functions of this process."""
    return Library(lanes)


class Program:
    """What a recording computes: inputs to outputs, for one structure of model.

    Parameters
    ----------
    recorder : BlockRecorder
        With the whole recursion.
    inputs, outputs : mapping of str to Cells
    margin : Cells, optional
        One more output, one number: not positive where the outputs mean nothing.
    kept : sequence of Cells
        What is computed though it is no output.
    """

    def __init__(
        self,
        recorder: BlockRecorder,
        inputs: Mapping[str, Cells],
        outputs: Mapping[str, Cells],
        margin: Cells | None = None,
        kept: Sequence[Cells] = (),
    ) -> None:
        recorder.end()
        self.cells = recorder.cells
        self.inputs = {name: (x.first, x.size) for name, x in inputs.items()}
        results = dict(outputs) | ({} if margin is None else {MARGIN: margin})
        self.outputs = {name: (x.first, x.size) for name, x in results.items()}
        self.shapes = {name: x.shape for name, x in outputs.items()}
        self.judged = margin is not None
        wanted = [at for first, size in self.outputs.values() for at in range(first, first + size)]
        wanted += [at for x in kept for at in range(x.first, x.first + x.size)]
        self.instances: list[Instance] = instances(recorder, wanted)
        self.weight = sum(x.weight for x in self.instances)
        self._unload()

    def _unload(self) -> None:
        self._loaded: dict[int, Loaded] = {}
        self._small: Program | None = None
        self._parts: dict[tuple[str, ...], Program] = {}
        self._lock = threading.Lock()

    def with_instances(self, instances: list[Instance], cells: int) -> Program:
        """The same inputs and outputs by other blocks."""
        other = copy(self)
        other.instances, other.cells = instances, cells
        other._unload()
        return other

    def giving(self, names: Sequence[str]) -> Program:
        """The same with these outputs only, without the blocks that none of them needs; one program for all callers."""
        key = tuple(names)
        with self._lock:
            if key not in self._parts:
                other = self._parts[key] = copy(self)
                other.outputs = {name: self.outputs[name] for name in names}
                other.shapes = {name: self.shapes[name] for name in names}
                other.instances = needed(self.instances, self.cells, other.outputs.values())
                other.weight = sum(x.weight for x in other.instances)
                other._unload()
            return self._parts[key]

    @property
    def has_loops(self) -> bool:
        """Whether any block is a step in loops, which has no tangent."""
        return any(x.block.loops for x in self.instances)

    def written(self) -> bytes:
        """All of it as text, for `read`: what it is called with, the rows of its instances, its blocks."""
        blocks = {x.block.name: x.block for x in self.instances}
        number = {name: i for i, name in enumerate(blocks)}
        head = {name: getattr(self, name) for name in STORED}
        rows = [(number[x.block.name], x.rows) for x in self.instances]
        return "\n".join([ENCODER.encode(head), ENCODER.encode(rows), *(x.text for x in blocks.values())]).encode()

    @classmethod
    def read(cls, content: bytes) -> Program:
        """The program that was written."""
        head, rows, *texts = content.decode().split("\n")
        blocks = [Block(text) for text in texts]
        found = cls.__new__(cls)
        for name, x in json.loads(head).items():
            setattr(found, name, {key: tuple(y) for key, y in x.items()} if isinstance(x, dict) else x)
        found.instances = [Instance(blocks[i], tuple(own)) for i, own in json.loads(rows)]
        found._unload()
        return found

    def loaded(self, lanes: int) -> Loaded:
        """The program in machine code."""
        with self._lock:
            if lanes not in self._loaded:
                self._loaded[lanes] = Loaded(self, lanes)
            return self._loaded[lanes]

    def side_by_side(self, lanes: int) -> Loaded:
        """The program in machine code for batches, whose cells nobody looks at: in as few of them as it can."""
        if lanes == 1:
            return self.loaded(1)
        with self._lock:
            if self._small is None:
                self._small = in_less_memory(self)
        return self._small.loaded(lanes)


class Loaded(DrivenCode):
    """A program in machine code for one number of lanes."""

    def __init__(self, program: Program, lanes: int) -> None:
        self.lanes, self._program = lanes, program
        own = library(lanes)
        blocks = [x.block for x in program.instances]
        self._functions = TieredFunctions(blocks, own.blocks, own.block_instructions, own.interpreter)
        width = {MEMORY: 8 * lanes, NUMBERS: 8, LENGTH: 1}
        self._tables = Tables(
            [
                [row * width[space] for space, row in zip(x.block.spaces, x.rows, strict=True)]
                for x in program.instances
            ],
            self._functions.instructions(),
        )
        self._bytes = 8 * lanes * program.cells
        self._groups = 1 if lanes == 1 else max(1, min(GROUPS, NEAR // max(self._bytes, 1)))
        words, self.tiers = self.written(len(program.outputs))
        super().__init__(words, own.driver(), self._bytes * self._groups)

    def written(self, outputs: int) -> tuple[Words, Tiers]:
        """The program in words with its first outputs, see `driver_text`, and its functions."""
        program = self._program
        arrays = [*program.inputs.values(), *list(program.outputs.values())[:outputs]]
        words = [0, 0, len(program.inputs), outputs, len(program.instances), self.lanes * self._groups, self._bytes]
        words += [word for x in arrays for word in x]
        tables = self._tables.addresses
        calls = np.stack([np.zeros_like(tables), tables], axis=1)
        found = np.concatenate([np.array(words, dtype=np.int64), calls.ravel()])
        return found, Tiers(found, range(len(words), len(found), 2), self._functions)


class BoundProgram:
    """A program with the numbers of one model: called with one state, with batches, or by other machine code.

    Parameters
    ----------
    program : Program
    numbers : array
        All numbers of the model, as the recording laid them out.
    lanes : int, optional
        States side by side where other machine code calls it; as many as the processor has lanes if not given.
    """

    def __init__(self, program: Program, numbers: Numbers, lanes: int | None = None) -> None:
        self.program, self.numbers, self.lanes = program, numbers, lanes or host_lanes()
        self._records: dict[int, tuple[Words, Loaded, Numbers]] = {}

    @property
    def inputs(self) -> dict[str, int]:
        """Names and lengths of the inputs."""
        return {name: size for name, (_, size) in self.program.inputs.items()}

    @property
    def results(self) -> dict[str, int]:
        """Names and lengths of the outputs, the margin among them."""
        return {name: size for name, (_, size) in self.program.outputs.items()}

    @property
    def weight(self) -> int:
        """Operations of one state, roughly."""
        return self.program.weight

    @cached_property
    def one(self) -> Any:
        """`one(*inputs, *outputs)` evaluates one state; gives the last array, or None if it could not (see `caller`).

        The arrays of the outputs may be left out. Where there is a margin it is no argument.
        """
        shapes = {name: (size,) for name, (_, size) in self.program.outputs.items() if name != MARGIN}
        return self.call(shapes)

    def call(self, outputs: Mapping[str, tuple[int, ...]], **options: Any) -> Callable[..., Any]:
        """Return a built-in function of one state that gives some outputs in these shapes, or None if it could not.

        See `caller.Arrays` for the options `scalars` and `quaternions`, and `caller.one_state` for `otherwise`.
        """
        if not caller.possible():
            return lambda *arrays: None
        program, otherwise = self.program, options.pop("otherwise", None)
        loaded = program.loaded(1)
        memory = loaded.memory()
        names = [name for name in program.outputs if not (program.judged and name == MARGIN)]
        words, tiers = loaded.written(len(names))
        count, margin = len(program.inputs), 0
        if program.judged:
            margin = memory.ctypes.data + 8 * program.outputs[MARGIN][0]
        elif MARGIN in names and MARGIN not in outputs:
            margin = -(count + names.index(MARGIN))
        sizes = [size for _, size in (*program.inputs.values(), *(program.outputs[name] for name in names))]
        places = {count + names.index(name): shape for name, shape in outputs.items()}
        arrays = caller.Arrays(sizes, count, places, **options)
        code = words, memory, self.numbers
        found: Callable[..., Any] = caller.one_state(loaded.driver, arrays, code, margin, (loaded, tiers), otherwise)
        return found

    @property
    def address(self) -> int:
        """Of a record by which other machine code calls it, with memory of this thread; see `entries`."""
        own = threading.get_ident()
        if own not in self._records:
            loaded = self.program.loaded(self.lanes)
            memory = loaded.memory()
            pointers = (x.ctypes.data for x in (loaded.words, memory, self.numbers))
            self._records[own] = record(BLOCKS, loaded.driver, *pointers), loaded, memory
        return int(self._records[own][0].ctypes.data)

    def foresee(self, evaluations: int) -> None:
        """Tell how often other machine code is about to call it, see `Tiers.foresee`."""
        self.program.loaded(self.lanes).tiers.foresee(evaluations)

    def batch(
        self,
        inputs: Sequence[Numbers],
        states: int,
        threads: int = 1,
        outs: Sequence[Numbers] | None = None,
        worth: int = 0,
    ) -> list[Numbers]:
        """Outputs (states, n), the margin last, from inputs (1 or states, n), contiguous doubles.

        Up to `worth` operations in all, states are not put side by side: code for one state is there already or soon.
        The results are new arrays, or fill those of `outs`.
        """
        lanes = host_lanes()
        few = states * self.program.weight <= worth
        loaded = self.program.side_by_side(lanes if states >= 2 * lanes and not few else 1)
        loaded.tiers.expect(states // loaded.lanes)
        found = [np.empty((states, size)) for size in self.results.values()] if outs is None else list(outs)
        arrays = [*inputs, *found]

        def part(first: int, last: int) -> None:
            loaded.run(first, last, arrays, self.numbers)

        if states:
            spread(part, states, threads, self.program.weight)
        return found

    def one_by_one(self, *inputs: Numbers) -> list[Numbers]:
        """Outputs (states, n) from inputs (1 or states, n), contiguous, by the code for one state."""
        states = max(len(x) for x in inputs)
        return self.batch(inputs, states, worth=states * self.program.weight)
