"""The L-shaped mechanism of test 3 of Vidoni et al. (2015) under a torque: both formulations beside finite elements."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import eigh

import supple
from supple.erls import ModeChoice, build
from supple.structures import Material, Rectangle, Structure, beam_path

Floats = NDArray[np.float64]
ROTOR, TORQUE, PULSE = 0.0043 + 0.001269, 0.05, 2 * np.pi * 25.0
TIMES = np.linspace(0.0, 0.06, 31)


@cache
def rods() -> Structure:
    points = [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.5, 0.5, 0.0)]
    aluminium = Material(E=7e10, nu=0.33, rho=2700.0)
    return beam_path(points, Rectangle(0.008, 0.008), aluminium, elements=4).with_mass("corner1", 0.017)


@cache
def by_finite_elements() -> Floats:
    """z of the elbow and the tip (times, 2): the free hinge turns little, so all modes of K and M are superposed."""
    structure = rods()
    K, M = structure.stiffness.toarray(), structure.mass_matrix.toarray()
    M[1, 1] += ROTOR
    free = np.array([1, *range(6, len(K))])
    squares, shapes = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)])
    out = np.zeros((len(TIMES), 2))
    places = [int(np.flatnonzero(free == 6 * structure.frames[name][0] + 5)[0]) for name in ("corner1", "end")]
    for i, square in enumerate(squares):
        push = TORQUE * shapes[0, i]  # on the rotation about y at the hinge
        if i == 0:
            assert square < 1e-3 * squares[1]
            motion = push * (TIMES / PULSE - np.sin(PULSE * TIMES) / PULSE**2)
        else:
            w = np.sqrt(square)
            motion = push / (square - PULSE**2) * (np.sin(PULSE * TIMES) - PULSE / w * np.sin(w * TIMES))
        out += motion[:, None] * shapes[places, i]
    return out


def driven(formulation: str) -> Floats:
    """The same by a simulation."""
    mech = supple.Mechanism("L", gravity=(0.0, 0.0, 0.0))
    body = rods().reduce("craig-bampton", modes=8, interfaces=["end"])
    mech.add_body("L", body, joint=supple.Revolute("y", inertia=ROTOR))
    choices = {"all modes": None, "few modes": 6, "static shapes": ModeChoice(6, static=True)}
    model = mech.build() if formulation == "floating" else build(mech, choices[formulation])
    run = supple.simulate(
        model,
        float(TIMES[-1]),
        tau={"L.angle": f"{TORQUE}*sin({PULSE}*t)"},
        outputs=supple.Outputs(frames=["L/corner1", "L/end"]),
        samples=len(TIMES),
        rtol=1e-6,
        atol=1e-10,
    )
    return np.asarray(run.position.values[..., 2])


def gaps(formulation: str) -> Floats:
    """How far elbow and tip are from finite elements, as shares of their motion, of which bending is a large part."""
    expected = by_finite_elements()
    size = np.abs(expected).max(axis=0)
    assert (size > 1e-4).all()
    assert np.abs(expected[:, 1] - expected[:, 0]).max() > 0.2 * size[0]  # a rigid bar moves both alike
    return np.asarray(np.abs(driven(formulation) - expected).max(axis=0) / size)


@pytest.mark.parametrize("formulation", ["floating", "all modes", "static shapes"])
def test_elbow_and_tip_move_as_finite_elements_do(formulation: str) -> None:
    assert gaps(formulation).max() < 1e-2


def test_as_few_modes_without_static_shapes_do_not() -> None:
    assert gaps("few modes").min() > 0.3
