"""Benchmarks run on small cases: answers agree with the peers', tables are printed. One of each group runs always."""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path

import pytest

from support.cases import thinned

ROOT = Path(__file__).parents[1]
QUICK = {
    "counts": "equations",
    "files": "imports",
    "many": "rollouts",
    "peers": "all_robots",
    "runs": "sensitivities",
    "speed": "forward_dynamics",
}
"""Of each group the one that runs always."""
HELPERS = ("cold_start_models",)
NAMES = [
    f"{path.parent.name}.{path.stem}"
    for path in sorted((ROOT / "benchmarks").glob("*/*.py"))
    if path.stem not in ("__init__", *HELPERS)
]


@pytest.mark.parametrize("name", thinned(NAMES, [f"{group}.{name}" for group, name in QUICK.items()]))
def test_a_benchmark_runs_on_small_cases(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--small"])
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.chdir(ROOT)
    with warnings.catch_warnings(action="default"):
        try:
            runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)
        except SystemExit as end:
            assert not end.code, capsys.readouterr().out  # noqa: PT017
    assert capsys.readouterr().out.strip()


def test_every_group_has_a_benchmark_that_runs_always() -> None:
    assert set(QUICK) == {name.partition(".")[0] for name in NAMES}
