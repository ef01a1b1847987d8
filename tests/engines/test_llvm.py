"""The kernel for every width of vector, whatever the host's is."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import numpy as np
import pytest

from supple.engines.llvm import call, jit
from supple.engines.llvm.emit import emit
from supple.engines.llvm.entries import KERNEL, record
from supple.engines.vector_math import lanes as vector_lanes
from supple.symbolic import Function, Graph, traced
from support.generated.generators import KINDS, random_tree


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_all_widths_give_the_same(lanes: int) -> None:
    model = random_tree(5, KINDS)
    function = traced(model, "inverse_dynamics")
    native = jit.Native(jit.object_code(emit(function, lanes)))
    entered = record(KERNEL, native.address)
    for states in (1, 7, 16):
        q = np.stack([model.random_state(i)[0] for i in range(states)])
        rng = np.random.default_rng(0)
        v, a = rng.normal(size=(2, states, model.nv))
        # Rows before and after the results must stay as they are.
        guarded = np.full((states + 2, model.nv), np.pi)
        call.invoke(entered.ctypes.data, 0, states, q, v, a, guarded[1:-1])
        expected = model.inverse_dynamics(q, v, a)
        assert np.abs(guarded[1:-1] - expected).max() < 1e-12 * np.abs(expected).max()
        assert (guarded[[0, -1]] == np.pi).all()


def test_parts_of_a_batch_and_shared_rows() -> None:
    g = Graph()
    x, y = g.input("x"), g.input("y")
    function = Function(
        "f", g, {"x": np.array([x]), "y": np.array([y])}, {"z": np.array([x + 2 * y, x * y, np.cos(x)])}
    )
    native = jit.Native(jit.object_code(emit(function, jit.host_lanes())))
    many, one = np.arange(11.0)[:, None], np.array([[3.0]])
    out = np.full((11, 3), -1.0)
    entered = record(KERNEL, native.address)
    call.invoke(entered.ctypes.data, 2, 9, many, one, out)
    assert (out[[0, 1, 9, 10]] == -1.0).all()
    x_ = many[2:9, 0]
    assert np.allclose(out[2:9], np.stack([x_ + 6, 3 * x_, np.cos(x_)], axis=1), atol=1e-15)


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
    for module in (jit, vector_lanes):
        monkeypatch.setattr(module, "host_fuses", lambda: fuses)
    g = Graph()
    x, y, z = (g.input(name) for name in "xyz")
    graph = Function("f", g, {"x": np.array([x]), "y": np.array([y]), "z": np.array([z])}, {"w": np.array([x * y + z])})
    sine = Function("f", g, {"x": np.array([x])}, {"w": np.array([np.sin(x)])})
    for function in (graph, sine):
        assembly = machine.emit_assembly(jit._parsed(str(emit(function, 2)), machine))
        assert bool(re.search(fused, assembly)) == fuses
    assert capfd.readouterr().err == ""
