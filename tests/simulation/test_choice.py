"""The integrator that is taken when none is asked for, and why."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.integrate import DOP853

import supple
from supple import structures
from supple.inputs.inputs import Inputs
from supple.simulation import choice
from supple.simulation.choice import STABLE, fastest_motion
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.esdirk import ImplicitRungeKutta
from support.mechanisms.closed_mechanisms import n_four_bar


def spring(stiffness: float, damping: float = 0.0) -> supple.Model:
    mech = supple.Mechanism("spring", gravity=(0, 0, 0))
    joint = supple.Prismatic("x", stiffness=stiffness, damping=damping)
    mech.add_body("mass", supple.RigidBody(2.0), joint=joint)
    return mech.build()


def system_of(model: supple.Model) -> tuple[DrivenSystem, np.ndarray]:
    q, v = model.neutral(), np.zeros(model.nv)
    return DrivenSystem(model, Inputs(model), q, v), np.concatenate([q, v])


def test_the_stability_limit_is_that_of_the_method() -> None:
    """|R(z)| stays within 1 for all z in the left half plane up to the limit, and not much further."""

    def growth(z: complex) -> float:
        solved = np.linalg.solve(np.eye(12) - z * DOP853.A, np.ones(12))
        return float(abs(1 + z * (DOP853.B @ solved)))

    angles = np.exp(1j * np.linspace(np.pi / 2, np.pi, 25))
    sizes = np.linspace(0.1, STABLE - 0.05, 60)
    assert max(growth(z) for angle in angles for z in sizes * angle) < 1 + 1e-6
    assert growth(1.1j * STABLE) > 1


@pytest.mark.parametrize(("stiffness", "damping"), [(8.0, 0.0), (8e6, 0.0), (0.0, 500.0), (1e3, 10.0)])
def test_the_fastest_motion_of_an_oscillator(stiffness: float, damping: float) -> None:
    system, y = system_of(spring(stiffness, damping))
    expected = np.roots([2.0, damping, stiffness])
    found = fastest_motion(system, y, system.u_0)
    assert abs(found) == pytest.approx(np.abs(expected).max(), rel=1e-5)


def test_the_fastest_motion_of_a_beam_is_its_highest_mode() -> None:
    material = structures.Material(E=7e10, nu=0.33, rho=2700.0)
    body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), material, 8).reduce("cantilever", modes=6)
    mech = supple.Mechanism("beam")
    mech.add_body("beam", body, joint=supple.Fixed())
    system, y = system_of(mech.build())
    highest = np.sqrt(body.stiffness.diagonal().max())
    assert abs(fastest_motion(system, y, system.u_0)) == pytest.approx(highest, rel=1e-4)


def test_many_freedoms_go_by_arnoldi(monkeypatch: pytest.MonkeyPatch) -> None:
    mech = supple.Mechanism("chain")
    for i in range(6):
        joint = supple.Revolute("y", stiffness=10.0 * (i + 1))
        body = supple.RigidBody(1.0, (0.5, 0, 0), (0.01, 0.02, 0.02))
        mech.add_body(f"b{i}", body, f"b{i - 1}" if i else "ground", joint, at=(1.0, 0, 0) if i else None)
    system, y = system_of(mech.build())
    whole = fastest_motion(system, y, system.u_0)
    monkeypatch.setattr(choice, "DENSE", 0)
    assert abs(fastest_motion(system, y, system.u_0)) == pytest.approx(abs(whole), rel=0.02)


def test_arnoldi_is_not_misled_by_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain whose links have all the same high frequencies, in motion."""
    steel = structures.Material(E=2.1e11, nu=0.3, rho=7800.0)
    link = structures.beam(0.3, structures.Rectangle(0.02, 0.01), steel, 8).reduce("craig-bampton", modes=6)
    mech = supple.Mechanism("chain")
    for k in range(6):
        parent, at = (f"link{k - 1}", "end") if k else ("ground", None)
        mech.add_body(f"link{k}", link, parent, supple.Revolute("y"), at=at)
    system, y = system_of(mech.build())
    y[system.nq :][~system.model.is_mode] = 3.0
    whole = fastest_motion(system, y, system.u_0)
    monkeypatch.setattr(choice, "DENSE", 0)
    assert abs(fastest_motion(system, y, system.u_0)) == pytest.approx(abs(whole), rel=0.02)


