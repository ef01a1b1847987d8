"""Implicit steps with error control: their order, the error that was asked for, and the same motion in all ways."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple import structures
from supple.engines.blocks.program_cache import PROGRAMS
from supple.files import read
from supple.inputs.inputs import Inputs
from supple.integrators import ESDIRK54
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods import esdirk
from supple.simulation.methods.alpha_newton import SweepNewton
from supple.simulation.methods.esdirk import ImplicitRungeKutta
from supple.simulation.methods.segment import Task
from supple.simulation.methods.tolerances import Tolerances
from supple.stepping.esdirk_coefficients import coefficients
from support.cases import thinned

SOFT = structures.Material(E=7e9, nu=0.33, rho=2700.0)


@cache
def arm(links: int = 2, damping: float = 0.0) -> supple.Model:
    """Beams of which the first has modes up to some kHz."""
    body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), SOFT, 6)
    flexible = body.reduce("craig-bampton", modes=1, damping=damping)
    mech = supple.Mechanism("arm")
    for i in range(links):
        parent, at = ("ground", None) if i == 0 else (f"l{i - 1}", "end")
        mech.add_body(f"l{i}", flexible, parent, supple.Revolute("y", stiffness=2.0 * i, damping=0.01), at)
    return mech.build()


@cache
def tumbling() -> supple.Model:
    """Two bodies with quaternions."""
    mech = supple.Mechanism("two")
    mech.add_body("free", supple.RigidBody(2.0, (0.1, 0, 0.05), (0.1, 0.2, 0.3)), joint=supple.Free())
    mech.add_body("ball", supple.RigidBody(1.0, (0, 0, -0.5), (0.01, 0.02, 0.015)), "free", supple.Spherical())
    return mech.build()


def thrown(model: supple.Model) -> dict[str, float]:
    """Speeds of a start."""
    known = {"free.wx": 2.0, "free.wy": -1.0, "ball.wz": 3.0, "free.vx": 0.5, "l0.angle": 1.0, "l1.angle": -2.0}
    return {name: x for name, x in known.items() if name in model.speeds}


def fixed_steps(model: supple.Model, h: float, span: float, samples: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    """States (samples, n) from steps of one length: a ladder of one rung, and an error that is always zero."""
    monkeypatch.setattr(esdirk, "LENGTHS", np.array([h]))
    start = [thrown(model).get(name, 0.0) for name in model.speeds]
    system = DrivenSystem(model, Inputs(model), model.neutral(), np.array(start))
    y = np.concatenate([model.neutral(), start])
    method = ImplicitRungeKutta(system, Tolerances(system, 1e-12, None, "ESDIRK54"), y, system.u_0)
    method._tables = method._tables._replace(E=np.zeros(7))
    times = np.linspace(0.0, span, samples)[1:]
    task = Task(
        0.0, y, span, times, system.u_0, {"h": np.array([h, 1.0])}, None, np.zeros((len(times), len(y))), lambda t: None
    )
    found = method.run(task)
    assert method.effort.steps == round(span / h)
    return np.array([np.concatenate(system.settled(np.zeros(1), y[None], system.u_0[None], 0)) for y in found.states])


@pytest.mark.parametrize(
    ("make", "span", "steps"), [(tumbling, 1.0, 16), (arm, 2.0**-4, 256)], ids=["rotations", "flexible"]
)
def test_order_five_at_the_ends_and_at_least_four_within(
    make: Any, span: float, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make()
    samples = 4  # thirds of the span lie within steps
    exact = supple.simulate(model, span, v=thrown(model), integrator="DOP853", rtol=1e-13, samples=samples)
    best = np.concatenate([exact.q.values, exact.v.values], axis=1)[1:]
    runs = [fixed_steps(model, span / n, span, samples, monkeypatch) for n in (steps, 2 * steps)]
    errors = np.array([np.abs(x - best).max(axis=1) for x in runs])
    orders = np.log2(errors[0] / errors[1])
    assert errors[0, -1] < 1e-3
    assert 4.6 < orders[-1] < 5.6
    assert orders[:-1].min() > 3.7


LAWS: list[dict[str, Any]] = [
    {},
    {"tau": {"l0.angle": supple.PID("0.2*sin(20*t)", 20.0, 1.0, 5.0), "l1.angle": "0.1*cos(t)"}},
    {"motion": {"l0.angle": "0.2*sin(9*t)"}},
    {"tau": {"l0.angle": supple.PID("0.2*sin(20*t)", 20.0, 0.2, rate=50.0)}},
]
SETTINGS: dict[str, Any] = {"integrator": "ESDIRK54", "samples": 31}


@pytest.mark.parametrize("laws", thinned(LAWS, LAWS[1:]), ids=["free", "controlled", "prescribed", "sampled"])
def test_the_motion_of_dop853(laws: dict[str, Any]) -> None:
    model = arm()
    best = supple.simulate(model, 0.06, v={"l1.angle": 2.0}, integrator="DOP853", rtol=1e-11, samples=31, **laws)
    found = supple.simulate(model, 0.06, v={"l1.angle": 2.0}, rtol=1e-8, **laws, **SETTINGS)
    assert found.attrs["engine"] == "blocks"
    for name in ("q", "work") if laws else ("q",):
        assert np.ptp(best[name].values) > 1e-3
        np.testing.assert_allclose(found[name], best[name], atol=1e-7 * float(np.abs(best[name]).max()))


@pytest.mark.parametrize("laws", thinned(LAWS[:3], LAWS[1:2]), ids=["free", "controlled", "prescribed"])
def test_all_ways_agree(laws: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code, and Python called back for the sweeps of very large models."""
    model = arm()
    runs = [supple.simulate(model, 0.03, rtol=1e-6, **laws, **SETTINGS)]
    monkeypatch.setattr(esdirk, "newton_iteration_of", SweepNewton)
    monkeypatch.setattr(ImplicitRungeKutta, "_rate_function", lambda self: None)
    runs.append(supple.simulate(model, 0.03, rtol=1e-6, **laws, **SETTINGS))
    assert np.abs(runs[0].q).max() > 1e-3
    assert runs[0].attrs["evaluations"] == runs[1].attrs["evaluations"] > 60
    for name in ("q", "v"):
        x, y = runs[0][name].values, runs[1][name].values
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11 * np.abs(x).max())


