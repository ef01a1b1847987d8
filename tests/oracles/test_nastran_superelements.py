"""Two superelements that NX Nastran wrote, joined by loops, against the frequencies that it finds for both together."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.structures import FlexibleBody, Superelement, read

pyyeti = pytest.importorskip("pyyeti", reason="pyyeti reads files of Nastran and brings these")
DATA = Path(pyyeti.__file__).parent / "tests" / "nas2cam_extseout"
GRIDS = (3, 11, 19, 27)
FRAMES = {f"at{i}": i for i in GRIDS}


@pytest.fixture(scope="module")
def parts() -> dict[str, Superelement]:
    """Inboard and outboard structure, mm-kg-s."""
    if not DATA.is_dir():
        pytest.skip("this pyyeti comes without its test data")
    found = {name: read(DATA / f"{name}.op4", FRAMES, "mm-kg-s") for name in ("inboard", "outboard")}
    return {name: part for name, part in found.items() if isinstance(part, Superelement)}


def bodies(parts: Mapping[str, Superelement]) -> list[FlexibleBody]:
    return [parts[name].reduce("cantilever", root="at3") for name in ("inboard", "outboard")]


def test_masses_and_coordinates(parts: Mapping[str, Superelement]) -> None:
    assert parts["inboard"].mass == pytest.approx(1.755052, rel=1e-6)
    assert parts["outboard"].mass == pytest.approx(1.590384, rel=1e-6)
    inner, outer = bodies(parts)
    assert (inner.modes, outer.modes) == (26, 40)
    np.testing.assert_allclose(inner.frames["at11"].position, [0.0, 0.3, 0.0], atol=1e-12)


def test_welded_parts_have_the_frequencies_of_nastran(parts: Mapping[str, Superelement]) -> None:
    from pyyeti.nastran import op2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        squares = np.asarray(op2.rdnas2cam(str(DATA / "nas2cam"))["lambda"][0])
    expected = np.sqrt(np.sort(squares)[6:54]) / (2.0 * np.pi)
    inner, outer = bodies(parts)
    mech = supple.Mechanism("two superelements", gravity=(0.0, 0.0, 0.0))
    mech.add_body("inboard", inner, joint=supple.Free(), fidelity="estimated-inertia")
    mech.add_body("outboard", outer, "inboard", supple.Fixed(), at="at3", fidelity="estimated-inertia")
    for i in GRIDS[1:]:
        mech.close_loop(f"weld{i}", f"inboard/at{i}", f"outboard/at{i}", supple.Fixed())
    found = supple.linear.modes(mech.build())
    elastic = np.sort(found.frequencies)[6:]
    np.testing.assert_allclose(elastic[:48], expected, rtol=1e-6)


def test_full_fidelity_is_refused_by_name(parts: Mapping[str, Superelement]) -> None:
    inner, _ = bodies(parts)
    with pytest.raises(
        supple.ModelError, match=r"fidelity: 'full' needs more .*superelement of mass and stiffness alone"
    ):
        supple.Mechanism("one").add_body("inboard", inner)


def test_matrices_punched_as_dmig_are_the_same(parts: Mapping[str, Superelement], tmp_path: Path) -> None:
    import pandas as pd
    from pyyeti.nastran import bulk, op4

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = op4.read(str(DATA / "outboard.op4"), into="dct")
        uset = bulk.asm2uset(str(DATA / "outboard.asm"))[0]
        tables = {
            name: pd.DataFrame(found[key], index=uset.index, columns=uset.index)
            for name, key in (("kaax", "kxx"), ("maax", "mxx"))
        }
        punch = tmp_path / "outboard.pch"
        bulk.wtdmig(str(punch), tables)
    again = read([punch, DATA / "outboard.asm"], FRAMES, "mm-kg-s")
    assert isinstance(again, Superelement)
    scale = abs(parts["outboard"].stiffness).max()
    assert abs(again.stiffness - parts["outboard"].stiffness).max() < 1e-7 * scale
    assert again.mass == pytest.approx(parts["outboard"].mass, rel=1e-6)


def test_damaged_files_are_one_error(tmp_path: Path) -> None:
    whole = (DATA / "inboard.op4").read_bytes()
    (tmp_path / "wing.op4").write_bytes(whole[: len(whole) // 3])
    (tmp_path / "wing.asm").write_bytes((DATA / "inboard.asm").read_bytes())
    with pytest.raises(supple.FileFormatError, match=r"wing.op4: expected the file wing.pch beside it, got none"):
        read(tmp_path / "wing.op4")
    (tmp_path / "wing.pch").write_bytes((DATA / "inboard.pch").read_bytes())
    with pytest.raises(supple.FileFormatError, match=r"wing.op4: expected"):
        read(tmp_path / "wing.op4")
    (tmp_path / "wing.op4").write_bytes((DATA / "outboard.op4").read_bytes())
    with pytest.raises(supple.FileFormatError, match=r"wing.op4: expected matrices of 32 rows, as wing.asm has them"):
        read(tmp_path / "wing.op4")
