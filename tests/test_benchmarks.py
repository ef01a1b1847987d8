"""Every benchmark runs, on small cases: its answers agree with its peers', its tables are printed."""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NAMES = sorted(path.stem for path in BENCHMARKS.glob("*.py") if path.stem not in ("__init__", "sizes", "cold_models"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_runs_on_small_cases(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = BENCHMARKS / f"{name}.py"
    monkeypatch.setattr(sys, "argv", [str(path), "--small"])
    monkeypatch.syspath_prepend(BENCHMARKS)
    with warnings.catch_warnings(action="default"):
        try:
            runpy.run_path(str(path), run_name="__main__")
        except SystemExit as end:
            assert not end.code, capsys.readouterr().out  # noqa: PT017
    assert capsys.readouterr().out.strip()
