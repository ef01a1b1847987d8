"""supple run: what it writes and says; signals, full disks, terminals."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from errno import EACCES
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from supple import cli
from supple.simulation import recorder
from support.files.robots import robot_directory
from support.programs.children import in_the_background, interruptible
from support.programs.commands import Command, cells_of

EXAMPLES = Path(__file__).parents[2] / "examples"
MODEL = """
name = "pendulum"
[[body]]
name = "arm"
mass = 1.0
com = [0.0, 0.0, -1.0]
joint = { type = "revolute", axis = "y" }
[[actuator]]
speed = "arm.angle"
force = "FORCE"
[[event]]
name = "down"
when = "arm.angle"
[simulation]
duration = 2.0
samples = 41
q = { "arm.angle" = 1.0 }
"""
RUN = "from supple import cli; cli.main()"
SIGNALLED = """
import os, signal
import supple
from supple import cli
from supple.simulation import recorder
from supple.simulation.recording import Recording
recorder.WORTH_WRITING, recorder.PARTS = 0.0, 8
append, seen = Recording.append, []
def noted(self, *arguments):
    append(self, *arguments)
    seen.append(1)
    if len(seen) == 3:
        os.kill(os.getpid(), signal.NUMBER)
Recording.append = noted
cli.main()
"""
"""A run that gets a signal when its third part is written."""


def supple(program: str, *arguments: object) -> tuple[int, str, str]:
    """Exit code, output and error output of a command in a process of its own."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=interruptible)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.toml"
    path.write_text(MODEL.replace("FORCE", "-0.1*rate(arm.angle)"))
    return path


