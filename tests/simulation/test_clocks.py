"""Clocks and tables: when the next jump is, and that each tick comes once."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple
from supple.inputs.inputs import Inputs
from supple.simulation.clocks import Clocks
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.horizon import Horizon


def clocks(t: float = 0.0) -> tuple[Clocks, DrivenSystem]:
    mech = supple.Mechanism("pair", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(2.0), joint=supple.Prismatic("x"))
    mech.add_body("b", supple.RigidBody(2.0), joint=supple.Prismatic("x"))
    model = mech.build()
    laws: dict[str, Any] = {
        "a.position": supple.Sampled(lambda t, q, v: t, 10.0),
        "b.position": supple.Table([0.0, 0.25, 1.0], [0.0, 3.0, 5.0], "hold"),
    }
    system = DrivenSystem(model, Inputs(model, laws), model.neutral(), np.zeros(2))
    return Clocks(system, t, Horizon(1.0)), system


def test_jumps_come_in_order_and_each_once() -> None:
    found, system = clocks()
    y, u = np.zeros(system.size), system.u_0.copy()
    t, seen = 0.0, []
    for _ in range(4):
        t = found.next_jump(t, u)
        seen.append(t)
        assert found.is_jump(t)
        found.jump(t, y, u)
    assert np.allclose(seen, [0.1, 0.2, 0.25, 0.3], rtol=0, atol=1e-15)
    assert u[system.inputs.held.index("a.position.held")] == seen[-1]
    assert not found.is_jump(0.27)


def test_clocks_that_start_later_tick_at_their_own_times() -> None:
    assert clocks(0.31)[0].next_jump(0.31, np.zeros(9)) == 0.4
    assert clocks(0.4)[0].next_jump(0.4, np.zeros(9)) == 0.5
    assert clocks(2.0)[0].ticks == {10.0: 21}
