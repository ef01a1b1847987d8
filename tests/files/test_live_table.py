"""The ranges of sliders in a model file."""

from __future__ import annotations

from pathlib import Path

import pytest

import supple
from supple.files import read
from supple.files.toml import check

FILE = """
name = "cart"
[[body]]
name = "cart"
mass = 2.0
joint = {{ type = "prismatic", axis = "x" }}
[variables]
goal = 0.5
[[actuator]]
speed = "cart.position"
target = "goal"
kp = 40.0
[live.sliders]
{sliders}
"""


def written(folder: Path, sliders: str) -> Path:
    path = folder / "cart.toml"
    path.write_text(FILE.format(sliders=sliders))
    return path


def test_ranges_are_read_by_name(tmp_path: Path) -> None:
    lines = 'goal = [0, 2]\ncart.mass = [1.0, 5.0]\n"cart.position" = [-9.0, 9.0]\ncart.position.target = [0.0, 1.0]'
    with pytest.raises(supple.FileFormatError, match="cart"):  # TOML: position is a range, or a table with a target
        read(written(tmp_path, lines.replace('"cart.position"', "cart.position")))
    ranges = read(written(tmp_path, lines)).slider_ranges()
    assert ranges == {
        "goal": (0.0, 2.0),
        "cart.mass": (1.0, 5.0),
        "cart.position": (-9.0, 9.0),
        "cart.position.target": (0.0, 1.0),
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("goal = [2, 1]", r"live: sliders: 'goal': expected low < high, got \[2, 1\]"),
        ("goal = [1]", r"live: sliders: expected a table of \[low, high\] by name"),
        ("goal = 1", r"expected a table of \[low, high\] by name"),
    ],
)
def test_what_is_no_range_is_named(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(supple.FileFormatError, match=message):
        read(written(tmp_path, line))


def test_names_that_nothing_has_are_listed_by_a_check(tmp_path: Path) -> None:
    (line,) = check(written(tmp_path, "goals = [0, 1]"))
    assert "live: sliders: no variable, force, set point or parameter 'goals'; did you mean 'goal'" in line
