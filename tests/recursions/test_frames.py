"""Frames as steps: motions are derivatives of poses, and a wrench does the same work on the frame as on its body."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.engines.plain import plain
from supple.model.body_frames import frame_arrays
from supple.recursions.frames import frame_acceleration, frame_act, frame_in_body, frame_velocity
from supple.recursions.second_order import second_order_rate_step, second_order_step
from supple.recursions.states import States
from supple.recursions.tree import Frames, Workspace, sizes, workspace
from support.generated.generators_flexible import random_flexible_tree

H = 1e-30


def flexible_frame(fidelity: str) -> tuple[supple.Model, Frames, int]:
    """A model, a frame aside of a node of a flexible body, and that body."""
    model, _ = random_flexible_tree(3, 4, fidelity=fidelity, second_order=True)
    mech = model.description.copy()
    moving = {name: model.find_frame(name).node for name in mech.frames}
    name = next(name for name, node in moving.items() if node is not None and node.shape.any())
    mech.add_frame("aside", name, (0.1, -0.2, 0.3), np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    aside = next(name for name in mech.frames if name.endswith("aside"))
    model = supple.Model(mech)
    frames = frame_arrays([model.find_frame(aside)])
    return model, frames, int(frames.body[0])


def followed(model: supple.Model, k: int, q: Any, v: Any) -> Workspace:
    """A workspace in which the second-order shapes of body k are known."""
    ws = workspace(sizes(model.tree, model.flex), np.result_type(q, v))
    if model.flex is not None:
        plain(second_order_step)(model.flex, k, q, ws.flex)
        plain(second_order_rate_step)(model.flex, k, v, ws.flex)
    return ws


def in_body(model: supple.Model, frames: Frames, q: Any, exact: bool = True) -> tuple[Any, Any]:
    ws = followed(model, int(frames.body[0]), q, np.zeros(model.nv))
    R, p = plain(frame_in_body)(model.flex, frames, 0, q, exact, ws.flex)
    return np.reshape(R, (3, 3)), np.array(p)


@pytest.mark.parametrize("fidelity", ["full", "ruthless"])
def test_motion_in_a_body_at_rest_is_the_derivative_of_the_pose(fidelity: str) -> None:
    model, frames, k = flexible_frame(fidelity)
    assert model.flex is not None
    q, v = model.random_state(1)
    v[~model.is_mode] = 0.0
    a = np.where(model.is_mode, np.random.default_rng(0).normal(size=model.nv), 0.0)
    still = (0.0,) * 6

    def velocity(q: Any, v: Any) -> Any:
        ws = followed(model, k, q, v)
        return np.array(plain(frame_velocity)(model.flex, frames, 0, States(q, v), still, True, ws.flex))

    found = velocity(q, v)
    moved = q + 1j * H * model.derivative(q, v)
    R, p = in_body(model, frames, moved)
    np.testing.assert_allclose(found[3:], p.imag / H, atol=1e-12)
    spin = (R.imag / H) @ R.real.T
    np.testing.assert_allclose(found[:3], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-12)
    rate = velocity(moved, v + 1j * H * a).imag / H
    state, body = States(q, v), ((0.0,) * 3, still)
    ws = followed(model, k, q, v)
    acceleration = plain(frame_acceleration)(model.flex, frames, 0, state, a, body, True, ws.flex)
    np.testing.assert_allclose(acceleration, rate, atol=1e-11)
    assert np.abs(found).min() > 1e-6
    assert k > 0
    assert (np.abs(ws.flex.xi).max(initial=0.0) > 1e-6) == (fidelity == "full")


@pytest.mark.parametrize("fidelity", ["full", "ruthless"])
def test_a_wrench_does_the_same_work_on_frame_and_body(fidelity: str) -> None:
    model, frames, k = flexible_frame(fidelity)
    assert model.flex is not None
    q, v = model.random_state(2)
    V, f = np.random.default_rng(1).normal(size=(2, 6))
    ws = followed(model, k, q, v)
    _, at = plain(frame_in_body)(model.flex, frames, 0, q, False, ws.flex)
    plain(frame_act)(model.flex, frames, 0, q, at, tuple(f), ws)
    velocity = plain(frame_velocity)(model.flex, frames, 0, States(q, v), tuple(V), False, ws.flex)
    work = -ws.load[k] @ V - ws.flex.modal @ v
    assert work == pytest.approx(f @ np.array(velocity), rel=1e-12)
    assert abs(ws.flex.modal @ v) > 1e-6
    assert not np.delete(ws.load, k, axis=0).any()


def test_the_dynamics_of_a_ruthless_body_sees_its_frames_undeformed() -> None:
    model, frames, _ = flexible_frame("ruthless")
    q = model.random_state(3)[0]
    seen, undeformed = in_body(model, frames, q, exact=False), in_body(model, frames, np.zeros(model.nq))
    for x, y in zip(seen, undeformed, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-15)
    assert np.abs(in_body(model, frames, q)[1] - undeformed[1]).max() > 1e-4


def test_frames_of_rigid_bodies_need_no_flexible_arrays() -> None:
    mech = supple.Mechanism("arm")
    mech.add_body("arm", supple.RigidBody(1.0, inertia=(1, 1, 1)), joint=supple.Revolute("y"))
    mech.add_frame("tip", "arm", (0, 0, -1))
    model = mech.build()
    frames = frame_arrays([model.find_frame("arm/tip")])
    state, V = States(np.zeros(1), np.zeros(1)), (1.0, 2.0, 3.0, 0.0, 0.0, 0.0)
    np.testing.assert_array_equal(in_body(model, frames, state.q)[1], [0, 0, -1])
    found = plain(frame_velocity)(None, frames, 0, state, V, True, None)
    np.testing.assert_array_equal(found, [1, 2, 3, -2, 1, 0])
    found = plain(frame_acceleration)(None, frames, 0, state, np.zeros(1), ((0.0, 2.0, 0.0), (0.0,) * 6), True, None)
    np.testing.assert_array_equal(found, [0, 0, 0, 0, 0, 4])