def test_steps_compile_nothing_for_other_lengths() -> None:
    model = arm()
    supple.simulate(model, 0.01, rtol=1e-4, **SETTINGS)
    known = len(PROGRAMS)
    supple.simulate(model, 0.02, rtol=1e-7, **SETTINGS)
    assert len(PROGRAMS) == known


@pytest.mark.parametrize("rtol", thinned([1e-3, 1e-5, 1e-8], [1e-5]))
@pytest.mark.parametrize("make", [tumbling, arm], ids=["rotations", "flexible"])
def test_the_error_is_what_was_asked_for(make: Any, rtol: float) -> None:
    """Within a factor 30, relative to the largest coordinate, over a second or about thirty periods."""
    model, span = make(), 1.0 if make is tumbling else 0.3
    best = supple.simulate(model, span, v=thrown(model), integrator="DOP853", rtol=1e-12, samples=11)
    found = supple.simulate(model, span, v=thrown(model), rtol=rtol, **SETTINGS | {"samples": 11})
    error = float(np.abs(found.q - best.q).max() / np.abs(best.q).max())
    assert 1e-4 * rtol < error < 30 * rtol


def test_a_stiff_damped_joint_needs_no_short_steps() -> None:
    """A joint that decays in a microsecond beside a pendulum of a second."""
    mech = supple.Mechanism("door")
    rod = supple.RigidBody(1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
    mech.add_body("door", rod, joint=supple.Revolute("y"))
    mech.add_body("latch", rod, "door", supple.Revolute("y", damping=1e5, stiffness=1e6), at=(1.0, 0, 0))
    model = mech.build()
    start: dict[str, Any] = {"q": {"latch.angle": 0.01}, "v": {"latch.angle": 1.0}, "samples": 5}
    found = supple.simulate(model, 2.0, integrator="ESDIRK54", rtol=1e-6, **start)
    best = supple.simulate(model, 2.0, integrator="Radau", rtol=1e-10, **start)
    assert found.attrs["steps"] < 300
    assert np.ptp(best.q.values[:, 0]) > 1.0
    np.testing.assert_allclose(found.q, best.q, atol=1e-5)
    assert np.abs(found.q.values[-1, 1]) < 1e-4


def test_modal_damping_is_exact() -> None:
    """One damped mode beside its closed form; damping and stiffness stand in the factors."""
    body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), SOFT, 6).reduce("cantilever", modes=1, damping=0.05)
    mech = supple.Mechanism("beam", gravity=(0, 0, 0))
    mech.add_body("beam", body, joint=supple.Fixed(), stiffening=False)
    w = float(np.sqrt(body.stiffness.diagonal()[0] / body.mass_matrix.diagonal()[0]))
    found = supple.simulate(mech.build(), 10 / w, q={"beam.mode1": 1e-3}, rtol=1e-9, **SETTINGS)
    t, decay, turned = found.time.values, 0.05 * w, w * np.sqrt(1 - 0.05**2)
    exact = 1e-3 * np.exp(-decay * t) * (np.cos(turned * t) + decay / turned * np.sin(turned * t))
    np.testing.assert_allclose(found.q.values[:, 0], exact, atol=1e-11)


