"""Sums of products in chains: what is fused, and that the sum stays."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest

from supple.engines.blocks import fused_sums
from supple.engines.blocks.block_code import module
from supple.engines.blocks.block_program import BoundProgram, Program
from supple.engines.blocks.block_recorder import BlockRecorder
from supple.engines.blocks.cells import Cells
from supple.engines.blocks.fused_sums import Chain
from supple.engines.code_cache.code_origin import host_fuses

SUMS = {
    "product and number": lambda a, b, c, d, e: a * b + e,
    "number less product": lambda a, b, c, d, e: e - a * b,
    "product less number": lambda a, b, c, d, e: a * b - e,
    "two products": lambda a, b, c, d, e: a * b + c * d,
    "difference of products": lambda a, b, c, d, e: a * b - c * d,
    "three products": lambda a, b, c, d, e: a * b - c * d + d * e,
    "number added last": lambda a, b, c, d, e: (a * b - c * d) + e,
    "sum taken away": lambda a, b, c, d, e: e - (a * b - c * d),
    "number taken away last": lambda a, b, c, d, e: (c * d - a * b) - e,
    "sums of products": lambda a, b, c, d, e: (a * b + c * d) - (a * e - b * d),
    "constants": lambda a, b, c, d, e: 2.5 - a * 3.5 + (b * 1.5 - 0.5),
    "a product that is read twice": lambda a, b, c, d, e: (a * b + c) * (a * b - d),
}


def recorded(formula: Any) -> Program:
    """y = formula(x)."""
    r = BlockRecorder()
    x, y = Cells(r, (5,)), Cells(r, (1,), 0.0)
    y[0] = formula(*(x[i] for i in range(5)))
    return Program(r, {"x": x}, {"y": y})


@pytest.mark.parametrize("fuses", [True, False])
@pytest.mark.parametrize("formula", SUMS.values(), ids=SUMS.keys())
def test_the_sum_stays(formula: Any, fuses: bool) -> None:
    x = np.random.default_rng(1).normal(size=(9, 5))
    if fuses and not host_fuses():
        pytest.skip("a call of a library function stands for each fused product on this processor")
    program = recorded(formula)
    with mock.patch.object(fused_sums, "host_fuses", return_value=fuses):
        written = module([i.block for i in program.instances], 1)
    apart = formula is SUMS["a product that is read twice"]
    assert ("llvm.fma" in written) == (fuses and not apart)
    assert not fuses or written.count("fadd") + written.count("fsub") <= (2 if apart else 1)
    (y,) = BoundProgram(program, np.zeros(0)).batch([x], 9)
    np.testing.assert_allclose(y[:, 0], formula(*x.T), rtol=1e-13, atol=1e-14)


def test_what_is_added_to_products_becomes_their_start() -> None:
    operations = [("load", 0, i) for i in range(5)]
    operations += [("mul", 0, 1), ("mul", 2, 3), ("sub", 5, 6), ("sub", 4, 7)]
    chains, parts = fused_sums.fused_sums(operations, [8])
    assert chains[8] == Chain(4, False, ((True, 5), (False, 6)))
    assert parts == {5, 6, 7}


def test_what_somebody_else_reads_is_no_part() -> None:
    operations = [("load", 0, i) for i in range(3)]
    operations += [("mul", 0, 1), ("add", 3, 2)]
    assert fused_sums.fused_sums(operations, [4])[1] == {3}
    assert fused_sums.fused_sums(operations, [4, 3]) == ({}, set())
