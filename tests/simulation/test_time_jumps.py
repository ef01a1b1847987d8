"""Formulas that jump: those of the time are met exactly, others from rest do not stop a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.inputs.inputs import Inputs
from supple.inputs.lifted_laws import LiftedLaws
from supple.model.parameters import symbols_of
from supple.simulation.lane_setup import LaneSetup
from supple.simulation.run_program import run_program
from supple.simulation.time_jumps import GAP, TimeJumps


def block() -> supple.Model:
    mech = supple.Mechanism("block", gravity=(0, 0, 0))
    mech.add_body("block", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    return mech.build()


ALTERNATING = np.append(np.arange(7) * np.pi / 20, 1.0)
"""Changes of the sign of sin(20 t), and the end."""


def alternating_distance() -> float:
    """How far the block comes in 1 s under a force of 1 N that changes its sign at these times."""
    x = v = 0.0
    for i, h in enumerate(np.diff(ALTERNATING)):
        a = (-1.0) ** i
        x, v = x + v * h + 0.5 * a * h * h, v + a * h
    return float(x)


@pytest.mark.parametrize("integrator", ["DOP853", "ESDIRK54", "Radau", "BDF", "rk4", "generalized_alpha"])
def test_jumps_of_the_time_cost_no_accuracy(integrator: str) -> None:
    """From rest, where nothing says how large an error may be; all these are exact for constant forces."""
    options: dict[str, Any] = {"step": 0.01} if integrator in supple.integrators.STEPPED else {}
    rel = 1e-9 if integrator in ("BDF", "generalized_alpha") else 1e-12
    for force, expected in (
        ("step(t - 0.5)", 0.125),
        ("1000*step(t - 0.5)", 125.0),
        ("sign(sin(20*t))", alternating_distance()),
        ("step(t - 0.5)*step(0.501 - t)", 0.5e-6 + 1e-3 * 0.499),
    ):
        run = supple.simulate(block(), 1.0, tau={"block.position": force}, integrator=integrator, **options)
        assert float(run.q[-1, 0]) == pytest.approx(expected, rel=rel), force


@pytest.mark.parametrize("integrator", ["DOP853", "ESDIRK54"])
def test_a_pulse_is_not_stepped_over(integrator: str) -> None:
    """A triangle of 0.1 N s after 5 s of rest, in which steps have grown to the whole run."""
    run = supple.simulate(
        block(), 10.0, tau={"block.position": "max(0, 1 - 10*abs(t - 5))"}, integrator=integrator, samples=101
    )
    assert float(run.v[-1, 0]) == pytest.approx(0.1, rel=1e-7)


@pytest.mark.parametrize("integrator", ["DOP853", "ESDIRK54"])
def test_a_jump_that_the_motion_meets_from_rest_is_passed(integrator: str) -> None:
    """Block b begins to move when a has come to 0.1 m, at sqrt(0.2) s: it is pulled by a force that jumps there."""
    mech = supple.Mechanism("blocks", gravity=(0, 0, 0))
    for name in "ab":
        mech.add_body(name, supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    tau = {"a.position": "1", "b.position": "step(a.position - 0.1)"}
    run = supple.simulate(mech.build(), 1.0, tau=tau, integrator=integrator)
    assert float(run.q[-1, 1]) == pytest.approx(0.5 * (1 - np.sqrt(0.2)) ** 2, rel=1e-7)


def jumps(force: str, variables: dict[str, float], interval: float) -> tuple[TimeJumps, np.ndarray]:
    model = block()
    inputs = Inputs(model, {"block.position": force}, variables=variables)
    return TimeJumps(LiftedLaws.of(model, inputs).function, inputs, interval), inputs.start()[1]


def test_sides_are_followed_one_after_the_other() -> None:
    found, u = jumps("sign(sin(20*t)) + clip(3*t, 0, 1) + min(t, block.position)", {}, 0.05)
    t, seen = found.begin(0.0, u), []
    while (end := found.next(t, u, 1.0)) < 1.0:
        t = found.begin(end, u)
        seen.append(0.5 * (end + t))
        assert 0 < t - end < 4 * GAP
    expected = np.sort([*ALTERNATING[1:-1], 1 / 3])
    np.testing.assert_allclose(seen, expected, rtol=0, atol=2 * GAP)


def test_sides_follow_variables_and_leave_motions_alone() -> None:
    found, u = jumps("step(t - begin)*sign(block.position)", {"begin": 0.3}, 0.01)
    assert found.next(0.0, u, 1.0) == pytest.approx(0.3, abs=4 * GAP)
    assert found.next(0.0, u, 0.2) == np.inf
    u[0] = 0.7  # an event sets the variable
    assert found.next(0.1, u, 1.0) == pytest.approx(0.7, abs=4 * GAP)
    still, u = jumps("sign(block.position) + t", {}, 0.01)
    assert still.next(0.0, u, 1.0) == np.inf


PULSE = {"block.position": "1000*(step(t - 5) - step(t - 5.01))"}
STEPS: dict[str, Any] = {"integrator": "rk4", "step": 0.05}


def test_what_has_no_jumps_of_the_time_says_so() -> None:
    """10 N s for 4.995 s: runs see the pulse, with and without sensitivities; the others do not look ahead for it."""
    model, words = block(), "formulas that jump with the time"
    with pytest.raises(supple.StateError, match=words):
        LaneSetup.of(model, {"duration": 10.0, "tau": PULSE, **STEPS})
    with pytest.raises(supple.StateError, match=r"a law jumps with the time; use simulate\(sensitivities"):
        supple.gradient(model, 10.0, tau=PULSE, by=["block.mass"], final="block.position", **STEPS)
    with pytest.warns(supple.OmissionWarning, match="does not look ahead for jumps.* a table of kind 'hold'"):
        run_program(model, {"duration": 10.0, "tau": PULSE}, symbols_of(model, parameters=[]))
    run = supple.simulate(model, 10.0, tau=PULSE, sensitivities=["block.mass"], **STEPS)
    assert float(run.q[-1, 0]) == pytest.approx(49.95, rel=1e-9)
    assert float(run.q_sensitivity[-1].squeeze()) == pytest.approx(-49.95, rel=1e-9)


def test_kinks_of_the_time_refuse_nothing() -> None:
    model, ramp = block(), {"block.position": "clip(t, 0, 1) + abs(t - 0.5)"}
    LaneSetup.of(model, {"duration": 1.0, "tau": ramp, **STEPS})
    supple.gradient(model, 1.0, tau=ramp, by=["block.mass"], final="block.position", **STEPS)
    run_program(model, {"duration": 1.0, "tau": ramp}, symbols_of(model, parameters=[]))
