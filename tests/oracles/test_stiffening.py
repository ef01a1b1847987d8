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
from scipy.spatial.transform import Rotation

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


@pytest.mark.filterwarnings("ignore:.*left the range of linear theory:supple.PhysicsWarning")
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


BOARD = structures.Rectangle(0.2, 0.008)
"""Of a strip two metres long that twists with 31 Hz, twenty times as fast as it flaps."""
BOARD_LENGTH = 2.0
PER_BOARD = ALUMINIUM.rho * BOARD.A


def board_frequencies(spin: float, axis: str, terms: int = 8) -> Floats:
    """Of twist phi and deflection v along the width of a clamped strip that spins about z or about its width y, Hz.

    Galerkin's method with powers of x, from the kinetic energy of the points of a section, (x + u - y v', y + v - z phi
    - y (phi^2 + v'^2) / 2, z + y phi - z phi^2 / 2) with u' = -v'^2 / 2, and stretched fibres: GJ + T Ip / A.
    """
    s, weights = np.polynomial.legendre.leggauss(24)
    s, weights = (s[:, None] + 1.0) / 2.0, weights * BOARD_LENGTH / 2.0
    i = np.arange(1, terms + 1)
    phi, twist = s**i, i * s ** (i - 1) / BOARD_LENGTH
    v, slope = s ** (i + 1), (i + 1) * s**i / BOARD_LENGTH
    curvature = i * (i + 1) * s ** (i - 1) / BOARD_LENGTH**2
    T = PER_BOARD * spin**2 * BOARD_LENGTH**2 * (1.0 - s[:, 0] ** 2) / 2.0

    def form(a: Floats, b: Floats, factor: float | Floats = 1.0) -> Floats:
        return np.asarray((a.T * (weights * factor)) @ b)

    rho, Iy, Iz = ALUMINIUM.rho, BOARD.Iy, BOARD.Iz
    twisted = form(twist, twist, ALUMINIUM.G * BOARD.J + T * (Iy + Iz) / BOARD.A)
    bent = form(curvature, curvature, ALUMINIUM.E * Iz) + form(slope, slope, T)
    gyroscopic = np.zeros((2 * terms, 2 * terms))
    if axis == "z":
        twisted += spin**2 * rho * (Iz - Iy) * form(phi, phi)
        bent -= spin**2 * PER_BOARD * form(v, v)
    else:
        twisted -= spin**2 * rho * (Iz - Iy) * form(phi, phi)
        bent -= spin**2 * rho * Iz * form(slope, slope)
        gyroscopic[:terms, terms:] = 2.0 * spin * rho * Iz * form(phi, slope)
    M = scipy.linalg.block_diag(
        rho * (Iy + Iz) * form(phi, phi), PER_BOARD * form(v, v) + rho * Iz * form(slope, slope)
    )
    rates = -np.linalg.solve(M, np.hstack([scipy.linalg.block_diag(twisted, bent), gyroscopic - gyroscopic.T]))
    found = np.linalg.eigvals(np.vstack([np.eye(2 * terms, 4 * terms, 2 * terms), rates])).imag
    return np.asarray(np.sort(found[found > 0.0]) / (2.0 * np.pi))


def board(structure: structures.Structure) -> structures.FlexibleBody:
    """Three modes of torsion and two of bending along the width."""
    report = structure.reduce("cantilever", modes=20).report
    assert report is not None
    twist = [i + 1 for i, kind in enumerate(report.kinds) if kind == "torsion"][:3]
    bending = [i + 1 for i, kind in enumerate(report.kinds) if kind == "bending y"][:2]
    return structure.reduce("cantilever", modes=sorted(twist + bending))


@cache
def boards() -> dict[str, structures.FlexibleBody]:
    """As beams of 8 and 16 elements, as a plate and as a solid."""
    x, y, z = BOARD_LENGTH, 0.2, 0.008
    plate = structures.plate((x, y), z, ALUMINIUM, elements=(20, 4), frames={"start": "x_min", "end": (x, 0)})
    return {
        "8": board(structures.beam(x, BOARD, ALUMINIUM, 8)),
        "16": board(structures.beam(x, BOARD, ALUMINIUM, 16)),
        "plate": board(plate),
        "solid": board(structures.box(x, y, z, ALUMINIUM, (20, 4, 1))),
    }


def twisting(body: structures.FlexibleBody, spin: float, axis: str) -> Floats:
    """The first two frequencies at a spin, rad/s: of twist and of bending along the width, Hz."""
    v = np.zeros(body.modes + 1)
    v[0] = spin
    return frequencies(spun(body, spin, axis), v, 1)[:2] / (2.0 * np.pi)


