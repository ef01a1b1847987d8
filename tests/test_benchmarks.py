"""Every benchmark runs, on small cases: its answers agree with its peers', its tables are printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NAMES = sorted(path.stem for path in BENCHMARKS.glob("*.py") if path.stem not in ("__init__", "sizes", "cold_models"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_runs_on_small_cases(name: str) -> None:
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), "--small"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 2
