"""Superelements from substructures of Abaqus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from supple.errors import FileFormatError
from supple.structures import Circle, Material, Superelement, beam, read

DECK = "*NODE\n7, 0., 0., 0.\n9, 500., 0., 0.\n12, 1000., 0., 0.\n"


def written(folder: Path) -> list[Path]:
    """All three nodes of a beam, in mm-t-s, as *SUBSTRUCTURE MATRIX OUTPUT writes them."""
    boom = beam(1.0, Circle(0.01), Material(E=70e9, nu=0.3, rho=2700), 2)
    order = (6 * np.arange(3)[:, None] + [3, 4, 5, 0, 1, 2]).ravel()
    scale = np.tile([1.0, 1.0, 1.0, 1e3, 1e3, 1e3], 3)
    lines = [
        "**",
        "*USER ELEMENT, NODES=   3, LINEAR",
        "** ELEMENT NODES",
        "** 7, 9, 12",
        "1, 2, 3, 4, 5, 6",
        "3, 1, 2, 3, 4, 5, 6",
    ]
    for kind, matrix in (("STIFFNESS", boom.stiffness), ("MASS", boom.mass_matrix)):
        dense = matrix.toarray()[order][:, order] * np.outer(scale, scale) * 1e-3
        lines.append(f"*MATRIX,TYPE={kind}")
        for i in range(18):
            row = [f"{v:.16E}" for v in dense[i, : i + 1]]
            lines += [" , ".join(row[j : j + 4]) + " ," for j in range(0, len(row), 4)]
    paths = [folder / "boom.inp", folder / "boom.mtx"]
    paths[0].write_text(DECK)
    paths[1].write_text("\n".join(lines) + "\n")
    return paths


def test_a_substructure_is_a_superelement(tmp_path: Path) -> None:
    made = read(written(tmp_path), {"start": 7, "end": 12}, "mm-t-s")
    assert isinstance(made, Superelement)
    boom = beam(1.0, Circle(0.01), Material(E=70e9, nu=0.3, rho=2700), 2)
    assert made.mass == pytest.approx(boom.mass, rel=1e-12)
    expected, body = (x.reduce("cantilever", 4) for x in (boom, made))
    np.testing.assert_allclose(body.stiffness.diagonal(), expected.stiffness.diagonal(), rtol=1e-9)
    np.testing.assert_allclose(body.frames["end"].position, [1.0, 0.0, 0.0])


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    deck, matrix = written(tmp_path)
    text = matrix.read_text()
    for change, message in (
        (text.replace("** 7, 9, 12", "** 7, 9"), "expected the labels and degrees of freedom of 3 nodes, got 2 labels"),
        (text[: len(text) // 3], r"boom.mtx: (STIFFNESS: )?expected|line \d+"),
        (text.replace("** 7, 9, 12", "** 7, 9, 13"), "no node 13 in boom.inp"),
        (text.replace("** 7, 9, 12", f"** 7, 9, 1{'0' * 30}"), r"line 4: expected numbers of a substructure"),
        (text.replace("3, 1, 2, 3", "3, 0, 2, 3"), "expected degrees of freedom 1 to 6, got 0"),
        (text.replace("TYPE=MASS", "TYPE=DAMPING"), r"expected \*MATRIX, TYPE=MASS, got STIFFNESS, DAMPING"),
    ):
        matrix.write_text(change)
        with pytest.raises(FileFormatError, match=message):
            read([deck, matrix])
    with pytest.raises(FileFormatError, match=r"expected the deck .inp with the nodes"):
        read(matrix)