@pytest.mark.parametrize("axis", ["z", "y"])
def test_torsion_of_a_spinning_strip(axis: str) -> None:
    """Stretched fibres and the propeller moment, far above the slowest frequency; linear twist converges with h^2."""
    spin = 60.0
    errors = []
    for elements in ("8", "16"):
        errors.append(twisting(boards()[elements], spin, axis) / board_frequencies(spin, axis)[:2] - 1.0)
    assert errors[0][0] / errors[1][0] == pytest.approx(4.0, rel=0.02)
    assert errors[1][0] < 5e-4
    assert np.abs(errors[1][1]) < 1e-5
    growth = np.diff([board_frequencies(0.0, axis)[0] ** 2, board_frequencies(spin, axis)[0] ** 2])
    assert growth > (180.0 if axis == "z" else 4.0)


@pytest.mark.parametrize("basis", ["cantilever", "craig-bampton"])
def test_torsion_of_a_spinning_strip_that_flaps(basis: str) -> None:
    """With slow modes besides: the propeller moment counts at spins far above these. 8 elements: 0.15 % of the square.

    Clamped at both ends the modes inside do not twist as the whole does: another 0.4 %.
    """
    body = structures.beam(BOARD_LENGTH, BOARD, ALUMINIUM, 8).reduce(basis, modes=4)
    found = np.array(supple.linear.modes(spun(body, 60.0, "z"), spin={"hub.angle": 60.0}).frequencies)
    twist = board_frequencies(60.0, "z")[0]
    assert np.abs(found / twist - 1.0).min() < (0.002 if basis == "cantilever" else 0.006)
    assert found.min() < twist / 3.0


@pytest.mark.parametrize("basis", ["cantilever", "craig-bampton"])
@pytest.mark.parametrize("turn", [[0.0, 0.0, 0.9], [0.0, 0.615, 0.785], [0.4, -1.1, 0.7]])
def test_a_rod_in_any_direction_spins_as_one_along_an_axis(turn: list[float], basis: str) -> None:
    """A thin rod across the axes of its structure has the tension of its spin; the fraction of a shape: 2e-4."""

    def found(R: Floats) -> Floats:
        ends = np.array([(0.0, 0.0, 0.0), (LENGTH, 0.0, 0.0)])
        rod = structures.beam_path(ends @ R.T, structures.Circle(0.005), ALUMINIUM, 8, y_axis=[R[:, 1]])
        mech = supple.Mechanism("rotor", gravity=(0, 0, 0))
        axis = supple.Revolute(tuple(R[:, 2].tolist()))
        mech.add_body("hub", supple.RigidBody(1.0, inertia=(1e9, 1e9, 1e9)), joint=axis)
        mech.add_body("rod", rod.reduce(basis, modes=4), "hub", supple.Fixed())
        return np.sort(supple.linear.modes(mech.build(), spin={"hub.angle": 60.0}).frequencies)[:4]

    straight = found(np.eye(3))
    np.testing.assert_allclose(found(Rotation.from_rotvec(turn).as_matrix()), straight, rtol=2e-4)
    assert straight[1] > 12.0  # at rest, the first is of 7.1 Hz


@pytest.mark.parametrize("body", ["plate", "solid"])
def test_torsion_of_a_spinning_plate(body: str) -> None:
    """Clamped, it cannot warp, and is stiffer at rest; what a spin adds to the square of the frequency is the same.

    The shape of the mode makes 0.3 % of a plate; the rigid end of the solid 1 %.
    """
    rest, fast = (twisting(boards()[body], spin, "z")[0] ** 2 for spin in (0.0, 60.0))
    expected = np.diff([board_frequencies(spin, "z")[0] ** 2 for spin in (0.0, 60.0)])
    assert fast - rest == pytest.approx(expected[0], rel=0.01)


def test_energy_of_a_strip_that_twists_in_flight() -> None:
    """Free, tumbling, twisted by 0.15 rad: the energy stays within the tolerance of the integration."""
    body = boards()["8"]
    mech = supple.Mechanism("strip", gravity=(0, 0, 0))
    mech.add_body("strip", body, joint=supple.Free())
    model = mech.build()
    q, v = model.neutral(), np.zeros(model.nv)
    q[7] = 0.15 / np.abs(body.frame("end").shape[0, 0])
    v[:3] = (1.0, 2.0, 60.0)
    result = supple.simulate(model, 0.05, q=q, v=v, rtol=1e-10, atol=1e-12)
    energy, twist = np.asarray(result["kinetic_energy"] + result["potential_energy"]), np.asarray(result["q"])[:, 7]
    assert np.ptp(energy) < 1e-10 * energy[0]
    assert twist.min() < -0.5 * q[7]
