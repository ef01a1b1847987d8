"""A six-axis arm: the torques that hold it still, and what one joint carries across its axis."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple


def main() -> float:
    """Print the holding torques and return the shoulder's; check it against the weights and their levers."""
    model = supple.files.read(Path(__file__).with_suffix(".toml")).model
    q = np.array([0.3, 0.5, 0.6, -0.4, 0.2, 0.0])
    still = np.zeros(model.nv)
    torque = model.bias_forces(q, still)

    _, shoulder = model.pose(q, "shoulder")
    level_axis = model.pose(q, "column")[0] @ [0.0, 1.0, 0.0]
    moment = np.zeros(3)
    for name in model.bodies[1:]:
        body = model.description.bodies[name].body
        R, p = model.pose(q, name)
        moment += np.cross(p + R @ body.com - shoulder, [0.0, 0.0, -9.81 * body.mass])
    assert np.isclose(torque[1], -level_axis @ moment, rtol=1e-12)

    wrenches = model.joint_wrenches(q, still, still)
    _, constraint = model.split_wrenches(q, wrenches)
    for name, tau, part in zip(model.bodies, torque, constraint, strict=True):
        across = np.linalg.norm(part[:3])
        print(f"{name:10s} holds with {tau:8.4f} N m, carries {across:7.3f} N m across its axis")
    assert np.allclose(model.forward_dynamics(q, still, torque), 0.0, atol=1e-10)
    return float(torque[1])


if __name__ == "__main__":
    main()
