"""supple export: models for other programs; wrong combinations are one line. Signals of results: see test_plot."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import pytest
import scipy

import supple
from supple.inputs.fmu_interface import read_interface
from support.programs.commands import Command

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file, a robot and results."""
    place = tmp_path_factory.mktemp("models")
    shutil.copy(EXAMPLES / "cart_pendulum.toml", place)
    shutil.copy(EXAMPLES / "robot_from_urdf.urdf", place)
    (place / "picture.png").touch()
    model = supple.files.read(EXAMPLES / "pendulum.toml").model
    supple.simulate(model, 0.2, {"arm.angle": 1.0}, samples=3, file=place / "motion.nc").close()
    return place


def test_a_model_goes_to_every_format_beside_its_file(folder: Path, command: Command) -> None:
    for to, end in (("python", "py"), ("casadi", "casadi"), ("glb", "glb"), ("mat", "mat")):
        if to == "casadi":
            pytest.importorskip("casadi", reason="casadi is not installed")
        target = folder / f"cart_pendulum.{end}"
        hanging = ("--set", "simulation.q.arm.angle=0")
        code, out, err = command("export", folder / "cart_pendulum.toml", "--to", to, *hanging)
        assert (code, out, err) == (0, f"written: {target}\n", "")
        assert target.stat().st_size > 500


@pytest.mark.parametrize("to", ["casadi", "python"])
def test_what_acts_in_runs_and_no_function_holds_is_named(to: str, folder: Path, command: Command) -> None:
    if to == "casadi":
        pytest.importorskip("casadi", reason="casadi is not installed")
    options = ("--to", to, "--functions", "forward_dynamics", "-o", folder / f"arm.{'py' if to == 'python' else to}")
    code, _, err = command("export", EXAMPLES / "arm_under_pd_control.toml", *options)
    assert (code, "has functions of the model alone" in " ".join(err.split())) == (0, to == "python")
    assert "not taken: tau" in " ".join(err.split())


def test_a_model_goes_to_an_fmu(folder: Path, command: Command) -> None:
    options = ("--fmi", "2", "--outputs", "arm", "--parameters", "arm.mass", "--sources-only", "-o", folder / "own.fmu")
    code, out, err = command("export", folder / "cart_pendulum.toml", "--to", "fmu", *options)
    assert (code, out, err) == (0, f"written: {folder / 'own.fmu'}\n", "")
    found = read_interface(folder / "own.fmu")
    assert (found.version, found.platforms) == (2, ())
    assert {"arm.angle", "arm.mass", "position(arm).x", "tau(arm.angle)"} <= {*found.variables}


def test_a_model_goes_to_a_c_library(folder: Path, command: Command) -> None:
    options = ("--functions", "forward_dynamics, pose", "--outputs", "arm", "--parameters", "arm.mass")
    more = ("--precision", "float", "-o", folder / "library")
    code, out, err = command("export", folder / "cart_pendulum.toml", "--to", "c", *options, *more)
    assert (code, out, err) == (0, f"written: {folder / 'library'}\n", "")
    header = (folder / "library" / "cart_pendulum.h").read_text()
    assert "typedef float" in header
    assert "arm_mass" in header
    assert "rk4" not in header


def test_what_a_c_library_does_not_take_of_a_run_is_named(folder: Path, command: Command) -> None:
    file = folder / "driven.toml"
    law = '[[actuator]]\nspeed = "arm.angle"\nkp = 2.0\ntarget = 0.5\n[simulation]\nduration = 1.0\n'
    text = (EXAMPLES / "cart_pendulum.toml").read_text()
    file.write_text(text[: text.index("[simulation]")] + law + 'integrator = "rk4"\nstep = 0.01\n')
    code, _, err = command("export", file, "--to", "c", "--functions", "energy", "-o", folder / "plain")
    assert code == 0
    expected = (
        "a C library has functions of the model, steps of rk4 and the start; not taken: tau, integrator 'rk4', step"
    )
    assert f"warning: model 'cart pendulum': {expected} 0.01" in " ".join(err.split())


