"""Euler angles in and out: coordinates, model files, and what a run records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple.description.orientation import euler_angles, euler_sequence
from supple.errors import FileFormatError, StateError
from supple.files import check, read

FILE = """
name = "pair"
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "base"
mass = 2.0
inertia = [0.1, 0.2, 0.25]
joint = { type = "free" }
[[body]]
name = "ball"
parent = "base"
at = [0.3, 0.0, 0.0]
rotation = { euler = "ZYX", angles_deg = [90.0, 0.0, 0.0] }
mass = 0.5
com = [0.1, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02]
joint = { type = "spherical" }
[simulation]
duration = 0.2
samples = 5
v = { "ball.wy" = 3.0, "base.wz" = 1.0 }
orientation = { base = { euler = "ZYX", angles_deg = [30.0, 20.0, 10.0] }, ball = { axis = "x", angle_deg = 40.0 } }
[output]
frames = ["ball"]
euler = ["all"]
euler_sequence = "ZYX"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "pair.toml"
    file.write_text(FILE)
    return file


def test_the_coordinates_of_an_orientation() -> None:
    turn = Rotation.from_euler("xyz", [10, 20, 30], degrees=True)
    found = supple.orientation("base", turn)
    assert list(found) == ["base.qx", "base.qy", "base.qz", "base.qw"]
    assert np.allclose(list(found.values()), turn.as_quat(), atol=1e-15)
    assert supple.orientation("base", turn.as_matrix()) == pytest.approx(found)


def test_angles_are_in_the_order_of_the_axes_and_no_number_stays_none() -> None:
    angles = np.array([[0.4, -0.3, 1.2], [0.0, np.pi / 2, 0.3]])
    q = Rotation.from_euler("ZYX", angles).as_quat()
    found = euler_angles([[*q], [*-q], [[np.nan] * 4, [0.0] * 4]], "ZYX")
    assert np.allclose(found[:2, 0], angles[0], atol=1e-14)
    again = Rotation.from_euler("ZYX", found[0, 1])  # where the axes coincide, another pair of angles for the same turn
    assert np.allclose(again.as_matrix(), Rotation.from_quat(q[1]).as_matrix(), atol=1e-7)
    assert np.isnan(found[2]).all()


@pytest.mark.parametrize("wrong", ["xxy", "xy", "xyw", "Xyz", "", 3, "xyzx"])
def test_axes_that_are_none(wrong: Any) -> None:
    with pytest.raises(StateError, match="expected three axes, no two neighbours the same"):
        euler_sequence(wrong)


def test_a_file_starts_and_records_by_angles(path: Path) -> None:
    contents = read(path)
    found = supple.simulate(contents.model, **contents.run_arguments())
    angle = found.euler_angle
    assert angle.dims == ("time", "turning_joint", "turn")
    assert angle.turn.values.tolist() == ["1 about Z", "2 about Y", "3 about X"]
    assert np.allclose(np.rad2deg(angle.sel(turning_joint="base")[0]), [30, 20, 10], atol=1e-12)
    assert np.allclose(np.rad2deg(angle.sel(turning_joint="ball")[0]), [0, 0, 40], atol=1e-12)
    # From both joints to the ground: the base, how the joint is placed, the ball.
    last = angle[-1]
    turns = [Rotation.from_euler("ZYX", last.sel(turning_joint=name)) for name in ("base", "ball")]
    ground = turns[0] * Rotation.from_euler("z", 90, degrees=True) * turns[1]
    assert np.ptp(angle.values, axis=0).max() > 0.3
    R = Rotation.from_quat(found.orientation.sel(frame="ball")[-1]).as_matrix()
    assert np.allclose(ground.as_matrix(), R, atol=1e-9)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("ball = {", "bal = {", "simulation: orientation: no free or spherical joint 'bal'; did you mean 'ball'?"),
        ("v = {", 'q = { "base.qx" = 0.0 }\nv = {', "orientation: 'base': expected either this or q, got 'base.qx' in"),
        ("[30.0, 20.0, 10.0]", "[30.0, 20.0]", "angles_deg: expected 3 numbers, got [30.0, 20.0]"),
        ('base = { euler = "ZYX"', 'base = { euler = "ZZX"', "euler: expected three axes, no two neighbours the same"),
        (
            'euler_sequence = "ZYX"',
            'euler_sequence = "zz"',
            "output: euler_sequence: expected three axes",
        ),
        ('euler = ["all"]', 'euler = ["bas"]', "output: euler: no free or spherical joint 'bas'; did you mean 'base'?"),
        ('frames = ["ball"]', 'velocity_axes = "sky"', 'velocity_axes: expected "ground", "parent", "body" or "frame"'),
    ],
)
def test_errors_of_a_file_are_named(old: str, new: str, words: str, path: Path) -> None:
    assert old in FILE
    path.write_text(FILE.replace(old, new))
    found = check(path)
    assert len(found) == 1
    assert words in found[0]


def test_a_matrix_that_is_no_rotation_is_refused(path: Path) -> None:
    path.write_text(FILE.replace('{ axis = "x", angle_deg = 40.0 }', "[[1, 0, 0], [0, 1, 0], [0, 0, 2]]"))
    assert "orientation of 'ball': expected a rotation matrix" in check(path)[0]
    with pytest.raises((FileFormatError, supple.ModelError), match="expected a rotation matrix"):
        read(path).run_arguments()
