"""Constraints of Kane's method: closed loops against Lagrange multipliers, knife edges, prescribed motion, refusals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from supple.errors import ModelError, StateError
from supple.expressions.function import Function
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties
from supple.symbolic.program_parts import ProgramRun
from support.programs.c_programs import built, called, input_file, motion
from support.runs.fixed_steps import runge_kutta

Floats = NDArray[np.float64]
CRANK, COUPLER, ROCKER, BASE = 0.2, 0.5, 0.4, 0.45  # Grashof: the crank turns all around


def four_bar(closed: bool = True) -> KaneSystem:
    """A four-bar linkage: the coupler hangs on the crank, the rocker on the ground; their ends meet."""
    s = KaneSystem("four-bar")
    a, b, c, d, g = s.parameters(a=CRANK, b=COUPLER, c=ROCKER, d=BASE, g=9.81)
    s.gravity = -g * s.ground.axes[1]
    crank = s.add_body(
        "crank", joint=KaneJoint(rotations="3"), body=MassProperties(2.0, com=(0.3 * a, 0.02, 0), inertia=(0, 0, 0.01))
    )
    coupler = s.add_body(
        "coupler", crank, joint=KaneJoint(rotations="3"), body=MassProperties(1.5, com=(0.4 * b, 0.1, 0)), at=(a, 0, 0)
    )
    rocker = s.add_body(
        "rocker",
        joint=KaneJoint(rotations="3"),
        body=MassProperties(1.0, com=(0.5 * c, 0, 0), inertia=(0, 0, 0.02)),
        at=(d, 0, 0),
    )
    s.add_speed_force(crank.speeds[0], s.input("motor"))
    gap = coupler.position(coupler.vector(b, 0, 0)) - rocker.position(rocker.vector(c, 0, 0))
    if closed:
        s.close(gap @ s.ground.axes[0], coupler.coordinates[0])
        s.close(gap @ s.ground.axes[1], rocker.coordinates[0])
    return s


def gap(q: Floats) -> Floats:
    """Between the ends of coupler and rocker, by hand."""
    angles, lengths = np.array([q[0], q[0] + q[1], q[2]]), np.array([CRANK, COUPLER, -ROCKER])
    return np.array([lengths @ np.cos(angles) - BASE, lengths @ np.sin(angles)])


def gap_rates(q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """A and A' v of the rate A v of the gap, by hand."""
    angles, lengths = np.array([q[0], q[0] + q[1], q[2]]), np.array([CRANK, COUPLER, -ROCKER])
    to_absolute = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]])
    slopes = np.array([-lengths * np.sin(angles), lengths * np.cos(angles)])
    centripetal = -np.array([lengths * np.cos(angles), lengths * np.sin(angles)])
    return slopes @ to_absolute, centripetal @ (to_absolute @ v) ** 2


def assembled(crank: float, branch: float) -> Floats:
    """Coordinates at an angle of the crank, with the coupler above the line to the base's end or below it."""
    end = CRANK * np.exp(1j * crank)
    way = BASE - end
    aside = np.arccos((COUPLER**2 + abs(way) ** 2 - ROCKER**2) / (2 * COUPLER * abs(way)))
    coupler = np.angle(way) + branch * aside
    rocker = np.angle(end + COUPLER * np.exp(1j * coupler) - BASE)
    q = np.array([crank, coupler - crank, rocker])
    assert np.abs(gap(q)).max() < 1e-14
    return q


def accelerations(tree: Function, q: Floats, crank_rate: float, motor: float) -> tuple[Floats, Floats]:
    """Speeds, and their rates by Lagrange's multipliers: M v' + A* l = f, A v' + A' v = 0."""
    A, _ = gap_rates(q, np.zeros(3))
    v = np.array([crank_rate, *np.linalg.solve(A[:, 1:], -A[:, 0] * crank_rate)])
    _, drift = gap_rates(q, v)
    values = {"a": CRANK, "b": COUPLER, "c": ROCKER, "d": BASE, "g": 9.81}
    found = tree.evaluate(values, q=q, v=v, tau=[motor])
    K = np.block([[found["M"], A.T], [A, np.zeros((2, 2))]])
    return v, np.linalg.solve(K, np.concatenate([found["f"], -drift]))[:3]


@pytest.fixture(scope="module")
def linkage() -> EquationsOfMotion:
    return four_bar().equations()


@pytest.fixture(scope="module")
def tree() -> Function:
    """M and f of the linkage cut open."""
    s = four_bar(closed=False)
    M, f = s.dynamical_equations()
    inputs = {"q": np.array(s.q), "v": np.array(s.v), "tau": np.array(s.inputs)}
    return Function("tree", s.graph, inputs, {"M": M, "f": f}, s.symbols.values())


