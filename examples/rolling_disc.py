"""A disc that rolls upright without slip: below a certain speed it falls, above it wobbles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from supple import shapes
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties

Floats = NDArray[np.float64]
M, R, G = 2.0, 0.3, 9.81
ACROSS, ALONG = M * R**2 / 4, M * R**2 / 2  # moments about a diameter and about the axle of a uniform disc


def disc() -> KaneSystem:
    """A thin disc on level ground, upright where its lean is zero; z is up."""
    s = KaneSystem("disc")
    m, r, g, across, along = s.parameters(m=M, r=R, g=G, across=ACROSS, along=ALONG)
    s.gravity = -g * s.ground.axes[2]
    heading = s.add_body(
        "heading", joint=KaneJoint(translations=["x", "y"], rotations="3", coordinates=["x", "y", "heading"])
    )
    lean = s.add_body("lean", heading, joint=KaneJoint(rotations="1", coordinates=["lean"]))
    inertia = (across, along, across)
    rolling = s.add_body(
        "disc",
        lean,
        joint=KaneJoint(rotations="2", coordinates=["roll"]),
        body=MassProperties(m, inertia=inertia),
        at=(0, 0, r),
    )
    mark = shapes.Box((0.03, 0.03, R), at=(0, 0, R / 2), color="sienna")
    s.add_visual("disc", shapes.Cylinder(R, 0.02, axis="y", color="goldenrod"), mark)
    slip = rolling.velocity(-r * lean.axes[2])
    for direction, speed in zip(heading.axes[:2], heading.speeds[:2], strict=True):
        s.constrain(slip @ direction, speed)
    return s


def energy(y: Floats) -> Floats:
    """By hand, of states (q, v) in columns: the disc turns about its contact, with these rates in leaning axes."""
    lean, (turn, tilt, roll) = y[3], y[5:]
    w = np.array([tilt, roll + turn * np.sin(lean), turn * np.cos(lean)])
    about_contact = np.array([ACROSS + M * R**2, ALONG + M * R**2, ACROSS])
    return about_contact @ w**2 / 2 + M * G * R * np.cos(lean)


def wobble(equations: EquationsOfMotion, speed: float) -> float:
    """Square, 1/s^2, of the frequency at which the disc wobbles in straight rolling; where negative, it falls."""
    A = equations.linear.evaluate(equations.numbers(), q=np.zeros(5), v=[0.0, 0.0, speed / R])["A"]
    A = A[np.ix_([3, 5, 6], [3, 5, 6])]  # lean, rates of heading and lean: the modes are 0 and a pair +-i w
    return float(-np.trace(A @ A) / 2)


def motion(equations: EquationsOfMotion, speed: float, tilt: float, duration: float) -> tuple[Floats, Floats]:
    """Times at which the disc is upright, and its states, when it starts so with a rate of lean."""

    def slope(t: float, y: Floats) -> Floats:
        return np.concatenate(equations.evaluate(y[:5], y[5:]))

    def lean(t: float, y: Floats) -> float:
        return float(y[3])

    start = np.array([0.0, 0, 0, 0, 0, 0, tilt, speed / R])
    run = solve_ivp(slope, (0.0, duration), start, method="DOP853", rtol=1e-10, atol=1e-12, events=lean)
    return run.t_events[0], run.y


def main() -> float:
    """Print and return the speed, m/s, above which the disc does not fall; check it and two motions."""
    equations = disc().equations()
    count = equations.operations
    print(f"equations of motion: {count.additions} additions, {count.multiplications} multiplications")

    critical = brentq(lambda speed: wobble(equations, speed), 0.1, 3.0, xtol=1e-14)
    print(f"upright rolling is stable above {critical:.10f} m/s")
    assert abs(critical - np.sqrt(G * R / 3)) < 1e-12  # of a uniform disc; of a hoop it is g r / 4

    speed = 1.5 * critical
    about_contact = M * R**2 + np.array([ACROSS, ALONG])
    squared = (ALONG * about_contact[1] * (speed / R) ** 2 - M * G * R * ACROSS) / (ACROSS * about_contact[0])
    assert np.isclose(wobble(equations, speed), squared, rtol=1e-12)
    upright, _ = motion(equations, speed, 0.01, 2.0)
    period = upright[-1] - upright[-3]
    print(f"at {speed:.4f} m/s it wobbles gently in {period:.6f} s")
    assert np.isclose(period, 2 * np.pi / np.sqrt(squared), rtol=1e-5)

    upright, y = motion(equations, speed, 3.0, 2.0)
    kept = energy(y)
    print(f"leaning by up to {np.degrees(np.abs(y[3]).max()):.1f} deg it wobbles in {upright[-1] - upright[-3]:.6f} s")
    print(f"of {kept[0]:.4f} J energy is kept to {np.ptp(kept):.1e} J")
    assert np.abs(y[3]).max() > 0.3
    assert np.ptp(kept) < 1e-8 * kept[0]
    return float(critical)


if __name__ == "__main__":
    main()
