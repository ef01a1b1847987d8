"""SID_FEM: a beam by hand in the layout of a public generator, files without terms of first order, damaged files."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.errors import FileFormatError, ModelError, OmissionWarning, PhysicsWarning
from supple.structures import FlexibleBody
from supple.structures.body.hdf5_reader import load_body
from supple.structures.formats.sid import read_sid
from support.files.mutated_files import mutated_text

Floats = NDArray[np.float64]
LENGTH, MASS, EI = 2.0, 3.0, 40.0
PLACES, WEIGHTS = np.polynomial.legendre.leggauss(8)
S, W = (PLACES + 1.0) / 2.0, WEIGHTS / 2.0
"""Gauss points and weights from root to tip: exact for polynomials up to the degree of 15."""
POWERS, DIRECTIONS = (2, 3, 2), (1, 1, 2)
"""Coordinates move the beam by s^2 and s^3 in y and s^2 in z, s from 0 to 1."""


def block(name: str, m0: Floats | None, m1: Floats | None, structure: int, indent: str) -> str:
    """A matrix as FEMBeam's write_sid.m lays it out, six digits after the point; written for this test."""
    rows, columns = (3, 1) if m0 is None else m0.shape
    n = 3
    out = f"{indent}{name}\n"
    for key, x in (("order", int(m1 is not None)), ("nrow", rows), ("ncol", columns), ("nq", n), ("nqn", 0)):
        out += f"{indent}    {key:<12} = {x}\n"
    out += f"{indent}    structure    = {structure}\n"
    for i in range(rows if m0 is not None else 0):
        for j in range(i + 1 if structure == 2 else columns):
            assert m0 is not None
            out += f"{indent}    m0({i + 1:2d},{j + 1:2d})    = {m0[i, j]:f}\n"
    if m1 is not None:
        for (i, j, k), x in np.ndenumerate(m1):
            out += f"{indent}    m1({i + 1:2d},{j + 1:2d},{k + 1:2d}) = {x:f}\n"
    return f"{out}{indent}end {name}\n"