# ------------------------------------------------------------ closed loops


def test_four_bar_linkage_against_multipliers(linkage: EquationsOfMotion, tree: Function) -> None:
    rng = np.random.default_rng(0)
    assert len(linkage.variables.v) == 1
    for branch in (1.0, -1.0):
        for crank in rng.uniform(0, 2 * np.pi, 20):
            q, rate, motor = assembled(crank, branch), 5 * rng.normal(), 3 * rng.normal()
            v, a = accelerations(tree, q, rate, motor)
            found_v, found_a = linkage.evaluate(q, [rate], [motor])
            np.testing.assert_allclose(found_v, v, rtol=0, atol=1e-10 * np.abs(v).max())
            assert found_a[0] == pytest.approx(a[0], rel=1e-10, abs=1e-10)


def test_four_bar_linkage_keeps_its_energy_and_stays_closed(linkage: EquationsOfMotion, tree: Function) -> None:
    """A full turn of the crank; the tree's mass matrix and heights by hand give the energy."""
    q = assembled(0.3, 1.0)

    def slope(y: Floats) -> Floats:
        return np.concatenate(linkage.evaluate(y[:3], y[3:], [0.0]))

    def energies(y: Floats) -> tuple[float, float]:
        v, _ = accelerations(tree, y[:3], y[3], 0.0)
        values = {"a": CRANK, "b": COUPLER, "c": ROCKER, "d": BASE, "g": 9.81}
        M = tree.evaluate(values, q=y[:3], v=v, tau=[0.0])["M"]
        one, two, three = y[0], y[0] + y[1], y[2]
        crank = 0.3 * CRANK * np.sin(one) + 0.02 * np.cos(one)
        coupler = CRANK * np.sin(one) + 0.4 * COUPLER * np.sin(two) + 0.1 * np.cos(two)
        rocker = 0.5 * ROCKER * np.sin(three)
        return float(v @ M @ v) / 2, 9.81 * (2.0 * crank + 1.5 * coupler + 1.0 * rocker)

    run = runge_kutta(slope, np.array([*q, 9.0]), 0.002, 500)
    energy = np.array([energies(y) for y in run])
    assert np.ptp(run[:, 0]) > 2 * np.pi
    assert np.ptp(energy[:, 0]) > 1.0
    # The integrator's error, step^4; nothing but the equations keeps the loop closed.
    assert np.ptp(energy.sum(axis=1)) < 2e-7 * energy[:, 0].max()
    assert max(np.abs(gap(y)).max() for y in run) < 1e-8


def test_linear_equations_of_a_closed_loop(linkage: EquationsOfMotion, tree: Function) -> None:
    """Slopes of the crank's acceleration along the closed loop, by differences of Lagrange's multipliers."""
    crank, rate, motor, h = 0.7, 3.0, 1.2, 1e-5

    def acceleration(crank: float, rate: float, motor: float) -> float:
        return float(accelerations(tree, assembled(crank, 1.0), rate, motor)[1][0])

    by_crank = (acceleration(crank + h, rate, motor) - acceleration(crank - h, rate, motor)) / (2 * h)
    by_rate = (acceleration(crank, rate + h, motor) - acceleration(crank, rate - h, motor)) / (2 * h)
    by_motor = (acceleration(crank, rate, motor + h) - acceleration(crank, rate, motor - h)) / (2 * h)
    found = linkage.linear.evaluate(linkage.numbers(), q=assembled(crank, 1.0), v=[rate], tau=[motor])
    # Central differences: h^2 times a third derivative, and round-off over h.
    np.testing.assert_allclose(found["A"], np.array([[0, 1], [by_crank, by_rate]]), rtol=1e-7)
    np.testing.assert_allclose(found["B"], np.array([[0], [by_motor]]), rtol=1e-7)
    assert abs(by_crank) > 1


def test_a_loop_says_what_depends(linkage: EquationsOfMotion) -> None:
    assert linkage.dependence is not None
    assert [x.value for x in linkage.dependence.coordinates] == [("q", "q2"), ("q", "q3")]
    assert [x.value for x in linkage.dependence.speeds] == [("v", "u2"), ("v", "u3")]
    q = assembled(1.0, 1.0)
    closures = Function(
        "gap",
        linkage.variables.graph,
        {"q": linkage.variables.q},
        {"x": linkage.dependence.closures},
        linkage.variables.symbols,
    )
    np.testing.assert_allclose(closures.evaluate(linkage.numbers(), q=q)["x"], 0, atol=1e-12)
    open_ = q + np.array([0.0, 0.1, -0.2])
    np.testing.assert_allclose(closures.evaluate(linkage.numbers(), q=open_)["x"], gap(open_), rtol=1e-12)


