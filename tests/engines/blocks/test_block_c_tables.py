"""Programs laid out for C: cells that are used, cells that have to be zero, tables of their places."""

from __future__ import annotations

from supple.engines.blocks.block_c_tables import CTables, laid_out
from supple.engines.blocks.block_c_text import CPrecision
from supple.engines.blocks.block_recorder import MEMORY, NUMBERS
from supple.engines.blocks.blocks import Block, Instance

SCALE = Block.of([MEMORY, NUMBERS, MEMORY], [("load", 0, 2), ("load", 1, 0), ("mul", 0, 1)], [(2, 0, 2)])
"""The third cell of a row times a number."""


def test_only_cells_that_are_used_have_a_place() -> None:
    own = laid_out({"all": [Instance(SCALE, (100, 7, 200))]}, {"x": (102, 1), "y": (200, 1)}, ["x"])
    assert own.cells == 2
    assert own.places == {"x": (0, 1), "y": (1, 1)}
    (found,) = own.instances
    assert found.rows == (0, 7, 1)
    assert found.block.operations[0] == ("load", 0, 0)
    assert own.cleared == []


def test_numbers_that_are_loaded_stand_side_by_side() -> None:
    blocks = [Instance(SCALE, (0, row, 3)) for row in (40, 7, 40)]
    tables = CTables(CPrecision("double"), [laid_out({"all": blocks}, {"x": (2, 1), "y": (3, 1)}, ["x"])], ())
    assert tables.count == 2
    assert (tables.rank[7], tables.rank[40], tables.rank[8]) == (0, 1, -1)
    kind, text = tables.texts()
    assert kind == "uint16_t"
    assert "all_rows[] = {\n    0, 1, 1, 0, 0, 1, 0, 1, 1,\n};" in text
    assert "all_runs[] = {\n    0, 3, 0, 0,\n};" in text
    assert text.count("static void block_") == 1


def test_what_is_read_before_it_is_written_has_to_be_zero() -> None:
    """A cell that a block reads, and the part of a result that no block writes."""
    own = laid_out({"all": [Instance(SCALE, (0, 0, 10))]}, {"y": (10, 3)}, [])
    assert own.places["y"] == (1, 3)
    assert own.cleared == [(0, 1), (2, 2)]


def test_many_cells_take_longer_places() -> None:
    own = laid_out({"all": [Instance(SCALE, (0, 0, 70_000))]}, {"x": (0, 70_000), "y": (70_000, 1)}, ["x"])
    assert CTables(CPrecision("float"), [own], ()).texts()[0] == "int32_t"
