"""Laws of dynamics that hold for every tree: all routes agree, inverses invert, power balances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from support.cases import thinned
from support.generated.generators import FEW_TREES, KINDS, TREES, random_tree

every_tree = pytest.mark.parametrize("tree", thinned(TREES, FEW_TREES), ids=str)
STEP = 1e-30  # complex step: exact to rounding for any size this small


def a_state(model: supple.Model, seed: int) -> tuple[Any, Any, Any]:
    """A random state and generalized forces."""
    q, v = model.random_state(seed)
    return q, v, np.random.default_rng(seed + 1).normal(size=model.nv) * 5


def largest(x: Any) -> float:
    return float(np.abs(x).max(initial=0.0))


@every_tree
def test_inverse_dynamics_undoes_forward_dynamics(tree: tuple[int, int]) -> None:
    model = random_tree(*tree)
    q, v, tau = a_state(model, tree[0])
    a = model.forward_dynamics(q, v, tau)
    assert model.nv == 0 or largest(a) > 1e-3
    # Backward error: the forces that cancel are of the size of M a and of the bias.
    size = largest(model.mass_matrix(q)) * largest(a) + largest(model.bias_forces(q, v)) + largest(tau)
    assert largest(model.inverse_dynamics(q, v, a) - tau) < 1e-12 * size


@every_tree
def test_all_routes_of_forward_dynamics_agree(tree: tuple[int, int]) -> None:
    model = random_tree(*tree)
    q, v, tau = a_state(model, tree[0])
    a = model.forward_dynamics(q, v, tau)
    condition = np.linalg.cond(model.mass_matrix(q)) if model.nv else 1.0
    for method in ("composite", "triangular", "conjugate_gradient"):
        b = model.forward_dynamics(q, v, tau, method=method)
        # A solution of a linear system is known to rounding times the condition number.
        assert largest(a - b) <= 1e-14 * (100 + 10 * condition) * largest(a), method


@every_tree
def test_mass_matrix_times_its_inverse_is_the_identity(tree: tuple[int, int]) -> None:
    model = random_tree(*tree)
    q, v, _ = a_state(model, tree[0])
    M, W = model.mass_matrix(q), model.inverse_mass_matrix(q)
    assert np.allclose(W, W.T, rtol=0, atol=1e-12 * largest(W))
    if model.nv:
        assert np.linalg.eigvalsh(M)[0] > 0
        assert largest(M @ W - np.eye(model.nv)) < 1e-14 * (100 + 10 * np.linalg.cond(M))
    kinetic, _ = model.energy(q, v)
    assert np.isclose(kinetic, 0.5 * v @ M @ v, rtol=1e-12)


@every_tree
def test_work_of_all_forces_is_the_change_of_energy(tree: tuple[int, int]) -> None:
    model = random_tree(*tree)
    q, v, tau = a_state(model, tree[0])
    wrench = np.random.default_rng(tree[0]).normal(size=6)
    load = {model.bodies[-1]: wrench}
    a = model.forward_dynamics(q, v, tau, external=load)
    kinetic, potential = model.energy(q + 1j * STEP * model.derivative(q, v), v + 1j * STEP * a)
    gained = (kinetic + potential).imag / STEP

    power = [tau @ v, wrench @ model.velocity(q, v, model.bodies[-1], axes="frame"), -model.tree.damping @ v**2]
    for applied in model.description.wrenches.values():
        axes = "ground" if applied.axes == "ground" else "frame"
        velocity = model.velocity(q, v, applied.frame, axes=axes)
        power.append(np.concatenate([applied.moment, applied.force]) @ velocity)
    for spring in model.description.springs.values():
        (_, p_1), (_, p_2) = model.pose(q, spring.first), model.pose(q, spring.second)
        d, rate = p_2 - p_1, model.velocity(q, v, spring.second)[3:] - model.velocity(q, v, spring.first)[3:]
        power.append(-spring.damping * (d @ rate) ** 2 / (d @ d))
    size = largest(power) + abs(float(v @ model.mass_matrix(q) @ a))
    assert abs(gained - sum(power)) < 1e-11 * size


@every_tree
def test_given_accelerations_are_met_and_their_forces_found(tree: tuple[int, int]) -> None:
    model = random_tree(*tree)
    q, v, tau = a_state(model, tree[0])
    rng = np.random.default_rng(tree[0])
    chosen = {name: float(rng.normal()) for name in model.speeds if rng.random() < 0.4}
    a, force = model.hybrid_dynamics(q, v, tau, chosen)
    free = [i for i, name in enumerate(model.speeds) if name not in chosen]
    assert np.array_equal(force[free], tau[free])
    assert all(a[model.speed_index(name)] == value for name, value in chosen.items())
    size = largest(model.mass_matrix(q)) * largest(a) + largest(model.bias_forces(q, v)) + largest(tau)
    assert largest(model.inverse_dynamics(q, v, a) - force) < 1e-12 * size


@every_tree
def test_joint_wrenches_carry_the_drives_and_split_cleanly(tree: tuple[int, int]) -> None:
    model = random_tree(*tree)
    q, v, a = a_state(model, tree[0])
    F = model.joint_wrenches(q, v, a)
    H = model.operators(q).H
    passive = -model.tree.damping * v
    sprung = model.tree.q_of_speed >= 0
    passive[sprung] -= (model.tree.stiffness * (q[model.tree.q_of_speed] - model.tree.rest))[sprung]
    transmitted = model.inverse_dynamics(q, v, a) + passive - model.tree.joint_inertia * a
    size = largest(F) + largest(transmitted)
    assert largest(H @ F.reshape(-1) - transmitted) < 1e-12 * size
    drive, constraint = model.split_wrenches(q, F)
    assert largest(drive + constraint - F) < 1e-13 * size
    assert largest(H @ constraint.reshape(-1)) < 1e-11 * size
    assert largest(np.einsum("ki,ki->k", drive, constraint)) < 1e-11 * size**2


@every_tree
def test_momentum_of_a_free_system_is_constant(tree: tuple[int, int]) -> None:
    model = random_tree(*tree, gravity=False, forces=False, free_base=True)
    q, v, tau = a_state(model, tree[0])
    tau[:6] = 0  # nothing pushes against the ground
    a = model.forward_dynamics(q, v, tau)
    rate = model.momentum(q + 1j * STEP * model.derivative(q, v), v + 1j * STEP * a).imag / STEP
    assert largest(model.momentum(q, v)) > 1e-2
    assert largest(a) > 1e-2
    assert largest(rate) < 1e-12 * largest(model.mass_matrix(q)) * (largest(a) + largest(v) ** 2)


def test_every_joint_kind_occurs_in_the_random_trees() -> None:
    model = random_tree(3, KINDS)
    kinds = {placed.joint.kind for placed in model.description.bodies.values()}
    assert len(kinds) == KINDS - 1  # the building block occurs twice
