"""Systems as tables: read, refused, written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from supple.errors import FileFormatError, ModelError, StateError
from supple.symbolic.kane import KaneJoint, KaneModel, KaneSystem
from supple.symbolic.kane.written_system import system_of_tables, written
from support.mechanisms.kane_systems import crank_slider, rolling_disc, sprung, tree

DISC: dict[str, Any] = {
    "name": "disc",
    "gravity": "-g*ground.z",
    "parameters": {"m": 2.0, "r": 0.3, "g": 9.81, "I": 0.045, "J": 0.09},
    "expressions": {"touch": "velocity(disc, -r*lean.z)"},
    "body": [
        {
            "name": "yaw",
            "joint": {
                "translations": ["x", "y"],
                "rotations": "3",
                "speeds": "rates",
                "coordinates": ["x", "y", "psi"],
            },
        },
        {"name": "lean", "parent": "yaw", "joint": {"rotations": "1", "coordinates": ["phi"]}},
        {
            "name": "disc",
            "parent": "lean",
            "joint": {"rotations": "2", "coordinates": ["theta"]},
            "at": [0, 0, "r"],
            "mass": "m",
            "inertia": ["I", "J", "I"],
        },
    ],
    "constraint": [
        {"velocity": "dot(touch, ground.x)", "dependent": "u1"},
        {"velocity": "dot(touch, ground.y)", "dependent": "u2"},
    ],
}


def test_tables_are_the_system_that_python_describes() -> None:
    system, inputs = system_of_tables(DISC)
    assert inputs == {}
    found, expected = KaneModel(system), KaneModel(rolling_disc())
    q, v = expected.random_state(1)
    np.testing.assert_allclose(
        found.forward_dynamics(q, v, v), expected.forward_dynamics(q, v, v), rtol=1e-13, atol=1e-13
    )


def test_forces_of_all_kinds_are_written_and_read() -> None:
    s = tree()
    a, b, c = s.bodies.values()
    push = s.input("push")
    s.add_force(push * a.axes[0] + s.q[6] * b.axes[1], on=c, at=c.vector(0.1, 0, s.time), against=a)
    s.add_torque(s.v[3] * s.ground.axes[2], on=b, against=c)
    s.add_speed_force(s.v[9], -0.2 * s.v[9] + s.graph.sqrt(s.q[0] ** 2 + 1))
    laws: dict[str, str | float] = {"push": "3*sin(t)"}
    model = KaneModel(s, laws)
    system, inputs = system_of_tables(written(s, laws, model.parameters))
    again = KaneModel(system, inputs)
    q, v = model.random_state(2)
    a_1, a_2 = (x.forward_dynamics(q, v, v) for x in (model, again))
    assert np.abs(a_1 - KaneModel(tree()).forward_dynamics(q[:-1], v, v)).max() > 0.1
    np.testing.assert_allclose(a_2, a_1, rtol=1e-12, atol=1e-12)


def test_axes_may_be_turned_without_a_rotation() -> None:
    s = KaneSystem("turned")
    (angle,) = s.parameters(angle=0.3)
    sine, cosine = np.sin(angle), np.cos(angle)
    joint = KaneJoint(axis=(cosine, 0, -sine), reference=(0, 1, 0))
    body = s.add_body("body", joint=joint)
    assert body.axes[2] @ s.ground.axes[0] is s.graph.sin(angle)
    system, _ = system_of_tables(written(s, {}, s.values))
    again = system.bodies["body"]
    assert again.axes[2] @ system.ground.axes[0] is system.graph.sin(system.symbols["angle"])


def changed(**changes: Any) -> dict[str, Any]:
    return {**DISC, **changes}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (changed(name=3), "name: expected a text, got 3"),
        (changed(gravity="g"), "gravity: 'g': expected a vector, got a scalar"),
        (changed(constraint=[{"velocity": "touch", "dependent": "u1"}]), r"constraint\[1\]: velocity: 'touch'"),
        (changed(constraint=[{"velocity": "u1", "dependent": "v1"}]), r"constraint\[1\]: dependent: no 'v1'"),
        (changed(force=[{"vector": "ground.x", "on": "wheel"}]), r"force\[1\]: on: no body 'wheel'"),
        (changed(torque=[{"vector": "ground.w", "on": "disc"}]), r"torque\[1\]: vector: 'ground.w': no quantity"),
        (changed(generalized_force=[{"speed": "u9", "force": 1.0}]), r"generalized_force\[1\]: speed: no 'u9'"),
        (changed(closure=[{"position": "psi", "dependent": "rho"}]), r"closure\[1\]: dependent: no 'rho'"),
        (changed(expressions={**DISC["expressions"], "unused": "1 +"}), "expressions: unused: '1 \\+': cannot be read"),
        (changed(expressions={**DISC["expressions"], "m": "1"}), "'m' would stand for a parameter and for an expr"),
        (changed(parameters={**DISC["parameters"], "phi": 1.0}), "'phi' would stand for a parameter and for a coord"),
        (changed(body=[{"name": "lean", "parent": "yaw"}]), r"body\[1\] 'lean': parent: no body 'yaw' before this"),
        (changed(body=[{"name": "a", "at": "3"}]), r"body\[1\] 'a': at: '3': expected a vector"),
    ],
)
def test_errors_name_their_place(tables: dict[str, Any], message: str) -> None:
    with pytest.raises((StateError, FileFormatError), match=message):
        system_of_tables(tables)


def test_names_of_speeds_are_checked() -> None:
    s = KaneSystem("s")
    with pytest.raises(ModelError, match="expected 1 names of speeds"):
        s.add_body("a", joint=KaneJoint(["x"], speed_names=["v", "w"]))
    s.add_body("a", joint=KaneJoint(["x"], speed_names=["v"]))
    with pytest.raises(ModelError, match="speed 'v' is defined twice"):
        s.add_body("b", joint=KaneJoint(["x"], speed_names=["v"]))


@pytest.mark.parametrize("system", [sprung, crank_slider])
def test_what_is_written_is_plain(system: type) -> None:
    s = system()
    tables = written(s, dict.fromkeys([x.name for x in s.inputs], 0.0), s.values)
    assert set(tables) >= {"name", "parameters", "body", "force", "closure"}
    assert all(isinstance(x, str) for x in tables["expressions"].values())
