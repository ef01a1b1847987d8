"""The integrator that is taken when none is asked for, and why."""

from __future__ import annotations

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


def test_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    soft = supple.simulate(spring(8.0), 1.0, q=[0.1])
    assert (soft.attrs["integrator"], "nothing is stiff" in soft.attrs["reason"]) == ("DOP853", True)
    stiff = supple.simulate(spring(2 * (2 * np.pi * 1000) ** 2), 1.0, q=[1e-6])
    assert stiff.attrs["integrator"] == "DOP853"
    assert "fastest vibration 1000 Hz" in stiff.attrs["reason"]
    assert float(stiff.q[-1, 0]) == pytest.approx(1e-6, rel=1e-4)
    monkeypatch.setattr(choice, "PATIENCE", 0.0)
    implicit = supple.simulate(spring(2 * (2 * np.pi * 1000) ** 2), 1.0, q=[1e-6])
    assert implicit.attrs["integrator"] == "generalized_alpha"
    assert "a tenth of the output interval" in implicit.attrs["reason"]
    damped = supple.simulate(spring(100.0, 1e5), 1.0, q=[0.1])
    assert damped.attrs["integrator"] == "Radau"
    assert "fastest decay 5e+04 1/s" in damped.attrs["reason"]
    # The mass creeps back at the rate stiffness / damping.
    assert float(damped.q[-1, 0]) == pytest.approx(0.1 * np.exp(-1e-3), rel=1e-6)


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


def test_a_given_tolerance_leads_to_error_control(monkeypatch: pytest.MonkeyPatch) -> None:
    stiff = spring(2 * (2 * np.pi * 1000) ** 2)
    monkeypatch.setattr(choice, "PATIENCE", 0.0)
    for tolerance in ({"rtol": 1e-6}, {"atol": 1e-12}):
        run = supple.simulate(stiff, 1.0, q=[1e-6], **tolerance)  # type: ignore[arg-type]
        assert run.attrs["integrator"] == "DOP853"
        assert run.attrs["error_control"] == "steps as long as the tolerances allow"
    for settings in ({}, {"integrator": "rk4", "step": 1e-5}):
        run = supple.simulate(stiff, 1.0, q=[1e-6], **settings)  # type: ignore[arg-type]
        assert str(run.attrs["error_control"]).startswith("none: steps of fixed length")


def test_explicit_steps_that_cost_many_times_implicit_ones_are_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many seconds as PATIENCE allows, but 1e5 vibrations in a run of 21 output times."""
    stiff = spring(2 * (2 * np.pi * 1e4) ** 2)
    monkeypatch.setattr(choice, "MANY", 10**9)  # leapfrog steps would be cheaper still
    monkeypatch.setattr(choice, "PATIENCE", 1e9)
    assert supple.simulate(stiff, 1.0, [1e-6], samples=21).attrs["integrator"] == "DOP853"
    monkeypatch.setattr(choice, "SOON", 0.0)
    assert supple.simulate(stiff, 1.0, [1e-6], samples=21).attrs["integrator"] == "generalized_alpha"
    assert supple.simulate(stiff, 1.0, [1e-6], samples=2001).attrs["integrator"] == "DOP853"


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.28])
def test_what_stability_alone_limits_goes_in_the_cheapest_steps(ratio: float) -> None:
    """A pendulum that carries a stiff spring-mass: the slow swing is right, the fast vibration stays and decays."""
    w, mass = 2 * np.pi * 3000.0, 0.01
    mech = supple.Mechanism("pair")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1.0)), joint=supple.Revolute("y"))
    joint = supple.Prismatic("x", stiffness=mass * w**2, damping=2 * ratio * mass * w)
    mech.add_body("bead", supple.RigidBody(mass), "arm", joint, at=(0, 0, -1.0))
    model = mech.build()
    settings: dict[str, Any] = {"q": {"arm.angle": 1.0, "bead.position": 1e-6}, "samples": 401}
    fast = supple.simulate(model, 8.0, **settings)
    assert fast.attrs["integrator"] == "leapfrog"
    assert "it alone sets the steps" in fast.attrs["reason"]
    exact = supple.simulate(model, 8.0, rtol=1e-8, **settings)
    assert exact.attrs["integrator"] == "DOP853"
    assert fast.attrs["evaluations"] < 0.8 * exact.attrs["evaluations"]
    assert np.abs(fast.q - exact.q).max() < 1e-5
    assert np.abs(fast.q.sel(coordinate="bead.position")).max() < 2e-6


def test_what_is_asked_for_is_taken() -> None:
    result = supple.simulate(spring(8.0), 0.1, integrator="RK45", samples=2)
    assert (result.attrs["integrator"], result.attrs["reason"]) == ("RK45", "as asked")
