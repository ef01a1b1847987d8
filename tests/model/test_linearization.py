"""Small motions in tangent coordinates: the same by every way of differentiating, and along true motions."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.model.complex_steps import by_differences
from supple.model.linearization import acceleration_slopes, direction_rates
from support.generated.generators import KINDS, random_tree


@pytest.fixture(scope="module")
def model() -> supple.Model:
    """Every kind of joint: quaternions and velocities in body axes among them."""
    return random_tree(4, KINDS)


def test_differences_and_complex_steps_agree(model: supple.Model) -> None:
    q, v = model.random_state(1)
    state = q, v, np.zeros(model.nv)
    exact = acceleration_slopes(model.forward_dynamics, state, model.tangent(q))
    rough = acceleration_slopes(model.forward_dynamics, state, model.tangent(q), by_differences)
    for a, b in zip(exact, rough, strict=True):
        np.testing.assert_allclose(b, a, atol=1e-6 * abs(a).max())
        assert abs(a).max() > 1e-3


def test_directions_do_not_turn_at_rest(model: supple.Model) -> None:
    q, v = model.random_state(2)
    assert abs(direction_rates(model, q, np.zeros(model.nv))).max() == 0.0
    assert abs(direction_rates(model, q, v)).max() > 0.1


def test_linearize_holds_these_blocks(model: supple.Model) -> None:
    states = [model.random_state(seed) for seed in range(3)]
    q, v = (np.stack(x) for x in zip(*states, strict=True))
    tau, n = np.zeros((3, model.nv)), model.nv
    A, B = model.linearize(q, v, tau)
    for i in range(3):
        by_x, by_v = acceleration_slopes(model.forward_dynamics, (q[i], v[i], tau[i]), model.tangent(q[i]))
        expected = np.block([[direction_rates(model, q[i], v[i]), np.eye(n)], [by_x, by_v]])
        np.testing.assert_allclose(A[i], expected, rtol=1e-12, atol=1e-12 * abs(expected).max())
    np.testing.assert_array_equal(B[:, :n], 0.0)
    np.testing.assert_array_equal(B[:, n:], model.inverse_mass_matrix(q))
