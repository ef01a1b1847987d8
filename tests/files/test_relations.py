"""Ranges of joints and joints that follow others: acted on if that is asked for, and never left out without a word."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import supple
from support.files.robots import robot_directory

INERTIAL = """<inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>"""
Y = '<axis xyz="0 1 0"/>'


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """Two arms on one base, side by side; the second follows the first."""
    path = tmp_path / "robot.urdf"
    limits = '<limit lower="-0.5" upper="0.75" effort="1" velocity="1"/>'
    mimic = '<mimic joint="j" multiplier="-2" offset="0.25"/><limit lower="-0.75" upper="2" effort="1" velocity="1"/>'
    links = "".join(f'<link name="{name}">{INERTIAL}</link>' for name in ("base", "arm", "other"))
    joints = "".join(
        f'<joint name="{name}" type="revolute"><parent link="base"/><child link="{child}"/>{Y}{content}</joint>'
        for name, child, content in (("j", "arm", limits), ("k", "other", mimic))
    )
    path.write_text(f'<robot name="r">{links}{joints}</robot>')
    return path


def test_what_is_left_out_is_named(robot: Path) -> None:
    with pytest.warns(supple.OmissionWarning) as caught:
        model = supple.load(robot)
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message) == (
        f"{robot}: the model leaves out limits of arm.angle, other.angle (limits=True: stops), "
        "mimic joints other (mimic=True: gears)"
    )
    assert (model.description.limits, model.loops, len(model.couplings)) == ([], None, 1)
    with warnings.catch_warnings(record=True) as silent:
        warnings.simplefilter("always")
        assert supple.load(robot, limits=False, mimic=False) == model
        supple.load(robot, limits=True, mimic=False)
        supple.load(robot, limits=False, mimic=True)
    assert not silent


def test_stops_hold_what_would_fall(robot: Path) -> None:
    free = supple.simulate(supple.load(robot, limits=False, mimic=False), 1.0)
    assert float(free.q.max()) > 1.5
    stopped = supple.simulate(supple.load(robot, limits=True, mimic=False), 1.0)
    assert float(stopped.q[:, 0].max()) == pytest.approx(0.75, abs=1e-9)  # where it rests; the other one swings back
    assert 1.9 < float(stopped.q[:, 1].max()) <= 2.0 + 1e-9
    assert "other.angle upper" in stopped.attrs["events"]
    with pytest.raises(supple.StateError, match=r"limit of 'arm.angle': expected a start between -0.5 and 0.75, got 1"):
        supple.simulate(supple.load(robot, limits=True, mimic=False), 1.0, q=[1.0, 0.0])
    wider = supple.Limit("arm.angle", upper=1.0)
    wide = supple.simulate(supple.load(robot, limits=True, mimic=False), 1.0, limits=[wider])
    assert float(wide.q[:, 0].max()) == pytest.approx(1.0, abs=1e-9)


def test_a_joint_follows_another_and_the_narrower_range_counts(robot: Path) -> None:
    model = supple.load(robot, limits=True, mimic=True)
    assert model.couplings == ()
    # -0.75 <= 0.25 - 2 p <= 2 is -0.875 <= p <= 0.5, and -0.5 <= p <= 0.75 by itself.
    (limit,) = model.description.limits
    assert (limit.coordinate, limit.lower, limit.upper) == ("arm.angle", -0.5, 0.5)
    result = supple.simulate(model, 1.0, q={"arm.angle": 0.2})
    arm, other = result.q.values.T
    np.testing.assert_allclose(other, 0.25 - 2.0 * arm, rtol=0, atol=1e-9)
    assert np.ptp(arm) > 0.5
    assert arm.min() >= -0.5 - 1e-9


def test_stops_and_gears_are_saved_with_the_model(robot: Path, tmp_path: Path) -> None:
    model = supple.load(robot, limits=True, mimic=True)
    supple.save(model, tmp_path / "m.toml")
    again = supple.load(tmp_path / "m.toml", limits=True)
    assert again == model
    assert again.description.limits == model.description.limits
    with pytest.warns(supple.OmissionWarning, match=r"leaves out limits of arm.angle \(limits=True: stops\)"):
        assert supple.load(tmp_path / "m.toml").description.limits == []
    supple.simulate(model, 0.1, q={"arm.angle": 0.2}, file=tmp_path / "m.nc").close()
    assert supple.load(tmp_path / "m.nc").description.limits == model.description.limits
    assert supple.load(tmp_path / "m.nc", limits=False).description.limits == []


def test_ranges_that_are_none_are_left_out_with_a_word(robot: Path) -> None:
    text = robot.read_text()
    robot.write_text(text.replace('lower="-0.5" upper="0.75"', 'lower="0" upper="0"'))
    with pytest.warns(supple.PhysicsWarning, match="joint 'j': limit left out: expected lower < upper, got 0 and 0"):
        model = supple.load(robot, limits=True, mimic=False)
    assert [x.coordinate for x in model.description.limits] == ["other.angle"]
    robot.write_text(text.replace('lower="-0.5" upper="0.75"', 'lower="1" upper="2"'))
    with pytest.warns(supple.PhysicsWarning, match="do not overlap: those of 'arm.angle' are used"):
        model = supple.load(robot, limits=True, mimic=True)
    assert [(x.lower, x.upper) for x in model.description.limits] == [(1, 2)]


def test_a_joint_cannot_follow_itself(robot: Path) -> None:
    robot.write_text(robot.read_text().replace('<mimic joint="j"', '<mimic joint="k"'))
    with pytest.raises(supple.FileFormatError, match=r"mimic: expected joints that follow others, got 'other.angle'"):
        supple.load(robot, limits=False, mimic=True)


def test_fingers_of_a_real_hand_stay_in_it() -> None:
    path = next(robot_directory().rglob("panda.urdf"))
    start = {"panda_link4.angle": -1.5, "panda_link6.angle": 1.0}
    free = supple.simulate(supple.load(path, limits=False, mimic=False), 0.5, q=start, samples=11)
    fingers = ["panda_leftfinger.position", "panda_rightfinger.position"]
    assert float(abs(free.q.sel(coordinate=fingers)).max()) > 0.1
    hand = supple.load(path, limits=True, mimic=True)
    held = supple.simulate(hand, 0.5, q=start, samples=11).q.sel(coordinate=fingers).values
    assert held.min() >= -1e-9
    assert held.max() <= 0.04 + 1e-9
    np.testing.assert_allclose(held[:, 0], held[:, 1], rtol=0, atol=1e-9)


def test_what_the_start_does_not_name_is_within_its_limits(robot: Path) -> None:
    robot.write_text(robot.read_text().replace('lower="-0.5" upper="0.75"', 'lower="0.25" upper="0.75"'))
    model = supple.load(robot, limits=True, mimic=False)
    with pytest.warns(supple.PhysicsWarning) as caught:
        result = supple.simulate(model, 0.1, {"other.angle": 0.5}, samples=3)
    assert [str(x.message) for x in caught] == [
        "start: arm.angle at 0.25: zero is beyond a limit; q gives another start"
    ]
    assert result.q.values[0].tolist() == [0.25, 0.5]
    assert supple.simulate(model, 0.1, {"arm.angle": 0.5}, samples=3).q.values[0].tolist() == [0.5, 0.0]
    for q in ([0.0, 0.0], {"arm.angle": 0.0}):
        with pytest.raises(
            supple.StateError, match=r"limit of 'arm\.angle': expected a start between 0\.25 and 0\.75, got 0"
        ):
            supple.simulate(model, 0.1, q)


def test_a_robot_takes_settings_of_a_run(robot: Path) -> None:
    changes = {"simulation.q.arm.angle": 0.5, "simulation.duration": 0.2}
    contents = supple.files.read(robot, limits=True, mimic=False, changes=changes)
    run = contents.run_arguments()
    assert run == {"duration": 0.2, "q": {"arm.angle": 0.5}}
    assert supple.simulate(contents.model, **run).q.values[0].tolist() == [0.5, 0.0]
    only = supple.files.read(robot, limits=False, mimic=False, changes={"simulation.q.arm.angle": 0.5})
    assert only.run_arguments() == {"q": {"arm.angle": 0.5}}
    with pytest.warns(supple.OmissionWarning, match=r"leaves out .*start coordinates of arm\.angle"):
        supple.load(robot, limits=False, mimic=False, changes=changes)
    for path, words in (
        ("body.arm.mass", r"changes: 'body\.arm\.mass': expected a \.toml file, or a path such as simulation\.q\.NAME"),
        ("simulation.q.arm.angel", r"simulation: q: no coordinate 'arm\.angel'; did you mean 'arm\.angle'"),
        ("simulation.rtoll", r"simulation: rtoll: unknown key; did you mean 'rtol'"),
    ):
        with pytest.raises(supple.FileFormatError, match=words):
            supple.files.read(robot, limits=False, mimic=False, changes={path: 1.0})
        assert supple.files.check(robot, {path: 1.0})
    assert supple.files.check(robot, changes) == []
