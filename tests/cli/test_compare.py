"""`supple compare`: tables, page, and what it says when something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs.commands import Command, cells_of

EXAMPLES = Path(__file__).parents[2] / "examples"
BOOM = """
name = "[b]boom"
[[structure]]
name = "strip"
type = "beam"
length = 0.5
section = { type = "rectangle", width = 0.02, height = 0.004 }
material = { E = 70e9, nu = 0.3, rho = 2700.0 }
elements = 3
[[body]]
name = "boom"
joint = { type = "JOINT", axis = "y" }
flexible = { structure = "strip", basis = "cantilever", modes = 4 }
"""


@pytest.fixture
def boom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "boom.toml"
    path.write_text(BOOM.replace("JOINT", "revolute"))
    return path


def test_it_prints_tables_and_writes_a_page(command: Command, boom: Path) -> None:
    arguments = ("compare", boom, "--duration", 0.05, "--modes", "1, 4", "--samples", 101, "--rtol", 1e-7)
    code, out, err = command(*arguments)
    assert (code, err) == (0, "")
    rows = [cells for cells in map(cells_of, out.splitlines()) if cells]
    assert [row[0] for row in rows] == 4 * ["floating frame", "1 mode", "4 modes, all"]
    assert [row[1] for row in rows[:3]] == ["4", "1", "4"]
    assert float(rows[1][3]) > 10 * float(rows[2][3])
    assert "boom/end, which deflects by" in out
    assert "page: boom.compare.html" in out
    assert "[b]boom: two formulations" in (boom.parent / "boom.compare.html").read_text()


def test_another_frame_and_page(command: Command, boom: Path) -> None:
    simulation = 'duration = 0.01\nv = { "boom.angle" = 3.0 }\nintegrator = "generalized_alpha"\nstep = 1e-4\n'
    boom.write_text(f"{boom.read_text()}\n[simulation]\n{simulation}")
    arguments = ("compare", boom, "--modes", 2, "--frame", "boom/1", "--samples", 11, "-o", "other.html")
    code, _, err = command(*arguments)
    assert code == 1
    assert "a comparison does not take generalized_alpha" in err
    code, out, _ = command(*arguments, "--integrator", "DOP853")
    assert code == 0
    assert "boom/1, which deflects by" in out
    assert (boom.parent / "other.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no duration: give --duration"),
        (("--duration", 0.1, "--frame", "boom/ned"), "no frame 'boom/ned'; did you mean 'boom/end'?"),
        (
            ("--duration", 0.1, "--modes", "2,x"),
            "--modes: expected numbers separated by commas, such as 2,4,6, got 'x'",
        ),
        (("--duration", 0.1, "--modes", "5"), "modes: expected numbers of elastic modes from 0 to 4"),
        (("--duration", 0.1, "--output", "page.nc"), "--output: expected a name for a page, such as compare.html"),
    ],
)
def test_wrong_options_are_named(arguments: tuple[object, ...], message: str, command: Command, boom: Path) -> None:
    code, _, err = command("compare", boom, *arguments)
    assert code == 1
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("flexible_five_bar.toml", "is a tree, without closed loops"),
        ("satellite_two_booms.toml", "revolute, prismatic and fixed joints, got a free joint"),
        ("pendulum.toml", "expected a flexible body, got rigid ones only"),
    ],
)
def test_unfit_models_are_named(
    name: str, message: str, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = command("compare", EXAMPLES / name, "--duration", 0.1)
    assert code == 1
    assert message in err
    assert not list(tmp_path.iterdir())
