"""Stiffening by matrices beside stiffening by known shapes, published frequencies and the conservation of energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple import structures
from supple.structures.body.modal_integrals import axial
from supple.structures.stiffening.stiffening_matrices import from_spin_parts, matrices_of, second_order_from, spin_parts

Floats = NDArray[np.float64]
ALUMINIUM = structures.Material(E=70e9, nu=0.3, rho=2700.0)
LENGTH, WIDTH, HEIGHT = 1.0, 0.05, 0.002
UNIT = np.sqrt(70e9 * HEIGHT**2 / 12.0 / 2700.0) / LENGTH**2
"""sqrt(EI / m L^4) of bending in z, rad/s."""


def by_matrices(body: structures.FlexibleBody) -> structures.FlexibleBody:
    """The same body, of whose displacements of second order the integrals alone are known."""
    assert body.second_order is not None
    numbers = {"start": 0, "end": len(body.nodes) - 1}
    known = matrices_of(body.second_order, {numbers["end"]: body.frames["end"].second})
    second = second_order_from(known, body.integrals, len(body.nodes), numbers, LENGTH)
    assert second is not None
    frames = {name: replace(body.frames[name], second=second.frames[name]) for name in numbers}
    return replace(body, second_order=second, frames=frames)


@pytest.fixture(scope="module")
def blade() -> structures.FlexibleBody:
    strip = structures.beam(LENGTH, structures.Rectangle(WIDTH, HEIGHT), ALUMINIUM, 16)
    return strip.reduce("cantilever", modes=9)


def rotor(body: structures.FlexibleBody, axis: str, tip: float) -> supple.Model:
    mech = supple.Mechanism("rotor", gravity=(0, 0, 0))
    mech.add_body("hub", supple.RigidBody(1.0, inertia=(1e9, 1e9, 1e9)), joint=supple.Revolute(axis))
    mech.add_body("blade", body, "hub", supple.Fixed(), at=(0, 0, 0))
    if tip:
        mech.add_body("tip", supple.RigidBody(tip), "blade", supple.Fixed(), at="end")
    return mech.build()


def squares(model: supple.Model, spin: float = 0.0, held: int = 0) -> Floats:
    """Squared frequencies of small motions in the units of the strip, by size; the first speeds may be held."""
    v = np.zeros(model.nv)
    v[:held] = spin * UNIT
    A, _ = model.linearize(model.neutral(), v, np.zeros(model.nv))
    kept = [*range(held, model.nq), *range(model.nq + held, model.nq + model.nv)]
    found = np.linalg.eigvals(np.asarray(A)[np.ix_(kept, kept)]).imag
    return np.sort(found[found > 0.0]) / UNIT


@pytest.mark.parametrize(
    ("axis", "spin", "tip", "expected"),
    [
        ("z", 3.0, 0.0, (4.79728, 23.32026)),
        ("z", 12.0, 0.0, (13.17015, 37.60311)),
        ("y", 5.0, 0.0, (4.07390,)),
        ("z", 4.0, 1.0, (4.542906, 23.022867)),
    ],
    ids=["flap", "fast flap", "lag", "tip mass"],
)
def test_rotating_blades(
    blade: structures.FlexibleBody, axis: str, spin: float, tip: float, expected: tuple[float, ...]
) -> None:
    """Wright et al. (1982); with the tip as heavy as the blade its pull stiffens through the matrices of the frame.

    About a state without deflection both forms are the same but for rounding.
    """
    mass = tip * blade.mass
    found = squares(rotor(by_matrices(blade), axis, mass), spin, 1)
    assert found[: len(expected)] == pytest.approx(expected, rel=4e-4)
    assert found == pytest.approx(squares(rotor(blade, axis, mass), spin, 1), rel=1e-9)


def test_a_hanging_strip(blade: structures.FlexibleBody) -> None:
    """m g L^3 / EI = 10: 5.291783 instead of 3.51602 without weight."""
    mech = supple.Mechanism("strip", gravity=(10.0 * UNIT**2 * LENGTH, 0, 0))
    mech.add_body("strip", by_matrices(blade), joint=supple.Fixed())
    assert squares(mech.build(merge_fixed=False))[0] == pytest.approx(5.291783, rel=1e-5)


def test_the_mass_matrix_stays_positive(blade: structures.FlexibleBody) -> None:
    """Kinetic energy to second order alone would have lost a bare hinge's inertia at 5 % of the length."""
    mech = supple.Mechanism("strip")
    mech.add_body("strip", by_matrices(blade), joint=supple.Revolute("y"))
    model = mech.build()
    end = blade.frames["end"].shape[5]
    q = np.zeros((3, model.nq))
    q[:, 1 + int(np.argmax(np.abs(end)))] = np.array([0.05, 0.1, 0.2]) * LENGTH / np.abs(end).max()
    assert (np.linalg.eigvalsh(model.mass_matrix(q))[:, 0] > 1e-6).all()


def test_a_falling_strip_keeps_its_energy() -> None:
    """From the horizontal, hinged, EI = 10 N m^2: positions are those of sixteen short bodies, as for known shapes.

    Terms of third order differ: 2e-7 m here.
    """
    length, per_length, EI = 2.0, 0.1, 10.0
    height = np.sqrt(12.0 * EI / per_length * 2700.0 / 70e9)
    section = structures.Rectangle(per_length / 2700.0 / height, height)
    known = structures.beam(length, section, ALUMINIUM, 8).reduce("cantilever", modes=4)
    ends = []
    for body in (known, by_matrices(known)):
        mech = supple.Mechanism("strip")
        mech.add_body("strip", body, joint=supple.Revolute("y"))
        model = mech.build()
        run = supple.simulate(model, 0.5, samples=20, rtol=1e-9)
        q, v = np.asarray(run.q), np.asarray(run.v)
        energy = sum(model.energy(q, v))
        assert np.ptp(energy) < 1e-8 * np.abs(model.energy(q, v)[0]).max()
        ends.append(model.pose(q[-1], "strip/end")[1])
    assert ends[0][[0, 2]] == pytest.approx([1.250856, -1.560568], abs=1.5e-4)
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-6)


def test_spin_parts_and_axial_parts_make_the_matrix() -> None:
    A = np.random.default_rng(1).normal(size=(3, 3, 2))
    w = np.array([0.3, -0.7, 1.1])
    products = np.array([*(w * w), w[0] * w[1], w[1] * w[2], w[2] * w[0]])
    direct = np.einsum("a,abk,b->k", w, A, w) - w @ w * np.trace(A)
    np.testing.assert_allclose(products @ spin_parts(A), direct, rtol=1e-14)
    turned = axial(np.moveaxis(A, 2, 0)).T
    np.testing.assert_allclose(from_spin_parts(spin_parts(A), turned), A, rtol=1e-14)


def test_nothing_stiffens_a_body_without_matrices(blade: structures.FlexibleBody) -> None:
    assert blade.second_order is not None
    none = matrices_of(blade.second_order, {}).in_units(1.0, 0.0)
    assert second_order_from(none, blade.integrals, 17, {"start": 0}, LENGTH) is None
