"""Kane's method on models: the same mass matrix, forces and rates as the recursions give."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple
from supple.errors import ModelError
from supple.expressions.function import Function
from supple.model.parameters import symbols_of
from supple.structures import Material, Rectangle, beam
from supple.symbolic.kane import KaneSystem
from supple.symbolic.kane.from_model import system_of
from support.cases import thinned
from support.generated.generators import random_tree
from support.mechanisms.sayers_satellite import leaves

TOLERANCE = 1e-12  # of the largest entry: two orders of summing the same numbers


def function(s: KaneSystem) -> Function:
    M, f = s.dynamical_equations()
    inputs = {"q": leaves(s.q), "v": leaves(s.v), "tau": leaves(s.inputs)}
    return Function("kane", s.graph, inputs, {"M": M, "f": f, "rate": s.kinematical_equations()}, s.symbols.values())


def assert_same(s: KaneSystem, model: supple.Model, seed: int, values: dict[str, float] | None = None) -> None:
    q, v = model.random_state(seed)
    tau = np.random.default_rng(seed).normal(size=model.nv)
    found = function(s).evaluate(values or s.values, q=q, v=v, tau=tau)
    M, f = model.mass_matrix(q), tau - model.bias_forces(q, v)
    np.testing.assert_allclose(found["M"], M, atol=TOLERANCE * np.abs(M).max(), rtol=0)
    np.testing.assert_allclose(found["f"], f, atol=TOLERANCE * np.abs(f).max(), rtol=0)
    np.testing.assert_allclose(found["rate"], model.derivative(q, v), atol=TOLERANCE)
    assert np.abs(f - tau).max() > 1.0  # the motion is not trivial
    assert np.abs(M - np.diag(np.diag(M))).max() > 0.1


TREES = [(0, True), (0, False), (1, True), (1, False), (2, True), (3, True), (4, True), (5, True)]


@pytest.mark.parametrize(("seed", "symbolic"), thinned(TREES, TREES[:3], several=True))
def test_random_trees_with_all_joints(seed: int, symbolic: bool) -> None:
    model = random_tree(seed, 12, free_base=seed % 3 == 0)
    s = system_of(model, symbols_of(model, None if symbolic else []))
    assert bool(s.symbols) is symbolic
    assert_same(s, model, seed)


def test_other_numbers_for_the_symbols() -> None:
    # Symbols of one model with the numbers of another: the equations are the same.
    first, second = (two_links(x) for x in (1.0, 1.7))
    symbols = symbols_of(first)
    s = system_of(first, symbols)
    assert_same(s, second, 3, {name: symbols_of(second).values[name] for name in symbols.values})


@cache
def two_links(x: float) -> supple.Model:
    mech = supple.Mechanism("links", gravity=(0, 0.1 * x, -9.81))
    inertia = x * np.array([[0.3, 0.01, 0.02], [0.01, 0.4, -0.03], [0.02, -0.03, 0.5]])
    mech.add_body("first", supple.RigidBody(x, (0.1 * x, 0.2, 0.3), inertia), joint=supple.Spherical())
    body = supple.RigidBody(2 * x, (0, 0.2 * x, 0.1), np.diag([0.2, 0.25, 0.3]) * x)
    joint = supple.Revolute("y", stiffness=3 * x, damping=0.2 * x, rest=0.1 * x, inertia=0.05 * x)
    mech.add_body("second", body, "first", joint, at=(x, 0, 0.5))
    return mech.build()


def test_symbols_with_signs_and_names() -> None:
    model = two_links(1.0)
    names = {
        "g": "-gravity.z",
        "m": "first.mass",
        "a": "-first.com.x",
        "P": "-first.inertia.xy",
        "k": "second.angle.stiffness",
    }
    s = system_of(model, symbols_of(model, list(names[n].removeprefix("-") for n in names), names))
    assert s.values == {"g": 9.81, "m": 1.0, "a": -0.1, "P": -0.01, "k": 3.0}
    assert set(s.symbols) == set(names)
    assert_same(s, model, 5)


def test_coordinates_speeds_and_drives_have_the_models_names() -> None:
    model = two_links(1.0)
    names = {"bend": model.coordinates[-1], "spin": model.speeds[0]}
    s = system_of(model, symbols_of(model, [], names, {"motor": model.speeds[3]}))
    assert [q.value for q in s.q] == [("q", name) for name in (*model.coordinates[:-1], "bend")]
    assert [v.value for v in s.v][:3] == [("v", name) for name in ("spin", *model.speeds[1:3])]
    assert [x.value for x in s.inputs] == [("tau", "motor")]
    assert list(s.bodies) == ["first", "second"]


def test_a_slightly_tilted_joint_is_tilted() -> None:
    # A tilt so small that its cosine is 1 in floating point still counts to first order.
    mech = supple.Mechanism("tilted", gravity=(0, 0, -9.81))
    tilt = np.array([[1, 0, 0], [0, 1, -1e-9], [0, 1e-9, 1.0]])
    mech.add_body("b", supple.RigidBody(1.0, (0, 0, 0), np.eye(3)), joint=supple.Prismatic("y"), rotation=tilt)
    model = mech.build()
    s = system_of(model, symbols_of(model, []))
    found = function(s).evaluate(q=[0], v=[0], tau=[0])["f"]
    np.testing.assert_allclose(found, -model.bias_forces([0], [0]), rtol=1e-9)
    assert found[0] != 0.0


def test_flexible_models_are_refused() -> None:
    mech = supple.Mechanism("satellite")
    strip = beam(1.0, Rectangle(0.02, 0.01), Material(E=70e9, nu=0.3, rho=2700), elements=2)
    mech.add_body("hub", supple.RigidBody(1.0, (0, 0, 0), np.eye(3)), joint=supple.Free())
    mech.add_body("boom", strip.reduce("cantilever", modes=1, root="start"), "hub", supple.Fixed())
    model = mech.build()
    with pytest.raises(ModelError, match="'satellite': Kane's method takes rigid bodies, and 'boom' is flexible"):
        system_of(model, symbols_of(model, []))
