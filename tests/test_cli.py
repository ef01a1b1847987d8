"""The command: what a user sees, also when something is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from rich.text import Text

from generators_flexible import random_flexible
from robots import robot_directory
from supple import __version__, cli
from supple.structures import save_body

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


def cells_of(line: str) -> list[str]:
    """The cells of a row of a table, none of other lines."""
    return [cell.strip() for cell in line.split("\u2502")[1:-1]]


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


def test_info_shows_flexible_bodies_and_their_modes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = EXAMPLES / "satellite_two_booms.toml"
    code, out, _ = supple(capsys, monkeypatch, "info", path)
    assert code == 0
    (bus,) = (cells for cells in map(cells_of, out.splitlines()) if cells[:3] == ["bus", "ground", "free"])
    assert bus[3] == "6"
    booms = [line for line in out.splitlines() if "cantilever" in line]
    assert len(booms) == 2
    for word in ("boom1", "start", "full", "4", "0.5675 0.5675 8.906"):
        assert word in booms[0]
    assert "boom2/end" in out
    assert "bending y" not in out
    code, out, _ = supple(capsys, monkeypatch, "info", path, "--modes")
    assert out.count("boom1, boom2:") == 1
    assert out.count("bending y") == 2
    assert "deflection under unit loads" in out


def test_info_gives_frequencies_of_nodal_bodies(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = supple(capsys, monkeypatch, "info", EXAMPLES / "nodal_beam.toml", "--modes")
    assert code == 0
    first = 1.8751041**2 / (2 * np.pi) * np.sqrt(200e9 * 0.002**2 / 12 / (7800 * 0.5**4))  # of a clamped beam
    (ruler,) = (line for line in out.splitlines() if "nodal" in line and "ruler" in line)
    assert f"{first:.3g}" in ruler
    assert "60" in ruler


def test_info_of_a_body_without_a_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    body, _ = random_flexible(np.random.default_rng(0), 2)
    save_body(body, tmp_path / "b.h5")
    path = tmp_path / "m.toml"
    path.write_text('name = "m"\n[[body]]\nname = "b"\njoint = { type = "free" }\nflexible = { file = "b.h5" }\n')
    code, out, _ = supple(capsys, monkeypatch, "info", path, "--modes")
    assert code == 0
    assert "no report in its file" in out


def test_run_of_a_flexible_model_lists_joints_and_the_modes_that_move_most(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    target = tmp_path / "motion.nc"
    path = EXAMPLES / "flexible_two_link_arm.toml"
    code, out, _ = supple(capsys, monkeypatch, "run", path, "-o", target, "--duration", 0.05)
    assert code == 0
    assert "the largest of 16 coordinates of deformation" in out
    rows = [cells for cells in map(cells_of, out.splitlines()) if cells]
    assert [row[0] for row in rows[:2]] == ["upper.angle", "fore.angle"]
    assert [row[0] for row in rows[2:]].count("upper.mode1") == 1
    sizes = [max(abs(float(row[3])), abs(float(row[4]))) for row in rows[2:]]
    assert len(sizes) == 6
    assert sizes == sorted(sizes, reverse=True)


def test_brackets_are_shown_as_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "m.toml"
    body = '[[body]]\nname = "[red]a[b]"\njoint = {{ type = "revolute", axis = "y" }}\nmass = {0}\n'
    path.write_text('name = "[b]m"\n' + body.format(1))
    code, out, _ = supple(capsys, monkeypatch, "info", path)
    assert code == 0
    assert "[b]m: 1 bodies" in out
    assert "[red]a[b]" in out
    path.write_text('name = "m"\n' + body.format("['x']"))
    for command in ("check", "info"):
        code, out, err = supple(capsys, monkeypatch, command, path)
        assert code == 1
        assert "body[1] '[red]a[b]': mass: expected a number, got ['x']" in out + err


def test_names_of_files_are_shown_as_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "model[bold]:warning:.toml"
    path.write_text((EXAMPLES / "pendulum.toml").read_text())
    code, out, _ = supple(capsys, monkeypatch, "check", path)
    assert code == 0
    assert out == f"{path}: no faults\n"
    target = tmp_path / "motion[red]:warning:.nc"
    code, out, _ = supple(capsys, monkeypatch, "run", path, "-o", target, "--duration", 0.1)
    assert code == 0
    assert f"results: {target}\n" in out
    assert f"report: {target.with_suffix('.html')}\n" in out
    code, _, err = supple(capsys, monkeypatch, "info", tmp_path / "no[bold]:warning:.toml")
    assert code == 1
    assert err.startswith(f"error: {tmp_path / 'no[bold]:warning:.toml'}: no such file")


def test_help_is_shown_as_it_is_written() -> None:
    shown = cli.command()
    assert "[equations]" in (shown.commands["equations"].callback.__doc__ or "")
    for part in (shown, *shown.commands.values()):
        text = Text.from_markup(part.help or "").plain
        assert " ".join(text.split()) == " ".join((part.callback.__doc__ or "").split())


def test_help_keeps_words_in_brackets(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = supple(capsys, monkeypatch, "equations", "--help")
    assert code == 0
    assert "the table [equations] of" in " ".join(out.split())


def test_version(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = supple(capsys, monkeypatch, "--version")
    assert (code, out, err) == (0, f"supple {__version__}\n", "")


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
        (("info", EXAMPLES / "nodal_bem.toml"), "no such file; did you mean 'nodal_beam.toml'"),
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


def test_modes_shows_the_frequencies(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = supple(capsys, monkeypatch, "modes", EXAMPLES / "pendulum.toml")
    assert code == 0
    assert "frequency/Hz" in out
    code, out, err = supple(capsys, monkeypatch, "modes", EXAMPLES / "pendulum.toml", "--fixed", "amr")
    assert code == 1
    assert "amr" in err


def test_run_writes_a_page_unless_told_not_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "motion.nc"
    arguments = ("run", EXAMPLES / "pendulum.toml", "-o", target, "--duration", 0.1)
    code, out, _ = supple(capsys, monkeypatch, *arguments, "--no-report")
    assert code == 0
    assert not target.with_suffix(".html").exists()
    code, out, _ = supple(capsys, monkeypatch, *arguments)
    assert code == 0
    assert "motion.html" in out.replace("\n", "")
    assert "<html" in target.with_suffix(".html").read_text()
