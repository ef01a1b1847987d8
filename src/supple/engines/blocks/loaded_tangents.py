"""A program with its Jacobians in machine code."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.engines.blocks.block_program import library
from supple.engines.blocks.branch_solve import factor, factor_table, solve, solve_table, vectors
from supple.engines.blocks.driven_code import ALIGNED, DrivenCode, Words
from supple.engines.blocks.tangent_driver import TANGENT_DRIVER, driver_text
from supple.engines.blocks.tangent_groups import Group, Pass
from supple.engines.blocks.tangent_results import RESULTS
from supple.engines.blocks.tiers import Tables, TieredFunctions, Tiers
from supple.engines.llvm.jit import function_of

if TYPE_CHECKING:
    from supple.engines.blocks.tangent_program import TangentProgram


class Jacobian(NamedTuple):
    """Changes of a result along the directions of an input: an array (result, directions)."""

    result: str
    by: str


class LoadedTangents(DrivenCode):
    """A program with its Jacobians in machine code."""

    def __init__(self, program: TangentProgram, lanes: int, states: bool) -> None:
        self._program, self.lanes, self.states = program, lanes, states
        self._width = lanes if states else 1
        self._values = program.values.loaded(self._width)
        groups = program.groups(1 if states else lanes)
        visits = [x for _, group in groups for x in group.visits]
        own = library(lanes)
        self._functions = TieredFunctions(
            [x.block for x in visits],
            partial(own.tangents, states=states),
            partial(own.tangent_instructions, states=states),
            own.interpreter,
        )
        self._places: list[int] = []
        self._ranks = _ranks(program.span, [group for _, group in groups])
        ranks = self._ranks.tolist()
        self._tables = Tables(
            [[8 * self._width * x.tape, *(8 * lanes * ranks[row] for row in x.rows)] for x in visits],
            self._functions.instructions(),
        )
        self._results: list[Words] = []
        self._offset = (8 * self._width * program.values.cells + ALIGNED - 1) // ALIGNED * ALIGNED
        words = np.array(self._written(groups), dtype=np.int64)
        driver = function_of(TANGENT_DRIVER, driver_text(lanes, states))[1]
        self.tiers = Tiers(words, self._places, self._functions)
        super().__init__(words, driver, self._offset + 8 * lanes * (int(self._ranks[-1]) + 1))

    # ------------------------------------------------------------ the program in words, see `tangent_driver`

    def _written(self, groups: list[tuple[Pass, Group]]) -> list[int]:
        program = self._program
        filled = [own.into == "scatter" for own in program.passes for _ in own.results for _ in own.seeds]
        filled += [False] * len(program.known)
        sizes = [m * n if fill else 0 for (m, n), fill in zip(program.jacobians.values(), filled, strict=True)]
        finals = self._finals(groups)
        words = [0, 0, self._values.driver, self._values.words.ctypes.data, self._offset]
        words += [self._first, len(sizes), len(groups) + len(finals), *sizes]
        tables = iter(self._tables.addresses.tolist())
        for own, group in groups:
            words += [len(group.seeds), *(self._offset_of(cell) for cell in group.seeds), len(group.visits)]
            for _ in group.visits:
                self._places.append(len(words))
                words += [0, next(tables)]
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
        if into == "solve":
            text = solve(self.lanes, self.states, self._vectors)
        else:
            text = (RESULTS | {"factor": factor})[into](self.lanes, self.states)
        address = function_of(into, text)[1]
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
        """What is done after all groups: W copied to its array, -W D to theirs, and what is known already."""
        program, found = self._program, list[tuple[str, list[int]]]()
        for own in program.passes:
            for name, by in ((name, by) for name in own.results for by in own.seeds):
                if own.into == "symmetric":
                    found.append(self._copied(program.matrix, program.rows**2, self._array(name, by)))
                elif own.into == "matrix":
                    first = program.factors + program.shift(own, by)
                    found.append(self._product(name, by, first, program.pitch, self._moved(own, by, groups)))
        if program.branches is not None:
            found.append(("factor", factor_table(program.branches, self._width)))
        for x in program.known:
            array = self._array(x.result, x.by)
            if program.branches is None:
                found.append(self._copied(x.first, x.shape[0] * x.shape[1], array))
            else:
                size = self._width, self._vectors * self.lanes // self._width
                found.append(("solve", solve_table(program.branches, size, array, x)))
        return found

    @property
    def _vectors(self) -> int:
        """Vectors of right sides that are solved at once."""
        own = self._program.branches
        return 0 if own is None else vectors(len(own.ancestors), self.lanes, self.states)

    def _copied(self, first: int, size: int, array: int) -> tuple[str, list[int]]:
        """Values from a cell on, to an array."""
        return "copied", [8 * self._width * first, size, array]

    def _product(
        self, result: str, by: str, first: int, pitch: int, used: Sequence[Collection[int]]
    ) -> tuple[str, list[int]]:
        """-W D, where D begins at a cell and has rows so far apart; `used` are the rows of each column with entries."""
        program, columns = self._program, len(used)
        table = [8 * self._width * program.matrix, program.rows, 8 * self._width * first]
        table += [self._array(result, by), columns, len(range(0, columns, self.lanes))]
        for start in range(0, columns, self.lanes):
            rows = sorted(set[int]().union(*used[start : start + self.lanes]))
            table += [start, min(self.lanes, columns - start), len(rows)]
            for row in rows:
                table += [8 * self._width * row * program.rows, 8 * self._width * (row * pitch + start)]
        return "product", table

    def _moved(self, own: Pass, by: str, groups: list[tuple[Pass, Group]]) -> list[set[int]]:
        """The results that change along each direction of an input."""
        ((start, size),) = own.results.values()
        moved: list[set[int]] = [set() for _ in range(own.seeds[by][1])]
        for one, group in groups:
            for name, column in group.directions if one is own else ():
                if name == by:
                    moved[column] = {i for i in range(size) if start + i in group.cells}
        return moved


def _ranks(cells: int, groups: Sequence[Group]) -> Words:
    """Places of cells in the memory of changes: side by side those that any direction moves, rows kept together."""
    used = np.zeros(cells + 1, dtype=bool)
    for group in groups:
        used[list(group.seeds)] = True
        for x in group.visits:
            for row, length in zip(x.rows, x.block.lengths, strict=True):
                used[row : row + length] = True
    return np.maximum(np.cumsum(used) - 1, 0)
