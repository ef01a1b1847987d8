"""An arm under PD control with gravity compensation: it settles as the error dynamics say, and sags under a load."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import integrate, linalg, optimize

import supple
from supple.files import read

Floats = NDArray[np.float64]
FILE = Path(__file__).with_suffix(".toml")
GOAL = np.array([0.6, 0.7, 0.8])
STIFFNESS, DAMPING = np.array([120.0, 300.0, 100.0]), np.array([25.0, 50.0, 12.0])
UPPER, FORE, LOAD, GRAVITY = 0.5, 0.4, 1.5, 9.81


def driven(arm: supple.Model) -> xr.Dataset:
    """Motion of the arm to the goal under the controllers of the file, which know the weight of the arm alone."""
    return supple.simulate(arm, **read(FILE).run_arguments() | {"rtol": 1e-10, "atol": 1e-12, "samples": 4001})


def loaded(arm: supple.Model) -> supple.Model:
    """The arm with a load in its hand."""
    mech = supple.Mechanism("loaded arm")
    for name, placed in arm.description.bodies.items():
        mech.add_body(name, placed.body, placed.parent, placed.joint, placed.position)
    mech.add_frame("hand", "fore", (0, 0, FORE))
    mech.add_body("load", supple.RigidBody(LOAD), "fore", supple.Fixed(), (0, 0, FORE))
    return mech.build()


def sagging() -> Floats:
    """Angles off the goal where the controllers hold the load, by hand: forces times levers."""

    def rest(off: Floats) -> Floats:
        _, upper, fore = GOAL + off
        fore_lever = FORE * np.sin(upper + fore)
        return LOAD * GRAVITY * np.array([0.0, UPPER * np.sin(upper) + fore_lever, fore_lever]) - STIFFNESS * off

    return np.asarray(optimize.root(rest, np.zeros(3), tol=1e-14).x)


def main() -> float:
    """Print and return how far the load pulls the hand down, m; check it by hand, and how the error dies away."""
    arm = read(FILE).model
    motion = driven(arm)
    error, v, t = motion.q.values - GOAL, motion.v.values, motion.time.values
    weight = arm.bias_forces(motion.q.values, np.zeros(3))  # the formulas of the file hold the arm
    assert np.allclose(motion.tau, weight - STIFFNESS * error - DAMPING * v, rtol=0, atol=1e-10)
    # Proportional gains and motion store T + error . K error / 2; the derivative gains take v . D v.
    stored = motion.kinetic_energy.values + error**2 @ STIFFNESS / 2
    taken = float(integrate.simpson(v**2 @ DAMPING, x=t))
    print(f"of {stored[0]:.4f} J at the start the controllers have taken {taken:.4f} J after {t[-1]:g} s")
    assert np.isclose(taken, stored[0], rtol=1e-6)  # what samples every millisecond can tell
    assert np.diff(stored).max() < 1e-12

    # Close to the goal M error'' + D error' + K error = 0, whose solution is a matrix exponential.
    M_inverse = arm.inverse_mass_matrix(GOAL)
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-M_inverse * STIFFNESS, -M_inverse * DAMPING]])
    x, start, end = np.concatenate([error, v], axis=1), 1000, 1500
    expected = linalg.expm((t[end] - t[start]) * A) @ x[start]
    print(f"column {error[end, 0]:.8f} rad off after {t[end]:g} s, by the linear error dynamics {expected[0]:.8f} rad")
    assert np.abs(error[start]).max() > 1e-3
    assert np.allclose(x[end], expected, rtol=0, atol=1e-6)
    assert np.abs(error[-1]).max() < 1e-9

    held, off = driven(loaded(arm)).q.values[-1] - GOAL, sagging()
    drop = float((arm.pose(GOAL, "fore/hand")[1] - arm.pose(GOAL + held, "fore/hand")[1])[2])
    print(f"{LOAD} kg unknown to the controllers turn shoulder and elbow by {held[1]:.8f} and {held[2]:.8f} rad,")
    print(f"by hand {off[1]:.8f} and {off[2]:.8f} rad, and pull the hand {1e3 * drop:.5f} mm down")
    height = [UPPER * np.cos(upper) + FORE * np.cos(upper + fore) for _, upper, fore in (GOAL, GOAL + off)]
    assert np.allclose(held, off, rtol=0, atol=1e-9)
    assert np.isclose(drop, height[0] - height[1], rtol=1e-8)
    return drop


if __name__ == "__main__":
    main()
