"""Runs side by side are the runs of `supple.simulate`, one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import supple
from supple.engines.blocks import lane_program
from supple.inputs.requests import Outputs
from supple.inputs.wrenches import Wrench
from supple.simulation.lane_runs import LaneMotion, LaneRuns
from supple.simulation.lane_setup import LaneSetup

STEPS = {"integrator": "rk4", "step": 0.01, "duration": 0.25, "samples": 6}
Case = tuple[supple.Model, dict[str, Any]]


def pendulum(i: int, **settings: Any) -> Case:
    """A cart with a pendulum on a spring; all numbers depend on i."""
    mech = supple.Mechanism("cart pendulum", gravity=(0.0, -9.81 + 0.1 * i, 0.0))
    mech.add_body("cart", supple.RigidBody(3.0 + i), joint=supple.Prismatic("x", stiffness=2.0 + i, damping=0.1))
    arm = supple.RigidBody(1.5, (0.0, -0.8 + 0.02 * i, 0.01 * i), np.diag([0.08, 0.01, 0.08]) * (1 + 0.1 * i))
    mech.add_body("arm", arm, "cart", supple.Revolute("z"), at=(0.1 * i, 0.0, 0.0))
    return mech.build(), {**STEPS, "q": {"arm.angle": 1.0 + 0.1 * i}, "v": {"cart.position": 0.1 * i}, **settings}


def together(make: Callable[[int], Case], cases: int) -> tuple[LaneMotion, list[Case]]:
    every = [make(i) for i in range(cases)]
    setups = [LaneSetup.of(*x) for x in every]
    assert len({x.key for x in setups}) == 1
    return LaneRuns(setups[0], np.array([x.values for x in setups])).run(), every


def assert_same(motion: LaneMotion, every: list[Case], tolerance: float = 1e-13) -> None:
    """Rounding: machine code for lanes sums in the same order, but structures of single models fold more zeros."""
    (q, v), (a, tau) = motion.states, motion.forces
    found: dict[str, Any] = {"q": q, "v": v, "a": a, "tau": tau, "momentum": motion.sums["momentum"]}
    found |= {"kinetic_energy": motion.sums["energy"][..., 0], "potential_energy": motion.sums["energy"][..., 1]}
    found["center_of_mass"] = motion.sums["moment"] / motion.runs.mass[:, None, None]
    if motion.runs.setup.outputs.frames:
        found |= {"position": motion.frames["p"], "velocity": motion.frames["V"], "acceleration": motion.frames["A"]}
    if motion.work is not None:
        found["work"] = motion.work
    for case, (model, settings) in enumerate(every):
        result = supple.simulate(model, **settings)
        for name, values in found.items():
            wanted = result[name].values
            np.testing.assert_allclose(values[case], wanted, rtol=0, atol=tolerance * max(1.0, np.abs(wanted).max()))
        assert np.ptp(result.q.values, axis=0).max() > 1e-3


@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("integrator", ["rk4", "leapfrog", "semi_implicit_euler"])
def test_rigid_bodies_in_any_number_of_lanes(lanes: int, integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_program, "host_lanes", lambda: lanes)
    assert_same(*together(lambda i: pendulum(i, integrator=integrator), 5 if integrator == "rk4" else 3))


def test_laws_with_numbers_of_their_own() -> None:
    def case(i: int) -> Case:
        table = supple.Table([0.0, 0.1, 0.25], [0.5, 2.0 + i, -1.0])
        law = supple.PID(kp=20.0 + i, ki=3.0 - 0.1 * i, kd=1.5, target=f"{0.5 + 0.1 * i}*sin(gain*t)")
        return pendulum(i, tau={"cart.position": table, "arm.angle": law}, variables={"gain": 2.0 + 0.3 * i})

    assert_same(*together(case, 4))


def test_prescribed_motions_and_wrenches_at_frames() -> None:
    def case(i: int) -> Case:
        model, settings = pendulum(i)
        settings |= {"motion": {"cart.position": f"{0.2 + 0.1 * i}*sin(3*t)"}, "v": None}
        settings |= {"wrenches": [Wrench("push", "arm", force=(f"{1.5 + i}*cos(t)", 2.0 + i, 0.0))]}
        return model, {**settings, "outputs": Outputs(frames=["arm"])}

    motion, every = together(case, 3)
    assert_same(motion, every)
    for i, (model, settings) in enumerate(every):
        wanted = supple.simulate(model, **settings).applied_wrench.values
        np.testing.assert_allclose(motion.wrenches["wrench"][i].reshape(wanted.shape), wanted, rtol=1e-13)


def test_a_floating_base_with_a_flexible_boom() -> None:
    def case(i: int) -> Case:
        material = supple.structures.Material(E=7e10 * (1 + 0.05 * i), nu=0.3, rho=2700.0 + 20 * i)
        beam = supple.structures.beam(2.0 + 0.1 * i, supple.structures.Rectangle(0.05, 0.02 + 0.0004 * i), material, 4)
        mech = supple.Mechanism("satellite", gravity=(0, 0, 0))
        mech.add_body(
            "hub", supple.RigidBody(20.0 + i, inertia=np.diag([3.0, 3.0, 4.0 + 0.5 * i])), joint=supple.Free()
        )
        boom = beam.reduce("cantilever", modes=3)
        mech.add_body("boom", boom, "hub", supple.Revolute("z", stiffness=5.0 + i), at=(0.5 + 0.1 * i, 0, 0))
        mech.add_body("tip", supple.RigidBody(0.3 + 0.1 * i), "boom", supple.Fixed(), at="end")
        settings = {**STEPS, "step": 2e-4, "duration": 0.02, "outputs": Outputs(frames=["tip", "boom/end"])}
        model = mech.build()
        turning = next(x for x in model.speeds if x.startswith("hub.") and x.endswith("z"))
        return model, {**settings, "v": {turning: 0.5 + 0.1 * i, "boom.angle": 1.0}}

    assert_same(*together(case, 3), tolerance=1e-11)  # rates of modes are 1e4 times what they sum to


def test_a_lane_that_diverges_leaves_the_others_alone() -> None:
    def case(i: int) -> Case:
        mech = supple.Mechanism("spring", gravity=(0, 0, 0))
        stiff = 1e9 if i == 1 else 10.0
        mech.add_body("block", supple.RigidBody(1.0), joint=supple.Prismatic("x", stiffness=stiff))
        return mech.build(), {**STEPS, "duration": 3.0, "samples": 31, "q": {"block.position": 1.0}}

    motion, every = together(case, 4)
    assert list(motion.failures) == [1]
    assert "no longer finite" in motion.failures[1]
    with pytest.raises(supple.SimulationError, match="no longer finite"):
        supple.simulate(every[1][0], **every[1][1])
    for i in (0, 2, 3):
        np.testing.assert_allclose(motion.states[0][i, :, 0], np.cos(np.sqrt(10.0) * motion.t), atol=1e-5)


REFUSED: Mapping[str, tuple[str, dict[str, Any]]] = {
    "an adaptive integrator": ("DOP853", {"integrator": "DOP853", "step": None}),
    "an event": ("events", {"events": [supple.Event("up", "arm.angle")]}),
    "a stop": ("stops", {"limits": [supple.Limit("arm.angle", lower=-3.0)]}),
    "a called function": ("functions", {"tau": {"arm.angle": lambda t, q, v: float(np.round(q[0]))}}),
    "a sampled controller": ("sampled", {"tau": {"arm.angle": supple.PID(target=1.0, kp=1.0, rate=10.0)}}),
    "joint wrenches": ("wrenches", {"outputs": Outputs(wrenches="all")}),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_lanes_cannot_do_is_said_by_name(why: str) -> None:
    word, settings = REFUSED[why]
    with pytest.raises(supple.StateError, match=f"'cart pendulum': lanes cannot have .*{word}"):
        LaneSetup.of(*pendulum(0, **settings))


def test_closed_loops_are_no_lanes() -> None:
    mech = supple.Mechanism("loop")
    for name in ("a", "b"):
        mech.add_body(name, supple.RigidBody(1.0, (0.5, 0, 0)), joint=supple.Revolute("y"))
    mech.close_loop("pin", "a", "b", supple.Spherical())
    with pytest.raises(supple.StateError, match="closed loops"):
        LaneSetup.of(mech.build(), STEPS)
