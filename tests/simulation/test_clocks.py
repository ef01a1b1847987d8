"""Clocks and tables: when the next jump is, and that each tick comes once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.files import check
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


def test_samples_closer_than_the_resolution_of_time_are_an_error(tmp_path: Path) -> None:
    """A clock of 1e18 Hz would tick without end."""
    mech = supple.Mechanism("mass", gravity=(0, 0, 0))
    mech.add_body("a", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    model, law = mech.build(), {"a.position": supple.PID(0.0, 1.0, rate=1e18)}
    words = r"rate of 1e\+18 Hz: sample period: expected more than 1e-12 s, the resolution of time in a run of 1 s, got"
    with pytest.raises(supple.StateError, match=words):
        supple.simulate(model, 1.0, tau=law)
    with pytest.raises(supple.StateError, match=words):
        supple.export.fmu(model, tmp_path / "m.fmu", {"duration": 1.0, "tau": law}, sources_only=True)


@pytest.mark.parametrize(
    ("settings", "actuator", "what"),
    [('integrator = "rk4"\nstep = 1e-300\n', "kp = 1.0", "step"), ("", "kp = 1.0\nrate = 1e18", "rate of 1e+18 Hz")],
)
def test_a_check_finds_what_time_does_not_resolve(settings: str, actuator: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(
        'name = "m"\n[[body]]\nname = "a"\nmass = 1.0\njoint = { type = "prismatic", axis = "x" }\n'
        f'[[actuator]]\nspeed = "a.position"\ntarget = 0.0\n{actuator}\n[simulation]\nduration = 1.0\n{settings}'
    )
    (error,) = check(path)
    assert what in error
    assert "the resolution of time in a run of 1 s" in error
