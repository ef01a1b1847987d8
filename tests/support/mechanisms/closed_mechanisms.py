"""Mechanisms with closed loops, for tests, benchmarks and examples' checks."""

from __future__ import annotations

import numpy as np

import supple

Z = supple.Revolute("z")
ANDREWS_END = {
    "K1": 15.81077119629904,
    "K2": -15.75637105984298,
    "K3": 0.04082224013073101,
    "K4": -0.5347301163226948,
    "K5": 0.5244099658805304,
    "K6": 0.5347301163226948,
    "K7": 1.048080741042263,
}
"""Angles of `andrews` after 30 ms under 0.033 N m on K1, rad, by joints' bodies (Mazzia and Magherini, test set)."""


def n_four_bar(n: int) -> supple.Model:
    """IFToMM's library of benchmarks, A02: n + 1 upright rods and n level ones, 1 m and 1 kg each, in a row."""
    mech = supple.Mechanism("row of four-bars", gravity=(0, -9.81, 0))
    upright = supple.RigidBody(1.0, (0, 0.5, 0), (1 / 12, 0, 1 / 12))
    level = supple.RigidBody(1.0, (0.5, 0, 0), (0, 1 / 12, 1 / 12))
    for i in range(n + 1):
        mech.add_body(f"rod{i}", upright, joint=Z, at=(i, 0, 0))
        mech.add_frame("top", f"rod{i}", (0, 1, 0))
        if i:
            mech.add_body(f"bar{i}", level, f"rod{i - 1}", Z, at="top")
            mech.add_frame("end", f"bar{i}", (1, 0, 0))
            mech.close_loop(f"loop{i}", f"bar{i}/end", f"rod{i}/top", Z)
    return mech.build()


def slider_crank() -> supple.Model:
    """A crank of 0.3 m, a rod of 1 m and a slider along x, in gravity along -y."""
    z = supple.Revolute("z")
    mech = supple.Mechanism("slider-crank", gravity=(0, -9.81, 0))
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.01, 0.01, 0.01)), joint=z)
    mech.add_body("rod", supple.RigidBody(2.0, (0.5, 0, 0), (0.2, 0.2, 0.2)), "crank", z, at=(0.3, 0, 0))
    mech.add_body("slider", supple.RigidBody(3.0), joint=supple.Prismatic("x"))
    mech.add_frame("end", "rod", (1.0, 0, 0))
    mech.close_loop("pin", "rod/end", "slider", z)
    return mech.build()


def andrews() -> tuple[supple.Model, list[float]]:
    """Andrews' squeezing mechanism (the test set for differential-algebraic equations), and its start.

    The seven angles of the source are those of the bodies' joints; the numbers are its own, SI.
    """
    x_a, y_a, x_b, y_b, x_c, y_c = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
    mech = supple.Mechanism("squeezing mechanism", gravity=(0, 0, 0))

    def add(
        name: str, mass: float, moment: float, com: tuple[float, float], parent: str, at: tuple[float, float]
    ) -> None:
        body = supple.RigidBody(mass, (*com, 0), (0, 0, moment), allow_unphysical=True)
        mech.add_body(name, body, parent, Z, at=(*at, 0))

    add("K1", 0.04325, 2.194e-6, (0.00092, 0), "ground", (0, 0))
    add("K2", 0.00365, 4.410e-7, (-0.0115, 0), "K1", (0.007, 0))
    add("K3", 0.02373, 5.255e-6, (0.01043, -0.01874), "ground", (x_b, y_b))
    add("K5", 0.07050, 1.169e-5, (0.02308, 0.00916), "ground", (x_a, y_a))
    add("K4", 0.00706, 5.667e-7, (0, 0.01421 - 0.02), "K5", (0.04, 0))
    add("K7", 0.05498, 1.912e-5, (-0.00449, -0.01228), "ground", (x_a, y_a))
    add("K6", 0.00706, 5.667e-7, (0.02 - 0.01421, 0), "K7", (0, -0.04))
    for name, x, y in (("K2", -0.028, 0), ("K3", 0, -0.035), ("K4", 0, -0.02), ("K6", 0.02, 0)):
        mech.add_frame("P", name, (x, y, 0))
    for name in ("K3", "K4", "K6"):
        mech.close_loop(f"loop {name}", "K2/P", f"{name}/P", Z)
    mech.add_frame("D", "K3", (0.02, -0.018, 0))
    mech.add_frame("C", "ground", (x_c, y_c, 0))
    mech.add_spring_damper("spring", "ground/C", "K3/D", 4530.0, 0.0, 0.07785)
    angles = {
        "K1": -0.0617138900142764496,
        "K2": 0.0,
        "K3": 0.455279819163070380,
        "K4": 0.222668390165885885,
        "K5": 0.487364979543842550,
        "K6": -0.222668390165885885,
        "K7": 1.23054744454982119,
    }
    model = mech.build()
    return model, [angles[name] for name in model.bodies]


def bricard() -> supple.Model:
    """IFToMM's A04: five rods of 1 m and 1 kg along edges of a cube, six hinges across them, one condition too many."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    axes = "yzxyzx"
    mech = supple.Mechanism("Bricard's mechanism", gravity=(0, -9.81, 0))
    parent, origin = "ground", np.zeros(3)
    for i in range(5):
        rod = corners[i + 1] - corners[i]
        body = supple.RigidBody(1.0, rod / 2, (np.eye(3) - np.outer(rod, rod)) / 12)
        mech.add_body(f"rod{i + 1}", body, parent, supple.Revolute(axes[i]), at=corners[i] - origin)
        parent, origin = f"rod{i + 1}", corners[i]
    mech.add_frame("end", "rod5", corners[5] - corners[4])
    mech.add_frame("end", "ground", corners[5])
    mech.close_loop("hinge", "ground/end", "rod5/end", supple.Revolute(axes[5]))
    return mech.build()
