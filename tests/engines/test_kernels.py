"""Compiled code on disk, and workspaces between threads."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generators import random_tree
from supple.engines import kernels

PENDULUM = """
import supple
mech = supple.Mechanism("p")
mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
print(mech.build().derivative([0.5], [2.0])[0])
"""


def run_with_cache(path: Path) -> str:
    environment = {**os.environ, "SUPPLE_CACHE_DIR": str(path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PENDULUM], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_compiled_code_is_kept_in_the_chosen_directory(tmp_path: Path) -> None:
    assert run_with_cache(tmp_path) == "2.0"
    kept = sorted((tmp_path / "numba").iterdir())
    assert kept
    stamps = [path.stat().st_mtime_ns for path in kept]
    assert run_with_cache(tmp_path) == "2.0"
    assert [path.stat().st_mtime_ns for path in sorted((tmp_path / "numba").iterdir())] == stamps


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    assert run_with_cache(blocked) == "2.0"


def twice(x: float) -> float:
    return 2.0 * x


def thrice(x: float) -> float:
    return 3.0 * x


def fresh() -> tuple[list[float], list[int]]:
    """What two sweeps return and how often each was found on disk, as in a new process."""
    both: list[Any] = [kernels.sweep(twice), kernels.sweep(thrice)]
    return [f(7.0) for f in both], [sum(f.stats.cache_hits.values()) for f in both]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files of the two sweeps, compiled once."""
    monkeypatch.setattr(kernels, "DIRECTORY", tmp_path / "numba")
    assert fresh() == ([14.0, 21.0], [0, 0])
    assert fresh() == ([14.0, 21.0], [1, 1])
    return sorted((tmp_path / "numba").iterdir())


def test_damaged_entries_are_compiled_anew(kept: list[Path]) -> None:
    good = [path.read_bytes() for path in kept]
    for share in (0.0, 0.01, 0.5, 0.999):
        for path, content in zip(kept, good, strict=True):
            i = int(share * len(content))
            path.write_bytes(content[:i] + bytes([content[i] ^ 4]) + content[i + 1 :])
        assert fresh() == ([14.0, 21.0], [0, 0])
        assert fresh() == ([14.0, 21.0], [1, 1])


def test_exchanged_entries_are_compiled_anew(kept: list[Path]) -> None:
    contents = [path.read_bytes() for path in kept]
    for path, content in zip(kept, reversed(contents), strict=True):
        path.write_bytes(content)
    assert fresh() == ([14.0, 21.0], [0, 0])
    assert fresh() == ([14.0, 21.0], [1, 1])


def test_directories_in_the_place_of_entries_are_done_without(kept: list[Path]) -> None:
    for path in kept:
        path.unlink()
        path.mkdir()
    assert fresh() == ([14.0, 21.0], [0, 0])


def test_an_entry_without_its_key_and_checksum_is_never_unpickled(
    kept: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for path in kept:
        path.write_bytes(b"cbuiltins\nprint\n(S'executed'\ntR.")
    assert fresh() == ([14.0, 21.0], [0, 0])
    assert capsys.readouterr().out == ""


def test_the_fingerprint_covers_all_recursions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kernels.source_fingerprint.__wrapped__()
    package = tmp_path / "supple"
    (package / "recursions").mkdir(parents=True)
    (package / "engines" / "llvm").mkdir(parents=True)
    sources = ["spatial.py", "engines/llvm/call.py"]
    for name in [*sources, *(f"recursions/{p.name}" for p in (kernels.PACKAGE / "recursions").glob("*.py"))]:
        (package / name).write_bytes((kernels.PACKAGE / name).read_bytes())
    monkeypatch.setattr(kernels, "PACKAGE", package)
    assert kernels.source_fingerprint.__wrapped__() == before
    for name in sources:
        with (package / name).open("a") as file:
            file.write("# changed\n")
        after = kernels.source_fingerprint.__wrapped__()
        assert after != before
        before = after


def test_one_model_serves_several_threads_at_once() -> None:
    model = random_tree(7, 15)
    rng = np.random.default_rng(0)
    states = [(*model.random_state(i), rng.normal(size=model.nv)) for i in range(200)]
    expected = [model.forward_dynamics(*state) for state in states]

    def work(i: int) -> Any:
        return model.forward_dynamics(*states[i]), model.mass_matrix(states[i][0])

    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for got, want in zip(pool.map(work, range(200)), expected, strict=True):
                assert np.array_equal(got[0], want)
