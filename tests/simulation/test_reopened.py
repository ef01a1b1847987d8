"""Results whose file is closed: another run may take its place, as Windows asks for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import supple
from supple.simulation import part_files, reopened


def block() -> supple.Model:
    mech = supple.Mechanism("block", gravity=(0, 0, 0))
    mech.add_body("block", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    return mech.build()


def run(path: Path, speed: float = 1.0) -> xr.Dataset:
    return supple.simulate(block(), 1.0, v=[speed], file=path, samples=21)


def is_open(path: Path) -> bool:
    """Whether this process has a file open."""
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
    return any(os.path.realpath(link) == str(path.resolve()) for link in links)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("whole", [0, reopened.WHOLE])
def test_no_file_stays_open(whole: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reopened, "WHOLE", whole)
    path = tmp_path / "run.nc"
    with path.open("wb"):
        assert is_open(path)  # the test sees an open file
    path.unlink()
    for result in (run(path), supple.open_results(path)):
        assert not is_open(path)
        assert float(result.q[-1, 0]) == pytest.approx(1.0)
        assert result.v.isel(time=slice(3, 6)).shape == (3, 1)
        assert not is_open(path)
    supple.load(path)
    assert not is_open(path)


def test_large_results_are_those_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path / "run.nc")
    small = supple.open_results(tmp_path / "run.nc")
    monkeypatch.setattr(reopened, "WHOLE", 0)
    large = supple.open_results(tmp_path / "run.nc")
    np.testing.assert_array_equal(large.q[[3, 7], 0], small.q.values[[3, 7], 0])
    np.testing.assert_array_equal(large.v.sel(speed="block.position")[::4], small.v.values[::4, 0])
    assert large.identical(small)


def test_results_of_which_another_run_has_taken_the_place_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reopened, "WHOLE", 0)
    first = run(tmp_path / "run.nc")
    known = first.q.values
    run(tmp_path / "run.nc", 2.0)
    assert first.q.values is known or (first.q.values == known).all()
    with pytest.raises(supple.ResultsError, match="has changed since it was opened"):
        _ = first.v.values


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_is_left_where_open_files_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: no locks, and no removal of a file that is open."""
    unlink = Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if is_open(path):
            raise PermissionError(13, "Sharing violation", str(path))
        unlink(path, missing_ok)

    monkeypatch.setattr(part_files, "fcntl", None)
    monkeypatch.setattr(Path, "unlink", refused)
    run(tmp_path / "run.nc")
    assert [x.name for x in tmp_path.iterdir()] == ["run.nc"]


def test_results_of_a_foreign_layout_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "foreign.nc"
    xr.Dataset({"q": (("coordinate", "time"), np.zeros((2, 5)))}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(supple.ResultsError, match=r"foreign\.nc: q: expected real numbers \(time, coordinate\), got"):
        supple.open_results(path)
