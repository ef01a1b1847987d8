"""Modes by list, bandwidth and effective mass."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple import structures
from supple.errors import ModelError, PhysicsWarning
from supple.structures import Bandwidth, EffectiveMass

STEEL = structures.Material(E=210e9, nu=0.3, rho=7850)


@cache
def rod(lumped: bool = False) -> structures.Structure:
    return structures.beam(1.0, structures.Rectangle(0.03, 0.01), STEEL, 8, lumped=lumped)


def frequencies(basis: str, modes: Any, **more: Any) -> np.ndarray:
    report = rod().reduce(basis, modes=modes, **more).report
    assert report is not None
    return np.asarray(report.frequencies)


@pytest.mark.parametrize("basis", ["cantilever", "free-free"])
def test_a_list_and_a_bandwidth_keep_these_modes(basis: str) -> None:
    all_of_them = frequencies(basis, 30)
    if basis == "cantilever":  # free modes are orthogonalised in their own span, relative to the root
        np.testing.assert_allclose(frequencies(basis, [5, 1, 20]), all_of_them[[0, 4, 19]], rtol=1e-9)
        np.testing.assert_allclose(frequencies(basis, Bandwidth(all_of_them[20] + 1)), all_of_them[:21], rtol=1e-9)
    assert len(frequencies(basis, [5, 1, 20])) == 3
    assert np.array_equal(frequencies(basis, [1, 2, 3]), frequencies(basis, 3))


@pytest.mark.parametrize(
    ("basis", "how", "kept"),
    [
        ("cantilever", "with the root fixed", 0),
        ("free-free", "free in space", 0),
        ("craig-bampton", "with root and interfaces fixed", 6),
    ],
)
def test_a_bandwidth_below_all_modes_warns(basis: str, how: str, kept: int) -> None:
    """By closed form: fixed and free, free and free, fixed and fixed rods in bending about the weak axis."""
    factor = {"cantilever": 3.5160, "free-free": 22.373, "craig-bampton": 22.373}[basis]
    hertz = factor / (2 * np.pi) * np.sqrt(210e9 * 0.03 * 0.01**3 / 12 / (7850 * 0.03 * 0.01))
    with pytest.warns(PhysicsWarning, match=f"structure: modes: none {how} up to 1 Hz, the lowest has ") as found:
        assert len(frequencies(basis, Bandwidth(1.0))) == kept
    assert float(str(found[0].message).split("has ")[1].split(" Hz")[0]) == pytest.approx(hertz, rel=2e-3)
    assert len(frequencies(basis, 0)) == kept  # intended, so there is no warning


def test_a_bandwidth_of_free_modes_is_of_their_own_frequencies() -> None:
    """10 Hz above the second bending mode of the free rod, by its closed form (22.37, 61.67)."""
    first, second = (
        x / (2 * np.pi) * np.sqrt(210e9 * 0.03 * 0.01**3 / 12 / (7850 * 0.03 * 0.01)) for x in (22.37, 61.67)
    )
    assert len(frequencies("free-free", Bandwidth(first + 10))) == 1
    assert len(frequencies("free-free", Bandwidth(second + 5))) == 2
    assert len(frequencies("free-free", Bandwidth(3 * first + 10))) == 3  # and one in the other plane


def test_interfaces_keep_their_shapes_beside_chosen_modes() -> None:
    assert len(frequencies("craig-bampton", [2], interfaces=["end"])) == 7
    assert len(frequencies("craig-bampton", EffectiveMass(0.5, "y"), interfaces=["end"])) == 7


def test_effective_masses_of_all_modes_sum_to_the_mass_off_the_root() -> None:
    whole = rod(lumped=True)
    report = whole.reduce("cantilever", modes=8 * 6).report
    assert report is not None
    root = whole.mass_matrix.diagonal()[3]
    np.testing.assert_allclose(report.effective.sum(axis=0)[3:], whole.mass - root, rtol=1e-9)


@pytest.mark.parametrize("share", [0.6, 0.9, 0.97])
def test_effective_mass_keeps_the_fewest_modes(share: float) -> None:
    report = rod().reduce("cantilever", modes=48).report
    body = rod().reduce("cantilever", modes=EffectiveMass(share, ["y"])).report
    assert report is not None
    assert body is not None
    whole = report.effective[:, 4].sum()
    kept = body.effective[:, 4]
    assert kept.sum() >= share * whole > kept.sum() - kept.min()
    assert set(body.kinds) == {"bending y"}
    np.testing.assert_allclose(np.sort(kept), np.sort(np.sort(report.effective[:, 4])[-len(kept) :]), rtol=1e-6)


def test_several_directions_have_their_share_each() -> None:
    body = rod().reduce("cantilever", modes=EffectiveMass(0.8)).report
    assert body is not None
    assert (body.participation[-1, 3:] > 0.75).all()
    assert "axial" in body.kinds
    assert "torsion" not in body.kinds


def test_files_choose_modes_in_the_same_ways(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    text = """
name = "m"
[[material]]
name = "steel"
E = 210e9
nu = 0.3
rho = 7850
[[structure]]
name = "rod"
type = "beam"
length = 1.0
section = { type = "rectangle", width = 0.03, height = 0.01 }
material = "steel"
elements = 8
[[body]]
name = "rod"
joint = { type = "revolute", axis = "y" }
flexible = { structure = "rod", basis = "cantilever", modes = MODES }
"""
    for modes, same in (
        ("[1, 3]", [1, 3]),
        ("{ below = 100.0 }", Bandwidth(100.0)),
        ("{ share = 0.8, directions = ['z'] }", EffectiveMass(0.8, "z")),
    ):
        path.write_text(text.replace("MODES", modes))
        body = supple.load(path).description.bodies["rod"].body
        assert isinstance(body, structures.FlexibleBody)
        np.testing.assert_allclose(
            np.sqrt(body.stiffness.diagonal()) / (2 * np.pi), frequencies("cantilever", same), rtol=1e-9
        )
    for modes, words in (
        ("[0]", "modes: expected a whole number, a list of mode numbers, {below} or {share}, got [0]"),
        ("{ below = 1.0, share = 0.5 }", "flexible: modes: expected either below or share, got both"),
        ("{ share = 1.5 }", "modes: share: expected a number between 0 and 1, got 1.5"),
        ("[1, 1]", "modes: expected different numbers from 1 to 2,000, got [1, 1]"),
    ):
        path.write_text(text.replace("MODES", modes))
        assert words in "\n".join(supple.files.check(path))


@pytest.mark.parametrize(
    ("modes", "words"),
    [
        ([0], "modes: expected different numbers from 1 to 2,000, got"),
        ([3, 3], r"modes: expected different numbers from 1 to 2,000, got \[3, 3\]"),
        ([60], "modes: 60 asked for, but the structure has 48 with the root fixed"),
        ("all", "modes: expected their number for the basis 'cantilever', a list of mode numbers, a Bandwidth or an"),
        (2.5, "modes: expected their number"),
        (True, "modes: expected their number"),
        (3_000, "modes: expected at most 2,000, got 3,000"),
    ],
)
def test_what_is_no_choice_is_refused(modes: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        rod().reduce("cantilever", modes=modes)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: EffectiveMass(1.2), "modes: share of effective mass: expected a number between 0 and 1, got 1.2"),
        (lambda: EffectiveMass(0.5, "w"), "modes: directions: expected some of rx, ry, rz, x, y, z, got 'w'"),
        (lambda: Bandwidth(-1.0), "modes: bandwidth"),
        (lambda: rod().reduce("free-free", EffectiveMass(0.5)), "modes: those of the free structure have no momentum"),
        (lambda: rod().reduce("nodal", Bandwidth(10.0)), "modes: the nodal basis keeps all degrees of freedom"),
    ],
)
def test_wrong_choices_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()
