"""supple sweep ends with statistics in the terminal and a page beside the results, whose command repeats a case."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from support.programs.commands import Command, cells_of

MODEL = """
name = "slider"
[[body]]
name = "slider"
mass = 2.0
joint = { type = "prismatic", axis = "x", stiffness = 50.0 }
[simulation]
duration = 0.5
q = { "slider.position" = 0.1 }
[sweep]
samples = 64
sampler = "random"
[sweep.vary]
"body.slider.mass" = { uniform = [1.5, 2.5] }
[sweep.measure]
last = "last(slider.position)"
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a model.toml"
    path.write_text(MODEL)
    return Path(path.name)


def test_statistics_page_and_the_command_that_repeats_a_case(command: Command, file: Path) -> None:
    code, said, complaints = command(
        "sweep", file, "--engine", "serial", "--samples", 16, "--set", "simulation.duration=0.4"
    )
    assert (code, complaints) == (0, "")
    rows = {cells[0]: cells[1:] for cells in map(cells_of, said.splitlines()) if cells}
    assert rows["cases"] == ["16"]
    assert re.fullmatch(r"-?0\.\d+ \(-?0\.\d+ to -?0\.\d+\)", rows["mean"][0])
    assert rows["95/95 upper bound"] == ["needs 59 cases"]
    assert rows["body.slider.mass"][1] == "< 1e-6 *"
    assert "page: a model.sweep.html" in said
    page = Path("a model.sweep.html").read_text()
    repeat = re.search(r'"command":"(.*?)"', page)
    assert repeat is not None
    words = shlex.split(repeat[1].encode().decode("unicode_escape"))
    assert words == [
        "supple",
        "run",
        "a model.toml",
        "--sweep",
        "a model.sweep.zarr",
        "--set",
        "simulation.duration=0.4",
    ]
    code, said, _ = command(*words[1:], "--case", 3, "--no-report")
    assert code == 0
    assert "as in the sweep" in said
