"""Ports of flexible bodies: which rows of their shapes are independent, and in which order they are eliminated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import supple
from supple.model.flexible_ports import COMPARABLE, _independent, _largest_of_kind
from support.generated.generators_flexible import random_flexible


@pytest.mark.parametrize("noise", [1e-16, 1e-11, 1e-6])
@pytest.mark.parametrize("modes", [1, 4])
def test_rounding_in_place_of_zeros_is_no_pivot(noise: float, modes: int) -> None:
    """Modes in one plane as an eigenvalue solver or a text file has them: what is zero by symmetry is nearly so."""
    rng = np.random.default_rng(modes)
    body, _ = random_flexible(rng, modes, planar=True)
    frames = {
        name: replace(frame, shape=frame.shape + noise * rng.normal(size=frame.shape.shape) * (name != "root"))
        for name, frame in body.frames.items()
    }
    mech = supple.Mechanism("arm")
    mech.add_body("arm", replace(body, frames=frames), joint=supple.Revolute("y"))
    for name, at, joint in (("wrist", "a", supple.Revolute("x")), ("hand", "b", supple.Spherical())):
        mech.add_body(name, supple.RigidBody(1.0, (0.2, 0.1, 0.0), (0.1, 0.1, 0.1)), "arm", joint, at)
    model = mech.build()
    q, v = model.random_state(3)
    tau = rng.normal(size=model.nv)
    expected = np.linalg.solve(model.mass_matrix(q), tau - model.bias_forces(q, v))
    bound = 1e-13 * np.linalg.cond(model.mass_matrix(q)) * np.abs(expected).max()
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau), expected, rtol=0, atol=bound)


def test_no_row_comes_before_others_of_which_far_more_is_left() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 5)) * 10.0 ** rng.uniform(-10, 0, (12, 1))
    X[4] = 0.0
    X[9] = X[3] + X[10]
    size = _largest_of_kind(X)
    L, Q, pivots = _independent(X, size)
    np.testing.assert_allclose(L @ Q, X, atol=1e-15 * np.abs(X).max())
    np.testing.assert_allclose(Q @ Q.T, np.eye(len(pivots)), atol=1e-14)
    relative = np.abs(L / size[:, None])
    for column, pivot in enumerate(pivots):
        assert np.all(L[pivot, column + 1 :] == 0.0)
        assert relative[pivot, column] >= COMPARABLE * relative[:, column].max()
    assert 4 not in pivots


def test_displacements_come_first_where_they_are_comparable() -> None:
    X = np.random.default_rng(1).normal(size=(6, 6))
    pivots = _independent(X, _largest_of_kind(X))[2]
    assert pivots == [3, 4, 5, 0, 1, 2]
