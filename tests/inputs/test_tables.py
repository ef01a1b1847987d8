"""Tables over time: values and derivatives against scipy, and a run that they drive against a run piece by piece."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, interpolate

import supple
from supple.errors import StateError
from supple.expressions.function import Function
from supple.expressions.graph import Graph

pytestmark = pytest.mark.filterwarnings("ignore:table. the cubic goes")
TIMES = np.array([0.3, 0.5, 1.1, 1.2, 2.0])
VALUES = np.array([1.0, -2.0, 0.5, 0.6, 3.0])


def evaluated(table: supple.Table, t: NDArray[np.float64], derivative: int = 0) -> NDArray[np.float64]:
    """The table by its equations."""
    graph = Graph()
    time, piece = graph.input("t"), np.array([graph.input(x) for x in table.numbers], dtype=object)
    node = table.node(time, piece, derivative)
    f = Function("f", graph, {"t": np.array([time]), "piece": piece}, {"x": np.array([node], dtype=object)})
    return np.array([f.evaluate(t=[x], piece=table.piece(x))["x"][0] for x in t])


INSIDE = np.linspace(0.3001, 1.9999, 57)


@pytest.mark.parametrize("derivative", [0, 1, 2])
def test_a_cubic_table_is_the_spline_of_scipy_at_rest_at_both_ends(derivative: int) -> None:
    table = supple.Table(TIMES, VALUES, "cubic")
    spline = interpolate.CubicSpline(TIMES, VALUES, bc_type="clamped")
    found = evaluated(table, INSIDE, derivative)
    assert np.ptp(found) > 1
    assert np.allclose(found, spline(INSIDE, derivative), rtol=1e-11, atol=1e-11)
    outside = evaluated(table, np.array([-1.0, 0.2999, 2.0001, 9.0]), derivative)
    assert np.allclose(outside, [VALUES[0], VALUES[0], VALUES[-1], VALUES[-1]] if derivative == 0 else 0, atol=1e-11)


def test_a_pchip_table_is_smooth_and_at_rest_at_both_ends_and_does_not_overshoot() -> None:
    times, values = np.array([0.0, 1.0, 2.0, 2.2, 4.0]), np.array([0.0, 0.5, 1.0, 1.0, 3.0])
    dense = np.linspace(-0.5, 4.5, 1001)
    bounded = evaluated(supple.Table(times, values, "pchip"), dense)
    assert (np.diff(bounded) > -1e-12).all()  # monotone values, monotone curve; the spline is not
    assert np.diff(evaluated(supple.Table(times, values, "cubic"), dense)).min() < -1e-4
    inside = np.linspace(1.001, 2.199, 50)  # away from the ends it is scipy's
    own = interpolate.PchipInterpolator(times, values)
    assert np.allclose(evaluated(supple.Table(times, values, "pchip"), inside, 1), own(inside, 1), atol=1e-11)
    before, after = (evaluated(supple.Table(times, values, "pchip"), times + h, 1) for h in (-1e-9, 1e-9))
    assert np.allclose(before, after, atol=1e-7)  # no jump of the rate, at the ends neither
    assert np.ptp(before) > 0.3


def test_a_linear_table_is_that_of_numpy_everywhere() -> None:
    t = np.concatenate([INSIDE, TIMES, [-1.0, 0.0, 2.5]])
    assert np.allclose(evaluated(supple.Table(TIMES, VALUES), t), np.interp(t, TIMES, VALUES), rtol=1e-13, atol=1e-13)
    slopes = np.diff(VALUES) / np.diff(TIMES)
    found = evaluated(supple.Table(TIMES, VALUES), INSIDE, 1)
    assert np.allclose(found, slopes[np.searchsorted(TIMES, INSIDE) - 1], rtol=1e-12)
    assert np.allclose(evaluated(supple.Table(TIMES, VALUES), np.array([0.0, 3.0]), 1), 0.0, atol=1e-12)


def test_a_held_table_keeps_each_value_until_the_next_time() -> None:
    t = np.concatenate([INSIDE, TIMES, [-1.0, 0.0, 2.5]])
    expected = VALUES[np.maximum(np.searchsorted(TIMES, t, side="right") - 1, 0)]
    assert np.allclose(evaluated(supple.Table(TIMES, VALUES, "hold"), t), expected, rtol=1e-13)
    just_before = np.nextafter(TIMES[1:], 0)
    assert np.allclose(evaluated(supple.Table(TIMES, VALUES, "hold"), just_before), VALUES[:-1], rtol=1e-13)


@pytest.mark.parametrize("kind", ["linear", "cubic", "pchip", "hold"])
def test_at_its_own_times_a_table_has_its_own_values(kind: str) -> None:
    assert np.allclose(evaluated(supple.Table(TIMES, VALUES, kind), TIMES), VALUES, rtol=1e-13)


@cache
def pendulum() -> supple.Model:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)), joint=supple.Revolute("y", damping=0.1))
    return mech.build()


def by_hand(table: supple.Table, duration: float) -> NDArray[np.float64]:
    """angle and rate at the end: the pendulum's own equation, integrated from one time of the table to the next."""
    t, x = np.array(table.times, dtype=float), np.array(table.values, dtype=float)
    spline = interpolate.CubicSpline(t, x, bc_type="clamped")
    y, start = np.array([0.2, 0.0]), 0.0
    for end in [*t[t < duration], duration]:
        middle = 0.5 * (start + end)

        def force(time: float, middle: float = middle) -> float:
            if table.kind == "hold" or not t[0] < middle < t[-1]:
                return float(x[max(int(np.searchsorted(t, middle, side="right")) - 1, 0)])
            return float(spline(time) if table.kind == "cubic" else np.interp(time, t, x))

        def rate(time: float, y: NDArray[np.float64], force: object = force) -> list[float]:
            return [y[1], force(time) - 0.1 * y[1] - 9.81 * np.sin(y[0])]  # type: ignore[operator]

        y = integrate.solve_ivp(rate, (start, end), y, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        start = end
    return np.asarray(y)


@pytest.mark.parametrize("kind", ["linear", "cubic", "hold"])
@pytest.mark.parametrize(
    ("integrator", "step", "tolerance"),
    [
        ("DOP853", None, 1e-8),
        ("ESDIRK54", None, 1e-8),
        ("Radau", None, 1e-8),
        ("CVODE", None, 1e-6),
        ("rk4", 1e-3, 1e-9),
        ("leapfrog", 1e-3, 1e-5),
        ("generalized_alpha", 1e-3, 1e-4),
        ("variational", 1e-3, 1e-5),
    ],
)
def test_a_force_by_a_table_is_as_exact_as_the_integrator(
    kind: str, integrator: str, step: float | None, tolerance: float
) -> None:
    table = supple.Table(TIMES, 3 * VALUES, kind)
    result = supple.simulate(
        pendulum(), 2.3, q=[0.2], tau={"arm.angle": table}, integrator=integrator, step=step, rtol=1e-9, samples=4
    )
    expected = by_hand(table, 2.3)
    assert abs(expected[0] - 0.2) > 0.1
    assert float(result.q[-1, 0]) == pytest.approx(expected[0], abs=tolerance)
    assert float(result.v[-1, 0]) == pytest.approx(expected[1], abs=5 * tolerance)


def test_a_table_of_a_thousand_points_is_no_longer_code_than_one_of_two() -> None:
    t = np.linspace(0.0, 2.0, 1001)
    table = supple.Table(t, np.sin(3 * t), "cubic")
    result = supple.simulate(pendulum(), 2.0, tau={"arm.angle": table}, rtol=1e-10, samples=3)
    smooth = supple.simulate(pendulum(), 2.0, tau={"arm.angle": "sin(3*t)"}, rtol=1e-10, samples=3)
    assert abs(float(smooth.q[-1, 0])) > 0.1
    assert np.allclose(result.q, smooth.q, atol=1e-5)  # the spline is at rest at both ends, the sine is not
    graph = Graph()
    piece = np.array([graph.input(x) for x in table.numbers], dtype=object)
    table.node(graph.input("t"), piece)
    assert len(graph.nodes) < 20


@pytest.mark.parametrize("integrator", ["DOP853", "CVODE"])
def test_outputs_and_ticks_may_differ_from_the_times_of_a_table_by_rounding(integrator: str) -> None:
    t = np.arange(11) * 0.1  # 0.30000000000000004
    table = supple.Table(t, np.arange(11.0), "hold")
    law = supple.PID(0.0, kp=1e-9, rate=10.0)  # ticks at 3/10
    mech = supple.Mechanism("carts", gravity=(0, 0, 0))
    for name in "ab":
        mech.add_body(name, supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    laws: dict[str, Any] = {"a.position": table, "b.position": law}
    result = supple.simulate(mech.build(), 1.0, tau=laws, integrator=integrator, samples=11)
    v = np.concatenate([[0.0], np.cumsum(np.arange(10.0) * 0.1)])
    assert np.allclose(result.v.values[:, 0], v, atol=1e-7)
    assert np.allclose(result.time, np.linspace(0, 1, 11), rtol=1e-15)


@pytest.mark.parametrize(
    ("times", "values", "kind", "words"),
    [
        ([0, 1], [1], "linear", r"expected as many values as times, two or more, got \(1,\), \(2,\)"),
        ([0], [1], "linear", "two or more"),
        ([0, 1, 1], [1, 2, 3], "linear", "expected increasing times, got 1 after 1"),
        ([0, 2, 1], [1, 2, 3], "hold", "expected increasing times, got 1 after 2"),
        ([0, np.nan], [1, 2], "linear", "expected finite numbers"),
        ([0, 1], [1, np.inf], "linear", "expected finite numbers"),
        ([0, 1], [1, 2], "spline", "kind: expected one of linear, cubic, pchip, hold, got 'spline'"),
        ([[0, 1]], [[1, 2]], "linear", "expected as many values as times"),
        (["a", "b"], [1, 2], "linear", "expected numbers"),
        ([[0], [1, 2]], [1, 2], "linear", "expected numbers"),
    ],
)
def test_what_is_no_table_is_refused(times: list[float], values: list[float], kind: str, words: str) -> None:
    with pytest.raises(StateError, match=words):
        supple.Table(times, values, kind)


@pytest.mark.parametrize("kind", ["linear", "cubic", "hold"])
@pytest.mark.parametrize("derivative", [0, 1, 2])
def test_a_table_written_out_is_the_same_function_of_time(kind: str, derivative: int) -> None:
    """All pieces in one expression, before the first time and after the last too."""
    x = supple.Table([0.2, 0.5, 1.1, 1.3], [1.0, -2.0, 0.5, 3.0], kind)
    g = Graph()
    t = g.input("t")
    f = Function("table", g, {"t": np.array([t])}, {"y": np.array([x.written_out(t, derivative)])})
    for time in (-1.0, 0.3, 0.77, 1.2, 9.0):
        piece = np.array([g.constant(c) for c in x.piece(time)])
        one = Function("piece", g, {"t": np.array([t])}, {"y": np.array([g.node(x.node(t, piece, derivative))])})
        assert f.evaluate(t=[time])["y"][0] == pytest.approx(one.evaluate(t=[time])["y"][0], abs=1e-12)


def test_a_cubic_that_goes_beyond_its_values_warns_and_pchip_does_not_go() -> None:
    """Clamped through 0, 10, 10: the slope at 1 s is 3 (10/1 + 0) / (2 (1 + 1/9)) / 1 by the spline's own equation."""
    with pytest.warns(
        supple.PhysicsWarning, match="goes to 28.* s, between 10 at 1 s and 10 at 10 s; kind 'pchip' stays"
    ):
        cubic = supple.Table([0.0, 1.0, 10.0], [0.0, 10.0, 10.0], "cubic")
    slope = float(cubic.polynomial()(1.0, 1))
    assert slope == pytest.approx(3 * 10.0 / (2 * (1 + 1 / 9)))
    pchip = supple.Table([0.0, 1.0, 10.0], [0.0, 10.0, 10.0], "pchip")
    assert pchip.polynomial()(np.linspace(0, 10, 999)).max() == pytest.approx(10.0, abs=1e-12)
    supple.Table([0.0, 6.0, 12.0], [1.2, 1.8, 1.4], "cubic")  # 0.6 % beyond: as smooth curves do