def test_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    soft = supple.simulate(spring(8.0), 1.0, q=[0.1])
    assert (soft.attrs["integrator"], "nothing is stiff" in soft.attrs["reason"]) == ("DOP853", True)
    stiff = supple.simulate(spring(2 * (2 * np.pi * 1000) ** 2), 1.0, q=[1e-6])
    assert stiff.attrs["integrator"] == "DOP853"
    assert "fastest vibration 1000 Hz" in stiff.attrs["reason"]
    assert float(stiff.q[-1, 0]) == pytest.approx(1e-6, rel=1e-4)
    monkeypatch.setattr(choice, "MANY", 0)
    damped = supple.simulate(spring(100.0, 1e5), 1.0, q=[0.1])
    assert damped.attrs["integrator"] == "ESDIRK54"
    assert "fastest decay 5e+04 1/s: at rtol 1e-06" in damped.attrs["reason"]
    assert damped.attrs["steps"] < 100
    # The mass creeps back at the rate stiffness / damping.
    assert float(damped.q[-1, 0]) == pytest.approx(0.1 * np.exp(-1e-3), rel=1e-6)


def test_loops_with_a_fast_decay(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the recursions where there are blocks, else by Radau."""
    law: dict[str, Any] = {"tau": {"rod0.angle": "-1e4*rate(rod0.angle)"}, "samples": 3}
    monkeypatch.setattr(choice, "MANY", 0)
    run = supple.simulate(n_four_bar(1), 0.5, **law)
    assert (run.attrs["integrator"], "s of trial: implicit" in run.attrs["reason"]) == ("ESDIRK54", True)
    monkeypatch.setattr(DrivenSystem, "implicit_stages", False)
    assert supple.simulate(n_four_bar(1), 0.5, **law).attrs["integrator"] == "DOP853"
    monkeypatch.setattr(choice, "PATIENCE", 0.0)
    run = supple.simulate(n_four_bar(1), 0.5, **law)
    assert (run.attrs["integrator"], "and damped" in run.attrs["reason"]) == ("Radau", True)


def test_an_orbit_is_judged_where_it_is_and_keeps_its_tolerance() -> None:
    """A satellite at 7,000 km: near the centre, where it does not come to, gravity would be stiff without bound."""
    mu, r = 3.986004418e14, 7e6
    mech = supple.Mechanism("orbit", gravity=(0, 0, 0))
    mech.add_body("satellite", supple.RigidBody(1.0), joint=supple.BuildingBlock(translations=["x", "y"], rotations=""))
    law = {
        f"satellite.position{i}": f"-{mu}*satellite.position{i}/(satellite.position1**2 + satellite.position2**2)**1.5"
        for i in (1, 2)
    }
    period = 2 * np.pi * np.sqrt(r**3 / mu)
    run = supple.simulate(mech.build(), period, [r, 0.0], [0.0, np.sqrt(mu / r)], law, rtol=1e-10)
    assert run.attrs["integrator"] == "DOP853"
    assert "nothing is stiff" in run.attrs["reason"]
    assert run.attrs["steps"] < 200
    assert np.linalg.norm(run.q.values[-1] - run.q.values[0]) < 0.1
    assert np.ptp(run.q.values[:, 0]) > 1.9 * r


def test_small_mechanisms_are_judged_at_their_size() -> None:
    """A law that grows by e every micrometre, of a mass that moves by one."""
    mech = supple.Mechanism("micro", gravity=(0, 0, 0))
    mech.add_body("mass", supple.RigidBody(1e-12), joint=supple.Prismatic("x"))
    run = supple.simulate(mech.build(), 1e-4, [1e-6], tau={"mass.position": "1e-12*(1 - exp(1e6*mass.position))"})
    assert "nothing is stiff" in run.attrs["reason"]
    assert run.attrs["integrator"] == "DOP853"
    assert float(run.q[-1, 0]) < 1e-6


@pytest.mark.parametrize("settings", [{}, {"rtol": 1e-4}, {"atol": 1e-12}])
def test_every_choice_has_error_control(settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "MANY", 0)
    run = supple.simulate(spring(2 * (2 * np.pi * 1000) ** 2), 1.0, q=[1e-6], **settings)
    assert run.attrs["error_control"] == "steps as long as the tolerances allow"
    assert run.attrs["rtol"] == settings.get("rtol", 1e-8 if "atol" in settings else choice.STIFF_RTOL)


def pendulum_with_bead(ratio: float) -> supple.Model:
    """A pendulum that carries a spring-mass of 3 kHz with a share of the critical damping."""
    w, mass = 2 * np.pi * 3000.0, 0.01
    mech = supple.Mechanism("pair")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1.0)), joint=supple.Revolute("y"))
    joint = supple.Prismatic("x", stiffness=mass * w**2, damping=2 * ratio * mass * w)
    mech.add_body("bead", supple.RigidBody(mass), "arm", joint, at=(0, 0, -1.0))
    return mech.build()


@pytest.mark.parametrize(("ratio", "taken"), [(0.0, "DOP853"), (0.05, "ESDIRK54")])
def test_a_trial_run_decides(ratio: float, taken: str) -> None:
    """A vibration that lasts has to be resolved, one that decays has not; what is chosen costs less than the other."""
    model = pendulum_with_bead(ratio)
    settings: dict[str, Any] = {"q": {"arm.angle": 1.0, "bead.position": 1e-4}, "samples": 101}
    run = supple.simulate(model, 8.0, **settings)
    assert run.attrs["integrator"] == taken
    assert "fastest vibration 3015 Hz: at rtol 1e-06" in run.attrs["reason"]
    both = [supple.simulate(model, 8.0, integrator=x, rtol=1e-6, **settings) for x in ("DOP853", "ESDIRK54")]
    cost = {x.attrs["integrator"]: x.attrs["evaluations"] for x in both}
    assert cost[taken] == min(cost.values())
    assert np.abs(both[0].q - both[1].q).max() < 1e-4
    assert np.ptp(run.q.sel(coordinate="arm.angle").values) > 1.0


def test_a_trial_that_fails_is_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise supple.SimulationError("no")

    monkeypatch.setattr(ImplicitRungeKutta, "run", refuse)
    assert supple.simulate(pendulum_with_bead(0.05), 8.0, q=[1.0, 0.0], samples=3).attrs["integrator"] == "DOP853"


def test_what_is_asked_for_is_taken() -> None:
    result = supple.simulate(spring(8.0), 0.1, integrator="RK45", samples=2)
    assert (result.attrs["integrator"], result.attrs["reason"]) == ("RK45", "as asked")


def test_short_runs_ask_for_the_fastest_motion_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where it comes near to being stiff do other configurations count."""
    asked = list[float]()

    def noted(system: DrivenSystem, y: Any, u: Any) -> complex:
        found = fastest_motion(system, y, u)
        asked.append(abs(found))
        return found

    monkeypatch.setattr(choice, "fastest_motion", noted)
    mech = supple.Mechanism("pendulum")
    mech.add_body("rod", supple.RigidBody(1.0, (0, 0, -1.0), (0.1, 0.1, 0.1)), joint=supple.Revolute("y"))
    model = mech.build()
    for duration, times in ((1.0, 1), (60.0, 3)):
        asked.clear()
        supple.simulate(model, duration, samples=2)
        assert len(asked) == times
        assert (asked[0] * duration > choice.FEW) == (times > 1)


@pytest.mark.parametrize("rtol", [1e-5, 1e-8])
def test_the_steps_that_are_announced_are_taken(rtol: float) -> None:
    """Of an oscillator, whose one vibration is excited; the first number is what stability asks for."""
    mech = supple.Mechanism("oscillator", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(1.0), joint=supple.Prismatic("x", stiffness=1e4))
    run = supple.simulate(mech.build(), 15.0, q=[0.1], rtol=rtol, samples=11)
    least, most = (int(x.replace(",", "")) for x in re.findall(r"([\d,]+)(?: steps|$)", run.attrs["reason"]))
    assert least == 250
    assert most == pytest.approx(run.attrs["steps"], rel=0.03)
