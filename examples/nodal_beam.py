"""A beam in nodal coordinates bends as theory says, and moves as the same beam does in all of its modes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple
from supple.structures import FlexibleBody, Material, Rectangle, beam

LENGTH, WIDTH, HEIGHT, WEIGHT, ROTOR, GRAVITY = 0.5, 0.03, 0.002, 0.5, 0.01, 9.81
STEEL = Material(E=200e9, nu=0.3, rho=7800.0)


def main() -> float:
    """Print and return the deflection of the tip; check it and the motion."""
    model = supple.load(Path(__file__).with_suffix(".toml"))
    nodal = model.description.bodies["ruler"].body
    assert isinstance(nodal, FlexibleBody)
    print(f"{model.nv} coordinates: {', '.join(model.coordinates[:4])}, ..., {model.coordinates[-1]}")

    # Statics, held level: the forces on all nodes vanish, the one on the hinge is the motor's. They are linear in the
    # displacements, so one step of Newton's method is exact.
    still, nodes = np.zeros(model.nv), slice(1, None)
    K = model.bias_forces(1e-20j * np.eye(model.nq)[nodes], still).imag[:, nodes] / 1e-20
    q = np.zeros(model.nq)
    q[nodes] = -np.linalg.solve(K, model.bias_forces(q, still)[nodes])
    forces = model.bias_forces(q, still)
    assert np.allclose(forces[nodes], 0, atol=1e-9)

    EI, line = STEEL.E * WIDTH * HEIGHT**3 / 12, STEEL.rho * WIDTH * HEIGHT
    tip = -float(model.pose(q, "ruler/end")[1][2])
    theory = WEIGHT * LENGTH**3 / (3 * EI) + line * GRAVITY * LENGTH**4 / (8 * EI)
    moment = WEIGHT * LENGTH + line * GRAVITY * LENGTH**2 / 2
    print(f"tip {1e3 * tip:.6f} mm below the hinge, beam theory {1e3 * theory:.6f} mm")
    print(f"the motor holds it by {forces[0]:.6f} N m, weights times levers {-moment:.6f} N m")
    assert np.isclose(tip, theory, rtol=1e-9)
    assert np.isclose(forces[0], -moment, rtol=1e-9)

    # Dynamics, the motor off: the same beam in all its 60 modes. Nodal displacements are shapes times modes.
    whole = beam(LENGTH, Rectangle(WIDTH, HEIGHT), STEEL, elements=10).reduce("cantilever", modes=60)
    mech = supple.Mechanism("all modes")
    mech.add_body("ruler", whole, joint=supple.Revolute("y", inertia=ROTOR), stiffening=False)
    mech.add_wrench("weight", "ruler/end", force=(0, 0, -WEIGHT), axes="ground")
    modal = mech.build()
    from_modes = np.eye(61)
    from_modes[1:, 1:] = (nodal.shapes.T @ whole.shapes).toarray()
    v = np.concatenate([[3.0], -20 * q[nodes]])
    a_nodes = model.forward_dynamics(q, v, still)
    a_modes = modal.forward_dynamics(np.linalg.solve(from_modes, q), np.linalg.solve(from_modes, v), still)
    difference = np.abs(a_nodes - from_modes @ a_modes).max() / np.abs(a_nodes).max()
    print(f"let go, it turns with {a_nodes[0]:.8f} rad/s^2 in nodes, {a_modes[0]:.8f} rad/s^2 in modes;")
    print(f"the accelerations of all nodes agree to {difference:.1e}")
    assert difference < 1e-7  # stiff modes pull at 1e12 times the displacements, which are rounded to 1e-16
    return tip


if __name__ == "__main__":
    main()
