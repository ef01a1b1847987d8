"""supple view: the live page of a model file, the report of a results file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import supple
from support.cases import thinned
from support.programs.children import in_the_background, interruptible
from support.programs.commands import Command

EXAMPLES = Path(__file__).parents[2] / "examples"


@contextmanager
def viewing(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and the address that it prints."""
    code = "from supple.cli import main; main()"
    command = [sys.executable, "-c", code, "view", *map(str, arguments), "--no-browser"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    pipe = subprocess.PIPE
    with in_the_background():
        process = subprocess.Popen(
            command, env=environment, text=True, stdout=pipe, stderr=pipe, preexec_fn=interruptible
        )
    with process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().split("  ")[0]
        finally:
            process.kill()


def page(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as answer:
        text: str = answer.read().decode("utf-8")
        return text


def test_a_model_file_is_shown_live_and_interrupted_without_a_traceback() -> None:
    with viewing(EXAMPLES / "six_axis_arm.toml") as (process, address):
        assert address.startswith("http://127.0.0.1:")
        text = page(address)
        assert "<h1>six axis arm</h1>" in text
        assert '"name":"shoulder.angle","unit":"N m"' in text
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize("model_file", thinned([None, EXAMPLES / "pendulum.toml"], [None]))
def test_results_are_shown_as_their_report(model_file: Path | None, tmp_path: Path) -> None:
    model = supple.files.read(EXAMPLES / "pendulum.toml").model
    target = tmp_path / "motion.nc"
    supple.simulate(model, 0.5, {"arm.angle": 1.0}, samples=11, file=target).close()
    arguments = [] if model_file is None else ["--model", model_file]
    with viewing(target, *arguments) as (process, address):
        text = page(address)
        assert "<h1>pendulum</h1>" in text
        assert "Energy change" in text
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")


def test_the_browser_is_opened_at_the_address(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def interrupt(address: str) -> bool:
        opened.append(address)
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", interrupt)
    code, out, err = command("view", EXAMPLES / "pendulum.toml")
    assert (code, err) == (0, "")
    assert opened == [out.split("  ")[0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.toml"], "nowhere.toml: no such file"),
        (["nowhere.nc"], "nowhere.nc"),
        ([EXAMPLES / "pendulum.toml", "--model", "a.toml"], "--model: expected a results file beside it"),
        ([EXAMPLES / "pendulum.toml", "--collision"], "collision: expected a .urdf file"),
        ([EXAMPLES / "pendulum.py"], "expected a .toml, .urdf or .nc file, got suffix '.py'"),
    ],
)
def test_what_cannot_be_shown_is_said_in_a_line(arguments: list[object], message: str, command: Command) -> None:
    code, _, err = command("view", *arguments)
    assert code == 1
    assert message in err


def test_results_without_a_model_are_named(command: Command, tmp_path: Path) -> None:
    target = tmp_path / "motion.nc"
    result = supple.simulate(supple.files.read(EXAMPLES / "pendulum.toml").model, 0.1, {"arm.angle": 1.0}, samples=11)
    result.to_netcdf(target, engine="h5netcdf")
    code, _, err = command("view", target)
    expected = f"error: {target}: expected results that hold their model, got none; name its file with --model\n"
    assert (code, err) == (1, expected)
