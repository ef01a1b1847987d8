"""Structures from CalculiX: what it stored is read, and its own frequencies come out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy

from supple.errors import FileFormatError, ModelError
from supple.structures import ImportedStructure, read
from supple.structures.formats.calculix import read_calculix
from supple.structures.formats.file_set import MOST_BYTES, file_set
from support.files.imported_files import unpacked

AT_REST = [11015.25, 67944.10, 437620.5, 2625724.0, 3507659.0, 11956230.0]
SPINNING = [22936.11, 69930.55, 502915.8, 2680579.0]
"""Squared frequencies that CalculiX prints for the block with one face clamped, rad^2/s^2."""


@pytest.fixture(scope="module")
def block(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked("calculix_block", tmp_path_factory.mktemp("calculix"))


def imported(path: Path) -> ImportedStructure:
    structure = read(path, {"start": "ROOT", "end": "tip"})
    assert isinstance(structure, ImportedStructure)
    return structure


def test_the_clamped_block_has_the_frequencies_of_calculix(block: Path) -> None:
    structure = imported(block / "free.inp")
    fixed = np.repeat(np.isin(np.arange(128), structure.frames["start"]), 3)
    K, M = (m.toarray()[~fixed][:, ~fixed] for m in (structure.stiffness, structure.mass_matrix))
    np.testing.assert_allclose(scipy.linalg.eigh(K, M, eigvals_only=True)[:6], AT_REST, rtol=2e-6)
    squares = structure.reduce("cantilever", 4).stiffness.diagonal()  # its tip is rigid
    np.testing.assert_allclose(squares, AT_REST[:4], rtol=1e-5)


def test_matrices_of_the_spinning_block_have_the_frequencies_of_calculix(block: Path) -> None:
    raw = read_calculix(file_set(block / "prem.inp"))
    squares = scipy.linalg.eigh(raw.stiffness.toarray(), raw.mass.toarray(), eigvals_only=True)[:4]
    np.testing.assert_allclose(squares, SPINNING, rtol=1e-6)


def test_a_deck_with_supports_is_refused_by_node(block: Path) -> None:
    with pytest.raises(
        ModelError, match=r"frame 'start': no node of the set 'ROOT' has .*leave supports \(\*BOUNDARY\) out"
    ):
        read(block / "prem.inp", {"start": "ROOT"})
    with pytest.raises(FileFormatError, match=r"prem.inp: stiffness: expected a free structure.*leave supports out"):
        read(block / "prem.inp")


def test_units_frames_and_labels(block: Path) -> None:
    structure = read(block / "free.sti", {"corner": 128, "face": lambda x: x[0] < 1e-9}, "mm-t-s")
    assert isinstance(structure, ImportedStructure)
    assert structure.frames == {"corner": (127,), "face": tuple(range(8))}
    assert structure.node(128) == 127
    assert structure.mass == pytest.approx(2700.0)
    assert np.ptp(structure.nodes[:, 0]) == pytest.approx(1e-3)
    assert structure.report.guess[0].length == "m"
    assert any("read the file with units='m-kg-s'" in text for text in structure.report.warnings)
    with pytest.raises(ModelError, match=r"frame 'end': no node set 'TOP'; did you mean 'TIP'"):
        read(block / "free.inp", {"end": "TOP"})
    with pytest.raises(ModelError, match=r"frame 'end': no node 1000 .*from 1 to 128"):
        read(block / "free.inp", {"end": 1000})


def test_report_of_a_sound_block(block: Path) -> None:
    report = imported(block / "free.inp").report
    assert report.warnings == ()
    assert report.mass == pytest.approx(2.7, rel=1e-12)
    assert report.density == pytest.approx(2700.0)
    np.testing.assert_allclose(report.com, [0.5, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(np.diag(report.inertia), 2.7 / 12 * np.array([0.0029, 1.0004, 1.0025]), rtol=1e-9)
    assert report.residual.max() < 1e-12
    assert report.held_frequencies[0] == pytest.approx(np.sqrt(AT_REST[0]) / (2 * np.pi), rel=1e-6)
    assert 0.6 < report.effective[0, 5] / report.mass < 0.62  # 0.613 of a cantilever's mass is in its first mode
    text, page = str(report), report._repr_html_()
    for figure in ("2.7 kg", "frame start: 8 nodes", "free-free frequencies: 104.97", "m, kg, s"):
        assert figure in text
    assert page.count("<table>") == 3


WRONG: dict[str, list[tuple[Callable[[str], str], str]]] = {
    "free.sti": [
        (lambda t: t[: len(t) // 2], r"free.sti: line \d+: expected a line break behind it; is the file complete\?"),
        (lambda t: "\n".join(t.split("\n")[:900]) + "\n", r"free.sti: expected 384 rows, as free.dof has them, got"),
        (lambda t: t.replace("1 2 ", "1 385 ", 1), r"free.sti: entry 2: expected rows and columns from 1 to 384"),
        (lambda t: t.replace("1 2 ", "1 two ", 1), r"free.sti: line 2: expected row, column and value, got '1 two"),
        (lambda t: t.replace("1 1  1.5", "1 1  -1.5", 1), r"free.inp: stiffness: expected no negative eigenvalue"),
        (
            lambda t: t + f"{10**20} 1 1.0\n",
            r"free.sti: entry 15601: row and column: expected whole numbers, got 1e\+20",
        ),
        (
            lambda t: re.sub(r"(?m)^(\d+) (?!\1 )(\d+) .*", r"\1 \2 -1e308", t, count=1),
            r"free.inp: stiffness: .* got -1e\+308",
        ),
        (lambda t: t.replace("50 50  ", "50 50 -", 1), r"stiffness: .* on the diagonal at uy of node 17"),
        (lambda t: t + t.split("\n")[0] + "\n", r"free.sti: expected each entry once, got row 1, column 1 twice"),
    ],
    "free.dof": [
        (lambda t: t.replace("1.1\n", "1.7\n", 1), r"free.dof: line 1: expected a direction from 1 to 6, got 7"),
        (lambda t: t.replace("1.1\n", "900.1\n", 1), r"free.dof: degrees of freedom: no node 900"),
        (lambda t: t.replace("1.2\n", "1.1\n", 1), r"ux of node 1 is there twice"),
        (lambda t: t.replace("1.2\n", f"{10**25}.1\n", 1), r"free.dof: line 2: expected node.direction, got '1000"),
        (lambda t: t.replace("1.2\n", "\u00b2.1\n", 1), r"free.dof: line 2: expected node.direction, got"),
        (lambda t: t.replace("1.2\n", "1.\u00b2\n", 1), r"free.dof: line 2: expected node.direction, got"),
        (lambda t: "", r"free.dof: expected lines of node.direction, got none"),
    ],
    "mesh.inp": [
        (
            lambda t: t.replace("1, 0, -0.025, -0.01", "1, 0, x, 1", 1),
            r"mesh.inp: line 2: \*NODE: expected a number and",
        ),
        (lambda t: t.replace("*NSET,NSET=ROOT\n", "*NSET,NSET=ROOT\n999,\n"), r"\*NSET ROOT: no node 999"),
        (lambda t: t.replace("*NODE,", "*NODE, SYSTEM=C,"), r"expected rectangular coordinates, got SYSTEM=C"),
        (lambda t: t + "*TRANSFORM, NSET=ROOT\n", r"\*TRANSFORM: it turns the axes of nodes"),
        (lambda t: t.replace("2, 0, -0.025, 0\n", "2, 0, -0.025, 0.3\n"), r"stiffness: expected a free structure"),
    ],
    "free.mas": [(lambda t: t.replace("1 1  ", "1 1 -", 1), r"mass: expected no negative eigenvalue")],
}


@pytest.mark.parametrize(("name", "case"), [(name, i) for name, cases in WRONG.items() for i in range(len(cases))])
def test_one_error_names_file_and_place(block: Path, tmp_path: Path, name: str, case: int) -> None:
    for part in ("free.inp", "mesh.inp", "free.sti", "free.mas", "free.dof"):
        (tmp_path / part).write_bytes((block / part).read_bytes())
    change, message = WRONG[name][case]
    text = (block / name).read_text()
    changed = change(text)
    assert changed != text
    (tmp_path / name).write_text(changed, encoding="latin-1")
    with pytest.raises(FileFormatError, match=message):
        read(tmp_path / "free.inp", {"start": "ROOT"})


def test_a_huge_file_beside_the_deck_is_refused_unread(block: Path, tmp_path: Path) -> None:
    for part in ("free.inp", "mesh.inp", "free.sti", "free.mas", "free.dof"):
        (tmp_path / part).write_bytes((block / part).read_bytes())
    with open(tmp_path / "free.sti", "r+b") as file:
        file.truncate(MOST_BYTES + 1)  # of which nothing is on the disk
    with pytest.raises(FileFormatError, match=r"free.sti: expected at most 17,179,869,184 bytes, got 17,179,869,185"):
        read(tmp_path / "free.inp")


def test_a_missing_file_is_named(block: Path, tmp_path: Path) -> None:
    for part in ("free.inp", "mesh.inp", "free.sti", "free.dof"):
        (tmp_path / part).write_bytes((block / part).read_bytes())
    with pytest.raises(FileFormatError, match=r"expected one file .mas of CalculiX with it, got none; \*FREQUENCY"):
        read(tmp_path / "free.inp")
    (tmp_path / "free.mas").write_bytes((block / "free.mas").read_bytes())
    (tmp_path / "free.dof").unlink()
    with pytest.raises(FileFormatError, match=r"expected one file .dof of CalculiX with it, got none; \*FREQUENCY"):
        read(tmp_path / "free.inp")
    with pytest.raises(FileFormatError, match=r"mesh.inp: expected the matrices of the mesh beside the deck, got none"):
        read(tmp_path / "mesh.inp")
    (tmp_path / "free.dof").write_bytes((block / "free.dof").read_bytes())
    (tmp_path / "mesh.inp").unlink()
    (tmp_path / "free.mas").write_bytes((block / "free.mas").read_bytes())
    with pytest.raises(FileFormatError, match=r"mesh.inp: no such file"):
        read(tmp_path / "free.inp")
