"""Geometric stiffening of one flexible body against closed forms, published figures and other programs.

Frequencies are in units of sqrt(EI / m L^4), spins too. The exact ones of a rotating cantilever are those of Wright et
al., *Vibration modes of centrifugally stiffened beams* (1982), those under gravity and compression roots of the exact
differential equations of the beam-column.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

import supple
from supple import structures

Floats = NDArray[np.float64]
LENGTH, WIDTH, HEIGHT = 1.0, 0.05, 0.002
ALUMINIUM = structures.Material(E=70e9, nu=0.3, rho=2700.0)
EI = ALUMINIUM.E * WIDTH * HEIGHT**3 / 12.0
"""Of bending in z, out of the plane of the strip."""
PER_LENGTH = ALUMINIUM.rho * WIDTH * HEIGHT
UNIT = np.sqrt(EI / (PER_LENGTH * LENGTH**4))
"""Of frequencies and spins, rad/s."""


@cache
def strip(elements: int = 24, length: float = LENGTH) -> structures.Structure:
    """Wide in y, thin in z."""
    return structures.beam(length, structures.Rectangle(WIDTH, HEIGHT), ALUMINIUM, elements)


@pytest.fixture(scope="module")
def blade() -> structures.FlexibleBody:
    return strip().reduce("cantilever", modes=14)


def frequencies(model: supple.Model, v: Floats | None = None, driven: int = 0) -> Floats:
    """Of small motions at rest or at speeds v, rad/s; the first `driven` speeds are held."""
    speeds = np.zeros(model.nv) if v is None else v
    A, _ = model.linearize(model.neutral(), speeds, np.zeros(model.nv))
    kept = [*range(driven, model.nq), *range(model.nq + driven, model.nq + model.nv)]
    found = np.linalg.eigvals(np.asarray(A)[np.ix_(kept, kept)]).imag
    return np.sort(found[found > 0.0])


def spun(
    body: structures.FlexibleBody, spin: float, axis: str = "z", hub: float = 0.0, tip: float = 0.0, on: bool = True
) -> supple.Model:
    """A blade on a hub too heavy to be moved by it, turned about an axis, perhaps with a point mass at its tip."""
    mech = supple.Mechanism("rotor", gravity=(0, 0, 0))
    mech.add_body("hub", supple.RigidBody(1.0, inertia=(1e9, 1e9, 1e9)), joint=supple.Revolute(axis))
    mech.add_body("blade", body, "hub", supple.Fixed(), at=(hub, 0, 0), stiffening=on)
    if tip:
        mech.add_body("tip", supple.RigidBody(tip), "blade", supple.Fixed(), at="end")
    return mech.build()


def spinning(model: supple.Model, spin: float) -> Floats:
    """Frequencies at a spin, in units."""
    v = np.zeros(model.nv)
    v[0] = spin * UNIT
    return frequencies(model, v, 1) / UNIT


FLAP = {
    0.0: (3.51602, 22.03449, 61.69721),
    3.0: (4.79728, 23.32026, 62.98497),
    6.0: (7.36037, 26.80908, 66.68391),
    12.0: (13.17015, 37.60311, 79.61448),
}


@pytest.mark.parametrize("spin", FLAP)
def test_flapping_of_a_rotating_cantilever(blade: structures.FlexibleBody, spin: float) -> None:
    assert spinning(spun(blade, spin), spin)[:3] == pytest.approx(FLAP[spin], rel=1e-4)


@pytest.mark.parametrize(("spin", "expected"), [(1.0, 3.54324), (5.0, 4.07390), (10.0, 5.04897)])
def test_lagging_of_a_rotating_cantilever(blade: structures.FlexibleBody, spin: float, expected: float) -> None:
    """In the plane of rotation, where spin alone would make it softer, and unstable from 3.5 units on."""
    assert spinning(spun(blade, spin, "y"), spin)[0] == pytest.approx(expected, rel=1e-4)
    v = np.zeros(blade.modes + 1)
    v[0] = spin * UNIT
    without = spun(blade, spin, "y", on=False)
    A, _ = without.linearize(without.neutral(), v, np.zeros(without.nv))
    assert (np.linalg.eigvals(np.asarray(A)).real.max() > 1.0) == (spin > 3.6)


@pytest.mark.parametrize(("hub", "expected"), [(0.0, 1.193336), (LENGTH, 2.764214)])
def test_southwell_coefficients(blade: structures.FlexibleBody, hub: float, expected: float) -> None:
    spin, model = 0.05, spun(blade, 0.0, hub=hub)
    growth = spinning(model, spin)[0] ** 2 - spinning(model, 0.0)[0] ** 2
    assert growth / spin**2 == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("spin", "expected"),
    [(0.0, (1.557298, 16.250085)), (2.0, (2.669637, 18.190969)), (4.0, (4.542906, 23.022867))],
)
def test_a_tip_mass_as_heavy_as_the_blade(
    blade: structures.FlexibleBody, spin: float, expected: tuple[float, float]
) -> None:
    """Its pull stiffens the blade through the joint."""
    flap = [x for x in spinning(spun(blade, spin, tip=PER_LENGTH * LENGTH), spin)]
    assert flap[:2] == pytest.approx(expected, rel=4e-4)


def column(
    body: structures.FlexibleBody, load: float = 0.0, gravity: float = 0.0, axes: str = "ground"
) -> supple.Model:
    """A clamped strip along x, with a compressive force at its end and gravity against x."""
    mech = supple.Mechanism("column", gravity=(-gravity, 0, 0))
    mech.add_body("strip", body, joint=supple.Fixed())
    if load:
        mech.add_wrench("load", "strip/end", force=(-load, 0, 0), axes=axes)
    return mech.build(merge_fixed=False)


def lowest_square(model: supple.Model) -> float:
    """Of the slowest small motion, negative if it grows."""
    A, _ = model.linearize(model.neutral(), np.zeros(model.nv), np.zeros(model.nv))
    return float(-(np.linalg.eigvals(np.asarray(A)) ** 2).real.max())


def test_eulers_column(blade: structures.FlexibleBody) -> None:
    """Modes of the free column come slowly to the shape of the buckled one."""
    unit = EI / LENGTH**2
    critical = scipy.optimize.brentq(lambda P: lowest_square(column(blade, P * unit)), 2.0, 3.0, xtol=1e-9)
    assert critical == pytest.approx(np.pi**2 / 4.0, rel=2e-4)


def test_a_column_under_its_own_weight(blade: structures.FlexibleBody) -> None:
    unit = EI / (PER_LENGTH * LENGTH**3)
    critical = scipy.optimize.brentq(lambda g: lowest_square(column(blade, 0.0, g * unit)), 6.0, 9.0, xtol=1e-9)
    assert critical == pytest.approx(7.837347, rel=1e-5)


@pytest.mark.parametrize(("gamma", "expected"), [(1.0, 3.732626), (10.0, 5.291783), (100.0, 12.868742)])
def test_a_hanging_strip(gamma: float, expected: float) -> None:
    """Clamped at its top; many modes show the boundary layer there."""
    body = strip(40).reduce("cantilever", modes=24)
    model = column(body, 0.0, -gamma * EI / (PER_LENGTH * LENGTH**3))
    assert frequencies(model)[0] / UNIT == pytest.approx(expected, rel=3e-5)


def test_becks_column() -> None:
    """A force that follows the end makes two motions meet and flutter at 20.05 EI / L^2."""
    body = strip().reduce("cantilever", modes=12)
    unit = EI / LENGTH**2

    def growth(P: float) -> float:
        model = column(body, P * unit, axes="frame")
        A, _ = model.linearize(model.neutral(), np.zeros(model.nv), np.zeros(model.nv))
        return float(np.linalg.eigvals(np.asarray(A)).real.max()) / UNIT

    low, high = 18.0, 22.0
    assert growth(low) < 1e-3 < 0.1 < growth(high)
    while high - low > 1e-3:
        middle = (low + high) / 2.0
        low, high = (low, middle) if growth(middle) > 1e-2 else (middle, high)
    assert high == pytest.approx(20.05, rel=1e-2)


def test_lateral_buckling_of_a_strip() -> None:
    """A force at the tip in the plane of the strip: 4.012599 sqrt(EI GJ) / L^2."""
    body = strip().reduce("cantilever", modes=16)
    section = structures.Rectangle(WIDTH, HEIGHT)
    unit = np.sqrt(EI * ALUMINIUM.G * section.J) / LENGTH**2

    def square(P: float) -> float:
        mech = supple.Mechanism("strip", gravity=(0, 0, 0))
        mech.add_body("strip", body, joint=supple.Fixed())
        mech.add_wrench("load", "strip/end", force=(0, -P * unit, 0), axes="ground")
        model = mech.build(merge_fixed=False)
        rest = supple.linear.equilibrium(model)
        A, _ = model.linearize(rest.q, np.zeros(model.nv), np.zeros(model.nv))
        return float(-(np.linalg.eigvals(np.asarray(A)) ** 2).real.max())

    assert scipy.optimize.brentq(square, 3.0, 5.0, xtol=1e-6) == pytest.approx(4.012599, rel=3e-3)
