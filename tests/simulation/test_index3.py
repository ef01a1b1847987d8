"""IDA on closed loops: the equations as they stand, against the default integrator and published motions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import supple
from supple import Event, structures
from supple.errors import SimulationError, StateError
from supple.inputs.inputs import Inputs
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods import index3
from supple.simulation.methods.index3 import ClosedIDA
from supple.simulation.methods.segment import Task
from supple.simulation.methods.tolerances import Tolerances
from support.cases import thinned
from support.mechanisms.closed_mechanisms import ANDREWS_END, andrews, bricard, n_four_bar

Z = supple.Revolute("z")
BEST: dict[str, Any] = {"integrator": "DOP853", "rtol": 1e-11, "atol": 1e-13}


@cache
def slider_crank(flexible: bool = False) -> supple.Model:
    mech = supple.Mechanism("slider-crank", gravity=(0, -9.81, 0))
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.01, 0.01, 0.01)), joint=Z)
    if flexible:
        soft = structures.Material(E=2e8, nu=0.3, rho=7800)
        beam = structures.beam(1.0, structures.Rectangle(0.02, 0.02), soft, elements=4)
        mech.add_body("rod", beam.reduce("craig-bampton", modes=1, interfaces=["end"]), "crank", Z, at=(0.3, 0, 0))
    else:
        mech.add_body("rod", supple.RigidBody(1.0, (0.5, 0, 0), (0.05, 0.05, 0.05)), "crank", Z, at=(0.3, 0, 0))
        mech.add_frame("end", "rod", (1.0, 0, 0))
    mech.add_body("slider", supple.RigidBody(3.0), joint=supple.Prismatic("x"), at=(1.3, 0, 0))
    mech.close_loop("pin", "rod/end", "slider", Z)
    return mech.build()


def both(model: supple.Model, duration: float, tolerance: float, **arguments: Any) -> Any:
    """The motion by IDA, which agrees with the best one, holds the same variables and keeps the loops closed."""
    motion = supple.simulate(model, duration, integrator="IDA", **arguments)
    best = supple.simulate(model, duration, **{**arguments, **BEST})
    assert np.ptp(best.q.values) > 10 * tolerance
    np.testing.assert_allclose(motion.q, best.q, atol=tolerance)
    np.testing.assert_allclose(motion.v, best.v, atol=10 * tolerance * max(1.0, float(np.abs(best.v).max())))
    assert set(motion.variables) == set(best.variables)
    assert abs(motion.constraint_error).max() < 1e-10
    assert abs(motion.constraint_rate).max() < 1e-9 * max(1.0, float(np.abs(best.v).max()))
    return motion


def test_squeezing_mechanism_at_thirty_milliseconds() -> None:
    model, start = andrews()
    law = {"K1.angle": 0.033}
    motion = supple.simulate(model, 0.03, start, tau=law, integrator="IDA", rtol=1e-10, atol=1e-12, samples=31)
    np.testing.assert_allclose(motion.q.values[-1], [ANDREWS_END[name] for name in model.bodies], atol=1e-6)
    kinetic = motion.kinetic_energy.values + motion.potential_energy.values - motion.work.values
    assert np.ptp(kinetic) < 1e-6 * float(motion.kinetic_energy.max())
    assert motion.attrs["integrator"] == "IDA"


def test_slider_crank() -> None:
    motion = both(slider_crank(), 1.0, 1e-6, v={"crank.angle": 5.0}, samples=31)
    energy = (motion.kinetic_energy + motion.potential_energy).values
    assert np.ptp(energy) < 1e-5 * np.ptp(motion.kinetic_energy.values)


def test_output_times_do_not_start_it_anew() -> None:
    few, many = (
        supple.simulate(slider_crank(), 0.4, v={"crank.angle": 5.0}, integrator="IDA", samples=n) for n in (6, 201)
    )
    assert many.attrs["evaluations"] == few.attrs["evaluations"]
    np.testing.assert_allclose(many.q.values[::40], few.q.values, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*left the range of linear theory")  # a soft rod
def test_flexible_slider_crank() -> None:
    model = slider_crank(flexible=True)
    arguments: dict[str, Any] = {"v": {"crank.angle": 5.0}, "tau": {"crank.angle": 2.0}, "samples": 31}
    motion = both(model, 0.15, 1e-6, rtol=1e-9, atol=1e-11, **arguments)
    energy = (motion.kinetic_energy + motion.potential_energy - motion.work).values
    assert np.ptp(energy) < 1e-5 * float(motion.kinetic_energy.max())
    assert abs(motion.q.sel(coordinate=[c for c in model.coordinates if "mode" in c])).max() > 1e-4


def spatial_four_bar() -> supple.Model:
    """A planar four-bar on joints that can leave the plane: what keeps it there is asked for more than once."""
    mech = supple.Mechanism("four-bar in space", gravity=(0, -9.81, 0))
    bar, tall = (supple.RigidBody(1.0, com, (0.02, 0.1, 0.1)) for com in ((0.5, 0, 0), (0, 0.4, 0)))
    mech.add_body("crank", supple.RigidBody(1.0, (0.25, 0, 0), (0.02, 0.1, 0.1)), joint=Z)
    mech.add_body("coupler", bar, "crank", supple.Universal("z", "y"), at=(0.5, 0, 0))
    mech.add_body("rocker", tall, joint=supple.Universal("z", "x"), at=(1.2, 0, 0))
    mech.add_frame("end", "coupler", (1.0, 0, 0))
    mech.add_frame("end", "rocker", (0, 0.8, 0))
    mech.close_loop("pin", "coupler/end", "rocker/end", Z)
    mech.constrain("guide", supple.PointOnPlane("ground", "rocker/end", "z"))
    return mech.build()


@pytest.mark.parametrize("make", thinned([spatial_four_bar, bricard], [bricard]), ids=["four-bar", "Bricard"])
def test_conditions_that_repeat_others_are_left_out(make: Any) -> None:
    model = make()
    assert model.loops is not None
    q = model.loops.assemble()
    kept = model.loops.redundancy(model.loops.jacobian(q)).independent
    assert kept.sum() == np.linalg.matrix_rank(model.loops.jacobian(q), tol=1e-9) < len(model.loops)
    both(model, 1.0, 1e-6, samples=21)


@pytest.mark.parametrize("tilt", thinned([0.0, 0.5], [0.5]))
def test_rolling(tilt: float) -> None:
    mech = supple.Mechanism("coin", gravity=(0, 0, -9.81))
    mech.add_body("coin", supple.RigidBody(1.0, inertia=(0.0025, 0.005, 0.0025)), joint=supple.Free(), at=(0, 0, 0.1))
    mech.constrain("table", supple.Rolling("ground", "coin", 0.1, axis="y"))
    v = {"coin.wy": 12.0, "coin.wx": tilt, "coin.wz": 1.0}
    motion = both(mech.build(), 1.0, 1e-6, v=v, rtol=1e-9, atol=1e-11, samples=21)
    if tilt:
        assert np.ptp(motion.potential_energy.values) > 1e-3


@pytest.mark.filterwarnings("ignore:.*left the range of linear theory")  # a soft rod
@pytest.mark.parametrize("flexible", thinned([False, True], [True]))
def test_prescribed_motion_and_its_torque(flexible: bool) -> None:
    model, duration = slider_crank(flexible), 0.2 if flexible else 0.5
    law = {"crank.angle": "2*t + 0.3*sin(3*t)"}
    motion = both(model, duration, 1e-6, motion=law, rtol=1e-9, atol=1e-11, samples=11)
    best = supple.simulate(model, duration, motion=law, samples=11, **BEST)
    np.testing.assert_allclose(motion.q[:, 0], 2 * motion.time + 0.3 * np.sin(3 * motion.time), atol=1e-14)
    np.testing.assert_allclose(motion.tau, best.tau, atol=1e-4 * float(np.abs(best.tau).max()))
    np.testing.assert_allclose(motion.work, best.work, atol=1e-5 * float(np.abs(best.work).max()))
    assert float(np.abs(best.tau).max()) > 1.0


def test_controllers_tables_and_functions_that_are_called() -> None:
    model = slider_crank()
    laws: dict[str, Any] = {
        "crank.angle": supple.PID("sin(2*t)", 20.0, 2.0, 5.0),
        "rod.angle": supple.Table([0.0, 0.3, 0.6, 1.0], [0.0, 1.0, -1.0, 0.0]),
    }
    both(model, 0.8, 1e-6, tau=laws, samples=9)
    both(model, 0.5, 1e-6, tau={"slider.position": lambda t, q, v: -float(v[2]) * 3.0 + 1.0}, samples=6)


def test_events_stop_and_change_it() -> None:
    change = Event("push", "crank.angle - 1.5", "rising", change={"force": 4.0})
    stop = Event("end", "slider.position + 0.3", "falling", stop=True)
    arguments: dict[str, Any] = {
        "v": {"crank.angle": 6.0},
        "tau": {"crank.angle": "force"},
        "variables": {"force": 0.0},
        "events": [change, stop],
        "samples": 21,
    }
    motion = supple.simulate(slider_crank(), 1.0, integrator="IDA", rtol=1e-9, atol=1e-11, **arguments)
    best = supple.simulate(slider_crank(), 1.0, **arguments, **BEST)
    assert len(motion.time) == len(best.time) < 21
    np.testing.assert_allclose(motion.time, best.time, atol=1e-7)
    np.testing.assert_allclose(motion.q, best.q, atol=1e-6)
    assert float(motion.q[-1, 2]) == pytest.approx(-0.3, abs=1e-9)


def test_singular_postures_are_named() -> None:
    """A row of four-bars laid flat could go on in two ways."""
    model = n_four_bar(1)
    words = r"IDA stopped at t = 0\.70\d+ s: .*; the configuration is singular at constraint 'loop1', which the default"
    with pytest.raises(SimulationError, match=words):
        supple.simulate(model, 2.0, v={"rod0.angle": -1.0}, integrator="IDA", rtol=1e-11, atol=1e-13, samples=21)
    flat = {"rod0.angle": -np.pi / 2, "bar1.angle": np.pi / 2, "rod1.angle": -np.pi / 2}
    words = (
        r"constraint 'loop1': position repeated others at t = 0 s, where the configuration is singular, and is off by"
    )
    with pytest.raises(SimulationError, match=words):
        supple.simulate(model, 1.0, flat, {"rod0.angle": -1.0}, integrator="IDA", samples=21)


def test_large_models_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index3, "LARGEST", 10)
    with pytest.raises(StateError, match=r"IDA .* with 10 unknowns, is too large; expected DOP853"):
        supple.simulate(slider_crank(), 0.1, v={"crank.angle": 1.0}, integrator="IDA", samples=3)


def test_the_residual_vanishes_at_the_start_and_its_matrix_is_exact() -> None:
    model = slider_crank(flexible=True)
    assert model.loops is not None
    inputs = Inputs(model, {"slider.position": "-2*rate(slider.position) + sin(t)"}, {"crank.angle": "0.3 + 2*t"})
    q, v = model.neutral(), np.zeros(model.nv)
    system = DrivenSystem(model, inputs, q, v)
    q, v = system.start_state(q, v)
    q = model.loops.assemble(q, ["crank.angle"])
    v = model.loops.consistent(q, v, ["crank.angle"])
    y = np.concatenate([q, v, system.z_0])
    method = ClosedIDA(system, Tolerances(system, 1e-8, 1e-10, "IDA"))
    task = Task(0.0, y, 1.0, np.array([1.0]), system.u_0, {}, None, np.zeros((1, len(y))), lambda t: None)
    x, rate = method._start(task)
    n, rows, cj, h, t = system.size, len(model.loops), 37.0, 1e-5, np.zeros(1)

    def left(x: Any, rate: Any) -> Any:
        return method._residual(t, x[:n], system.u_0, rate[:n], x[n : n + rows], x[n + rows :], method._kept)

    assert np.abs(left(x, rate)).max() < 1e-9 * np.abs(rate).max()
    rng = np.random.default_rng(0)
    x, rate = x + 0.01 * rng.normal(size=len(x)), rate + rng.normal(size=len(x))
    assert np.abs(left(x, rate)).max() > 0.1
    J = method._matrix(cj, t, x[:n], system.u_0, rate[:n], x[n : n + rows], x[n + rows :], method._kept)
    for i in range(len(x)):
        d = np.zeros_like(x)
        d[i] = h
        slope = (left(x + d, rate + cj * d) - left(x - d, rate - cj * d)) / (2 * h)
        np.testing.assert_allclose(J[:, i], slope, rtol=1e-5, atol=1e-5 * max(1.0, np.abs(slope).max()))
