"""Which models have blocks: by what has to be compiled, not by how many modes there are."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.model.program_sizes import (
    MOST_ENTRIES,
    compliances_quickly_made,
    matrices_quickly_made,
    modal_entries,
    quickly_made,
)
from supple.structures import Material, Rectangle, beam

ALUMINIUM = Material(E=7e10, nu=0.33, rho=2700)


def beam_model(basis: str, elements: int, modes: int | None = None) -> supple.Model:
    body = beam(0.5, Rectangle(0.02, 0.01), ALUMINIUM, elements).reduce(basis, modes=modes)
    mech = supple.Mechanism("beam")
    mech.add_body("beam", body, joint=supple.Revolute("y"))
    return mech.build()


@pytest.mark.parametrize(
    ("basis", "elements", "modes", "blocks", "matrices"),
    [("cantilever", 20, 16, True, True), ("cantilever", 20, 50, True, False), ("cantilever", 20, 100, False, False),
     ("nodal", 5, None, True, True), ("nodal", 40, None, False, False)],
)  # fmt: skip
def test_few_entries_are_blocks(basis: str, elements: int, modes: int | None, blocks: bool, matrices: bool) -> None:
    model = beam_model(basis, elements, modes)
    assert model.flex is not None
    assert quickly_made(model.tree, model.flex) is blocks
    assert (matrices or modal_entries(model.flex) <= MOST_ENTRIES) is blocks
    assert matrices_quickly_made(model.flex) is matrices
    assert (model.evaluation.tangents is not None) is matrices


def test_both_ways_agree_where_the_limit_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from supple.model import program_sizes

    model = beam_model("cantilever", 20, 40)
    assert model.evaluation.programs is not None
    for name in ("MOST_ENTRIES", "MOST_PAIRS"):
        monkeypatch.setattr(program_sizes, name, 0)
    other = beam_model("cantilever", 20, 40)
    assert other.evaluation.programs is None
    q, v = model.random_state(1)
    q[1:] *= 1e-5
    v[1:] *= 1e-3
    tau = np.zeros(model.nv)
    a, b = model.forward_dynamics(q, v, tau), other.forward_dynamics(q, v, tau)
    assert np.abs(a).max() > 1.0
    np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-11 * np.abs(b).max())


def test_without_the_deformation_pairs_do_not_count() -> None:
    body = beam(0.5, Rectangle(0.02, 0.01), ALUMINIUM, 20).reduce("cantilever", modes=100)
    mech = supple.Mechanism("beam")
    mech.add_body("beam", body, joint=supple.Revolute("y"), fidelity="ruthless")
    model = mech.build()
    assert model.evaluation.programs is not None
    a = model.forward_dynamics(model.neutral(), np.zeros(101), np.zeros(101))
    assert np.abs(model.inverse_dynamics(model.neutral(), np.zeros(101), a)).max() < 1e-9 * np.abs(a).max()


@pytest.mark.parametrize(("basis", "modes", "frames", "quick"), [
    ("cantilever", 4, 1, True), ("cantilever", 4, 3, True), ("cantilever", 4, 4, False), ("cantilever", 4, 0, False),
    ("cantilever", 60, 1, False), ("nodal", None, 1, False),
])  # fmt: skip
def test_few_frames_on_few_modes_are_blocks(basis: str, modes: int | None, frames: int, quick: bool) -> None:
    model = beam_model(basis, 20, modes)
    assert compliances_quickly_made(model.tree, model.flex, frames) is quick
