"""CDI (1)-(20) on random trees of rigid bodies with every kind of joint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from support.cases import thinned
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree

CASES = [(21, 1), (22, 8), (23, 40)]  # seed, bodies


@pytest.fixture(params=thinned(CASES, CASES[:2]), ids=str)
def case(request: pytest.FixtureRequest) -> tuple[supple.Model, Any, Any, Any]:
    seed, bodies = request.param
    model = random_tree(seed, bodies, forces=False)
    q, v = model.random_state(seed)
    return model, q, v, model.operators(q, v)


def near(a: Any, b: Any) -> bool:
    return bool(np.abs(a - b).max() < 1e-10 * np.abs(b).max() > 0)


def test_velocities_and_accelerations(case: Any) -> None:
    model, q, v, o = case
    c, a = o.cdi, np.random.default_rng(0).normal(size=model.nv)
    speeds = np.concatenate([model.velocity(q, v, body) for body in model.bodies])
    assert near(c.Psi_D @ (c.G @ v), speeds)  # (4)
    rates = np.concatenate([model.acceleration(q, v, a, body) for body in model.bodies])
    assert near(c.Psi_D @ (c.G @ a + c.a), rates)  # (5)-(7)
    h = 1e-6
    ahead, behind = (model.integrate(q, v, x) for x in (h, -h))
    centres = []
    for k, body in enumerate(model.bodies):
        com = model.description.bodies[body].body.com
        at = [model.pose(x, body)[0] @ com + model.pose(x, body)[1] for x in (ahead, behind)]
        centres.append((at[0] - at[1]) / (2 * h))
        assert np.allclose((c.S @ speeds)[6 * k + 3 : 6 * k + 6], centres[-1], atol=1e-6)  # (1)


def test_dynamics_and_joint_forces(case: Any) -> None:
    model, q, v, o = case
    c, a = o.cdi, np.random.default_rng(1).normal(size=model.nv)
    assert near(c.M.dense(), (c.S.T @ c.M_bar @ c.S).dense())  # (16)
    assert near(c.B, c.S.T @ (c.M_bar @ c.a_bar) + c.b_bar)  # (17)
    weights = c.Y({}).T @ c.F_bar
    F = c.Psi_D.T @ (c.M @ (c.Psi_D @ (c.G @ a + c.a)) + c.B - weights)  # (15)
    turn = [np.kron(np.eye(2), model.pose(q, body)[0]) for body in model.bodies]
    wrenches = model.joint_wrenches(q, v, a)
    assert near(F, np.concatenate([R @ w for R, w in zip(turn, wrenches, strict=True)]))
    assert near(c.G.T @ F + o.J @ a - o.passive, model.inverse_dynamics(q, v, a))  # (18)
    assert near(c.mass_matrix.dense(), model.mass_matrix(q))  # (18c)


def test_accelerations_in_order_n(case: Any) -> None:
    model, q, v, o = case
    c, f = o.cdi, np.random.default_rng(2).normal(size=model.nv)
    C = c.G.T @ (c.Psi_D.T @ (c.M @ (c.Psi_D @ c.a) + c.B - c.Y({}).T @ c.F_bar))  # (18b)
    found = c.inverse_mass_matrix @ (f + o.passive - C)  # (19b)
    assert near(found, model.forward_dynamics(q, v, f))
    assert near(c.inverse_mass_matrix.dense(), model.inverse_mass_matrix(q))
    for i, (J, G, J_hat) in enumerate(zip(c.J.blocks, c.G.blocks, c.J_hat.blocks, strict=True)):
        own = o.J.blocks[i]
        assert np.allclose(J_hat, J - J @ G @ np.linalg.solve(G.T @ J @ G + own, G.T @ J), atol=1e-10 * np.abs(J).max())


def test_constraint_matrices(case: Any) -> None:
    c = case[3].cdi
    for G, G_hat in zip(c.G.blocks, c.G_hat, strict=True):
        assert G_hat.shape == (6, 6 - G.shape[1])
        assert np.allclose(G.T @ G_hat, 0.0, atol=1e-12)  # (20)
        assert np.allclose(G_hat.T @ G_hat, np.eye(G_hat.shape[1]), atol=1e-12)


def test_forces_act_at_given_points() -> None:
    model = random_tree(24, 3)
    q = model.random_state(1)[0]
    c = model.operators(q).cdi
    force, point = np.array([0.0, 0, 0, 1.0, 2.0, 3.0]), np.array([0.1, 0.2, 0.3])
    R = model.pose(q, model.bodies[1])[0]
    assert np.allclose((c.Y({2: point}).T @ np.tile(force, 3))[6:9], np.cross(R @ point, force[3:]))


def test_flexible_bodies_are_refused() -> None:
    model, _ = random_flexible_tree(25, 4, 3)
    with pytest.raises(supple.StateError, match="rigid bodies alone"):
        _ = model.operators(model.neutral()).cdi
