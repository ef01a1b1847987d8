"""Files of NAS2CAM that NX Nastran wrote: the superelements of EXTSEOUT again, and motion of the grids inside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from supple.errors import FileFormatError, ModelError
from supple.structures import Superelement, read

pyyeti = pytest.importorskip("pyyeti", reason="pyyeti reads files of Nastran and brings these")
DATA = Path(pyyeti.__file__).parent / "tests"
FRAMES = {f"at{i}": i for i in (3, 11, 19, 27)}

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="this pyyeti comes without its test data")


def superelement(name: str, number: int | None = None) -> Superelement:
    found = read(DATA / f"{name}.op2", FRAMES, "mm-kg-s", superelement=number)
    assert isinstance(found, Superelement)
    return found


@pytest.mark.parametrize(("number", "name"), [(101, "outboard"), (102, "inboard")])
def test_superelements_are_those_of_extseout(number: int, name: str) -> None:
    found = superelement("nas2cam_extseout/nas2cam", number)
    expected = read(DATA / f"nas2cam_extseout/{name}.op4", FRAMES, "mm-kg-s")
    assert isinstance(expected, Superelement)
    assert found.mass == pytest.approx(expected.mass, rel=1e-9)
    np.testing.assert_allclose(found.nodes, expected.nodes, atol=1e-12)
    for one, other in ((found.stiffness, expected.stiffness), (found.mass_matrix, expected.mass_matrix)):
        assert abs(one - other).max() < 1e-9 * abs(other).max()
    ours, theirs = (x.reduce("cantilever", 8, "at3").stiffness.diagonal() for x in (found, expected))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_grids_inside_follow_rigid_motions() -> None:
    """Constraint modes and normal modes are there; grid 60 is held in one direction."""
    found = superelement("nas2cam_csuper/nas2cam", 101)
    assert found.recovery is not None
    assert len(found.recovery.labels) == 22
    motions = found.recovery.matrix @ found.rigid_motions(np.zeros(3))
    arms = found.recovery.nodes
    assert np.ptp(arms[:, 0]) > 0.5
    moved = motions.reshape(-1, 6, 6)
    np.testing.assert_allclose(moved[:, 3:, 3:], np.broadcast_to(np.eye(3), (len(arms), 3, 3)), atol=1e-6)
    np.testing.assert_allclose(moved[:, 3:, 2], np.cross([0.0, 0.0, 1.0], arms), atol=1e-6)
    body = found.with_masses(dict.fromkeys(found.recovery.labels.tolist(), found.mass / len(arms))).reduce(
        "craig-bampton", 4, "at3"
    )
    assert body.missing_for_full_fidelity == ""


def test_the_only_superelement_is_taken() -> None:
    assert superelement("nastran_drm12/inboard_nas2cam").mass == pytest.approx(1.755052, rel=1e-6)


def test_wrong_superelements_and_files(tmp_path: Path) -> None:
    several = "nas2cam_extseout/nas2cam"
    with pytest.raises(ModelError, match=r"superelement: expected one of 101, 102, 0, which nas2cam.op4 has, got none"):
        superelement(several)
    with pytest.raises(ModelError, match=r"superelement: expected one of 101, 102, 0, which nas2cam.op4 has, got 7"):
        superelement(several, 7)
    with pytest.raises(ModelError, match=r"superelement: expected none for Nastran: .op4"):
        read(DATA / "nas2cam_extseout" / "inboard.op4", superelement=101)
    with pytest.raises(FileFormatError, match=r"no_se_nas2cam.op4: expected matrices kaa and maa of a superelement"):
        superelement("nas2cam/no_se_nas2cam")
    for suffix, share in ((".op2", 2), (".op4", 1)):
        whole = (DATA / f"{several}{suffix}").read_bytes()
        (tmp_path / f"half{suffix}").write_bytes(whole[: len(whole) // share])
    with pytest.raises(FileFormatError, match=r"half.op2: expected files of Nastran, got damaged or other ones"):
        read(tmp_path / "half.op2", superelement=101)
