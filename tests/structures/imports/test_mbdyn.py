"""MBDyn's modal data: masses of nodes, invariants, free modes, units, missing groups, damaged files."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.errors import FileFormatError, ModelError, OmissionWarning
from supple.structures import FlexibleBody, Material, NodalMasses, Rectangle, beam, from_modes, write
from supple.structures.formats.mbdyn import read_mbdyn
from support.files.mutated_files import mutated_text

Floats = NDArray[np.float64]
X = np.array([[0.0, 0, 0], [0.5, 0, 0.1], [1.0, 0, 0]])
MASSES = np.array([0.5, 1.0, 0.25])
INERTIA = np.array([2e-3, 1e-3, 1.5e-3])
STIFFNESS = np.array([40.0, 900.0])
SHAPES = np.zeros((3, 6, 2))
SHAPES[:, 5, 0], SHAPES[:, 4, 0] = [0.0, 0.3, 1.0], [0.0, -1.1, -1.6]
SHAPES[:, 4, 1], SHAPES[:, 5, 1] = [0.0, 0.8, 0.1], [0.0, -0.7, 0.2]
"""Rotation and displacement: first mainly in z, second in y and z."""


def fem(shapes: Floats = SHAPES, mass: str = "1.96 0\n0 3.24") -> str:
    """Three masses on a bent rod, in the layout and with the number format of MBDyn's own examples.

    Written for this test.
    """
    n = shapes.shape[2]
    lines = ["** MBDyn MODAL DATA FILE", '** NODE SET "ALL"', "", "** RECORD GROUP 1, HEADER"]
    lines += ["**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES."]
    lines += [f"      REV0         3         {n}         0         0         0", "**"]
    lines += ["** RECORD GROUP 2, FINITE ELEMENT NODE LIST", "     1001 1002", "     1003", "**"]
    lines += ["** RECORD GROUP 3, INITIAL MODAL DISPLACEMENTS", " 0" * n, "**"]
    for i, axis in enumerate("XYZ"):
        lines += [f"** RECORD GROUP {5 + i}, NODAL {axis} COORDINATES", *(f" {x:g}" for x in X[:, i]), "**"]
    lines += ["** RECORD GROUP 8, MODE SHAPES"]
    for r in range(n):
        lines += [f"**    NORMAL MODE SHAPE #  {r + 1}"]
        lines += [" ".join(f"{x:+.13E}" for x in [*row[3:], *row[:3]]) for row in shapes[:, :, r]]
    lines += ["**", "** RECORD GROUP 9, MODAL MASS MATRIX.  COLUMN-MAJOR FORM", mass, "**"]
    lines += ["** RECORD GROUP 10, MODAL STIFFNESS MATRIX.  COLUMN-MAJOR FORM"]
    lines += [" ".join(f"{x:+.13E}" for x in row) for row in np.diag(STIFFNESS[:n])]
    lines += ["**", "** RECORD GROUP 11, DIAGONAL OF LUMPED MASS MATRIX"]
    lines += [" ".join(f"{x:+.13E}" for x in [m, m, m, *INERTIA]) for m in MASSES]
    return "\n".join([*lines, "**", ""])


def read(tmp_path: Path, text: str) -> FlexibleBody:
    (tmp_path / "rod.fem").write_text(text)
    return read_mbdyn(tmp_path / "rod.fem")


def modal_masses(shapes: Floats) -> Floats:
    """Of the lumped masses."""
    turn, move = shapes[:, :3], shapes[:, 3:]
    return np.einsum("kar,kas,k->rs", move, move, MASSES) + np.einsum("kar,kas,a->rs", turn, turn, INERTIA)


def text_of(G: Floats) -> str:
    return "\n".join(" ".join(f"{x:+.16E}" for x in row) for row in G)


MASS = text_of(modal_masses(SHAPES))


@pytest.mark.parametrize("moved", [False, True], ids=["clamped", "free"])
def test_masses_of_nodes(tmp_path: Path, moved: bool) -> None:
    """Beside a body from the same modes: the first shape alone, of a rod held at its first node or flying freely."""
    shapes = SHAPES[:, :, :1].copy()
    if moved:
        shapes[:, 4, 0] += 0.3
        shapes[:, 5, 0] += 0.4 * X[:, 0] + 0.2
        shapes[:, 3, 0] -= 0.4 * X[:, 2]
        shapes[:, 1, 0] -= 0.4
    G = modal_masses(shapes)
    body = read(tmp_path, fem(shapes, text_of(G)))
    own = NodalMasses(MASSES, inertia=np.tile(np.diag(INERTIA), (3, 1, 1)))
    hertz = np.sqrt(STIFFNESS[:1] / np.diagonal(G)) / (2.0 * np.pi)
    like = from_modes(X, own, shapes, hertz, {"start": 0})
    assert (body.root, body.basis, body.mass) == ("1001", "free-free" if moved else "cantilever", 1.75)
    for name in ("moment", "second", "E", "X"):
        x, y = getattr(like.integrals, name), getattr(body.integrals, name)
        sign = np.sign(x.ravel() @ y.ravel())
        np.testing.assert_allclose(y * (sign if name in "EX" else 1.0), x, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(body.integrals.N.dense(), like.integrals.N.dense(), atol=1e-12)
    np.testing.assert_allclose(body.stiffness.toarray(), like.stiffness.toarray(), rtol=1e-10)


def test_coordinates_that_are_no_modes_become_modes(tmp_path: Path) -> None:
    G = modal_masses(SHAPES)
    body = read(tmp_path, fem(mass=text_of(G)))
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(G, np.diag(STIFFNESS))))
    np.testing.assert_allclose(body.stiffness.diagonal(), squares, rtol=1e-10)
    np.testing.assert_array_equal(body.mass_matrix.toarray(), np.eye(2))
    np.testing.assert_allclose(np.trace(body.integrals.N.dense(), axis1=2, axis2=3), np.eye(2), atol=1e-10)
    there = read_mbdyn(tmp_path / "rod.fem", root="1003", frames={"top": "1001"}, length=1e-3)
    assert (there.root, list(there.frames), there.basis) == ("1003", ["1003", "top"], "free-free")
    np.testing.assert_allclose(there.frames["top"].position, [-1e-3, 0, 0])


def without(text: str, *groups: int) -> str:
    """The file without some groups."""
    parts = text.split("** RECORD GROUP ")
    return "** RECORD GROUP ".join(p for p in parts if not any(p.startswith(f"{group},") for group in groups))


@pytest.fixture(scope="module")
def boom(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A beam of two elements in a file with invariants and matrices of stiffening."""
    path = tmp_path_factory.mktemp("fem") / "boom.fem"
    write(beam(1.0, Rectangle(0.05, 0.01), Material(E=7e10, nu=0.3, rho=2700), 2).reduce("cantilever", 3), path)
    return path.read_text()


