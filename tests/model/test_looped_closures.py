"""Many constraint equations: their forces are found by the same code, however many there are."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple
from supple.engines.blocks.blocks import Block
from supple.model.looped_closures import WRITTEN_OUT
from supple.model.recorded_trace import RecordedTrace, model_numbers


@cache
def four_bars(count: int) -> supple.Model:
    """So many four-bar linkages side by side, two constraint equations each."""
    mech = supple.Mechanism("row of four-bars")
    link = supple.RigidBody(1.0, (0.1, 0.2, -0.5), (0.1, 0.1, 0.01))
    for i in range(count):
        mech.add_body(f"crank{i}", link, joint=supple.Revolute("y"), at=(3.0 * i + 0.5, 0.0, 0.0))
        mech.add_body(f"coupler{i}", link, f"crank{i}", supple.Revolute("y"), at=(0.0, 0.0, -1.0))
        mech.add_body(f"rocker{i}", link, joint=supple.Revolute("y"), at=(3.0 * i + 1.5, 0.0, 0.0))
        mech.add_frame("end", f"coupler{i}", (1.0, 0.0, 0.0))
        mech.add_frame("top", f"rocker{i}", (0.0, 0.0, -1.0))
        mech.close_loop(f"loop{i}", f"coupler{i}/end", f"rocker{i}/top", supple.Revolute("y"))
    return mech.build()


def blocks_of(model: supple.Model) -> tuple[dict[str, Block], int]:
    """The distinct blocks of compiled forward dynamics, and the operations of all their instances."""
    f = model.compile("forward_dynamics")
    blocks = {x.block.name: x.block for x in f.program.instances}
    return blocks, sum(len(x.block.operations) for x in f.program.instances)


def test_code_does_not_grow_with_the_loops() -> None:
    found = {n: blocks_of(four_bars(n)) for n in (4, 8, 16)}
    counts = [len(blocks) for blocks, _ in found.values()]
    assert max(counts) <= min(counts) + 1
    loops = [{name for name, block in blocks.items() if block.loops} for blocks, _ in found.values()]
    assert len(loops[0]) >= 4
    assert loops[0] == loops[1] == loops[2]
    operations = [sum(len(block.operations) for block in blocks.values()) for blocks, _ in found.values()]
    assert operations[2] < 1.3 * operations[0]  # what is added to accelerations, in one block up to its largest size
    assert found[16][1] > 3.9 * found[4][1]  # instances grow with the loops


@pytest.mark.parametrize("count", [WRITTEN_OUT // 2, 5])
@pytest.mark.parametrize("prescribed", [(), ("crank0.angle", "rocker2.angle")])
def test_motions_are_those_of_the_dense_equations(count: int, prescribed: tuple[str, ...]) -> None:
    model = four_bars(count)
    assert model.loops is not None
    q, _ = model.random_state(3)
    q, rng = model.loops.assemble(0.3 * q), np.random.default_rng(5)
    J, v, known = model.loops.jacobian(q), rng.normal(size=model.nv), rng.normal(size=model.nv)
    v = v - np.linalg.pinv(J) @ (J @ v)
    h, rows, unit = 1e-6, len(J), np.eye(model.nv)
    turning = (model.loops.jacobian(q + h * v) - model.loops.jacobian(q - h * v)) @ v / (2 * h)
    given = model.loops.held(prescribed)
    # Unknown are accelerations, constraint forces, and generalized forces; of the first and the last half are known.
    M, nothing = model.mass_matrix(q), np.zeros((rows, model.nv))
    left = np.block([[M, -J.T, -unit], [J, np.zeros((rows, rows)), nothing]])
    told = np.block([[np.diag(given * 1.0), nothing.T, np.diag(~given * 1.0)]])
    right = np.concatenate([-model.bias_forces(q, v), -turning, known])
    found = np.linalg.solve(np.concatenate([left, told]), right)
    a, tau = found[: model.nv], found[-model.nv :]
    answers = [model.hybrid(q[None], v[None], known[None], given)]
    if not prescribed:
        answers.append((model.compile("forward_dynamics")(q, v, known)[None], known[None]))
    for (own,), (forces,) in answers:
        np.testing.assert_allclose(own, a, rtol=1e-7, atol=1e-7 * np.abs(a).max())
        np.testing.assert_allclose(forces, tau, rtol=1e-7, atol=1e-7 * np.abs(tau).max())


def test_few_equations_are_written_out() -> None:
    for count, looped in ((WRITTEN_OUT // 2, False), (WRITTEN_OUT // 2 + 1, True)):
        model = four_bars(count)
        assert RecordedTrace(model, model_numbers(model)).graph.aligned == looped
        assert any(block.loops for block in blocks_of(model)[0].values()) == looped
