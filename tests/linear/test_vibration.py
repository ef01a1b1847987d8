"""Modes of assembled systems against closed forms and one-piece finite elements."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy import linalg, optimize
from scipy.spatial.transform import Rotation

import supple
from supple import structures
from supple.linear import Modes, equilibrium, modes
from supple.structures import FlexibleBody
from support.cases import thinned

METAL = structures.Material(E=7e10, nu=0.3, rho=2700.0)
STRIP = structures.Rectangle(0.003, 0.002)  # so thin that the turning inertia of its slices is below 1e-5
LENGTH = 1.0
BENDING_Y = np.sqrt(METAL.E * STRIP.Iy / (METAL.rho * STRIP.A))  # rad/s for (beta L)^2 = 1, in the x-z plane
BENDING_Z = np.sqrt(METAL.E * STRIP.Iz / (METAL.rho * STRIP.A))
MASS = METAL.rho * STRIP.A * LENGTH


@cache
def strip(elements: int = 20, length: float = LENGTH) -> structures.Structure:
    return structures.beam(length, STRIP, METAL, elements)


def alone(
    body: supple.RigidBody | FlexibleBody, joint: supple.description.joints.Joint, gravity: float = 0.0
) -> supple.Model:
    mech = supple.Mechanism("alone", gravity=(0, 0, -gravity))
    mech.add_body("beam", body, joint=joint)
    return mech.build()


def plane(found: Modes, frame: str, component: int) -> np.ndarray:
    """Rates in rad/s of the modes that move a frame in one direction."""
    move = np.abs(found.shape_at(frame)[3:])
    return 2 * np.pi * found.frequencies[(np.argmax(move, axis=0) == component) & ~found.rigid]


def test_pendulum() -> None:
    body = supple.RigidBody(2.0, (0, 0, -0.3), (0.01, 0.02, 0.01))
    found = modes(alone(body, supple.Revolute("y"), 9.81))
    assert found.frequencies * 2 * np.pi == pytest.approx([np.sqrt(2 * 9.81 * 0.3 / (0.02 + 2 * 0.09))], rel=1e-14)
    assert found.real
    assert found.shapes == pytest.approx(np.array([[1 / np.sqrt(0.2)]]), rel=1e-14)
    upright = modes(alone(body, supple.Revolute("y"), 9.81), q=[np.pi])
    assert upright.unstable.all()
    assert upright.eigenvalues[0] == pytest.approx(found.eigenvalues[0].imag, rel=1e-14)
    assert "unstable" in str(upright)


def test_double_pendulum_of_two_points() -> None:
    """w^2 = (g / l) (2 -+ sqrt 2)."""
    mech = supple.Mechanism("double")
    bob = supple.RigidBody(0.7, (0, 0, -0.4))
    mech.add_body("upper", bob)
    mech.add_body("lower", bob, "upper", at=(0, 0, -0.4))
    found = modes(mech.build())
    assert (found.frequencies * 2 * np.pi) ** 2 == pytest.approx(
        9.81 / 0.4 * (2 + np.sqrt(2) * np.array([-1, 1])), 1e-13
    )
    assert found.dof(0) == "upper.angle"
    # In the slow mode the upper bob moves by 1, the lower by 1 + sqrt 2.
    move = found.shape_at("lower")[3, 0], found.shape_at("lower")[3, 0] - 0.4 * found.shape_at("lower")[1, 0]
    assert move[1] / move[0] == pytest.approx(1 + np.sqrt(2), rel=1e-12)
    assert found.bodies(0)["lower"] == pytest.approx(1 - 1 / (1 + (1 + np.sqrt(2)) ** 2), rel=1e-12)


@pytest.mark.parametrize(("basis", "modes_kept", "tolerance"), [("nodal", None, 3e-5), ("cantilever", 12, 2e-4)])
def test_pinned_free_beam(basis: str, modes_kept: int | None, tolerance: float) -> None:
    """A flexible body on a hinge: zero, then (beta L)^2 with tan = tanh."""
    found = modes(alone(strip().reduce(basis, modes=modes_kept), supple.Revolute("y")))
    rates = plane(found, "beam/end", 2)
    assert found.kinds[:2] == ("rigid", "")
    assert rates[:3] == pytest.approx(BENDING_Y * np.array([3.92660231, 7.06858275, 10.21017612]) ** 2, rel=tolerance)
    still = plane(found, "beam/end", 1)
    assert still[:2] == pytest.approx(BENDING_Z * np.array([1.87510407, 4.69409113]) ** 2, rel=3e-5)


@pytest.mark.parametrize("on_body", thinned([True, False], [True]))
def test_clamped_beam_with_a_mass_at_its_tip(on_body: bool) -> None:
    """1 + cos cosh + mu z (cos sinh - sin cosh) = 0, with the mass on the structure or as a body of its own."""
    mu = 0.6
    beam = strip().with_mass("end", mu * MASS) if on_body else strip()
    mech = supple.Mechanism("mast", gravity=(0, 0, 0))
    mech.add_body("beam", beam.reduce("nodal"), joint=supple.Fixed())
    if not on_body:
        mech.add_body("bob", supple.RigidBody(mu * MASS), "beam", supple.Fixed(), "end")
    found = modes(mech.build())

    def equation(z: float) -> float:
        return 1 + np.cos(z) * np.cosh(z) + mu * z * (np.cos(z) * np.sinh(z) - np.sin(z) * np.cosh(z))

    roots = np.array([optimize.brentq(equation, a, b) for a, b in [(0.5, 2.0), (3.5, 4.6), (6.5, 7.8)]])
    assert plane(found, "beam/11", 2)[:3] == pytest.approx(BENDING_Y * roots**2, rel=3e-5)
    if not on_body:
        share = found.bodies(0)
        tip = found.shape_at("bob")[3:, 0]
        assert share["bob"] == pytest.approx(mu * MASS * tip @ tip, rel=1e-12)
        assert sum(share.values()) == pytest.approx(1.0)


def test_free_beam_has_six_rigid_modes() -> None:
    found = modes(alone(strip().reduce("nodal"), supple.Free()))
    assert found.rigid.sum() == 6
    assert found.rigid[:6].all()
    free = np.array([4.73004074, 7.85320462, 10.99560784]) ** 2
    assert plane(found, "beam/end", 2)[:3] == pytest.approx(BENDING_Y * free, rel=5e-5)
    assert plane(found, "beam/end", 1)[:3] == pytest.approx(BENDING_Z * free, rel=5e-5)


@pytest.mark.parametrize("basis", thinned(["nodal", "craig-bampton"], ["nodal"]))
def test_two_links_are_one_bent_beam(basis: str) -> None:
    """Frequencies of two flexible links on fixed joints are those of the same beam in one piece."""
    angle, n = 0.7, 6
    corner, end = np.array([0.5, 0, 0]), np.array([0.5 + 0.4 * np.cos(angle), 0.4 * np.sin(angle), 0])
    whole = structures.beam_path(np.array([np.zeros(3), corner, end]), STRIP, METAL, n)
    keep = slice(6, None)
    K, M = (A.toarray()[keep, keep] for A in (whole.stiffness, whole.mass_matrix))
    expected = np.sqrt(linalg.eigh(K, M, eigvals_only=True)) / (2 * np.pi)
    mech = supple.Mechanism("L", gravity=(0, 0, 0))
    options = {} if basis == "nodal" else {"modes": 14}
    first, second = (strip(n, l).reduce(basis, **options) for l in (0.5, 0.4))  # type: ignore[arg-type]
    mech.add_body("a", first, joint=supple.Fixed())
    turn = Rotation.from_euler("z", angle)
    mech.add_body("b", second, "a", supple.Fixed(), "end", turn)
    found = modes(mech.build())
    assert found.real
    if basis == "nodal":
        assert found.frequencies == pytest.approx(expected, rel=1e-8)
    else:
        assert found.frequencies[:6] == pytest.approx(expected[:6], rel=1e-4)
        assert (found.frequencies[:20] >= expected[:20] * (1 - 1e-9)).all()


def test_damping_ratios() -> None:
    body = strip().reduce("cantilever", modes=6, damping=0.03)
    found = modes(alone(body, supple.Fixed()))
    assert not found.real
    assert found.damping == pytest.approx(np.full(6, 0.03), rel=1e-10)
    assert body.report is not None
    assert found.frequencies == pytest.approx(np.sort(body.report.frequencies), rel=1e-12)


def test_damped_free_masses() -> None:
    """Two masses on a line with a spring and a damper between: rigid and an oscillation, or two decays."""
    for c, ratio in ((0.4, 0.1), (8.0, 2.0)):
        mech = supple.Mechanism("pair", gravity=(0, 0, 0))
        mech.add_body("a", supple.RigidBody(2.0), joint=supple.Prismatic("x"))
        mech.add_body("b", supple.RigidBody(2.0), "a", supple.Prismatic("x", stiffness=4.0, damping=c))
        found = modes(mech.build())  # reduced mass 1: w = 2, ratio = c / 4
        assert found.rigid.tolist() == [True] + [False] * (len(found) - 1)
        if ratio < 1:
            assert found.damping == pytest.approx([0.0, ratio], abs=1e-13)
            assert found.frequencies[1] * 2 * np.pi == pytest.approx(2.0, rel=1e-13)
        else:
            assert found.kinds == ("rigid", "decay", "decay")
            assert found.eigenvalues[1:].real == pytest.approx(2 * (-2 + np.sqrt(3) * np.array([1, -1])), rel=1e-12)
        assert np.abs(found.shapes[:, 0] - [0.5, 0.0]).max() < 1e-12


@cache
def rotor(spin_inertia: float, across: float, stiffness: float, mass: float, height: float) -> supple.Model:
    mech = supple.Mechanism("rotor")
    empty = supple.RigidBody(0.0)
    mech.add_body("outer", empty, joint=supple.Revolute("x", stiffness=stiffness))
    mech.add_body("inner", empty, "outer", supple.Revolute("y", stiffness=stiffness))
    disc = supple.RigidBody(mass, (0, 0, height), (across, across, spin_inertia))
    mech.add_body("disc", disc, "inner", supple.Revolute("z"))
    return mech.build()


def test_precession_and_nutation() -> None:
    """I w^2 -+ J W w - k = 0 for a symmetric rotor in gimbals with springs; the spin itself is rigid."""
    J, I, k, spin = 0.02, 0.015, 3.0, 80.0
    found = modes(rotor(J, I, k, 1.0, 0.0), v={"disc.angle": spin})
    root = np.sqrt((J * spin) ** 2 + 4 * I * k)
    expected = (root + np.array([-1, 1]) * J * spin) / (2 * I)
    assert not found.real
    assert found.rigid.tolist() == [True, False, False]
    assert found.frequencies[1:] * 2 * np.pi == pytest.approx(expected, rel=1e-12)
    assert np.abs(found.damping).max() < 1e-12
    assert not found.unstable.any()
    # One goes round with the spin, one against it: the two angles a quarter turn apart, in opposite senses.
    ratio = found.shapes[1, 1:] / found.shapes[0, 1:]
    assert ratio == pytest.approx([1j, -1j], abs=1e-10)


def test_sleeping_top() -> None:
    """Upright in gravity: stable only if (J W)^2 > 4 I m g h."""
    J, I, m, h = 0.02, 0.03, 1.0, 0.1
    slow = 2 * np.sqrt((I + m * h * h) * m * 9.81 * h) / J
    for factor, stable in ((1.02, True), (0.98, False)):
        found = modes(rotor(J, I, 0.0, m, h), v={"disc.angle": slow * factor})
        assert found.unstable.any() != stable


def test_spin_about_the_middle_axis() -> None:
    """A free body: the growth rate is W sqrt((I2 - I1)(I3 - I2) / (I1 I3)); about the others it wobbles."""
    I = np.array([1.0, 2.0, 2.5])
    model = alone(supple.RigidBody(3.0, inertia=I), supple.Free())
    middle = modes(model, v={"beam.wy": 5.0})
    rate = 5.0 * np.sqrt((I[1] - I[0]) * (I[2] - I[1]) / (I[0] * I[2]))
    assert middle.eigenvalues.real.max() == pytest.approx(rate, rel=1e-10)
    assert middle.unstable.sum() == 1
    last = modes(model, v={"beam.wz": 5.0})
    wobble = 5.0 * np.sqrt((I[2] - I[0]) * (I[2] - I[1]) / (I[0] * I[1]))
    assert np.abs(last.eigenvalues.imag - wobble).min() < 1e-9
    assert not last.unstable.any()


def test_fixed_joints_and_settled_posture() -> None:
    """Locked, an arm rings like a clamped beam; settled under gravity it is a free equilibrium."""
    model = alone(strip().reduce("cantilever", modes=4), supple.Revolute("y"), 9.81)
    locked = modes(model, fixed=["beam"])
    assert plane(locked, "beam/end", 2)[0] == pytest.approx(BENDING_Y * 1.87510407**2, rel=1e-5)
    assert not locked.shapes[0].any()
    rest = equilibrium(model, {"beam.angle": 1.0})
    found = modes(model, rest.q)
    assert found.real
    assert "generalized forces" not in str(found)
    assert "generalized forces" in str(locked)
    rigid = np.sqrt(1.5 * 9.81 / LENGTH)
    assert found.frequencies[0] * 2 * np.pi == pytest.approx(rigid, rel=0.01)
    with pytest.raises(supple.StateError, match="did you mean 'beam'"):
        modes(model, fixed=["bem"])
    with pytest.raises(supple.StateError, match="from 0 to 4"):
        found.bodies(7)


def test_slow_modes_keep_their_digits_beside_stiff_ones() -> None:
    """A pendulum that carries a spring 10^13 times as stiff as itself."""
    mech = supple.Mechanism("stiff")
    mech.add_body("rod", supple.RigidBody(1.0, (0, 0, -1.0)))
    mech.add_body("bob", supple.RigidBody(1.0), "rod", supple.Prismatic("z", stiffness=1e14), at=(0, 0, -1))
    mech.add_body("wheel", supple.RigidBody(0.0, inertia=(1e-3, 1e-3, 1e-3)), "rod", supple.Revolute("z"))
    model = mech.build()
    found = modes(model, equilibrium(model).q)
    assert found.kinds == ("rigid", "", "")
    assert found.frequencies[1] * 2 * np.pi == pytest.approx(np.sqrt(9.81 * 2 / (2 + 1e-3)), rel=1e-12)
    assert found.frequencies[2] * 2 * np.pi == pytest.approx(1e7, rel=1e-12)


def test_nothing_without_inertia() -> None:
    with pytest.raises(supple.SingularError, match=r"'beam\.angle'"):
        modes(alone(supple.RigidBody(0.0), supple.Revolute("y")))


def test_modal_damping_of_a_body_is_not_that_of_the_system() -> None:
    """A ratio of the body's own modes is less for the slow motion of its load, and the table says so.

    One at the frequency of the system holds for it.
    """
    link = structures.beam(0.5, structures.Rectangle(0.03, 0.006), structures.Material(E=70e9, nu=0.3, rho=2700.0), 8)

    def loaded(damping: float | structures.Rayleigh) -> Modes:
        mech = supple.Mechanism("loaded", gravity=(0, 0, 0))
        body = link.reduce("craig-bampton", modes=2, damping=damping)
        mech.add_body("link", body, joint=supple.Fixed())
        load = supple.RigidBody(2.0, inertia=(1e-3, 1e-3, 1e-3))
        mech.add_body("load", load, "link", supple.Fixed(), at="end")
        return modes(mech.build())

    own = loaded(0.02)
    assert own.damping[0] < 0.005
    assert "damping: mode 1 at 3.335 Hz has 0.33 %; the 2 % of 'link' are for its own modes, from 19.74 Hz on" in str(
        own
    )
    at_system = loaded(structures.Rayleigh.at([float(own.frequencies[0])], [0.02]))
    assert at_system.damping[0] == pytest.approx(0.02, rel=1e-6)
    assert "for its own modes" not in str(at_system)
