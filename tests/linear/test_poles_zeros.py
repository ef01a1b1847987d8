"""Poles and zeros of transfer functions: the benchmark of the ACC, and a pinned beam."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat

import supple
from supple import linear, structures


@pytest.fixture(scope="module")
def masses() -> linear.StateSpace:
    mech = supple.Mechanism("two masses", gravity=(0, 0, 0))
    mech.add_body("first", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    mech.add_body("second", supple.RigidBody(1.0), "first", supple.Prismatic("x", stiffness=1.0))
    return linear.state_space(mech.build(), inputs=["first.fx"], outputs=["first.x", "second.x", "second.ax"])


@pytest.fixture(scope="module")
def beam() -> structures.FlexibleBody:
    steel = structures.Material(E=70e9, nu=0.3, rho=2700)
    return structures.beam(1.0, structures.Rectangle(0.02, 0.005), steel, elements=20).reduce("cantilever", modes=10)


@pytest.fixture(scope="module")
def pinned(beam: structures.FlexibleBody) -> linear.StateSpace:
    mech = supple.Mechanism("pinned beam", gravity=(0, 0, 0))
    mech.add_body("beam", beam, joint=supple.Revolute("y"))
    return linear.state_space(mech.build(), inputs=["beam.angle"], outputs=["q:beam.angle", "beam/end.z"])


def test_two_masses_of_the_acc(masses: linear.StateSpace) -> None:
    own, other = (masses.transfer_function("first.fx", name) for name in ("first.x", "second.x"))
    for t in (own, other):  # poles 0, 0, +-i sqrt(2); the double pole splits by the root of rounding
        assert np.abs(t.poles[:2]).max() < 1e-7
        np.testing.assert_allclose(t.poles[2:], [-1j * 2**0.5, 1j * 2**0.5], atol=1e-14)
        assert t.gain == pytest.approx(1.0, rel=1e-14)
    np.testing.assert_allclose(own.zeros, [-1j, 1j], atol=1e-14)
    assert own.alternate
    assert len(other.zeros) == 0
    assert not other.alternate
    np.testing.assert_allclose(other.coefficients[1], [1, 0, 2, 0, 0], atol=1e-13)
    accelerated = masses.transfer_function("first.fx", "second.ax")
    assert len(accelerated.poles) - len(accelerated.zeros) == 2  # s^2 cancels the motion of both


def test_zeros_of_a_pinned_beam_are_its_clamped_frequencies(
    pinned: linear.StateSpace, beam: structures.FlexibleBody
) -> None:
    t = pinned.transfer_function("beam.angle", "q:beam.angle")
    zeros = np.sort(t.zeros.imag[t.zeros.imag > 0])
    clamped = linear.modes(_clamped(beam)).frequencies * 2 * np.pi
    nearest = np.array([np.abs(clamped - z).min() / z for z in zeros])
    assert len(zeros) >= 4
    assert nearest.max() < 1e-9
    assert zeros[0] == pytest.approx(3.516015 * np.sqrt(70e9 * 0.005**2 / 12 / 2700), rel=1e-5)
    assert t.alternate
    end = pinned.transfer_function("beam.angle", "beam/end.z")
    assert not end.alternate
    assert end.zeros.real.max() > 50.0  # non-minimum phase: the tip goes the other way first


def _clamped(beam: structures.FlexibleBody) -> supple.Model:
    mech = supple.Mechanism("clamped", gravity=(0, 0, 0))
    mech.add_body("beam", beam, joint=supple.Fixed())
    return mech.build()


def test_values_are_those_of_the_frequency_response(pinned: linear.StateSpace) -> None:
    frequencies = np.array([3.0, 50.0, 700.0])
    expected = pinned.transfer(frequencies)
    for i, name in enumerate(pinned.outputs):
        found = pinned.transfer_function("beam.angle", name)(2j * np.pi * frequencies)
        np.testing.assert_allclose(found, expected[:, i, 0], rtol=1e-8)


def test_tables_and_files(masses: linear.StateSpace, tmp_path: Path) -> None:
    t = masses.transfer_function("first.fx", "first.x")
    assert "zero" in str(t)
    assert "gain 1" in t._repr_html_()
    content = loadmat(masses.save_mat(tmp_path / "masses.mat"))
    for key in "ABCD":
        np.testing.assert_array_equal(content[key], getattr(masses, key))
    assert [x[0] for x in content["states"].ravel()] == list(masses.states)
    with pytest.raises(supple.StateError, match=r"ends in \.mat"):
        masses.save_mat(tmp_path / "masses.txt")
    with pytest.raises(supple.StateError, match=r"no output 'third.x'.*'first.x'"):
        masses.transfer_function("first.fx", "third.x")
