"""The L-shaped mechanism of Vidoni et al. (2015), Tables 1 to 3: one link on a hinge, falling and vibrating.

The rigid row of Table 2 is reproduced by lumped masses. The flexible rows are not: they put the elbow 64 mm sideways,
where the static deflection of that steel section is about 1 mm. What flexible links do is compared with the ordinary
floating-frame model and with finite elements instead.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

import supple
from supple.erls import build
from supple.structures import CrossSection, Material, Rectangle, Section, Structure, beam_path
from support.mechanisms.rigid_links import moved

Floats = NDArray[np.float64]
STEEL = Material(E=2e11, nu=0.33, rho=7800.0)
ALUMINIUM = Material(E=7e10, nu=0.33, rho=2700.0)
STANDING = Rectangle(width=0.01, height=0.03)


def bent(section: CrossSection, material: Material, elements: int, lumped: bool = False) -> Structure:
    points = [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.5, 0.5, 0.0)]
    return beam_path(points, section, material, elements, lumped=lumped)


def hinged(structure: Structure, modes: int, inertia: float = 0.0, gravity: float = 9.81) -> supple.Mechanism:
    """On a hinge about y, reduced with its first and last nodes as interfaces."""
    mech = supple.Mechanism("L", gravity=(0.0, 0.0, -gravity))
    body = structure.reduce("craig-bampton", modes=modes, interfaces=["end"])
    mech.add_body("L", body, joint=supple.Revolute("y", inertia=inertia))
    return mech


def test_six_modes_of_lumped_masses_give_the_rigid_row_of_table_2() -> None:
    """Five nodes, with the inertia of the section standing on edge; 125.935 degrees without that inertia."""
    model = build(hinged(bent(STANDING, STEEL, 2, lumped=True), 0), modes=0)
    q, _ = moved(model, 0.5)
    assert np.degrees(q[-1, 0]) == pytest.approx(125.90, abs=0.01)
    elbow, tip = (model.pose(q[-1], f"L/{frame}")[1] for frame in ("corner1", "end"))
    assert elbow == pytest.approx([-0.2931, 0.0, -0.4050], abs=2e-4)
    assert tip == pytest.approx([-0.2931, 0.5, -0.4050], abs=2e-4)


def test_six_modes_of_a_consistent_mass_are_a_rigid_pendulum_of_thin_rods() -> None:
    thin = Section(A=3e-4, Iy=1e-13, Iz=1e-13, J=1e-13)
    q, _ = moved(build(hinged(bent(thin, STEEL, 2), 0), modes=0), 0.5)
    assert np.degrees(q[-1, 0]) == pytest.approx(128.53, abs=0.01)
    # int x^2 over int x of the two rods is 0.5 (1/3 + 1) / (1/2 + 1)
    length = 0.5 * (4.0 / 3.0) / 1.5
    fall = solve_ivp(lambda _, y: [y[1], 9.81 / length * np.cos(y[0])], (0, 0.5), [0, 0], rtol=1e-11, atol=1e-12)
    assert q[-1, 0] == pytest.approx(fall.y[0, -1], abs=1e-8)


def test_the_fall_of_the_flexible_mechanism_is_that_of_the_floating_frame_model() -> None:
    """Joint angle and tip, within 1 % of the deflection, which is some millimetres; and it converges with the modes."""
    mech = hinged(bent(STANDING, STEEL, 2, lumped=True), 2)
    ordinary = mech.build()
    run = supple.simulate(ordinary, 0.5, rtol=1e-8, atol=1e-11, samples=11)
    tips = ordinary.pose(run.q.values, "L/end")[1]
    gaps = []
    for modes in (0, 2, 4, None):
        model = build(mech, modes=modes)
        q, _ = moved(model, 0.5, samples=11, rtol=1e-8)
        gaps.append(np.linalg.norm(model.pose(q, "L/end")[1] - tips, axis=1).max())
    rigid = build(mech, modes=0)
    deflection = np.linalg.norm(tips - rigid.pose(run.q.values[:, :1], "L/end")[1], axis=1).max()
    assert 1e-3 < deflection < 0.01
    assert gaps[0] > gaps[1] > gaps[2] > gaps[3]
    assert gaps[3] < 0.01 * deflection
    assert np.abs(model.joint_positions(q)[:, 0] - run.q.values[:, 0]).max() < 1e-4


FREQUENCIES = [8.44, 12.27, 23.16, 30.94, 117.6, 119.3, 151.2, 171.8]
"""Hz, of test 3 by an independent beam model."""


def test_frequencies_of_the_light_mechanism_are_those_of_finite_elements() -> None:
    """Test 3: motor and shrink disc at the hinge, a mass at the elbow, held at 135 degrees by a constant torque.

    Ten elements a rod and a consistent mass; eight fixed-interface modes besides the interface's six shapes. Four
    elements are enough for 0.2 %; lumped masses are 1 % low with ten.
    """
    rotor = 0.0043 + 0.001269
    structure = bent(Rectangle(0.008, 0.008), ALUMINIUM, 10).with_mass("corner1", 0.017)
    K, M = structure.stiffness.toarray(), structure.mass_matrix.toarray()
    M[1, 1] += rotor
    free = [1, *range(6, len(K))]
    w2 = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True)
    assembled = np.sqrt(w2[1:9]) / (2 * np.pi)
    assert assembled == pytest.approx(FREQUENCIES, rel=1e-3)
    model = build(hinged(structure, 8, rotor, gravity=0.0))
    q, rest = model.neutral(), np.zeros(model.nv)
    q[0] = np.radians(135.0)
    step = 1e-30
    stiffness = model.bias_forces(q + 1j * step * np.eye(model.nv), rest).imag.T / step
    w2 = eigh(stiffness, model.mass_matrix(q), eigvals_only=True)
    assert np.sqrt(w2[1:9]) / (2 * np.pi) == pytest.approx(assembled, rel=5e-3)
