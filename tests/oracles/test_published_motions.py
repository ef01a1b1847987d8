"""Benchmark motions of rigid bodies: the published figures, and the closed forms that they must lie on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj

import supple


@pytest.mark.parametrize(
    "joint", [supple.Spherical(), supple.BuildingBlock(rotations="132")], ids=["quaternion", "three angles"]
)
def test_heavy_top(joint: supple.Spherical | supple.BuildingBlock) -> None:
    """The heavy top of the Lie-group literature (Bruls, Cardona, Arnold, 2012): centre of mass after 0.2 s and 1 s.

    At the start the body's axes are those of the ground, its axis of symmetry level along y; it spins about that at
    150 rad/s and turns about the vertical. Both joints have the speeds wx wy wz in body axes.
    """
    mech = supple.Mechanism("heavy top")
    mech.add_body("top", supple.RigidBody(15.0, (0, 1, 0), (0.234375, 0.46875, 0.234375)), joint=joint)
    model = mech.build()
    result = supple.simulate(model, 1.0, v=(0, 150, -4.61538), rtol=1e-11, atol=1e-12)
    com = model.pose(result.q.values, "top")[0][:, :, 1]
    np.testing.assert_allclose(com[40], (0.60555056, 0.59895768, -0.52398303), rtol=0, atol=1e-7)
    np.testing.assert_allclose(com[-1], (0.17334396, 0.64008859, -0.74849079), rtol=0, atol=1e-7)
    # Not trivial: it falls almost to the lowest point, with 15 kg on 1 m, and rises again.
    assert com[:, 2].min() < -0.99
    kinetic, energy = result.kinetic_energy.values, (result.kinetic_energy + result.potential_energy).values
    assert np.ptp(kinetic) > 145
    assert np.ptp(energy) < 1e-10 * kinetic[0]


def test_simple_pendulum() -> None:
    """IFToMM's benchmark A01: a point mass of 1 kg on a massless rod of 1 m, released level, its place after 10 s.

    The figure belongs to a release at rest from (-1, 0), with gravity 9.81 along -y: the closed form from there gives
    it to all its digits. From (1, 0) x would have the other sign.
    """
    g, t, figure = 9.81, 10.0, np.array([-0.275087462577, -0.961419205099])
    # sin(angle / 2) = k cd(w t, k^2), with the angle from hanging and k = sin(90 deg / 2).
    _, cn, dn, _ = ellipj(np.sqrt(g) * t, 0.5)
    half = np.sqrt(0.5) * cn / dn
    closed_form = np.array([-2 * half * np.sqrt(1 - half**2), 2 * half**2 - 1])
    np.testing.assert_allclose(figure, closed_form, rtol=0, atol=2e-12)

    mech = supple.Mechanism("pendulum", gravity=(0, -g, 0))
    mech.add_body("rod", supple.RigidBody(1.0, (-1, 0, 0)), joint=supple.Revolute("z"))
    mech.add_frame("bob", "rod", (-1, 0, 0))
    model = mech.build()
    result = supple.simulate(model, t, rtol=1e-13, atol=1e-14, samples=1001)
    _, p = model.pose(result.q.values, "rod/bob")
    np.testing.assert_allclose(p[0], (-1, 0, 0), rtol=0, atol=0)
    np.testing.assert_allclose(p[-1, :2], figure, rtol=0, atol=1e-8)
    assert np.ptp(p[:, 0]) > 1.99
    assert np.ptp(result.kinetic_energy.values) > 9.8
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.ptp(energy) < 1e-10
