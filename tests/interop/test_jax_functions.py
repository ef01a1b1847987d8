"""Functions of models inside JAX: values, derivatives and batches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import supple
from supple.interop import jax_function
from support.cases import thinned

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    before = jax.config.jax_enable_x64  # type: ignore[attr-defined]
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def states(model: supple.Model, count: int) -> list[Any]:
    rng = np.random.default_rng(3)
    found = [model.random_state(seed=i) for i in range(count)]
    return [np.array([q for q, _ in found]), np.array([v for _, v in found]), rng.normal(size=(count, model.nv))]


def slope(f: Any, given: list[Any], place: int, h: float = 1e-6) -> Any:
    """Central differences by one argument."""
    columns = []
    for i in range(len(given[place])):
        moved = [np.array(x) for x in given]
        moved[place][i] += h
        above = f(*moved)
        moved[place][i] -= 2 * h
        columns.append((above - f(*moved)) / (2 * h))
    return np.array(columns).T


@pytest.mark.parametrize("name", thinned(["cart_pendulum", "satellite_two_booms"], ["cart_pendulum"]))
def test_values_derivatives_and_batches(name: str) -> None:
    model = supple.files.read(EXAMPLES / f"{name}.toml").model
    f = jax_function(model, "forward_dynamics")
    batch = states(model, 5)
    one = [x[0] for x in batch]
    np.testing.assert_allclose(f(*one), model.forward_dynamics(*one), rtol=1e-13)
    np.testing.assert_array_equal(jax.jit(jax.vmap(f))(*batch), model.compile("forward_dynamics")(*batch))
    for place in range(3):
        J = np.asarray(jax.jacrev(f, argnums=place)(*one))
        expected = slope(model.forward_dynamics, one, place)  # of quaternions too, of any length
        scale = np.abs(J).max()
        assert scale > 1e-3
        np.testing.assert_allclose(J, expected, rtol=0, atol=1e-7 * scale)
        np.testing.assert_allclose(jax.jacfwd(f, argnums=place)(*one), J, rtol=0, atol=1e-13 * scale)
    in_batch = jax.vmap(jax.jacrev(f))(*batch)
    np.testing.assert_allclose(in_batch[0], jax.jacrev(f)(*one), rtol=0, atol=1e-12 * np.abs(in_batch).max())


def test_gradient_of_the_cost_of_a_rollout() -> None:
    model = supple.files.read(EXAMPLES / "cart_pendulum.toml").model
    step = jax_function(model, "rk4", parameters=["arm.mass"])
    q_0, v_0, dt, mass = jnp.array([0.0, 0.3]), jnp.zeros(2), 0.02, jnp.array([1.5])

    def cost(force: Any, mass: Any) -> Any:
        def forward(state: Any, u: Any) -> Any:
            q, v = step(*state, jnp.array([u, 0.0]), dt, mass)
            return (q, v), q[1] ** 2 + 0.01 * u**2

        _, terms = jax.lax.scan(forward, (q_0, v_0), force)
        return terms.sum()

    force = jnp.linspace(-1.0, 2.0, 15)
    by_force, by_mass = jax.jit(jax.grad(cost, argnums=(0, 1)))(force, mass)
    expected = [(cost(force.at[i].add(1e-5), mass) - cost(force.at[i].add(-1e-5), mass)) / 2e-5 for i in (0, 7, 14)]
    np.testing.assert_allclose(by_force[jnp.array([0, 7, 14])], expected, rtol=1e-7)
    np.testing.assert_allclose(by_mass[0], (cost(force, mass + 1e-5) - cost(force, mass - 1e-5)) / 2e-5, rtol=1e-7)
    assert np.abs(by_force).min() > 1e-4


def test_wrong_arguments_are_named() -> None:
    model = supple.files.read(EXAMPLES / "pendulum.toml").model
    f = jax_function(model, "forward_dynamics")
    with pytest.raises(supple.StateError, match=r"v: expected shape \(1,\), got \(2,\); vmap"):
        f(jnp.zeros(1), jnp.zeros(2), jnp.zeros(1))
    with pytest.raises(supple.StateError, match=r"expected q, v, tau, got 2 arguments"):
        f(jnp.zeros(1), jnp.zeros(1))
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(supple.StateError, match=r"double precision"):
        jax_function(model, "forward_dynamics")
