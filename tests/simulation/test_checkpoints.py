"""Checkpoints are plain data, known again, and refused when they are of something else."""

from __future__ import annotations

import json
from typing import Any

import pytest

import supple
from supple.simulation.checkpoints import Checkpoint, require_same_run


def checkpoint() -> dict[str, Any]:
    mech = supple.Mechanism("block")
    mech.add_body("block", supple.RigidBody(2.0), joint=supple.Prismatic("z"))
    return supple.Simulator(mech.build(), [1.0]).checkpoint()


def test_json_keeps_all_of_it() -> None:
    found = checkpoint()
    assert Checkpoint.of(json.loads(json.dumps(found))) == Checkpoint.of(found)


def test_what_is_missing_or_too_much_is_refused() -> None:
    for wrong in ({**checkpoint(), "more": 1}, {k: x for k, x in checkpoint().items() if k != "y"}, [1, 2], None):
        with pytest.raises(supple.StateError, match=r"checkpoint: expected what Simulator\.checkpoint gives"):
            Checkpoint.of(wrong)


def test_another_run_is_named() -> None:
    require_same_run({"model": "a", "laws": "x"}, {"model": "a", "laws": "x"})
    with pytest.raises(supple.StateError, match="expected one of the same run: laws was 'y', is 'x'"):
        require_same_run({"model": "a", "laws": "y"}, {"model": "a", "laws": "x"})


def test_latched_events_are_kept_and_a_change_releases_them() -> None:
    mech = supple.Mechanism("block")
    mech.add_body("block", supple.RigidBody(2.0), joint=supple.Prismatic("z"))
    simulator = supple.Simulator(mech.build(), events=[supple.Event("low", "block.position + 1")])
    saved = simulator.checkpoint() | {"still": [0]}
    simulator.restore(saved)
    assert simulator.checkpoint() == saved
    simulator.set(v=[1.0])
    assert simulator.checkpoint()["still"] == []
    simulator.restore({key: x for key, x in saved.items() if key != "still"})  # written by an earlier version
    assert simulator.checkpoint()["still"] == []
