"""Numbers of a model that change while it runs, and forces beside those of its laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple import structures
from support.mechanisms.closed_mechanisms import slider_crank

HORIZON = supple.Horizon(1.5, samples=16)


def block(mass: float = 2.0) -> supple.Model:
    mech = supple.Mechanism("block", gravity=(0, 0, 0))
    mech.add_body("block", supple.RigidBody(mass), joint=supple.Prismatic("x"))
    return mech.build()


def test_another_mass_acts_from_its_moment_on() -> None:
    simulator = supple.Simulator(block(), tau={"block.position": 4.0})
    simulator.advance_to(1.0)
    simulator.set(parameters={"block.mass": 4.0})
    simulator.advance_to(2.0)
    # Up to 1 s x'' = 2, then 1: x(2) = 1 + 2 + 1/2.
    assert simulator.state.q[0] == pytest.approx(3.5, abs=1e-8)
    assert simulator.model.mass == 4.0
    with pytest.raises(supple.StateError, match=r"no parameter 'block\.mas'; did you mean 'block\.mass'"):
        simulator.set(parameters={"block.mas": 4.0})


def test_clocks_integrals_and_variables_go_on() -> None:
    """A change to the same numbers changes nothing: the sampled controller ticks when it would, its sum stays."""
    laws: dict[str, Any] = {"block.position": supple.PID("goal", 40.0, 8.0, 30.0, rate=7.0)}
    settings: dict[str, Any] = {"tau": laws, "variables": {"goal": 1.0}, "horizon": HORIZON}
    plain, changed = (supple.Simulator(block(), **settings) for _ in range(2))
    plain.advance_to(1.5)
    changed.advance_to(0.5)
    changed.set(parameters={"block.mass": 2.0})
    changed.advance_to(1.5)
    np.testing.assert_allclose(changed.state.q, plain.state.q, atol=1e-7)
    assert abs(plain.state.q[0] - 1.0) < 0.5


def test_loops_are_closed_with_the_new_lengths() -> None:
    model = slider_crank()
    assert model.loops is not None
    simulator = supple.Simulator(model, q={"crank.angle": 0.7}, guess={"slider.position": 1.2}, loops="independent")
    before = simulator.state.q.copy()
    simulator.set(parameters={"rod.at.x": 0.33})
    simulator.advance_to(0.1)
    loops = simulator.model.loops
    assert loops is not None
    assert np.abs(loops.errors(simulator.state.q)[0]).max() < 1e-9
    assert np.abs(model.loops.errors(simulator.state.q)[0]).max() > 1e-3
    assert np.abs(simulator.state.q - before).max() > 1e-3


def test_flexible_bodies_are_taken_over_whole() -> None:
    """The arrays of flexible bodies are not made again; they are as if they had been."""
    tube = structures.beam(1.0, structures.Tube(0.02, 0.001), structures.Material(70e9, 0.3, 1600.0), 4)
    mech = supple.Mechanism("arm")
    mech.add_body("link", tube.reduce("craig-bampton", modes=1, interfaces=["end"]))
    mech.add_body("load", supple.RigidBody(0.1), "link", supple.Fixed(), at="end")
    model = mech.build()
    heavier = model.with_parameters({"load.mass": 80.0})
    mech = supple.Mechanism("arm")
    mech.add_body("link", model.description.bodies["link"].body)
    mech.add_body("load", supple.RigidBody(80.0), "link", supple.Fixed(), at="end")
    assert heavier == mech.build()
    assert heavier.flex is not None
    assert model.flex is not None
    assert heavier.flex.heavy.tolist() != model.flex.heavy.tolist()


def test_an_added_force_acts_beside_a_controller_and_an_offset_moves_its_target() -> None:
    controller = supple.PID(supple.Table([0.0, 1.0], [0.0, 1.0], "cubic"), 40.0, 8.0, offset="shift")
    simulator = supple.Simulator(
        block(), tau={"block.position": controller}, added={"block.position": "push"}, variables={"push": 0, "shift": 0}
    )
    simulator.advance_to(8.0)
    assert simulator.state.q[0] == pytest.approx(1.0, abs=1e-4)
    simulator.set(variables={"push": 10.0, "shift": 0.5})
    simulator.advance_to(20.0)
    assert simulator.state.q[0] == pytest.approx(1.0 + 0.5 + 10.0 / 40.0, abs=1e-4)
    with pytest.raises(supple.StateError, match=r"added: 'block\.position' has a prescribed motion"):
        supple.Simulator(block(), motion={"block.position": "t"}, added={"block.position": 1.0})
    with pytest.raises(supple.StateError, match="PID: offset: expected a finite number or a formula, got None"):
        supple.PID(0.0, 1.0, offset=None)  # type: ignore[arg-type]
