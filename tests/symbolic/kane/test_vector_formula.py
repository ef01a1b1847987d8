"""Formulas with vectors."""

from __future__ import annotations

import pytest

from supple.errors import StateError
from supple.symbolic.kane import KaneSystem
from supple.symbolic.kane.vector_formula import Scope, VectorFormula, scalar_formula, vector_formula
from support.mechanisms.kane_systems import rolling_disc


@pytest.fixture
def system() -> KaneSystem:
    return rolling_disc()


def test_formulas_give_the_nodes_and_vectors_that_python_gives(system: KaneSystem) -> None:
    s = system
    yaw, lean, disc = s.bodies.values()
    r, m = s.symbols["r"], s.symbols["m"]
    n1, _, n3 = s.ground.axes
    scope = Scope(s, {"touch": "velocity(disc, -r*lean.z)", "twice": "2*touch"})
    expected = disc.velocity(-r * lean.axes[2])
    assert repr(scope["touch"]) == repr(expected)
    scalars = {
        "dot(touch, ground.x)": expected @ n1,
        "norm(lean.z)": lean.axes[2].norm(),
        "sin(phi)*m/r - 2**2": s.graph.sin(s.q[3]) * m / r - 4,
        "dot(position(disc), ground.z)": disc.position() @ n3,
        "cos(dot(angular_velocity(lean), ground.z)) + pi*0 + t*0": s.graph.cos(lean.angular_velocity @ n3),
        "rate(psi)": yaw.speeds[2],
    }
    for text, node in scalars.items():
        assert scalar_formula(text, scope, "f") is s.graph.node(node), text
    vectors = {
        "cross(ground.x, lean.z)/r": n1.cross(lean.axes[2]) / r,
        "vector(lean, r, 0, -m)": lean.vector(r, 0, -m),
        "twice - touch": 2 * expected - expected,
        "-position(yaw, r*yaw.x)": -yaw.position(r * yaw.axes[0]),
    }
    for text, vector in vectors.items():
        assert repr(vector_formula(text, scope, "f")) == repr(vector), text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lean.z + 1", "cannot add"),
        ("1/lean.z", "cannot divide by the vector"),
        ("sin(lean.z)", "sin: expected a scalar, got the vector"),
        ("dot(lean.z)", "dot: expected 2 arguments, got 1"),
        ("norm(m)", "norm: expected a vector, got the scalar"),
        ("velocity(wheel)", "velocity: no body 'wheel' before this"),
        ("velocity(2)", "velocity: expected the name of a body first"),
        ("velocity(disc, lean.x, lean.y)", "velocity: expected 1 or 2 arguments, got 3"),
        ("vector(lean, lean.x, 0, 0)", "vector: expected a scalar"),
        ("lean.w", "no quantity 'lean.w'"),
        ("loop", "'loop' is defined by itself: loop -> pool -> loop"),
        ("lean.z*lean.z", "expected a scalar times"),
        ("[1, 2]", "expected numbers, names"),
    ],
)
def test_what_makes_no_sense_is_named(system: KaneSystem, text: str, message: str) -> None:
    scope = Scope(system, {"loop": "2*pool", "pool": "loop/2"})
    with pytest.raises(StateError, match=message.replace("[", r"\[").replace(".w", r"\.w")):
        VectorFormula(text, "here").value(scope)


def test_kinds_are_required(system: KaneSystem) -> None:
    scope = Scope(system, {})
    with pytest.raises(StateError, match=r"here: 'lean.z': expected a scalar, got the vector"):
        scalar_formula("lean.z", scope, "here")
    with pytest.raises(StateError, match="here: 'm': expected a vector, got a scalar"):
        vector_formula("m", scope, "here")


def test_long_sums_are_read_in_linear_time(system: KaneSystem) -> None:
    text = "+".join(["m*r"] * 300)
    assert scalar_formula(text, Scope(system, {}), "here") is not None
