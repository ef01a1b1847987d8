"""The residual of the equations of motion: zero at the true rate, and each part where it belongs."""

from __future__ import annotations

import numpy as np

import supple
from supple.inputs.inputs import Inputs
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.residuals import MotionBalance
from supple.simulation.methods.sundials import residuals


def test_prescribed_accelerations_and_forces_stand_on_their_own_rows() -> None:
    both = MotionBalance(
        np.array([True, False]), np.array([3.0, 4.0]), np.array([7.0, 9.0]), np.array([1.0]), np.array([2.0])
    )
    assert both.residual(np.array([1.5, 5.0, 6.0, 2.5])).tolist() == [0.5, 2.0, 5.0, 0.5]


def test_the_true_rate_leaves_nothing() -> None:
    mech = supple.Mechanism("pair")
    rod = supple.RigidBody(1.0, (0.3, 0, 0), (0.1, 0.1, 0.1))
    mech.add_body("a", rod, joint=supple.Revolute("y"))
    mech.add_body("b", rod, "a", supple.Revolute("y"), at=(0.5, 0, 0))
    model = mech.build()
    inputs = Inputs(model, {"a.angle": "-3*rate(a.angle)"}, {"b.angle": "sin(t)"})
    system = DrivenSystem(model, inputs, model.neutral(), np.zeros(2))
    y, u = np.array([0.3, 0.2, 1.0, -0.5, 0.1]), system.u_0
    rate = system.rate(0.4, y, u)
    assert np.abs(rate).max() > 1.0
    assert np.abs(residuals(system, 0.4, y, rate, u)).max() < 1e-12
    assert np.abs(residuals(system, 0.4, y, rate + 1.0, u)).min() > 0.1
