"""Eigenvalues and shapes of small motions, from matrices whose modes are known."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.linear import linear_equations, modes
from supple.linear.acting_laws import ActingLaws
from supple.linear.eigenmodes import eigenmodes, is_symmetric, loose, symmetric_modes

RNG = np.random.default_rng(3)


def test_modes_diagonalize_mass_and_stiffness() -> None:
    """Squares over 16 decades: the slow ones are solved for again among themselves."""
    T, squares = RNG.normal(size=(4, 4)), np.array([1e-4, 1.0, 1e8, 1e12])
    M = T @ T.T
    K = T @ np.diag(squares) @ T.T
    found, shapes = symmetric_modes(K, M)
    np.testing.assert_allclose(shapes.T @ M @ shapes, np.eye(4), atol=1e-10)
    assert (np.diff(found) > 0).all()
    assert found[2:] == pytest.approx(squares[2:], rel=1e-9)
    assert found[1] == pytest.approx(1.0, abs=1e12 * 1e-14)  # what rounding of K leaves of it


def test_symmetry_is_judged_beside_row_and_column() -> None:
    K = np.array([[1e9, 1.0], [1.0, 1e-3]])
    assert is_symmetric(K)
    upper = np.array([[0.0, 1.0], [0.0, 0.0]])
    assert is_symmetric(K + 1e-10 * upper)
    assert not is_symmetric(K + 1e-3 * upper)


def test_modes_without_stiffness_are_loose() -> None:
    K = 1e6 * np.array([[1.0, -1.0], [-1.0, 1.0]])  # two masses joined by a spring, free as a pair
    squares, shapes = symmetric_modes(K, np.eye(2))
    assert loose(K, squares, shapes).tolist() == [True, False]
    assert squares[1] == pytest.approx(2e6)


def test_a_damped_oscillator_has_its_known_eigenvalue() -> None:
    mech = supple.Mechanism("mass on a spring", gravity=(0, 0, 0))
    mech.add_body("mass", supple.RigidBody(2.0), joint=supple.Prismatic("x", stiffness=50.0, damping=4.0))
    values, shapes, real = eigenmodes(linear_equations(mech.build()))
    assert not real
    assert values == pytest.approx([-1.0 + np.sqrt(24.0) * 1j])  # x'' + 2 x' + 25 x = 0
    assert np.abs(shapes) == pytest.approx(np.array([[1 / np.sqrt(2.0)]]))  # unit modal mass


def test_chains_of_zero_eigenvalues_lose_no_modes() -> None:
    """A free body whose weight is held: tilted it accelerates sideways, so that zeros come in fours."""
    mech = supple.Mechanism("hovering")
    mech.add_body("body", supple.RigidBody(10.0, inertia=np.diag([1.0, 2.0, 3.0])), joint=supple.Free())
    mech.add_body(
        "arm", supple.RigidBody(1.0, (0, 0, 1)), "body", supple.Revolute("y", stiffness=50.0, damping=0.1), at=(0, 0, 1)
    )
    e = linear_equations(mech.build())
    found = eigenmodes(e)
    assert len(found.values) == 7
    assert np.count_nonzero(found.values) == 1
    assert np.linalg.matrix_rank(found.shapes[:, :6]) == 6
    A = np.block([[e.N, e.T], [-np.linalg.solve(e.M, e.K), -np.linalg.solve(e.M, e.C)]])
    assert np.abs(np.linalg.eigvals(A) - found.values[-1]).min() < 1e-9 * abs(found.values[-1])


def test_modes_of_controllers_alone_move_nothing() -> None:
    """A filter of the angles of a double pendulum, which exerts no force: its states alone oscillate."""
    mech = supple.Mechanism("double pendulum")
    link = supple.RigidBody(1.0, (0, 0, -0.5), (0.1, 0.1, 0.1))
    mech.add_body("a", link, joint=supple.Revolute("y", damping=0.1))
    mech.add_body("b", link, "a", supple.Revolute("y"), at=(0, 0, -1.0))
    model = mech.build()
    laws = ActingLaws.none(model)._replace(
        states=("filter.x", "filter.y"),
        force_by_z=np.zeros((2, 2)),
        rate_by_q=np.array([[1.0, 0.3], [20.0, -7.0]]),
        rate_by_v=np.array([[0.2, 0.0], [0.0, 3.0]]),
        rate_by_z=np.array([[0.0, 1.0], [-31.0, -5.0]]),  # s^2 + 5 s + 31 = 0
    )
    found = modes(model, laws=laws)
    own = np.flatnonzero(np.isclose(found.eigenvalues, -2.5 + np.sqrt(24.75) * 1j, rtol=1e-9))
    assert len(found) == 3
    assert len(own) == 1
    assert not found.shapes[:, own[0]].any()
    assert [found.dof(i) == "" for i in range(3)] == [i == own[0] for i in range(3)]
    others = np.delete(np.arange(3), own[0])
    assert found.eigenvalues[others] == pytest.approx(modes(model).eigenvalues, rel=1e-9)
