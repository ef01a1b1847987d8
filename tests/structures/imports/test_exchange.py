"""Structures from matrices in exchange formats, in the order of the nodes or another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from supple.errors import FileFormatError
from supple.structures import Circle, ImportedStructure, Material, Structure, beam, read

ALUMINIUM = Material(E=70e9, nu=0.3, rho=2700)
ORDER = [3, 0, 4, 1, 2]


def boom() -> Structure:
    return beam(1.0, Circle(0.01), ALUMINIUM, 4)


def fe_matrices(order: list[int] | None = None) -> list[NDArray[np.float64]]:
    """Stiffness and mass of the boom, nodes in this order, each ux, uy, uz, rx, ry, rz."""
    rows = (6 * np.array(order or range(5))[:, None] + [3, 4, 5, 0, 1, 2]).ravel()
    return [m.toarray()[rows][:, rows] for m in (boom().stiffness, boom().mass_matrix)]


def written(folder: Path, order: list[int] | None = None) -> list[Path]:
    paths = []
    for name, matrix in zip(("first.mtx", "second.mtx"), fe_matrices(order), strict=True):
        paths.append(folder / name)
        scipy.io.mmwrite(paths[-1], scipy.sparse.coo_array(matrix), symmetry="symmetric", precision=17)
    table = folder / "nodes.txt"
    table.write_text("".join(f"{i + 11} {x} {y} {z}\n" for i, (x, y, z) in enumerate(boom().nodes)))
    return [*paths, table]


def harwell_boeing(path: Path, matrix: NDArray[np.float64]) -> None:
    """The lower triangle by columns, type RSA."""
    lower = scipy.sparse.csc_array(np.tril(matrix))

    def lines(words: list[str], each: int) -> list[str]:
        return ["".join(words[i : i + each]) for i in range(0, len(words), each)]

    parts = [
        lines([f"{i + 1:8d}" for i in lower.indptr], 10),
        lines([f"{i + 1:8d}" for i in lower.indices], 10),
        lines([f"{v:26.17E}".replace("E", "D") for v in lower.data], 3),
    ]
    counts = [len(part) for part in parts]
    n = lower.shape[0]
    head = [
        f"{'a boom':72s}{'key':8s}",
        "".join(f"{c:14d}" for c in (sum(counts), *counts, 0)),
        f"{'RSA':14s}{n:14d}{n:14d}{lower.nnz:14d}{0:14d}",
        f"{'(10I8)':16s}{'(10I8)':16s}{'(3D26.17)':20s}{'':20s}",
    ]
    path.write_text("\n".join([*head, *(line for part in parts for line in part)]) + "\n")


def check(structure: object) -> None:
    assert isinstance(structure, ImportedStructure)
    expected = boom()
    np.testing.assert_allclose(structure.stiffness.toarray(), expected.stiffness.toarray(), rtol=1e-12, atol=1e-6)
    np.testing.assert_allclose(structure.mass_matrix.toarray(), expected.mass_matrix.toarray(), rtol=1e-12, atol=1e-15)
    assert structure.frames == {"start": (0,), "end": (4,)}


ENDS = {"start": 11, "end": 15}


def test_matrix_market(tmp_path: Path) -> None:
    stiffness, mass, nodes = written(tmp_path)
    check(read([stiffness, mass, nodes], ENDS))
    check(read([nodes, mass, stiffness], ENDS))  # which is the stiffness is seen from its numbers


@pytest.mark.parametrize("backwards", [False, True])
def test_rows_in_an_order_of_their_own(tmp_path: Path, backwards: bool) -> None:
    """The vector has the node of each block of rows, or the block of each node."""
    files = written(tmp_path, ORDER)
    numbers = np.array(ORDER)
    vector = np.argsort(numbers) if backwards else numbers
    order = tmp_path / "map.mtx"
    order.write_text("%%MatrixMarket matrix array integer general\n5 1\n" + "".join(f"{i + 11}\n" for i in vector))
    check(read([*files, order], ENDS))
    with pytest.raises(FileFormatError, match=r"stiffness: expected a free structure"):
        read(files, ENDS)


def test_files_as_ansys_writes_them(tmp_path: Path) -> None:
    """Comments of *EXPORT, a mapping vector, and the nodes of Workbench in German: a heading, tabs, decimal commas."""
    files = []
    rule = "%" + 60 * "="
    for name, matrix in zip(("stiffness.mmf", "mass.mmf"), fe_matrices(ORDER), strict=True):
        i, j = np.nonzero(np.tril(matrix))
        about = f"% Creator: ANSYS Inc\n% \n% This is a 30 x 30 Matrix\n% There are {len(i)} non-zero terms"
        lines = ["%%MatrixMarket matrix coordinate real symmetric ", rule, about, rule, f"30 30 {len(i)}"]
        lines += [f"{a + 1} {b + 1} {matrix[a, b]:.16E}" for a, b in zip(i, j, strict=True)]
        files.append(tmp_path / name)
        files[-1].write_text("\n".join(lines) + "\n")
    about = "% Creator: ANSYS Inc\n% \n% This is a 5 x 1 Matrix"
    vector = "\n".join(["%%MatrixMarket matrix array integer general ", rule, about, rule, "5 1"])
    files.append(tmp_path / "map.mmf")
    files[-1].write_text(vector + "\n" + "".join(f"{i + 11}\n" for i in ORDER))
    rows = [f"{i + 11}\t" + "\t".join(f"{v:.9e}".replace(".", ",") for v in x) for i, x in enumerate(boom().nodes)]
    nodes = tmp_path / "nodes.txt"
    heading = "Knotennummer\tX-Position (m)\tY-Position (m)\tZ-Position (m)\t"
    nodes.write_text("\n".join([heading, *(f"{row}\t" for row in rows[::-1])]) + "\n")
    check(read([*files, nodes], ENDS))
    nodes.write_text(nodes.read_text().replace("13\t", "x\t", 1))
    with pytest.raises(FileFormatError, match=r"nodes.txt: line 4: expected label, x, y, z, got 'x"):
        read([*files, nodes], ENDS)


def test_harwell_boeing(tmp_path: Path) -> None:
    _, _, nodes = written(tmp_path)
    paths = [tmp_path / "k.matrix", tmp_path / "m.matrix"]
    for path, matrix in zip(paths, fe_matrices(), strict=True):
        harwell_boeing(path, matrix)
    check(read([*paths, nodes], ENDS))
    paths[0].write_text("\n".join(paths[0].read_text().splitlines()[:-2]))
    with pytest.raises(FileFormatError, match=r"k.matrix: expected a matrix in Harwell-Boeing format.*incomplete"):
        read([*paths, nodes])


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    stiffness, mass, nodes = written(tmp_path)
    with pytest.raises(FileFormatError, match=r"expected a stiffness matrix, a mass matrix, a table of nodes"):
        read([stiffness, nodes])
    with pytest.raises(FileFormatError, match=r"expected one matrix that needs no force .* both have none"):
        read([stiffness, stiffness, nodes])
    nodes.write_text("1 0 0 0\n2 1 0 0\n")
    with pytest.raises(FileFormatError, match=r"first.mtx: expected 6 or 12 rows for the 2 nodes of nodes.txt, got 30"):
        read([stiffness, mass, nodes])
    nodes.write_text("1 2\n")
    with pytest.raises(FileFormatError, match=r"nodes.txt: expected lines of x, y, z or of label, x, y, z, got 2"):
        read([stiffness, mass, nodes])
    stiffness.write_text("%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2.0\n")
    with pytest.raises(FileFormatError, match=r"first.mtx: expected a matrix in Matrix Market format"):
        read([stiffness, mass, nodes])
    for head, message in (
        (
            "coordinate real general\n1000000000 1000000000 1\n1 1 2.0\n",
            "expected a matrix of a mesh, got 1 entries in",
        ),
        ("coordinate real general\n1000000000 1 1\n1 1 2.0\n", "expected a vector of a mesh, got 1 entries in"),
        ("coordinate real general\n30 30 1000000000000\n1 1 2.0\n", "expected 1,000,000,000,000 entries, got fewer"),
        ("array real symmetric\n1000000 1000000\n2.0\n", "expected 1,000,000,000,000 entries, got fewer"),
    ):
        stiffness.write_text(f"%%MatrixMarket matrix {head}")
        with pytest.raises(FileFormatError, match=rf"first.mtx: {message}"):
            read([stiffness, mass, nodes])
    with pytest.raises(
        FileFormatError, match=r"expected files of a finite-element program, got others; known are .*CalculiX"
    ):
        read(nodes)
