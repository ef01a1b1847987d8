"""Which numbers of a model stay symbols, what they are called, and which names are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.errors import StateError
from supple.expressions.graph import Graph
from supple.model.parameters import parameter_names, parameter_values, symbols_of
from supple.structures import Material, Rectangle, beam
from supple.symbolic.textbook import textbook_names


def pendulum(inertia: tuple[float, float, float] = (0.2, 0.2, 0.3)) -> supple.Model:
    mech = supple.Mechanism("pendulum", gravity=(0, -9.81, 0))
    body = supple.RigidBody(2.0, (0, -0.5, 0), np.diag(inertia))
    joint = supple.Revolute("z", stiffness=3.0, damping=0.1, rest=0.2, inertia=0.05)
    mech.add_body("arm", body, joint=joint, at=(1.0, 0, 0))
    return mech.build()


def test_everything_has_a_name_and_its_number() -> None:
    values = parameter_values(pendulum())
    assert list(values) == parameter_names(pendulum())
    assert {label: x for label, x in values.items() if x} == {
        "gravity.y": -9.81,
        "arm.mass": 2.0,
        "arm.com.y": -0.5,
        "arm.inertia.xx": 0.2,
        "arm.inertia.yy": 0.2,
        "arm.inertia.zz": 0.3,
        "arm.at.x": 1.0,
        "arm.angle.stiffness": 3.0,
        "arm.angle.rest": 0.2,
        "arm.angle.damping": 0.1,
        "arm.angle.inertia": 0.05,
    }
    assert len(values) == 3 + 1 + 3 + 6 + 3 + 4


def test_flexible_bodies_have_positions_only() -> None:
    mech = supple.Mechanism("boom")
    strip = beam(1.0, Rectangle(0.02, 0.01), Material(E=70e9, nu=0.3, rho=2700), elements=2)
    mech.add_body("boom", strip.reduce("cantilever", modes=1, root="start"))
    labels = [label for label in parameter_names(mech.build()) if label.startswith("boom.")]
    assert {"boom.at.x", "boom.angle.stiffness"} <= set(labels)
    assert not [label for label in labels if ".mass" in label or ".com." in label]


def test_without_a_choice_all_that_is_not_zero_stays() -> None:
    model = pendulum()
    symbols = symbols_of(model)
    assert set(symbols.names) == {label for label, x in parameter_values(model).items() if x}
    assert symbols.values["gravity.y"] == -9.81
    assert symbols_of(model, []).names == {}
    assert symbols_of(model, ["arm.com.x"]).values == {"arm.com.x": 0.0}


def test_equal_moments_of_a_body_are_one_symbol() -> None:
    symbols = symbols_of(pendulum())
    assert symbols.names["arm.inertia.yy"] == ("arm.inertia.xx", 1)
    assert symbols.names["arm.inertia.zz"] == ("arm.inertia.zz", 1)
    assert "arm.inertia.yy" not in symbols.values
    three = symbols_of(pendulum((0.3, 0.3, 0.3)))
    assert {three.names[f"arm.inertia.{ii}"] for ii in ("xx", "yy", "zz")} == {("arm.inertia.zz", 1)}
    apart = symbols_of(pendulum(), names={"J": "arm.inertia.yy", "I": "arm.inertia.xx"})
    assert [apart.names[f"arm.inertia.{ii}"].name for ii in ("xx", "yy")] == ["I", "J"]
    for own, other in (("xx", "yy"), ("yy", "xx")):
        one = symbols_of(pendulum(), names={"J": f"arm.inertia.{own}"})
        assert one.names[f"arm.inertia.{other}"] == ("J", 1)


@pytest.mark.parametrize(("axis", "own"), [("x", "xx"), ("y", "yy"), ("z", "zz"), ((0, 0.6, 0.8), "yy")])
def test_equal_moments_have_the_name_of_one_that_is_in_the_equations(axis: Any, own: str) -> None:
    mech = supple.Mechanism("rotor")
    mech.add_body("rotor", supple.RigidBody(2.0, inertia=(0.3, 0.3, 0.3)), joint=supple.Revolute(axis))
    model = mech.build()
    (leaf,) = supple.equations(model).printed.parameters
    assert leaf.name == f"rotor.inertia.{own}"
    assert textbook_names(model)["names"][f"I_1{own}"] == f"rotor.inertia.{own}"


def test_names_with_and_without_a_sign() -> None:
    symbols = symbols_of(pendulum(), names={"g": "-gravity.y", "L": "-arm.com.y", "m": "arm.mass"})
    assert (symbols.values["g"], symbols.values["L"], symbols.values["m"]) == (9.81, 0.5, 2.0)
    assert (symbols.names["gravity.y"], symbols.names["arm.mass"]) == (("g", -1), ("m", 1))
    graph = Graph()
    nodes = symbols.nodes(graph)
    assert nodes["gravity.y"] is -graph.parameter("g")
    assert nodes["arm.com.y"] is -graph.parameter("L")
    assert nodes["arm.mass"] is graph.parameter("m")


def test_symbols_come_in_the_order_of_their_names() -> None:
    names = {"L": "-arm.com.y", "g": "-gravity.y", "theta": "arm.angle"}
    symbols = symbols_of(pendulum(), names=names)
    assert list(symbols.values)[:2] == ["L", "g"]
    assert symbols.called(["arm.angle", "other"]) == ["theta", "other"]
    assert list(symbols.leaves(Graph())) == list(symbols.values)


def test_drive_forces_have_names() -> None:
    assert symbols_of(pendulum()).inputs == {"arm.angle": "arm.angle"}
    assert symbols_of(pendulum(), inputs=[]).inputs == {}
    assert symbols_of(pendulum(), inputs={"motor": "arm.angle"}).inputs == {"arm.angle": "motor"}
    with pytest.raises(StateError, match=r"inputs: no speed 'arm.angel'; did you mean 'arm.angle'"):
        symbols_of(pendulum(), inputs=["arm.angel"])
    with pytest.raises(StateError, match=r"'arm.angle' has two names, 'a' and 'b'"):
        symbols_of(pendulum(), inputs={"a": "arm.angle", "b": "arm.angle"})


def test_forces_without_a_name_are_called_as_their_speeds_are() -> None:
    names = {"theta": "arm.angle"}
    assert symbols_of(pendulum(), names=names).inputs == {"arm.angle": "theta"}
    assert symbols_of(pendulum(), names=names, inputs=["arm.angle"]).inputs == {"arm.angle": "theta"}
    text = supple.equations(pendulum(), names=names).text().splitlines()[0]
    assert "*theta'' = tau[theta] + " in text


def test_a_named_zero_stays_a_symbol() -> None:
    assert symbols_of(pendulum(), names={"a": "arm.com.x"}).values["a"] == 0.0


@pytest.mark.parametrize(
    ("parameters", "names", "message"),
    [
        (["arm.mas"], {}, "'pendulum': no parameter 'arm.mas'; did you mean 'arm.mass'"),
        (None, {"L": "-arm.com"}, "'pendulum': symbol 'L': no parameter, coordinate or speed 'arm.com'"),
        (None, {"a": "arm.mass", "b": "-arm.mass"}, "'arm.mass' has two symbols, 'a' and 'b'"),
        (["arm.mass"], {"g": "gravity.y"}, "symbol 'g': 'gravity.y' is not among the parameters"),
        (None, {"arm.mass": "gravity.y"}, "symbol 'arm.mass': is the name of another parameter"),
        (None, {"a": "arm.angle", "b": "arm.angle"}, "'arm.angle' has two names, 'a' and 'b'"),
    ],
)
def test_wrong_names_are_refused(parameters: list[str] | None, names: dict[str, str], message: str) -> None:
    with pytest.raises(StateError, match=message):
        symbols_of(pendulum(), parameters, names)


def cart() -> supple.Model:
    mech = supple.Mechanism("cart", gravity=(0, -9.81, 0))
    mech.add_body("cart", supple.RigidBody(3.0), joint=supple.Prismatic("x"))
    mech.add_body("arm", supple.RigidBody(2.0, (0, -0.5, 0), (0.1, 0.1, 0.2)), "cart", supple.Revolute("z"))
    return mech.build()


@pytest.mark.parametrize(
    ("settings", "first", "second"),
    [
        ({"names": {"arm.angle": "cart.position"}}, "coordinate 'cart.position'", "coordinate 'arm.angle'"),
        (
            {
                "names": {"arm.angle": "cart.position", "cart.position": "arm.angle"},
                "inputs": {"arm.angle": "arm.angle"},
            },
            "coordinate 'cart.position'",
            "force along 'arm.angle'",
        ),
        ({"names": {"arm.mass": "arm.angle"}}, "coordinate 'arm.angle'", "parameter 'arm.mass'"),
        ({"names": {"arm.angle": "arm.mass"}}, "coordinate 'arm.angle'", "parameter 'arm.mass'"),
        ({"inputs": {"arm.angle": "cart.position"}}, "coordinate 'arm.angle'", "force along 'cart.position'"),
        ({"inputs": {"arm.mass": "cart.position"}}, "force along 'cart.position'", "parameter 'arm.mass'"),
        ({"names": {"F": "arm.mass"}, "inputs": {"F": "arm.angle"}}, "force along 'arm.angle'", "parameter 'arm.mass'"),
        ({"names": {"F": "arm.angle"}, "inputs": {"F": "cart.position"}}, "coordinate 'arm.angle'", "force along"),
    ],
)
def test_a_name_stands_for_one_thing(settings: Any, first: str, second: str) -> None:
    with pytest.raises(StateError, match=f"would stand for the {first} and for the {second}") as caught:
        supple.equations(cart(), **settings)
    assert "\n" not in str(caught.value)


def test_speeds_in_body_axes_do_not_share_a_name_with_a_coordinate() -> None:
    mech = supple.Mechanism("block")
    mech.add_body("block", supple.RigidBody(1.0, inertia=(1, 2, 3)), joint=supple.BuildingBlock(rotations="123"))
    with pytest.raises(StateError, match=r"'block.wx' would stand for the coordinate 'block.angle1' and for the speed"):
        supple.equations(mech.build(), names={"block.wx": "block.angle1"})


def test_a_coordinate_its_rate_and_its_force_may_share_a_name() -> None:
    symbols = symbols_of(cart(), names={"x": "cart.position", "theta": "arm.angle"}, inputs={"x": "cart.position"})
    assert symbols.called(cart().coordinates) == ["x", "theta"]
    assert symbols.inputs == {"cart.position": "x"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"names": {"-L": "arm.com.y"}}, "symbol '-L': expected a name without a sign"),
        ({"names": {"x": "-cart.position"}}, "'cart.position' cannot have a sign"),
        ({"parameters": ["arm.mass", "arm.mass"]}, "'arm.mass' stands twice"),
    ],
)
def test_signs_and_doubles_are_refused(settings: Any, message: str) -> None:
    with pytest.raises(StateError, match=message):
        symbols_of(cart(), **settings)


def test_parameters_of_compiled_code_stand_once() -> None:
    with pytest.raises(StateError, match=r"parameters: 'arm.mass' stands twice"):
        cart().compile("mass_matrix", parameters=["arm.mass", "arm.mass"])


def sprung() -> supple.Mechanism:
    mech = supple.Mechanism("sprung")
    mech.add_body("screw", supple.RigidBody(1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), joint=supple.Helical("z", pitch=0.2))
    mech.add_frame("tip", "screw", (0.3, 0.0, 0.1))
    mech.add_frame("hook", "ground", (1.0, 0.0, 0.0))
    mech.add_spring_damper("rope", "ground/hook", "screw/tip", stiffness=20.0, damping=0.5, length=0.4)
    mech.add_wrench("push", "screw/tip", moment=(0, 0, 0.5), force=(1.0, 2.0, 3.0))
    return mech


def test_elements_have_names_and_can_change() -> None:
    """Pitch, spring-dampers, wrenches and the frames that they are on: in symbols and in another model."""
    model = sprung().build()
    values = parameter_values(model)
    expected = {"screw.pitch": 0.2, "rope.stiffness": 20.0, "rope.damping": 0.5, "rope.length": 0.4}
    expected |= {"push.moment.z": 0.5, "push.force.y": 2.0, "screw/tip.x": 0.3, "ground/hook.x": 1.0}
    assert values.items() >= expected.items()
    new = {name: 1.3 * x for name, x in expected.items()}
    other = model.with_parameters(new)
    assert values.keys() == parameter_values(other).keys()
    q, v = [0.7], [1.5]
    a = other.forward_dynamics(q, v, [0.0])
    assert abs(a - model.forward_dynamics(q, v, [0.0])).max() > 0.1
    for route in ("kane", "composite", "articulated"):
        e = supple.equations(model, route=route)
        np.testing.assert_allclose(e.evaluate(q, v, [0.0], parameters=new)[1], a, rtol=1e-12)
    assert "rope.stiffness" in supple.equations(model).text()


def test_places_of_frames_are_numbers_in_compiled_code() -> None:
    model = sprung().build()
    with pytest.raises(StateError, match=r"'sprung': parameters: 'screw/tip.x' is the place of a frame"):
        model.compile("forward_dynamics", parameters=["screw/tip.x"])
    stiffer = model.compile("forward_dynamics", parameters=["rope.stiffness", "screw.pitch", "push.force.y"])
    new = model.with_parameters({"rope.stiffness": 50.0, "screw.pitch": 0.1, "push.force.y": 4.0})
    found = stiffer([0.7], [1.5], [0.0], [50.0, 0.1, 4.0])
    np.testing.assert_allclose(found, new.forward_dynamics([0.7], [1.5], [0.0]), rtol=1e-12)
