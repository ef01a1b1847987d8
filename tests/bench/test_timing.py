"""Timing: what counts, and the table of a model."""

from __future__ import annotations

from pathlib import Path

import pytest

import supple
from supple.bench import best_time, timing, timing_table

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_first_call_does_not_count_and_one_more_is_made() -> None:
    calls: list[int] = []
    assert best_time(lambda: calls.append(1), seconds=0.0) >= 0.0
    assert len(calls) == 2


def test_every_function_has_a_row_and_every_engine_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "best_time", lambda call: 2e-6)
    table = timing_table(EXAMPLES / "pendulum.toml")
    assert table.title == "pendulum: 1 bodies, 1 speeds; us a state, one thread"
    columns = [list(column.cells) for column in table.columns]
    assert columns[0] == ["inverse dynamics", "mass matrix", "forward dynamics"]
    assert columns[1] == columns[3] == ["2.000"] * 3
    assert all(float(str(x)) >= 0.0 for x in columns[2])
    assert columns[4] == [f"{2.0 / timing.BATCH:.3f}"] * 3
    assert len(columns) == 5


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(supple.FileFormatError, match=r"missing\.toml: no such file"):
        timing_table(tmp_path / "missing.toml")
