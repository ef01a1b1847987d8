"""Events and stops as a user describes them: what they change, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.inputs.events import changed, limit_speed, require_sound
from supple.inputs.inputs import Inputs


@pytest.fixture(scope="module")
def model() -> supple.Model:
    mech = supple.Mechanism("m")
    mech.add_body("bus", supple.RigidBody(1.0, (0, 0, 0), (1, 1, 1)), joint=supple.Free())
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -1)), "bus", supple.Revolute("y"))
    return mech.build()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"when": 3.0}, "event 'e': when: expected a formula or a function"),
        ({"when": "t", "direction": "up"}, "event 'e': direction: expected one of rising, falling, both, got 'up'"),
        ({"when": "t", "change": {"x": None}}, "event 'e': change: 'x': expected a finite number or a formula"),
        ({"when": "t", "change": 3}, "event 'e': change: expected new values by name, got 3"),
        ({"when": "t", "action": 3}, "event 'e': action: expected a function"),
    ],
)
def test_what_is_no_event_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        supple.Event("e", **options)


def test_what_an_event_changes_has_a_place(model: supple.Model) -> None:
    inputs = Inputs(model, variables={"k": 1.0})
    assert changed(model, inputs, "k", "here") == ("u", 0)
    assert changed(model, inputs, "arm.angle", "here") == ("y", 7)
    assert changed(model, inputs, "rate(arm.angle)", "here") == ("y", model.nq + 6)
    assert changed(model, inputs, "bus.wx", "here") == ("y", model.nq)
    with pytest.raises(supple.StateError, match=r"here: change: no variable or coordinate 'arm\.angel'; did you mean"):
        changed(model, inputs, "arm.angel", "here")


def test_stops_are_on_joint_coordinates_with_a_rate_of_their_own(model: supple.Model) -> None:
    assert limit_speed(model, supple.Limit("arm.angle", -1.0, 1.0)) == 6
    with pytest.raises(supple.StateError, match=r"limit of 'bus\.qx': expected a joint coordinate with a rate"):
        limit_speed(model, supple.Limit("bus.qx", -1.0, 1.0))


@pytest.mark.parametrize(
    ("events", "limits", "message"),
    [
        ([supple.Event("e", "t", change={"arm.angle": 0.0})], [], "the motion of 'arm.angle' is prescribed"),
        ([], [supple.Limit("arm.angle", -1.0, 1.0)], "its motion is prescribed, so it has no stops"),
    ],
)
def test_prescribed_motions_are_not_changed_nor_stopped(
    events: list[supple.Event], limits: list[supple.Limit], message: str, model: supple.Model
) -> None:
    inputs = Inputs(model, motion={"arm.angle": "t"}, stops=bool(limits))
    with pytest.raises(supple.StateError, match=message):
        require_sound(model, inputs, events, limits)


def test_a_start_beyond_a_stop_is_refused(model: supple.Model) -> None:
    limits, q = [supple.Limit("arm.angle", -1.0, 1.0)], model.neutral()
    require_sound(model, Inputs(model, stops=True), [], limits, q)
    q[7] = 2.0
    with pytest.raises(supple.StateError, match=r"limit of 'arm\.angle': expected a start between -1 and 1, got 2"):
        require_sound(model, Inputs(model, stops=True), [], limits, np.asarray(q))