# ------------------------------------------------------------ knife edges and prescribed motions


def sleigh(speeds: Any, dependent: int) -> KaneSystem:
    """Chaplygin's sleigh: a knife edge at the origin of a body whose mass centre is a ahead of it."""
    s = KaneSystem("sleigh")
    m, inertia, a = s.parameters(m=3.0, I=0.4, a=0.25)
    body = s.add_body(
        "body",
        joint=KaneJoint(translations=["x", "y"], rotations="3", speeds=speeds),
        body=MassProperties(m, com=(a, 0, 0), inertia=(0, 0, inertia)),
    )
    s.constrain(body.velocity() @ body.axes[1], body.speeds[dependent])
    return s


def test_chaplygin_sleigh_in_its_own_axes() -> None:
    e = sleigh("auto", 1).equations()
    m, inertia, a = 3.0, 0.4, 0.25
    for heading, v, w in np.random.default_rng(0).normal(size=(10, 3)):
        rates, found = e.evaluate([0.3, -0.2, heading], [v, w])
        np.testing.assert_allclose(rates, [v * np.cos(heading), v * np.sin(heading), w], rtol=1e-13)
        np.testing.assert_allclose(found, [a * w**2, -m * a * v * w / (inertia + m * a**2)], rtol=1e-12)
    assert e.operations.functions == 2  # sine and cosine of the heading, for the place alone


def test_chaplygin_sleigh_in_rates() -> None:
    """The same with the speeds x', y' and w, of which y' = x' tan(heading)."""
    e = sleigh("rates", 1).equations()
    m, inertia, a = 3.0, 0.4, 0.25
    for heading, v, w in np.random.default_rng(0).uniform(-1.2, 1.2, size=(10, 3)):
        c, s = np.cos(heading), np.sin(heading)
        rates, found = e.evaluate([0.3, -0.2, heading], [v * c, w])
        expected = [a * w**2 * c - v * s * w, -m * a * v * w / (inertia + m * a**2)]  # (v cos)' = v' cos - v sin w
        np.testing.assert_allclose(rates, [v * c, v * s, w], rtol=1e-12)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_a_constraint_may_hold_time() -> None:
    """A pendulum on a cart whose speed is given: its pivot accelerates with -w^2 r sin(w t)."""
    s = KaneSystem("driven pendulum")
    L, g, r, w = s.parameters(L=0.7, g=9.81, r=0.3, w=4.0)
    s.gravity = -g * s.ground.axes[1]
    cart = s.add_body("cart", joint=KaneJoint(translations=["x"]), body=MassProperties(2.0))
    s.add_body("arm", cart, joint=KaneJoint(rotations="3"), body=MassProperties(1.3, com=(0, -L, 0)))
    s.constrain(cart.speeds[0] - r * w * np.cos(w * s.time), cart.speeds[0])
    e = s.equations()
    for t, angle, rate in np.random.default_rng(0).normal(size=(10, 3)):
        rates, found = e.evaluate([0.0, angle], [rate], t=t)
        pivot = -0.3 * 16.0 * np.sin(4.0 * t)
        np.testing.assert_allclose(rates, [0.3 * 4.0 * np.cos(4.0 * t), rate], rtol=1e-13)
        np.testing.assert_allclose(found, -(9.81 * np.sin(angle) + pivot * np.cos(angle)) / 0.7, rtol=1e-12)


def test_a_constraint_may_be_added_to_a_loop() -> None:
    """A linkage whose crank is held has no speed left to integrate."""
    s = four_bar()
    s.constrain(s.bodies["crank"].speeds[0], s.bodies["crank"].speeds[0])
    e = s.equations()
    rates, found = e.evaluate(assembled(0.4, 1.0), [], [1.0])
    assert found.shape == (0,)
    np.testing.assert_allclose(rates, 0, atol=1e-14)


# ------------------------------------------------------------ bad input


def test_speeds_that_the_constraints_do_not_hold_are_refused() -> None:
    with pytest.raises(ModelError, match=r"dependent speeds: the constraints cannot be solved for u1: nothing .* u1$"):
        sleigh("auto", 0).equations()