def cross(a: Floats) -> Floats:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def sid_text(order: int = 1) -> str:
    """A massless-section beam along x with polynomial shapes; all integrals by quadrature over its points."""
    n, dm, x = 3, MASS * W, LENGTH * S
    Psi = np.zeros((n, len(S), 3))
    slope = np.zeros((n, len(S), 3))
    bend = np.zeros((n, len(S), 3))
    for r, (p, a) in enumerate(zip(POWERS, DIRECTIONS, strict=True)):
        Psi[r, :, a], slope[r, :, a] = S**p, p * S ** (p - 1) / LENGTH
        bend[r, :, a] = p * (p - 1) * S ** (p - 2) / LENGTH**2
    place = np.stack([x, 0 * x, 0 * x], axis=1)
    # Foreshortening: g_x(x) = -int_0^x slope . slope, closed form of the powers.
    g = np.zeros((n, n, len(S)))
    tip = np.zeros((3, n, n))
    for r in range(n):
        for s in range(n):
            if DIRECTIONS[r] == DIRECTIONS[s]:
                k = POWERS[r] * POWERS[s] / (POWERS[r] + POWERS[s] - 1) / LENGTH
                g[r, s], tip[0, r, s] = -k * S ** (POWERS[r] + POWERS[s] - 1), -k
    C4 = np.array([sum(d * cross(a) @ cross(b) for d, a, b in zip(dm, place, Psi[r], strict=True)) for r in range(n)])
    Kr = np.array([[np.cross(Psi[l], Psi[m]).T @ dm for l in range(n)] for m in range(n)])  # [m, l]
    spin = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)]

    def factors(u: Floats, v: Floats) -> Floats:
        """Of products of w in int v . (w x (w x u)), by trying them."""
        total = np.zeros(6)
        for k, (a, b) in enumerate(spin):
            e = np.eye(3)
            both = np.cross(e[a], np.cross(e[b], u)) + np.cross(e[b], np.cross(e[a], u))
            total[k] = np.sum(v * both, axis=1) @ dm / (2.0 if a == b else 1.0)
        return total

    Oe = np.array([factors(place, Psi[r]) for r in range(n)])
    Oe1 = np.array([[factors(Psi[m], Psi[r]) for m in range(n)] for r in range(n)]).transpose(0, 2, 1)
    along = np.zeros((n, n, len(S), 3))
    along[..., 0] = g
    Oe1 += np.array([[factors(place, along[r, m]) for m in range(n)] for r in range(n)]).transpose(0, 2, 1)
    J = sum(d * (a @ a * np.eye(3) - np.outer(a, a)) for d, a in zip(dm, place, strict=True))
    Ct1 = np.zeros((n, 3, n))
    Ct1[:, 0] = g @ dm
    full = order > 0
    out = "3 nodes, 3 modes, in the layout of FEMBeam\npart\n    new modal\n        refmod\n"
    out += f"            mass           = {MASS:f}\n            nelastq        = {n}\n"
    out += "".join(f"            ielastq ({r + 1:4d}) = Eigen Mode {r + 1:4d} :      1.000000 Hz\n" for r in range(n))
    out += "        end refmod\n        frame\n"
    for label, at in (("1", 0.0), ("2", 0.5), ("3", 1.0)):
        phi, psi = np.zeros((3, n)), np.zeros((3, n))
        for r, (p, a) in enumerate(zip(POWERS, DIRECTIONS, strict=True)):
            phi[a, r], psi[3 - a, r] = at**p, (1 if a == 1 else -1) * p * at ** (p - 1) / LENGTH
        indent = " " * 20
        out += f"{' ' * 16}new node   = {label}\n{indent}rframe = body ref\n"
        out += block("origin", np.array([[at * LENGTH], [0], [0]]), phi[:, None], 3, indent)
        out += block("phi", phi, tip if full and at == 1.0 else None, 3, indent)
        out += block("psi", psi, None, 3, indent)
        out += block("AP", np.eye(3), np.stack([cross(psi[:, r]) for r in range(n)], axis=2), 3, indent)
        out += block("sigma", np.zeros((6, 1)), None, 3, indent) + f"{' ' * 16}end node\n"
    E = np.array([Psi[r].T @ dm for r in range(n)])
    indent = " " * 8
    out += "        end frame\n" + block("mdCM", (place.T @ dm)[:, None], E.T[:, None], 3, indent)
    out += block("J", np.asarray(J), (-C4 - C4.transpose(0, 2, 1)).transpose(1, 2, 0), 2, indent)
    out += block("Ct", E, Ct1 if full else None, 3, indent)
    F = np.array([np.cross(place, Psi[r]).T @ dm for r in range(n)])
    out += block("Cr", F, Kr.transpose(0, 2, 1) if full else None, 3, indent)
    out += block("Me", np.einsum("rka,ska,k->rs", Psi, Psi, dm), None, 2, indent)
    out += block("Gr", -2.0 * C4.transpose(1, 0, 2).reshape(3, 9), None, 3, indent)
    out += block("Ge", 2.0 * Kr.reshape(n, 9), None, 3, indent)
    out += block("Oe", Oe, Oe1 if full else None, 3, indent)
    out += block("ksigma", np.zeros((n, 1)), None, 0, indent).replace("    m0", "$m0")
    Ke = EI * LENGTH * np.einsum("rka,ska,k->rs", bend, bend, W)
    out += block("Ke", Ke, None, 2, indent)
    out = "\n".join(line for line in out.split("\n") if "$m0" not in line)
    return out + "    end modal\nend part\n"


@pytest.fixture(scope="module")
def text() -> str:
    return sid_text()


def read(tmp_path: Path, text: str) -> FlexibleBody:
    path = tmp_path / "beam.SID_FEM"
    path.write_text(text)
    return read_sid(path)


def test_a_file_in_the_layout_of_a_public_generator(tmp_path: Path, text: str) -> None:
    """Six digits after the point leave 1e-6; frequencies of the polynomials by Galerkin's method."""
    body = read(tmp_path, text)
    assert (body.root, body.mass, list(body.frames)) == ("1", MASS, ["1", "2", "3"])
    assert body.com == pytest.approx([LENGTH / 2, 0, 0], abs=1e-6)
    assert np.diag(body.about_origin()) == pytest.approx([0, MASS * LENGTH**2 / 3, MASS * LENGTH**2 / 3], rel=1e-6)
    unit = np.sqrt(EI / (MASS / LENGTH) / LENGTH**4)
    # K = int s''s'' = [[4, 6], [6, 12]], M = [[1/5, 1/6], [1/6, 1/7]]: 3.5327 and 34.807; s^2 alone: sqrt(20)
    found = np.sqrt(body.stiffness.diagonal()) / unit
    assert found == pytest.approx([3.53273, np.sqrt(20.0), 34.80690], rel=1e-4)
    assert body.frames["3"].turning
    assert body.missing_for_full_fidelity == ""


