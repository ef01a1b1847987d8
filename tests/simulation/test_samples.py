"""Samples: their shapes are checked, and they are cut and joined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.simulation.samples import Samples


def model() -> supple.Model:
    mech = supple.Mechanism("free")
    mech.add_body("body", supple.RigidBody(1.0, inertia=(1, 1, 1)), joint=supple.Free())
    return mech.build()


def samples(count: int) -> Samples:
    rng = np.random.default_rng(count)
    return Samples.of(model(), np.arange(count), rng.normal(size=(count, 7)), *rng.normal(size=(3, count, 6)))


def test_pieces_make_up_the_whole() -> None:
    whole = samples(5)
    again = Samples.joined([whole[:2], whole[2:]])
    assert len(again) == 5
    assert np.array_equal(again.q, whole.q)
    assert np.array_equal(again.tau, whole.tau)
    assert len(whole[:-1]) == 4


@pytest.mark.parametrize(("key", "shape"), [("q", (2, 6)), ("v", (2, 7)), ("a", (1, 6)), ("tau", (2,))])
def test_wrong_shapes_are_refused(key: str, shape: tuple[int, ...]) -> None:
    values: dict[str, Any] = {"q": np.zeros((2, 7)), "v": np.zeros((2, 6)), "a": np.zeros((2, 6))}
    values |= {"tau": np.zeros((2, 6))} | {key: np.zeros(shape)}
    with pytest.raises(supple.StateError, match=rf"^{key}: expected shape \(2, \d\), got"):
        Samples.of(model(), [0.0, 1.0], **values)
