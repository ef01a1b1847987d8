"""supple modes --spin: tables, page, netCDF, and what it says when something is wrong."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import supple
from support.mechanisms import rotors
from support.programs.commands import Command

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def rotor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    supple.save(rotors.overhung(gravity=(0, 0, -9.81)), tmp_path / "rotor.toml")
    return tmp_path / "rotor.toml"


def test_it_prints_tables_and_writes_a_page(command: Command, rotor: Path) -> None:
    code, out, err = command("modes", rotor, "--spin", "shaft=0:300:4", "--no-gravity", "--count", 4)
    assert (code, err) == (0, "")
    assert "overhung disc: 4 modes over the speed of shaft.angle, Hz" in out
    assert "critical speeds" in out
    assert out.splitlines()[-1] == f"page: {rotor.with_name('rotor.campbell.html')}"
    assert "Campbell diagram" in rotor.with_name("rotor.campbell.html").read_text()


def test_it_writes_netcdf_when_asked(command: Command, rotor: Path) -> None:
    arguments = ("--spin", "shaft.angle=0:300:4", "--no-gravity", "--frame", "rotating", "--orders", "1, 3")
    code, out, _ = command("modes", rotor, *arguments, "-o", "found.nc")
    assert code == 0
    assert out.splitlines()[-2:] == ["results: found.nc", "page: found.html"]
    with xr.open_dataset("found.nc", engine="h5netcdf") as found:
        assert found.attrs["frame"] == "rotating"
        assert found.attrs["orders"].tolist() == [1, 3]
        assert found.spin.values == pytest.approx(np.linspace(0.0, 300.0, 4))
        assert set(found.critical_order.values) <= {1, 3}
        assert found.dof.values[0].startswith("shaft.mode")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--spin", "shaft=0:300:4"), "'shaft.angle': gravity acts across its axis"),
        (("--spin", "shaft=300:0:4"), "spin: 'shaft': expected ascending speeds"),
        (("--spin", "shaft=0:300:-4"), "spin: 'shaft': expected a count from 2 to 10,000, got '-4'"),
        (("--spin", "shaft=0:300:4000000"), "spin: 'shaft': expected a count from 2 to 10,000"),
        (("--spin", "shaft=0:nan:4"), "spin: 'shaft': expected start:stop:count"),
        (("--spin", "shaft=quick"), "spin: 'shaft': expected numbers, start:stop:count"),
        (("--spin", "shaft"), "spin: expected JOINT=start:stop:count"),
        (("--spin", "shift=0:300:4"), "spin: no joint 'shift'; did you mean 'shaft'"),
        (("--spin", "disc=0:300:4"), "spin: 'disc': expected a joint with one degree of freedom"),
        (("--spin", "shaft=0:1:2", "--spin", "shaft=0:1:2"), "spin: 'shaft' is given twice"),
        (("--spin", "shaft=0:1:2", "--orders", "one"), "--orders: expected whole numbers"),
        (("--spin", "shaft=0:1:2", "--frame", "blade"), "frame: expected one of auto, fixed, rotating, got 'blade'"),
        (("--spin", "shaft=0:1:2", "-o", "found.txt"), "--output: expected a name that ends in .nc or .html"),
        (("--spin", "shaft=0:1:2", "--static"), "--static: expected without --spin"),
        (("-o", "found.nc"), "--output: expected a name that ends in .html without a range"),
        (("--spin", "shaft=3", "-o", "found.nc"), "--output: expected a name that ends in .html without a range"),
    ],
)
def test_nonsense_is_one_line(command: Command, rotor: Path, arguments: tuple[str, ...], message: str) -> None:
    code, _, err = command("modes", rotor, *arguments)
    assert code == 1
    assert message in err
    assert len(err.splitlines()) == 1
    assert not list(Path().glob("*.html"))


def test_one_speed_has_a_table_of_modes(command: Command, rotor: Path) -> None:
    code, out, _ = command("modes", rotor, "--spin", "shaft=200", "--no-gravity")
    assert code == 0
    assert "overhung disc: steady rotation after" in out
    assert "overhung disc: 6 modes" in out
    assert "generalized forces" not in out
    assert out.splitlines()[-1] == f"page: {rotor.with_suffix('.modes.html')}"
    assert "natural modes" in rotor.with_suffix(".modes.html").read_text()


def test_gravity_is_left_out_without_a_spin_too(command: Command, tmp_path: Path) -> None:
    path = shutil.copy(EXAMPLES / "pendulum.toml", tmp_path)
    assert "rigid" not in command("modes", path)[1]
    assert "rigid" in command("modes", path, "--no-gravity")[1]


DRIVEN = """
name = "driven"
gravity = [0, 0, 0]
[[body]]
name = "m"
mass = 2
joint = { type = "prismatic", axis = "x" }
[[actuator]]
speed = "m.position"
force = "-k*m.position"
[variables]
k = 100
"""


def frequencies(out: str) -> list[float]:
    """Those of a printed table of modes, Hz."""
    return [float(words[1]) for words in map(str.split, out.splitlines()) if words and words[0].isdecimal()]


def test_forces_of_the_file_are_springs(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.toml").write_text(DRIVEN)
    code, out, err = command("modes", "m.toml")
    assert (code, err) == (0, "")
    assert frequencies(out) == pytest.approx([np.sqrt(100 / 2) / (2 * np.pi)], rel=1e-5)
    code, out, err = command("modes", "m.toml", "--set", "variables.k=400")
    assert frequencies(out) == pytest.approx([np.sqrt(400 / 2) / (2 * np.pi)], rel=1e-5)


def test_modes_are_about_the_start_of_the_run(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pendulum that a torque of m g l / 2 holds at 30 degrees: w^2 = g cos(30 deg) / l."""
    monkeypatch.chdir(tmp_path)
    arm = '[[body]]\nname = "arm"\nmass = 1\ncom = [0, 0, -1]\njoint = { type = "revolute", axis = "y" }\n'
    torque = '[[actuator]]\nspeed = "arm.angle"\nforce = "4.905"\n'
    simulation = '[simulation]\nduration = 1\nstart = "equilibrium"\n'
    expected = [np.sqrt(9.81 * np.cos(np.pi / 6)) / (2 * np.pi)]
    Path("m.toml").write_text('name = "pendulum"\n' + arm + torque + simulation)
    code, out, err = command("modes", "m.toml")
    assert (code, err) == (0, "")
    assert "not a free equilibrium" not in out
    assert frequencies(out) == pytest.approx(expected, rel=1e-5)
    Path("m.toml").write_text('name = "pendulum"\n' + arm + torque)
    assert frequencies(command("modes", "m.toml", "--static")[1])[-1:] == pytest.approx(expected, rel=1e-5)
    start = f"[simulation]\nduration = 1\nq = {{ arm.angle = {np.pi / 6!r} }}\nv = {{ arm.angle = 1.0 }}\n"
    Path("m.toml").write_text('name = "pendulum"\n' + arm + torque + start)
    code, out, err = command("modes", "m.toml")
    assert err == "warning: m.toml: the modes leave out start speeds of arm.angle (--spin: modes in rotation)\n"
    assert frequencies(out) == pytest.approx(expected, rel=1e-5)


