"""Degrees of freedom of closed mechanisms, against those of textbooks."""

from __future__ import annotations

from pathlib import Path

import pytest

import supple
from supple.model.loops.mobility import degrees_of_freedom

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize(
    ("name", "count"),
    [("pendulum", 1), ("four_bar", 1), ("slider_crank", 1), ("stewart_platform", 6), ("rolling_coin", 3)],
)
def test_examples_have_as_many_as_the_textbooks_say(name: str, count: int) -> None:
    assert degrees_of_freedom(supple.files.read(EXAMPLES / f"{name}.toml").model) == count


def test_one_singular_configuration_does_not_count() -> None:
    # A parallelogram: all bars on one line is a singular configuration with a second degree of freedom.
    mech = supple.Mechanism("parallelogram")
    rod = supple.RigidBody(1.0, (0.5, 0, 0), (0, 0.1, 0.1))
    mech.add_body("left", rod)
    mech.add_body("coupler", rod, "left", at=(1, 0, 0))
    mech.add_body("right", rod, at=(1, 0, 0))
    mech.add_frame("end", "coupler", (1, 0, 0))
    mech.add_frame("end", "right", (1, 0, 0))
    mech.close_loop("pin", "coupler/end", "right/end", supple.Revolute("y"))
    model = mech.build()
    assert degrees_of_freedom(model, model.neutral()) == 2
    assert degrees_of_freedom(model) == 1
