"""Blocks taken apart into equal pieces: what is done to each of many numbers alone becomes one block, many times.

A recursion that goes through all degrees of freedom at once (forces less those of dampers) is recorded as blocks as
long as the model allows, so that models of more bodies have others. Their pieces are the same for any number of bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from supple.engines.blocks.blocks import Block, Instance, Operand, Operation

FEWEST = 8
"""Pieces below which a block stays whole: calls cost more than what they share."""
Cell = tuple[str, int]
"""A space, and a place there."""


def in_pieces(instances: Iterable[Instance]) -> Iterator[Instance]:
    """The same blocks in order; neighbours that fall apart into many pieces as the pieces that they have together."""
    for apart, group in groupby(instances, lambda x: _part_count(x.block) >= FEWEST):
        own = list(group)
        yield from _pieces(own) if apart else own


@lru_cache(maxsize=4096)
def _part_count(block: Block) -> int:
    if block.loops or len(block.stores) < FEWEST:
        return 1
    return len(_parts(*_on_cells([Instance(block, tuple(1000 * i for i in range(len(block.spaces))))])))


def _pieces(instances: Sequence[Instance]) -> list[Instance]:
    """Instances of the pieces that some blocks have together, equal ones side by side; the blocks if few are equal."""
    operations, stores = _on_cells(instances)
    found = [_piece(operations, stores, *part) for part in _parts(operations, stores)]
    order = {name: i for i, name in enumerate(dict.fromkeys(x.block.name for x in found))}
    if FEWEST * len(order) > len(found):
        return list(instances)
    return sorted(found, key=lambda x: order[x.block.name])


def _on_cells(instances: Sequence[Instance]) -> tuple[list[Operation], dict[Cell, Operand]]:
    """Some blocks after each other as one: ("load", cell) and operations in order, and what is stored in the end."""
    operations: list[Operation] = []
    loads: dict[Cell, int] = {}
    stores: dict[Cell, Operand] = {}
    for x in instances:
        number: list[Operand] = []

        def operand(value: Operand, number: list[Operand] = number) -> Operand:
            return number[value] if type(value) is int else value

        for op, *args in x.block.operations:
            if op != "load":
                operations.append((op, *map(operand, args)))
                number.append(len(operations) - 1)
                continue
            cell = x.block.spaces[args[0]], x.rows[args[0]] + args[1]
            if cell not in stores and cell not in loads:
                operations.append(("load", cell))
                loads[cell] = len(operations) - 1
            number.append(stores[cell] if cell in stores else loads[cell])
        stores |= {
            (x.block.spaces[slot], x.rows[slot] + place): operand(value) for slot, place, value in x.block.stores
        }
    return operations, stores


def _parts(operations: Sequence[Operation], stores: dict[Cell, Operand]) -> list[tuple[list[int], list[Cell]]]:
    """Operations and stores that share no value and no cell with others, in order."""
    leader = list(range(len(operations)))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    def join(i: int, j: int) -> None:
        leader[max(find(i), find(j))] = min(find(i), find(j))

    loads = {x[1]: i for i, x in enumerate(operations) if x[0] == "load"}
    for i, (op, *args) in enumerate(operations):
        for x in args if op != "load" else ():
            if type(x) is int:
                join(i, x)
    for cell, x in stores.items():
        if cell in loads and type(x) is int:
            join(x, loads[cell])
    parts: dict[int, tuple[list[int], list[Cell]]] = {}
    for n, (cell, x) in enumerate(stores.items()):
        key = find(x) if type(x) is int else find(loads[cell]) if cell in loads else -1 - n
        parts.setdefault(key, ([], []))[1].append(cell)
    for i in range(len(operations)):
        if find(i) in parts:
            parts[find(i)][0].append(i)
    return list(parts.values())


def _piece(
    operations: Sequence[Operation], stores: dict[Cell, Operand], own: Sequence[int], cells: Sequence[Cell]
) -> Instance:
    """A part as a block with a slot for each cell."""
    slots: dict[Cell, int] = {}
    number = {i: new for new, i in enumerate(own)}

    def operand(x: Operand) -> Operand:
        return number[x] if type(x) is int else x

    new: list[Operation] = []
    for i in own:
        op, *args = operations[i]
        load = op == "load"
        new.append(("load", slots.setdefault(args[0], len(slots)), 0) if load else (op, *map(operand, args)))
    stored = [(slots.setdefault(cell, len(slots)), 0, operand(stores[cell])) for cell in cells]
    return Instance(Block.of([space for space, _ in slots], new, stored), tuple(row for _, row in slots))
