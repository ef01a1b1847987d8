"""The state at the start: by name or as arrays, with its loops closed, and not against what is prescribed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.inputs.inputs import Inputs
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.start_state import Start, closed_state


def geared(closed: bool = True) -> supple.Model:
    mech = supple.Mechanism("geared")
    rod = supple.RigidBody(1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    mech.add_body("a", rod, joint=supple.Revolute("y"))
    mech.add_body("b", rod, "a", supple.Revolute("y"), at=(0.3, 0, 0))
    if closed:
        mech.constrain("gear", supple.Gear("b.angle", "a.angle", 2.0))
    return mech.build()


def state(start: Start, model: supple.Model, **laws: Any) -> tuple[Any, Any]:
    q, v = start.open_state(model)
    return start.state(DrivenSystem(model, Inputs(model, **laws), q, v), q, v)


def test_what_is_named_stays_and_the_rest_follows() -> None:
    q, v = state(Start({"b.angle": 0.6}, {"a.angle": 1.5}, {"a.angle": 0.1}), geared())
    assert q == pytest.approx([0.3, 0.6])
    assert v == pytest.approx([1.5, 3.0])


def test_what_is_prescribed_leads() -> None:
    q, v = state(Start(), geared(), motion={"a.angle": "0.2 + t"})
    assert q == pytest.approx([0.2, 0.4])
    assert v == pytest.approx([1.0, 2.0])
    with pytest.raises(
        supple.StateError, match=r"'a\.angle': starts at 0\.5, but its prescribed motion starts at 0\.2"
    ):
        state(Start({"a.angle": 0.5}), geared(), motion={"a.angle": "0.2 + t"})


def test_a_tree_is_left_as_it_is() -> None:
    model = geared(closed=False)
    q, v = np.array([0.1, 0.2]), np.array([3.0, 4.0])
    assert closed_state(model, q, v, [], []) == (q, v)
    assert np.array_equal(state(Start([0.1, 0.2], {"b.angle": 4.0}), model)[1], [0.0, 4.0])


@pytest.mark.parametrize(
    ("start", "closed", "message"),
    [
        (Start(guess={"a.angle": 1.0}), False, "guess: model 'geared' has no closed loops"),
        (Start([0.0, 0.0], guess={"a.angle": 1.0}), True, "guess: an array q is a guess already"),
        (Start({"c.angle": 1.0}), True, r"q: no entry 'c\.angle'"),
        (Start(v=[1.0]), True, r"v: expected shape \(2,\), got \(1,\)"),
    ],
)
def test_what_does_not_fit_is_refused(start: Start, closed: bool, message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        start.open_state(geared(closed))
