"""Programs whose blocks know where their cells are: for blocks that are too long to be shared by other programs.

A block that bodies and models share finds its cells by a table, a slot for each row. In a long block there would be as
many slots as there are results, and registers for few of them.
"""

from __future__ import annotations

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.block_recorder import MEMORY, NUMBERS
from supple.engines.blocks.blocks import Block, Instance
from supple.engines.blocks.cell_sharing import in_less_memory


def with_fixed_cells(program: Program) -> Program:
    """Return the same program in less memory, its blocks with one slot for all of it and one for all numbers."""
    small = in_less_memory(program)
    return small.with_instances([x if x.block.loops else _fixed(x) for x in small.instances], small.cells)


def _fixed(x: Instance) -> Instance:
    """A block with places that count from the first cell of its space."""
    slots = {MEMORY: 0, NUMBERS: 1}
    spaces, rows = x.block.spaces, x.rows
    operations = [
        (op[0], slots[spaces[op[1]]], rows[op[1]] + op[2]) if op[0] == "load" else op for op in x.block.operations
    ]
    stores = [(slots[spaces[slot]], rows[slot] + place, value) for slot, place, value in x.block.stores]
    return Instance(Block.of(tuple(slots), operations, stores), (0, 0))
