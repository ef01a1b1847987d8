"""Frames seen along other axes, relative to other frames, many at once; and how their Jacobians change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from supple.errors import StateError
from supple.model.model import Model
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree
from support.mechanisms.closed_mechanisms import slider_crank

MODELS: dict[str, Callable[[], Model]] = {
    "tree": lambda: random_tree(4, 9),
    "flexible": lambda: random_flexible_tree(2, 5, fidelity="full")[0],
    "closed": slider_crank,
}
"""Bodies of the flexible one keep all that depends on deformation, so that velocities are rates of positions."""
STEP = 1e-6
"""Of central differences, whose error is its square: 1e-12, and rounding 1e-10."""


@pytest.fixture(scope="module", params=list(MODELS))
def model(request: pytest.FixtureRequest) -> Model:
    """Return one of the models."""
    return MODELS[request.param]()


def state(model: Model) -> tuple[Any, Any, Any]:
    """Return coordinates, speeds and accelerations."""
    return *model.random_state(3), np.random.default_rng(4).normal(size=model.nv)


def change(model: Model, what: Callable[[Any], Any]) -> Any:
    """Return the rate of a function of the coordinates, by central differences."""
    q, v, _ = state(model)
    rate = STEP * model.derivative(q, v)
    return (what(q + rate) - what(q - rate)) / (2 * STEP)


def near(x: Any, y: Any, tolerance: float) -> bool:
    """Return whether arrays have equal shapes and entries."""
    return np.shape(x) == np.shape(y) and bool(abs(x - y).max() <= tolerance * max(1.0, abs(y).max()))


@pytest.mark.parametrize("axes", ["ground", "frame", "another"])
@pytest.mark.parametrize("base", ["ground", "another"])
def test_velocity_is_jacobian_times_speeds(model: Model, axes: str, base: str) -> None:
    q, v, _ = state(model)
    frame, other = model.frames[-1], model.frames[1]
    how = {"axes": axes.replace("another", other), "relative_to": base.replace("another", other)}
    J, V = model.jacobian(q, frame, **how), model.velocity(q, v, frame, **how)
    assert abs(V).max() > 1e-3
    assert near(J @ v, V, 1e-12)
    many = np.stack([q, q]).astype(complex)
    assert near(model.jacobian(many, frame, **how)[1], J, 1e-12)
    assert near(model.velocity(many, v, frame, **how)[1], V, 1e-12)


def test_relative_velocity_is_the_rate_of_the_relative_position(model: Model) -> None:
    q, v, _ = state(model)
    frame, base = model.frames[-1], model.frames[1]
    V = model.velocity(q, v, frame, axes=base, relative_to=base)
    assert near(V[3:], change(model, lambda x: model.pose(x, frame, base)[1]), 1e-7)
    R = model.pose(q, frame, base)[0]
    spin = change(model, lambda x: model.pose(x, frame, base)[0]) @ R.T
    assert near(V[:3], np.array([spin[2, 1], spin[0, 2], spin[1, 0]]), 1e-7)


def test_relative_pose_joins_poses(model: Model) -> None:
    q, _, _ = state(model)
    frame, base = model.frames[-1], model.frames[1]
    (R, p), (R_b, p_b), (R_rel, p_rel) = model.pose(q, frame), model.pose(q, base), model.pose(q, frame, base)
    assert near(R_b @ R_rel, R, 1e-14)
    assert near(p_b + R_b @ p_rel, p, 1e-13)
    assert near(model.pose(q[None].astype(complex), frame, base)[1][0], p_rel, 1e-13)


def test_many_frames_at_once(model: Model) -> None:
    q, _, _ = state(model)
    names = model.frames[-3:]
    R, p = model.poses(q, names)
    assert R.shape == (3, 3, 3)
    for i, name in enumerate(names):
        for x, y in zip((R[i], p[i]), model.pose(q, name), strict=True):
            assert near(x, y, 1e-14)
    many = model.poses(np.stack([q, q, q]), names)
    assert near(many[1][2], p, 1e-13)
    assert model.poses(q, [])[0].shape == (0, 3, 3)


@pytest.mark.parametrize("axes", ["ground", "frame", "another"])
def test_derivative_of_the_jacobian(model: Model, axes: str) -> None:
    q, v, a = state(model)
    frame, axes = model.frames[-1], axes.replace("another", model.frames[1])
    found = model.jacobian_derivative(q, v, frame, axes)
    assert near(found, change(model, lambda x: model.jacobian(x, frame, axes)), 1e-7)
    assert near(model.jacobian_derivative(np.stack([q, q]), v, frame, axes)[1], found, 1e-12)
    if axes == "ground":
        A = model.acceleration(q, v, a, frame)
        assert near(model.jacobian(q, frame) @ a + found @ v, A, 1e-11)


def test_wrong_axes_and_frames_are_named(model: Model) -> None:
    q, v, _ = state(model)
    frame = model.frames[-1]
    with pytest.raises(StateError, match="axes: expected 'ground', 'frame' or the name of a frame, got 'grond'"):
        model.jacobian(q, frame, axes="grond")
    with pytest.raises(StateError, match="relative_to: expected the name of a frame, got 3"):
        model.velocity(q, v, frame, relative_to=3)  # type: ignore[arg-type]
    with pytest.raises(StateError, match="frames: expected a sequence of names, got 'ground'"):
        model.poses(q, "ground")
    with pytest.raises(StateError, match="expected real states"):
        model.jacobian_derivative(q.astype(complex), v, frame)
