"""A car on four wheels, described by vectors: how body and wheels swing, and what a wavy road does to the body."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties

Floats = NDArray[np.float64]
PARAMETERS = {
    "m": 1500.0,  # the body, kg, and its moments of inertia, kg m^2
    "J_roll": 500.0,
    "J_pitch": 2200.0,
    "m_w": 50.0,  # a wheel, which hangs h below the mass centre of the body, m
    "h": 0.3,
    "k_front": 22e3,  # springs, dampers and tyres, N/m and N s/m
    "k_rear": 25e3,
    "c": 1500.0,
    "k_tyre": 200e3,
    "front": 1.2,  # axles before and behind the mass centre, and half the track, m
    "rear": 1.5,
    "side": 0.75,
}
WHEELS = {"front_left": (1, 1), "front_right": (1, -1), "rear_left": (-1, 1), "rear_right": (-1, -1)}


def vehicle() -> KaneSystem:
    """Heave, roll and pitch of the body; each wheel slides along the body's vertical. All from the state of rest."""
    s = KaneSystem("vehicle")
    p = dict(zip(PARAMETERS, s.parameters(**PARAMETERS), strict=True))
    up = s.ground.axes[2]
    inertia = (p["J_roll"], p["J_pitch"], 0)  # it does not yaw
    names = ["heave", "roll", "pitch"]
    hull = MassProperties(p["m"], inertia=inertia)
    body = s.add_body("body", joint=KaneJoint(["z"], "12", coordinates=names), body=hull)
    for name, (ahead, left) in WHEELS.items():
        place = (p["front"] if ahead > 0 else -p["rear"], left * p["side"], -p["h"])
        wheel = s.add_body(name, body, KaneJoint(["z"], coordinates=[name]), MassProperties(p["m_w"]), place)
        spring = p["k_front"] if ahead > 0 else p["k_rear"]
        travel, speed = wheel.coordinates[0], wheel.speeds[0]
        s.add_force(-(spring * travel + p["c"] * speed) * body.axes[2], wheel, against=body)
        squeeze = wheel.position() @ up + p["h"] - s.input(f"road_{name}")
        s.add_force(-p["k_tyre"] * squeeze * up, wheel)
    return s


def assembled() -> tuple[Floats, Floats, Floats, Floats]:
    """M, C, K and F of M x'' + C x' + K x = F road by hand, x the heave, roll and pitch and the heights of the wheels.

    A wheel moves by x along the vertical, and by h times the angles across it.
    """
    p = PARAMETERS
    across = 4 * p["m_w"] * p["h"] ** 2
    M = np.diag([p["m"], p["J_roll"] + across, p["J_pitch"] + across, *4 * [p["m_w"]]])
    C, K, F = np.zeros((7, 7)), np.zeros((7, 7)), np.zeros((7, 4))
    for i, (ahead, left) in enumerate(WHEELS.values()):
        lever = p["front"] if ahead > 0 else -p["rear"]
        stretch = np.array([-1.0, -left * p["side"], lever, *np.eye(4)[i]])  # height of the wheel over its place
        K += (p["k_front"] if ahead > 0 else p["k_rear"]) * np.outer(stretch, stretch)
        C += p["c"] * np.outer(stretch, stretch)
        K[3 + i, 3 + i] += p["k_tyre"]
        F[3 + i, i] = p["k_tyre"]
    return M, C, K, F


def main() -> float:
    """Print and return the lowest frequency, that of the heave, Hz; check all, and the response, with the matrices."""
    s = vehicle()
    e = s.equations(small=[*s.q, *s.v])
    print(f"{len(s.v)} speeds, {e.operations.total} operations for their rates")
    still = {"q": np.zeros(7), "v": np.zeros(7), "tau": np.zeros(4)}
    linear = {c: e.linear.evaluate(e.numbers({"c": c}), **still) for c in (0.0, PARAMETERS["c"])}
    found = np.sort(np.abs(np.linalg.eigvals(linear[0.0]["A"])))[::2] / (2 * np.pi)

    M, C, K, F = assembled()
    expected = np.sqrt(linalg.eigh(K, M, eigvals_only=True)) / (2 * np.pi)
    print("natural frequencies, Hz:", np.round(found, 3))
    assert np.allclose(found, expected, rtol=1e-9)
    assert np.all((found[:3] > 0.8) & (found[:3] < 2.0))  # the body
    assert np.all((found[3:] > 9.0) & (found[3:] < 12.0))  # the wheels

    # Waves of 1.5 Hz that the rear wheels meet later than the front ones: how far the body goes up and down.
    A, B = linear[PARAMETERS["c"]]["A"], linear[PARAMETERS["c"]]["B"]
    w, road = 2 * np.pi * 1.5, np.array([1, 1, np.exp(-0.6j), np.exp(-0.6j)])
    heave = np.linalg.solve(1j * w * np.eye(14) - A, B @ road)[0]
    direct = np.linalg.solve(K + 1j * w * C - w**2 * M, F @ road)[0]
    print(f"the body moves {abs(heave):.4f} times as far as the road")
    assert np.isclose(heave, direct, rtol=1e-9)
    return float(found[0])


if __name__ == "__main__":
    main()
