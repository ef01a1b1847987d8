"""Results as CSV, MATLAB and Parquet files: what is read back is what was computed."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
import scipy
import xarray as xr

from supple.errors import ResultsError, StateError
from supple.results import write_export
from supple.results.export import matlab_names


def result() -> xr.Dataset:
    t = np.linspace(0.0, 1.0, 7) / 3
    labels = ["arm.angle", "arm_angle", "left, arm"]
    q = np.sin(np.outer(t, [1.0, 2.0, 3.0]))
    units = ("coordinate", ["rad", "1", "m"])
    return xr.Dataset(
        {"q": (("time", "coordinate"), q, {"units": "see coordinate_unit"}), "names": ("time", t)},
        {"time": t, "coordinate": labels, "coordinate_unit": units},
    )


def test_csv_has_names_and_units_in_its_first_line_and_every_digit(tmp_path: Path) -> None:
    x = result()
    with write_export(x, tmp_path / "motion.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["time [s]", "q.arm.angle [rad]", "q.arm_angle", "q.left, arm [m]", "names"]
    values = np.array(rows, dtype=float)
    assert (values[:, 0] == x.time.values).all()
    assert (values[:, 1:4] == x.q.values).all()


def test_matlab_reads_every_signal_under_a_name_that_it_allows(tmp_path: Path) -> None:
    x = result()
    found = scipy.io.loadmat(write_export(x, tmp_path / "motion.mat"), simplify_cells=True)
    own = [name for name in found if not name.startswith("__")]
    assert own == ["time", "q_arm_angle", "q_arm_angle_2", "q_left__arm", "names_2", "names", "units"]
    assert (found["q_arm_angle_2"] == x.q.values[:, 1]).all()
    assert found["names"].tolist()[2] == ["q_arm_angle_2", "q.arm_angle"]
    assert found["units"].tolist()[:2] == ["s", "rad"]


def test_parquet_has_names_units_and_numbers(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    x = result()
    table = parquet.read_table(write_export(x, tmp_path / "motion.parquet", of=["arm.angle"]))
    assert table.column_names == ["time", "q.arm.angle"]
    assert table.schema.field("q.arm.angle").metadata == {b"units": b"rad"}
    assert (table["q.arm.angle"].to_numpy() == x.q.values[:, 0]).all()


def test_parquet_without_pyarrow_is_refused_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ResultsError, match=r"export: parquet needs pyarrow: pip install supple\[parquet\]"):
        write_export(result(), tmp_path / "motion.parquet")
    assert list(tmp_path.iterdir()) == []


def test_names_for_matlab() -> None:
    long = "q." + "boom/end." * 20
    made = matlab_names([long, f"{long}x", "", "1st", "q.x", "q_x", "q x"])
    assert len(set(made)) == len(made)
    assert all(re.fullmatch(r"[A-Za-z]\w{0,62}", name, re.ASCII) for name in made)


@pytest.mark.parametrize(
    ("name", "form", "words"),
    [
        ("motion.xlsx", None, "export: no format 'xlsx'; expected one of 'csv', 'mat', 'parquet'"),
        ("motion.mat", "csv", "export: expected a name that ends in .csv, got"),
        ("nowhere/motion.csv", None, "motion.csv: cannot be written: No such file or directory"),
    ],
)
def test_what_cannot_be_written(name: str, form: str | None, words: str, tmp_path: Path) -> None:
    with pytest.raises((StateError, ResultsError), match=words):
        write_export(result(), tmp_path / name, form)
