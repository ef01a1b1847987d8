"""Speeds of composite mass centres: the same motion, in other speeds."""

from __future__ import annotations

import numpy as np
import pytest

from supple.files import read
from supple.model.parameters import symbols_of
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties
from supple.symbolic.kane.from_model import system_of
from support.mechanisms.kane_systems import rolling_disc, tree


def forced() -> KaneSystem:
    """The tree with forces that depend on speeds, and one along a speed of the origin."""
    s = tree()
    a, b, _ = s.bodies.values()
    s.add_force(-0.3 * a.velocity(), on=a)
    s.add_torque(0.1 * s.v[0] * b.axes[0], on=b)
    s.add_speed_force(s.v[1], 0.7 * s.v[2] + 1.0)
    return s


def test_the_motion_is_the_same() -> None:
    """u' = u + w x r in body axes, so that the rates of both are related in the same way."""
    s = forced()
    plain, centred = s.equations(), s.equations(mass_centre_speeds=True)
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-1, 1, len(s.q)), rng.normal(size=len(s.v))
    r = np.array([0.1, -0.5, 0.2])  # of the mass centre of the first body, to which nothing is fixed
    moved = v.copy()
    moved[:3] += np.cross(v[3:6], r)
    rate, a = plain.evaluate(q, v)
    rate_centred, a_centred = centred.evaluate(q, moved)
    np.testing.assert_allclose(rate_centred, rate, rtol=1e-12, atol=1e-12)
    expected = a.copy()
    expected[:3] += np.cross(a[3:6], r)
    assert np.abs(expected - a).max() > 0.1
    np.testing.assert_allclose(a_centred, expected, rtol=1e-10, atol=1e-10)


def test_rotation_and_translation_of_one_body_do_not_meet() -> None:
    s = KaneSystem("free body")
    m, x, y, z = s.parameters("m", "x", "y", "z")
    free = KaneJoint(["x", "y", "z"], "123")
    s.add_body("a", joint=free, body=MassProperties(m, (x, y, z), (1, 2, 3)))
    plain, centred = s.equations(), s.equations(mass_centre_speeds=True)
    assert all(entry is s.graph.zero for entry in centred.terms.M[:3, 3:].flat)
    assert any(entry is not s.graph.zero for entry in plain.terms.M[:3, 3:].flat)
    assert centred.operations.total < plain.operations.total


def test_the_satellite_does_not_gain() -> None:
    """The bus carries camera and boom from its mass centre then, which is further from their joints than its origin."""
    contents = read("examples/ten_dof_satellite.toml")
    system = system_of(contents.model, symbols_of(contents.model, **contents.equation_arguments()))
    plain, centred = system.equations(), system.equations(mass_centre_speeds=True)
    assert 0 < centred.operations.total - plain.operations.total < 60
    q, v = contents.model.random_state(1)
    r = np.array([0, 0, -1.2 * 40.0 / 940.0])
    moved = v.copy()
    moved[:3] += np.cross(v[3:6], r)
    _, a = plain.evaluate(q, v, [0.1, 0.2, 0.3, 0.4])
    _, found = centred.evaluate(q, moved, [0.1, 0.2, 0.3, 0.4])
    a[:3] += np.cross(a[3:6], r)
    np.testing.assert_allclose(found, a, rtol=1e-9, atol=1e-9)


def test_constraints_are_rewritten() -> None:
    """A sledge whose runner is off its mass centre: forward speed of the origin, and of the mass centre, are equal."""
    s = KaneSystem("sledge")
    m, J = s.parameters(m=2.0, J=0.3)
    runner = KaneJoint(["x", "y"], "3", coordinates=["x", "y", "heading"])
    sledge = s.add_body("sledge", joint=runner, body=MassProperties(m, (0.4, 0, 0), (J, J, J)))
    s.constrain(sledge.velocity() @ sledge.axes[1], sledge.speeds[1])
    plain, centred = s.equations(), s.equations(mass_centre_speeds=True)
    q, v = [0.1, 0.2, 0.3], [1.5, 0.7]
    for x, y in zip(plain.evaluate(q, v), centred.evaluate(q, v), strict=True):
        assert np.abs(x).max() > 0.1
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


def test_nothing_changes_where_no_body_has_such_speeds() -> None:
    s = rolling_disc()
    plain, same = s.equations(), s.equations(mass_centre_speeds=True)
    assert plain.operations == same.operations


@pytest.mark.parametrize("small", [True, False])
def test_small_variables_go_with_it(small: bool) -> None:
    s = tree()
    little = [s.q[6], s.v[6]] if small else []
    assert s.equations(little, mass_centre_speeds=True).operations.total > 0
