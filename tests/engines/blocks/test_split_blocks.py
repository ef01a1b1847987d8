"""Blocks that fall apart into pieces."""

from __future__ import annotations

from supple.engines.blocks.block_recorder import MEMORY, NUMBERS
from supple.engines.blocks.blocks import Block, Instance
from supple.engines.blocks.split_blocks import FEWEST, in_pieces


def scaled(count: int, first: int) -> Instance:
    """x_i times c_i, stored in place."""
    operations: list[tuple[object, ...]] = []
    for i in range(count):
        operations += [("load", 0, i), ("load", 1, i), ("mul", 3 * i, 3 * i + 1)]
    block = Block.of([MEMORY, NUMBERS], operations, [(0, i, 3 * i + 2) for i in range(count)])
    return Instance(block, (first, 100))


def test_equal_pieces_are_instances_of_one_block() -> None:
    found = list(in_pieces([scaled(FEWEST, 5)]))
    assert len({x.block.name for x in found}) == 1
    assert [x.rows for x in found] == [(5 + i, 100 + i) for i in range(FEWEST)]
    assert found[0].block.operations == (("load", 0, 0), ("load", 1, 0), ("mul", 0, 1))


def test_neighbours_are_taken_together() -> None:
    """What the first stores the second takes as a value."""
    found = list(in_pieces([scaled(FEWEST, 5), scaled(FEWEST, 5)]))
    assert len(found) == FEWEST
    assert [x[0] for x in found[0].block.operations] == ["load", "load", "mul", "mul"]
    assert found[0].block.stores == ((0, 0, 3),)


def test_few_pieces_and_connected_ones_stay_together() -> None:
    few = scaled(FEWEST - 1, 0)
    assert list(in_pieces([few])) == [few]
    whole = scaled(FEWEST, 0).block
    shared = [("load", 1, 0) if x == ("load", 1, x[-1]) else x for x in whole.operations]
    connected = Instance(Block.of(whole.spaces, shared, whole.stores), (0, 100))
    assert list(in_pieces([connected])) == [connected]
    chained = [*whole.operations, *[("add", 3 * i + 2, 3 * i + 5) for i in range(FEWEST - 1)]]
    stores = [*whole.stores, *((0, 50 + i, 3 * FEWEST + i) for i in range(FEWEST - 1))]
    one = Instance(Block.of(whole.spaces, chained, stores), (0, 100))
    assert list(in_pieces([one])) == [one]
