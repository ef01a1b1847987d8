"""supple render: pictures, films and glTF files by the command."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import supple
from support.programs.commands import Command

EXAMPLES = Path(__file__).parents[2] / "examples"
PENDULUM = EXAMPLES / "pendulum.toml"
SIZE = ("--size", "96x64")


def test_a_results_file_and_its_model_file_give_the_same_picture(command: Command, tmp_path: Path) -> None:
    motion, a, b, start = (tmp_path / name for name in ("motion.nc", "a.png", "b.png", "c.png"))
    command("run", PENDULUM, "-o", motion, "--no-report", "--duration", "0.5")
    code, out, err = command("render", motion, "-o", a, *SIZE)
    assert (code, out.strip(), err) == (0, f"written: {a}", "")
    command("render", PENDULUM, "-o", b, "--time", "0.5", *SIZE)
    command("render", PENDULUM, "-o", start, *SIZE)
    pictures = [np.asarray(Image.open(x)).astype(int) for x in (a, b, start)]
    assert pictures[0].shape == (64, 96, 3)
    assert np.abs(pictures[0] - pictures[1]).max() <= 1  # the states are equal to the tolerance of the run
    assert np.abs(pictures[0] - pictures[2]).max() > 50


def test_a_model_file_becomes_a_film_and_a_gltf_file(command: Command, tmp_path: Path) -> None:
    film, model = tmp_path / "a.gif", tmp_path / "a.glb"
    code, _, err = command("render", PENDULUM, "-o", film, *SIZE, "--fps", "5", "--camera", "-80,10,4", "--speed", "2")
    assert (code, err) == (0, "")
    with Image.open(film) as opened:
        assert opened.n_frames > 5
    assert command("render", PENDULUM, "-o", model)[0] == 0
    assert model.read_bytes()[:4] == b"glTF"
    assert command("render", EXAMPLES / "robot_from_urdf.urdf", "-o", model)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--size", "12"), "--size: expected WIDTHxHEIGHT such as 1280x720, got '12'"),
        (("--camera", "left"), "--camera: expected numbers such as -52,20 or -52,20,3.5, got 'left'"),
        (("--show", "joint"), "show: expected any of joints, springs, contacts, loads, reactions, got 'joint'"),
        (("--follow", "x"), "follow: expected a body, got 'x'"),
        (("--model", PENDULUM), "--model: expected a results file beside it, got a model file"),
    ],
)
def test_what_does_not_fit_is_one_line(
    command: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, _, err = command("render", PENDULUM, "-o", tmp_path / "a.png", *arguments)
    assert code == 1
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_a_film_of_a_model_without_a_duration_says_what_to_do(command: Command, tmp_path: Path) -> None:
    file = EXAMPLES / "robot_from_urdf.urdf"
    code, _, err = command("render", file, "-o", tmp_path / "a.mp4", "--no-limits")
    assert code == 1
    assert "no duration: give [simulation] duration in the file, or the results of supple run" in err


def test_results_without_their_model_need_it(command: Command, tmp_path: Path) -> None:
    motion, picture = tmp_path / "motion.nc", tmp_path / "a.png"
    supple.simulate(supple.files.read(PENDULUM).model, 0.1, samples=3).to_netcdf(motion, engine="h5netcdf")
    code, _, err = command("render", motion, "-o", picture, *SIZE)
    assert code == 1
    assert "expected results that hold their model, got none; name its file with --model" in err
    assert command("render", motion, "-o", picture, "--model", PENDULUM, *SIZE)[0] == 0
