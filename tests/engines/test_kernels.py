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
from supple.engines.workspaces import KEPT, borrow
from supple.recursions.tree import Sizes

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
    kept = sorted(tmp_path.rglob("*.nbc"))
    assert kept
    stamps = [path.stat().st_mtime_ns for path in kept]
    assert run_with_cache(tmp_path) == "2.0"
    assert [path.stat().st_mtime_ns for path in sorted(tmp_path.rglob("*.nbc"))] == stamps


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    assert run_with_cache(blocked) == "2.0"


def test_a_damaged_cache_entry_does_not_crash(tmp_path: Path) -> None:
    run_with_cache(tmp_path)
    for path in tmp_path.rglob("*.nb?"):
        path.write_bytes(b"damaged" * 10)
    assert run_with_cache(tmp_path) == "2.0"


def test_the_fingerprint_covers_all_recursions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kernels.source_fingerprint.__wrapped__()
    package = tmp_path / "supple"
    (package / "recursions").mkdir(parents=True)
    for name in ["spatial.py", *(f"recursions/{p.name}" for p in (kernels.PACKAGE / "recursions").glob("*.py"))]:
        (package / name).write_bytes((kernels.PACKAGE / name).read_bytes())
    monkeypatch.setattr(kernels, "PACKAGE", package)
    assert kernels.source_fingerprint.__wrapped__() == before
    with (package / "spatial.py").open("a") as file:
        file.write("# changed\n")
    assert kernels.source_fingerprint.__wrapped__() != before


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


def test_few_workspaces_are_kept() -> None:
    first = borrow(Sizes(3, 3), np.float64)
    assert borrow(Sizes(3, 3), np.float64) is first
    for n in range(10, 10 + KEPT):
        borrow(Sizes(n, n), np.float64)
    assert borrow(Sizes(3, 3), np.float64) is not first
