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
    assert contents.model == supple.load(path)
    run = contents.run_arguments()
    assert run["duration"] == 2.0
    assert run["tau"]["arm.angle"].values.tolist() == [1.0, 3.0]
    assert contents.equation_arguments() == {"names": {"m1": "arm.mass"}, "small": ["arm.angle"]}


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
