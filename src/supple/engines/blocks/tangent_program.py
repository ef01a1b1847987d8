"""A program with its Jacobians: values once, then changes along directions.

Of one state the lanes are directions, as many at a time as there are lanes; directions that move the same blocks share
a group. Of many states the lanes are states, and every direction goes by itself through the blocks that it moves.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import ALIGNED, Numbers, Program, library
from supple.engines.blocks.tangent_blocks import LinearBlock
from supple.engines.blocks.tangent_driver import TANGENT_DRIVER, driver_text
from supple.engines.blocks.tangent_groups import Analysis, Group, Pass, PassAnalysis, taped
from supple.engines.blocks.tangent_results import RESULTS
from supple.engines.llvm import caller
from supple.engines.llvm.batches import spread
from supple.engines.llvm.jit import function_of, host_lanes

Words = NDArray[np.int64]
WIDEST = 8
"""Most lanes: blocks of columns may reach beyond the last one."""


class Jacobian(NamedTuple):
    """Changes of a result along the directions of an input: an array (result, directions)."""

    result: str
    by: str


class TangentProgram:
    """Outputs of a program and Jacobians.

    Parameters
    ----------
    program : Program
    passes : sequence of Pass
    alias : mapping of int to int
        Cells whose changes are those of other cells.
    matrix : int
        First cell of the matrix W, if a pass fills one.

    Attributes
    ----------
    jacobians : dict of Jacobian to tuple of int
        Shapes (result, directions), in the order of the arrays, which come after those of the program's outputs.
    span : int
        Cells that may have changes.
    """

    def __init__(self, program: Program, passes: Sequence[Pass], alias: Mapping[int, int], matrix: int = 0) -> None:
        self.program, self.passes, self.matrix = program, tuple(passes), matrix
        self.jacobians = {
            Jacobian(name, by): (size, count)
            for own in passes
            for name, (_, size) in own.results.items()
            for by, (_, count) in own.seeds.items()
        }
        linear = {x.block.name: LinearBlock(x.block) for x in program.instances}
        self.analyses: Sequence[Analysis] = [PassAnalysis(program, linear, alias, own) for own in passes]
        needed = [x for analysis in self.analyses for x in analysis.needed]
        self.values, self._tapes, self._places = taped(program, linear, needed)
        self.rows = max((size for own in passes for _, size in own.results.values()), default=0)
        self.pitch = sum(n for own in passes if own.into == "matrix" for _, n in own.seeds.values()) + WIDEST
        self.factors = self.values.cells
        self.values.cells += self.rows * self.pitch
        self.weight = program.weight + sum(int(x.operations.sum()) for x in needed)
        self.span = program.cells
        self._loaded: dict[tuple[int, bool], LoadedTangents] = {}
        self._lock = threading.Lock()

    def shift(self, own: Pass, by: str) -> int:
        """The first column of an input among those of D."""
        if own.into != "matrix":
            return 0
        names = list(own.seeds)
        return sum(own.seeds[name][1] for name in names[: names.index(by)])

    def groups(self, size: int) -> list[tuple[Pass, Group]]:
        """All groups of so many directions, in order."""
        return [
            (analysis.own, group)
            for analysis in self.analyses
            for group in analysis.groups(size, self._tapes, self._places)
        ]

    def loaded(self, lanes: int, states: bool) -> LoadedTangents:
        """The program in machine code, with so many states or directions side by side."""
        with self._lock:
            if (lanes, states) not in self._loaded:
                self._loaded[lanes, states] = LoadedTangents(self, lanes, states)
            return self._loaded[lanes, states]


class LoadedTangents:
    """A program with its Jacobians in machine code."""

    def __init__(self, program: TangentProgram, lanes: int, states: bool) -> None:
        self._program, self.lanes, self.states = program, lanes, states
        self._width = lanes if states else 1
        self._values = program.values.loaded(self._width)
        groups = program.groups(1 if states else lanes)
        visits = [x for _, group in groups for x in group.visits]
        self._addresses = library(lanes).tangents((x.block for x in visits), states)
        self._ranks = _ranks(program.span, [group for _, group in groups])
        offsets = [at for x in visits for at in (self._width * x.tape, *(lanes * self._ranks[row] for row in x.rows))]
        self._tables = 8 * np.array(offsets, dtype=np.int32)
        self._results: list[Words] = []
        self._offset = (8 * self._width * program.values.cells + ALIGNED - 1) // ALIGNED * ALIGNED
        self.words: Words = np.array(self._written(groups), dtype=np.int64)
        self.driver = function_of(TANGENT_DRIVER, driver_text(lanes, states))[1]
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 4)
        self._call = kind(self.driver)
        self._local = threading.local()

    # ------------------------------------------------------------ the program in words, see `tangent_driver`

    def _written(self, groups: list[tuple[Pass, Group]]) -> list[int]:
        program = self._program
        filled = [own.into == "scatter" for own in program.passes for _ in own.results for _ in own.seeds]
        sizes = [m * n if fill else 0 for (m, n), fill in zip(program.jacobians.values(), filled, strict=True)]
        finals = self._finals(groups)
        words = [self._values.driver, self._values.words.ctypes.data, self._offset]
        words += [self._first, len(sizes), len(groups) + len(finals), *sizes]
        at = self._tables.ctypes.data
        for own, group in groups:
            words += [len(group.seeds), *(self._offset_of(cell) for cell in group.seeds), len(group.visits)]
            for x in group.visits:
                words += [self._addresses[x.block.name], at]
                at += 4 * (1 + len(x.rows))
            words += self._finished(own.into, self._table(own, group))
        for into, table in finals:
            words += [0, 0, *self._finished(into, table)]
        return words

    @property
    def _first(self) -> int:
        """The first array that is a Jacobian."""
        return len(self._program.program.inputs) + len(self._program.program.outputs)

    def _offset_of(self, cell: int) -> int:
        """Byte offset of the changes of a cell."""
        return 8 * self.lanes * int(self._ranks[cell])

    def _array(self, result: str, by: str) -> int:
        return self._first + list(self._program.jacobians).index(Jacobian(result, by))

    def _finished(self, into: str, table: list[int]) -> list[int]:
        """Addresses of the function that takes results and of its table; functions look as far as there are lanes."""
        self._results.append(np.array(table + [0] * (3 * self.lanes), dtype=np.int64))
        address = function_of(into, RESULTS[into](self.lanes, self.states))[1]
        return [address, self._results[-1].ctypes.data]

    def _table(self, own: Pass, group: Group) -> list[int]:
        """What is told to the function that takes the results of a group."""
        program = self._program
        table = [len(own.results)] if own.into == "scatter" else [8 * self._width * program.matrix, program.rows]
        if own.into == "matrix":
            table = [8 * self._width * program.factors, program.pitch]
        for name, (start, size) in own.results.items():
            table.append(len(group.directions))
            for by, column in group.directions:
                columns = program.jacobians[Jacobian(name, by)][1]
                table += [self._array(name, by), column + program.shift(own, by), columns]
            rows = [i for i in range(size) if start + i in group.cells]
            table += [len(rows), *(word for i in rows for word in (self._offset_of(start + i), i))]
        return table

    def _finals(self, groups: list[tuple[Pass, Group]]) -> list[tuple[str, list[int]]]:
        """What is done after all groups: W copied to its array, -W D to theirs."""
        program, found = self._program, list[tuple[str, list[int]]]()
        at = 8 * self._width * program.matrix
        for own in program.passes:
            for name, by in ((name, by) for name in own.results for by in own.seeds):
                array = self._array(name, by)
                if own.into == "symmetric":
                    found.append(("copied", [at, program.rows**2, array]))
                elif own.into == "matrix":
                    columns = own.seeds[by][1]
                    first = 8 * self._width * (program.factors + program.shift(own, by))
                    table = [at, program.rows, first, array, columns]
                    found.append(("product", table + self._blocks(own, by, columns, groups)))
        return found

    def _blocks(self, own: Pass, by: str, columns: int, groups: list[tuple[Pass, Group]]) -> list[int]:
        """Blocks of columns of D, and in each the rows that are not zero."""
        ((start, size),) = own.results.values()
        used: list[set[int]] = [set() for _ in range(columns)]
        for one, group in groups:
            for name, column in group.directions if one is own else ():
                if name == by:
                    used[column] = {i for i in range(size) if start + i in group.cells}
        table = [len(range(0, columns, self.lanes))]
        for first in range(0, columns, self.lanes):
            rows = sorted(set[int]().union(*used[first : first + self.lanes]))
            table += [first, min(self.lanes, columns - first), len(rows)]
            for row in rows:
                table += [
                    8 * self._width * row * self._program.rows,
                    8 * self._width * (row * self._program.pitch + first),
                ]
        return table

    # ------------------------------------------------------------ runs

    def memory(self) -> Numbers:
        """New cells for values and changes, all zero, aligned."""
        size = self._offset // 8 + self.lanes * (int(self._ranks[-1]) + 1)
        raw = np.zeros(size + ALIGNED // 8)
        first = -raw.ctypes.data % ALIGNED // 8
        return raw[first : first + size]

    def run(self, start: int, stop: int, arrays: Sequence[Numbers], numbers: Numbers) -> None:
        """Evaluate the states start ... stop - 1: arrays (1 or states, n): inputs, outputs, Jacobians."""
        try:
            memory = self._local.memory
        except AttributeError:
            memory = self._local.memory = self.memory()
        pointers = np.array([x.ctypes.data for x in arrays], dtype=np.int64)
        strides = np.array([0 if len(x) == 1 else x.shape[1] for x in arrays], dtype=np.int64)
        data: list[Any] = [x.ctypes.data for x in (pointers, strides, memory, numbers)]
        self._call(self.words.ctypes.data, start, stop, *data)


def _ranks(cells: int, groups: Sequence[Group]) -> Words:
    """Places of cells in the memory of changes: side by side those that any direction moves, rows kept together."""
    used = np.zeros(cells + 1, dtype=bool)
    for group in groups:
        used[list(group.seeds)] = True
        for x in group.visits:
            for row, length in zip(x.rows, x.block.lengths, strict=True):
                used[row : row + length] = True
    return np.maximum(np.cumsum(used) - 1, 0)


class BoundTangents:
    """A program with its Jacobians and the numbers of one model."""

    def __init__(self, program: TangentProgram, numbers: Numbers) -> None:
        self.program, self._numbers = program, numbers

    @cached_property
    def sizes(self) -> list[int]:
        """Of the outputs, then of the Jacobians."""
        values = [size for _, size in self.program.program.outputs.values()]
        return values + [m * n for m, n in self.program.jacobians.values()]

    @cached_property
    def one(self) -> Any:
        """`one(*inputs, *outputs, *jacobians)`, all flat, for one state; gives the last array, or None if it could not.

        See `caller`. Calls share memory and come one by one, as Python makes them.
        """
        if not caller.possible():
            return lambda *arrays: None
        loaded = self.program.loaded(host_lanes(), False)
        lengths = [size for _, size in self.program.program.inputs.values()] + self.sizes
        return caller.one_state(loaded.driver, lengths, (loaded.words, loaded.memory(), self._numbers), 0, loaded)

    def batch(
        self, inputs: Sequence[Numbers], states: int, threads: int = 1, outs: Sequence[Numbers] | None = None
    ) -> list[Numbers]:
        """Outputs and Jacobians (states, n) from inputs (1 or states, n), contiguous doubles."""
        lanes = host_lanes()
        loaded = self.program.loaded(lanes, states >= 2 * lanes)
        results = [np.empty((states, size)) for size in self.sizes] if outs is None else list(outs)
        arrays = [*inputs, *results]

        def part(first: int, last: int) -> None:
            loaded.run(first, last, arrays, self._numbers)

        if states:
            spread(part, states, threads, self.program.weight)
        return results

    def evaluated(self, inputs: Sequence[Numbers], threads: int = 1) -> list[Numbers]:
        """The same from any arrays (s, n); one state without any detour, see `one`."""
        rows = [np.ascontiguousarray(x, dtype=np.float64) for x in inputs]
        if len(rows[0]) == 1:
            flat = [np.empty(size) for size in self.sizes]
            if self.one(*(x[0] for x in rows), *flat) is flat[-1]:
                return [x[None] for x in flat]
        return self.batch(rows, len(rows[0]), threads)

    def by_name(self, inputs: Sequence[Numbers], threads: int = 1) -> dict[str, Numbers]:
        """Outputs (s, n) by name and derivatives (s, m, k) as "d<output>_d<input>", from inputs (s, n)."""
        found = iter(self.evaluated(inputs, threads))
        results = {name: next(found) for name in self.program.program.outputs}
        for (name, by), shape in self.program.jacobians.items():
            results[f"d{name}_d{by}"] = next(found).reshape(len(inputs[0]), *shape)
        return results
