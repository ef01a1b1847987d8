"""A slider-crank with a spring at its crank, and what is known of it by hand."""

from __future__ import annotations

import numpy as np

import supple

G = 9.81
Z = supple.Revolute("z")
START = [0.8, -1.0, 1.0]
"""A guess for its coordinates."""


def slider_crank(pins: int = 1, stiffness: float = 0.0, damping: float = 0.0) -> supple.Model:
    """A crank of 0.3 m with a spring at its axis, a rod of 1 m, a slider along x; y is up."""
    mech = supple.Mechanism("slider-crank", gravity=(0, -G, 0))
    hinge = supple.Revolute("z", stiffness=stiffness, rest=1.2, damping=damping)
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.01, 0.01, 0.01)), joint=hinge)
    mech.add_body("rod", supple.RigidBody(2.0, (0.5, 0, 0), (0.2, 0.2, 0.2)), "crank", Z, at=(0.3, 0, 0))
    mech.add_body("slider", supple.RigidBody(3.0), joint=supple.Prismatic("x"))
    mech.add_frame("end", "rod", (1.0, 0, 0))
    for i in range(pins):
        mech.close_loop(f"pin{i}", "rod/end", "slider", Z)
    return mech.build()


def effective(angle: complex, stiffness: float) -> tuple[complex, complex]:
    """Potential energy and the slider-crank's inertia at its crank, by hand."""
    h = 1e-30
    tilt = -np.arcsin(0.3 * np.sin(angle))
    potential = G * (1.0 * 0.15 * np.sin(angle) + 2.0 * (0.3 * np.sin(angle) + 0.5 * np.sin(tilt)))
    potential += stiffness / 2 * (angle - 1.2) ** 2

    def places(x: complex) -> list[complex]:
        t = -np.arcsin(0.3 * np.sin(x))
        return [0.3 * np.cos(x) + 0.5 * np.cos(t), 0.3 * np.sin(x) + 0.5 * np.sin(t), 0.3 * np.cos(x) + np.cos(t), t]

    rates = [x.imag / h for x in places(angle.real + 1j * h)]
    inertia = 0.01 + 1.0 * 0.15**2 + 2.0 * (rates[0] ** 2 + rates[1] ** 2) + 3.0 * rates[2] ** 2 + 0.2 * rates[3] ** 2
    return potential, inertia


def slope(angle: float, stiffness: float) -> float:
    """Of the potential energy: the torque that holds the crank."""
    return float(effective(angle + 1e-30j, stiffness)[0].imag / 1e-30)


def curvature(angle: float, stiffness: float) -> float:
    """Of the potential energy, from five points: the error is of the order of h^4, and rounding 1e-15 / h."""
    h = 1e-4
    ahead, behind, far, back = (slope(angle + s * h, stiffness) for s in (1, -1, 2, -2))
    return (8 * (ahead - behind) - far + back) / (12 * h)
