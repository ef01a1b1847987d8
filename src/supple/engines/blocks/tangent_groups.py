"""What is differentiated by what, and in which order: passes over a program, each in groups of directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.blocks import Instance
from supple.engines.blocks.sensitivity import Needed, Sensitivity
from supple.engines.blocks.tangent_blocks import LinearBlock, TangentBlock

Place = tuple[int, int]
"""First cell, and number of cells."""


@dataclass(frozen=True)
class Pass:
    """Changes of results along the directions of inputs, each of which moves one cell.

    Attributes
    ----------
    seeds : mapping of str to Place
        What is moved, by input.
    results : mapping of str to Place
    into : str
        Where the changes go: "scatter", into Jacobians; "symmetric", into the matrix W, as the results have the
        symmetric Jacobian W; "matrix", into matrices D, and -W D into Jacobians.
    passive : sequence of int
        Cells that are taken not to change.
    """

    seeds: Mapping[str, Place]
    results: Mapping[str, Place]
    into: str = "scatter"
    passive: Sequence[int] = field(default=())


@dataclass(frozen=True)
class KnownJacobian:
    """A matrix D among the values of a program that is a Jacobian, or that makes one as -M^-1 D.

    Attributes
    ----------
    result, by : str
    first : int
        Its first cell; -1 for the unit matrix less than zero, which makes M^-1.
    rows : tuple
        Of each column, the rows that are not zero.
    shape : tuple of int
    """

    result: str
    by: str
    first: int
    shape: tuple[int, int]
    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Visit:
    """A tangent at work: first cell of its tape, first cells of its slots."""

    block: TangentBlock
    tape: int
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Group:
    """Directions that are taken together: inputs and numbers; the cells that they move; the results that change."""

    directions: tuple[tuple[str, int], ...]
    seeds: tuple[int, ...]
    visits: tuple[Visit, ...]
    cells: frozenset[int]


class Analysis(Protocol):
    """What is needed of a program for a pass, and how it is done in groups."""

    own: Pass
    needed: list[Needed]

    def groups(self, size: int, tapes: Mapping[int, int], places: Mapping[str, Mapping[int, int]]) -> list[Group]:
        """So many directions at a time, and what is done for them."""
        ...


class PassAnalysis:
    """What a pass needs of a program.

    Parameters
    ----------
    program : Program
    linear : mapping
        Its blocks by name.
    alias : mapping
        Cells whose changes are those of other cells.
    own : Pass
    """

    def __init__(
        self, program: Program, linear: Mapping[str, LinearBlock], alias: Mapping[int, int], own: Pass
    ) -> None:
        self.own, self._instances, self._linear = own, program.instances, linear
        order = sorted(((by, i) for by, (_, n) in own.seeds.items() for i in range(n)), key=lambda x: x[1])
        self._directions = order
        self._seeds = [own.seeds[by][0] + i for by, i in order]
        self._flow = Sensitivity(program.instances, linear, alias, frozenset(own.passive))
        self.needed, self._changed = self._flow.needed(self._seeds, self._wanted())

    def _wanted(self) -> dict[int, int]:
        """Cells of the results, and the directions along which their changes are read: half of a symmetric matrix."""
        everything = (1 << len(self._directions)) - 1
        cells = [(first + i, i) for first, size in self.own.results.values() for i in range(size)]
        half = self.own.into == "symmetric"
        return {at: everything & -(1 << i) if half else everything for at, i in cells}

    def groups(self, size: int, tapes: Mapping[int, int], places: Mapping[str, Mapping[int, int]]) -> list[Group]:
        """Directions that move any result, so many at a time, and what is done for them.

        Parameters
        ----------
        size : int
            Directions in a group.
        tapes : mapping
            The first cell of each instance's tape.
        places : mapping
            Of nodes on the tape, by block.
        """
        moved = reduce(or_, self._changed.values(), 0)
        moving = [d for d in range(len(self._directions)) if moved >> d & 1]
        parts = [moving[i : i + size] for i in range(0, len(moving), size)]
        known: dict[tuple[str, bytes, bytes], tuple[TangentBlock, list[int]]] = {}
        visits: list[list[Visit]] = [[] for _ in parts]
        for x in self.needed:
            instance, tape = self._instances[x.number], tapes[x.number]
            name = instance.block.name
            for part, found in zip(parts, visits, strict=True):
                stores = _any(x.stores[:, part])
                if stores.any():
                    operations = _any(x.operations[:, part])
                    key = (name, operations.tobytes(), stores.tobytes())
                    if key not in known:
                        known[key] = self._linear[name].tangent(_where(operations), _where(stores), places[name])
                    block, slots = known[key]
                    found.append(Visit(block, tape, tuple([self._flow.cell(instance.rows[i]) for i in slots])))
        return [self._group(part, found) for part, found in zip(parts, visits, strict=True)]

    def _group(self, part: list[int], visits: list[Visit]) -> Group:
        bits = sum(1 << d for d in part)
        cells = frozenset(at for at, moved in self._changed.items() if moved & bits)
        moved = tuple(self._directions[d] for d in part), tuple(self._seeds[d] for d in part)
        return Group(*moved, tuple(visits), cells)


def _any(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Rows in which any flag is set."""
    found: NDArray[np.bool_] = np.logical_or.reduce(flags, axis=1)
    return found


def _where(flags: NDArray[np.bool_]) -> list[int]:
    found: list[int] = np.flatnonzero(flags).tolist()
    return found


def taped(
    program: Program, linear: Mapping[str, LinearBlock], needed: Sequence[Needed]
) -> tuple[Program, dict[int, int], dict[str, dict[int, int]]]:
    """A program with tapes; the first cell of each instance's tape; places of nodes on it by block."""
    moving: dict[str, NDArray[np.bool_]] = {}
    for x in needed:
        name, own = program.instances[x.number].block.name, _any(x.operations)
        moving[name] = moving[name] | own if name in moving else own
    blocks = {name: linear[name].taped(_where(flags)) for name, flags in moving.items()}
    instances, cells, tapes = list(program.instances), program.cells, dict[int, int]()
    for n in sorted({x.number for x in needed}):
        old = instances[n]
        block, places = blocks[old.block.name]
        if places:
            instances[n] = Instance(block, (*old.rows, cells))
        tapes[n] = cells
        cells += len(places)
    return program.with_instances(instances, cells), tapes, {name: x[1] for name, x in blocks.items()}
