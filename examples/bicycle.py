"""The benchmark bicycle: its full equations, its modes over the speed, and where it rides by itself.

Meijaard, Papadopoulos, Ruina and Schwab (2007), Linearized dynamics equations for the balance and steer of a bicycle:
a benchmark and review, Proceedings of the Royal Society A 463. Axes as there: x forward, y to the right, z down.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties

# Table 1: wheel base, trail, steer axis tilt, gravity; rear wheel R, rear body B, front handlebar and fork H, wheel F.
NUMBERS = {"w": 1.02, "c": 0.08, "tilt": np.pi / 10, "g": 9.81}
NUMBERS |= {"rR": 0.3, "mR": 2.0, "IRxx": 0.0603, "IRyy": 0.12}
NUMBERS |= {"xB": 0.3, "zB": -0.9, "mB": 85.0, "IBxx": 9.2, "IBxz": 2.4, "IByy": 11.0, "IBzz": 2.8}
NUMBERS |= {"xH": 0.9, "zH": -0.7, "mH": 4.0, "IHxx": 0.05892, "IHxz": -0.00756, "IHyy": 0.06, "IHzz": 0.00708}
NUMBERS |= {"rF": 0.35, "mF": 3.0, "IFxx": 0.1405, "IFyy": 0.28}
WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837  # m/s: between the two the bicycle is stable


def bicycle() -> KaneSystem:
    """The bicycle on level ground, upright and straight ahead where all coordinates are zero."""
    s = KaneSystem("bicycle")
    s.parameters(**NUMBERS)
    p, down = s.symbols, s.ground.axes[2]
    s.gravity = p["g"] * down
    # x and y are those of the rear contact; the wheel and the frame both turn in the leaning plane, about one axle.
    rolling = KaneJoint(["x", "y"], "3", coordinates=["x", "y", "heading"])
    heading = s.add_body("heading", joint=rolling)
    lean = s.add_body("lean", heading, KaneJoint(rotations="1", coordinates=["lean"]))
    axle, wheel = (0, 0, -p["rR"]), MassProperties(p["mR"], inertia=(p["IRxx"], p["IRyy"], p["IRxx"]))
    rear = s.add_body("rear", lean, KaneJoint(rotations="2", coordinates=["rear"]), wheel, axle)
    rider = MassProperties(p["mB"], (p["xB"], 0, p["zB"] + p["rR"]), moments(p, "B"))
    frame = s.add_body("frame", lean, KaneJoint(rotations="2", coordinates=["pitch"]), rider, axle)
    # The fork's axes are tilted with the steer axis; its origin is where this axis meets the ground.
    sine, cosine, ahead = np.sin(p["tilt"]), np.cos(p["tilt"]), p["w"] + p["c"]
    R = np.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]], dtype=object)
    steering = KaneJoint(rotations="3", axis=R[:, 2], reference=R[:, 0], coordinates=["steer"])
    handlebar = MassProperties(p["mH"], R.T @ [p["xH"] - ahead, 0, p["zH"]], R.T @ moments(p, "H") @ R)
    fork = s.add_body("fork", frame, steering, handlebar, (ahead, 0, p["rR"]))
    hub, wheel = R.T @ [-p["c"], 0, -p["rF"]], MassProperties(p["mF"], inertia=(p["IFxx"], p["IFyy"], p["IFxx"]))
    front = s.add_body("front", fork, KaneJoint(rotations="2", coordinates=["front"]), wheel, hub)

    steepest = down - (down @ fork.axes[1]) * fork.axes[1]  # in the plane of the front wheel
    touching = (p["rF"] / steepest.norm()) * steepest
    slips = rear.velocity(p["rR"] * lean.axes[2]), front.velocity(touching)
    forward, right, turning = heading.speeds
    for slip, along, across in zip(slips, (forward, front.speeds[0]), (right, turning), strict=True):
        s.constrain(slip @ heading.axes[0], along)
        s.constrain(slip @ heading.axes[1], across)
    s.close(front.position(touching) @ down, frame.coordinates[0])
    return s


def moments(p: dict[str, Any], body: str) -> NDArray[Any]:
    """Inertia of a body that is symmetric about the plane of the wheels."""
    xx, xz, yy, zz = (p[f"I{body}{axes}"] for axes in ("xx", "xz", "yy", "zz"))
    return np.array([[xx, 0, xz], [0, yy, 0], [xz, 0, zz]], dtype=object)


def lean_and_steer(equations: EquationsOfMotion, speed: float) -> NDArray[np.float64]:
    """A of x' = A x, x lean, steer and their rates, for riding straight ahead at a speed."""
    q, v = np.zeros(8), np.array([0.0, -speed / NUMBERS["rR"], 0.0])  # rates of lean, rear wheel, steer
    A = equations.linear.evaluate(equations.numbers(), q=q, v=v)["A"]
    # Pitch, the dependent coordinate, is not in it: x, y, heading, lean, rear, steer, front, then the three rates.
    return np.asarray(A[np.ix_([3, 5, 7, 9], [3, 5, 7, 9])])


def main() -> float:
    """Print and return the speed, m/s, at which the bicycle ceases to weave; check it against the paper's."""
    equations = bicycle().equations()
    count = equations.operations
    print(f"equations of motion: {count.additions} additions, {count.multiplications} multiplications")
    for speed in range(11):
        modes = np.sort_complex(np.linalg.eigvals(lean_and_steer(equations, speed)))
        print(f"{speed:3d} m/s: " + ", ".join(f"{x:.4f}" if x.imag else f"{x.real:.4f}" for x in modes))

    def growth(speed: float) -> float:
        modes = np.linalg.eigvals(lean_and_steer(equations, speed))
        return float(modes.real[modes.imag > 0].max())  # of the pair that oscillates

    weave = brentq(growth, 3.0, 5.0, xtol=1e-13)
    capsize = brentq(lambda speed: np.linalg.det(lean_and_steer(equations, speed)), 5.0, 7.0, xtol=1e-13)
    print(f"rides by itself from {weave:.12f} to {capsize:.12f} m/s")
    assert abs(weave - WEAVE) < 1e-10
    assert abs(capsize - CAPSIZE) < 1e-10
    return float(weave)


if __name__ == "__main__":
    main()
