"""Forces of wrenches at frames and motions of frames: as the model has them, and their slopes as differences say."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple
from supple.model.complex_steps import by_differences
from supple.model.frame_slopes import frame_forces, frame_motions
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree


@cache
def model_of(kind: str) -> supple.Model:
    """A random tree."""
    return random_tree(3, 5) if kind == "rigid" else random_flexible_tree(2, 4, 4, fidelity=kind, forces=True)[0]


@pytest.mark.parametrize("kind", ["rigid", "full", "ruthless"])
def test_forces_are_what_inverse_dynamics_is_spared(kind: str) -> None:
    model = model_of(kind)
    (q, v), rng = model.random_state(1), np.random.default_rng(1)
    names = [model.frames[-1], model.frames[1]]
    frames, wrenches = [model.find_frame(x) for x in names], rng.normal(size=(2, 6))
    external = dict(zip(names, wrenches, strict=True))
    force, by_q = frame_forces(model, frames, q, wrenches)
    rest = model.inverse_dynamics(q, v, v)
    expected = rest - model.inverse_dynamics(q, v, v, external)
    np.testing.assert_allclose(force, expected, atol=1e-12 * max(np.abs(rest).max(), 1.0))
    rough = by_differences(lambda x: -model.inverse_dynamics(x, 0 * v, 0 * v, external), q, np.eye(model.nq))
    rough += by_differences(lambda x: model.inverse_dynamics(x, 0 * v, 0 * v), q, np.eye(model.nq))
    np.testing.assert_allclose(by_q, rough, atol=1e-6 * max(np.abs(rest).max(), np.abs(rough).max()))
    assert np.abs(by_q).max() > 1e-3


@pytest.mark.parametrize("kind", ["rigid", "full", "ruthless"])
def test_motions_are_those_of_the_model(kind: str) -> None:
    model = model_of(kind)
    (q, v), rng = model.random_state(2), np.random.default_rng(2)
    a, name = rng.normal(size=model.nv), model.frames[-1]
    found = frame_motions(model, model.find_frame(name), q, v, a)
    np.testing.assert_allclose(found["velocity"], model.velocity(q, v, name), atol=1e-12)
    np.testing.assert_allclose(found["acceleration"], model.acceleration(q, v, a, name), atol=1e-11)
    for what, x, eye in (("q", q, np.eye(model.nq)), ("v", v, np.eye(model.nv))):

        def motion(y: np.ndarray, what: str = what) -> np.ndarray:
            return model.acceleration(y, v, a, name) if what == "q" else model.acceleration(q, y, a, name)

        rough = by_differences(motion, x, eye)
        np.testing.assert_allclose(found[f"dacceleration_d{what}"], rough, atol=1e-6 * np.abs(rough).max())
    np.testing.assert_allclose(found["dvelocity_dv"], model.jacobian(q, name), atol=1e-12)


def test_a_frame_of_the_ground_stands_still() -> None:
    model = model_of("rigid")
    q, v = model.random_state(3)
    assert not any(x.any() for x in frame_motions(model, model.find_frame("ground"), q, v, v).values())
