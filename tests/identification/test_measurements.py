"""Measured signals: from tables, datasets, arrays and files; what is wrong with them is said by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import supple
from supple.identification.measurements import read_measurements

T = [0.0, 0.5, 1.0]
X = [1.0, 2.0, 4.0]


def test_every_kind_of_data(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("time; arm.angle\n0;1\n0.5;2\n1;4\n")
    table = pd.DataFrame({"arm.angle": X}, index=pd.Index(T, name="time"))
    kinds: list[Any] = [
        {"t": T, "arm.angle": X},
        table,
        table.reset_index(),
        xr.Dataset({"arm.angle": ("time", X)}, coords={"time": T}),
        tmp_path / "x.csv",
        str(tmp_path / "x.csv"),
    ]
    for data in kinds:
        found = read_measurements(data)
        assert found.t.tolist() == T
        assert {name: x.tolist() for name, x in found.signals.items()} == {"arm.angle": X}
        assert found.count == 3


def test_signals_of_results_are_taken_by_the_end_of_their_names() -> None:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)))
    motion = supple.simulate(mech.build(), 0.1, q=[0.5], samples=3)
    found = read_measurements(motion, ["arm.angle"])
    np.testing.assert_array_equal(found.signals["arm.angle"], motion.q.values[:, 0])
    assert found.signals["arm.angle"][0] == 0.5


def test_missing_samples_are_skipped_on_request(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("t,a,b\n0,1,\n0.5,2,3\n1,nan,4\n")
    with pytest.raises(supple.StateError, match=r"x.csv: signal 'a': .* got nan at t = 1 s; missing='skip'"):
        read_measurements(tmp_path / "x.csv")
    found = read_measurements(tmp_path / "x.csv", missing="skip")
    assert found.count == 4
    assert found.present["b"].tolist() == [False, True, True]
    assert list(read_measurements(tmp_path / "x.csv", ["b"], "skip").signals) == ["b"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": X}, "data: expected a column 'time' or 't', got 'a'"),
        ({"t": T}, "data: expected signals beside the time, got none"),
        ({"t": T, "a": X[:2]}, r"signal 'a': expected 3 numbers, one a time, got shape \(2,\)"),
        ({"t": T, "a": [X, X]}, r"signal 'a': expected 3 numbers, one a time, got shape \(2, 3\)"),
        ({"t": [0.0, 1.0, 0.5], "a": X}, "time: expected two or more increasing finite numbers, got 0.5 after 1"),
        ({"t": [0.0], "a": [1.0]}, "time: expected two or more increasing finite numbers, got 1 of them"),
        ({"t": T, "a": [1.0, np.inf, 2.0]}, "signal 'a': expected finite numbers, got inf at t = 0.5 s"),
        ({"t": T, "a": ["x", "y", "z"]}, "signal 'a': expected 3 numbers, one a time, got others"),
        (3, "data: expected a dataset, a table, a mapping of name to array, or the path of a CSV file, got int"),
        ("nowhere.csv", "nowhere.csv: no such file"),
    ],
)
def test_wrong_data(data: Any, message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        read_measurements(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,a\n0,1\n1,two\n", "row 3, 'a': expected a number, got 'two'"),
        ("t,a\n0,1\n1\n", "row 3: expected 2 fields, got 1"),
        ("t,t\n0,1\n", "expected a first line with names, each once, got 't', 't'"),
        ("", "expected a first line with names"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(supple.StateError, match=message):
        read_measurements(tmp_path / "x.csv")


def test_wrong_arguments() -> None:
    data = {"t": T, "arm.angle": X}
    with pytest.raises(supple.StateError, match=r"data: no signal 'arm.angel'; did you mean 'arm.angle'"):
        read_measurements(data, ["arm.angel"])
    with pytest.raises(supple.StateError, match="missing: expected 'refuse' or 'skip', got 'drop'"):
        read_measurements(data, missing="drop")
    with pytest.raises(supple.StateError, match="signal 'a': expected samples, got none that is a number"):
        read_measurements({"t": T, "a": [np.nan] * 3}, missing="skip")
