"""The public names are found when they are asked for, and nothing heavy is loaded before."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import supple

LIGHT = """
import sys, supple
mech = supple.Mechanism("p")
mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
mech.build().forward_dynamics([0.5], [0.0], [0.0])
heavy = ("xarray", "pandas", "pydantic", "h5py", "scipy.sparse", "scipy.linalg", "scipy.signal", "scipy.interpolate",
         "scipy.integrate", "rich", "typer")
print([name for name in heavy if name in sys.modules])
"""
RUN = """
import sys
from supple.cli import main
from supple.simulation.recorder import Recorder
record = Recorder.record
def begun(*args):
    print([name for name in ("xarray", "pandas", "h5py", "scipy.sparse", "scipy.linalg") if name in sys.modules])
    return record(*args)
Recorder.record = begun
sys.argv = ["supple", "run", {file!r}, "-o", {target!r}, "--duration", "0.1"]
try:
    main()
except SystemExit as end:
    assert not end.code
heavy = ("scipy.signal", "scipy.stats", "scipy.interpolate", "scipy.integrate", "scipy.optimize", "supple.compare",
         "supple.linear", "supple.symbolic.routes", "supple.view.live.page", "supple.bench")
print([name for name in heavy if name in sys.modules])
"""
INFO = """
import sys
from supple.cli import main
sys.argv = ["supple", {command!r}, {file!r}]
try:
    main()
except SystemExit as end:
    assert not end.code
heavy = ("xarray", "pandas", "h5py", "scipy.sparse", "scipy.signal", "scipy.stats", "scipy.interpolate",
         "scipy.integrate", "scipy.optimize")
print([name for name in heavy if name in sys.modules])
"""


def test_every_public_name_is_there() -> None:
    for name in supple.__all__:
        assert getattr(supple, name).__name__ == name
    assert set(supple.__all__) <= set(dir(supple))


PACKAGES = [
    info.name
    for info in pkgutil.iter_modules(supple.__path__, "supple.")
    if hasattr(importlib.import_module(info.name), "__all__")
]


@pytest.mark.parametrize("package", PACKAGES)
def test_completion_shows_every_public_name(package: str) -> None:
    """In a process of its own nothing has been imported yet; here all is named before it is asked for."""
    module = importlib.import_module(package)
    assert set(module.__all__) <= set(dir(module))


def test_completion_shows_names_that_were_not_imported_yet() -> None:
    loaded = "'supple.structures.builders.beam' in sys.modules"
    code = f"import sys; from supple import structures as s; print({loaded}, *dir(s))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, *shown = done.stdout.split()
    assert loaded == "False"
    assert {"beam", "plate", "Material"} <= set(shown)


def test_packages_are_found_as_attributes() -> None:
    code = "import supple as s; print(s.linear.modes.__name__, s.erls.build.__name__, s.structures.beam.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["modes", "build", "beam"]


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'supple' has no attribute 'Mechanims'"):
        supple.Mechanims  # type: ignore[attr-defined]  # noqa: B018


def test_a_model_is_built_and_evaluated_without_readers_of_files_and_results() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_run_loads_neither_what_other_commands_need_nor_what_its_model_does_not_ask_for(tmp_path: Path) -> None:
    file, target = Path(__file__).parents[1] / "examples" / "pendulum.toml", tmp_path / "motion.nc"
    code = RUN.format(file=str(file), target=str(target))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, *_, last = done.stdout.splitlines()
    assert (first, last) == ("[]", "[]")
    assert target.with_suffix(".html").exists()  # not trivial: the page is part of it


@pytest.mark.parametrize("command", ["info", "check"])
def test_commands_without_results_do_not_load_their_reader(command: str) -> None:
    code = INFO.format(command=command, file=str(Path(__file__).parents[1] / "examples" / "pendulum.toml"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert len(done.stdout.splitlines()) > 1  # not trivial: the command has said something
