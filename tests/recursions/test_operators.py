"""The operator identities of Jain and Rodriguez (Lemmas 5.1, 6.1-6.3, 7.1) and CDI's influence matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from generators import random_tree
from generators_flexible import random_flexible_tree
from supple import structures
from supple.recursions.operators import BlockDiagonal, Identity, Influence

CASES = [(11, 1), (12, 6), (13, 20)]


def close(a: Any, b: Any) -> bool:
    size = np.abs(b).max()
    return size > 0 and bool(np.abs(a - b).max() < 1e-12 * size)


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> tuple[supple.Model, Any, Any]:
    model = random_tree(*request.param)
    q, v = model.random_state(request.param[0])
    return model, q, v


def test_newton_euler_factorization(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    assert close(model.operators(q).mass_matrix.dense(), model.mass_matrix(q))


def test_lemma_5_1_composite_bodies(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    o = model.operators(q)
    Phi, R = o.Phi.dense(), o.R.dense()
    tilde = Phi - np.eye(len(Phi))
    assert close(Phi @ o.M.dense() @ Phi.T, R + tilde @ R + R @ tilde.T)


def test_lemma_6_1_innovations_factorization(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    o = model.operators(q)
    factor = Identity(model.nv) + o.H @ o.Phi @ o.K
    assert close((factor @ o.D @ factor.T).dense(), model.mass_matrix(q))


def test_lemma_6_2_inverse_of_the_factor(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    o = model.operators(q)
    factor = Identity(model.nv) + o.H @ o.Phi @ o.K
    inverse = Identity(model.nv) - o.H @ o.Psi @ o.K
    assert close((factor @ inverse).dense(), np.eye(model.nv))


def test_lemma_6_3_inverse_of_the_mass_matrix(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    W = model.operators(q).inverse_mass_matrix
    assert close(W.dense(), model.inverse_mass_matrix(q))
    x = np.arange(1.0, model.nv + 1)
    assert close(W @ x, model.inverse_mass_matrix(q) @ x)


def test_lemma_7_1_accelerations(case: tuple[supple.Model, Any, Any]) -> None:
    """The operator expression for the accelerations, with a and b formed here body by body."""
    model, q, v = case
    o, n = model.operators(q), len(model.bodies)
    T = np.random.default_rng(0).normal(size=model.nv)
    moving = np.concatenate([model.acceleration(q, v, np.zeros(model.nv), body, axes="frame") for body in model.bodies])
    a = moving - o.E_Phi.T @ moving  # alpha = Phi* (H* 0 + a)
    b = np.zeros((n, 6))
    for k, (body, J) in enumerate(zip(model.bodies, model.tree.inertia[1:], strict=True)):
        w = model.velocity(q, v, body, axes="frame")[:3]
        inertia = np.array([[J[0], J[1], J[2]], [J[1], J[3], J[4]], [J[2], J[4], J[5]]])
        b[k] = *np.cross(w, inertia @ w), *np.cross(w, np.cross(w, model.tree.moment[k + 1]))
    inner = Identity(model.nv) - o.H @ o.Psi @ o.K
    residual = T - o.H @ (o.Psi @ (o.K @ T + o.P @ a + b.reshape(-1)))
    accelerations = inner.T @ (o.D.inverse() @ residual) - o.K.T @ (o.Psi.T @ a)

    weightless = supple.Mechanism("no gravity, no forces", gravity=(0, 0, 0))
    weightless.bodies = dict(model.description.bodies)
    bare = weightless.build()
    passive = -bare.tree.damping * v
    sprung = bare.tree.q_of_speed >= 0
    passive[sprung] -= (bare.tree.stiffness * (q[bare.tree.q_of_speed] - bare.tree.rest))[sprung]
    assert close(accelerations, bare.forward_dynamics(q, v, T - passive))


def test_operators_applied_equal_their_matrices(case: tuple[supple.Model, Any, Any]) -> None:
    model, q, _ = case
    o = model.operators(q)
    rng = np.random.default_rng(1)
    for name in ("E_Phi", "Phi", "H", "M", "R", "P", "D", "G", "K", "tau_bar", "E_Psi", "Psi", "Phi_A", "Psi_A", "J"):
        operator = getattr(o, name)
        matrix = operator.dense()
        assert matrix.shape == operator.shape
        x, y = rng.normal(size=operator.shape[1]), rng.normal(size=operator.shape[0])
        assert np.allclose(operator @ x, matrix @ x, atol=1e-12 * (1 + np.abs(matrix).max())), name
        assert np.allclose(operator.T @ y, matrix.T @ y, atol=1e-12 * (1 + np.abs(matrix).max())), name
    eye = np.eye(o.Phi.shape[0])
    assert close(o.Phi.dense() @ (eye - o.E_Phi.dense()), eye)
    assert close(o.Psi.dense() @ (eye - o.E_Psi.dense()), eye)
    assert close(o.E_Psi.dense() + eye, (o.E_Phi @ o.tau_bar).dense() + eye)
    assert close(o.Psi_A.dense(), o.Phi.T.dense())


def flexible_chain(links: int, fidelity: str) -> supple.Model:
    """Beams hinged end to end, three modes each."""
    material = structures.Material(E=70e9, nu=0.3, rho=2700.0)
    beam = structures.beam(0.5, structures.Rectangle(0.02, 0.01), material, 4).reduce("cantilever", modes=3)
    mech = supple.Mechanism("chain")
    for i in range(links):
        at = "end" if i else None
        mech.add_body(f"b{i}", beam, f"b{i - 1}" if i else "ground", supple.Revolute("y"), at, fidelity=fidelity)
    return mech.build()


@pytest.mark.parametrize("fidelity", ["full", "ruthless"])
@pytest.mark.parametrize("links", [1, 10, 30, 100])
def test_operators_of_a_long_flexible_chain(links: int, fidelity: str) -> None:
    """Rounding does not grow from body to body: at most ten digits are lost of a matrix with a condition of 1e9."""
    model = flexible_chain(links, fidelity)
    q = model.random_state(1)[0]
    o = model.operators(q)
    x = np.random.default_rng(0).normal(size=model.nv)
    expected = model.inverse_mass_matrix(q) @ x
    found = o.inverse_mass_matrix @ x
    assert np.abs(expected).max() > 1
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
    assert np.abs(o.mass_matrix @ x - model.mass_matrix(q) @ x).max() < 1e-12 * np.abs(model.mass_matrix(q)).max()
    for P in o.P.blocks:
        assert np.array_equal(P, P.T)
        assert np.linalg.eigvalsh(P)[0] > -1e-12 * np.abs(P).max()


@pytest.mark.parametrize(("seed", "bodies"), [(31, 5), (32, 20), (33, 100)])
def test_operators_of_flexible_trees(seed: int, bodies: int) -> None:
    model, _ = random_flexible_tree(seed, bodies, 4)
    q = model.random_state(seed)[0]
    o = model.operators(q)
    assert model.is_mode.any()
    M, W = model.mass_matrix(q), model.inverse_mass_matrix(q)
    x = np.random.default_rng(seed).normal(size=model.nv)
    assert np.abs(o.mass_matrix @ x - M @ x).max() < 1e-12 * np.abs(M).max() * model.nv
    assert np.abs(o.inverse_mass_matrix @ x - W @ x).max() < 1e-9 * np.abs(W @ x).max()
    factor = Identity(model.nv) + o.H @ o.Phi @ o.K
    inverse = Identity(model.nv) - o.H @ o.Psi @ o.K
    assert np.abs(factor @ (inverse @ x) - x).max() < 1e-9 * np.abs(inverse @ x).max()


# CDI, figure 2: the parents of bodies 1 ... 10, here counted from 0.
FIGURE_2 = [-1, 0, 0, 2, 2, 4, 3, 6, 0, 8]


def test_ten_body_example_of_cdi() -> None:
    rng = np.random.default_rng(2)
    A = rng.normal(size=(10, 3, 3))
    phi = Influence(FIGURE_2, A)
    psi = phi.resolvent().dense().reshape(10, 3, 10, 3).transpose(0, 2, 1, 3)
    A_ = {i + 1: block for i, block in enumerate(A)}
    printed = {
        (2, 1): A_[2],
        (4, 1): A_[4] @ A_[3],
        (4, 3): A_[4],
        (6, 1): A_[6] @ A_[5] @ A_[3],
        (6, 3): A_[6] @ A_[5],
        (7, 3): A_[7] @ A_[4],
        (8, 1): A_[8] @ A_[7] @ A_[4] @ A_[3],
        (8, 4): A_[8] @ A_[7],
        (8, 7): A_[8],
        (10, 1): A_[10] @ A_[9],
        (10, 9): A_[10],
    }
    for (i, j), block in printed.items():
        assert np.allclose(psi[i - 1, j - 1], block, atol=1e-14)
    for i, j in [(3, 2), (7, 5), (9, 3), (10, 3), (5, 4)]:
        assert not psi[i - 1, j - 1].any()
    assert all(np.allclose(psi[i, i], np.eye(3)) for i in range(10))


def test_nilpotency_is_the_longest_branch() -> None:
    phi = Influence(FIGURE_2, np.random.default_rng(3).normal(size=(10, 2, 2)))
    assert phi.nilpotency() == 5
    matrix = phi.dense()
    assert np.abs(np.linalg.matrix_power(matrix, 4)).max() > 0
    assert not np.linalg.matrix_power(matrix, 5).any()
    star = Influence([-1, 0, 0, 0], np.ones((4, 1, 1)))
    assert star.nilpotency() == 2
    assert np.array_equal(star.resolvent().dense(), np.eye(4) + star.dense())


def test_wrong_shapes_and_parents_are_refused() -> None:
    block = BlockDiagonal([np.eye(2), np.eye(3)])
    with pytest.raises(supple.StateError, match="length 5, got shape \\(4,\\)"):
        block @ np.ones(4)
    with pytest.raises(supple.StateError, match="same shape"):
        block + Identity(4)
    with pytest.raises(supple.StateError, match="parents"):
        Influence([1, 0], np.zeros((2, 1, 1)))
    model = random_tree(1, 3)
    with pytest.raises(supple.StateError, match="one real configuration"):
        model.operators(np.zeros((2, model.nq)))
