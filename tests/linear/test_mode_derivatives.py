"""Derivatives of modes: closed forms, models made anew, repeated frequencies."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple
from supple.linear import mode_sensitivities, modes
from supple.structures import Material, Rectangle, beam

VALUES = {"E": 70e9, "rho": 2700.0, "length": 2.0, "damping": 0.01}


@cache
def boom(**changed: float) -> supple.Model:
    x = VALUES | changed
    strip = beam(x["length"], Rectangle(0.05, 0.01), Material(x["E"], 0.3, x["rho"]), elements=6)
    mech = supple.Mechanism("boom")
    mech.add_body("boom", strip.reduce("cantilever", modes=3, damping=x["damping"]), joint=supple.Revolute("y"))
    mech.add_body("tip", supple.RigidBody(0.2), parent="boom", at="end", joint=supple.Fixed())
    return mech.build()


@cache
def blocks(*, damping: float = 0.0, other: float = 4.0) -> supple.Model:
    mech = supple.Mechanism("blocks", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(1.0), joint=supple.Prismatic("x", stiffness=4.0, damping=damping))
    mech.add_body("b", supple.RigidBody(1.0), joint=supple.Prismatic("x", stiffness=other))
    return mech.build()


def test_frequencies_damping_and_shapes_of_a_boom() -> None:
    names = [f"boom.{name}" for name in VALUES]
    found = mode_sensitivities(boom(), [*names, "tip.mass"])
    for i, name in enumerate(VALUES):
        h = 1e-5 * VALUES[name]
        plus, minus = (modes(boom(**{name: VALUES[name] + sign * h})) for sign in (1, -1))
        own = ~plus.rigid
        for what in ("frequencies", "damping"):
            expected = (getattr(plus, what) - getattr(minus, what))[own] / (2 * h)
            given = getattr(found, what)[own, i]
            size = max(float(np.abs(expected).max()), 1e-2 * float(getattr(plus, what).max()) / VALUES[name])
            np.testing.assert_allclose(given, expected, rtol=0, atol=1e-6 * size)
        expected = (plus.shapes - minus.shapes)[:, own] / (2 * h)
        size = max(float(np.abs(expected).max()), 1e-2 * float(np.abs(plus.shapes).max()) / VALUES[name])
        np.testing.assert_allclose(found.shapes[:, own, i], expected, rtol=0, atol=1e-5 * size)
    assert "tip.mass" in str(found)


def test_an_oscillator_has_its_closed_form() -> None:
    found = mode_sensitivities(blocks(damping=0.4, other=9.0), ["a.position.damping", "a.mass", "a.position.stiffness"])
    # w = sqrt(k/m), zeta = c / (2 sqrt(k m)) with k = 4, m = 1, c = 0.4.
    np.testing.assert_allclose(2 * np.pi * found.frequencies[0], [0.0, -1.0, 0.25], atol=1e-10)
    np.testing.assert_allclose(found.damping[0], [0.25, -0.05, -0.0125], atol=1e-10)
    np.testing.assert_allclose(found.frequencies[1], 0.0, atol=1e-10)


def test_a_damper_that_is_not_there_yet() -> None:
    found = mode_sensitivities(blocks(other=9.0), ["a.position.damping"])
    np.testing.assert_allclose(found.damping[:, 0], [0.25, 0.0], atol=1e-9)


def test_repeated_frequencies_have_derivatives_as_a_set() -> None:
    found = mode_sensitivities(blocks(), ["a.mass", "b.position.stiffness"])
    assert found.repeated.all()
    np.testing.assert_allclose(np.sort(2 * np.pi * found.frequencies, axis=0), [[-1.0, 0.0], [0.0, 0.25]], atol=1e-10)
    assert np.isnan(found.shapes).all()
    assert "repeated" in str(found)


def test_an_equilibrium_that_moves_with_the_parameter() -> None:
    def model(mass: float = 1.0) -> supple.Model:
        mech = supple.Mechanism("sagging")
        body = supple.RigidBody(mass, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
        mech.add_body("a", body, joint=supple.Revolute("y", stiffness=10.0))
        return mech.build()

    found = mode_sensitivities(model(), ["a.mass"], balanced=True).frequencies[0, 0]
    plus, minus = (
        modes(other, supple.linear.equilibrium(other).q).frequencies[0] for other in (model(1 + 1e-5), model(1 - 1e-5))
    )
    assert found == pytest.approx((plus - minus) / 2e-5, rel=1e-7)
    still = mode_sensitivities(model(), ["a.mass"]).frequencies[0, 0]
    assert abs(found - still) > 1e-3


def test_unknown_parameters_are_refused_with_the_nearest() -> None:
    with pytest.raises(supple.StateError, match=r"no parameter 'a\.mas'.*'a\.mass'"):
        mode_sensitivities(blocks(), ["a.mas"])
