"""Structures from Abaqus: a block of two element types, and the three formats of its matrices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from supple.checks import Floats, Ints
from supple.errors import FileFormatError
from supple.structures import ImportedStructure, read
from support.files.imported_files import unpacked

FREE = {
    "C3D8": [438.7752, 438.7752, 555.8882, 967.0403],
    "C3D20": [449.7645, 449.7645, 595.7569, 1011.616],
}
"""Hz, of the free block, from a dense eigenproblem of the same matrices."""


@pytest.fixture(scope="module")
def block(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked("abaqus_block", tmp_path_factory.mktemp("abaqus"))


def triangle_volume(x: Floats, faces: Ints) -> float:
    a, b, c = (x[faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0


def imported(path: Path | list[Path]) -> ImportedStructure:
    structure = read(path, {"start": lambda x: x[0] < 1e-6})
    assert isinstance(structure, ImportedStructure)
    return structure


@pytest.mark.parametrize("element", FREE)
def test_frequencies_of_the_free_block(block: Path, element: str) -> None:
    structure = read(block / f"abaqus_block{element}.inp")
    assert isinstance(structure, ImportedStructure)
    report = structure.report
    np.testing.assert_allclose(report.frequencies[:4], FREE[element], rtol=2e-7)
    assert report.mass == pytest.approx(11600.0, rel=1e-6)
    assert report.density == pytest.approx(2900.0, rel=1e-6)
    assert any("lumped" in text for text in report.warnings) == (element == "C3D8")
    assert structure.surface is not None
    assert len(structure.surface.faces) == {"C3D8": 276, "C3D20": 3 * 96}[element]
    used = np.unique(structure.surface.node)
    outside = np.abs(structure.nodes - structure.nodes.mean(axis=0)).max(axis=0)
    on_faces = np.isclose(np.abs(structure.nodes - structure.nodes.mean(axis=0)), outside).any(axis=1)
    np.testing.assert_array_equal(used, np.flatnonzero(on_faces))  # in the middle of sides too
    enclosed = triangle_volume(structure.surface.vertices(structure.nodes), structure.surface.faces)
    assert enclosed == pytest.approx(4.0)


def rewritten(source: Path, target: Path, form: str, upper: bool) -> None:
    """A matrix of format COORDINATE in one of the others."""
    lines = []
    for line in source.read_text().splitlines():
        row, column, value = line.split()
        i, j = int(row) - 1, int(column) - 1
        if upper and i > j:
            continue
        first, second = (f"{form}{k // 3 + 1},{k % 3 + 1}" for k in (i, j))
        lines.append(f"{first}, {second}, {value}")
    target.write_text("** assembled\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize(("form", "upper"), [("", False), ("", True), ("BLOCK-1.", False)])
def test_entries_by_node_give_the_same_matrices(block: Path, tmp_path: Path, form: str, upper: bool) -> None:
    plain = imported(block / "abaqus_blockC3D8.inp")
    files = [block / "abaqus_blockC3D8.inp"]
    for kind in ("STIF", "MASS"):
        files.append(tmp_path / f"job_{kind}1.mtx")
        rewritten(block / f"abaqus_blockC3D8_{kind}1.mtx", files[-1], form, upper)
    other = imported(files)
    assert abs(other.stiffness - plain.stiffness).max() == 0.0
    assert abs(other.mass_matrix - plain.mass_matrix).max() == 0.0


def test_what_cannot_be_read_is_named(block: Path, tmp_path: Path) -> None:
    deck, stiffness, mass = (block / f"abaqus_blockC3D8{end}" for end in (".inp", "_STIF1.mtx", "_MASS1.mtx"))
    with pytest.raises(FileFormatError, match=r"expected one matrix MASS of Abaqus with it"):
        read([deck, stiffness])
    (tmp_path / "other_STIF2.mtx").write_text("1,1, 1,1, 1.0\n-3,1, -3,1, 1.0\n")
    (tmp_path / "other_MASS2.mtx").write_text("1,1, 1,1, 1.0\n")
    with pytest.raises(FileFormatError, match=r"other_STIF2.mtx: .*got the internal node -3"):
        read([deck, tmp_path / "other_STIF2.mtx", tmp_path / "other_MASS2.mtx"])
    with pytest.raises(FileFormatError, match=r"expected the same format"):
        read([deck, stiffness, tmp_path / "other_MASS2.mtx"])
    with pytest.raises(FileFormatError, match=r"expected 513 or 1026 rows for 171 nodes.*got 528"):
        read([block / "abaqus_blockC3D20.inp", stiffness, mass])
    moved = deck.read_text().replace("part=block\n*Node", "part=block\n1., 0., 0.\n*Node")
    (tmp_path / "moved.inp").write_text(moved)
    with pytest.raises(
        FileFormatError, match=r"moved.inp: line 16: \*INSTANCE: expected an instance that is not moved"
    ):
        read([tmp_path / "moved.inp", stiffness, mass])
