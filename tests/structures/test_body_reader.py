"""Bodies in files come back as they were; other files are refused. The report says what was kept."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from scipy import sparse

from supple.checksums import seal
from supple.errors import FileFormatError
from supple.structures import FlexibleBody, Material, Recovery, Rectangle, Report, beam
from supple.structures.body.hdf5_reader import load_body, load_pieces
from supple.structures.body.hdf5_writer import VERSION, save_body

ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)


@cache
def body(basis: str = "craig-bampton", modes: int | None = 3) -> FlexibleBody:
    damping = None if basis == "nodal" else 0.01
    return beam(2.0, Rectangle(0.02, 0.01), ALUMINIUM, 6).reduce(basis, modes, damping=damping)


def same(a: Any, b: Any) -> None:
    """Equal to the last bit."""
    assert type(a) is type(b)
    if sparse.issparse(a):
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(a, part), getattr(b, part))
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, Recovery):
        for name in ("strains", "stresses", "static_stresses", "section_forces", "static_forces", "static"):
            same(getattr(a, name), getattr(b, name))
    elif hasattr(a, "__dataclass_fields__"):
        for field in fields(a):
            same(getattr(a, field.name), getattr(b, field.name))
    else:
        assert a == b


@pytest.mark.parametrize(
    ("basis", "modes"), [("craig-bampton", 3), ("cantilever", 0), ("free-free", 2), ("nodal", None)]
)
def test_a_body_comes_back_as_it_was(tmp_path: Path, basis: str, modes: int | None) -> None:
    original = body(basis, modes)
    save_body(original, tmp_path / "boom.h5")
    same(replace(original, source=None), load_body(tmp_path / "boom.h5"))  # files do not keep the structure
    assert [p.name for p in tmp_path.iterdir()] == ["boom.h5"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "boom.h5"
    body().save(path)
    before = path.read_bytes()
    broken = body("cantilever", 2)
    object.__setattr__(broken, "nodes", object())
    with pytest.raises(TypeError):
        broken.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["boom.h5"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "boom.h5"
    with pytest.raises(FileFormatError, match="no such file"):
        load_body(path)
    path.write_text("no HDF5")
    with pytest.raises(FileFormatError, match="damaged or foreign"):
        load_body(path)
    with h5py.File(path, "w") as file:
        file["x"] = 1
    with pytest.raises(FileFormatError, match="expected a file of format 'supple flexible body', got None"):
        load_body(path)
    body().save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileFormatError, match="damaged or foreign"):
        load_body(path)
    body().save(path)
    with h5py.File(path, "r+") as file:
        del file["nodes"]
    with pytest.raises(FileFormatError, match="damaged or foreign"):
        load_body(path)
    body().save(path)
    with h5py.File(path, "r+") as file:
        del file["stiffness/indices"]
        file["stiffness/indices"] = np.full(9, 1000)
    with pytest.raises(FileFormatError, match="damaged or foreign"):
        load_body(path)


@pytest.mark.parametrize(
    ("version", "cure"),
    [
        (VERSION - 1, "an older supple wrote it; reduce the structure and save it again"),
        (VERSION + 1, "a newer supple wrote it; update supple or save it again"),
    ],
)
def test_other_formats_are_refused_in_one_line_that_says_what_to_do(tmp_path: Path, version: int, cure: str) -> None:
    path = tmp_path / "boom.h5"
    blank = f"boom.h5: expected format {VERSION} of stored bodies, got {version}: {cure}"
    body().save(path)
    with h5py.File(path, "r+") as file:
        assert file.attrs["version"] == VERSION
        file.attrs["version"] = version
    with pytest.raises(FileFormatError) as refused:
        load_body(path)
    assert str(refused.value) == str(tmp_path / blank)
    beam(2.0, Rectangle(0.02, 0.01), ALUMINIUM, 6).pieces(2, "cantilever", 1).save(path)
    with h5py.File(path, "r+") as file:
        file.attrs["version"] = version
    with pytest.raises(FileFormatError, match=cure):
        load_pieces(path)


def test_arrays_larger_than_their_file_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "boom.h5"
    body().save(path)
    with h5py.File(path, "r+") as file:
        del file["integrals/X"]
        file.create_dataset("integrals/X", (10**9, 3, 3), "f8", chunks=(1000, 3, 3))
    words = r"boom\.h5: integrals/X: expected at most the [\d,]+ bytes of the file, got 72,000,000,000"
    with pytest.raises(FileFormatError, match=words):
        load_body(path)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("nodes", np.zeros((3, 3), complex), "nodes: expected real numbers, got complex128"),
        ("labels", np.zeros(12), "labels: expected names, got float64 of shape \\(12,\\)"),
        ("labels", [["a", "b"]], "labels: expected names, got object of shape \\(1, 2\\)"),
        ("integrals/X", ["a"], "integrals/X: expected real numbers, got object"),
    ],
)
def test_arrays_of_other_kinds_are_refused(tmp_path: Path, name: str, value: Any, message: str) -> None:
    path = tmp_path / "boom.h5"
    body().save(path)
    with h5py.File(path, "r+") as file:
        del file[name]
        file[name] = value
    with pytest.raises(FileFormatError, match=message):
        load_body(path)


@pytest.mark.parametrize("value", [1e300, -1.0])
def test_masses_of_slaved_shapes_are_possible_ones(tmp_path: Path, value: float) -> None:
    """Shapes of a mass that overflows were others each time that the body was stored again."""
    path = tmp_path / "boom.h5"
    body("cantilever").save(path)
    with h5py.File(path, "r+") as file:
        mass = file["second_order/mass_own"]
        mass[0, 0] = value
    seal(path)
    with pytest.raises(FileFormatError, match=r"boom\.h5: second_order: expected masses from 0 to 1e\+100, got"):
        load_body(path)


def test_the_report_counts_the_mass() -> None:
    full = body("cantilever", 36).report
    assert isinstance(full, Report)
    assert set(full.kinds) == {"bending y", "bending z", "axial", "torsion"}
    root_share = 1.0 / 6.0 / 2.0
    assert (full.participation[-1] > 1 - root_share).all()
    assert (full.participation[-1] < 1 + 1e-12).all()
    assert full.mass_error < 1e-13
    assert full.resistance.max() < 1e-12
    np.testing.assert_allclose(full.static_share, 1.0, rtol=1e-9)
    # the first bending mode of a cantilever has 61.3 % of the mass
    assert full.effective[0, 5] / full.total[5] == pytest.approx(0.6131, abs=2e-4)


def test_the_report_is_readable() -> None:
    text = str(body().report)
    lines = text.splitlines()
    assert lines[0].startswith("mode  kind")
    assert "interface" in lines[0]
    assert lines[1].split()[:3] == ["1", "bending", "z"]
    assert "  end: rx 100, ry 100, rz 100, ux 100, uy 100, uz 100" in lines
    column = next(line for line in lines if "force x at end" in line)
    assert column.startswith("  force x at end: none, ")  # a pull does not buckle it
    assert column.endswith(" N")
    assert lines[-1].startswith("  mode 9: ")
    nodal = str(body("nodal", None).report)
    assert nodal.startswith("force against rigid motion")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("integrals/E", np.zeros((2, 3)), "E: expected shape"),
        ("nodes", np.zeros((2, 3)), "expected shape"),
        ("integrals/mass", np.nan, "mass nan"),
        ("frames/1/shape", np.zeros((6, 1)), "shape of"),
        ("integrals/X", np.full((3, 3, 3), np.inf), "X: expected"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(tmp_path: Path, name: str, value: Any, message: str) -> None:
    path = tmp_path / "body.h5"
    body("cantilever").save(path)
    with h5py.File(path, "r+") as file:
        del file[name]
        file[name] = value
    with pytest.raises(FileFormatError, match=message):
        load_body(path)


@pytest.mark.skipif(os.name != "posix", reason="other systems have no umask")
def test_others_may_read_a_body_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save_body(body(), tmp_path / "boom.h5")
    finally:
        os.umask(before)
    assert (tmp_path / "boom.h5").stat().st_mode & 0o777 == 0o640


def test_a_body_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"missing.boom.h5: cannot be written: No such file"):
        save_body(body(), tmp_path / "missing" / "boom.h5")
