"""What can be set by hand in the live page: coordinates of joints, generalized forces."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.view.live.controls import ConfigurationSliders, force_sliders
from supple.view.live.inputs import AdjustableInputs


def test_sliders_set_angles_positions_and_turns() -> None:
    mech = supple.Mechanism("flyer", gravity=(0, 0, 0))
    mech.add_body("bus", supple.RigidBody(2.0, (0, 0, 0), (0.1, 0.2, 0.3)), joint=supple.Free())
    mech.add_body("arm", supple.RigidBody(1.0, (0.1, 0, 0)), "bus", supple.Revolute("z"))
    model = mech.build()
    configuration = ConfigurationSliders(model, 3.0)
    names = [x.name for x in configuration.sliders]
    assert names == ["bus.x", "bus.y", "bus.z", "bus.turn_x", "bus.turn_y", "bus.turn_z", "arm.angle"]
    q = configuration.moved(model.neutral(), {"bus.y": 0.4, "bus.turn_z": 1.2, "arm.angle": -0.5})
    assert configuration.values(q) == pytest.approx([0, 0.4, 0, 0, 0, 1.2, -0.5])
    R, p = model.pose(q, "bus")
    np.testing.assert_allclose(p, [0, 0.4, 0])
    np.testing.assert_allclose(R[:, 0], [np.cos(1.2), np.sin(1.2), 0], atol=1e-12)
    with pytest.raises(supple.StateError, match=r"configuration: no 'arm\.angel'; did you mean 'arm\.angle'"):
        configuration.moved(q, {"arm.angel": 1.0})


def test_forces_reach_beyond_the_weight() -> None:
    mech = supple.Mechanism("pendulum")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.5), (0.02, 0.02, 0.001)), joint=supple.Revolute("y"))
    model = mech.build()
    (slider,) = force_sliders(model, AdjustableInputs(model), np.linspace(-3, 3, 61)[:, None])
    assert slider.unit == "N m"
    assert 2 * 9.81 * 0.5 <= slider.high <= 20.0
    assert slider.low == -slider.high
    (slider,) = force_sliders(model, AdjustableInputs(model, {"arm.angle": 400.0}), np.zeros((1, 1)))
    assert slider.high == 1000.0
