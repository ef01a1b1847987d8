"""An arm under PD control with gravity compensation: it settles as the error dynamics say, and sags under a load."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import linalg, optimize

import supple

Floats = NDArray[np.float64]
START, GOAL = np.array([-0.5, 0.2, 0.3]), np.array([0.6, 0.7, 0.8])
STIFFNESS, DAMPING = np.array([120.0, 300.0, 100.0]), np.array([25.0, 50.0, 12.0])
UPPER, FORE, LOAD, GRAVITY = 0.5, 0.4, 1.5, 9.81


def driven(arm: supple.Model, known: supple.Model) -> xr.Dataset:
    """Motion of the arm to the goal, its weight compensated as far as it is known."""

    def drive(t: float, q: Floats, v: Floats) -> Floats:
        return known.bias_forces(q, np.zeros(3)) + STIFFNESS * (GOAL - q) - DAMPING * v

    return supple.simulate(arm, 6.0, q=START, tau=drive, samples=601)


def loaded(arm: supple.Model) -> supple.Model:
    """The arm with a load in its hand."""
    mech = supple.Mechanism("loaded arm")
    for name, placed in arm.description.bodies.items():
        mech.add_body(name, placed.body, placed.parent, placed.joint, placed.position)
    mech.add_body("load", supple.RigidBody(LOAD), "fore", supple.Fixed(), (0, 0, FORE))
    return mech.build()


def sagging() -> Floats:
    """Angles off the goal where the springs of the drives hold the load, by hand: forces times levers."""

    def rest(off: Floats) -> Floats:
        _, upper, fore = GOAL + off
        fore_lever = FORE * np.sin(upper + fore)
        return LOAD * GRAVITY * np.array([0.0, UPPER * np.sin(upper) + fore_lever, fore_lever]) - STIFFNESS * off

    return np.asarray(optimize.root(rest, np.zeros(3), tol=1e-14).x)


def main() -> float:
    """Print and return how far the load pulls the hand down, m; check it by hand, and how the error dies away."""
    arm = supple.load(Path(__file__).with_suffix(".toml"))
    motion = driven(arm, known=arm)
    error, v, t = motion.q.values - GOAL, motion.v.values, motion.time.values
    # The drives' springs and the motion hold W = T + error . K error / 2, of which the dampers take v . D v.
    stored = motion.kinetic_energy.values + (error**2 @ STIFFNESS) / 2
    print(f"{stored[0]:.3f} J in the springs at the start, {stored[-1]:.1e} J after {t[-1]:g} s")
    assert np.all(np.diff(stored) < 0)
    assert np.isclose(stored[0], STIFFNESS @ (START - GOAL) ** 2 / 2, rtol=1e-14)

    # Close to the goal M error'' + D error' + K error = 0, whose solution is a matrix exponential.
    M_inv = np.linalg.inv(arm.mass_matrix(GOAL))
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-M_inv * STIFFNESS, -M_inv * DAMPING]])
    x = np.concatenate([error, v], axis=1)
    print(np.linalg.eigvals(A))
    for first in (100, 150, 200, 300):
        expected = linalg.expm(A * 0.5) @ x[first]
        print(np.abs(error[first]).max(), expected, x[first + 50]-expected)

    held = driven(loaded(arm), known=arm).q.values[-1]
    off = sagging()
    drop = float((arm.pose(GOAL, "fore/hand")[1] - arm.pose(held, "fore/hand")[1])[2])
    print(f"{LOAD} kg unknown to the drives turn the joints by {(held - GOAL).round(6)} rad, by hand {off.round(6)}")
    print(f"and pull the hand {1e3 * drop:.4f} mm down", held - GOAL - off)
    return drop


if __name__ == "__main__":
    main()