@pytest.mark.parametrize("axis", ["z", "y"])
def test_spin_stiffens_it_as_the_tension_says(tmp_path: Path, text: str, axis: str) -> None:
    """Squared frequency of s^2, the only shape in z: 20 EI/mL^4, and what the tension m spin^2 (L^2 - x^2) / 2 adds.

    int N w' w' / int m w w = (1/2 int (1 - s^2) 4 s^2) / (1/5) = 4/3; in the plane of rotation the mass takes 1 away.
    """
    mech = supple.Mechanism("rotor", gravity=(0, 0, 0))
    mech.add_body("hub", supple.RigidBody(1.0, inertia=(1e9, 1e9, 1e9)), joint=supple.Revolute(axis))
    mech.add_body("blade", read(tmp_path, text), "hub", supple.Fixed(), at=(0, 0, 0))
    model, spin = mech.build(), 4.0
    v = np.zeros(model.nv)
    v[0] = spin
    A, _ = model.linearize(model.neutral(), v, np.zeros(model.nv))
    kept = [1, 2, 3, 5, 6, 7]
    found = np.linalg.eigvals(np.asarray(A)[np.ix_(kept, kept)]).imag ** 2
    square = 20.0 * EI / (MASS / LENGTH) / LENGTH**4 + spin**2 * (4.0 / 3.0 - (axis == "y"))
    assert np.abs(found - square).min() < 1e-5 * square


def test_a_pull_at_the_tip_stiffens_it(tmp_path: Path, text: str) -> None:
    """20 EI/mL^4 + (P / m L^2) int 4 s^2 / (1/5) = ... + (20 / 3) P / m L^2."""
    mech = supple.Mechanism("pulled", gravity=(0, 0, 0))
    mech.add_body("blade", read(tmp_path, text), joint=supple.Fixed())
    mech.add_wrench("pull", "blade/3", force=(5.0, 0, 0), axes="ground")
    model = mech.build(merge_fixed=False)
    A, _ = model.linearize(model.neutral(), np.zeros(3), np.zeros(3))
    square = (20.0 * EI / LENGTH + 20.0 / 3.0 * 5.0 * LENGTH) / (MASS * LENGTH**2)
    assert np.abs(np.linalg.eigvals(np.asarray(A)).imag ** 2 - square).min() < 1e-5 * square


def test_without_terms_of_first_order_a_body_is_ruthless(tmp_path: Path) -> None:
    body = read(tmp_path, sid_text(order=0))
    mech = supple.Mechanism("m")
    with pytest.raises(ModelError, match=r"body 'a': fidelity: 'full' needs more .* terms of first order in Oe"):
        mech.add_body("a", body)
    body.save(tmp_path / "body.h5")
    mech.add_body("a", load_body(tmp_path / "body.h5"), fidelity="ruthless")
    with pytest.raises(ModelError, match="fidelity: 'full' needs more"):
        mech.replace_body("a", body)
    assert np.isfinite(mech.build().forward_dynamics(np.ones(4), np.ones(4), np.zeros(4))).all()


def test_other_units_and_names(tmp_path: Path, text: str) -> None:
    """Modes of unit mass have the same frequencies in all units of length and mass; shapes are in metres."""
    here = read(tmp_path, text)
    there = read_sid(tmp_path / "beam.SID_FEM", frames={"tip": "3"}, length=1e-3, mass=1e3)
    assert list(there.frames) == ["1", "tip"]
    assert there.mass == pytest.approx(1e3 * here.mass)
    np.testing.assert_allclose(there.stiffness.diagonal(), here.stiffness.diagonal(), rtol=1e-12)
    np.testing.assert_allclose(there.frames["tip"].position, 1e-3 * here.frames["3"].position)
    np.testing.assert_allclose(np.sqrt(1e3) * there.frames["tip"].shape[3:], here.frames["3"].shape[3:], rtol=1e-10)


