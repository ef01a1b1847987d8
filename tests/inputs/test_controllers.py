"""PID controllers and sampled functions against equations written by hand."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, interpolate, linalg

import supple
from supple import PID, Sampled, Table
from supple.errors import StateError
from support.cases import thinned

LOAD = 2.0
"""A constant force on the cart, N."""


@cache
def cart() -> supple.Model:
    """1.5 kg on a rail with a load along it."""
    mech = supple.Mechanism("cart", gravity=(0, 0, 0))
    mech.add_body("cart", supple.RigidBody(1.5), joint=supple.Prismatic("x", damping=0.2))
    mech.add_wrench("load", "cart", force=(LOAD, 0, 0), axes="ground")
    return mech.build()


def run(law: Any, duration: float, samples: int = 5, **more: Any) -> Any:
    return supple.simulate(
        cart(), duration, tau={"cart.position": law}, samples=samples, **{"rtol": 1e-10, "atol": 1e-12} | more
    )


def by_hand(law: Any, duration: float, samples: int = 5) -> NDArray[np.float64]:
    """(samples, 3): position, speed, integral; `law` of (t, x, v, z) gives force and the rate of the integral."""

    def rate(t: float, y: NDArray[np.float64]) -> list[float]:
        force, error = law(t, *y)
        return [y[1], (force + LOAD - 0.2 * y[1]) / 1.5, error]

    t = np.linspace(0, duration, samples)
    found = integrate.solve_ivp(rate, (0, duration), [0, 0, 0], "DOP853", t, rtol=1e-11, atol=1e-13, max_step=0.02)
    return np.asarray(found.y.T)


def test_without_an_integral_an_offset_stays_and_with_one_it_goes() -> None:
    pd = run(PID(target=1.0, kp=40.0, kd=12.0), 10.0)
    assert float(pd.q[-1, 0]) == pytest.approx(1.0 + LOAD / 40.0, abs=1e-8)
    pid = run(PID(target=1.0, kp=40.0, kd=12.0, ki=30.0), 40.0)
    assert float(pid.q[-1, 0]) == pytest.approx(1.0, abs=1e-8)
    assert float(pid.tau[-1, 0]) == pytest.approx(-LOAD, abs=1e-7)


@pytest.mark.parametrize("target", ["0.5*sin(2*t)", Table([0.0, 0.4, 1.0, 1.5], [0.0, 0.7, -0.2, 0.5], "cubic")])
def test_a_moving_target_is_followed_with_its_rate(target: str | Table) -> None:
    result = run(PID(target, kp=40.0, kd=12.0, ki=30.0), 1.5)
    spline = interpolate.CubicSpline([0.0, 0.4, 1.0, 1.5], [0.0, 0.7, -0.2, 0.5], bc_type="clamped")

    def law(t: float, x: float, v: float, z: float) -> tuple[float, float]:
        r, dr = (0.5 * np.sin(2 * t), np.cos(2 * t)) if isinstance(target, str) else (spline(t), spline(t, 1))
        return float(40 * (r - x) + 12 * (dr - v) + 30 * z), float(r - x)

    expected = by_hand(law, 1.5)
    assert np.ptp(expected[:, 0]) > 0.3
    assert np.allclose(result.q.values[:, 0], expected[:, 0], atol=1e-8)


@pytest.mark.parametrize("limit", [6.0, (-3.0, 7.0)])
@pytest.mark.parametrize("kp", [40.0, 0.0])
def test_a_limit_cuts_the_force_and_draws_the_integral_back(limit: Any, kp: float) -> None:
    law = PID(target=1.0, kp=kp, kd=12.0, ki=30.0, limit=limit)
    result = run(law, 3.0, 31)
    low, high = (-6.0, 6.0) if limit == 6.0 else limit

    def hand(t: float, x: float, v: float, z: float) -> tuple[float, float]:
        wanted = kp * (1 - x) - 12 * v + 30 * z
        force = min(max(wanted, low), high)
        return force, 1 - x + (force - wanted) / (kp or 30.0)

    expected = by_hand(hand, 3.0, 31)
    tau = result.tau.values[:, 0]
    assert tau.max() <= high
    assert tau.min() >= low
    assert kp == 0.0 or tau[0] == high
    assert np.allclose(result.q.values[:, 0], expected[:, 0], atol=1e-7)


def test_the_integral_is_not_wound_up_at_the_limit() -> None:
    """Against the load the actuator is weak, so it stands at its limit for long."""
    result = run(PID(target=-5.0, kp=40.0, kd=60.0, ki=30.0, limit=3.0), 20.0, 201)
    assert (result.tau.values[:10] == -3.0).all()

    def wound_up(t: float, x: float, v: float, z: float) -> tuple[float, float]:
        return min(max(40 * (-5 - x) - 60 * v + 30 * z, -3.0), 3.0), -5 - x

    without = -5.0 - by_hand(wound_up, 20.0, 201)[:, 0].min()
    assert without > 1.0
    assert -5.0 - float(result.q.min()) < 0.3 * without
    assert float(result.q[-1, 0]) == pytest.approx(-5.0, abs=0.2)


def test_gains_of_other_signs_are_drawn_back_too() -> None:
    result = run(PID(target=0.0, kp=-1.0, kd=30.0, ki=1.0, limit=0.5), 3.0, 31)
    assert (np.abs(result.tau.values) <= 0.5).all()
    assert np.isfinite(result.q.values).all()
    assert abs(float(result.q[-1, 0])) > 1.0  # the load is stronger


def test_feedforward_is_added() -> None:
    result = run(PID(target=0.0, kp=4.0, feedforward="sin(t) + 3*rate(cart.position)"), 2.0)
    expected = by_hand(lambda t, x, v, z: (-4 * x + np.sin(t) + 3 * v, 0.0), 2.0)
    assert np.ptp(expected[:, 0]) > 0.5
    assert np.allclose(result.q.values[:, 0], expected[:, 0], atol=1e-8)


def sampled_by_hand(law: PID, duration: float, samples: int) -> NDArray[np.float64]:
    """Positions; between ticks the motion under a held force is exact, a matrix exponential."""
    A = np.array([[0, 1, 0], [0, -0.2 / 1.5, 1 / 1.5], [0, 0, 0]])
    times = np.linspace(0, duration, samples)
    y, total, out, tick = np.zeros(2), 0.0, [], 0
    assert law.rate is not None
    force = 0.0
    low, high = (-np.inf, np.inf) if law.limit is None else (-law.limit, law.limit)  # type: ignore[operator]
    now = 0.0
    for goal in times:
        while tick / law.rate <= goal + 1e-12:
            y = (linalg.expm(A * (tick / law.rate - now)) @ [*y, force + LOAD])[:2]
            now = tick / law.rate
            if goal >= now - 1e-12 and abs(goal - now) < 1e-12:
                out.append(y[0])
            error = float(law.target) - y[0]  # type: ignore[arg-type]
            wanted = law.kp * error - law.kd * y[1] + law.ki * total
            force = min(max(wanted, low), high)
            total += (error + (force - wanted) / law.kp) / law.rate
            tick += 1
        if abs(goal - now) >= 1e-12:
            out.append((linalg.expm(A * (goal - now)) @ [*y, force + LOAD])[0])
    return np.array(out)


@pytest.mark.parametrize("limit", [None, 6.0])
@pytest.mark.parametrize("rate", thinned([10.0, 37.0], [37.0]))
@pytest.mark.parametrize("integrator", ["DOP853", "CVODE", "Radau"])
def test_a_sampled_controller_holds_its_force_between_ticks(limit: float | None, rate: float, integrator: str) -> None:
    law = PID(target=1.0, kp=20.0, kd=5.0, ki=10.0, limit=limit, rate=rate)
    result = run(law, 2.0, 21, integrator=integrator)
    expected = sampled_by_hand(law, 2.0, 21)
    assert np.ptp(expected) > 0.5
    continuous = run(PID(1.0, 20.0, 5.0, 10.0, limit), 2.0, 21)
    assert np.abs(expected - continuous.q.values[:, 0]).max() > 1e-3
    assert np.allclose(result.q.values[:, 0], expected, atol=2e-6 if integrator == "CVODE" else 1e-9)


@pytest.mark.parametrize("whole", [True, False])
def test_a_sampled_function_is_called_at_ticks_alone(whole: bool) -> None:
    calls: list[float] = []

    def control(t: float, q: NDArray[np.float64], v: NDArray[np.float64]) -> Any:
        calls.append(t)
        force = 20 * (1 - q[0]) - 5 * v[0]
        return [force] if whole else force

    law = Sampled(control, 10.0)
    tau: Any = law if whole else {"cart.position": law}
    result = supple.simulate(cart(), 2.0, tau=tau, samples=21, rtol=1e-10, atol=1e-12)
    expected = sampled_by_hand(PID(1.0, 20.0, 5.0, rate=10.0), 2.0, 21)
    assert np.allclose(result.q.values[:, 0], expected, atol=1e-9)
    assert np.allclose(sorted(set(np.round(calls, 9))), np.arange(len(set(np.round(calls, 9)))) / 10)
    assert 20 <= len(calls) <= 30  # once a tick, and once or twice at the start


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PID(1.0, kp=np.nan), "PID: kp: expected a finite number, got nan"),
        (lambda: PID(1.0, kp="3"), "PID: kp: expected a finite number, got '3'"),  # type: ignore[arg-type]
        (lambda: PID(np.inf, kp=1.0), "PID: target: expected a finite number, a formula or a Table, got inf"),
        (lambda: PID(None, kp=1.0), "PID: target: expected a finite number, a formula or a Table, got None"),  # type: ignore[arg-type]
        (lambda: PID(1.0, 1.0, limit=-1.0), "PID: limit: expected a positive number, or minimum and maximum"),
        (lambda: PID(1.0, 1.0, limit=(1.0, -1.0)), "PID: limit: expected"),
        (lambda: PID(1.0, 1.0, limit=(1.0, 2.0, 3.0)), "PID: limit: expected"),  # type: ignore[arg-type]
        (lambda: PID(1.0, 1.0, rate=0.0), "PID: rate: expected a positive number of samples a second, got 0"),
        (lambda: PID(1.0, 1.0, feedforward=None), "PID: feedforward: expected"),  # type: ignore[arg-type]
        (lambda: Sampled(3.0, 1.0), r"Sampled: function: expected a function of \(t, q, v\), got 3"),  # type: ignore[arg-type]
        (lambda: Sampled(lambda t, q, v: 0.0, -1.0), "Sampled: rate: expected a positive number"),
    ],
)
def test_wrong_controllers_are_refused(make: Any, words: str) -> None:
    with pytest.raises(StateError, match=words):
        make()


def test_a_target_whose_rate_is_not_known_is_refused_where_the_rate_is_needed() -> None:
    mech = supple.Mechanism("two", gravity=(0, 0, 0))
    mech.add_body("ball", supple.RigidBody(1.0, inertia=np.eye(3)), joint=supple.Spherical())
    mech.add_body("cart", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    model = mech.build()
    for target, name in (("ball.qx", "ball.qx"), ("rate(cart.position)", "cart.position")):
        with pytest.raises(StateError, match=f"target: expected a function of time and coordinates.*{name}"):
            supple.simulate(model, 0.1, tau={"cart.position": PID(target, kp=1.0, kd=1.0)})
    with pytest.raises(StateError, match=r"rate of a coordinate, got 'ball\.wx'"):
        supple.simulate(model, 0.1, tau={"ball.wx": PID(0.0, kp=1.0)})
    result = supple.simulate(model, 1.0, v={"ball.wx": 0.5}, tau={"cart.position": PID("ball.qx", kp=1.0)}, samples=3)
    assert abs(float(result.q[-1, -1])) > 1e-3
