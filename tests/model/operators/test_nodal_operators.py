"""Rodriguez (4.4)-(8.5): nodes, joints, and both factors of the mass matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import supple
from supple import structures
from supple.model.operators.state_operators import Operators
from support.cases import thinned
from support.generated.generators_flexible import random_flexible, random_flexible_tree

CASES = [(81, 4, "full"), (82, 9, "ruthless"), (83, 14, "full")]


@pytest.fixture(params=thinned(CASES, CASES[:2]), ids=str)
def case(request: pytest.FixtureRequest) -> tuple[supple.Model, Any, Any, Any]:
    seed, bodies, fidelity = request.param
    model, _ = random_flexible_tree(seed, bodies, 4, fidelity, beams=True)
    q, v = model.random_state(seed)
    return model, q, v, model.operators(q, v).nodal


def near(a: Any, b: Any, floor: float = 0.0) -> bool:
    return bool(np.abs(a - b).max() < 1e-10 * max(np.abs(b).max(), floor) > 0)


def test_velocities_of_nodes(case: Any) -> None:
    model, q, v, n = case
    relative = n.chi.T @ v  # (4.5)
    assert near(n.B.T @ (n.H.T @ (n.joints.T @ v)) + n.h.T @ (n.displacements.T @ v), relative)
    V_plus = n.Phi.T @ (n.C.T @ relative)  # (4.6)
    V = n.B.T @ V_plus + relative  # (4.4)
    assert near(V, relative + n.B.T @ (n.Phi.T @ (n.C.T @ relative)))  # (4.7)
    first = np.cumsum([0, *(B.shape[1] for B in n.B.blocks)])
    for k, (body, placed) in enumerate(model.description.bodies.items()):
        if isinstance(placed.body, supple.RigidBody):
            assert near(V[first[k] : first[k + 1]], model.velocity(q, v, body, axes="frame"), np.abs(V).max())
        elif placed.fidelity == "full":
            nodes = V[first[k] : first[k + 1]].reshape(-1, 6)
            turn = np.kron(np.eye(2), model.pose(q, body)[0])
            for j in np.flatnonzero(placed.body.turning):
                found, expected = turn @ nodes[j], model.velocity(q, v, f"{body}/{j}")
                assert np.abs(found - expected).max() < 1e-10 * np.abs(V).max()


def test_mass_matrix_and_composite_bodies(case: Any) -> None:
    model, q, _, n = case
    assert near(n.mass_matrix.dense(), model.mass_matrix(q))  # (5.1)
    carried = (n.C @ n.Phi @ n.B).dense()
    m, r, R = n.m.dense(), n.r.dense(), n.R.dense()
    one = np.eye(len(m))
    assert near((one + carried) @ m @ (one + carried).T, r + carried @ r + r @ carried.T)  # (7.1)
    C = n.C.dense()
    assert near(r, m + C @ R @ C.T)  # (7.2)
    assert near(R, (n.B @ n.r @ n.B.T).dense())
    inertia = [M[-6:, -6:] for M in model.operators(q).M.blocks]
    assert all(near(found, M) for found, M in zip(n.M.blocks, inertia, strict=True))  # (6.2)


def test_riccati_equations_and_factors(case: Any) -> None:
    model, q, _, n = case
    C, B, G, g, D, d = (x.dense() for x in (n.C, n.B, n.G, n.g, n.D, n.d))
    assert near(n.p.dense(), C @ (n.P.dense() - G @ D @ G.T) @ C.T + n.m.dense())  # (8.2a)
    assert near(n.P.dense(), B @ (n.p.dense() - g @ d @ g.T) @ B.T)  # (8.2b)
    factor = n.factor
    assert near((factor @ n.D_all @ factor.T).dense(), model.mass_matrix(q))  # (8.1)
    assert near((factor @ factor.inverse()).dense(), np.eye(model.nv))  # (8.3)
    x = np.random.default_rng(0).normal(size=model.nv)
    inner = factor.inverse()
    found = inner.T @ (n.D_all.inverse() @ (inner @ x))
    M = model.mass_matrix(q)
    assert np.abs(M @ found - x).max() < 1e-14 * np.linalg.cond(M)  # (8.4)


def test_mass_of_the_nodes_is_that_of_the_finite_elements() -> None:
    """In nodal coordinates the nodes show every motion, so that their mass matrix is the one it was reduced from."""
    material = structures.Material(E=70e9, nu=0.3, rho=2700.0)
    structure = structures.beam(1.0, structures.Rectangle(0.02, 0.01), material, 3)
    mech = supple.Mechanism("beam")
    mech.add_body("beam", structure.reduce("nodal"), joint=supple.Revolute("y"), fidelity="ruthless")
    model = mech.build()
    m = model.operators(model.neutral()).nodal.m.blocks[0]
    expected = structure.mass_matrix.toarray()
    assert expected.shape == m.shape
    assert near(m, expected)
    h = model.operators(model.neutral()).nodal.h.blocks[0]
    assert np.array_equal(h @ h.T, np.eye(18))  # [0, I]: all but the root's node
    assert not h[:, :6].any()


def test_too_few_nodes_are_refused() -> None:
    model, _ = random_flexible_tree(84, 1, 0)
    assert model.operators(model.neutral()).nodal.m.shape == (6, 6)
    rng = np.random.default_rng(0)
    body, _ = random_flexible(rng, 15)
    mech = supple.Mechanism("three nodes")
    mech.add_body("b", body)
    model = mech.build()
    with pytest.raises(supple.StateError, match="too few"):
        _ = model.operators(model.neutral()).nodal


@pytest.mark.parametrize(
    "options",
    [{"modes": 3, "fidelity": "full", "second_order": True}, {"modes": 4, "beams": True}, {"modes": 0}],
    ids=str,
)
def test_complex_steps_go_through_all_operators(options: dict[str, Any]) -> None:
    """The mass matrix by its factors has the derivatives of the recursions, and each operator those of differences."""
    model, _ = random_flexible_tree(2, 4, **options)
    q, _ = model.random_state(2)
    way, h, e = model.tangent(q) @ np.random.default_rng(0).normal(size=model.nv), 1e-30, 1e-3
    exact = model.operators(q + 1j * h * way)
    expected = model.mass_matrix(q + 1j * h * way).imag / h
    for x in (
        exact.nodal.mass_matrix,
        exact.nodal.factor @ exact.nodal.D_all @ exact.nodal.factor.T,
        exact.mass_matrix,
    ):
        np.testing.assert_allclose(x.dense().imag / h, expected, atol=1e-12 * np.abs(expected).max())
    around = [model.operators(q + k * e * way) for k in (2, 1, -1, -2)]
    weights = np.array([-1, 8, -8, 1]) / (12 * e)

    def slopes(what: Callable[[Operators], Any]) -> tuple[Any, Any]:
        differences = sum(c * what(o) for c, o in zip(weights, around, strict=True))
        return np.imag(what(exact)) / h, differences

    for name in ("B", "C", "h", "H", "m", "M", "r", "R", "p", "P", "D", "G", "Phi", "Psi", "psi", "K", "L"):
        found, differences = slopes(lambda o, name=name: getattr(o.nodal, name).dense())  # type: ignore[misc]
        np.testing.assert_allclose(found, differences, atol=1e-8 * max(1.0, np.abs(differences).max(initial=0.0)))
    assert exact.log_det.imag / h == pytest.approx(np.trace(np.linalg.solve(model.mass_matrix(q), expected)), rel=1e-9)