def test_numbers_and_names_of_other_generators(tmp_path: Path, text: str) -> None:
    """Exponents of Fortran, terms of first order by the name of m0, `new frame`."""
    like = text.replace("mass           = 3.000000", "mass           = 0.3D+01").replace("m1(", "m0(")
    body, other = read(tmp_path, text), read(tmp_path, like.replace("        frame\n", "        new frame\n", 1))
    np.testing.assert_array_equal(other.integrals.N.dense(), body.integrals.N.dense())
    assert other.mass == body.mass


def test_forces_that_stiffen_with_another_sign_than_accelerations_are_named(tmp_path: Path, text: str) -> None:
    """As some files have them; the last node is the one with terms of first order in phi."""
    first, last = text.rindex("   phi\n"), text.rindex("end phi")
    changed = text[:first] + text[first:last].replace("= -", "= ") + text[last:]
    assert changed != text
    with pytest.warns(PhysicsWarning, match="node '3': forces there and accelerations"):
        read(tmp_path, changed)


def test_orientations_of_nodes_are_named_as_left_out(tmp_path: Path, text: str) -> None:
    head, tail = text.split("AP\n", 1)
    turned = tail.replace("m0( 1, 1)    = 1.0", "m0( 1, 1)    = 0.9", 1)
    with pytest.warns(OmissionWarning, match="orientations of nodes"):
        read(tmp_path, f"{head}AP\n{turned}")


WRONG: dict[str, tuple[Callable[[str], str], str]] = {
    "a cut file": (lambda t: t[: len(t) // 2], r"line \d+: .*(cut off|expected)"),
    "a NaN": (lambda t: t.replace("m0( 1, 1)    = 0.000000", "m0( 1, 1)    = nan", 1), r"line 21: origin: .* 'nan'"),
    "other counts": (lambda t: t.replace("nelastq        = 3", "nelastq        = 4"), "expected 4 names"),
    "absurd sizes": (
        lambda t: t.replace("ncol         = 3", "ncol         = 999999999", 1),
        "3 columns.*999999999 col",
    ),
    "an index": (lambda t: t.replace("m0( 3, 1)", "m0( 4, 1)", 1), "expected indices within"),
    "an entry missing": (lambda t: t.replace(t.split("Ke\n")[1].split("\n")[6] + "\n", "", 1), "expected 6 entries"),
    "one of first order missing": (
        lambda t: re.sub(r" *m1\( 2, 1, 1\).*\n", "", t, count=1),
        r"expected \d+ entries m1",
    ),
    "no part": (lambda t: t.replace("part\n", "apart\n"), "without a line 'part'"),
    "a node twice": (lambda t: t.replace("new node   = 2", "new node   = 1"), "node '1' is there twice"),
    "no Ke": (lambda t: t[: t.index("        Ke\n")] + "    end modal\nend part\n", "expected a block 'Ke'"),
    "a negative mass": (
        lambda t: t.replace("mass           = 3", "mass           = -3"),
        "mass: expected a number above",
    ),
    "an indefinite mass matrix": (
        lambda t: t.replace("m0( 2, 1)    = 0.500000", "m0( 2, 1)    = 0.900000"),
        "mass matrix: expected a positive definite one",
    ),
    "too light a body": (
        lambda t: t.replace("m0( 2, 2)    = 4.000000", "m0( 2, 2)    = 3.000000"),
        "expected a positive definite mass matrix",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_refused(tmp_path: Path, text: str, case: str) -> None:
    change, message = WRONG[case]
    changed = change(text)
    assert changed != text
    with pytest.raises(FileFormatError, match=message) as error:
        read(tmp_path, changed)
    assert "beam.SID_FEM" in str(error.value)
    assert "\n" not in str(error.value)


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """Nothing but an error with one line."""
    small = sid_text()
    messages = []
    for i in range(40):
        (tmp_path / "m.sid").write_bytes(mutated_text(small, random.Random(f"sid {i}")))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read_sid(tmp_path / "m.sid")
            except FileFormatError as error:
                messages.append(str(error))
    assert len(messages) > 15
    assert not any("\n" in message for message in messages)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no such file"):
        read_sid(tmp_path / "none.SID_FEM")
