"""Linearization by complex steps against central differences on the manifold."""

from __future__ import annotations

import numpy as np
import pytest

from supple import Free, Mechanism, RigidBody
from support.cases import thinned
from support.generated.generators import FEW_TREES, TREES, random_tree


@pytest.mark.parametrize(("seed", "bodies"), thinned(TREES[0:-1:3], FEW_TREES, several=True))
def test_linearize_against_central_differences(seed: int, bodies: int) -> None:
    model = random_tree(seed, bodies)
    q, v = model.random_state(seed)
    tau = np.random.default_rng(seed).normal(size=model.nv)
    A, B = model.linearize(q, v, tau)
    n, h = model.nv, 1e-6
    eye = np.eye(n)
    # dq = S x with S fixed at q: a straight step in q, as the rotations take only the direction of a quaternion.
    S = model.tangent(q)
    by_q = (
        model.forward_dynamics(q + h * S.T, v, tau) - model.forward_dynamics(q - h * S.T, v, tau)
    ).T / (2 * h)  # fmt: skip
    by_v = (model.forward_dynamics(q, v + h * eye, tau) - model.forward_dynamics(q, v - h * eye, tau)).T / (2 * h)
    by_tau = (model.forward_dynamics(q, v, tau + eye) - model.forward_dynamics(q, v, tau - eye)).T / 2
    scale = np.abs(A).max()
    assert scale > 1
    # Central differences: h^2 of truncation, rounding / h.
    assert np.allclose(A[n:, :n], by_q, rtol=0, atol=1e-7 * scale)
    assert np.allclose(A[n:, n:], by_v, rtol=0, atol=1e-7 * scale)
    assert np.allclose(B[n:], by_tau, rtol=0, atol=1e-9 * np.abs(B).max())
    assert np.allclose(A[:n, n:], eye)
    assert not B[:n].any()


def test_linearized_rotation_of_a_free_body_turns_back() -> None:
    mech = Mechanism("body", gravity=(0, 0, 0))
    mech.add_body("body", RigidBody(1.0, inertia=(1, 2, 2.5)), joint=Free())
    model = mech.build()
    q, v = model.random_state(0)
    A, _ = model.linearize(q, v, np.zeros(6))
    w = v[:3]
    spin = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    assert np.abs(spin).max() > 0.1
    assert np.allclose(A[:3, :3], -spin, atol=1e-12)  # dx/dt = dw - w x x
