"""Tables of cases from CSV files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from supple.errors import FileFormatError
from supple.sampling.case_tables import read_cases


def test_a_table_has_a_column_for_each_path(tmp_path: Path) -> None:
    file = tmp_path / "cases.csv"
    file.write_text("body.arm.mass, structure.boom.modes,simulation.integrator\n1.5,3,rk4\n\n2,4,leapfrog\n")
    found = read_cases(file)
    assert found["body.arm.mass"].tolist() == [1.5, 2.0]
    assert found["structure.boom.modes"].dtype == np.int64
    assert found["simulation.integrator"].tolist() == ["rk4", "leapfrog"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n", "expected a line of paths and a line for each case"),
        ("a,a\n1,2\n", "line 1: expected a path of its own"),
        ("a,b\n1\n", "line 2: expected 2 values, got 1"),
        ("a,b\n1,\n", "line 2: expected 2 values, got 1"),
    ],
)
def test_damaged_tables_are_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "cases.csv"
    file.write_text(text)
    with pytest.raises(FileFormatError, match=f"cases.csv: {words}"):
        read_cases(file)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"no\.csv: no such file"):
        read_cases(tmp_path / "no.csv")