@pytest.mark.parametrize(("groups", "missing"), [((18,), "18, invariant 9"), ((16, 18), "16, invariant 8")])
def test_without_some_invariants_a_body_is_ruthless(
    tmp_path: Path, boom: str, groups: tuple[int, ...], missing: str
) -> None:
    body = read(tmp_path, without(boom, *groups))
    mech = supple.Mechanism("m")
    with pytest.raises(ModelError, match=f"'full' needs more than is known of this body: record group {missing}"):
        mech.add_body("boom", body)
    mech.add_body("boom", body, fidelity="ruthless")
    assert mech.build().nv == 4
    np.testing.assert_allclose(body.integrals.F_0, read(tmp_path, boom).integrals.F_0, atol=1e-12)


def test_interfaces_are_those_of_the_joint(tmp_path: Path, boom: str) -> None:
    """Matrices of loads are numbered by the interfaces: another order puts them at other nodes."""
    body = read(tmp_path, boom)
    assert np.abs(body.frames["end"].second).max() > 0
    assert not body.frames["1"].second.any()
    other = read_mbdyn(tmp_path / "rod.fem", interfaces=["1", "end"])
    np.testing.assert_allclose(np.abs(other.frames["1"].second).max(), np.abs(body.frames["end"].second).max())
    with pytest.raises(FileFormatError, match="tags from 1 to 12 for 0 interfaces"):
        read_mbdyn(tmp_path / "rod.fem", interfaces=[])
    with pytest.raises(FileFormatError, match="interfaces: no node 'top'"):
        read_mbdyn(tmp_path / "rod.fem", interfaces=["top"])


def test_a_root_at_rest_may_have_rounding(tmp_path: Path, boom: str) -> None:
    """As the programs that solve for shapes leave it."""
    lines = boom.split("\n")
    first = next(i for i, line in enumerate(lines) if "MODE SHAPE #  1" in line) + 1
    assert set(map(float, lines[first].split())) == {0.0}
    lines[first] = " ".join(["3.9e-27"] * 6)
    body = read(tmp_path, "\n".join(lines))
    assert (body.root, body.basis) == ("start", "cantilever")
    assert body.second_order is not None