def test_what_modes_over_speed_leave_out_is_named(command: Command, rotor: Path) -> None:
    rotor.write_text(rotor.read_text() + '\n[[actuator]]\nspeed = "shaft.mode1"\nforce = "-10*shaft.mode1"\n')
    code, _, err = command("modes", rotor, "--spin", "shaft=10", "--no-gravity")
    assert (code, err) == (0, f"warning: {rotor}: the modes leave out actuators of shaft.mode1\n")


def test_start_speeds_that_are_no_rotation_have_no_advice(command: Command, tmp_path: Path) -> None:
    """A steady rotation is about the axis of a joint, which a spherical joint does not have."""
    ball = '[[body]]\nname = "top"\nmass = 1\ncom = [0, 0, -1]\ninertia = [1, 1, 1]\njoint = { type = "spherical" }\n'
    start = "[simulation]\nduration = 1\nv = { top.wz = 1.0 }\n"
    (tmp_path / "m.toml").write_text(f'name = "top"\n{ball}{start}')
    code, _, err = command("modes", tmp_path / "m.toml", "-o", tmp_path / "m.html")
    assert (code, err) == (0, f"warning: {tmp_path / 'm.toml'}: the modes leave out start speeds of top.wz\n")


def test_limits_of_a_robot_play_no_part(command: Command, tmp_path: Path) -> None:
    code, _, err = command("modes", EXAMPLES / "robot_from_urdf.urdf", "-o", tmp_path / "m.html")
    assert (code, err) == (0, "")


@pytest.mark.parametrize("more", [(), ("--static",)])
def test_what_leaves_nothing_to_move_is_named(command: Command, more: tuple[str, ...]) -> None:
    code, _, err = command("modes", EXAMPLES / "four_bar.toml", *more)
    expected = (
        "error: fixed: nothing of model 'four-bar' that its constraints let move is left to move besides what is fixed "
        "or prescribed, crank.angle; leave some of it free (--set motion=[])\n"
    )
    assert (code, err) == (1, expected)
