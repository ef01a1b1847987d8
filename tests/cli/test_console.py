"""What all commands share: texts printed as they are, help, the version, errors in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rich.text import Text

from supple import __version__, cli
from supple.cli.console import Lines, as_options, options_of
from support.programs.commands import Command

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_command_is_a_module_too() -> None:
    """In a process of its own: where doctests are looked for, the module is imported already."""
    done = subprocess.run([sys.executable, "-m", "supple", "--version"], capture_output=True, text=True, check=True)
    assert __version__ in done.stdout


def test_brackets_are_shown_as_they_are(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    body = '[[body]]\nname = "[red]a[b]"\njoint = {{ type = "revolute", axis = "y" }}\nmass = {0}\n'
    path.write_text('name = "[b]m"\n' + body.format(1))
    code, out, _ = command("info", path)
    assert code == 0
    assert "[b]m: 1 bodies" in out
    assert "[red]a[b]" in out
    path.write_text('name = "m"\n' + body.format("['x']"))
    for name in ("check", "info"):
        code, out, err = command(name, path)
        assert code == 1
        assert "body[1] '[red]a[b]': mass: expected a number, got ['x']" in out + err


def test_names_of_files_are_shown_as_they_are(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "model[bold]:warning:.toml"
    path.write_text((EXAMPLES / "pendulum.toml").read_text())
    code, out, _ = command("check", path)
    assert code == 0
    assert out == f"{path}: no errors\n"
    target = tmp_path / "motion[red]:warning:.nc"
    code, out, _ = command("run", path, "-o", target, "--duration", 0.1)
    assert code == 0
    assert f"results: {target}\n" in out
    assert f"report: {target.with_suffix('.html')}\n" in out
    code, _, err = command("info", tmp_path / "no[bold]:warning:.toml")
    assert code == 1
    assert err.startswith(f"error: {tmp_path / 'no[bold]:warning:.toml'}: no such file")


def test_help_is_shown_as_it_is_written() -> None:
    shown = cli.command()
    assert "[equations]" in (shown.commands["equations"].callback.__doc__ or "")
    for part in (shown, *shown.commands.values()):
        text = Text.from_markup(part.help or "").plain
        assert " ".join(text.split()) == " ".join((part.callback.__doc__ or "").split())


def test_help_keeps_words_in_brackets(command: Command) -> None:
    code, out, _ = command("equations", "--help")
    assert code == 0
    assert "the table [equations] of" in " ".join(out.split())


def test_version(command: Command) -> None:
    code, out, err = command("--version")
    assert (code, out, err) == (0, f"supple {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "nowhere.toml"), "nowhere.toml: no such file"),
        (("run", EXAMPLES / "robot_from_urdf.urdf", "--no-limits"), "no duration: give --duration"),
        (("run", EXAMPLES / "pendulum.toml", "--duration", -1), "duration: expected a positive number, got -1"),
        (("info", EXAMPLES / "nodal_bem.toml"), "no such file; did you mean 'nodal_beam.toml'"),
        (("info", EXAMPLES / "pendulum.py"), "expected a .toml, .urdf or .nc file, got suffix '.py'"),
    ],
)
def test_errors_are_one_line_without_a_traceback(
    arguments: tuple[object, ...],
    message: str,
    command: Command,
) -> None:
    code, _, err = command(*arguments)
    assert code == 1
    assert message in err
    assert "Traceback" not in err


def test_advice_of_the_library_names_the_options_of_the_command_that_runs() -> None:
    known = options_of(cli.command(), "run")
    assert {"resume", "overwrite", "limits", "floating_base"} <= known
    assert as_options("resume=True continues it", known) == "--resume continues it"
    assert as_options("limits=False, floating_base=True", known) == "--no-limits, --floating-base"
    assert options_of(cli.command(), "nothing") == set()
    for text in ("resume=True continues it", "stiffness=True", "a = True"):
        assert as_options(text, options_of(cli.command(), "check")) == text


def test_a_long_command_says_how_far_it_is_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    lines = Lines("simulating", lambda: now[0])
    for t in (30.0, 59.0, 60.0, 100.0, 125.0):
        now[0] = t
        lines.show(t / 200.0, f"t = {t:g} s")
    assert capsys.readouterr().err.splitlines() == ["simulating: 30%, t = 60 s", "simulating: 62%, t = 125 s"]


@pytest.mark.parametrize("name", ["view", "render", "export"])
@pytest.mark.parametrize("option", ["--no-limits", "--limits", "--no-mimic"])
def test_results_take_no_options_of_models(name: str, option: str, tmp_path: Path, command: Command) -> None:
    more = {"view": (), "render": ("-o", tmp_path / "a.png"), "export": ("--to", "csv")}[name]
    code, _, err = command(name, tmp_path / "motion.nc", option, *more)
    assert (code, f"motion.nc: {option}: expected a model file, .toml or .urdf, got results" in err) == (1, True)