def test_joints_go_on_nodes_that_turn(tmp_path: Path) -> None:
    """Where no node of the file turns, none is known not to; where some do, others that only move do not."""
    assert read(tmp_path, fem(mass=MASS)).frames["1003"].turning
    shapes = SHAPES.copy()
    shapes[1, 1, 0] = -0.5
    body = read(tmp_path, fem(shapes, text_of(modal_masses(shapes))))
    assert [body.frames[name].turning for name in ("1001", "1002", "1003")] == [True, True, False]


def test_modes_that_move_the_root_go_without_matrices_of_stiffening(tmp_path: Path, boom: str) -> None:
    (tmp_path / "boom.fem").write_text(boom)
    with pytest.warns(OmissionWarning, match="move the root 'end'"):
        assert read_mbdyn(tmp_path / "boom.fem", root="end").second_order is None


def test_initial_values_are_named_as_left_out(tmp_path: Path) -> None:
    text = fem(mass=text_of(modal_masses(SHAPES)))
    with pytest.warns(OmissionWarning, match="record group 3"):
        read(tmp_path, text.replace("DISPLACEMENTS\n 0 0", "DISPLACEMENTS\n 0 0.1"))


WRONG: dict[str, tuple[Callable[[str], str], str]] = {
    "a cut file": (lambda t: t[: t.index("GROUP 10")], "expected record group 10, modal stiffness matrix"),
    "a cut group": (lambda t: t[: t.rindex("\n", 0, -4)], "line 50: record group 11: expected 18 numbers, got 12"),
    "a NaN": (lambda t: t.replace(" 0.5\n", " nan\n"), "line 17: record group 5: expected a finite number, got 'nan'"),
    "a word": (
        lambda t: t.replace(" 0.5\n", " half\n"),
        "line 17: record group 5: expected a finite number, got 'half'",
    ),
    "absurd counts": (lambda t: t.replace("REV0         3", "REV0  99999999999"), "99,999,999,999 labels, got 3"),
    "other counts": (
        lambda t: t.replace("REV0         3", "REV0         4"),
        "line 10: record group 2: expected 4 lab",
    ),
    "no counts": (
        lambda t: t.replace("REV0         3", "REV0         x"),
        "line 6: record group 1: expected a revision",
    ),
    "a label twice": (lambda t: t.replace("1003", "1001"), "line 8: record group 2: node '1001' is there twice"),
    "a group twice": (
        lambda t: t.replace("GROUP 6", "GROUP 5"),
        "line 20: record group 5 is there already, in line 15",
    ),
    "no masses": (lambda t: without(t, 11), "expected record group 12, mass and inertia, or 11"),
    "no coupling": (
        lambda t: without(t, 11) + "** RECORD GROUP 12, INERTIA\n1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n",
        "expected record group 14, invariant 3",
    ),
    "indefinite masses": (lambda t: t.replace(MASS, "1 2\n2 1"), "mass matrix: expected a positive definite one"),
    "no modal mass": (lambda t: t.replace(MASS, "1 0\n0 0"), r"coordinate 2 \(mode 2\): expected a number above zero"),
    "rigid motions": (lambda t: t.replace("+9.0000000000000E+02", "0"), "leave rigid motions out"),
    "too light": (lambda t: t.replace(MASS, "1e-3 0\n0 1"), "expected a positive definite mass matrix"),
    "asymmetric": (lambda t: t.replace(MASS, "1 0.1\n0 1"), "mass matrix: expected a symmetric matrix, got 0.1 and 0"),
    "another file": (lambda t: "solid a\nendsolid\n", "without '[*][*] RECORD GROUP 1'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_refused(tmp_path: Path, case: str) -> None:
    change, message = WRONG[case]
    text = fem(mass=MASS)
    changed = change(text)
    assert changed != text
    with pytest.raises(FileFormatError, match=message) as error:
        read(tmp_path, changed)
    assert "rod.fem" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["masses", "invariants"])
def test_damaged_files_are_read_or_refused(tmp_path: Path, boom: str, kind: str) -> None:
    """Nothing but an error with one line."""
    text = boom if kind == "invariants" else fem(mass=MASS)
    messages = []
    for i in range(60):
        (tmp_path / "m.fem").write_bytes(mutated_text(text, random.Random(f"fem {kind} {i}")))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read_mbdyn(tmp_path / "m.fem")
            except FileFormatError as error:
                messages.append(str(error))
    assert len(messages) > 15
    assert not any("\n" in message for message in messages)
