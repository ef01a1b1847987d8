"""Independent speeds: chosen once, and again where the choice has become a bad one."""

from __future__ import annotations

import numpy as np

from supple.simulation.independent_speeds import IndependentSpeeds
from support.mechanisms.closed_mechanisms import slider_crank


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
