"""A program with its Jacobians: values once, then changes along directions.

Of one state the lanes are directions, as many at a time as there are lanes; directions that move the same blocks share
a group. Of many states the lanes are states, and every direction goes by itself through the blocks that it moves.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from supple.engines.blocks.block_program import MARGIN, Program
from supple.engines.blocks.blocks import ENCODER
from supple.engines.blocks.branch_solve import Branches
from supple.engines.blocks.driven_code import Numbers
from supple.engines.blocks.loaded_tangents import Jacobian, LoadedTangents
from supple.engines.blocks.tangent_blocks import LinearBlock
from supple.engines.blocks.tangent_groups import Analysis, Group, KnownJacobian, Pass, PassAnalysis, taped
from supple.engines.llvm import caller
from supple.engines.llvm.batches import spread
from supple.engines.llvm.jit import host_lanes

WIDEST = 8
"""Most lanes: blocks of columns may reach beyond the last one."""


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
    known : sequence of KnownJacobian
        Jacobians among the program's values, which need no tangents.
    branches : Branches, optional
        The matrix M that all those are divided by.

    Attributes
    ----------
    jacobians : dict of Jacobian to tuple of int
        Shapes (result, directions), in the order of the arrays, which come after those of the program's outputs.
    span : int
        Cells that may have changes.
    """

    def __init__(
        self,
        program: Program,
        passes: Sequence[Pass],
        alias: Mapping[int, int],
        matrix: int = 0,
        known: Sequence[KnownJacobian] = (),
        branches: Branches | None = None,
    ) -> None:
        self.program, self.passes, self.matrix = program, tuple(passes), matrix
        self.known, self.branches, self._alias = tuple(known), branches, dict(alias)
        self.jacobians = {
            Jacobian(name, by): (size, count)
            for own in passes
            for name, (_, size) in own.results.items()
            for by, (_, count) in own.seeds.items()
        } | {Jacobian(x.result, x.by): x.shape for x in known}
        blocks = {x.block.name: x.block for x in program.instances if passes}
        linear = {name: LinearBlock(block) for name, block in blocks.items()}
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

    def written(self) -> bytes:
        """All of it as text, for `read`: what is differentiated by what in one line, then the program."""
        head = {
            "passes": [[dict(x.seeds), dict(x.results), x.into, list(x.passive)] for x in self.passes],
            "alias": list(self._alias.items()),
            "matrix": self.matrix,
            "known": [[x.result, x.by, x.first, x.shape, x.rows] for x in self.known],
            "branches": self.branches,
        }
        return ENCODER.encode(head).encode() + b"\n" + self.program.written()

    @classmethod
    def read(cls, content: bytes) -> TangentProgram:
        """The program that was written."""
        first, program = content.split(b"\n", 1)
        head = json.loads(first)
        passes = [
            Pass(_places(seeds), _places(results), into, tuple(passive))
            for seeds, results, into, passive in head["passes"]
        ]
        known = [
            KnownJacobian(result, by, first, (shape[0], shape[1]), tuple(tuple(x) for x in rows))
            for result, by, first, shape, rows in head["known"]
        ]
        branches = head["branches"]
        made = None if branches is None else Branches(*branches)
        return cls(Program.read(program), passes, dict(head["alias"]), head["matrix"], known, made)

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


def _places(x: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, int]]:
    """Places that were written as lists."""
    return {name: (first, size) for name, (first, size) in x.items()}


class BoundTangents:
    """A program with its Jacobians and the numbers of one model."""

    def __init__(self, program: TangentProgram, numbers: Numbers) -> None:
        self.program, self._numbers = program, numbers

    @property
    def inputs(self) -> dict[str, int]:
        """Names and lengths of the inputs."""
        return {name: size for name, (_, size) in self.program.program.inputs.items()}

    @property
    def results(self) -> dict[str, int]:
        """Names and lengths of the outputs, then of the Jacobians."""
        return dict(zip(self.names, self.sizes, strict=True))

    @property
    def weight(self) -> int:
        """Operations of one state, roughly."""
        return self.program.weight

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
        return self.call({name: (size,) for name, size in self.results.items()})

    @cached_property
    def names(self) -> list[str]:
        """Of the outputs, then of the Jacobians: "d<output>_d<input>"."""
        return [*self.program.program.outputs, *(f"d{name}_d{by}" for name, by in self.program.jacobians)]

    def call(self, outputs: Mapping[str, tuple[int, ...]], **options: Any) -> Callable[..., Any]:
        """Return a built-in function of one state that gives some outputs and Jacobians, see `BoundProgram.call`."""
        if not caller.possible():
            return lambda *arrays: None
        loaded, otherwise = self.program.loaded(host_lanes(), False), options.pop("otherwise", None)
        count = len(self.program.program.inputs)
        sizes = [size for _, size in self.program.program.inputs.values()] + self.sizes
        places = {count + self.names.index(name): shape for name, shape in outputs.items()}
        judged = self.program.program.judged and MARGIN not in outputs
        margin = -(count + self.names.index(MARGIN)) if judged else 0
        arrays, code = caller.Arrays(sizes, count, places, **options), (loaded.words, loaded.memory(), self._numbers)
        found: Callable[..., Any] = caller.one_state(loaded.driver, arrays, code, margin, loaded, otherwise)
        return found

    def batch(
        self, inputs: Sequence[Numbers], states: int, threads: int = 1, outs: Sequence[Numbers] | None = None
    ) -> list[Numbers]:
        """Outputs and Jacobians (states, n) from inputs (1 or states, n), contiguous doubles."""
        lanes = host_lanes()
        loaded = self.program.loaded(lanes, states >= 2 * lanes)
        loaded.tiers.expect(states)
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
