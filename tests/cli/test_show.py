"""supple info, modes, check, bench: what a model file holds."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from supple.structures.body.hdf5_writer import save_body
from support.files.robots import robot_directory
from support.generated.generators_flexible import random_flexible
from support.programs.commands import Command, cells_of

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_info_lists_bodies_and_masses(command: Command) -> None:
    code, out, _ = command("info", EXAMPLES / "six_axis_arm.toml")
    assert code == 0
    for word in ("wrist2", "revolute", "6 coordinates", "total mass 17.1 kg", "flange/tool"):
        assert word in out


def test_info_shows_the_limits_of_a_robot(command: Command) -> None:
    robot = EXAMPLES / "robot_from_urdf.urdf"
    assert "in runs: limits of turret.angle, upper_arm.angle" in command("info", robot, "--limits")[1]
    assert "in runs: limits" not in command("info", robot)[1]


def test_info_lists_a_beam_in_pieces_as_one(command: Command) -> None:
    code, out, _ = command("info", EXAMPLES / "spinning_beam.toml")
    assert code == 0
    assert len([line for line in out.splitlines() if cells_of(line)[:1] == ["blade"]]) == 2
    assert "craig-bampton, 8 pieces" in out
    assert "blade in pieces: blade nodes 0 to 2, blade.2 nodes 2 to 4" in out
    assert "1.645 10.31 16.45" in out  # of the whole blade: 3.5160 and 22.0345 units, and ten times the first across
    code, out, _ = command("info", EXAMPLES / "spinning_beam.toml", "--modes")
    assert out.count("blade, blade.2, blade.3") == 1


def test_info_tells_nothing_of_configurations_that_only_count(command: Command) -> None:
    code, out, err = command("info", EXAMPLES / "flexible_five_bar.toml")
    assert (code, err) == (0, "")
    assert "degrees of freedom with all loops closed: 15" in out


def test_info_shows_flexible_bodies_and_their_modes(command: Command) -> None:
    path = EXAMPLES / "satellite_two_booms.toml"
    code, out, _ = command("info", path)
    assert code == 0
    (bus,) = (cells for cells in map(cells_of, out.splitlines()) if cells[:3] == ["bus", "ground", "free"])
    assert bus[3] == "6"
    booms = [line for line in out.splitlines() if "cantilever" in line]
    assert len(booms) == 2
    for word in ("boom1", "start", "full", "4", "0.5675 0.5675 8.906"):
        assert word in booms[0]
    assert "boom2/end" in out
    assert "bending y" not in out
    code, out, _ = command("info", path, "--modes")
    assert out.count("boom1, boom2:") == 1
    assert out.count("bending y") == 2
    assert "deflection under unit loads" in out


def test_info_gives_frequencies_of_nodal_bodies(command: Command) -> None:
    code, out, _ = command("info", EXAMPLES / "nodal_beam.toml", "--modes")
    assert code == 0
    first = 1.8751041**2 / (2 * np.pi) * np.sqrt(200e9 * 0.002**2 / 12 / (7800 * 0.5**4))  # of a clamped beam
    (ruler,) = (line for line in out.splitlines() if "nodal" in line and "ruler" in line)
    assert f"{first:.3g}" in ruler
    assert "60" in ruler


def test_info_of_a_body_without_a_report(command: Command, tmp_path: Path) -> None:
    body, _ = random_flexible(np.random.default_rng(0), 2)
    save_body(body, tmp_path / "b.h5")
    path = tmp_path / "m.toml"
    path.write_text('name = "m"\n[[body]]\nname = "b"\njoint = { type = "free" }\nflexible = { file = "b.h5" }\n')
    code, out, _ = command("info", path, "--modes")
    assert code == 0
    assert "no report in its file" in out


def test_bench_stands_beside_pinocchio(command: Command) -> None:
    path = next(robot_directory().rglob("double_pendulum.urdf"))
    code, out, _ = command("bench", path)
    assert code == 0
    assert "forward dynamics" in out
    assert "Pinocchio" in out


def test_check_explains_every_fault(command: Command, tmp_path: Path) -> None:
    assert command("check", EXAMPLES / "pendulum.toml")[0] == 0
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(
        'name = "w"\n[[body]]\nname = "arm"\nmass = -1\nparent = "grond"\n'
        'joint = { type = "revolute", axis = [0, 0, 0] }\n'
    )
    code, out, _ = command("check", wrong)
    assert code == 1
    assert "mass: expected zero or more, got -1" in out
    assert "no body 'grond'; did you mean 'ground'?" in out
    assert "expected a direction, got the zero vector" in out


def test_modes_shows_the_frequencies(command: Command, tmp_path: Path) -> None:
    file = shutil.copy(EXAMPLES / "pendulum.toml", tmp_path)
    code, out, _ = command("modes", file)
    assert code == 0
    assert "frequency/Hz" in out
    assert "natural modes" in (tmp_path / "pendulum.modes.html").read_text()  # beside the file, wherever it is called
    code, out, err = command("modes", EXAMPLES / "pendulum.toml", "--fixed", "amr")
    assert code == 1
    assert "amr" in err


def test_commands_take_changes(command: Command, tmp_path: Path) -> None:
    page = ("-o", tmp_path / "modes.html")
    code, out, _ = command("info", EXAMPLES / "pendulum.toml", "--set", "body.arm.mass=3.5", "--set", "name=heavy")
    assert code == 0
    assert "heavy: 1 bodies" in out
    assert "total mass 3.5 kg" in out
    code, _, err = command("view", EXAMPLES / "pendulum.toml", "--set", "body.arm.mass")
    assert (code, err) == (1, "error: change 'body.arm.mass': expected a path and a value, such as body.arm.mass=2\n")
    code, out, _ = command("modes", EXAMPLES / "pendulum.toml", "--set", "gravity=[0, -2.4525, 0]", *page)
    assert code == 0
    quarter = out
    assert command("modes", EXAMPLES / "pendulum.toml", *page)[1] != quarter
    code, out, _ = command("check", EXAMPLES / "pendulum.toml", "--set", "body.arm.mass=-1")
    assert code == 1
    assert "mass" in out


def test_commands_name_a_basis_that_does_not_suit_what_a_body_carries(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "loaded.toml"
    path.write_text(
        'name = "loaded"\n[[structure]]\nname = "boom"\ntype = "beam"\nlength = 1.0\nelements = 12\n'
        'section = { type = "rectangle", width = 0.05, height = 0.01 }\nmaterial = { E = 70e9, nu = 0.3, rho = 2700 }\n'
        '[[body]]\nname = "boom"\njoint = { type = "fixed" }\n'
        'flexible = { structure = "boom", basis = "cantilever", modes = 1 }\n'
        '[[body]]\nname = "load"\nparent = "boom"\nat = "end"\njoint = { type = "fixed" }\n'
        "mass = 5.0\ncom = [0.3, 0, 0]\ninertia = [1, 1, 1]\n"
    )
    for words in (("info", path), ("check", path), ("run", path, "--duration", "0.01", "--output", tmp_path / "a.nc")):
        code, out, err = command(*words)
        assert code == 0
        said = " ".join((out + err).split())
        assert "its lowest frequency is 8.1 % too high" in said
        assert 'residual = ["end"]' in said
