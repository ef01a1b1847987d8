"""Input decks: sets and labels of any size, and what is said of what cannot be read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from supple.errors import FileFormatError
from supple.structures.formats import inp_deck
from supple.structures.formats.inp_deck import Deck, read_deck

NODES = "*NODE\n" + "".join(f"{i}, {i}., 0., 0.\n" for i in (3, 5, 7, 9, 20))


def deck(folder: Path, text: str) -> Deck:
    path = folder / "m.inp"
    path.write_text(NODES + text, encoding="latin-1")
    return read_deck(path)


def test_sets_of_labels_ranges_and_sets(tmp_path: Path) -> None:
    text = "*NSET, NSET=A\n9, 3,\n*NSET, NSET=B, GENERATE\n3, 9, 2\n20, 20\n*NSET, NSET=C\nA, 20, B, A\n*NSET, NSET=D\n"
    sets = deck(tmp_path, text + "*NSET, NSET=E, GENERATE\n9, 3\n").sets
    assert {name: x.tolist() for name, x in sets.items()} == {"A": [0, 3], "B": [0, 1, 2, 3, 4], "C": [0, 1, 2, 3, 4]}


@pytest.mark.parametrize("last", [10**8, 10**12])
def test_a_range_is_not_written_out(tmp_path: Path, last: int) -> None:
    with pytest.raises(FileFormatError, match=r"m\.inp: \*NSET A: no node 4$"):
        deck(tmp_path, f"*NSET, NSET=A, GENERATE\n3, {last}\n")


def test_sets_that_double_keep_their_size(tmp_path: Path) -> None:
    text = "*NSET, NSET=A0\n3, 20\n" + "".join(f"*NSET, NSET=A{i + 1}\nA{i}, A{i}\n" for i in range(60))
    assert deck(tmp_path, text).sets["A60"].tolist() == [0, 4]


def test_sets_within_sets_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inp_deck, "MOST_MEMBERS", 5)
    text = "*NSET, NSET=A\n3, 5\n*NSET, NSET=B\nA\n"
    assert deck(tmp_path, text).sets["B"].tolist() == [0, 1]
    with pytest.raises(FileFormatError, match=r"line 12: \*NSET: expected at most 5 members of node sets in all"):
        deck(tmp_path, text + "*NSET, NSET=C\nB\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("*NSET, NSET=A\n\u00b2\n", "expected numbers of nodes or names of sets before it"),  # a superscript
        (f"*NSET, NSET=A\n1{'0' * 30}\n", "expected numbers of nodes or names of sets before it"),
        (f"*NSET, NSET=A, GENERATE\n1, 1{'0' * 30}\n", "expected first and last node"),
        (
            "*NSET, NSET=A, GENERATE\n3, 9, 0\n",
            r"line 8: \*NSET: .* first and last node and a step of at least 1",
        ),
        (
            "*NSET, NSET=A, GENERATE\n9, 3, -2\n",
            r"line 8: \*NSET: .* first and last node and a step of at least 1",
        ),
        (f"*NODE\n1{'0' * 30}, 0, 0, 0\n", "expected a number and three coordinates"),
        ("*NODE\n1e30, 0, 0, 0\n", "expected a number and three coordinates"),
        (f"*ELEMENT, TYPE=C3D4\n1, 3, 5, 7, 1{'0' * 30}\n", "expected numbers of nodes"),
        ("*INSTANCE, NAME=I, PART=P\nfirst, 0, 0\n", "expected an instance that is not moved"),
        ("*INSTANCE, NAME=I, PART=P\nnan, 0, 0\n", "expected an instance that is not moved"),
        (f"*INCLUDE, INPUT={'x' * 5000}.inp\n", r"xxx\.\.\.: cannot be read: File name too long"),
        ("*INCLUDE, INPUT=a\0b.inp\n", r"a\\0b.inp: cannot be read: embedded null"),
        ("*INCLUDE, INPUT=m.inp\n", "expected files that include each other at most 8 deep"),
    ],
)
def test_wrong_decks_are_errors_of_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message) as caught:
        deck(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_a_type_without_elements_is_left_out(tmp_path: Path) -> None:
    assert deck(tmp_path, "*ELEMENT, TYPE=C3D4\n").elements == {}


def test_an_instance_in_its_place_is_read(tmp_path: Path) -> None:
    np.testing.assert_array_equal(deck(tmp_path, "*INSTANCE, NAME=I, PART=P\n0., 0.0, -0\n").labels, [3, 5, 7, 9, 20])
