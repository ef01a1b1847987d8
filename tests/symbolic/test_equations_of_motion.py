"""Equations of motion in machine code: the same numbers as node by node, for whole batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from supple.errors import StateError
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties


def cart(**values: float) -> EquationsOfMotion:
    """A pendulum on a cart that a force drives."""
    s = KaneSystem("cart")
    numbers = {"m1": 2.0, "m2": 0.7, "L": 0.4, "I": 0.05, "g": 9.81} | values
    m1, m2, L, I, g = s.parameters(**numbers)
    _, n2, _ = s.ground.axes
    s.gravity = -g * n2
    base = s.add_body("cart", joint=KaneJoint(translations=["x"], coordinates=["x"]), body=MassProperties(m1))
    s.add_body(
        "arm",
        "cart",
        joint=KaneJoint(rotations="3", coordinates=["theta"]),
        body=MassProperties(m2, com=(0, -L, 0), inertia=(0, 0, I)),
    )
    s.add_speed_force(base.speeds[0], s.input("f"))
    return s.equations()


def disc() -> EquationsOfMotion:
    """A disc that rolls: fewer speeds than coordinates, nothing from outside."""
    s = KaneSystem("disc")
    m, r, g, I, J = s.parameters(m=2.0, r=0.3, g=9.81, I=0.045, J=0.09)
    _, _, n3 = s.ground.axes
    s.gravity = -g * n3
    yaw = s.add_body(
        "yaw", joint=KaneJoint(translations=["x", "y"], rotations="3", coordinates=["x", "y", "psi"], speeds="rates")
    )
    lean = s.add_body("lean", yaw, joint=KaneJoint(rotations="1", coordinates=["phi"]))
    wheel = s.add_body(
        "disc",
        lean,
        joint=KaneJoint(rotations="2", coordinates=["theta"]),
        body=MassProperties(m, inertia=(I, J, I)),
        at=(0, 0, r),
    )
    v = wheel.velocity(-r * lean.axes[2])
    s.constrain(v @ yaw.axes[0], yaw.speeds[0])
    s.constrain(v @ yaw.axes[1], yaw.speeds[1])
    return s.equations()


def swing() -> EquationsOfMotion:
    """A pendulum under a force that depends on time."""
    s = KaneSystem("swing")
    m, L, w = s.parameters(m=1.5, L=0.6, w=3.0)
    arm = s.add_body(
        "arm", joint=KaneJoint(rotations="3", coordinates=["theta"]), body=MassProperties(m, com=(0, -L, 0))
    )
    drive = s.input("f") * np.cos(w * s.time)  # type: ignore[call-overload]
    s.add_speed_force(arm.speeds[0], drive)
    return s.equations()


MAKERS = {"cart": cart, "disc": disc, "swing": swing}
ARGUMENTS = {"cart": ["q", "v", "tau"], "disc": ["q", "v"], "swing": ["t", "q", "v", "tau"]}


def states(equations: EquationsOfMotion, count: int) -> dict[str, Any]:
    """Inputs of the equations for so many states."""
    rng = np.random.default_rng(1)
    return {name: rng.normal(size=(count, x.size)) for name, x in equations.explicit.inputs.items()}


def one_by_one(equations: EquationsOfMotion, x: dict[str, Any], parameters: Any = None) -> tuple[Any, Any]:
    """Rates and accelerations of all states, node by node."""
    count = len(x["q"])
    found = [
        equations.evaluate(
            **{name: y[i] if name != "t" else y[i, 0] for name, y in x.items()},
            parameters=parameters,
        )
        for i in range(count)
    ]
    rate, a = (np.stack(part) for part in zip(*found, strict=True))
    return rate, a


def assert_close(got: Any, expected: Any) -> None:
    for x, y in zip(got, expected, strict=True):
        assert x.shape == y.shape
        assert np.abs(y).max() > 0.1
        assert np.abs(x - y).max() <= 1e-13 * np.abs(y).max()


@pytest.mark.parametrize("name", MAKERS)
def test_the_numbers_are_those_of_the_graph(name: str) -> None:
    equations = MAKERS[name]()
    f = equations.compile()
    assert list(f.inputs) == ARGUMENTS[name]
    assert f.outputs == {"rate": (len(equations.variables.q),), "a": (len(equations.variables.v),)}
    assert repr(f) == f"<compiled equations of {name!r}>"
    x = states(equations, 13)
    expected = one_by_one(equations, x)
    assert_close(f(*x.values()), expected)
    assert_close(f(*(y[4] for y in x.values())), [y[4] for y in expected])


def test_leading_axes_broadcast() -> None:
    equations = cart()
    x = states(equations, 6)
    rate, a = equations.compile()(x["q"].reshape(2, 3, 2), x["v"][0], x["tau"][0])
    shared = {"q": x["q"], "v": np.tile(x["v"][0], (6, 1)), "tau": np.tile(x["tau"][0], (6, 1))}
    assert_close((rate.reshape(6, 2), a.reshape(6, 2)), one_by_one(equations, shared))


def test_other_parameters_give_other_numbers() -> None:
    equations = cart()
    x = states(equations, 5)
    nodes = len(equations.variables.graph.nodes)
    heavy = equations.compile({"m2": 5.0, "L": 1.0})
    assert len(equations.variables.graph.nodes) == nodes
    changed = heavy(*x.values())
    assert_close(changed, one_by_one(equations, x, {"m2": 5.0, "L": 1.0}))
    usual = equations.compile()(*x.values())
    assert_close(usual, one_by_one(equations, x))
    assert np.abs(changed[1] - usual[1]).max() > 0.1 * np.abs(usual[1]).max()


def test_numbers_are_folded_in() -> None:
    f = cart().compile({"m2": 0.0})
    assert f.operations.total < cart().compile().operations.total
    assert not f.function.parameters
    assert "void equations(" in f.c_source()


def test_a_parameter_without_a_number_is_refused() -> None:
    s = KaneSystem("drop")
    m, k = s.parameters("m", "k")
    body = s.add_body("mass", joint=KaneJoint(translations=["x"], coordinates=["x"]), body=MassProperties(m))
    s.add_speed_force(body.speeds[0], -k * s.q[0])
    equations = s.equations()
    with pytest.raises(StateError, match="drop: expected a number for the parameter 'm', got none"):
        equations.compile({"k": 2.0})
    with pytest.raises(StateError, match="drop: no parameter 'c'"):
        equations.compile({"m": 1.0, "k": 2.0, "c": 3.0})
    rate, a = equations.compile({"m": 4.0, "k": 2.0})([3.0], [1.0])
    assert (rate, a) == (1.0, -1.5)


def test_other_numbers_compile_nothing() -> None:
    first, second = cart(), cart()
    x = states(first, 4)
    f = first.compile()
    expected = f(*x.values())
    assert second.compile({"m1": 3.0, "L": 0.7}).program is f.program
    for equations in (first, second):
        for got, wanted in zip(equations.compile()(*x.values()), expected, strict=True):
            np.testing.assert_array_equal(got, wanted)
    assert cart(m1=3.0, L=0.7).compile().program is f.program
