"""Programs whose lanes have numbers of their own."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.engines.blocks import lane_program
from supple.engines.blocks.block_program import BoundProgram
from supple.engines.blocks.lane_program import OWN, LaneProgram, Schedule
from supple.model.programs import ModelStructure, program

RNG = np.random.default_rng(2)


def two_links() -> supple.Model:
    mech = supple.Mechanism("two links")
    for name, parent, at in (("upper", "ground", None), ("fore", "upper", (1.1, 0.2, 0.0))):
        body = supple.RigidBody(2.0, (0.5, 0.1, 0.3), np.diag([0.2, 0.3, 0.4]))
        mech.add_body(name, body, parent, supple.Revolute("y"), at=at)
    return mech.build()


@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_every_state_has_its_own_numbers_and_times(lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_program, "host_lanes", lambda: lanes)
    model = two_links()
    structure = ModelStructure(model.tree, model.flex, model.nq)
    made, numbers = program(structure, structure.digest(), "sums"), structure.numbers.values()
    cases, samples = 11, 3
    own = numbers * RNG.uniform(0.9, 1.1, (cases, 1))
    q, v = RNG.normal(size=(2, cases, samples, 2))
    found = LaneProgram(made, len(numbers)).run({"q": q, "v": v, OWN: own}, Schedule.at(np.zeros(samples)))
    for i in range(cases):
        wanted = BoundProgram(made, own[i]).batch([q[i], v[i]], samples)
        for x, y in zip(found.values(), wanted, strict=True):
            np.testing.assert_array_equal(x[i], y)


def test_results_are_fed_back_step_by_step() -> None:
    model = two_links()
    structure = ModelStructure(model.tree, model.flex, model.nq)
    made, numbers = program(structure, structure.digest(), "advance"), structure.numbers.values()
    lanes = LaneProgram(made, len(numbers), fed_back=("q_1", "q"))
    q, v = RNG.normal(size=(2, 5, 2))
    schedule = Schedule(np.array([1, 3]), np.zeros((2, 2)))
    out = lanes.run({"q": q, "v": v, "dt": np.full((1, 1), 0.1), OWN: numbers[None]}, schedule)["q_1"]
    np.testing.assert_allclose(out, np.stack([q + 0.1 * v, q + 0.4 * v], axis=1), rtol=1e-14)
