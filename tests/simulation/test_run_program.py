"""Programs of whole files follow the runs of the same files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.errors import StateError
from supple.files import read
from supple.inputs.inputs import Inputs
from supple.inputs.law_equations import law_equations
from supple.model.parameters import symbols_of
from supple.simulation.run_program import run_program, simplified_program
from support.cases import thinned
from support.programs.c_programs import EXAMPLES, Floats, built, called, input_file, motion

EXACT = {"rtol": 1e-12, "atol": 1e-13}
FILES: dict[str, dict[str, float]] = {
    "arm_under_pd_control": EXACT,
    "four_bar": EXACT,
    "gate_with_stops": EXACT,
    "furuta_pendulum": EXACT,
    "flexible_slider_crank": {},  # those of the file, 1e-8: tighter ones take seconds
}


def program(model: supple.Model, arguments: dict[str, Any], directory: Path) -> Path:
    """Compiled; long ones of flexible bodies in a hurry."""
    text = run_program(model, arguments, symbols_of(model))
    return built(text, directory, *(["-O0"] if len(text) > 100_000 else []))


def followed(model: supple.Model, arguments: dict[str, Any], directory: Path, atol: float = 1e-8) -> tuple[Floats, Any]:
    """Rows of the program and the run of the same arguments, whose coordinates agree."""
    header, rows = motion(program(model, arguments, directory))
    run = supple.simulate(model, **arguments)
    assert header[: 1 + model.nq] == ["time", *(f"q:{name}" for name in model.coordinates)]
    np.testing.assert_allclose(rows[:, 0], run.time, atol=1e-10)
    np.testing.assert_allclose(rows[:, 1 : 1 + model.nq], run.q, atol=atol)
    assert float(np.ptp(run.q.values, axis=0).max()) > 0.1
    return rows, run


@pytest.mark.parametrize("name", thinned(FILES, [name for name in FILES if not name.startswith("flexible")]))
def test_programs_of_examples_follow_their_runs(name: str, tmp_path: Path) -> None:
    contents = read(EXAMPLES / f"{name}.toml")
    followed(contents.model, contents.run_arguments() | FILES[name], tmp_path)


def test_outputs_are_those_of_the_run(tmp_path: Path) -> None:
    """Forces, wrenches at a joint that stops hold, and frames; displacements and strains of a flexible body."""
    gate = read(EXAMPLES / "gate_with_stops.toml")
    arguments = gate.run_arguments() | {"duration": 40.0, "samples": 401, **EXACT}
    arguments["outputs"] = supple.Outputs(wrenches="all", frames=["gate"])
    rows, run = followed(gate.model, arguments, tmp_path)
    assert run.tau.values[-1, 0] == pytest.approx(0.0, abs=1e-9)  # 15 N m of the stop hold the closer
    expected = np.column_stack([run.tau, run.position.values[:, 0], run.wrench.values[:, 0]])
    np.testing.assert_allclose(rows[:, 3:], expected, atol=1e-8)
    contents = read(EXAMPLES / "flexible_two_link_arm.toml")
    arguments = contents.run_arguments() | {"duration": 0.02, "samples": 5, "rtol": 1e-10, "atol": 1e-13}
    arguments |= {"outputs": supple.Outputs(nodes=["upper/3"], strains=["upper"]), "integrator": "DOP853"}
    arguments.pop("step", None)
    model = contents.model
    header, rows = motion(program(model, arguments, tmp_path))
    run = supple.simulate(model, **arguments)
    first = header.index("upper/3.x")
    expected = np.column_stack([run.displacement.values[:, 0], run.strain])
    np.testing.assert_allclose(rows[:, first:], expected, atol=1e-10)
    assert np.abs(expected).max() > 1e-7


# ------------------------------------------------------------ laws


def test_wrenches_at_frames_follow_their_laws(tmp_path: Path) -> None:
    """A gust along ground axes, a follower force with a table, a controller of a position; joint forces feel them."""
    model = double_pendulum()
    table = supple.Table([0.0, 0.5, 1.0], [0.0, 2.0, -1.0])
    wrenches = [
        supple.Wrench("gust", "lower", moment=(0, "0.1*velocity.x", 0), force=("3*sin(4*t)", 0, 0.5), axes="ground"),
        supple.Wrench("thrust", "lower", force=(0, table, 0)),
        supple.Wrench("guide", "lower", force=(supple.PID(0.1, kp=5.0, kd=1.0, ki=2.0), 0, 0), axes="ground"),
    ]
    arguments = {"duration": 1.0, "samples": 11, "q": [0.3, 0.2], "wrenches": wrenches, **EXACT}
    arguments |= {"tau": {"upper.angle": "cos(t)"}, "outputs": supple.Outputs(wrenches="all")}
    rows, run = followed(model, arguments, tmp_path)
    np.testing.assert_allclose(rows[:, 5], run.tau[:, 0], atol=1e-12)  # without what the wrenches do
    np.testing.assert_allclose(rows[:, 6:], run.wrench.values.reshape(11, 12), atol=1e-8)
    assert float(np.abs(run.applied_wrench).max()) > 1.0


def test_equations_with_wrenches_that_follow_laws_have_no_route() -> None:
    model = double_pendulum()
    laws = Inputs(model, wrenches=[supple.Wrench("gust", "lower", force=("t", 0, 0))])
    with pytest.raises(
        StateError, match=r"'double pendulum' has the wrench 'gust' that follows a law: route: expected"
    ):
        law_equations(model, laws, route="kane")


def double_pendulum(**joint: Any) -> supple.Model:
    mech = supple.Mechanism("double pendulum")
    bar = supple.RigidBody(1.5, (0, 0, -0.4), (0.1, 0.1, 0.01))
    mech.add_body("upper", bar, joint=supple.Revolute("y", **joint))
    mech.add_body("lower", bar, "upper", supple.Revolute("x", damping=0.1), at=(0, 0, -0.8))
    return mech.build()


LAWS: dict[str, dict[str, Any]] = {
    "integral with limits": {
        "tau": {"upper.angle": supple.PID("0.5*sin(t)", kp=40.0, kd=5.0, ki=30.0, limit=(-4.0, 6.0))}
    },
    "sampled controller": {"tau": {"lower.angle": supple.PID(0.4, kp=30.0, kd=2.0, ki=20.0, rate=12.5)}},
    "tables": {
        "tau": {
            "upper.angle": supple.Table([0.1, 0.5, 1.3], [0.0, 8.0, -2.0]),
            "lower.angle": supple.Table([0.3, 0.6], [1.0, -3.0], "hold"),
        }
    },
    "target in a table": {
        "tau": {"upper.angle": supple.PID(supple.Table([0.0, 0.8], [0.0, 1.0], "cubic"), kp=50.0, kd=9.0)}
    },
    "prescribed acceleration": {"motion": {"upper.angle": supple.Motion(acceleration="3*cos(4*t)")}},
    "traced function": {"tau": lambda t, q, v: [-3.0 * q[0] - v[0], 2.0 * np.sin(t)]},
    "variables and events": {
        "tau": {"upper.angle": "f*cos(3*t)"},
        "variables": {"f": 5.0},
        "events": [
            supple.Event("through", "upper.angle - 0.2", "rising", change={"f": "f + 1", "rate(lower.angle)": 0.5}),
            supple.Event("end", "t - 1.75", stop=True),
        ],
    },
    "two stops": {
        "tau": {"upper.angle": "20*sin(4*t)", "lower.angle": "4*cos(t)"},
        "limits": [supple.Limit("upper.angle", -0.1, 0.3, 0.2), supple.Limit("lower.angle", upper=0.25)],
        "q": {"lower.angle": -0.5},
    },
}


@pytest.mark.parametrize("name", LAWS)
def test_every_law_is_in_the_program(name: str, tmp_path: Path) -> None:
    arguments = {"duration": 2.0, "samples": 41, **EXACT, **LAWS[name]}
    rows, run = followed(double_pendulum(), arguments, tmp_path)
    assert len(rows) == len(run.time)
    if name == "two stops":
        names = [name for _, name in json.loads(run.attrs["events"])]
        assert {"upper.angle release", "lower.angle release", "upper.angle lower"} < set(names)
    if name == "variables and events":
        assert rows[-1, 0] == pytest.approx(1.75, abs=1e-13)


def test_springs_wrenches_pitch_and_quaternions(tmp_path: Path) -> None:
    mech = supple.Mechanism("many things")
    block = supple.RigidBody(2.0, (0.1, 0, 0.05), (0.3, 0.2, 0.25))
    mech.add_body("block", block, joint=supple.Free())
    mech.add_body("screw", supple.RigidBody(0.5, (0, 0.1, 0)), "block", supple.Helical("z", pitch=0.05), at=(0.2, 0, 0))
    mech.add_frame("corner", "block", (0.2, 0.1, 0.0))
    mech.add_frame("hook", "ground", (0, 0, 1.0))
    mech.add_spring_damper("rope", "ground/hook", "block/corner", stiffness=80.0, damping=2.0, length=0.4)
    mech.add_wrench("push", "screw", force=(1.0, 0.5, 0.0), moment=(0.0, 0.0, 0.2))
    model = mech.build()
    arguments: dict[str, Any] = {"duration": 1.5, "samples": 16, **EXACT}
    followed(model, arguments, tmp_path)
    new = {"rope.stiffness": 60.0, "push.force.x": 3.0, "screw.pitch": 0.1, "block/corner.y": 0.0}
    _, rows = motion(tmp_path / "program", "\n".join(f"parameter {name} {x}" for name, x in new.items()))
    run = supple.simulate(model.with_parameters(new), **arguments)
    np.testing.assert_allclose(rows[:, 1 : 1 + model.nq], run.q, atol=1e-8)


def test_rolling(tmp_path: Path) -> None:
    contents = read(EXAMPLES / "rolling_coin.toml")
    arguments = contents.run_arguments() | {"duration": 0.5, "samples": 11, **EXACT, "integrator": "DOP853"}
    arguments.pop("step", None)
    followed(contents.model, arguments, tmp_path)


def test_stops_in_a_closed_loop(tmp_path: Path) -> None:
    """The rocker of a four-bar swings against stops, and rests at one of them."""
    model, start = free_four_bar()
    limits = [supple.Limit("rocker.angle", start["rocker.angle"] - 0.15, start["rocker.angle"] + 0.1, 0.4)]
    arguments = {"duration": 2.0, "samples": 101, "guess": start, "limits": limits, **EXACT}
    arguments["tau"] = {"crank.angle": "-0.02*rate(crank.angle)"}
    rows, run = followed(model, arguments, tmp_path, 1e-7)
    assert len(json.loads(run.attrs["events"])) > 3
    assert np.ptp(run.q.values[-10:, 2]) < 1e-9
    assert np.abs(model.loops.errors(rows[:, 1:4])[0]).max() < 1e-12  # type: ignore[union-attr]


def test_the_same_file_gives_the_same_program() -> None:
    """Letter by letter, from a graph that is made anew; every function is in it once."""
    contents = read(EXAMPLES / "gate_with_stops.toml")
    first, second = (run_program(contents.model, contents.run_arguments(), symbols_of(contents.model)) for _ in "ab")
    assert first == second
    for name in ("static long advance(", "static void hold(", "void joint_responses(", "static double zero_of("):
        assert first.count(name) == 1
    assert "assemble" not in first  # what the file does not have is not there


# ------------------------------------------------------------ inputs of a program


def test_numbers_of_model_laws_and_stops_can_be_changed(tmp_path: Path) -> None:
    model = double_pendulum(damping=0.05)
    arguments: dict[str, Any] = {"duration": 1.0, "samples": 11, **EXACT, "variables": {"f": 2.0}}
    arguments["tau"] = {"upper.angle": supple.PID(0.5, kp=30.0, kd=2.0, limit=9.0), "lower.angle": "f"}
    arguments["limits"] = [supple.Limit("lower.angle", -0.2, 0.3, 0.5)]
    made = program(model, arguments, tmp_path)
    changes = {
        "parameter upper.mass": 2.5,
        "parameter upper.angle.damping": 0.3,
        "parameter upper.angle.kp": 45.0,
        "parameter upper.angle.maximum": 7.0,
        "stop lower.angle.upper": 0.2,
        "variable f": 3.0,
        "q upper.angle": 0.1,
    }
    _, rows = motion(made, "\n".join(f"{key} {x!r}" for key, x in changes.items()))
    other = model.with_parameters({"upper.mass": 2.5, "upper.angle.damping": 0.3})
    law = supple.PID(0.5, kp=45.0, kd=2.0, limit=(-9.0, 7.0))
    arguments |= {"tau": {"upper.angle": law, "lower.angle": "f"}, "variables": {"f": 3.0}}
    arguments |= {"limits": [supple.Limit("lower.angle", -0.2, 0.2, 0.5)], "q": {"upper.angle": 0.1}}
    run = supple.simulate(other, **arguments)
    np.testing.assert_allclose(rows[:, 1:3], run.q, atol=1e-8)
    assert np.abs(motion(made)[1][:, 1:3] - run.q.values).max() > 1e-2


def test_a_program_assembles_its_loops(tmp_path: Path) -> None:
    contents = read(EXAMPLES / "four_bar.toml")
    made = program(contents.model, contents.run_arguments(), tmp_path)
    _, rows = motion(made, "parameter coupler/pin.x 0.27\n")
    longer = contents.model.with_parameters({"coupler/pin.x": 0.27})
    run = supple.simulate(longer, **contents.run_arguments())
    np.testing.assert_allclose(rows[:, 1:4], run.q, atol=1e-8)
    for text in ("parameter rocker.at.x 2.0\n", "q coupler.angle -0.5\n"):
        apart = called(made, input_file(tmp_path, text))
        assert (apart.returncode, apart.stdout.count("\n")) == (5, 1)
        assert "the loops cannot be closed with the values that are given: constraint 'pin': " in apart.stderr


def test_what_the_run_names_stays_when_loops_are_closed(tmp_path: Path) -> None:
    """Also where a longer coupler moves everything else; the input may name something else instead."""
    model, start = free_four_bar()
    arguments: dict[str, Any] = {"duration": 0.1, "samples": 3, "q": {"crank.angle": 1.2}, "v": {"crank.angle": 2.0}}
    arguments |= {"guess": {name: start[name] for name in ("coupler.angle", "rocker.angle")}, **EXACT}
    made = program(model, arguments, tmp_path)
    _, rows = motion(made, "parameter coupler/pin.x 0.27\n")
    run = supple.simulate(model.with_parameters({"coupler/pin.x": 0.27}), **arguments)
    assert (rows[0, 1], rows[0, 4]) == pytest.approx((1.2, 2.0), abs=1e-14)
    np.testing.assert_allclose(rows[:, 1:4], run.q, atol=1e-8)
    _, rows = motion(made, "q rocker.angle 1.5\nduration 0\n")
    assert rows[0, 3] == pytest.approx(1.5, abs=1e-13)
    assert abs(rows[0, 1] - 1.2) > 0.1


def free_four_bar() -> tuple[supple.Model, dict[str, float]]:
    """The linkage without its motor, and a start."""
    model, arguments = loop()
    q = supple.simulate(model, 0.001, samples=2, motion={"crank.angle": 1.2}, guess=arguments["guess"]).q.values[0]
    return model, dict(zip(model.coordinates, q.tolist(), strict=True))


def test_what_the_input_changes_stays_when_loops_are_closed(tmp_path: Path) -> None:
    model, start = free_four_bar()
    made = program(model, {"duration": 0.0, "guess": start}, tmp_path)
    _, rows = motion(made, "q rocker.angle 1.5\nv crank.angle 2.0\n")
    expected = model.loops.assemble([*list(start.values())[:2], 1.5], ["rocker.angle"])  # type: ignore[union-attr]
    np.testing.assert_allclose(rows[0, 1:4], expected, atol=1e-10)
    assert (rows[0, 3], rows[0, 4]) == pytest.approx((1.5, 2.0), abs=1e-13)
    assert np.abs(model.loops.errors(rows[0, 1:4], rows[0, 4:7])[1]).max() < 1e-12  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["four_bar", "slider_crank"])
def test_joint_wrenches_in_a_closed_mechanism(name: str, tmp_path: Path) -> None:
    contents = read(EXAMPLES / f"{name}.toml")
    arguments = contents.run_arguments() | {"outputs": supple.Outputs(wrenches="all"), **EXACT, "integrator": "DOP853"}
    arguments.pop("step", None)
    rows, run = followed(contents.model, arguments, tmp_path)
    wrench = run.wrench.values.reshape(len(rows), -1)
    np.testing.assert_allclose(rows[:, -wrench.shape[1] :], wrench, atol=1e-7 * np.abs(wrench).max())


def test_events_that_change_a_closed_mechanism(tmp_path: Path) -> None:
    model, start = free_four_bar()
    arguments: dict[str, Any] = {"duration": 0.6, "samples": 31, "guess": start, **EXACT}
    arguments["events"] = [
        supple.Event("kick", "t - 0.1", change={"rate(crank.angle)": -3.0}),
        supple.Event("jump", "t - 0.35", change={"rocker.angle": "rocker.angle + 0.05"}),
    ]
    followed(model, arguments, tmp_path)


# ------------------------------------------------------------ simplified equations


@pytest.mark.parametrize("inputs", [{"T": "upper.angle"}, ["lower.angle"], None], ids=["renamed", "not named", "all"])
@pytest.mark.parametrize("more", [{"route": "composite"}, {"small": ["upper.angle", "lower.angle"]}])
def test_constant_forces_are_in_programs_of_simplified_equations(inputs: Any, more: Any, tmp_path: Path) -> None:
    """Under whatever name the equations have for them."""
    model = double_pendulum(stiffness=60.0)
    arguments: dict[str, Any] = {
        "duration": 1.0,
        "samples": 11,
        "tau": {"upper.angle": 0.2, "lower.angle": 0.1},
        **EXACT,
    }
    text = simplified_program(model, arguments, inputs=inputs, **more)
    _, rows = motion(built(text, tmp_path))
    run = supple.simulate(model, **arguments)
    np.testing.assert_allclose(rows[:, 1:3], run.q, atol=1e-8 if "route" in more else 1e-4)
    assert np.abs(run.q.values).max(axis=0).min() > 4e-3


# ------------------------------------------------------------ what cannot go on


def test_a_stop_that_cannot_hold_its_joint_ends_a_program(tmp_path: Path) -> None:
    """The crank of the four-bar is driven on: nothing else is left to give way."""
    model, arguments = loop(duration=0.1, samples=5)
    arguments["limits"] = [supple.Limit("rocker.angle", upper=1.7)]
    with pytest.raises(
        supple.SimulationError, match=r"limit of 'rocker.angle': at t = 0.0244442 s .* which cannot hold it"
    ):
        supple.simulate(model, **arguments)
    done = called(program(model, arguments, tmp_path), input_file(tmp_path, ""))
    assert done.returncode == 5
    assert "limit of 'rocker.angle': at time 0.02444" in done.stderr
    assert "which cannot hold it" in done.stderr


BOUNCE = supple.Event("bounce", "ball.position", "falling", change={"rate(ball.position)": "-rate(ball.position)/2"})
HOVER = supple.Event("hover", "rate(ball.position) + 0.1", "falling", change={"rate(ball.position)": "-0.0999999"})


@pytest.mark.parametrize("event", [BOUNCE, HOVER], ids=["without end", "chatter"])
def test_events_without_end_end_a_program(event: supple.Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("run", "run_program"):
        monkeypatch.setattr(f"supple.simulation.{module}.MOST_EVENTS", 500)
    mech = supple.Mechanism("ball")
    mech.add_body("ball", supple.RigidBody(1.0), joint=supple.Prismatic("z"))
    model = mech.build()
    arguments: dict[str, Any] = {"duration": 1.0, "samples": 11, "q": [0.05], "events": [event]}
    with pytest.raises(supple.SimulationError, match=f"'{event.name}'") as error:
        supple.simulate(model, **arguments)
    done = called(program(model, arguments, tmp_path), input_file(tmp_path, ""))
    assert done.returncode == 6
    assert f"'{event.name}'" in done.stderr
    reached = float(str(error.value).split("t = ")[1].split()[0])
    assert float(done.stderr.split()[1].rstrip(":")) == pytest.approx(reached, abs=1e-4)


# ------------------------------------------------------------ what cannot be written


def looked_up(t: float, q: Floats, v: Floats) -> float:
    return float(np.interp(t, [0.0, 1.0], [0.0, 1.0]))


def loop(**arguments: Any) -> tuple[supple.Model, dict[str, Any]]:
    contents = read(EXAMPLES / "four_bar.toml")
    return contents.model, contents.run_arguments() | arguments


REFUSED: dict[str, tuple[dict[str, Any], bool]] = {
    "'double pendulum': tau: the law of 'lower.angle' is a Python function": (
        {"tau": {"lower.angle": looked_up}},
        False,
    ),
    "'double pendulum': tau: the law of all speeds is a Python function": (
        {"tau": lambda t, q, v: np.array([looked_up(t, q, v), 0.0])},
        False,
    ),
    "tau: the law of 'upper.angle' is a Python function, which cannot be written; expected a formula, a table": (
        {"tau": {"upper.angle": supple.Sampled(looked_up, 10.0)}},
        False,
    ),
    "event 'late': 'when' is a Python function": (
        {"events": [supple.Event("late", lambda t, q, v: t - 1.0)]},
        False,
    ),
    "event 'kick': 'action' is a Python function": (
        {"events": [supple.Event("kick", "t - 1", action=lambda t, q, v: (q, v))]},
        False,
    ),
    "'four-bar': output: wrenches 'crank': a program cannot write those of joints in a mechanism with closed": (
        {"outputs": supple.Outputs(wrenches="crank"), "limits": [supple.Limit("rocker.angle", upper=3.0)]},
        True,
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_written_is_refused_by_name(message: str) -> None:
    given, closed = REFUSED[message]
    model, arguments = loop(**given) if closed else (double_pendulum(), {"duration": 1.0, **given})
    with pytest.raises(StateError) as error:
        run_program(model, arguments, symbols_of(model))
    assert message in str(error.value)
