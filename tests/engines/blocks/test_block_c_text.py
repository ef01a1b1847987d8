"""Blocks printed as C: operations, constants, and the order of loads and stores."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from supple.engines.blocks.block_c_tables import CTables, laid_out
from supple.engines.blocks.block_c_text import CPrecision, block_text, tangent_as_block
from supple.engines.blocks.block_recorder import MEMORY, NUMBERS
from supple.engines.blocks.blocks import Block, Instance
from supple.engines.blocks.tangent_blocks import TangentBlock
from supple.expressions.operations import OPERATIONS
from support.programs.c_libraries import built

DOUBLE, FLOAT = CPrecision("double"), CPrecision("float")


@pytest.mark.parametrize(
    ("x", "double", "single"),
    [
        (0.1, "0.1", "0.1f"),
        (-2.0, "-2.0", "-2.0f"),
        (1e300, "1e+300", "INFINITY"),
        (1e-20, "1e-20", "1e-20f"),
        (1 / 3, "0.3333333333333333", "0.33333334f"),
        (math.nan, "NAN", "NAN"),
        (-math.inf, "-INFINITY", "-INFINITY"),
    ],
)
def test_constants_are_exact(x: float, double: str, single: str) -> None:
    assert DOUBLE.number(x) == double
    assert FLOAT.number(x) == single


def test_functions_of_single_precision_have_their_own_names() -> None:
    assert [FLOAT.function(x) for x in ("sin", "abs", "min", "sign")] == ["sinf", "fabsf", "smaller", "sign"]


def test_operations_keep_their_order_and_signs() -> None:
    operations = [("load", 0, 0), ("load", 0, 1), ("add", 0, 1), ("sub", 0, 2), ("neg", 3), ("neg", 4), ("div", 5, 2)]
    text = block_text(Block.of([MEMORY, MEMORY], operations, [(1, 0, 6)]), "block", DOUBLE)
    assert "const real v2 = s0[0] + s0[1];" in text
    assert "s1[0] = -(-(s0[0] - v2)) / v2;" in text


def evaluated(
    operations: Sequence[tuple[object, ...]], stores: list[tuple[int, int, int]], folder: Path
) -> list[float]:
    """What a block makes of four cells and of number 1, the only one that it loads."""
    spaces = [MEMORY, NUMBERS][: 2 if ("load", 1, 1) in operations else 1]
    block = Block.of(spaces, operations, stores)
    program = laid_out({"all": [Instance(block, (0,) * len(spaces))]}, {"cells": (0, 4)}, ["cells"])
    kind, text = CTables(DOUBLE, [program], ()).texts()
    head = f"#include <math.h>\n#include <stdint.h>\ntypedef double real;\ntypedef {kind} place;\n"
    signature = "void evaluate(real *m, const real *p)"
    call = f"{signature};\n{signature}\n{{\n    run(m, p, all_runs, all_rows);\n}}\n"
    (folder / "block.c").write_text(head + text + call)
    code = ctypes.CDLL(str(built(folder, "block.so", ["block.c"], "-shared", "-fPIC")))
    m, p = np.array([0.3, -0.7, 2.0, 0.5]), np.array([-4.0])
    code.evaluate(*(x.ctypes.data_as(ctypes.c_void_p) for x in (m, p)))
    found: list[float] = m.tolist()
    return found


def test_cells_are_read_before_they_are_written(tmp_path: Path) -> None:
    operations = [("load", 0, 0), ("load", 0, 1), ("load", 1, 1), ("mul", 0, 2), ("add", 1, 3)]
    assert evaluated(operations, [(0, 0, 1), (0, 1, 0), (0, 2, 4), (0, 3, 0)], tmp_path) == [-0.7, 0.3, -1.9, 0.3]


def test_all_functions_are_those_of_python(tmp_path: Path) -> None:
    """Of one argument, then of two; the sum of all, so that each of them counts."""
    operations: list[tuple[object, ...]] = [("load", 0, 0), ("load", 0, 3)]
    expected, values = 0.0, (0.3, 0.5)
    total: object = 0.0
    for name, x in OPERATIONS.items():
        if x.counted == "functions" and name != "acosh":
            operations += [(name, *range(x.arity)), ("add", total, len(operations))]
            total = len(operations) - 1
            expected += x.on_floats(*values[: x.arity])
    assert len(operations) > 20
    found = evaluated(operations, [(0, 2, len(operations) - 1)], tmp_path)
    assert found[2] == pytest.approx(expected, rel=1e-15)


def test_a_tangent_is_a_block_of_products() -> None:
    tangent = TangentBlock(
        2, (("load", 0, 1), ("load", 1, 0), ("sum", (3, 0), (-1.0, 1)), ("sum", (2.0, 2))), ((1, 2, 3),)
    )
    text = block_text(tangent_as_block(tangent), "block", DOUBLE)
    assert "s2[2] = 2.0 * (s0[3] * s1[1] - s2[0]);" in text
