"""A robot from a URDF file: computed torque leads it as wanted; springs in its joints alone leave it off the goal."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from scipy import optimize
from scipy.spatial.transform import Rotation

import supple

Floats = NDArray[np.float64]
FILE = Path(__file__).with_suffix(".urdf")
GOAL = np.array([0.8, 0.5, 0.4, -0.6, 0.9, 0.3])
RATE = 6.0  # 1/s, of the error under computed torque
STIFFNESS = np.array([400.0, 600.0, 300.0, 40.0, 40.0, 10.0])
DAMPING = np.array([60.0, 90.0, 40.0, 3.0, 3.0, 0.5])


def numbers(element: ElementTree.Element, path: str, key: str) -> Floats:
    """Of an attribute somewhere below an element; zeros if it is not there."""
    found = element.find(path)
    return np.array((found.get(key, "0 0 0") if found is not None else "0 0 0").split(), dtype=float)


def holding_torques(q: Floats) -> Floats:
    """Against gravity, by hand from the file alone: weights times levers about every axis."""
    tree = ElementTree.parse(FILE).getroot()
    R, p = np.eye(3), np.zeros(3)
    axes, pivots, centres, weights = [], [], [], []
    moving = [joint for joint in tree.iter("joint") if joint.get("type") != "fixed"]
    for joint, angle in zip(moving, q, strict=True):  # in this file each joint follows the one that carries it
        p = p + R @ numbers(joint, "origin", "xyz")
        R = R @ Rotation.from_euler("xyz", numbers(joint, "origin", "rpy")).as_matrix()
        axis = numbers(joint, "axis", "xyz")
        R = R @ Rotation.from_rotvec(angle * axis).as_matrix()
        link = next(x for x in tree.iter("link") if x.get("name") in [y.get("link") for y in joint.iter("child")])
        axes.append(R @ axis)
        pivots.append(p)
        centres.append(p + R @ numbers(link, "inertial/origin", "xyz"))
        weights.append([0.0, 0.0, -9.81 * numbers(link, "inertial/mass", "value")[0]])
    moments = [np.cross(np.array(centres[i:]) - pivots[i], weights[i:]).sum(axis=0) for i in range(len(q))]
    return np.array([-axis @ moment for axis, moment in zip(axes, moments, strict=True)])


def main() -> float:
    """Print and return how far springs alone leave the shoulder off its goal, rad; check both motions by hand."""
    robot = supple.load(FILE, limits=True)
    print(f"{robot.name}: {', '.join(robot.coordinates)}; frames {', '.join(robot.frames)}")

    def computed_torque(t: float, q: Floats, v: Floats) -> Floats:
        return robot.inverse_dynamics(q, v, RATE**2 * (GOAL - q) - 2 * RATE * v)

    def springs(t: float, q: Floats, v: Floats) -> Floats:
        return STIFFNESS * (GOAL - q) - DAMPING * v

    # Inverse dynamics takes out all that couples the joints: error'' + 2 RATE error' + RATE^2 error = 0 in each.
    motion = supple.simulate(robot, 2.0, tau=computed_torque, rtol=1e-10, atol=1e-12)
    t = motion.time.values[:, None]
    expected = GOAL - GOAL * (1 + RATE * t) * np.exp(-RATE * t)
    off = np.abs(motion.q.values - expected).max()
    print(f"under computed torque the joints follow the closed form within {off:.1e} rad")
    assert off < 1e-8

    # At rest the springs carry the weight: STIFFNESS (GOAL - q) = holding torques in q.
    motion = supple.simulate(robot, 8.0, tau=springs)
    rest = motion.q.values[-1]
    by_hand = optimize.root(lambda q: STIFFNESS * (GOAL - q) - holding_torques(q), GOAL, tol=1e-13).x
    for name, found, hand, goal in zip(robot.coordinates, rest, by_hand, GOAL, strict=True):
        print(f"{name:16s} {found - goal:12.8f} rad off the goal, torque over stiffness {hand - goal:12.8f} rad")
    assert np.abs(motion.v.values[-1]).max() < 1e-7
    assert np.allclose(rest, by_hand, rtol=0, atol=1e-8)
    sag = robot.pose(GOAL, "tool")[1] - robot.pose(rest, "tool")[1]
    print(f"the tool is {1e3 * sag[2]:.2f} mm low")
    return float(rest[1] - GOAL[1])


if __name__ == "__main__":
    main()