def test_options_reach_the_format(folder: Path, command: Command) -> None:
    file, module = folder / "cart_pendulum.toml", folder / "module.py"
    options = ("--functions", "energy, mass_matrix", "--parameters", "arm.mass", "--set", "body.arm.mass=2.5")
    assert command("export", file, "--to", "python", "-o", module, *options)[0] == 0
    found = runpy.run_path(str(module))
    assert found["PARAMETERS"] == {"energy": {"arm.mass": 2.5}, "mass_matrix": {"arm.mass": 2.5}}
    target = folder / "linear.mat"
    ends = ("--inputs", "cart.position", "--outputs", "q:arm.angle,v:arm.angle")
    assert command("export", file, "--to", "mat", "-o", target, *ends)[0] == 0
    assert scipy.io.loadmat(target)["D"].shape == (2, 1)


def test_robots_and_results_too(folder: Path, command: Command) -> None:
    code, out, _ = command("export", folder / "robot_from_urdf.urdf", "--to", "python", "--functions", "mass_matrix")
    assert (code, out) == (0, f"written: {folder / 'robot_from_urdf.py'}\n")
    code, out, _ = command("export", folder / "motion.nc", "--to", "glb")
    assert (code, out) == (0, f"written: {folder / 'motion.glb'}\n")
    assert b'"animations"' in (folder / "motion.glb").read_bytes()
    code, out, _ = command("export", folder / "motion.nc", "--to", "python", "-o", folder / "pendulum.py")
    assert (code, out) == (0, f"written: {folder / 'pendulum.py'}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cart_pendulum.toml", "--to", "mat", "--fmi", "2"), "--fmi: expected only with --to fmu, got --to mat"),
        (("cart_pendulum.toml", "--to", "glb", "--functions", "energy"), "--functions: expected only with --to c or"),
        (("cart_pendulum.toml", "--to", "python", "--precision", "float"), "--precision: expected only with --to c,"),
        (("cart_pendulum.toml", "--to", "python", "--of", "x"), "--of: expected only with --to csv or mat or parquet"),
        (("cart_pendulum.toml", "--to", "csv"), "cart_pendulum.toml: --to csv: expected results, .nc, got a model"),
        (("cart_pendulum.toml", "--to", "mat", "--of", "x"), "cart_pendulum.toml: --of: expected results, .nc, got"),
        (("motion.nc", "--to", "mat", "--outputs", "x"), "motion.nc: --outputs: expected a model file, .toml or"),
        (("motion.nc", "--to", "csv", "--no-limits"), "motion.nc: --no-limits: expected a model file, .toml or"),
        (("motion.nc", "--to", "csv", "--set", "a=1"), "motion.nc: --set: expected a model file, .toml or .urdf, got"),
        (("cart_pendulum.toml", "--to", "casadi", "--functions", "rk4,energy"), "--functions: expected one for a file"),
        (("cart_pendulum.toml", "--to", "python", "-o", "x.c"), "export: expected a name that ends in .py, got x.c"),
        (("cart_pendulum.toml", "--to", "fmu", "-o", "x.zip"), "export: expected a name that ends in .fmu, got x.zip"),
        (("cart_pendulum.toml", "--to", "fmu", "--fmi", "4"), "fmi: expected 2 or 3, got 4"),
        (("cart_pendulum.toml", "--to", "fmu", "--platforms", "amiga"), "platforms: no 'amiga'"),
        (
            ("cart_pendulum.toml", "--to", "c", "--precision", "half"),
            "no precision 'half'; expected one of 'double', 'flo",
        ),
        (("nothing.toml", "--to", "python"), "nothing.toml"),
        (("picture.png", "--to", "python"), "picture.png: expected a .toml, .urdf or .nc file, got suffix '.png'"),
    ],
)
def test_wrong_combinations_are_one_line(
    arguments: tuple[str, ...], words: str, folder: Path, command: Command
) -> None:
    code, out, err = command("export", folder / arguments[0], *arguments[1:])
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("error: ")
    assert words in err


def test_a_format_that_there_is_not_is_named(folder: Path, command: Command) -> None:
    code, _, err = command("export", folder / "cart_pendulum.toml", "--to", "excel")
    assert code == 2
    assert "'excel' is not one of" in err
