"""Partial velocities and remainders: the forms of Tables 8 and 10, and the derivatives of velocities they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from supple.expressions.derivatives import forward
from supple.expressions.graph import Expr
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties
from supple.symbolic.kane.composite_bodies import composite_bodies
from supple.symbolic.kane.partial_velocities import BodyMotion, Partials, motions
from supple.symbolic.vectors import Vector
from support.mechanisms.sayers_satellite import numbers, satellite


def motion_of(s: KaneSystem) -> dict[str, BodyMotion]:
    bodies = list(s.bodies.values())
    return {body.name: m for body, m in motions(bodies, composite_bodies(bodies), s.gravity).items()}


def units(v: Vector) -> set[str]:
    return {unit.name for unit in v.terms}


def written(partials: Partials, number: int) -> dict[str, Expr]:
    return {unit.name: c for unit, c in partials[number - 1].terms.items()}


# ---------------------------------------------------------------- the satellite, Tables 8 and 10


def test_native_bodies_of_the_satellite() -> None:
    # Table 10, speeds counted from 1; for the bus all are, of which some vanish.
    found = {name: {i + 1 for i in m.point.own} for name, m in motion_of(satellite()).items()}
    assert {name: found[name] for name in "cdef"} == {
        "c": {4, 5},
        "d": {4, 5, 6, 7, 8},
        "e": {4, 5, 6},
        "f": {4, 5, 6, 9, 10},
    }
    # Speeds are those of the origin here, so that the bus' mass centre moves with its rotation too.
    assert found["b"] == {1, 2, 3, 4, 5}


def test_native_partial_velocities_are_those_of_the_bus() -> None:
    for name, m in motion_of(satellite()).items():
        assert [units(m.point.native[i]) for i in range(3)] == [{"b1"}, {"b2"}, {"b3"}], name
        assert m.point.native[0] @ m.point.native[1] is m.angular.w.graph.zero  # (45)


def test_angular_velocities_of_the_satellite() -> None:
    s = satellite()
    u = {i + 1: leaf for i, leaf in enumerate(s.v)}
    w = {name: m.angular.w for name, m in motion_of(s).items()}
    assert {unit.name: c for unit, c in w["b"].terms.items()} == {"b1": u[4], "b2": u[5], "b3": u[6]}
    assert {unit.name: c for unit, c in w["c"].terms.items()} == {"b1": u[4], "b2": u[5], "b3": u[6] + u[7]}
    assert {unit.name: c for unit, c in w["e"].terms.items()} == {"b1": u[4], "b2": u[5], "b3": u[6] + u[9]}
    assert units(w["d"]) == {"c1", "d2", "d3"}
    assert units(w["f"]) == {"e1", "f2", "f3"}


def test_partial_angular_velocities_of_the_satellite() -> None:
    s = satellite()
    w = {name: m.angular.w_i for name, m in motion_of(s).items()}
    C, S = ({i + 1: f(q) for i, q in enumerate(s.q)} for f in (np.cos, np.sin))
    one = s.graph.one
    assert {name: {i + 1 for i in partials} for name, partials in w.items()} == {
        "b": {4, 5, 6},
        "c": {4, 5, 6, 7},
        "d": {4, 5, 6, 7, 8},
        "e": {4, 5, 6, 9},
        "f": {4, 5, 6, 9, 10},
    }
    for name, last in (("c", 7), ("e", 9)):
        assert [written(w[name], i) for i in (4, 5, 6, last)] == [{"b1": one}, {"b2": one}, {"b3": one}, {"b3": one}]
    for name, a, b, spin in (("d", "c1", "d", 7), ("f", "e1", "f", 9)):
        tilt = spin + 1
        assert written(w[name], 4)[a] is C[spin]
        assert written(w[name], 5)[a] is S[spin]
        across = {f"{b}2": S[tilt], f"{b}3": C[tilt]}
        assert written(w[name], 6) == written(w[name], spin) == across
        assert written(w[name], tilt) == {a: one}


def test_angular_remainders_of_the_satellite() -> None:
    s = satellite()
    u = {i + 1: leaf for i, leaf in enumerate(s.v)}
    alpha = {name: m.angular.alpha for name, m in motion_of(s).items()}
    assert alpha["b"].is_zero
    assert {unit.name: c for unit, c in alpha["c"].terms.items()} == {"b1": u[5] * u[7], "b2": -(u[4] * u[7])}
    assert {unit.name: c for unit, c in alpha["e"].terms.items()} == {"b1": u[5] * u[9], "b2": -(u[4] * u[9])}
    assert units(alpha["d"]) == {"c1", "d2", "d3"}
    assert units(alpha["f"]) == {"e1", "f2", "f3"}


# ---------------------------------------------------------------- what the terms stand for


def branched(speeds: Any) -> KaneSystem:
    """Joints of many kinds on each other, with gravity."""
    s = KaneSystem("branched")
    s.gravity = s.ground.vector(0.3, -0.4, -9.81)
    base = s.add_body(
        "base",
        joint=KaneJoint(translations=["x", "z"], rotations="31", speeds=speeds),
        body=MassProperties(1.0, com=(0.1, 0.2, 0.3)),
    )
    free = s.add_body(
        "free",
        base,
        joint=KaneJoint(translations=["x", "y", "z"], rotations="213", speeds=speeds),
        body=MassProperties(2.0, com=(0, 0.4, 0.1)),
        at=(0.5, 0, 0),
    )
    s.add_body(
        "slide",
        free,
        joint=KaneJoint(translations=[(0, 1, 1), "x"], speeds=speeds),
        body=MassProperties(1.0, com=(0.3, 0, 0)),
        at=(0.1, 0.2, 0),
    )
    tilted = s.add_body(
        "tilted",
        base,
        joint=KaneJoint(rotations="2", axis=(1, 1, 0), reference=(0, 0, 1)),
        body=MassProperties(1.0, com=(0.2, 0.1, -0.3), inertia=(1, 2, 3)),
        at=(0, 0, 1),
    )
    wheel = s.add_body(
        "wheel",
        tilted,
        joint=KaneJoint(rotations="3"),
        body=MassProperties(1.0, com=(0, 0, 0.2), inertia=(1, 1, 2)),
        at=(0, 0.5, 0),
    )
    s.add_body(
        "rider",
        wheel,
        joint=KaneJoint(rotations="1"),
        body=MassProperties(1.0, com=(0, 0.1, 0.2), inertia=(1, 2, 3)),
        at=(0.3, 0, 0),
    )
    return s


SYSTEMS: dict[str, Callable[[], KaneSystem]] = {
    "satellite": satellite,
    "auto": lambda: branched("auto"),
    "rates": lambda: branched("rates"),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_partials_times_speeds_are_velocities(name: str) -> None:
    s = SYSTEMS[name]()
    rng = np.random.default_rng(1)
    q, u = rng.uniform(0.3, 1.2, len(s.q)), rng.normal(size=len(s.v))
    ground = s.ground.basis
    for label, m in motion_of(s).items():
        body = s.bodies[label]
        for partials, velocity in ((m.angular.w_i, body.angular_velocity), (m.point.v_i, body.velocity(m.point.place)),
                                   (m.point.native, body.velocity(m.point.place))):  # fmt: skip
            total = sum((s.v[i] * v for i, v in partials.items()), start=s.zero)
            expected = numbers(s, velocity.components(ground), q, u)
            np.testing.assert_allclose(numbers(s, total.components(ground), q, u), expected, atol=1e-13)
            assert np.abs(expected).max() > 0.1


@pytest.mark.parametrize("name", SYSTEMS)
def test_remainders_are_derivatives_of_velocities_at_constant_speeds(name: str) -> None:
    s = SYSTEMS[name]()
    rng = np.random.default_rng(2)
    q, u = rng.uniform(0.3, 1.2, len(s.q)), rng.normal(size=len(s.v))
    ground, going = s.ground.basis, dict(zip(s.q, s.kinematical_equations(), strict=True))
    for label, m in motion_of(s).items():
        body = s.bodies[label]
        spin = forward(body.angular_velocity.components(ground), going)
        np.testing.assert_allclose(
            numbers(s, m.angular.alpha.components(ground), q, u), numbers(s, spin, q, u), atol=1e-12
        )
        gravity = numbers(s, s.gravity.components(ground), q, u)
        expected = numbers(s, forward(body.velocity(m.point.place).components(ground), going), q, u) - gravity
        for a in (m.point.a, m.point.native_a):
            np.testing.assert_allclose(numbers(s, a.components(ground), q, u), expected, atol=1e-12)
        assert np.abs(expected).max() > 0.1


@pytest.mark.parametrize("name", SYSTEMS)
def test_velocities_are_derivatives_of_positions(name: str) -> None:
    s = SYSTEMS[name]()
    rng = np.random.default_rng(3)
    q, u = rng.uniform(0.3, 1.2, len(s.q)), rng.normal(size=len(s.v))
    ground, going = s.ground.basis, dict(zip(s.q, s.kinematical_equations(), strict=True))
    for body in s.bodies.values():
        point = body.vector(0.3, -0.2, 0.5)
        expected = numbers(s, forward(body.position(point).components(ground), going), q, u)
        np.testing.assert_allclose(numbers(s, body.velocity(point).components(ground), q, u), expected, atol=1e-12)
        relative = body.relative_velocity + (body.parent or s.ground).velocity(body.origin_from_parent)
        np.testing.assert_allclose(
            numbers(s, relative.components(ground), q, u),
            numbers(s, body.velocity().components(ground), q, u),
            atol=1e-12,
        )
