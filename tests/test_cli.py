"""The command: what a user sees, also when something is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from robots import robot_directory
from supple import cli

EXAMPLES = Path(__file__).parents[1] / "examples"


def supple(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: object
) -> tuple[int, str, str]:
    """Exit code, output and error output of a command."""
    monkeypatch.setattr(sys, "argv", ["supple", *map(str, arguments)])
    monkeypatch.setattr(cli.out, "_width", 200)
    with pytest.raises(SystemExit) as end:
        cli.main()
    captured = capsys.readouterr()
    return int(end.value.code or 0), captured.out, captured.err


def test_run_writes_the_motion_and_says_what_happened(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    target = tmp_path / "motion.nc"
    code, out, err = supple(capsys, monkeypatch, "run", EXAMPLES / "pendulum.toml", "-o", target, "--duration", 2)
    assert (code, err) == (0, "")
    assert "arm.angle" in out
    assert "2 s simulated" in out
    assert "DOP853" in out
    with xr.open_dataset(target, engine="h5netcdf") as result:
        assert float(result.time[-1]) == 2.0
        assert float(result.q[0, 0]) == 1.0
        assert np.ptp(result.q.values) > 1


def test_info_lists_bodies_and_masses(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = supple(capsys, monkeypatch, "info", EXAMPLES / "six_axis_arm.toml")
    assert code == 0
    for word in ("wrist2", "revolute", "6 coordinates", "total mass 17.1 kg", "flange/tool"):
        assert word in out


def test_bench_stands_beside_pinocchio(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = next(robot_directory().rglob("double_pendulum.urdf"))
    code, out, _ = supple(capsys, monkeypatch, "bench", path)
    assert code == 0
    assert "forward dynamics" in out
    assert "Pinocchio" in out


def test_check_explains_every_fault(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert supple(capsys, monkeypatch, "check", EXAMPLES / "pendulum.toml")[0] == 0
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(
        'name = "w"\n[[body]]\nname = "arm"\nmass = -1\nparent = "grond"\n'
        'joint = { type = "revolute", axis = [0, 0, 0] }\n'
    )
    code, out, _ = supple(capsys, monkeypatch, "check", wrong)
    assert code == 1
    assert "mass: expected zero or more, got -1" in out
    assert "no body 'grond'; did you mean 'ground'?" in out
    assert "expected a direction, got the zero vector" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "nowhere.toml"), "nowhere.toml: no such file"),
        (("run", EXAMPLES / "spherical_pendulum.toml"), "no duration: give --duration"),
        (("run", EXAMPLES / "pendulum.toml", "--duration", -1), "duration: expected a positive number, got -1"),
        (("info", EXAMPLES / "pendulum.py"), "expected a .toml or .urdf file, got suffix '.py'"),
    ],
)
def test_errors_are_one_line_without_a_traceback(
    arguments: tuple[object, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code, _, err = supple(capsys, monkeypatch, *arguments)
    assert code == 1
    assert message in err
    assert "Traceback" not in err
