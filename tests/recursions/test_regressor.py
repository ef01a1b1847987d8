"""Regressor: inverse dynamics is linear in the inertial parameters, and Y has its slopes."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.bench.pinocchio import Peer
from supple.model.evaluation import Evaluation
from supple.recursions import regressor
from supple.recursions.states import States
from support.files.robots import robot_directory
from support.generated.generators_flexible import random_flexible_tree

ROUNDING = 1e-13
"""Of trees of five bodies, against the largest force."""


def changed_forces(model: supple.Model, change: np.ndarray, *state: np.ndarray) -> np.ndarray:
    """How inverse dynamics changes with the inertial parameters of all rigid bodies."""
    rigid = [k for k in range(1, len(model.bodies) + 1) if f"{model.bodies[k - 1]}.mass" in model.inertial_parameters()]
    arrays = {name: getattr(model.tree, name).copy() for name in ("mass", "moment", "inertia")}
    for row, k in zip(change.reshape(-1, regressor.PARAMETERS), rigid, strict=True):
        arrays["mass"][k] += row[0]
        arrays["moment"][k] += row[1:4]
        arrays["inertia"][k] += row[4:]
    other = Evaluation(model.tree._replace(**arrays), model.flex, model.nq)
    q, v, a = (x[None] for x in state)
    before, after = (x.inverse_dynamics(q, v, a, None, False)[0] for x in (model.evaluation, other))
    return np.asarray(after - before)[0]


@pytest.mark.parametrize("seed", [4, 7])
def test_rigid_bodies_in_flexible_trees(seed: int) -> None:
    model, _ = random_flexible_tree(seed, 5)
    q, v = model.random_state(seed)
    rng = np.random.default_rng(seed)
    a, change = rng.normal(size=model.nv), rng.normal(size=len(model.inertial_parameters()))
    Y = model.regressor(q, v, a)
    expected = changed_forces(model, change, q, v, a)
    np.testing.assert_allclose(Y @ change, expected, atol=ROUNDING * np.abs(expected).max())
    assert np.abs(Y[model.is_mode]).max() > 1.0, "modes that carry a rigid body"
    # The compiled sweep and the plain twin are the same recursion.
    swept = np.zeros((1, model.nv, len(model.bodies), regressor.PARAMETERS))
    with model.workspace(np.float64) as ws:
        states = States(q[None], v[None])
        regressor.regressor(model.tree, model.flex, states, a[None], ws, swept)
    kept = swept[0][:, [f"{name}.mass" in model.inertial_parameters() for name in model.bodies]]
    np.testing.assert_allclose(kept.reshape(Y.shape), Y, atol=ROUNDING * np.abs(Y).max())
    step = model.regressor(q + 1e-30j, v, a)
    np.testing.assert_allclose(step.real, Y, atol=ROUNDING * np.abs(Y).max())


@pytest.mark.parametrize(("robot", "floating_base"), [("panda", False), ("ur5_robot", True), ("talos_reduced", True)])
def test_robots_as_in_pinocchio(robot: str, floating_base: bool) -> None:
    peer = Peer.of_file(next(robot_directory().rglob(f"{robot}.urdf")), floating_base)
    model = peer.model
    for seed in range(2):
        q, v = model.random_state(seed)
        a = np.random.default_rng(seed).normal(size=model.nv)
        Y, expected = model.regressor(q, v, a), peer.regressor(q, v, a)
        np.testing.assert_allclose(Y, expected, atol=1e-12 * np.abs(expected).max())
        tau = Y @ list(model.inertial_parameters().values())
        np.testing.assert_allclose(tau, model.inverse_dynamics(q, v, a), atol=1e-12 * np.abs(tau).max())
