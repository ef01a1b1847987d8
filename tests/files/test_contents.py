"""A file read once: its model, and what it says about runs and equations."""

from __future__ import annotations

from pathlib import Path

import pytest

import supple
from supple.files import read

MODEL = """
name = "m"
[[body]]
name = "arm"
mass = 1
com = [0, 0, -1]
joint = { type = "revolute", axis = "y" }
"""
RUN = """
[[actuator]]
speed = "arm.angle"
force = { file = "force.csv" }
[simulation]
duration = 2.0
[equations]
symbols = { m1 = "arm.mass" }
small = ["arm.angle"]
"""
ROBOT = """
<robot name="m"><link name="base"/>
<link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><limit lower="-1" upper="1"/></joint></robot>
"""


def test_a_toml_file_holds_a_run_and_equations(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(MODEL + RUN)
    (tmp_path / "force.csv").write_text("0, 1\n2, 3\n")
    contents = read(path)
    assert contents.path == path
    assert contents.model == read(path).model
    run = contents.run_arguments()
    assert run["duration"] == 2.0
    assert run["tau"]["arm.angle"].values.tolist() == [1.0, 3.0]
    assert contents.equation_arguments() == {"names": {"m1": "arm.mass"}, "small": ["arm.angle"]}


EVERYTHING = """
name = "m"
[variables]
k = 2.0
[[body]]
name = "arm"
mass = 1
joint = { type = "revolute", axis = "y" }
[[body]]
name = "rod"
mass = 1
joint = { type = "prismatic", axis = "x" }
[[body]]
name = "tip"
parent = "rod"
mass = 1
joint = { type = "spherical" }
[[coupling]]
follower = "rod"
leader = "arm"
[[wrench]]
name = "weight"
frame = "arm"
force = [0, 0, -1]
[[wrench]]
name = "wind"
frame = "arm"
force = ["sin(t)", 0, 0]
[[actuator]]
speed = "arm.angle"
force = "-k*arm.angle"
[[controller]]
name = "hold"
measured = ["rod.position"]
speeds = ["rod.position"]
D = [[-1]]
[[motion]]
speed = "tip.wx"
velocity = 0
[[event]]
name = "half"
when = "t - 1"
change = { k = 3 }
[[limit]]
coordinate = "arm.angle"
upper = 1
[simulation]
duration = 2.0
samples = 11
rtol = 1e-6
q = { arm.angle = 0.5 }
guess = { rod.position = 0.1 }
orientation = { tip = { euler = "ZYX", angles_deg = [30, 0, 0] } }
v = { rod.position = 1 }
tau = { tip.wy = 1 }
start = "equilibrium"
"""


def test_load_names_all_that_changes_a_motion_and_is_no_part_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(EVERYTHING)
    with pytest.warns(supple.OmissionWarning) as caught:
        model = supple.load(path)
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message) == (
        f"{path}: the model leaves out actuators of arm.angle, controllers hold, motions of tip.wx, wrenches wind, "
        "events half, forces tau of tip.wy, start coordinates of arm.angle, rod.position, tip, start speeds of "
        "rod.position, a start in equilibrium, limits of arm.angle (limits=True: stops), mimic joints rod "
        "(mimic=True: gears); supple.files.read has them as run_arguments()"
    )
    assert [*model.description.wrenches] == ["weight"]
    with pytest.warns(
        supple.OmissionWarning, match=r"m\.toml: the model leaves out mimic joints rod \(mimic=True: gears\)$"
    ):
        contents = read(path)
    assert contents.run_arguments().keys() > {"tau", "motion", "wrenches", "events", "limits", "q", "v", "start"}
    assert read(path, mimic=False).model == model


def test_load_is_silent_where_the_model_is_all(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(MODEL + "[simulation]\nduration = 2.0\nsamples = 11\nstart = 'given'\n[variables]\nk = 1\n")
    assert supple.load(path).nv == 1  # warnings are errors in tests


def test_files_beside_it_are_read_for_a_run_only(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(MODEL + RUN)
    contents = read(path)
    assert contents.model.nv == 1
    with pytest.raises(supple.FileFormatError, match=r"actuator of 'arm\.angle': .*force\.csv: no such file"):
        contents.run_arguments()


def test_without_tables_there_is_nothing_to_say(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(MODEL)
    assert (read(path).run_arguments(), read(path).equation_arguments()) == ({}, {})


def test_other_formats_hold_a_model_alone(tmp_path: Path) -> None:
    robot, results = tmp_path / "m.urdf", tmp_path / "m.nc"
    robot.write_text(ROBOT)
    stopped = read(robot, limits=True)
    assert [limit.upper for limit in stopped.model.description.limits] == [1.0]
    supple.simulate(stopped.model, 0.1, samples=2, file=results).close()
    for contents in (stopped, read(results)):
        assert contents.tables is None
        assert (contents.run_arguments(), contents.equation_arguments()) == ({}, {})
        assert contents.model.coordinates == ("arm.angle",)
