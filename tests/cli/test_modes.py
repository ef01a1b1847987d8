"""supple modes --spin: tables, page, netCDF, and what it says when something is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import rotors
import supple
from commands import Command


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
    assert out.splitlines()[-1] == "page: rotor.campbell.html"
    assert "Campbell diagram" in Path("rotor.campbell.html").read_text()


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
    assert out.splitlines()[-1] == f"page: {rotor.stem}.modes.html"
    assert "natural modes" in Path(f"{rotor.stem}.modes.html").read_text()


def test_gravity_is_left_out_without_a_spin_too(command: Command, tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "examples" / "pendulum.toml"
    assert "rigid" not in command("modes", path)[1]
    assert "rigid" in command("modes", path, "--no-gravity")[1]