def test_what_steps_cannot_resolve_is_damped() -> None:
    body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), SOFT, 6).reduce("cantilever", modes=8)
    mech = supple.Mechanism("beam", gravity=(0, 0, 0))
    mech.add_body("beam", body, joint=supple.Fixed(), stiffening=False)  # each mode is an oscillator by itself
    start = {"beam.mode1": 1e-3, "beam.mode8": 1e-9}
    found = supple.simulate(mech.build(), 0.5, q=start, integrator="ESDIRK54", rtol=1e-3, samples=5)
    first, last = (found.q.sel(coordinate=f"beam.mode{i}").values for i in (1, 8))
    assert abs(last[-1]) < 1e-3 * abs(last[0])
    assert np.abs(first[1:]).max() > 0.5 * first[0]


def test_quaternions_stay_of_unit_length_between_segments() -> None:
    simulator = supple.Simulator(tumbling(), v=thrown(tumbling()), integrator="ESDIRK54")
    for t in (0.5, 1.0, 3.0):
        simulator.advance_to(t)
        assert np.linalg.norm(simulator._run.y[3:7]) == pytest.approx(1.0, abs=1e-15)


def test_a_law_that_jumps_without_notice_costs_short_steps_and_a_wrong_one_ends_the_run() -> None:
    model = arm(1)
    jump: dict[str, Any] = {"tau": {"l0.angle": "0.5*(2 + sign(l0.angle - 0.001))"}}
    best = supple.simulate(model, 0.1, integrator="DOP853", rtol=1e-8, samples=5, **jump)
    found = supple.simulate(model, 0.1, rtol=1e-6, **SETTINGS | {"samples": 5}, **jump)
    assert found.attrs["rejected_steps"] > 0
    np.testing.assert_allclose(found.q, best.q, atol=1e-4 * float(np.abs(best.q).max()))
    with pytest.raises(supple.SimulationError, match=r"ESDIRK54 stopped at t = 0\.05"):
        supple.simulate(model, 0.1, tau={"l0.angle": "1/max(0, 0.05 - t)"}, **SETTINGS)


def test_prescribed_modes_are_refused() -> None:
    with pytest.raises(supple.StateError, match="motion: ESDIRK54 takes no prescribed modes"):
        supple.simulate(arm(1), 0.1, motion={arm(1).speeds[-1]: "0.001*t"}, integrator="ESDIRK54")


# ------------------------------------------------------------ closed loops and rolling


@cache
def linkage() -> supple.Model:
    """A crank, a flexible rod and a rocker, soft enough to see all vibrations."""
    mech = supple.Mechanism("linkage")
    rod = structures.beam(1.0, structures.Rectangle(0.02, 0.01), SOFT, 4).reduce("cantilever", modes=2)
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.01, 0.02, 0.02)), joint=supple.Revolute("y"))
    mech.add_body("rod", rod, "crank", supple.Revolute("y"), at=(0.3, 0, 0))
    rocker = supple.RigidBody(1.0, (0, 0, 0.3), (0.02, 0.02, 0.01))
    mech.add_body("rocker", rocker, joint=supple.Revolute("y"), at=(1.2, 0, 0))
    mech.add_frame("top", "rocker", (0, 0, 0.6))
    mech.close_loop("loop", "rod/end", "rocker/top", supple.Revolute("y"))
    return mech.build()


LINKAGE: dict[str, Any] = {"q": {"crank.angle": -1.0}, "v": {"crank.angle": 4.0}, "guess": {"rod.angle": 0.5}}


def test_order_five_with_closed_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    model, span = linkage(), 2.0**-3
    exact = supple.simulate(model, span, integrator="DOP853", rtol=1e-12, samples=2, **LINKAGE)
    best = np.concatenate([exact.q.values[-1], exact.v.values[-1]])
    errors, forces = [], []
    for n in (16, 32):
        monkeypatch.setattr(esdirk, "LENGTHS", np.array([span / n]))
        monkeypatch.setattr(esdirk, "coefficients", lambda: coefficients()._replace(E=np.zeros(7)))
        run = supple.simulate(model, span, integrator="ESDIRK54", rtol=1e-11, samples=2, **LINKAGE)
        assert run.attrs["steps"] <= n + 8  # the first ones grow to the only rung
        errors.append(np.abs(np.concatenate([run.q.values[-1], run.v.values[-1]]) - best).max())
        forces.append(float(np.abs(run.constraint_force[-1] - exact.constraint_force[-1]).max()))
    assert errors[0] < 1e-2
    assert np.log2(errors[0] / errors[1]) > 4.5
    assert np.log2(forces[0] / forces[1]) > 4.5  # they follow from the state: no order is lost


