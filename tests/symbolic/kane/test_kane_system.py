"""A system as it is described: joints of Tables 1, 3 and 4, kinematical equations, loads, constraints."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from supple.expressions.derivatives import forward, jacobian
from supple.symbolic.kane import KaneBody, KaneJoint, KaneSystem, MassProperties
from support.mechanisms.sayers_satellite import numbers, satellite

# ---------------------------------------------------------------- joints


def frame(s: KaneSystem, body: KaneBody, q: Any) -> Any:
    """R_ground_body as numbers: its columns are the axes."""
    nodes = [[n @ b for b in body.axes] for n in s.ground.axes]
    return numbers(s, nodes, np.asarray(q, dtype=float), np.zeros(len(s.v)))


@pytest.mark.parametrize("first", [1, 2, 3])
def test_axis_and_reference_orient_the_body(first: int) -> None:
    # Table 3: b2, b3 or b1 follows the first axis and is the reference direction.
    R = Rotation.from_rotvec([0.4, -0.7, 0.3]).as_matrix()
    rotation, reference = R[:, 0], R[:, 1]
    s = KaneSystem("s")
    body = s.add_body("b", joint=KaneJoint(rotations=str(first), axis=rotation, reference=reference))
    nominal = frame(s, body, [0.0])
    np.testing.assert_allclose(nominal[:, first - 1], rotation, atol=1e-15)
    np.testing.assert_allclose(nominal[:, first % 3], reference, atol=1e-15)
    np.testing.assert_allclose(nominal[:, (first + 1) % 3], np.cross(rotation, reference), atol=1e-15)
    turned = Rotation.from_rotvec(0.8 * rotation).as_matrix() @ nominal
    np.testing.assert_allclose(frame(s, body, [0.8]), turned, atol=1e-15)


def test_the_length_of_an_axis_does_not_matter() -> None:
    s = KaneSystem("s")
    body = s.add_body("b", joint=KaneJoint(rotations="3", axis=(0, 3, 0), reference=(0, 0, 0.5)))
    np.testing.assert_allclose(frame(s, body, [0.0]), [[0, 1, 0], [0, 0, 1], [1, 0, 0]], atol=1e-15)


@pytest.mark.parametrize("rotations", ["1", "2", "3", "12", "31", "123", "231", "313", "121", "321"])
def test_rotations_follow_each_other(rotations: str) -> None:
    s = KaneSystem("s")
    body = s.add_body("b", joint=KaneJoint(rotations=rotations))
    q = np.array([0.5, -0.8, 1.1])[: len(rotations)]
    letters = "".join("XYZ"[int(i) - 1] for i in rotations)
    np.testing.assert_allclose(frame(s, body, q), Rotation.from_euler(letters, q).as_matrix(), atol=1e-15)


@pytest.mark.parametrize(("second", "third"), list(permutations("123", 2)))
@pytest.mark.parametrize("proper", [True, False])
def test_direction_of_the_second_rotation(second: str, third: str, proper: bool) -> None:
    (other,) = set("123") - {second, third}
    s = KaneSystem("s")
    body = s.add_body("b", joint=KaneJoint(rotations=(third if proper else other) + second + third))
    C, S = np.cos(s.q[2]), np.sin(s.q[2])
    expected = {
        ("1", "2"): {2: C, 3: -S},
        ("1", "3"): {2: S, 3: C},
        ("2", "1"): {1: C, 3: S},
        ("2", "3"): {1: -S, 3: C},
        ("3", "1"): {1: C, 2: -S},
        ("3", "2"): {1: S, 2: C},
    }[third, second]  # Table 4
    found = dict(enumerate(body.joint.rotation.directions[1].components(body.basis), start=1))
    assert {i: c for i, c in found.items() if c is not s.graph.zero} == expected


def test_axes_have_the_name_of_their_body() -> None:
    s = KaneSystem("s")
    b = s.add_body("b", joint=KaneJoint(rotations="123"))
    t = s.add_body("t", b, joint=KaneJoint(rotations="3", axis=(1, 1, 0), reference="z"))
    assert repr(b.axes) == "(b1, b2, b3)"
    assert repr(t.axes) == "(t1, t2, t3)"
    assert repr(s.add_body("c", b, joint=KaneJoint(rotations="2")).axes) == "(c1, b2, c3)"


def test_a_body_in_an_oblique_plane_has_as_many_speeds_as_coordinates() -> None:
    s = KaneSystem("s")
    body = s.add_body("b", joint=KaneJoint(translations=["x", (0, 1, 1)]), body=MassProperties(2.0))
    assert len(body.speeds) == len(body.coordinates) == 2
    force = s.ground.vector(3.0, 4.0, 0.0)
    s.add_force(force, body)
    rate, a = s.equations().evaluate([0, 0], [0.5, 0.25])
    np.testing.assert_allclose(rate, [0.5, 0.25])
    np.testing.assert_allclose(a, [1.5, 4.0 / np.sqrt(2.0) / 2.0])  # the part of the force along (0, 1, 1), by the mass


def test_a_body_in_a_plane_has_its_own_axes_for_speeds() -> None:
    s = KaneSystem("s")
    carrier = s.add_body("carrier", joint=KaneJoint(rotations="3"))
    body = s.add_body("b", carrier, joint=KaneJoint(translations=["x", "y"], rotations="3"), body=MassProperties(1.0))
    assert [repr(f.direction) for f in body.moves] == ["b1", "b2"]
    assert s.add_body("c", carrier, joint=KaneJoint(translations=["x", "z"])).joint.translation.speeds == "rates"


# ---------------------------------------------------------------- kinematical equations


def test_kinematical_equations_of_the_satellite() -> None:
    s = satellite()
    rng = np.random.default_rng(0)
    q, u = rng.uniform(-1.2, 1.2, 10), rng.normal(size=10)
    S4, S5, S6 = np.sin(q[3:6])
    C4, C5, C6 = np.cos(q[3:6])
    Z1, Z2, u3 = u[0], -u[1], u[2]  # (24) with P1 = 0: the speeds are those of the origin
    fourth = (u[3] * C6 - u[4] * S6) / C5
    expected = [
        C5 * (Z1 * C6 + Z2 * S6) + u3 * S5,
        -(Z2 * (C6 * C4 - S6 * S4 * S5) - Z1 * (C6 * S5 * S4 + C4 * S6) + u3 * C5 * S4),
        u3 * C5 * C4 + Z1 * (-C6 * C4 * S5 + S6 * S4) - Z2 * (C4 * S5 * S6 + C6 * S4),
        fourth,  # (29)
        u[4] * C6 + u[3] * S6,
        u[5] - fourth * S5,
        *u[6:],
    ]
    np.testing.assert_allclose(numbers(s, s.kinematical_equations(), q, u), expected, rtol=1e-13)


@pytest.mark.parametrize("rotations", ["123", "313", "232", "321"])
def test_rotational_rates_in_a_turning_parent(rotations: str) -> None:
    # A small step along the rates must turn the body as its angular velocity says.
    s = KaneSystem("s")
    parent = s.add_body("a", joint=KaneJoint(rotations="2"))
    body = s.add_body("b", parent, joint=KaneJoint(rotations=rotations))
    q, u = np.array([0.4, 0.6, 0.7, -0.5]), np.array([1.1, 0.3, -0.8, 0.5])
    rate = numbers(s, s.kinematical_equations(), q, u)
    h = 1e-4
    turned = (frame(s, body, q + h * rate) - frame(s, body, q - h * rate)) / (2 * h) @ frame(s, body, q).T
    spin = np.array([turned[2, 1], turned[0, 2], turned[1, 0]])
    expected = numbers(s, body.angular_velocity.components(s.ground.basis), q, u)
    np.testing.assert_allclose(spin, expected, atol=1e-7)  # central differences
    np.testing.assert_allclose(numbers(s, body.angular_velocity.components(body.basis), q, u), u[1:], atol=1e-15)


def test_translational_rates_along_oblique_directions() -> None:
    s = KaneSystem("s")
    directions = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 2.0]])
    body = s.add_body("b", joint=KaneJoint(translations=list(directions), rotations="123"))
    q, u = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), np.array([1.0, -2.0, 0.5, 0.3, 0.2, 0.1])
    rate = numbers(s, s.kinematical_equations(), q, u)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    np.testing.assert_allclose(directions.T @ rate[:3], frame(s, body, q) @ u[:3], rtol=1e-13)


# ---------------------------------------------------------------- dynamical equations


def test_zeros_of_the_satellites_mass_matrix() -> None:
    M, _ = satellite().dynamical_equations()
    zeros = {(i + 1, j + 1) for i in range(10) for j in range(i) if M[i, j] is M[i, i].graph.zero}
    assert zeros == {(2, 1), (3, 1), (3, 2), (7, 3), (9, 3), (9, 7), (10, 7), (9, 8), (10, 8), (10, 9)}


def test_the_satellite_takes_no_more_operations_than_the_published_code() -> None:
    found = satellite().equations().operations
    assert found.additions <= 628  # Table 11
    assert found.multiplications + found.divisions + found.functions <= 791


def test_a_force_between_bodies_has_one_line_of_action() -> None:
    def forces(between: bool) -> Any:
        s = KaneSystem("s")
        first = s.add_body("first", joint=KaneJoint(rotations="3"), body=MassProperties(1.0))
        second = s.add_body(
            "second", first, joint=KaneJoint(rotations="1"), body=MassProperties(1.0, com=(0, 1, 0)), at=(1, 0, 0)
        )
        force, at = s.ground.vector(0.3, 0.5, 0.7), second.vector(0.1, 0.2, 0.3)
        if between:
            s.add_force(force, second, at, against=first)
            s.add_torque(second.vector(1, 1, 2), "second", against="first")
        else:
            s.add_force(force, second, at)
            s.add_torque(second.vector(1, 1, 2), second)
            s.add_force(-force, first, second.position(at) - first.position())
            s.add_torque(-second.vector(1, 1, 2), first)
        _, f = s.dynamical_equations()
        return numbers(s, f, np.array([0.3, 0.4]), np.zeros(2))

    np.testing.assert_allclose(forces(True), forces(False), rtol=1e-14)
    assert abs(forces(True)[0]) < 1e-14  # an internal force does no work on the first joint
    assert abs(forces(True)[1]) > 0.1


def test_time_and_inputs_reach_the_equations() -> None:
    s = KaneSystem("s")
    (m,) = s.parameters(m=2.0)
    body = s.add_body("b", joint=KaneJoint(translations=["x"], coordinates=["x"]), body=MassProperties(m))
    push = s.input("push")
    s.add_force(push * s.ground.axes[0] + np.sin(s.time) * s.ground.axes[0], body)
    e = s.equations()
    _, a = e.evaluate([0], [0], [3.0], t=0.5)
    np.testing.assert_allclose(a, (3.0 + np.sin(0.5)) / 2)
    _, lighter = e.evaluate([0], [0], [3.0], t=0.5, parameters={"m": 1.0})
    np.testing.assert_allclose(lighter, 2 * a)


def moving(speeds: Any) -> KaneSystem:
    """Bodies with two and three translations and three rotations on carriers that move, under gravity and a force."""
    s = KaneSystem("moving")
    s.gravity = s.ground.vector(0.5, -9.0, 2.0)
    disc = s.add_body(
        "disc", joint=KaneJoint(rotations="3"), body=MassProperties(2.0, com=(0.3, 0, 0), inertia=(1, 2, 3))
    )
    puck = s.add_body(
        "puck",
        disc,
        joint=KaneJoint(translations=["x", (1, 1, 0)], rotations="3", speeds=speeds),
        body=MassProperties(1.0, com=(0.1, 0.2, 0.3), inertia=(1, 2, 3)),
        at=(0.5, 0, 0.2),
    )
    slab = s.add_body(
        "slab",
        puck,
        joint=KaneJoint(translations=["y", "x"], speeds=speeds),
        body=MassProperties(0.5, com=(0.2, 0, 0.1)),
    )
    kite = s.add_body(
        "kite",
        slab,
        joint=KaneJoint(translations=["z", "x", (0, 1, 1)], rotations="231", speeds=speeds),
        body=MassProperties(1.0, com=(0, 0.3, 0.1), inertia=[[2, 0.1, 0], [0.1, 3, 0.2], [0, 0.2, 4]]),
        at=(0, 0, 1),
    )
    head = s.add_body(
        "head",
        kite,
        joint=KaneJoint(rotations="313", speeds=speeds),
        body=MassProperties(0.7, com=(0, 0, 0.2), inertia=(0.2, 0.3, 0.4)),
        at=(0.4, 0, 0),
    )
    s.add_force(s.ground.vector(1, 2, 3), head, head.vector(0.1, 0, 0.3), against=disc)
    s.add_torque(head.vector(0.5, 0.1, -0.4), head, against=kite)
    return s


def test_the_choice_of_speeds_does_not_change_the_motion() -> None:
    rng = np.random.default_rng(7)
    q, rate = rng.uniform(0.3, 1.0, 15), rng.normal(size=15)
    found = []
    for choice in ("auto", "rates"):
        s = moving(choice)
        e = s.equations()
        T = numbers(s, jacobian(e.terms.rates, e.variables.v), q, np.zeros(15))
        u = np.linalg.solve(T, rate)
        going = dict(zip([*s.q, *s.v], [*e.terms.rates, *e.terms.accelerations], strict=True))
        found.append(numbers(s, forward(list(e.terms.rates), going), q, u))
        assert np.allclose(u, rate) is (choice == "rates")
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-11 * np.abs(found[1]).max())
    assert np.abs(found[1]).max() > 1.0


def test_linear_equations_of_a_rolling_disc_are_derivatives() -> None:
    s = KaneSystem("disc")
    m, r, g = s.parameters(m=2.0, r=0.3, g=9.81)
    s.gravity = -g * s.ground.axes[2]
    yaw = s.add_body("yaw", joint=KaneJoint(translations=["x", "y"], rotations="3", speeds="rates"))
    lean = s.add_body("lean", yaw, joint=KaneJoint(rotations="1"))
    disc = s.add_body(
        "disc", lean, joint=KaneJoint(rotations="2"), body=MassProperties(m, inertia=(0.1, 0.2, 0.1)), at=(0, 0, r)
    )
    touching = disc.velocity(-r * lean.axes[2])
    for direction, speed in zip(yaw.axes, yaw.speeds[:2], strict=False):
        s.constrain(touching @ direction, speed)
    s.add_torque(s.input("drive") * disc.axes[1], disc)
    e = s.equations()
    x, h = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 8.0, 0.9]), 1e-6

    def rates(x: Any) -> Any:
        return np.concatenate(e.evaluate(x[:5], x[5:8], x[8:]))

    slopes = np.array([(rates(x + h * d) - rates(x - h * d)) / (2 * h) for d in np.eye(9)]).T
    found = e.linear.evaluate(e.numbers(), q=x[:5], v=x[5:8], tau=x[8:])
    np.testing.assert_allclose(np.hstack([found["A"], found["B"]]), slopes, atol=1e-6)  # central differences


def test_a_closed_loop_moves_like_the_body_it_is() -> None:
    # Two links of a parallelogram and its coupler: the coupler does not turn.
    s = KaneSystem("loop")
    L, m, g = s.parameters(L=0.5, m=2.0, g=9.81)
    n1, n2, _ = s.ground.axes
    s.gravity = -g * n2
    left = s.add_body("left", joint=KaneJoint(rotations="3", coordinates=["left"]))
    coupler = s.add_body(
        "coupler",
        left,
        joint=KaneJoint(rotations="3", coordinates=["c"]),
        body=MassProperties(m, inertia=(0, 0, 3)),
        at=(L, 0, 0),
    )
    right = s.add_body("right", joint=KaneJoint(rotations="3", coordinates=["right"]), at=(2 * L, 0, 0))
    gap = coupler.position(coupler.vector(2 * L, 0, 0)) - right.position(right.vector(L, 0, 0))
    s.close(gap @ n1, coupler.coordinates[0])
    s.close(gap @ n2, right.coordinates[0])
    e = s.equations()
    _, a = e.evaluate([-0.7, 0.7, -0.7], [0.3])
    np.testing.assert_allclose(a, -9.81 / 0.5 * np.cos(0.7), rtol=1e-12)
    A = e.linear.evaluate(e.numbers(), q=[-np.pi / 2, np.pi / 2, -np.pi / 2], v=[0.0])["A"]
    np.testing.assert_allclose(A, np.array([[0, 1], [-9.81 / 0.5, 0]]), atol=1e-12)
