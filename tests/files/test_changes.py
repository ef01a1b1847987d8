"""Values of a model file replaced by path before it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import supple
from supple.errors import FileFormatError
from supple.files import check, read
from supple.files.changes import apply_changes, read_change

EXAMPLES = Path(__file__).parents[2] / "examples"
PENDULUM = EXAMPLES / "pendulum.toml"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("body.arm.mass=2", 2),
        ("body.arm.mass = 2.5", 2.5),
        ('name="x=y"', "x=y"),
        ("name=x=y", "x=y"),
        ("body.arm.com=[0, 1]", [0, 1]),
        ("body.arm.allow=true", True),
        ("tau=-sin(t)", "-sin(t)"),
        ("a=1\nb=2", "1\nb=2"),
    ],
)
def test_values_are_typed_as_in_the_file_and_else_texts(text: str, value: Any) -> None:
    found = read_change(text)[1]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["body.arm.mass", "=2", "mass= "])
def test_what_is_no_change(text: str) -> None:
    with pytest.raises(FileFormatError, match="expected a path and a value, such as"):
        read_change(text)


def content() -> dict[str, Any]:
    return {
        "body": [{"name": "hub", "com": [0, 0, 0]}, {"name": "arm", "joint": {"axis": "x"}}],
        "actuator": [{"speed": "arm.angle", "kp": 1.0}, {"speed": "arm", "kp": 2.0}],
        "simulation": {"q": {"arm.angle": 1.0}},
    }


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("body.arm.mass", ("body", 1, "mass")),
        ("body[2].mass", ("body", 1, "mass")),
        ("body.hub.com[3]", ("body", 0, "com", 2)),
        ("body.arm.joint.axis", ("body", 1, "joint", "axis")),
        ("actuator.arm.angle.kp", ("actuator", 0, "kp")),  # the longest name that is there
        ("actuator.arm.kp", ("actuator", 1, "kp")),
        ("simulation.q.arm.angle", ("simulation", "q", "arm.angle")),
        ("simulation.duration", ("simulation", "duration")),
        ("output.frames", ("output", "frames")),  # tables that are not there are made
    ],
)
def test_paths(path: str, place: tuple[str | int, ...]) -> None:
    expected, found = content(), content()
    node: Any = expected
    for step in place[:-1]:
        node = node.setdefault(step, {}) if isinstance(node, dict) else node[step]
    node[place[-1]] = 7
    apply_changes(found, {path: 7}, Path("x.toml"))
    assert found == expected


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("body.arn.mass=3", "change of 'body.arn.mass': no 'arn' in the list; did you mean 'arm'?"),
        ("body.arm.mas=3", "body[1] 'arm': mas: unknown key; did you mean 'mass'?"),
        ("simulatoin.duration=3", "simulatoin: unknown key; did you mean 'simulation'?"),
        ("body[3].mass=3", "change of 'body[3].mass': no entry [3], got 1 entries; entries are counted from one"),
        ("simulation[1]=3", "no entry [1], got a table"),
        ("body.arm.mass.x=3", "expected a table or a list at 'mass', got 2.0"),
        ("body..mass=3", "expected a path such as body.arm.mass or body[2].mass"),
        ("body.arm.mass=2,5", "body[1] 'arm': mass: expected a number, got '2,5'"),
        ("simulation.q.arm.angel=1", "simulation: q: no coordinate 'arm.angel'; did you mean 'arm.angle'?"),
        ("simulation.integrator=rk5", "integrator: no 'rk5'; expected one of 'auto', 'DOP853', "),
    ],
)
def test_a_path_that_leads_nowhere_is_named_with_the_nearest(change: str, words: str) -> None:
    found = check(PENDULUM, dict([read_change(change)]))
    assert len(found) == 1
    assert found[0].startswith(f"{PENDULUM}: ")
    assert words in found[0]


def test_a_model_with_other_numbers() -> None:
    changes = {"body.arm.mass": 5.0, "simulation.duration": 0.25, "simulation.q.arm.angle": 0.5}
    contents = read(PENDULUM, changes=changes)
    assert contents.model.mass == 5.0
    assert contents.run_arguments() == {"duration": 0.25, "q": {"arm.angle": 0.5}}
    assert supple.files.read(PENDULUM).model.mass == 2.0
    vehicle = supple.load(EXAMPLES / "vehicle_with_suspension.toml", changes={"name": "cart"})  # of vectors
    assert vehicle.name == "cart"


def test_files_without_paths_are_refused() -> None:
    with pytest.raises(FileFormatError, match=r"changes: 'a': expected a \.toml file, or .*, got '\.urdf'; "):
        supple.load(EXAMPLES / "robot_from_urdf.urdf", changes={"a": 1})
