"""Published motions of rigid bodies."""

from __future__ import annotations

import numpy as np

import supple


def test_heavy_top() -> None:
    """Fast heavy top of the Lie-group integrator literature (Bruels, Cardona, Arnold 2012); reference to 8 digits."""
    mech = supple.Mechanism("heavy top")
    mech.add_body("top", supple.RigidBody(15.0, (0, 1, 0), (0.234375, 0.46875, 0.234375)), joint=supple.Spherical())
    model = mech.build()
    result = supple.simulate(model, 1.0, v=(0, 150, -4.61538), rtol=1e-10, atol=1e-12, samples=6)
    R, _ = model.pose(result.q.values, "top")
    com = R @ np.array([0.0, 1.0, 0.0])
    assert np.allclose(com[1], (0.60555056, 0.59895768, -0.52398303), rtol=0, atol=1e-7)
    assert np.allclose(com[5], (0.17334396, 0.64008859, -0.74849079), rtol=0, atol=1e-7)


def test_iftomm_a01_pendulum() -> None:
    """IFToMM benchmark A01: point mass of 1 kg on a massless rod of 1 m, released level, 10 s."""
    mech = supple.Mechanism("pendulum")
    mech.add_body("rod", supple.RigidBody(1.0, (-1, 0, 0)), joint=supple.Revolute("y"))
    mech.add_frame("bob", "rod", (-1, 0, 0))
    model = mech.build()
    result = supple.simulate(model, 10.0, rtol=1e-12, atol=1e-13)
    _, p = model.pose(result.q.values[-1], "rod/bob")
    assert np.allclose(p[[0, 2]], (-0.275087462577, -0.961419205099), rtol=0, atol=1e-8)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.ptp(result.kinetic_energy.values) > 9
    assert np.ptp(energy) < 1e-10
