"""A run that is steered by hand: it is that of the file while nothing is moved, and obeys when something is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.files import read
from supple.view.live.inputs import AdjustableInputs
from supple.view.live.mouse_force import STIFFEST, MouseSpring
from supple.view.live.pace import FRAME
from supple.view.live.session import Grab, LiveSession
from supple.view.live.simulation import Live

EXAMPLES = Path(__file__).parents[2] / "examples"


def cart(**more: Any) -> tuple[supple.Model, dict[str, Any]]:
    """A cart under a controller, with a pendulum, in gravity; and arguments of a run."""
    mech = supple.Mechanism("cart")
    mech.add_body("cart", supple.RigidBody(2.0), joint=supple.Prismatic("x", damping=0.5))
    bob = supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001))
    mech.add_body("bob", bob, "cart", supple.Revolute("y"))
    laws: dict[str, Any] = {"cart.position": supple.PID("goal*sin(t)", 40.0, 10.0, 5.0, limit=30.0), "bob.angle": 0.25}
    return mech.build(), {"tau": laws, "variables": {"goal": 0.3}, "q": {"bob.angle": 0.6}, **more}


def test_the_crane_with_its_controllers_and_stops_moves_as_in_a_run() -> None:
    """The file's own crane; its first joint meets a stop, and what happens there is in both."""
    contents = read(EXAMPLES / "space_crane.toml")
    arguments = contents.run_arguments() | {"limits": [supple.Limit("mast.angle", lower=0.595, restitution=0.3)]}
    live = Live(contents.model, **arguments)
    for _ in range(45):
        live.advance()
    assert live.error == ""
    del arguments["duration"], arguments["samples"]
    result = supple.simulate(contents.model, live.t, **arguments, samples=2)
    assert live.motion.simulator.happened
    assert json.loads(result.attrs["events"])
    np.testing.assert_allclose(live.state[0], result.q[-1], rtol=0, atol=1e-6)
    assert abs(live.state[0][1] + 0.7) > 0.01


def test_every_kind_of_control_acts_and_goes_back_to_the_file() -> None:
    model, arguments = cart()
    session = LiveSession(model, arguments, {"bob.com.z": (-1.0, -0.1), "goal": (0.0, 2.0)})
    found = {x.name: x for x in session.controls}
    kinds = {name: x.kind for name, x in found.items()}
    assert kinds["goal"] == "variable"
    assert kinds["cart.position.target"] == "target"
    assert kinds["bob.angle"] == "force"
    assert (
        kinds["gravity.z"] == kinds["bob.mass"] == kinds["cart.position.damping"] == kinds["bob.com.z"] == "parameter"
    )
    assert next(x.name for x in session.controls if x.kind == "parameter") == "bob.com.z"  # asked for: the first
    assert (found["goal"].low, found["goal"].high) == (0.0, 2.0)
    assert (found["bob.angle"].value, found["bob.angle"].unit) == (0.25, "N m")
    assert found["cart.position.damping"].unit == "N s/m"
    assert "bob.com.x" not in found  # zero: another structure

    live, moved = session.live, dict[str, float]()
    rest = after(live)
    for name, value in (
        ("goal", 1.0),
        ("cart.position.target", 0.2),
        ("bob.angle", 3.0),
        ("cart.position", 5.0),
        ("bob.mass", 2.0),
        ("bob.com.z", -0.3),
        ("gravity.z", -3.0),
    ):
        live.set({name: value})
        moved[name] = float(np.abs(after(live) - rest).max())
        assert live.values({name: 0.0}) == {name: value}
        live.reset(to_file=True)
        assert live.values({name: 77.0}) == {name: 0.3 if name == "goal" else 77.0}
    assert min(moved.values()) > 1e-4, moved
    np.testing.assert_array_equal(after(live), rest)


def after(live: Live) -> np.ndarray[Any, Any]:
    """The configuration after five frames from the start."""
    live.reset()
    for _ in range(5):
        live.advance()
    assert live.error == ""
    return live.state[0]


def test_numbers_that_no_model_has_are_refused_and_change_nothing() -> None:
    live = Live(*cart()[:1])
    with pytest.raises(supple.SuppleError, match="'bob': mass"):
        live.set({"bob.mass": -1.0})
    with pytest.raises(supple.StateError, match=r"no force, set point, variable or parameter 'bob\.mas'; did you mean"):
        live.set({"bob.mas": 1.0})
    assert live.motion.chosen == {}


def test_a_parameter_set_while_paused_is_seen_at_once() -> None:
    live = Live(*cart()[:1])
    before = live.news(-1, -1, 0.0)
    live.set({"gravity.z": -20.0})
    after = live.news(-1, -1, 0.0)
    assert before is not None
    assert after is not None
    assert after[1][-1].t == before[1][-1].t == 0.0
    assert after[1][-1].potential == pytest.approx(before[1][-1].potential * 20.0 / 9.81)