def test_a_flexible_loop_as_dop853_has_it() -> None:
    model = linkage()
    drive: dict[str, Any] = {"tau": {"crank.angle": supple.PID("-1 + sin(3*t)", 20.0, 2.0, 5.0)}}
    moved: dict[str, Any] = {"motion": {"crank.angle": "4*t - 1"}}
    for laws in ({}, drive, moved):
        best = supple.simulate(model, 0.3, integrator="DOP853", rtol=1e-10, samples=7, **LINKAGE, **laws)
        found = supple.simulate(model, 0.3, integrator="ESDIRK54", rtol=1e-8, samples=7, **LINKAGE, **laws)
        assert np.ptp(best.q.values[:, 0]) > 0.3
        for name in ("q", "v", "work") if laws else ("q", "v"):
            scale = float(np.abs(best[name]).max())
            np.testing.assert_allclose(found[name], best[name], atol=1e-6 * scale)
        assert np.abs(model.loops.errors(found.q.values)[0]).max() < 1e-12  # type: ignore[union-attr]


def test_rolling() -> None:
    contents = read(Path(__file__).parents[2] / "examples" / "rolling_coin.toml")
    model, given = contents.model, contents.run_arguments()
    start: dict[str, Any] = {name: given[name] for name in ("q", "v") if name in given} | {"samples": 5}
    best = supple.simulate(model, 0.5, integrator="DOP853", rtol=1e-11, **start)
    found = supple.simulate(model, 0.5, integrator="ESDIRK54", rtol=1e-7, **start)
    assert np.ptp(best.q.values, axis=0).max() > 0.1
    np.testing.assert_allclose(found.q, best.q, atol=30 * 1e-7 * float(np.abs(best.q).max()))


def test_a_closed_run_is_restored_to_the_last_bit() -> None:
    ends = []
    first = supple.Simulator(linkage(), integrator=ESDIRK54(rtol=1e-4), **LINKAGE)
    first.advance_to(0.04)
    kept = first.checkpoint()
    for one in (first, supple.Simulator(linkage(), integrator=ESDIRK54(rtol=1e-4), **LINKAGE)):
        one.restore(kept)
        found = one.advance_to(0.08, [0.06, 0.08])
        ends.append((found.q.tolist(), vars(one.effort)))
    assert ends[0] == ends[1]


def tied_pendulums() -> supple.Model:
    """Two pendulums whose tips a stiff spring joins, and a double one that a stiff spring ties to the ground."""
    mech = supple.Mechanism("tied pendulums")
    rod = supple.RigidBody(1.0, (0.5, 0, 0), (0.001, 0.09, 0.09))
    mech.add_body("first", rod, joint=supple.Revolute("y"))
    mech.add_body("second", rod, joint=supple.Revolute("y"), at=(0, 0.3, 0))
    mech.add_body("upper", rod, joint=supple.Spherical(), at=(0, -1, 0))
    mech.add_body("lower", rod, "upper", supple.Spherical(), at=(1, 0, 0))
    for body in ("first", "second", "lower"):
        mech.add_frame("tip", body, (1, 0, 0))
    mech.add_frame("post", "ground", (1, -1, -1))
    mech.add_spring_damper("coupling", "first/tip", "second/tip", 1e7, 0.0, 0.3)
    mech.add_spring_damper("stay", "ground/post", "lower/tip", 1e7, 2e3, np.sqrt(2))
    return mech.build()


def test_stiff_springs_between_frames_do_not_shorten_steps() -> None:
    """Without them in the Newton matrix: 1,141 steps and 11,549 iterations, and generalized-alpha does not converge."""
    model = tied_pendulums()
    exact = supple.simulate(model, 1.0, integrator="DOP853", rtol=1e-9, samples=11)
    run = supple.simulate(model, 1.0, integrator="ESDIRK54", rtol=1e-3, samples=11)
    assert run.attrs["steps"] < 300
    assert run.attrs["evaluations"] < 2500
    assert np.abs(run.q - exact.q).max() < 0.02
    fixed = supple.simulate(model, 1.0, integrator="generalized_alpha", step=1e-3, samples=11)
    assert fixed.attrs["evaluations"] < 3500
    assert np.abs(fixed.q - exact.q).max() < 0.02
