"""Variational steps: their order, what they conserve, that they are symplectic and reversible, and what they refuse."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import supple
from supple import structures
from supple.integrators import Variational
from support.mechanisms.closed_mechanisms import slider_crank

Floats = NDArray[np.float64]


def rod(length: float) -> supple.RigidBody:
    return supple.RigidBody(length, (length / 2, 0, 0), (0, length**3 / 12, length**3 / 12))


@cache
def double_pendulum() -> supple.Model:
    mech = supple.Mechanism("double pendulum")
    mech.add_body("upper", rod(1.0), joint=supple.Revolute("y"))
    mech.add_body("lower", rod(1.0), "upper", supple.Revolute("y"), at=(1, 0, 0))
    return mech.build()


@cache
def satellite() -> supple.Model:
    """All kinds of groups: rigid motions, rotations, angles."""
    mech = supple.Mechanism("satellite", gravity=(0, 0, 0))
    mech.add_body("bus", supple.RigidBody(2.0, (0.1, 0.2, -0.1), (0.3, 0.5, 0.7)), joint=supple.Free())
    arm = supple.RigidBody(1.0, (0.5, 0, 0.1), (0.01, 0.1, 0.1))
    mech.add_body("arm", arm, "bus", supple.Spherical(), at=(0.3, 0.1, 0))
    tip = supple.RigidBody(0.5, (0.3, 0, 0.1), (0.01, 0.03, 0.03))
    mech.add_body("tip", tip, "arm", supple.Universal("x", "y"), at=(1, 0, 0))
    return mech.build()


@cache
def four_bar() -> supple.Model:
    """A crank-rocker."""
    mech = supple.Mechanism("four-bar")
    mech.add_body("crank", rod(1.0), joint=supple.Revolute("y"))
    mech.add_body("coupler", rod(3.0), "crank", supple.Revolute("y"), at=(1, 0, 0))
    mech.add_body("rocker", rod(2.5), joint=supple.Revolute("y"), at=(2.8, 0, 0))
    mech.add_frame("end", "coupler", (3, 0, 0))
    mech.add_frame("end", "rocker", (2.5, 0, 0))
    mech.close_loop("pin", "coupler/end", "rocker/end", supple.Revolute("y"))
    return mech.build()


CRANK: dict[str, Any] = {
    "q": {"crank.angle": 0.3},
    "v": {"crank.angle": 6.0},
    "guess": {"coupler.angle": -0.8, "rocker.angle": -1.5},
}


@cache
def driven_arm() -> supple.Model:
    """Flexible, with a damper."""
    soft = structures.Material(E=7e9, nu=0.33, rho=2700.0)
    body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), soft, 6).reduce("cantilever", modes=2, damping=0.02)
    mech = supple.Mechanism("arm")
    mech.add_body("upper", body, joint=supple.Revolute("y", damping=0.2))
    mech.add_body("fore", body, "upper", supple.Revolute("y"), at="end")
    return mech.build()


def tumbling() -> dict[str, Any]:
    q, v = satellite().random_state(3)
    return {"q": q, "v": v}


CASES: dict[str, tuple[Any, Any, float]] = {
    "free": (satellite, tumbling, 0.02),
    "loop": (four_bar, lambda: CRANK, 0.01),
    "driven": (driven_arm, lambda: {"q": [0.2, 0, 0, 0.3, 0, 0], "tau": {"fore.angle": "sin(4*t) - fore.angle"}}, 2e-3),
}


def final(model: supple.Model, span: float, integrator: Any, start: dict[str, Any], **more: Any) -> Floats:
    result = supple.simulate(model, span, integrator=integrator, samples=2, **start, **more)
    return np.concatenate([result.q.values[-1], result.v.values[-1]])


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("case", CASES)
def test_order(case: str, order: int) -> None:
    make, start, step = CASES[case]
    exact = final(make(), 10 * step, "DOP853", start(), rtol=1e-13)
    errors = [np.abs(final(make(), 10 * step, Variational(h, order), start()) - exact).max() for h in (step, step / 2)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)
    assert errors[1] > 1e-12  # more than rounding


@pytest.mark.parametrize(
    ("name", "order"), [("semi_implicit_euler", 1), ("leapfrog", 2), ("variational", 2), ("rk4", 4)]
)
def test_forces_of_loops_have_the_order_of_the_motion(name: str, order: int) -> None:
    """They follow from the state, so that nothing is lost, as it is where multipliers are integrated along."""
    exact = supple.simulate(four_bar(), 0.1, rtol=1e-12, samples=2, **CRANK)
    forces = [
        supple.simulate(four_bar(), 0.1, integrator=name, step=step, samples=2, **CRANK).constraint_force.values[-1]
        for step in (0.01, 0.005)
    ]
    errors = [np.abs(x - exact.constraint_force.values[-1]).max() for x in forces]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)
    assert np.abs(exact.constraint_force[-1]).max() > 10.0


@pytest.mark.parametrize("name", ["DOP853", "ESDIRK54", "Radau"])
def test_forces_of_loops_are_as_exact_as_the_tolerance(name: str) -> None:
    """The same for adaptive steps: forces are off by no more than speeds are, relative to their sizes, or ten times."""
    exact = supple.simulate(four_bar(), 0.1, rtol=1e-12, samples=2, **CRANK).isel(time=-1)
    for rtol in (1e-4, 1e-7):
        found = supple.simulate(four_bar(), 0.1, integrator=name, rtol=rtol, samples=2, **CRANK).isel(time=-1)
        off = [float(abs(found[key] - exact[key]).max() / abs(exact[key]).max()) for key in ("v", "constraint_force")]
        assert off[1] < 10 * max(off[0], rtol)
        assert off[0] < 10 * rtol


def test_a_closed_loop_goes_on_to_the_last_bit() -> None:
    simulators = [supple.Simulator(four_bar(), **CRANK, integrator=Variational(0.005, order=4)) for _ in range(2)]
    simulators[0].advance_to(0.21)
    simulators[1].restore(json.loads(json.dumps(simulators[0].checkpoint())))
    ends = [x.advance_to(0.5, [0.5]) for x in simulators]
    assert ends[0].q.tolist() == ends[1].q.tolist()
    assert ends[0].v.tolist() == ends[1].v.tolist()


def test_momenta_of_a_free_system_stay() -> None:
    result = supple.simulate(satellite(), 10.0, integrator="variational", step=0.01, samples=11, **tumbling())
    momentum = satellite().momentum(result.q.values, result.v.values)
    assert np.abs(momentum - momentum[0]).max() < 1e-13 * 1000**0.5  # a random walk of rounding of numbers of size 10
    assert np.ptp(result.v.values, axis=0).min() > 0.1
    lengths = np.linalg.norm(result.q.values[:, satellite().quaternions[0] :][:, :4], axis=1)
    assert np.abs(lengths - 1).max() < 1e-15


def jacobian(step: Any, x: Floats, d: float = 1e-3) -> Floats:
    """By differences of sixth order: to 1e-12 or so."""
    rows = []
    for e in np.eye(len(x)):
        rows.append(
            sum(c * (step(x + k * d * e) - step(x - k * d * e)) for k, c in ((1, 45), (2, -9), (3, 1))) / (60 * d)
        )
    return np.array(rows).T


@pytest.mark.parametrize(("name", "error"), [("variational", (0.0, 1e-9)), ("leapfrog", (1e-5, 1.0))])
def test_a_step_is_symplectic(name: str, error: tuple[float, float]) -> None:
    """In coordinates and momenta its Jacobian J fulfils J* W J = W."""
    model, h = double_pendulum(), 0.02
    simulator = supple.Simulator(
        model, q=[0.3, 1.1], v=[1.0, -2.0], integrator=supple.integrators.resolved(name, step=h)
    )
    checkpoint = simulator.checkpoint()

    def step(x: Floats) -> Floats:
        simulator.restore(checkpoint)
        v = np.linalg.solve(model.mass_matrix(x[:2]), x[2:])
        simulator.set(q=x[:2], v=v)
        simulator.advance_to(h)
        q, v = simulator.state.q, simulator.state.v
        return np.concatenate([q, model.mass_matrix(q) @ v])

    q, v = np.array([0.3, 1.1]), np.array([1.0, -2.0])
    J = jacobian(step, np.concatenate([q, model.mass_matrix(q) @ v]))
    W = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    assert error[0] <= np.abs(J.T @ W @ J - W).max() < error[1]
    assert np.abs(J - np.eye(4)).max() > 0.01


def test_a_step_of_a_closed_loop_keeps_areas() -> None:
    """Of the crank's angle and its momentum, that of the whole mechanism over the crank's speed."""
    model, h = slider_crank(), 0.01

    def step(x: Floats) -> Floats:
        unit = supple.simulate(model, 1e-3, {"crank.angle": x[0]}, {"crank.angle": 1.0}, samples=2).isel(time=0)
        inertia = 2 * float(unit.kinetic_energy)
        result = supple.simulate(
            model,
            h,
            {"crank.angle": x[0]},
            {"crank.angle": x[1] / inertia},
            integrator="variational",
            step=h,
            samples=2,
        ).isel(time=-1)
        return np.array([result.q.values[0], 2 * float(result.kinetic_energy) / result.v.values[0]])

    J = jacobian(step, np.array([0.7, 1.5]), 1e-2)
    assert np.linalg.det(J) == pytest.approx(1.0, abs=1e-8)
    assert abs(J[0, 1]) > 1e-3


@pytest.mark.parametrize("case", ["free", "loop"])
@pytest.mark.parametrize("order", [2, 4])
def test_steps_can_be_taken_back(case: str, order: int) -> None:
    make, start, step = CASES[case]
    model, integrator = make(), Variational(step, order)
    there = supple.simulate(model, 20 * step, integrator=integrator, samples=2, **start())
    q, v = there.q.values, there.v.values
    back = supple.simulate(model, 20 * step, q[1], -v[1], integrator=integrator, samples=2)
    assert np.abs(back.q.values[-1] - q[0]).max() < 1e-12
    assert np.abs(back.v.values[-1] + v[0]).max() < 1e-11
    assert np.abs(q[1] - q[0]).max() > 0.1


def test_energy_of_a_closed_loop_does_not_drift() -> None:
    drift = {}
    for name in ("variational", "leapfrog"):
        result = supple.simulate(four_bar(), 40.0, integrator=name, step=5e-3, samples=201, **CRANK)
        energy = (result.kinetic_energy + result.potential_energy).values
        drift[name] = abs(energy[150:].mean() - energy[:50].mean())
        assert abs(result.constraint_error).max() < 1e-12
    assert drift["variational"] < 0.02 * drift["leapfrog"]
    assert drift["leapfrog"] > 0.5


def test_stiff_modes_take_few_iterations() -> None:
    """Ten times beyond what explicit steps allow; nothing is damped."""
    aluminium = structures.Material(E=7e10, nu=0.33, rho=2700.0)
    body = structures.beam(0.5, structures.Rectangle(0.03, 0.012), aluminium, 12).reduce("cantilever", modes=8)
    mech = supple.Mechanism("stiff arm")
    mech.add_body("arm", body, joint=supple.Revolute("y"))
    model = mech.build()
    step = 20.0 / (2 * np.pi * supple.linear.modes(model).frequencies.max())
    result = supple.simulate(model, 400 * step, q=[1.0, *[0.0] * 8], integrator="variational", step=step, samples=21)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert result.attrs["evaluations"] < 12 * result.attrs["steps"]
    assert np.abs(energy - energy[0]).max() < 1e-3 * result.kinetic_energy.max()


def test_a_free_body_turns_as_elliptic_functions_say() -> None:
    """Landau and Lifshitz, section 37: I_1 < I_2 < I_3, L^2 > 2 E I_2, starting where omega_2 is zero."""
    inertia, start = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.0, 1.0])
    mech = supple.Mechanism("free body", gravity=(0, 0, 0))
    mech.add_body("body", supple.RigidBody(1.0, inertia=tuple(inertia)), joint=supple.Spherical())
    result = supple.simulate(mech.build(), 10.0, v=start, integrator=Variational(0.02, order=4), samples=11)
    twice_energy, square = inertia @ start**2, (inertia**2) @ start**2
    i_1, i_2, i_3 = inertia
    tau = np.sqrt((i_3 - i_2) * (square - twice_energy * i_1) / (i_1 * i_2 * i_3)) * result.time.values
    k_2 = (i_2 - i_1) * (twice_energy * i_3 - square) / ((i_3 - i_2) * (square - twice_energy * i_1))
    sn, cn, dn, _ = special.ellipj(tau, k_2)
    middle = np.sqrt((twice_energy * i_3 - square) / (i_2 * (i_3 - i_2)))
    exact = np.stack([start[0] * cn, middle * sn, start[2] * dn], axis=1)
    assert np.abs(result.v.values - exact).max() < 1e-6
    assert np.ptp(exact, axis=0).min() > 0.04


def test_a_heavy_top_precesses_steadily() -> None:
    """m g l = Omega (I_3 omega_3 - I_1 Omega cos a), tilted by a, moments about the point of support."""
    mass, length, tilt, precession, own = 1.0, 0.2, 0.6, 3.0, 0.01
    across = 0.02 + mass * length**2
    spin = (mass * 9.81 * length / precession + across * precession * np.cos(tilt)) / own
    mech = supple.Mechanism("top")
    mech.add_body("top", supple.RigidBody(mass, (0, 0, length), (0.02, 0.02, own)), joint=supple.Spherical())
    model = mech.build()
    q = [np.sin(tilt / 2), 0.0, 0.0, np.cos(tilt / 2)]  # turned about x: the axis lies in the plane of y and z
    v = [0.0, precession * np.sin(tilt), spin]
    errors = []
    for step in (2e-3, 1e-3):
        result = supple.simulate(model, 1.0, q, v, integrator="variational", step=step, samples=11)
        axis = np.array([model.pose(x, "top")[0][:, 2] for x in result.q.values])
        assert np.abs(axis[:, 2] - np.cos(tilt)).max() < 1e-3
        angle = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
        errors.append(abs(angle[-1] - angle[0] - precession))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] < 1e-3


def test_dop853_keeps_energy_for_a_stated_time() -> None:
    result = supple.simulate(double_pendulum(), 20.0, q=[0.3, 1.1], integrator="DOP853", rtol=1e-12)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.abs(energy - energy[0]).max() < 1e-10 * result.kinetic_energy.max()


def three_angles() -> supple.Model:
    mech = supple.Mechanism("m")
    mech.add_body("ship", supple.RigidBody(1.0, inertia=(1, 1, 1)), joint=supple.BuildingBlock(rotations="123"))
    return mech.build()


def rolling() -> supple.Model:
    return supple.files.read("examples/rolling_coin.toml").model


@pytest.mark.parametrize(
    ("make", "more", "message"),
    [
        (
            double_pendulum,
            {"motion": {"upper.angle": "t"}},
            "variational takes no prescribed motions, got 'upper.angle'",
        ),
        (three_angles, {}, "joint of 'ship': variational takes no successive angles with speeds in body axes"),
        (rolling, {}, "is of speeds, which variational does not take; expected DOP853"),
    ],
)
def test_what_is_refused(make: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        supple.simulate(make(), 0.1, integrator="variational", step=1e-2, **more)


def test_steps_that_do_not_converge_are_told() -> None:
    with pytest.raises(supple.SimulationError, match=r"variational did not converge at t = .* look at '\w+.angle'"):
        supple.simulate(double_pendulum(), 20.0, q=[1.0, 1.0], v=[30.0, -60.0], integrator="variational", step=0.5)