def test_events_change_variables_and_end_the_run() -> None:
    model, arguments = cart(
        events=[
            supple.Event("louder", "t - 0.05", change={"goal": 0.7}),
            supple.Event("enough", "t - 0.11", stop=True),
        ]
    )
    live = Live(model, **arguments)
    for _ in range(4):
        live.advance()
    assert live.values({"goal": 0.0}) == {"goal": 0.7}
    assert live.error == "Event 'enough' has ended the run at t = 0.11 s. Reset goes back to the start."
    with pytest.raises(supple.StateError, match="an event has ended it; expected a reset first"):
        live.run(True)
    live.reset()
    assert (live.error, live.values({"goal": 0.0})) == ("", {"goal": 0.3})


def test_prescribed_motions_act_and_cannot_be_set() -> None:
    model = cart()[0]
    session = LiveSession(model, {"motion": {"cart.position": "0.2*sin(3*t)"}})
    session.live.advance()
    assert session.live.state[0][0] == pytest.approx(0.2 * np.sin(3 * FRAME))
    assert [x.name for x in session.controls if x.kind == "force"] == ["bob.angle"]
    with pytest.raises(supple.StateError, match=r"the motion of 'cart\.position' is prescribed"):
        session.command(b'{"configuration": {"cart.position": 1.0}}')
    with pytest.raises(supple.StateError, match="sliders: no force, set point, variable or parameter 'gaol'"):
        LiveSession(model, {"variables": {"goal": 1.0}}, {"gaol": (0.0, 1.0)})


def test_the_mouse_draws_a_body_to_where_it_is() -> None:
    """A bob without gravity comes to rest at the nearest place to the mouse; the work is that of the spring."""
    mech = supple.Mechanism("bob", gravity=(0, 0, 0))
    mech.add_body("bob", supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001)), joint=supple.Revolute("y"))
    session = LiveSession(mech.build())
    number = max(range(len(session.pick_points)), key=lambda i: float(np.linalg.norm(session.pick_points[i].place)))
    session.command(json.dumps({"grab": Grab(grip=number, target=[1.0, 0.0, 0.0]).model_dump()}))
    spring = session.live.motion.spring
    assert isinstance(spring, MouseSpring)
    session.live.advance()
    assert 0.0 < np.linalg.norm(session.live.state[0]) < 0.5  # no jump
    for _ in range(90):
        session.live.advance()
    assert session.live.error == ""
    assert session.live.state[0][0] == pytest.approx(-np.pi / 2, abs=1e-3)
    session.command(b'{"release": true}')
    session.live.advance()
    assert session.live.motion.simulator.state.tau == pytest.approx([0.0])
    assert spring.stiffness < 100.0 * STIFFEST**2
    result = session.live.record.dataset({})
    gained = result.kinetic_energy + result.potential_energy
    np.testing.assert_allclose(gained - gained[0], result.work, atol=1e-6 * float(abs(result.work).max()))
    assert float(abs(result.mouse_force).max()) > 1.0
    with pytest.raises(supple.StateError, match="grab: expected one of"):
        session.command(b'{"grab": {"grip": 1000, "target": [0, 0, 0]}}')


def test_what_was_done_is_a_result_with_its_model(tmp_path: Path) -> None:
    model, arguments = cart(outputs=supple.Outputs(frames=["bob"], wrenches="all"))
    session = LiveSession(model, arguments)
    live = session.live
    with pytest.raises(supple.ResultsError, match="nothing is recorded yet"):
        session.result()
    for values in ({}, {"goal": 0.8}, {"bob.mass": 1.5}, {"bob.mass": 2.0, "bob.angle": 1.0}):
        live.set(values)
        for _ in range(3):
            live.advance()
    path = tmp_path / "live.nc"
    path.write_bytes(session.result())
    assert supple.load(path).mass == model.mass + 1.0
    with supple.open_results(path) as result:
        np.testing.assert_allclose(result.time, np.arange(13) * FRAME, atol=1e-12)
        np.testing.assert_array_equal(result.q[-1], live.state[0])
        assert {"position", "wrench", "work", "controls"} <= {*result}
        control = result.controls.sel(control="bob.mass").values
        assert np.isnan(control[:7]).all()
        assert control[7:].tolist() == [1.5] * 3 + [2.0] * 3
        assert json.loads(result.attrs["actions"])[0] == [pytest.approx(3 * FRAME), "goal", 0.8]
        for i in (5, 12):  # with the numbers that the model had then
            then = model if i == 5 else model.with_parameters({"bob.mass": 2.0})
            kinetic, _ = then.energy(result.q[i], result.v[i])
            assert float(result.kinetic_energy[i]) == pytest.approx(float(kinetic))


def test_a_variable_of_a_prescribed_position_has_no_slider() -> None:
    model = read(EXAMPLES / "pendulum.toml").model
    motion = {model.speeds[0]: "far*sin(t)"}
    assert AdjustableInputs(model, motion=motion, variables={"far": 0.1, "near": 0.2}).own == ("near",)
