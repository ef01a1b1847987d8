"""A gyroscope on its tip: it precesses slowly or fast at the same tilt, and nods when it is let go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from supple import shapes
from supple.symbolic import EquationsOfMotion, KaneJoint, KaneSystem, MassProperties

Floats = NDArray[np.float64]
M, LENGTH, G = 0.3, 0.08, 9.81
ACROSS, ALONG = 2.0e-4, 3.6e-4  # of the wheel, about its centre
TILT, SPIN = np.radians(50), 160.0  # from the vertical; angular velocity about the axis, rad/s
PIVOT = ACROSS + M * LENGTH**2  # about the tip, across the axis


def gyroscope() -> KaneSystem:
    """A wheel on an axis whose tip stands still, in Euler's angles; z is up."""
    s = KaneSystem("gyroscope")
    m, length, g, across, along = s.parameters(m=M, L=LENGTH, g=G, across=ACROSS, along=ALONG)
    s.gravity = -g * s.ground.axes[2]
    turns = ["precession", "tilt", "spin"]
    inertia = (across, across, along)
    s.add_body(
        "wheel",
        joint=KaneJoint(rotations="313", coordinates=turns, speeds="rates"),
        body=MassProperties(m, com=(0, 0, length), inertia=inertia),
    )
    wheel = shapes.Cylinder(0.05, 0.01, at=(0, 0, LENGTH), color="steelblue")
    s.add_visual("wheel", wheel, shapes.Cylinder(0.003, 1.4 * LENGTH, at=(0, 0, 0.7 * LENGTH), color="silver"))
    return s


def rates(precession: float) -> list[float]:
    """Rates of Euler's angles at which the wheel turns about its axis with `SPIN` and its tilt stays."""
    return [precession, 0.0, SPIN - precession * np.cos(TILT)]


def nutation(equations: EquationsOfMotion, precession: float) -> float:
    """Frequency, rad/s, at which the gyroscope nods about a steady precession."""
    state = {"q": [0.0, TILT, 0.0], "v": rates(precession)}
    A = equations.linear.evaluate(equations.numbers(), **state)["A"]
    return float(np.abs(np.linalg.eigvals(A).imag).max())


def motion(equations: EquationsOfMotion, precession: float, duration: float) -> Floats:
    """Angles and their rates in columns, 1000 a second, from a start without a rate of the tilt."""
    f = equations.compile()

    def slope(t: float, y: Floats) -> Floats:
        return np.concatenate(f(y[:3], y[3:]))

    times = np.linspace(0.0, duration, round(1000 * duration) + 1)
    start = [0.0, TILT, 0.0, *rates(precession)]
    return solve_ivp(slope, (0.0, duration), start, method="DOP853", t_eval=times, rtol=1e-11, atol=1e-12).y


def main() -> float:
    """Print and return the slow rate of precession, rad/s; check both, how it nods, and how it falls."""
    equations = gyroscope().equations()

    def falling(precession: float) -> float:
        return float(equations.evaluate([0.0, TILT, 0.0], rates(precession))[1][1])

    momentum, torque = ALONG * SPIN, M * G * LENGTH
    middle = momentum / (2 * PIVOT * np.cos(TILT))  # between the two
    slow, fast = brentq(falling, 0.0, middle, xtol=1e-13), brentq(falling, middle, 2 * middle, xtol=1e-13)
    print(f"precesses at {slow:.10f} or {fast:.8f} rad/s")
    # Moment of the weight and of the wheel: J Omega^2 cos(tilt) - H Omega + m g L = 0.
    assert np.allclose(np.roots([PIVOT * np.cos(TILT), -momentum, torque]), [fast, slow], rtol=1e-11)

    for precession in (slow, fast):
        frequency = nutation(equations, precession)
        closed = np.hypot(precession * np.sin(TILT), momentum / PIVOT - 2 * precession * np.cos(TILT))
        print(f"at {precession:.4f} rad/s it nods with {frequency:.8f} rad/s")
        assert np.isclose(frequency, closed, rtol=1e-10)

    # Let go without precession, it falls and rises again. Spin, energy and momentum about the vertical stay, so that
    # u = cos(tilt) has u'^2 = (2 m g L (1 - u^2) - H^2 (start - u) / J) (start - u) / J.
    y, start = motion(equations, 0.0, 2.0), np.cos(TILT)
    u, u_rate = np.cos(y[1]), -np.sin(y[1]) * y[4]
    expected = (2 * torque * (1 - u**2) - momentum**2 * (start - u) / PIVOT) * (start - u) / PIVOT
    print(f"let go, it nods between {np.degrees(TILT):.1f} and {np.degrees(y[1].max()):.2f} degrees")
    assert np.allclose(u_rate**2, expected, rtol=0, atol=1e-8)
    assert np.ptp(y[1]) > 0.2
    assert np.allclose(y[5] + y[3] * u, SPIN, rtol=1e-9)
    return float(slow)


if __name__ == "__main__":
    main()
