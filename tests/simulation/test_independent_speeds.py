"""Independent speeds: chosen once, and again where the choice has become a bad one."""

from __future__ import annotations

import numpy as np

import supple
from supple.simulation.independent_speeds import IndependentSpeeds


def slider_crank() -> supple.Model:
    z = supple.Revolute("z")
    mech = supple.Mechanism("slider-crank", gravity=(0, -9.81, 0))
    mech.add_body("crank", supple.RigidBody(1.0, (0.15, 0, 0), (0.01, 0.01, 0.01)), joint=z)
    mech.add_body("rod", supple.RigidBody(2.0, (0.5, 0, 0), (0.2, 0.2, 0.2)), "crank", z, at=(0.3, 0, 0))
    mech.add_body("slider", supple.RigidBody(3.0), joint=supple.Prismatic("x"))
    mech.add_frame("end", "rod", (1.0, 0, 0))
    mech.close_loop("pin", "rod/end", "slider", z)
    return mech.build()


def test_one_speed_is_independent_and_stays_so_while_it_is_a_good_choice() -> None:
    model = slider_crank()
    assert model.loops is not None
    found, free = IndependentSpeeds(model.loops), np.zeros(model.nv, dtype=bool)
    assert found.present == ()
    for t, angle in ((0.0, 1.0), (1.0, 1.1)):
        q = model.loops.assemble(np.array([angle, -angle, 1.2]), ["crank.angle"])
        found.update(t, q, free)
    assert len(found.choices) == 1
    assert len(found.present) == 1
    assert found.condition > 0
    found.condition = 1e9  # as if it had been far better when it was made
    found.update(2.0, q, free)
    assert found.condition < 1e3
