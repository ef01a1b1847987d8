"""The manifest of a run: what it computes, how it was found, and that another one is known from it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import supple
from supple.simulation.manifest import RunManifest
from supple.simulation.run_attributes import attributes


def simulator(**more: Any) -> supple.Simulator:
    mech = supple.Mechanism("block", gravity=(0, 0, 0))
    mech.add_body("block", supple.RigidBody(2.0), joint=supple.Prismatic("x"))
    return supple.Simulator(mech.build(), **{"q": [1.0], **more})


def test_it_has_all_that_the_motion_depends_on() -> None:
    options = supple.integrators.GeneralizedAlpha(0.1, rho=0.5)
    made = simulator(tau={"block.position": "sin(t)"}, integrator=options, horizon=supple.Horizon(2.0, 5))
    settings = RunManifest.of(made, supple.Outputs(frames=["block"])).settings
    assert settings["formulation"] == "floating frames"
    assert [settings[key] for key in ("duration", "samples", "step", "rho")] == [2.0, 5, 0.1, 0.5]
    assert settings["integrator"] == "generalized_alpha"
    assert settings["q"] == [1.0]
    assert "sin(t)" in settings["inputs"]["tau block.position"]
    assert "block" in settings["outputs"]
    json.dumps(dict(settings))


def test_differences_are_said_by_name() -> None:
    one = RunManifest.of(simulator(), supple.Outputs())
    other = RunManifest.of(simulator(q=[2.0], integrator="RK45"), supple.Outputs())
    assert one.differences(one.dataset()) == []
    found = one.differences(other.dataset())
    assert found == ['integrator: was "RK45", is "DOP853"', "q[0]: was 2.0, is 1.0"]


def test_a_law_that_cannot_be_compared_is_not_resumed() -> None:
    generator = np.random.default_rng(0)
    made = simulator(tau={"block.position": lambda t, q, v: float(generator.normal())}, integrator="RK45")
    with pytest.raises(supple.StateError, match=r"resume: .*overwrite=True starts over"):
        RunManifest.of(made, supple.Outputs()).require_comparable()
    RunManifest.of(simulator(), supple.Outputs()).require_comparable()


def test_attributes_say_how_the_motion_was_found() -> None:
    made = simulator(v=[1.0], events=[supple.Event("there", "block.position - 1.5")])
    made.advance_to(1.0)
    found = attributes(made)
    assert found["integrator"] == "DOP853"
    assert found["steps"] > 0
    assert [name for _, name in json.loads(found["events"])] == ["there"]
