"""The house is in order: linting, formatting, types, and what the README promises."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import supple

ROOT = Path(__file__).parents[1]


def require_nothing_found(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("arguments", [["check"], ["format", "--check"]], ids=" ".join)
def test_ruff_finds_nothing(arguments: list[str]) -> None:
    require_nothing_found("ruff", *arguments)


def test_types_are_right() -> None:
    """The first run in a checkout takes minutes, later ones start from what it has found; `.ci/run` runs it apart."""
    require_nothing_found("mypy")


def test_the_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == supple.__version__
    assert f"## {supple.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_readme_has_two_commands_and_its_links_exist() -> None:
    text = (ROOT / "README.md").read_text()
    commands = [line for line in text.splitlines() if line.startswith("    python -m pip install")]
    assert len(commands) == 2
    model_file = next(word for word in commands[0].split() if word.endswith(".toml"))
    assert (ROOT / model_file).exists()
    for target in [part.split(")")[0] for part in text.split("](")[1:]]:
        assert target.startswith("http") or (ROOT / target.split("#")[0]).exists(), target