def test_two_constraints_that_say_the_same_are_refused() -> None:
    """The second is a multiple of the first, whatever the coordinates are."""
    s = sleigh("rates", 1)
    body = s.bodies["body"]
    s.constrain(2.0 * (body.velocity() @ body.axes[1]) * np.cos(body.coordinates[2]), body.speeds[0])
    with pytest.raises(ModelError, match="the constraints cannot be solved for u2, u1"):
        s.equations()


def test_the_same_dependent_speed_twice_is_refused() -> None:
    s = sleigh("auto", 1)
    body = s.bodies["body"]
    s.constrain(body.velocity() @ body.axes[0], body.speeds[1])
    with pytest.raises(ModelError, match="expected a different one for each constraint, got u2, u2"):
        s.equations()


@pytest.mark.parametrize(
    "curved", [lambda u, w: u * u, lambda u, w: u - u * w, lambda u, w: np.sin(u)], ids=["square", "product", "sine"]
)
def test_a_constraint_that_is_not_linear_in_the_speeds_is_refused(curved: Any) -> None:
    s = sleigh("auto", 1)
    u1, _, u3 = s.bodies["body"].speeds
    s.constrain(curved(u1, u3), u1)
    expected = r"constraint for 'u1': expected an expression linear in the speeds, got one .* not linear in 'u1'"
    with pytest.raises(ModelError, match=expected):
        s.equations()


def test_closing_needs_a_coordinate_whose_rate_is_a_speed() -> None:
    s = KaneSystem("sleigh")
    body = s.add_body(
        "body",
        joint=KaneJoint(translations=["x", "y"], rotations="3", coordinates=["x", "y", "heading"]),
        body=MassProperties(1.0),
    )
    x, y, heading = body.coordinates
    with pytest.raises(ModelError, match=r"system 'sleigh': .*x.* is no coordinate whose rate is a speed"):
        s.close(x - y, x)  # its speeds are those along the body's axes
    with pytest.raises(ModelError, match=r"u1.* is no coordinate"):
        s.close(x - y, body.speeds[0])
    s.close(heading - 0.1 * x, heading)
    assert [str(c.coordinate) for c in s.constraints] == ["q:heading"]


def test_only_scalars_and_speeds_of_the_system_make_a_constraint() -> None:
    s, other = sleigh("auto", 1), sleigh("auto", 1)
    body, stranger = s.bodies["body"], other.bodies["body"]
    with pytest.raises(ModelError, match="constraint: expected a scalar, got the vector"):
        s.constrain(body.velocity(), body.speeds[0])
    with pytest.raises(ModelError, match=r"constraint: .* is an expression of another system"):
        s.constrain(stranger.velocity() @ stranger.axes[0], body.speeds[0])
    with pytest.raises(ModelError, match=r"dependent speed: .*q1.* is no speed of it"):
        s.constrain(body.speeds[0], body.coordinates[0])
    assert len(s.constraints) == 1


# ------------------------------------------------------------ programs


def test_a_program_of_a_closed_loop_starts_closed(linkage: EquationsOfMotion, tmp_path: Path) -> None:
    start = assembled(0.8, 1.0)
    text = linkage.program([0.8, start[1] + 0.3, start[2] - 0.2], [1.5], [0.4], ProgramRun(2.0, 41))
    _, rows = motion(built(text, tmp_path))
    np.testing.assert_allclose(rows[0, 1:4], start, atol=1e-11)
    assert max(np.abs(gap(q)).max() for q in rows[:, 1:4]) < 1e-13  # kept closed: the integration alone loses 1e-9
    assert np.abs(rows[-1, 1:4] - start).max() > 0.1
    _, rows = motion(tmp_path / "program", f"q q1 0.9\nq q2 {start[1] - 0.3}\nduration 0\n")
    np.testing.assert_allclose(rows[0, 1:4], assembled(0.9, 1.0), atol=1e-12)
    far = called(tmp_path / "program", input_file(tmp_path, "parameter b 0.05"))
    assert (far.returncode, far.stderr.startswith("the loops cannot be closed from the start")) == (5, True)


def valued(equations: EquationsOfMotion, values: dict[str, float]) -> EquationsOfMotion:
    """The same equations with other numbers for the parameters."""
    return replace(equations, variables=replace(equations.variables, values=values))


def test_a_loop_that_cannot_be_closed_is_refused(linkage: EquationsOfMotion) -> None:
    far = linkage.numbers() | {"b": 0.05}  # too short to reach the rocker
    with pytest.raises(StateError, match=r"four-bar: the loops cannot be closed by 'q2', 'q3' .*: still open by"):
        valued(linkage, far).program([0.8, 0.0, 1.0], [0.0])
