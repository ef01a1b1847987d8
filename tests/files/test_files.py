"""Loading, saving and checking by suffix."""

from __future__ import annotations

from pathlib import Path

import pytest

import supple
from supple import files

TOML = """
name = "m"
[[body]]
name = "base"
mass = 1
joint = { type = "fixed" }
[[body]]
name = "arm"
parent = "base"
mass = 1
joint = { type = "revolute", axis = "y" }
"""
URDF = """
<robot name="m">
  <link name="base"/><link name="arm"/><link name="hand"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
  <joint name="k" type="fixed"><origin xyz="1 2 3"/><parent link="arm"/><child link="hand"/></joint>
</robot>
"""


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "m.toml"
    path.write_text(TOML)
    return path


@pytest.fixture
def robot_file(tmp_path: Path) -> Path:
    path = tmp_path / "m.urdf"
    path.write_text(URDF)
    return path


def test_bodies_on_fixed_joints_stay_in_toml_and_are_merged_in_urdf(model_file: Path, robot_file: Path) -> None:
    assert supple.load(model_file).bodies == ("base", "arm")
    assert supple.load(robot_file).bodies == ("arm",)
    assert supple.load(robot_file, merge_fixed=False).bodies == ("base", "arm", "hand")


def test_floating_base(model_file: Path, robot_file: Path) -> None:
    for path in (model_file, robot_file):
        model = supple.load(path, floating_base=True)
        assert model.bodies == ("base", "arm")
        assert model.coordinates[:7] == tuple(f"base.{c}" for c in ("x", "y", "z", "qx", "qy", "qz", "qw"))


def test_floating_base_needs_a_base(model_file: Path) -> None:
    model_file.write_text(TOML.replace("fixed", "spherical"))
    with pytest.raises(supple.FileFormatError, match=r"expected a body fixed to the ground, got 'base' \(spherical\)"):
        supple.load(model_file, floating_base=True)


def test_a_base_that_floats_already_stays(model_file: Path) -> None:
    model_file.write_text(TOML.replace("fixed", "free"))
    assert supple.load(model_file, floating_base=True) == supple.load(model_file)


@pytest.mark.parametrize("floating_base", [False, True])
@pytest.mark.parametrize("merge_fixed", [False, True])
def test_a_robot_is_saved_and_loaded_the_same(robot_file: Path, floating_base: bool, merge_fixed: bool) -> None:
    model = supple.load(robot_file, floating_base, merge_fixed)
    supple.save(model, robot_file.with_suffix(".toml"))
    assert supple.files.read(robot_file.with_suffix(".toml")).model == model


def test_paths_may_be_text_and_suffixes_capital(model_file: Path) -> None:
    shouted = model_file.rename(model_file.with_suffix(".TOML"))
    assert supple.load(str(shouted)).bodies == ("base", "arm")


@pytest.mark.parametrize("suffix", [".toml", ".urdf"])
def test_paths_that_are_no_files(tmp_path: Path, model_file: Path, robot_file: Path, suffix: str) -> None:
    (tmp_path / f"folder{suffix}").mkdir()
    for name in ("m.xml", "m.txt"):
        (tmp_path / name).touch()
    for path, message in (
        (tmp_path / f"folder{suffix}", "expected a file, got a directory"),
        (tmp_path, "expected a file, got a directory"),
        (tmp_path / f"n{suffix}", "no such file$"),
        (tmp_path / f"M2{suffix}", f"no such file; did you mean 'm{suffix}'"),
        (tmp_path / "nowhere" / f"n{suffix}", "no such file; there is no directory .*nowhere$"),
        (tmp_path / "m", "no such file; did you mean 'm.toml'"),
        (
            tmp_path / "m.xml",
            "expected a .toml, .urdf or .nc file, got suffix '.xml'; MuJoCo models are not read; a URDF",
        ),
        (tmp_path / "m.txt", "expected a .toml, .urdf or .nc file, got suffix '.txt'$"),
    ):
        with pytest.raises(supple.FileFormatError, match=message):
            supple.load(path)
        (error,) = files.check(path)
        assert str(path) in error


def test_saving_under_another_suffix_is_refused(model_file: Path, tmp_path: Path) -> None:
    with pytest.raises(supple.FileFormatError, match=r"expected a name that ends in .toml to write to, got '.urdf'"):
        supple.save(supple.load(model_file), tmp_path / "x.urdf")
    assert not (tmp_path / "x.urdf").exists()


def test_check_of_files_without_faults(model_file: Path, robot_file: Path) -> None:
    assert files.check(model_file) == []
    assert files.check(robot_file) == []
