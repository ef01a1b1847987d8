"""LLVM code for other processors: what is fused, and what is not."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import numpy as np
import pytest
from llvmlite import ir

from supple.engines.blocks import block_code, fused_sums
from supple.engines.blocks.lifted_program import lifted_program
from supple.engines.llvm import jit
from supple.engines.vector_math import lanes as vector_lanes
from supple.engines.vector_math.functions import VectorMath
from supple.symbolic import Function, Graph


@pytest.mark.parametrize("fuses", [True, False])
@pytest.mark.parametrize(
    ("triple", "features", "fused"),
    [
        ("aarch64-unknown-linux-gnu", "", r"\bf(n?m(add|sub)|ml[as])\b"),
        ("x86_64-unknown-linux-gnu", "+fma", "vfn?m(add|sub)"),
    ],
)
def test_products_and_sums_are_fused_only_where_they_may_be(
    triple: str,
    features: str,
    fused: str,
    fuses: bool,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Also for ARM, where fusing is not a feature that could be turned off; and LLVM does not warn of such features."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        machine = llvm.Target.from_triple(triple).create_target_machine(features=features)
    except RuntimeError as error:
        pytest.skip(f"this LLVM does not write for it: {error}")
    for module in (jit, vector_lanes, fused_sums):
        monkeypatch.setattr(module, "host_fuses", lambda: fuses)
    g = Graph()
    x, y, z = (g.input(name) for name in "xyz")
    program, _ = lifted_program(Function("f", g, {"x": np.array([x, y, z])}, {"w": np.array([x * y + z])}))
    blocks = block_code.module((x.block for x in program.instances), 2) + "\nattributes #0 = { nounwind }\n!0 = !{}"
    sine = ir.Module()
    VectorMath(sine, 2).external("sin")
    for text in (blocks, str(sine)):
        assembly = machine.emit_assembly(jit._parsed(text, machine))
        assert bool(re.search(fused, assembly)) == fuses
    assert capfd.readouterr().err == ""
