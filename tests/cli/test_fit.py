"""supple fit: a table, the fitted model file, and a page with measured and fitted signals."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

import supple
from support.programs.commands import Command

OSCILLATOR = """
name = "oscillator"
gravity = [0, 0, 0]
[[body]]
name = "m"
joint = { type = "prismatic", axis = "x", stiffness = 60.0, damping = 1.5 }
mass = 2.0
[simulation]
duration = 2.0
[simulation.q]
m.position = 0.5
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model file, and what was measured of the same with other numbers."""
    monkeypatch.chdir(tmp_path)
    Path("oscillator.toml").write_text(OSCILLATOR)
    t = np.linspace(0.0, 2.0, 41)
    w, decay = np.sqrt(40.0 - 0.2**2), 0.2
    x = 0.5 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    noise = 0.01 * np.random.default_rng(2).normal(size=len(t))
    rows = "".join(f"{a:.6f},{b:.6f}\n" for a, b in zip(t, x + noise, strict=True))
    Path("measured.csv").write_text(f"time,m.position\n{rows}")
    return tmp_path


def test_a_fit_is_printed_and_written(folder: Path, command: Command) -> None:
    vary = "body.m.joint.stiffness,body.m.joint.damping=1.2"
    code, out, err = command("fit", "oscillator.toml", "--data", "measured.csv", "--vary", vary, "--noise", "0.01")
    assert (code, err) == (0, "")
    assert "chi-square" in out
    assert "page: oscillator.fitted.html" in out
    fitted = tomllib.loads(Path("oscillator.fitted.toml").read_text())
    joint = fitted["body"][0]["joint"]
    assert joint["stiffness"] == pytest.approx(80.0, rel=0.02)
    assert joint["damping"] == pytest.approx(0.8, rel=0.2)
    assert fitted["simulation"] == {"duration": 2.0, "q": {"m": {"position": 0.5}}}
    assert supple.files.read("oscillator.fitted.toml").model.tree.stiffness[0] == joint["stiffness"]
    assert "q.m.position" in Path("oscillator.fitted.html").read_text()


def test_options(folder: Path, command: Command) -> None:
    options = ("--vary", "body.m.mass,body.m.joint.stiffness", "--prior", "body.m.mass=2:0.01", "--of", "m.position")
    more = (
        "--bounds",
        "body.m.joint.stiffness=10:75",
        "--noise",
        "m.position=0.01",
        "--set",
        "body.m.joint.damping=0.8",
    )
    code, out, _ = command("fit", "oscillator.toml", "--data", "measured.csv", *options, *more, "-o", "new.toml")
    assert code == 0
    assert "at a bound: body.m.joint.stiffness" in out
    assert Path("new.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--vary", "body.m.mas"), "oscillator.toml: vary"),
        (("--vary", "body.m.mass=two"), "--vary: 'body.m.mass': expected a number to start from, got 'two'"),
        (("--vary", "body.m.mass,body.m.mass"), "--vary: 'body.m.mass' stands twice"),
        (("--vary", "body.m.mass", "--noise", "much"), "--noise: expected a number, got 'much'"),
        (("--vary", "body.m.mass", "--bounds", "body.m.mass=1"), "--bounds: expected such as body.arm.mass=0.5:2"),
        (
            ("--vary", "body.m.mass", "--bounds", "body.m.mass=a:b"),
            "--bounds: 'body.m.mass': expected a number, got 'a'",
        ),
        (("--vary", "body.m.mass", "--of", "m.positoin"), "measured.csv: no signal 'm.positoin'"),
        (("--vary", "body.m.mass", "-o", "x.nc"), "--output: expected a name for a model file, such as fitted.toml"),
    ],
)
def test_wrong_arguments(folder: Path, command: Command, arguments: tuple[str, ...], words: str) -> None:
    code, _, err = command("fit", "oscillator.toml", "--data", "measured.csv", *arguments)
    assert code == 1
    assert words in " ".join(err.split())
