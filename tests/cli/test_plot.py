"""supple plot and supple export: results of runs laid over each other, and written for other programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from support.programs.commands import Command, cells_of

PENDULUM = Path(__file__).parents[2] / "examples" / "pendulum.toml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of a pendulum; the second begins with another angle."""
    place = tmp_path_factory.mktemp("runs")
    for name, angle in (("a", 1.0), ("b", 1.1)):
        model = supple.files.read(PENDULUM).model
        supple.simulate(model, 0.5, {"arm.angle": angle}, samples=26, file=place / f"{name}.nc").close()
    return place


def test_the_table_says_the_largest_difference_and_the_page_is_written(
    folder: Path, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = command("plot", folder / "a.nc", folder / "b.nc", "--of", "arm.angle")
    assert (code, err) == (0, "")
    rows = [cells_of(line) for line in out.splitlines() if "q.arm.angle" in line]
    a, b = (supple.open_results(folder / f"{name}.nc") for name in "ab")
    gap = abs(b.q - a.q)[:, 0]
    expected = [f"{float(gap.max()):.4g}", "rad", f"{float(gap.time[int(np.argmax(gap.values))]):.6g}"]
    assert rows == [["q.arm.angle", *expected, rows[0][-1]]]
    assert out.endswith("page: a-b.plot.html\n")
    assert "q.arm.angle" in Path("a-b.plot.html").read_text()
    code, out, _ = command("plot", folder / "a.nc", folder / "b.nc", "-o", "all.html")
    assert code == 0
    assert "more signals that differ less" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a.nc", "b.nc", "--of", "arm.angel"), "error: no signal 'arm.angel'; did you mean 'arm.angle'?"),
        (("a.nc", "a.nc"), "a.nc more than once"),
        (("a.nc", "b.nc", "-o", "x.png"), "--output: expected a name for a page, such as runs.html, got x.png"),
        (("a.nc", "nowhere.nc"), "nowhere.nc: no results"),
    ],
)
def test_what_cannot_be_compared(
    arguments: tuple[str, ...], words: str, folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    code, _, err = command("plot", *arguments)
    assert code == 1
    assert words in err


def test_export_writes_beside_the_results(folder: Path, command: Command) -> None:
    code, out, _ = command("export", folder / "a.nc", "--to", "csv", "--of", "arm.angle", "--of", "kinetic_energy")
    assert (code, out) == (0, f"written: {folder / 'a.csv'}\n")
    lines = (folder / "a.csv").read_text().splitlines()
    assert lines[0] == "time [s],q.arm.angle [rad],kinetic_energy [J]"
    assert len(lines) == 27
    assert lines[1].startswith("0.0,1.0,")
    code, _, err = command("export", folder / "a.nc", "--to", "mat", "-o", folder / "a.csv")
    assert code == 1
    assert f"export: expected a name that ends in .mat, got {folder / 'a.csv'}" in err
