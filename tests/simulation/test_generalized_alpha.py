"""Implicit steps: second order, right on rotations, damping what they should, the same in all ways."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import supple
from supple import structures
from supple.engines.blocks.program_cache import PROGRAMS
from supple.integrators import GeneralizedAlpha
from supple.simulation.methods import alpha_generic, generalized_alpha
from supple.simulation.methods.alpha_formulas import implicit_arrays
from supple.simulation.methods.alpha_generic import GenericAlphaSteps
from supple.simulation.methods.alpha_newton import SweepNewton

SOFT = structures.Material(E=7e9, nu=0.33, rho=2700.0)


@cache
def arm(links: int = 2) -> supple.Model:
    body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), SOFT, 6).reduce("craig-bampton", modes=1)
    mech = supple.Mechanism("arm")
    for i in range(links):
        parent, at = ("ground", None) if i == 0 else (f"l{i - 1}", "end")
        mech.add_body(f"l{i}", body, parent, supple.Revolute("y", stiffness=2.0 * i, damping=0.01), at)
    return mech.build()


def test_second_order() -> None:
    model = arm()
    exact = supple.simulate(model, 0.1, rtol=1e-11, atol=1e-13, samples=3)
    tip = model.pose(exact.q.values[-1], "l1/end")[1]
    errors = []
    for step in (1e-4, 5e-5, 2.5e-5):
        result = supple.simulate(model, 0.1, integrator="generalized_alpha", step=step, samples=3)
        assert result.attrs["steps"] == round(0.1 / step)
        errors.append(float(np.linalg.norm(model.pose(result.q.values[-1], "l1/end")[1] - tip)))
    assert errors[0] < 1e-5
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.35)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.35)


def test_rotations_stay_rotations() -> None:
    """A tumbling free body and a spherical pendulum against the explicit integrator."""
    mech = supple.Mechanism("two")
    mech.add_body("free", supple.RigidBody(2.0, (0.1, 0, 0.05), (0.1, 0.2, 0.3)), joint=supple.Free())
    mech.add_body("ball", supple.RigidBody(1.0, (0, 0, -0.5), (0.01, 0.02, 0.015)), "free", supple.Spherical())
    model = mech.build()
    start = {"free.wx": 2.0, "free.wy": -1.0, "ball.wz": 3.0, "free.vx": 0.5}
    exact = supple.simulate(model, 1.0, v=start, rtol=1e-11, atol=1e-13, samples=3)
    ends = []
    for step in (2e-3, 1e-3):
        result = supple.simulate(model, 1.0, v=start, integrator=GeneralizedAlpha(step, rho=1.0), samples=3)
        quaternion = result.q.values[-1, 3:7]
        assert np.linalg.norm(quaternion) == pytest.approx(1.0, abs=1e-14)
        ends.append(float(np.abs(result.q.values[-1] - exact.q.values[-1]).max()))
    assert ends[0] < 1e-4
    assert ends[0] / ends[1] == pytest.approx(4, rel=0.2)


SETTINGS: dict[str, Any] = {"integrator": "generalized_alpha", "step": 1e-3, "samples": 31}
LAWS: dict[str, Any] = {"tau": {"l0.angle": supple.PID("0.2*sin(20*t)", 20.0, 1.0, 5.0), "l1.angle": "0.1*cos(t)"}}


@pytest.mark.parametrize("laws", [{}, LAWS, {"motion": {"l0.angle": "0.2*sin(9*t)"}}])
def test_all_ways_agree(laws: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The native loop, single steps on blocks, and single steps by the sweep, as very large models take them."""
    model = arm()
    runs = [supple.simulate(model, 0.06, **laws, **SETTINGS)]
    monkeypatch.setattr(generalized_alpha, "NativeAlphaSteps", GenericAlphaSteps)
    runs.append(supple.simulate(model, 0.06, **laws, **SETTINGS))
    monkeypatch.setattr(alpha_generic, "newton_iteration_of", SweepNewton)
    runs.append(supple.simulate(model, 0.06, **laws, **SETTINGS))
    assert np.abs(runs[0].q).max() > 1e-3
    for other in runs[1:]:
        assert other.attrs["evaluations"] == runs[0].attrs["evaluations"] > 60
        for name in ("q", "v", "work") if laws else ("q", "v"):
            x, y = runs[0][name].values, other[name].values
            assert np.allclose(x, y, rtol=1e-9, atol=1e-11 * np.abs(x).max())


def test_steps_compile_nothing_for_other_numbers() -> None:
    """Another length of steps, spectral radius or stiffness is loaded: the blocks are the same."""
    model = arm()
    supple.simulate(model, 0.03, **SETTINGS)
    known = len(PROGRAMS)
    supple.simulate(model, 0.03, integrator=GeneralizedAlpha(7e-4, rho=0.5), samples=31)
    assert len(PROGRAMS) == known


def test_a_step_that_is_not_finite_is_no_converged_one() -> None:
    with pytest.raises(supple.SimulationError, match=r"did not converge at t = 0\.1"):
        supple.simulate(arm(), 0.3, tau={"l1.angle": "1e300*max(0, t - 0.0995)*1e9"}, **SETTINGS | {"samples": 4})


def test_the_stiff_matrix_is_m_plus_c_plus_k() -> None:
    from supple.recursions import articulated

    model = arm()
    g_1, g_2 = 3e-4, 2e-6
    tree, flex = implicit_arrays(model, g_1, g_2)
    q = model.random_state(1)[0]
    K, C = np.diag(model.tree.stiffness), np.diag(model.tree.damping)
    x = np.random.default_rng(0).normal(size=model.nv)
    y = np.zeros((1, model.nv))
    with model.workspace(np.float64) as ws:
        articulated.inverse_mass_solve(tree, flex, q[None], np.zeros(model.nv, dtype=bool), ws, x[None].copy(), y)
    expected = np.linalg.solve(model.mass_matrix(q) + g_1 * C + g_2 * K, x)
    assert np.allclose(y[0], expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())


def test_numerical_damping() -> None:
    """A mode far above what the step resolves dies with rho = 0 and stays with rho = 1."""
    body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), SOFT, 6).reduce("cantilever", modes=8)
    mech = supple.Mechanism("beam", gravity=(0, 0, 0))
    mech.add_body("beam", body, joint=supple.Fixed(), stiffening=False)  # each mode is an oscillator by itself
    model = mech.build()
    start = {"beam.mode8": 1e-4}
    left = []
    for rho in (0.0, 1.0):
        result = supple.simulate(model, 0.5, q=start, integrator=GeneralizedAlpha(1e-2, rho=rho), samples=11)
        energy = (result.kinetic_energy + result.potential_energy).values
        left.append(energy[-1] / energy[0])
    assert left[0] < 1e-6
    assert left[1] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"integrator": "generalized_alpha"}, "needs the length of its steps"),
        ({"step": 1e-3}, "only generalized_alpha, variational, rk4"),
        ({"integrator": "generalised_alpha"}, "expected one of 'auto', .*'generalized_alpha', 'variational'"),
        ({"integrator": "generalized_alpha", "step": -1.0}, "expected a positive number"),
    ],
)
def test_what_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        supple.simulate(arm(1), 0.1, **settings)  # type: ignore[arg-type]
