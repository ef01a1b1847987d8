"""Derivatives of blocks: the part of a block that is linear in the changes of what it loads.

With c the values that the changes are multiplied by (cosines, products, reciprocals), the change of a block's results
is a sum of products c dx. A block that *tapes* stores its c beside its results; a `TangentBlock` reads them and carries
changes along. Which of the loads change at all is known beforehand: nothing is computed for those that do not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from supple.engines.blocks.block_recorder import MEMORY
from supple.engines.blocks.blocks import Block, Operand, Operation
from supple.expressions.derivatives import local_slopes
from supple.expressions.graph import Expr, Graph, order_of

Factor = int | float
"""The place of a value on the tape, or a constant."""


@dataclass(frozen=True)
class TangentBlock:
    """Changes of a block's results from changes of what it loads.

    Attributes
    ----------
    slots : int
        Rows of cells whose addresses a table holds, after that of the tape.
    operations : tuple
        ("load", slot, place), or ("sum", (factor, operand), ...).
    stores : tuple of (slot, place, operand)
    """

    slots: int
    operations: tuple[Operation, ...]
    stores: tuple[tuple[int, int, int], ...]

    @cached_property
    def name(self) -> str:
        """A digest of all that the block does."""
        text = repr((self.slots, self.operations, self.stores))
        return "tangent_" + hashlib.sha256(text.encode()).hexdigest()[:32]

    @cached_property
    def lengths(self) -> list[int]:
        """How far the slots reach."""
        reach = [0] * self.slots
        places = [(x[1], x[2]) for x in self.operations if x[0] == "load"]
        for slot, place in [*places, *((slot, place) for slot, place, _ in self.stores)]:
            reach[slot] = max(reach[slot], place + 1)
        return reach


class LinearBlock:
    """A block with its slopes.

    Attributes
    ----------
    loads : dict of int to tuple of int
        Operations that load from memory: slot and place.
    """

    def __init__(self, block: Block) -> None:
        if block.loops:
            raise ValueError("a step in loops has no tangent")
        self.block = block
        self.loads = {
            i: (x[1], x[2]) for i, x in enumerate(block.operations) if x[0] == "load" and block.spaces[x[1]] == MEMORY
        }
        self._graph = Graph()
        self._nodes: list[Expr] = []
        for i, operation in enumerate(block.operations):
            self._nodes.append(self._node(i, operation))
        self._slopes: dict[int, list[tuple[Expr, int]]] = {}

    def _node(self, i: int, operation: Operation) -> Expr:
        op, *args = operation
        if op == "load":
            return self._graph.input(str(i))
        return self._graph._make(op, tuple([self._argument(a) for a in args]))

    def _argument(self, x: Operand) -> Expr:
        return self._nodes[x] if isinstance(x, int) else self._graph.constant(x)

    def slopes(self, i: int) -> list[tuple[Expr, int]]:
        """Slopes of an operation by those of its arguments that are operations, zeros left out."""
        if i not in self._slopes:
            op, *args = self.block.operations[i]
            found = local_slopes(self._nodes[i]) if op != "load" else ()
            self._slopes[i] = [
                (slope, a)
                for slope, a in zip(found, args, strict=bool(found))
                if isinstance(a, int) and not (slope.op == "constant" and slope.value == 0.0)
            ]
        return self._slopes[i]

    def taped(self, operations: Iterable[int]) -> tuple[Block, dict[int, int]]:
        """The block with the slopes of some operations on a tape, and the places of nodes there.

        The tape is one more slot, the last.
        """
        places: dict[int, int] = {}
        wanted: list[Expr] = []
        for i in sorted(operations):
            for slope, _ in self.slopes(i):
                if slope.op != "constant" and slope.id not in places:
                    places[slope.id] = len(places)
                    wanted.append(slope)
        known: dict[int, Operand] = {}
        for i, node in enumerate(self._nodes):
            known.setdefault(node.id, i)
        new = list(self.block.operations)
        for node in order_of(wanted):
            if node.op == "constant":
                known[node.id] = node.value
            elif node.id not in known:
                known[node.id] = len(new)
                new.append((node.op, *[known[a.id] for a in node.args]))
        tape = len(self.block.spaces)
        stores = tuple((tape, place, known[node]) for node, place in places.items())
        return Block.of((*self.block.spaces, MEMORY), new, self.block.stores + stores), places

    def tangent(
        self, moving: Collection[int], kept: Iterable[int], places: Mapping[int, int]
    ) -> tuple[TangentBlock, list[int]]:
        """The tangent of some of the block's stores, and which of its slots the tangent uses, in their order there.

        Parameters
        ----------
        moving : collection of int
            Operations whose changes are needed, in order.
        kept : iterable of int
            Stores whose changes are needed.
        places : mapping
            Of nodes on the tape.
        """
        slots: dict[int, int] = {}
        number: dict[int, int] = {}
        operations: list[Operation] = []
        for i in moving:
            number[i] = len(operations)
            if i in self.loads:
                slot, place = self.loads[i]
                operations.append(("load", slots.setdefault(slot, len(slots)), place))
                continue
            terms = [(factor_of(slope, places), number[a]) for slope, a in self.slopes(i) if a in number]
            if len(terms) == 1 and terms[0][0] == 1.0 and isinstance(terms[0][0], float):
                number[i] = terms[0][1]
            else:
                operations.append(("sum", *terms))
        stores = [self.block.stores[n] for n in kept]
        stored = tuple((slots.setdefault(slot, len(slots)), place, number[int(x)]) for slot, place, x in stores)
        return TangentBlock(len(slots), tuple(operations), stored), list(slots)


def factor_of(slope: Expr, places: Mapping[int, int]) -> Factor:
    """A slope as tangents take it."""
    return float(slope.value) if slope.op == "constant" else places[slope.id]
