"""Events and stops in closed loops: what they change, the loops stay closed, the energy is right."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import supple
from supple import Event, Limit, structures
from supple.errors import SimulationError
from supple.simulation.impacts import impulse_at
from support.mechanisms.closed_mechanisms import n_four_bar
from support.mechanisms.falling_ball import happened

Z = supple.Revolute("z")
METHODS: list[dict[str, Any]] = [
    {"integrator": "DOP853", "rtol": 1e-10, "atol": 1e-12},
    {"integrator": "RK45", "rtol": 1e-9, "atol": 1e-11},
    {"integrator": "CVODE", "rtol": 1e-10, "atol": 1e-12},
    {"integrator": "IDA", "rtol": 1e-10, "atol": 1e-12},
    {"integrator": "rk4", "step": 2e-3},
]
methods = pytest.mark.parametrize("method", METHODS, ids=lambda x: x["integrator"])


@cache
def slider_crank(gravity: float = 0.0) -> supple.Model:
    mech = supple.Mechanism("slider-crank", gravity=(0, -gravity, 0))
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.01, 0.01, 0.01)), joint=Z)
    mech.add_body("rod", supple.RigidBody(1.0, (0.5, 0, 0), (0.05, 0.05, 0.05)), "crank", Z, at=(0.3, 0, 0))
    mech.add_body("slider", supple.RigidBody(3.0), joint=supple.Prismatic("x"), at=(1.3, 0, 0))
    mech.add_frame("end", "rod", (1.0, 0, 0))
    mech.close_loop("pin", "rod/end", "slider", Z)
    return mech.build()


@cache
def gears() -> supple.Model:
    mech = supple.Mechanism("gears", gravity=(0, 0, 0))
    for name, moment in (("small", 0.1), ("large", 0.8)):
        mech.add_body(name, supple.RigidBody(1.0, inertia=(moment,) * 3), joint=Z)
    mech.constrain("teeth", supple.Gear("large.angle", "small.angle", -0.5))
    return mech.build()


INERTIA = 0.1 + 0.8 / 4
"""Of both gears, felt at the small one."""


def felt_mass(model: supple.Model, q: Any, speed: int) -> float:
    """Inertia of the closed mechanism felt at a joint, from the equations of the impulse as they stand."""
    assert model.loops is not None
    J, M = model.loops.jacobian(q), model.mass_matrix(q)
    n, m = model.nv, len(J)
    both = np.block([[M, -J.T], [J, np.zeros((m, m))]])
    right = np.zeros(n + m)
    right[speed] = 1.0
    return float(1 / np.linalg.lstsq(both, right, rcond=None)[0][speed])


# ---------------------------------------------------------------- stops


@methods
@pytest.mark.parametrize("e", [0.4, 1.0])
def test_geared_wheels_bounce_in_closed_form(method: dict[str, Any], e: float) -> None:
    limits = [Limit("large.angle", lower=-1.0, restitution=e)]
    motion = supple.simulate(gears(), 1.5, v={"small.angle": 2.0}, limits=limits, samples=16, **method)
    assert [name for _, name in happened(motion)] == ["large.angle lower"]
    assert happened(motion)[0][0] == pytest.approx(1.0, abs=1e-8)
    late = motion.time.values > 1.0 + 1e-6
    speed = np.where(late, -2.0 * e, 2.0)
    np.testing.assert_allclose(motion.v.values[:, 0], speed, atol=1e-8)
    np.testing.assert_allclose(motion.v.values[:, 1], -0.5 * speed, atol=1e-8)
    np.testing.assert_allclose(motion.kinetic_energy, 0.5 * INERTIA * speed**2, atol=1e-8)


@pytest.mark.parametrize(
    ("method", "e"),
    [*((method, 0.5) for method in METHODS), (METHODS[0], 0.0), (METHODS[0], 1.0)],
    ids=lambda x: x["integrator"] if isinstance(x, dict) else str(x),
)
def test_a_blow_takes_the_energy_that_restitution_asks_for(method: dict[str, Any], e: float) -> None:
    model = slider_crank()
    limits = [Limit("slider.position", lower=-0.3, restitution=e)]
    motion = supple.simulate(model, 0.5, v={"crank.angle": 6.0}, limits=limits, samples=51, **method)
    t = happened(motion)[0][0]
    before = int(np.searchsorted(motion.time.values, t)) - 1
    kinetic = motion.kinetic_energy.values
    # Without gravity the energy is the same up to the impulse, and tells the speed of the slider there.
    fell = supple.simulate(model, t, v={"crank.angle": 6.0}, samples=2, rtol=1e-11, atol=1e-13)
    q, v = fell.q.values[-1], fell.v.values[-1]
    assert q[2] == pytest.approx(-0.3, abs=1e-7)
    lost = 0.5 * (1 - e**2) * felt_mass(model, q, 2) * v[2] ** 2
    assert kinetic[before + 1] == pytest.approx(kinetic[0] - lost, abs=2e-6)
    # The stop takes all of the motion of a mechanism with one degree of freedom.
    assert 0.5 * felt_mass(model, q, 2) * v[2] ** 2 == pytest.approx(kinetic[0], rel=1e-6)
    assert abs(motion.constraint_error).max() < 1e-10
    assert abs(motion.constraint_rate).max() < 1e-9
    assert motion.q.values[:, 2].min() > -0.3 - 1e-11


@methods
def test_a_held_joint_is_released_when_the_closed_mechanism_pulls_it_off(method: dict[str, Any]) -> None:
    model = slider_crank(gravity=9.81)
    law = {"crank.angle": "8 - 8*t"}
    limits = [Limit("slider.position", lower=-0.3)]
    motion = supple.simulate(model, 1.2, {"crank.angle": 1.0}, tau=law, limits=limits, samples=121, **method)
    assert [name for _, name in happened(motion)] == ["slider.position lower", "slider.position release"]
    (met, _), (off, _) = happened(motion)
    # The drive that balances the weights at the configuration of the stop, by the work of a small motion of the loops.
    held = motion.q.values[np.searchsorted(motion.time.values, met) + 1]
    assert model.loops is not None
    (way,) = np.linalg.svd(model.loops.jacobian(held))[2][2:]
    needed = float(way @ model.bias_forces(held, np.zeros(3)) / way[0])
    assert off == pytest.approx((8 - needed) / 8, abs=1e-7)
    assert off - met > 0.1
    resting = (motion.time.values > met) & (motion.time.values < off)
    assert np.abs(motion.v.values[resting]).max() < 1e-9
    np.testing.assert_allclose(motion.q.values[resting, 2], -0.3, atol=1e-11)
    # What the stop has to push is the rest of the drive, through the mechanism.
    push = (needed - (8 - 8 * motion.time.values[resting])) * way[0] / way[2]
    np.testing.assert_allclose(motion.tau.values[resting, 2], push, atol=1e-6)
    assert motion.q.values[-1, 2] > -0.299
    assert abs(motion.constraint_error).max() < 1e-10
    energy = (motion.kinetic_energy + motion.potential_energy).values
    late = motion.time.values > met
    np.testing.assert_allclose(np.ptp((energy - motion.work.values)[late]), 0.0, atol=1e-5)


@pytest.mark.parametrize("loops", ["projection", "independent"])
def test_bounces_of_a_closed_loop_come_to_rest(loops: str) -> None:
    limits = [Limit("small.angle", upper=1.0, restitution=0.5)]
    motion = supple.simulate(gears(), 5.0, tau={"large.angle": -0.6}, limits=limits, samples=41, loops=loops)
    first = math.sqrt(2 * 1.0 * INERTIA / 0.3)  # 0.3 N m at the small gear
    times = [t for t, _ in happened(motion)]
    np.testing.assert_allclose(np.diff(times[:5]), 2 * first * 0.5 ** np.arange(1, 5), atol=1e-7)
    assert times[0] == pytest.approx(first, abs=1e-8)
    assert motion.q.values[-1].tolist() == pytest.approx([1.0, -0.5], abs=1e-11)
    assert np.abs(motion.v.values[-1]).max() < 1e-12
    assert motion.tau.values[-1] == pytest.approx([-0.3, -0.6], abs=1e-9)


@methods
def test_two_stops_met_at_one_instant_by_one_freedom(method: dict[str, Any]) -> None:
    limits = [Limit("small.angle", upper=1.0), Limit("large.angle", lower=-0.5)]
    law = {"small.angle": 0.3}
    motion = supple.simulate(gears(), 3.0, tau=law, limits=limits, samples=31, **method)
    assert 1 <= len(happened(motion)) <= 4
    np.testing.assert_allclose(motion.q.values[-1], [1.0, -0.5], atol=1e-9)
    assert np.abs(motion.v.values[-1]).max() < 1e-12


@pytest.mark.parametrize("model", [gears, lambda: n_four_bar(1)], ids=["gears", "four-bar"])
def test_the_law_of_a_held_joint_decides_when_it_is_released(model: Any) -> None:
    """One run after another: the second must not take the machine code of the first."""
    name = model().speeds[0]
    off = []
    for rate in (6.0, 12.0):
        law, limits = {name: f"3 - {rate}*t"}, [Limit(name, upper=0.0)]
        motion = supple.simulate(model(), 1.0, tau=law, limits=limits, samples=11)
        assert [label.split()[-1] for _, label in happened(motion)] == ["upper", "release"]
        off.append(happened(motion)[1][0])
    np.testing.assert_allclose(off, [0.5, 0.25], atol=1e-8)


@cache
def five_bar() -> supple.Model:
    mech = supple.Mechanism("five-bar", gravity=(0, 0, 0))
    bar = supple.RigidBody(1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
    for side, x in (("left", 0.0), ("right", 1.0)):
        mech.add_body(side, bar, joint=Z, at=(x, 0, 0))
        mech.add_body(f"{side} upper", bar, side, Z, at=(1, 0, 0))
        mech.add_frame("end", f"{side} upper", (1.0, 0, 0))
    mech.close_loop("pin", "left upper/end", "right upper/end", Z)
    return mech.build()


def test_a_five_bar_between_stops_never_gains_energy() -> None:
    model = five_bar()
    start = {"left.angle": 1.8, "right.angle": 1.3}
    limits = [Limit("left.angle", 1.2, 2.2, 0.3), Limit("right.angle", 0.9, 1.9, 0.3)]
    for v in ({"left.angle": 2.0, "right.angle": 1.0}, {"left.angle": -1.0, "right.angle": 2.0}):
        motion = supple.simulate(model, 3.0, start, v, limits=limits, samples=301)
        assert len(happened(motion)) > 2
        kinetic = motion.kinetic_energy.values
        assert np.diff(kinetic).max() < 1e-7 * kinetic[0]
        assert kinetic[-1] < 0.6 * kinetic[0]
        angles = motion.q.sel(coordinate=["left.angle", "right.angle"]).values
        assert (angles >= np.array([1.2, 0.9]) - 1e-9).all()
        assert (angles <= np.array([2.2, 1.9]) + 1e-9).all()
        assert abs(motion.constraint_error).max() < 1e-10


def test_a_blow_is_felt_by_a_joint_that_is_held() -> None:
    """Against the equations as they stand: M dv = J* L + impulses at both joints, J dv = 0, one held, one moved."""
    model = five_bar()
    assert model.loops is not None
    q = model.loops.assemble([1.8, 0.2, 1.3, 0.4])
    J, M = model.loops.jacobian(q), model.mass_matrix(q)
    held, struck = model.speeds.index("left.angle"), model.speeds.index("right.angle")
    E = np.eye(4)[[held, struck]]
    C = np.vstack([J, E])
    both = np.block([[M, -C.T], [C, np.zeros((len(C), len(C)))]])
    expected = np.linalg.solve(both, np.eye(len(both))[-1])
    given = np.arange(4) == held
    found = impulse_at(model, q, struck, given)
    assert found is not None
    change, felt = found
    np.testing.assert_allclose(change, expected[:4], atol=1e-10)
    np.testing.assert_allclose(felt[[held, struck]], expected[-2:], atol=1e-9)
    np.testing.assert_allclose(np.delete(felt, [held, struck]), 0.0, atol=1e-9)
    assert abs(felt[held]) > 0.01
    given[struck - 1] = True
    assert impulse_at(model, q, struck, given) is None, "two degrees of freedom, both held"


@pytest.mark.filterwarnings("ignore:.*left the range of linear theory")  # a soft rod
def test_stops_of_a_flexible_loop_keep_the_energy_with_full_restitution() -> None:
    steel = structures.Material(E=2e8, nu=0.3, rho=7800)
    beam = structures.beam(1.0, structures.Rectangle(0.02, 0.02), steel, elements=4)
    mech = supple.Mechanism("flexible slider-crank", gravity=(0, 0, 0))
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.05, 0.05, 0.05)), joint=Z)
    rod = beam.reduce("craig-bampton", modes=1, interfaces=["end"])
    mech.add_body("rod", rod, "crank", Z, at=(0.3, 0, 0))
    mech.add_body("slider", supple.RigidBody(1.0), joint=supple.Prismatic("x"), at=(1.3, 0, 0))
    mech.close_loop("pin", "rod/end", "slider", Z)
    limits = [Limit("slider.position", lower=-0.2, restitution=1.0)]
    motion = supple.simulate(
        mech.build(), 0.4, {"crank.angle": 0.8}, {"crank.angle": 3.0}, limits=limits, samples=81, rtol=1e-10
    )
    assert len(happened(motion)) >= 1
    energy = (motion.kinetic_energy + motion.potential_energy).values
    assert np.ptp(energy) < 1e-6 * energy[0]
    assert abs(motion.constraint_error).max() < 1e-10
    assert motion.q.sel(coordinate="slider.position").min() > -0.2 - 1e-9


def test_a_stop_cannot_hold_what_a_prescribed_motion_drives() -> None:
    limits = [Limit("slider.position", lower=-0.1)]
    with pytest.raises(SimulationError, match=r"limit of 'slider.position': at t = .* leave it no other way"):
        supple.simulate(slider_crank(), 1.0, motion={"crank.angle": "2*t"}, limits=limits, samples=11)


# ---------------------------------------------------------------- events


@methods
def test_the_loops_are_closed_again_around_a_coordinate_that_was_changed(method: dict[str, Any]) -> None:
    model = slider_crank()
    jump = Event("jump", "t - 0.2", change={"crank.angle": "crank.angle + 0.3"})
    motion = supple.simulate(model, 0.4, v={"crank.angle": 2.0}, events=[jump], samples=41, **method)
    before, after = motion.isel(time=20), motion.isel(time=21)
    assert float(after.q[0] - before.q[0]) == pytest.approx(0.3 + 0.01 * float(after.v[0]), abs=1e-3)
    theta = motion.q.values[:, 0]
    np.testing.assert_allclose(
        motion.q.values[:, 2] + 1.3, 0.3 * np.cos(theta) + np.sqrt(1 - (0.3 * np.sin(theta)) ** 2), atol=1e-9
    )
    assert abs(motion.constraint_error).max() < 1e-10
    assert abs(motion.constraint_rate).max() < 1e-9
    late = motion.kinetic_energy.values[21:]
    assert np.ptp(late) < 1e-6 * late[0], "the motion after the jump is a free one"


@methods
def test_a_speed_that_was_changed_is_kept_and_the_others_follow(method: dict[str, Any]) -> None:
    kick = Event("kick", "t - 0.25", change={"rate(small.angle)": "5"})
    motion = supple.simulate(gears(), 0.5, v={"small.angle": 1.0}, events=[kick], samples=11, **method)
    np.testing.assert_allclose(motion.v.values[6:], [[5.0, -2.5]] * 5, atol=1e-8)
    np.testing.assert_allclose(motion.q.values[-1], [0.25 + 1.25, -0.75], atol=1e-8)


def test_an_action_keeps_what_it_has_changed() -> None:
    def action(t: float, q: Any, v: Any) -> tuple[Any, Any]:
        q[1], v[0] = 0.4, 3.0
        return q, v

    model = gears()
    motion = supple.simulate(model, 0.4, events=[Event("set", "t - 0.2", action=action)], samples=5)
    np.testing.assert_allclose(motion.q.values[-1], [-0.8 + 0.6, 0.4 - 0.3], atol=1e-9)
    np.testing.assert_allclose(motion.v.values[-1], [3.0, -1.5], atol=1e-12)


def test_two_events_at_one_instant_are_closed_together() -> None:
    events = [
        Event("turn", "t - 0.2", change={"small.angle": 1.0}),
        Event("kick", "t - 0.2", change={"rate(large.angle)": 1.0}),
    ]
    motion = supple.simulate(gears(), 0.3, events=events, samples=4)
    np.testing.assert_allclose(motion.q.values[-1], [1.0 - 0.2, -0.5 + 0.1], atol=1e-9)
    np.testing.assert_allclose(motion.v.values[-1], [-2.0, 1.0], atol=1e-12)


def test_a_turned_ball_goes_on_rolling() -> None:
    mech = supple.Mechanism("ball", gravity=(0, 0, -9.81))
    mech.add_body("ball", supple.RigidBody(2.0, inertia=(0.032,) * 3), joint=supple.Free(), at=(0, 0, 0.2))
    mech.constrain("plane", supple.Rolling("ground", "ball", 0.2))
    turn = {"ball.qx": 0.0, "ball.qy": 0.0, "ball.qz": math.sin(0.5), "ball.qw": math.cos(0.5), "ball.x": 3.0}
    events = [Event("turn", "t - 0.5", change=turn)]
    motion = supple.simulate(mech.build(), 1.0, v={"ball.wy": 5.0}, events=events, samples=11)
    assert float(motion.q.sel(coordinate="ball.x")[5]) == pytest.approx(0.5, abs=1e-8)
    assert float(motion.q.sel(coordinate="ball.x")[6]) > 2.5
    assert abs(motion.constraint_error).max() < 1e-10
    assert abs(motion.constraint_rate).max() < 1e-9
    late = motion.kinetic_energy.values[6:]
    assert np.ptp(late) < 1e-8 * late[0]
    assert late[0] > 0.05


def test_changes_that_open_the_loops_for_good_are_refused() -> None:
    model = n_four_bar(1)
    far = Event("far", "t - 0.2", change={"rod0.angle": 0.5, "rod1.angle": -1.5})
    words = r"event 'far' at t = 0\.2 s: the loops cannot be closed with the new rod0\.angle, rod1\.angle: .* 'loop1'"
    with pytest.raises(SimulationError, match=words) as caught:
        supple.simulate(model, 0.5, v={"rod0.angle": -1.0}, events=[far], samples=11)
    assert caught.value.result is not None
    assert float(caught.value.result.time[-1]) == pytest.approx(0.2)
    fast = Event("fast", "t - 0.2", change={"rate(rod0.angle)": 1.0, "rate(rod1.angle)": 2.0})
    words = r"event 'fast' at t = 0\.2 s: .* new rate\(rod0\.angle\), rate\(rod1\.angle\): .*'loop1': the speeds"
    with pytest.raises(SimulationError, match=words):
        supple.simulate(model, 0.5, v={"rod0.angle": -1.0}, events=[fast], samples=11)
