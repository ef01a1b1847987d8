"""Superelements in OP4 and DMIG files: what pyYeti reads, and that they are the body."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy

from supple.structures import FlexibleBody, Material, Rectangle, beam, write
from supple.structures.formats.modal_data import modal_data
from supple.structures.formats.nastran_writer import RootSuperelement, real, root_superelement

ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)


@cache
def body() -> FlexibleBody:
    return beam(2.0, Rectangle(0.02, 0.01), ALUMINIUM, 12).reduce("craig-bampton", 4, damping=0.01)


@cache
def made() -> RootSuperelement:
    return root_superelement(modal_data(body(), list(body().frames)))


def test_a_free_superelement_has_the_frequencies_of_a_free_beam() -> None:
    """Of the softer direction: (4.73004, 7.8532)^2 sqrt(EI / m L^4), with few modes to within 0.1 %."""
    squares = scipy.linalg.eigh(made().stiffness, made().mass, eigvals_only=True)
    assert (np.abs(squares[:6]) < 1e-6 * squares[6]).all()
    unit = np.sqrt(70e9 * 0.01**2 / 12.0 / 2700.0) / 2.0**2
    assert np.sqrt(squares[6]) / unit == pytest.approx(4.73004**2, rel=1e-3)
    assert made().mass[:3, :3] == pytest.approx(np.eye(3) * body().mass, abs=1e-12)


def test_rigid_motions_are_recovered() -> None:
    """A rotation about z of 1 rad moves the end of 2 m by 2 m in y, and turns it by 1 rad."""
    motion = made().recovery[:, 5].reshape(-1, 6)
    assert motion[1].tolist() == [0.0, 2.0, 0.0, 0.0, 0.0, 1.0]
    assert motion[0].tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]


def test_op4(tmp_path: Path) -> None:
    op4 = pytest.importorskip("pyyeti.nastran.op4", reason="pyYeti reads OP4 files")
    write(body(), tmp_path / "beam.op4")
    read = op4.read(str(tmp_path / "beam.op4"), into="dct")
    assert list(read) == ["kxx", "mxx", "bxx", "mug1"]
    for name, x in zip(read, (made().stiffness, made().mass, made().damping, made().recovery), strict=True):
        np.testing.assert_array_equal(read[name], x)


def test_dmig(tmp_path: Path) -> None:
    """Sixteen columns hold ten digits and more."""
    bulk = pytest.importorskip("pyyeti.nastran.bulk", reason="pyYeti reads DMIG")
    write(body(), tmp_path / "beam.dmig")
    read = bulk.rddmig(str(tmp_path / "beam.dmig"), expanded=True)
    n = body().modes
    for name, x in (("kaax", made().stiffness), ("maax", made().mass), ("baax", made().damping)):
        used = [(1, c) for c in range(1, 7)] + [(1001 + r, 0) for r in range(n)]
        table = read[name].reindex(index=used, columns=used, fill_value=0.0).to_numpy()
        np.testing.assert_allclose(table, x, rtol=1e-10, atol=1e-300)
    grids = bulk.rdgrids(str(tmp_path / "beam.dmig"))
    np.testing.assert_allclose(grids[:, [0, 2, 3, 4]], [[1, 0, 0, 0], [2, 2, 0, 0]], rtol=1e-10)


@pytest.mark.parametrize("x", [0.0, -1.0 / 3.0, 2e-300, -np.pi * 1e150, 123456.789])
def test_numbers_fit_their_columns(x: float) -> None:
    assert len(real(x)) == 16
    assert float(real(x)) == pytest.approx(x, rel=2e-9)
