"""supple sweep, and supple run --case."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from support.mechanisms.swept_models import SWEEP, swept
from support.programs.commands import Command


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return swept(tmp_path).relative_to(tmp_path)


def test_a_sweep_and_one_of_its_cases(file: Path, command: Command) -> None:
    """The case is the same bit for bit, by the file alone and by what the store says of it."""
    code, said, _ = command("sweep", file, "--engine", "serial")
    assert code == 0, said
    assert "oscillator: 12 cases, 12 finished" in said
    assert "results: oscillator.sweep.zarr" in said
    found = supple.open_sweep("oscillator.sweep.zarr")
    for more in ((), ("--sweep", "oscillator.sweep.zarr")):
        code, said, _ = command("run", file, "--case", 7, *more, "-o", "case.nc", "--no-report", "--overwrite")
        assert code == 0
        assert f"case 7: end: {float(found.end[7])!r} m" in said
        assert ("as in the sweep" in said) == bool(more)
        assert "but" not in said
        with supple.open_results("case.nc") as run:
            assert run.q.values.tobytes() == found.q.values[7].tobytes()


def test_a_sweep_is_resumed_or_refused(file: Path, command: Command) -> None:
    assert command("sweep", file, "--samples", 3, "-o", "a.sweep.zarr")[0] == 0
    code, _, error = command("sweep", file, "--samples", 3, "-o", "a.sweep.zarr")
    assert (code, error) == (1, "error: a.sweep.zarr: holds a sweep; --resume continues it, --overwrite discards it\n")
    code, _, error = command("sweep", file, "--samples", 4, "-o", "a.sweep.zarr", "--resume")
    assert "differs in samples: 3 there, 4 here; --overwrite discards it" in error
    assert command("sweep", file, "--samples", 3, "-o", "a.sweep.zarr", "--resume")[0] == 0
    code, _said, _ = command("sweep", file, "--samples", 3, "--seed", 9, "-o", "a.sweep.zarr", "--overwrite")
    assert code == 0
    assert len(supple.open_sweep("a.sweep.zarr").case) == 3


def test_an_interrupt_says_how_to_continue(file: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: object, done: int, failed: int, total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("supple.cli.sweep._Bar.show", interrupted)
        code, _, error = command("sweep", file, "--engine", "serial")
    assert code == 130
    assert error == "stopped; 5 of 12 cases are in oscillator.sweep.zarr; continue with --resume\n"
    code, said, _ = command("sweep", file, "--resume", "--engine", "serial")
    assert "12 cases, 12 finished" in said


def test_failures_are_named_and_all_of_them_are_an_error(file: Path, command: Command) -> None:
    code, said, error = command("sweep", file, "--engine", "serial", "--set", "sweep.measure.end=frequency(9)")
    assert code == 1
    assert "12 cases, 0 finished, 12 failed" in said
    assert "case 0 failed: measure: frequency(9): model 'oscillator' has 1 modes" in said
    assert "... and 2 more" in said
    assert error == "error: all cases failed\n"


def test_misspelt_signals_are_found_before_the_first_case(file: Path, command: Command) -> None:
    misspelt = ("--set", "sweep.measure.end=max(mass.positon)")
    words = "measure 'end': no signal 'mass.positon'; did you mean 'mass.position'?"
    assert command("sweep", file, "--engine", "serial", *misspelt) == (1, "", f"error: {words}\n")
    assert not Path("oscillator.sweep.zarr").exists()
    assert command("check", file, *misspelt)[:2] == (1, f"error: {file}: sweep: {words}\n")
    assert command("check", file)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "oscillator.toml", "--case", 12), "case: expected one from 0 to 11, got 12"),
        (("run", "oscillator.toml", "--sweep", "a"), "--sweep: expected with --case"),
        (("run", "oscillator.toml", "--case", 1, "--sweep", "a"), "a: no sweep there"),
        (("sweep", "oscillator.toml", "--engine", "x"), "engine: no 'x'; expected one of 'auto'"),
        (("sweep", "oscillator.urdf"), "sweep: expected a .toml file"),
        (("sweep", "none.toml"), "none.toml: no such file"),
    ],
    ids=str,
)
def test_wrong_commands_are_one_line(file: Path, command: Command, arguments: tuple[object, ...], words: str) -> None:
    code, _, error = command(*arguments)
    assert code == 1
    assert words in error
    assert error.count("\n") == 1


def test_the_case_of_another_file_is_refused(file: Path, command: Command) -> None:
    assert command("sweep", file, "--samples", 2, "-o", "a.sweep.zarr")[0] == 0
    file.write_text(file.read_text() + "\n")
    _, _, error = command("run", file, "--case", 1, "--sweep", "a.sweep.zarr")
    assert "is the sweep of another model file" in error


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("joint.stiffness", "joint.stifness", "unknown key; did you mean 'stiffness'?"),
        ("uniform", "unifrm", "no distribution of this name; did you mean 'uniform'?"),
        ("mass.position = {", "mass.positio = {", "no 'mass.positio' in the model; did you mean 'mass.position'?"),
        ("samples = 12", 'samples = 12\nsampler = "grid"', "expected values or range, got the distribution uniform"),
        ("samples = 12", 'samples = 12\ntogether = [["a", "b"]]', "'a' is not varied"),
        ('"frequency(1)"', '"frequency(x)"', "expected the number of a mode"),
        ("seed = 3", "sed = 3", "unknown key; did you mean 'seed'?"),
    ],
)
def test_check_looks_at_the_sweep(file: Path, command: Command, old: str, new: str, words: str) -> None:
    assert old in SWEEP
    file.write_text(file.read_text().replace(old, new))
    code, said, _ = command("check", file)
    assert code == 1
    assert words in said


def test_values_of_all_kinds_are_repeated(file: Path, command: Command) -> None:
    """Whole numbers, texts and lists come back from the store as they were."""
    more = '[sweep.vary]\ngravity = { values = [[0, 0, -1], [0, 0, -2]] }\n"simulation.samples" = { values = [5, 9] }\n'
    file.write_text(swept(file.parent, more + '[sweep.measure]\ne = "last(mass.position)"\n').read_text())
    code, said, error = command("sweep", file, "--engine", "serial")
    assert code == 0, error
    code, said, error = command("run", file, "--case", 3, "--sweep", "oscillator.sweep.zarr", "--no-report")
    assert code == 0, error
    assert "case 3: gravity = [0, 0, -2]" in said
    assert "case 3: simulation.samples = 9" in said
    assert "as in the sweep" in said
    assert np.array_equal(supple.open_sweep("oscillator.sweep.zarr")["simulation.samples"], [5, 9, 5, 9])
