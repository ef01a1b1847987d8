"""Actuators, motions, stops, events and variables in model files: the same run as from Python, and clear errors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple import PID, Event, Limit, Motion, Table
from supple.files import check, read

BASE = """
name = "two"
[[body]]
name = "a"
mass = 1.0
com = [0.5, 0.0, 0.0]
joint = {type = "revolute", axis = "y", damping = 0.1}
[[body]]
name = "b"
parent = "a"
at = [1.0, 0.0, 0.0]
mass = 0.5
com = [0.4, 0.0, 0.0]
joint = {type = "revolute", axis = "y"}
[simulation]
duration = 1.0
samples = 21
"""


def written(folder: Path, text: str, base: str = BASE) -> Path:
    path = folder / "model.toml"
    path.write_text(base + text)
    return path


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "formula": (
        '[variables]\nk = 3.0\n[[actuator]]\nspeed = "a.angle"\nforce = "k*sin(5*t) - rate(b.angle)"',
        {"tau": {"a.angle": "k*sin(5*t) - rate(b.angle)"}, "variables": {"k": 3.0}},
    ),
    "table": (
        '[[actuator]]\nspeed = "a.angle"\nforce = {times = [0, 0.3, 0.9], values = [-5, 8, 2]}',
        {"tau": {"a.angle": Table([0, 0.3, 0.9], [-5, 8, 2])}},
    ),
    "held table": (
        '[[actuator]]\nspeed = "a.angle"\nforce = {times = [0, 0.3, 0.9], values = [-5, 8, 2], kind = "hold"}',
        {"tau": {"a.angle": Table([0, 0.3, 0.9], [-5, 8, 2], "hold")}},
    ),
    "controller": (
        '[[actuator]]\nspeed = "b.angle"\ntarget = "sin(t)"\nkp = 20.0\nkd = 3.0\nki = 5.0\nlimit = [-4.0, 6.0]\n'
        'rate = 50.0\nfeedforward = "cos(b.angle)"',
        {"tau": {"b.angle": PID("sin(t)", 20.0, 3.0, 5.0, (-4.0, 6.0), 50.0, "cos(b.angle)")}},
    ),
    "actuator beside a constant": (
        '[[actuator]]\nspeed = "b.angle"\ntarget = 0.5\nkp = 20.0\n[simulation.tau]\na.angle = -3.0',
        {"tau": {"b.angle": PID(0.5, 20.0), "a.angle": -3.0}},
    ),
    "motion": (
        '[[motion]]\nspeed = "a.angle"\nposition = {times = [0, 0.5, 1], values = [0, 1, 0.5], kind = "cubic"}\n'
        '[[motion]]\nspeed = "b.angle"\nvelocity = "t**2"',
        {"motion": {"a.angle": Table([0, 0.5, 1], [0, 1, 0.5], "cubic"), "b.angle": Motion(velocity="t**2")}},
    ),
    "stops": (
        '[[limit]]\ncoordinate = "a.angle"\nupper = 0.3\nrestitution = 0.5\n'
        '[[limit]]\ncoordinate = "b.angle"\nlower = -1\nupper = 1',
        {"limits": [Limit("a.angle", upper=0.3, restitution=0.5), Limit("b.angle", -1, 1)]},
    ),
    "event": (
        '[variables]\npush = 0.0\n[[actuator]]\nspeed = "a.angle"\nforce = "push"\n'
        '[[event]]\nname = "kick"\nwhen = "a.angle - 0.2"\ndirection = "rising"\n'
        'change = {push = -9.0, "rate(b.angle)" = "-rate(b.angle)"}\n'
        '[[event]]\nname = "end"\nwhen = "t - 0.77"\nstop = true',
        {
            "tau": {"a.angle": "push"},
            "variables": {"push": 0.0},
            "events": [
                Event("kick", "a.angle - 0.2", "rising", change={"push": -9.0, "rate(b.angle)": "-rate(b.angle)"}),
                Event("end", "t - 0.77", stop=True),
            ],
        },
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_gives_the_run_that_python_gives(case: str, tmp_path: Path) -> None:
    text, arguments = CASES[case]
    path = written(tmp_path, text)
    assert check(path) == []
    model = supple.files.read(path).model
    found = supple.simulate(model, **read(path).run_arguments())
    expected = supple.simulate(model, 1.0, samples=21, **arguments)
    idle = supple.simulate(model, 1.0, samples=21)
    size = min(len(found.time), len(idle.time))
    assert np.abs(found.q.values[:size] - idle.q.values[:size]).max() > 1e-2
    assert np.array_equal(found.time, expected.time)
    assert np.array_equal(found.q, expected.q)
    assert np.array_equal(found.tau, expected.tau)
    assert found.attrs["events"] == expected.attrs["events"]


@pytest.mark.parametrize("text", ["0, 1\n0.5, 3\n# a remark\n\n1, -2\n", "0 1\n0.5\t3\r\n  1   -2"])
def test_a_table_in_a_file_beside_the_model(text: str, tmp_path: Path) -> None:
    (tmp_path / "force.csv").write_text(text)
    path = written(tmp_path, '[[actuator]]\nspeed = "a.angle"\nforce = {file = "force.csv", kind = "cubic"}')
    assert check(path) == []
    law = read(path).run_arguments()["tau"]["a.angle"]
    assert repr(law) == repr(Table([0, 0.5, 1], [1, 3, -2], "cubic"))


FORCE = '[[actuator]]\nspeed = "a.angle"\n'
MOTION = '[[motion]]\nspeed = "a.angle"\n'
EVENT = '[[event]]\nname = "e"\n'
LIMIT = '[[limit]]\ncoordinate = "a.angle"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (FORCE + "force = 1.0\ntarget = 1.0", "actuator[1]: expected either force or target, got both"),
        (FORCE, "actuator[1]: expected either force or target, got neither"),
        (FORCE + "target = 1.0", "actuator[1]: expected with a target kp, ki, kd or feedforward, got none"),
        (FORCE + "force = 1.0\nkp = 2.0", "actuator[1]: kp: expected only with a target"),
        (
            FORCE + "force = true",
            "actuator[1]: force: expected a number, a formula, or a table such as {times = [...], v",
        ),
        (FORCE + "force = {times = [0, 1]}", "actuator[1]: force: table: expected both times and values"),
        (
            FORCE + 'force = {times = [0], values = [0], file = ""}',
            "force: table: expected either times and values, or",
        ),
        (
            FORCE + "force = {times = [0, 1], values = [1]}",
            "expected as many values as times, two or more, got 1 and 2",
        ),
        (
            FORCE + "force = {times = [1, 0], values = [1, 2]}",
            "actuator of 'a.angle': table: expected increasing times",
        ),
        (
            FORCE + 'force = {times = [0, 1], values = [1, 2], kind = "s"}',
            'kind: expected "linear", "cubic", "pchip" or "hold"',
        ),
        (FORCE + "force = {time = [0, 1], values = [1, 2]}", "time: unknown key; did you mean 'times'?"),
        (FORCE + 'force = {file = "no.csv"}', "no.csv: no such file"),
        (
            FORCE + 'force = "2*a.angel"',
            "tau 'a.angle': '2*a.angel': no quantity 'a.angel'; did you mean 'a.angle'?",
        ),
        (
            FORCE + "target = 1\nlimit = -2.0",
            "actuator[1]: limit: expected a positive number, or minimum and maximum",
        ),
        (
            FORCE + "target = 1\nlimit = [2.0, 1.0]",
            "actuator[1]: limit: expected a positive number, or minimum and",
        ),
        (FORCE + "target = 1\nlimit = [1, 2, 3]", "actuator[1]: limit: expected a number, or two, got [1, 2, 3]"),
        (FORCE + "target = 1\nrate = 0", "actuator[1]: rate: expected a number greater than zero, got 0"),
        (
            LIMIT + "upper = 0.3\n[simulation.q]\na.angle = 2.0",
            "limit of 'a.angle': expected a start between -inf and 0.3, got 2",
        ),
        (FORCE + "force = 1\n" + FORCE + "force = 2", "actuator: more than one for 'a.angle'"),
        (FORCE + "force = 1\n" + MOTION + "position = 1", "tau: 'a.angle' has a prescribed motion"),
        (FORCE + "force = 1\n[simulation.tau]\na.angle = 1", "tau: 'a.angle' has a [[actuator]] as well"),
        (FORCE.replace("angle", "angel") + "force = 1", "tau: no entry 'a.angel'; did you mean 'a.angle'?"),
        (
            MOTION + "position = 1\nvelocity = 1",
            "motion[1]: expected one of position, velocity, acceleration, got posi",
        ),
        (
            MOTION + 'position = "b.angle"',
            "motion 'a.angle': expected a function of time and variables alone, got one of 'b.angle'",
        ),
        (
            MOTION + "position = {times = [0, 1], values = [0, 1]}",
            "motion of 'a.angle': motion: position: expected a table of kind cu",
        ),
        (EVENT + 'when = "t"\ndirection = "up"', 'event[1] \'e\': direction: expected "rising", "falling" or "both"'),
        (EVENT + 'when = "tt - 1"', "event 'e': 'tt - 1': no quantity 'tt'; did you mean 't'?"),
        (
            EVENT + 'when = "t"\nchange = {a.angel = 1}',
            "event 'e': change: no variable or coordinate 'a.angel'; did you",
        ),
        (
            EVENT + 'when = "t"\nchange = {a.angle = true}',
            "event[1] 'e': change: expected a table of numbers and formul",
        ),
        (LIMIT, "limit[1]: expected lower, upper or both, got neither"),
        (LIMIT + "lower = 1\nupper = 0", "limit[1]: upper: expected more than lower, 1, got 0"),
        (LIMIT + "lower = 0\nrestitution = 2", "limit[1]: restitution: expected a number from 0 to 1, got 2"),
        (LIMIT.replace("angle", "angel") + "lower = 0", "no coordinate 'a.angel'; did you mean 'a.angle'?"),
        ("[variables]\nt = 1.0", "variables: 't' is a quantity of the model, expected another name"),
        ('[variables]\nk = "x"', "variables: expected a table of numbers by name, got {'k': 'x'}"),
    ],
)
def test_every_fault_says_where_it_is(text: str, words: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    found = check(path)
    assert len(found) >= 1
    assert all(line.startswith(f"{path}: ") for line in found)
    assert any(words in line for line in found), found
    assert not any("function-wrap" in line for line in found)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"0;1\n1;2", "expected a line of two numbers for each time: could not convert string to float: '0;1'"),
        (b"0,1,2\n1,2,3", "expected two numbers in each line, got 3"),
        (b"0,1\n1\n", "expected a line of two numbers for each time"),
        (b"", "expected two numbers in each line, got no lines"),
        (b"0,1\n0,2", "expected increasing times, got 0 after 0"),
        (b"0,1\n1,nan", "expected finite numbers, got NaN or infinity"),
        (b"0,1", "two or more"),
        (b"\xff\xfe", "expected UTF-8 text, got other bytes"),
    ],
)
def test_faults_of_a_table_file_name_the_file(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "force.csv").write_bytes(content)
    path = written(tmp_path, FORCE + 'force = {file = "force.csv"}')
    (error,) = check(path)
    assert error.startswith(f"{path}: actuator of 'a.angle': {tmp_path / 'force.csv'}: ")
    assert words in error


WRENCH = """
name = "arm"
[variables]
strength = 2.0
[[body]]
name = "arm"
joint = { type = "revolute", axis = "y" }
mass = 1.0
com = [0.5, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
[[frame]]
name = "tip"
body = "arm"
position = [1.0, 0.0, 0.0]
[[wrench]]
name = "weight"
frame = "arm/tip"
force = [0.0, 0.0, -3.0]
axes = "ground"
[[wrench]]
name = "gust"
frame = "arm/tip"
force = ["strength*sin(t) - 0.1*velocity.x", 0, { times = [0.0, 1.0], values = [0.0, 4.0] }]
axes = "ground"
"""


def test_wrenches_of_numbers_belong_to_the_model_and_others_to_runs(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(WRENCH)
    model = supple.files.read(path).model
    assert list(model.description.wrenches) == ["weight"]
    (law,) = read(path).run_arguments()["wrenches"]
    assert law.name == "gust"
    assert law.force[1] == 0.0
    assert law.force[2].values.tolist() == [0.0, 4.0]
    assert check(path) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"strength*sin(t)', '"strenght*sin(t)', r"wrench 'gust': force\.x: .*no quantity 'strenght'; did you mean 's"),
        ("4.0] }]", "4.0] }, 1]", "wrench[2] 'gust': force: expected 3 numbers, formulas, or tables such as"),
        ("values = [0.0, 4.0]", "values = [0.0]", "expected as many values as times, two or more, got 1 and 2"),
        (
            'name = "gust"\nframe = "arm/tip"',
            'name = "gust"\nframe = "arm/top"',
            "wrench[2] 'gust': no frame 'arm/top'",
        ),
    ],
)
def test_wrong_wrenches_are_named_with_their_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in WRENCH
    path = tmp_path / "arm.toml"
    path.write_text(WRENCH.replace(old, new))
    found = "\n".join(check(path))
    assert words in found or re.search(words, found)
