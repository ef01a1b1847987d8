"""From what was recorded to blocks that can be shared: what nobody reads is left out, addresses become slots."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from supple.engines.blocks.block_recorder import MEMORY, Address, BlockRecorder
from supple.expressions.graph import Expr, order_of

Operand = int | float
"""The number of an operation, or a constant."""
Operation = tuple[Any, ...]


@dataclass(frozen=True)
class Block:
    """Straight-line arithmetic, the same for all bodies and models of one structure.

    Attributes
    ----------
    spaces : tuple of str
        The space of each slot: a row of cells whose address a table holds.
    operations : tuple
        ("load", slot, place) or (name, operands...).
    stores : tuple of (slot, place, operand)
    """

    spaces: tuple[str, ...]
    operations: tuple[Operation, ...]
    stores: tuple[tuple[int, int, Operand], ...]

    @cached_property
    def name(self) -> str:
        """A digest of all that the block does."""
        text = repr((self.spaces, self.operations, self.stores))
        return "block_" + hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Instance:
    """A block at work: the first cells of its slots."""

    block: Block
    rows: tuple[int, ...]


def instances(recorder: BlockRecorder, outputs: Iterable[int]) -> list[Instance]:
    """The blocks of a recording in order, each with the cells that it works on.

    Parameters
    ----------
    recorder : BlockRecorder
        Ended.
    outputs : iterable of int
        Cells that are read afterwards; all other stores that no later block reads are left out.
    """
    live = set(outputs)
    found: list[Instance] = []
    known: dict[str, Block] = {}
    for recorded in reversed(recorder.blocks):
        stores = [(address, node) for at, (address, node) in recorded.stores.items() if at in live]
        if stores:
            live.difference_update(row + place for (_, row, place), _ in stores)
            order = order_of(node for _, node in stores)
            leaves = {n.id: recorder.address(n) for n in order if n.op == "input"}
            live.update(row + place for space, row, place in leaves.values() if space == MEMORY)
            block, rows = _canonical(order, leaves, stores)
            found.append(Instance(known.setdefault(block.name, block), rows))
    return found[::-1]


def _canonical(
    order: list[Expr], leaves: dict[int, Address], stores: list[tuple[Address, Expr]]
) -> tuple[Block, tuple[int, ...]]:
    """A block with its nodes and rows numbered as they come, and the first cells of its rows.

    ModelNumbers are no nodes of their own here: when they were first made says nothing about the structure.
    """
    slots: dict[tuple[str, int], int] = {}
    operand: dict[int, Operand] = {}
    operations: list[Operation] = []
    for node in order:
        if node.op == "constant":
            operand[node.id] = node.value
            continue
        operand[node.id] = len(operations)
        if node.op == "input":
            space, row, place = leaves[node.id]
            operations.append(("load", slots.setdefault((space, row), len(slots)), place))
        else:
            operations.append((node.op, *[operand[a.id] for a in node.args]))
    stored = tuple(
        (slots.setdefault((space, row), len(slots)), place, operand[node.id]) for (space, row, place), node in stores
    )
    block = Block(tuple(space for space, _ in slots), tuple(operations), stored)
    return block, tuple(row for _, row in slots)