def test_the_keyboard_stops_a_run_in_order(
    model: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "motion.nc"
    interrupted = SIGNALLED.replace("NUMBER", "SIGINT")
    with in_the_background():
        code, _, err = supple(interrupted, "run", model, "-o", target)
    assert code == 130
    assert err == f"stopped; the motion up to t = 0.75 s is in {target}; continue it with --resume\n"
    with xr.open_dataset(target, engine="h5netcdf") as left:
        assert left.attrs["finished"] == 0
        assert float(left.time[-1]) == 0.75
    monkeypatch.setattr(recorder, "PARTS", 8)
    assert command("run", model, "-o", target, "--resume", "--no-report")[0] == 0
    assert command("run", model, "-o", tmp_path / "whole.nc", "--no-report")[0] == 0
    with xr.open_dataset(target, engine="h5netcdf") as resumed, xr.open_dataset(tmp_path / "whole.nc") as whole:
        assert resumed.identical(whole)


def test_a_killed_run_is_kept_until_told_otherwise(model: Path, tmp_path: Path, command: Command) -> None:
    target = tmp_path / "motion.nc"
    assert supple(SIGNALLED.replace("NUMBER", "SIGKILL"), "run", model, "-o", target)[0] == -signal.SIGKILL
    assert not target.exists()
    code, out, err = command("run", model, "-o", target)
    assert (code, out) == (1, "")
    assert "an unfinished run is there, 3 parts" in err
    assert "--resume continues it, --overwrite starts over" in err
    model.write_text(model.read_text().replace("mass = 1.0", "mass = 1.5"))
    code, out, err = command("run", model, "-o", target, "--resume")
    assert (code, out) == (1, "")
    assert "model: line" in err
    assert "mass = 1.5" in err
    code, out, err = command("run", model, "-o", target, "--overwrite", "--no-report")
    assert (code, err) == (0, "")
    code, out, err = command("run", model, "-o", target, "--resume")
    assert (code, err) == (1, f"error: {target}: nothing to resume: the run is finished\n")


def test_a_full_disk_is_said_in_one_line_and_loses_nothing(model: Path, tmp_path: Path, command: Command) -> None:
    target = tmp_path / "motion.nc"
    assert command("run", model, "-o", target, "--no-report")[0] == 0
    before = target.read_bytes()

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, limits[1]))
    try:
        code, out, err = command("run", model, "-o", target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert "cannot be written: File too large" in err
    assert err.count("\n") == 1
    assert target.read_bytes() == before
    assert command("run", model, "-o", target, "--resume", "--no-report")[0] == 0


def test_places_where_nothing_can_be_written(
    model: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder.nc").mkdir()
    (tmp_path / "file").touch()
    for place, message in {
        "folder.nc": "expected a file, got a directory",
        "missing/motion.nc": f"cannot be written: expected a directory {tmp_path / 'missing'}, got nothing",
        "file/motion.nc": f"cannot be written: expected a directory {tmp_path / 'file'}, got a file",
        "motion.html": "results are written as netCDF: expected a name that ends in .nc, got suffix '.html'",
        "motion.csv": "supple.results.write_export makes CSV of them, `supple export` of motion.nc does too",
        "motion": "expected a name that ends in .nc, got suffix ''",
        "pendulum.toml": "the results would take the place of the model",
    }.items():
        code, out, err = command("run", model, "-o", tmp_path / place)
        assert (code, out) == (1, "")
        assert err.startswith("error: ")
        assert message in err
        assert err.count("\n") == 1

    mkdir = os.mkdir

    def refused(path: Path, *mode: int) -> None:
        if str(path).endswith(".parts"):
            raise PermissionError(EACCES, os.strerror(EACCES))
        mkdir(path, *mode)

    monkeypatch.setattr(os, "mkdir", refused)
    code, out, err = command("run", model, "-o", tmp_path / "motion.nc")
    assert (code, out) == (1, "")
    assert err == f"error: {tmp_path / 'motion.nc.parts'}: cannot be written: Permission denied\n"


def test_a_run_that_cannot_go_on_keeps_what_it_found(model: Path, tmp_path: Path, command: Command) -> None:
    model.write_text(MODEL.replace("FORCE", "1/max(1 - t, 1e-300)**3"))
    target = tmp_path / "motion.nc"
    code, out, err = command("run", model, "-o", target)
    assert (code, out) == (1, "")
    assert "DOP853 stopped at t = 1 s" in err
    assert "'rate of arm.angle' changes fastest" in err
    assert err.endswith(f"the motion up to t = 0.95 s is in {target}; start over with --overwrite\n")
    with xr.open_dataset(target, engine="h5netcdf") as left:
        assert float(left.time[-1]) == pytest.approx(0.95)
        assert np.isfinite(left.q).all()


@pytest.mark.parametrize("width", [40, 200])
def test_the_summary_fits_the_terminal(
    width: int, model: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli.out, "_width", width)
    target = tmp_path / ("a long [bold]name " * 3 + ".nc")
    code, out, err = command("run", model, "-o", target)
    assert (code, err) == (0, "")  # no bar on a pipe
    lines = out.splitlines()
    assert "DOP853: nothing is stiff: adaptive explicit steps of order 8" in lines
    assert any(line.startswith("t = ") and line.endswith(" s: down") for line in lines)
    assert any("work of the actuators" in line for line in lines)
    assert lines[-2:] == [f"results: {target}", f"report: {target.with_suffix('.html')}"]
    assert target.exists()
    assert target.with_suffix(".html").exists()
    rows = [line for line in lines if "\u2502" in line]
    assert all(len(line) <= width for line in rows)
    cells = ["".join(column) for column in zip(*(row.replace(" ", "").split("\u2502") for row in rows), strict=True)]
    assert cells[1] == "arm.angle"  # nothing is cut
    assert float(cells[2]) == 1.0
    assert all(np.isfinite(float(cell)) for cell in cells[2:6])


def test_the_summary_of_a_model_without_freedoms(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "post.toml"
    path.write_text('name = "post"\n[[body]]\nname = "post"\nmass = 2.0\njoint = { type = "fixed" }\n')
    code, out, err = command("run", path, "--duration", 1, "-o", tmp_path / "post.nc")
    assert (code, err) == (0, "")
    assert out.startswith("post: 1 s simulated in ")
    assert "energy 0 J at the start, change 0 J" in out


def test_a_terminal_shows_a_bar(model: Path, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="no pseudo-terminals here")
    master, slave = pty.openpty()
    command = [sys.executable, "-c", RUN, "run", str(model), "-o", str(tmp_path / "motion.nc"), "--no-report"]
    environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=slave, env=environment) as process:
        os.close(slave)
        shown = b""
        try:
            while chunk := os.read(master, 4096):
                shown += chunk
        except OSError:  # how Linux says that the other end is closed
            pass
        assert process.wait() == 0
    os.close(master)
    text = shown.decode()
    for word in ("simulating", "t = 2 s", "x real time", "0:00:00"):
        assert word in text


def test_a_run_acts_on_limits_and_mimic_joints_if_told_to(tmp_path: Path, command: Command) -> None:
    robot = EXAMPLES / "robot_from_urdf.urdf"
    target = tmp_path / "m.nc"
    run = ("run", robot, "--duration", 2.0, "-o", target, "--no-report")
    code, _, err = command(*run)
    assert code == 0
    assert "warning:" in err
    assert "the model leaves out limits of turret.angle, upper_arm.angle" in err
    with xr.open_dataset(target, engine="h5netcdf") as result:
        assert float(abs(result.q).max()) > 2.9
    code, out, err = command(*run, "--limits")
    assert (code, err) == (0, "")
    assert "upper_arm.angle upper" in out
    with xr.open_dataset(target, engine="h5netcdf") as result:
        assert float(result.q.sel(coordinate="upper_arm.angle").max()) <= 2.0 + 1e-9


def test_run_writes_the_motion_and_says_what_happened(command: Command, tmp_path: Path) -> None:
    target = tmp_path / "motion.nc"
    code, out, err = command("run", EXAMPLES / "pendulum.toml", "-o", target, "--duration", 2)
    assert (code, err) == (0, "")
    assert "arm.angle" in out
    assert "2 s simulated" in out
    assert "DOP853" in out
    with xr.open_dataset(target, engine="h5netcdf") as result:
        assert float(result.time[-1]) == 2.0
        assert float(result.q[0, 0]) == 1.0
        assert np.ptp(result.q.values) > 1


def test_run_of_a_flexible_model_lists_joints_and_the_modes_that_move_most(command: Command, tmp_path: Path) -> None:
    target = tmp_path / "motion.nc"
    path = EXAMPLES / "flexible_two_link_arm.toml"
    code, out, _ = command("run", path, "-o", target, "--duration", 0.05)
    assert code == 0
    assert "the largest of 16 coordinates of deformation" in out
    rows = [cells for cells in map(cells_of, out.splitlines()) if cells]
    assert [row[0] for row in rows[:2]] == ["upper.angle", "fore.angle"]
    assert [row[0] for row in rows[2:]].count("upper.mode1") == 1
    sizes = [max(abs(float(row[3])), abs(float(row[4]))) for row in rows[2:]]
    assert len(sizes) == 6
    assert sizes == sorted(sizes, reverse=True)


def test_run_writes_a_page_unless_told_not_to(tmp_path: Path, command: Command) -> None:
    target = tmp_path / "motion.nc"
    arguments = ("run", EXAMPLES / "pendulum.toml", "-o", target, "--duration", 0.1)
    code, out, _ = command(*arguments, "--no-report")
    assert code == 0
    assert not target.with_suffix(".html").exists()
    code, out, _ = command(*arguments)
    assert code == 0
    assert "motion.html" in out.replace("\n", "")
    assert "<html" in target.with_suffix(".html").read_text()


SOFT = """
name = "soft strip"
[[structure]]
name = "strip"
type = "beam"
length = 0.5
section = { type = "rectangle", width = 0.02, height = 0.001 }
material = { E = 2e9, nu = 0.3, rho = 1200.0 }
elements = 6
[[body]]
name = "strip"
joint = { type = "fixed" }
flexible = { structure = "strip", basis = "cantilever", modes = 2 }
[simulation]
duration = 1.0
samples = 51
"""


def test_the_summary_tells_of_bodies_beyond_linear_theory(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "soft.toml"
    path.write_text(SOFT)
    code, out, err = command("run", path, "--output", tmp_path / "soft.nc")
    assert code == 0
    assert "warning: body 'strip' turned by" in out
    assert "times the range of linear theory (0.2 rad)" in out
    assert "cut it into pieces (pieces = " in out
    assert "theory" not in err  # once is enough
    assert "Beyond linear theory" in (tmp_path / "soft.html").read_text()
    path.write_text(SOFT.replace("height = 0.001", "height = 0.01"))
    code, out, err = command("run", path, "--output", tmp_path / "stiff.nc")
    assert (code, "warning" in out + err) == (0, False)


def test_an_integrator_replaces_that_of_the_file(tmp_path: Path, command: Command) -> None:
    file, out = tmp_path / "arm.toml", tmp_path / "arm.nc"
    file.write_text(
        'name = "arm"\n[[body]]\nname = "arm"\nmass = 1\ncom = [0, 0, -1]\n'
        'joint = { type = "revolute", axis = "y" }\n'
        '[simulation]\nduration = 0.1\nintegrator = "rk4"\nstep = 0.01\natol = 1e-3\n'
    )
    assert command("run", file, "-o", out, "--no-report")[0] == 0
    code, said, err = command("run", file, "-o", out, "--no-report", "--overwrite", "--integrator", "DOP853")
    assert (code, err) == (0, "")
    assert "DOP853: " in said
    with xr.open_dataset(out, engine="h5netcdf") as result:
        assert "atol" not in str(result.attrs["error_control"])
    code, _, err = command("run", file, "-o", out, "--no-report", "--overwrite", "--integrator", "leapfrog")
    assert (code, err) == (1, "error: step: leapfrog needs the length of its steps, s\n")


def test_a_run_refuses_what_a_check_refuses(tmp_path: Path, command: Command) -> None:
    file = tmp_path / "arm.toml"
    text = (
        'name = "arm"\n[[body]]\nname = "arm"\nmass = 1\ncom = [0, 0, -1]\n'
        'joint = { type = "revolute", axis = "y" }\n[simulation]\nduration = 0.1\n'
    )
    twice = '[simulation.tau]\narm.angle = 1\n[[actuator]]\nspeed = "arm.angle"\nforce = 2\n'
    loops = 'loops = "independent"\n'
    links = 'formulation = { name = "erls" }\n'
    stop = '[[limit]]\ncoordinate = "arm.angle"\nupper = 1\n'
    for content, words in (
        (text + twice, "simulation: tau: 'arm.angle' has a [[actuator]] as well, expected one of them"),
        (text + loops, "loops: model 'arm' has no closed loops, got 'independent'"),
        (links + text + stop, "which a stop of joints, which holds the whole motion"),
    ):
        file.write_text(content)
        for arguments in (("check", file), ("run", file, "-o", tmp_path / "arm.nc", "--no-report")):
            code, said, err = command(*arguments)
            assert code == 1
            assert words in said + err


def test_a_robot_starts_within_its_limits_and_where_it_is_told(tmp_path: Path, command: Command) -> None:
    """Zero is beyond two limits of this arm."""
    robot = next(robot_directory().rglob("panda.urdf"))
    target = tmp_path / "m.nc"
    run = ("run", robot, "--limits", "--mimic", "--duration", 0.001, "-o", target, "--no-report", "--overwrite")
    code, _, err = command(*run)
    assert code == 0
    assert err.count("warning: start: panda_link4.angle at -0.0698") == err.count("warning") == 1
    code, _, err = command(*run, "--set", "simulation.q.panda_link4.angle=-1.5")
    assert (code, err) == (0, "")
    with xr.open_dataset(target, engine="h5netcdf") as result:
        assert float(result.q.sel(coordinate="panda_link4.angle")[0]) == -1.5
    code, _, err = command(*run, "--set", "simulation.q.panda_link4.angle=0")
    assert code == 1
    assert "limit of 'panda_link4.angle': expected a start between" in err
