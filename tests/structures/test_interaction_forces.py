"""Forces at the nodes of a moving flexible body against the whole finite-element model, and against the recursions."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple
from supple import structures
from supple.errors import ModelError
from supple.structures import BodyMotion, nodal_forces

ALUMINIUM = structures.Material(E=70e9, nu=0.33, rho=2700.0)


@cache
def rod(lumped: bool) -> structures.Structure:
    found = structures.beam(1.0, structures.Rectangle(0.02, 0.01), ALUMINIUM, 5, lumped=lumped)
    return found.with_mass("end", 0.3, inertia=(1e-3, 2e-3, 2e-3), offset=(0.01, 0.02, -0.03))


@pytest.mark.parametrize("lumped", [True, False], ids=["lumped", "consistent"])
def test_at_slow_motion_they_are_m_a_plus_k_u(lumped: bool) -> None:
    structure = rod(lumped)
    body = structure.reduce("cantilever", modes=4)
    rng = np.random.default_rng(1)
    eta, second, A = 1e-3 * rng.normal(size=4), rng.normal(size=4), rng.normal(size=6)
    found = nodal_forces(structure, body, BodyMotion(np.zeros(6), A, 0 * eta, 0 * eta, second))
    Pi, R = body.shapes.toarray(), structure.layout.rigid_motions(np.zeros(3))
    expected = structure.mass_matrix @ (R @ A + Pi @ second)
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())
    still = nodal_forces(structure, body, BodyMotion(np.zeros(6), np.zeros(6), eta, 0 * eta, 0 * eta))
    expected = structure.stiffness @ (Pi @ eta)
    np.testing.assert_allclose(still.ravel(), expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("lumped", [True, False], ids=["lumped", "consistent"])
@pytest.mark.parametrize("basis", ["cantilever", "nodal"])
def test_they_sum_to_the_forces_of_the_recursions(basis: str, lumped: bool) -> None:
    """(3.37): B f_s is the force across the hinge, Pi* f_s what the modes need; here nothing else acts on the body."""
    structure = rod(lumped)
    body = structure.reduce(basis, modes=4 if basis == "cantilever" else None)
    mech = supple.Mechanism("rod")
    mech.add_body("rod", body, joint=supple.Spherical(), stiffening=False)
    model = mech.build()
    rng = np.random.default_rng(2)
    q, v = model.random_state(5)
    a = rng.normal(size=model.nv)
    V, A = (x[1] for x in model.motions(q, v, a))
    R = model.pose(q, "rod")[0]
    A = A - np.concatenate([np.zeros(3), R.T @ model.description.gravity])
    found = nodal_forces(structure, body, BodyMotion(V, A, q[4:], v[3:], a[3:]))
    # B of the deformed places: the moment of all forces about the hinge.
    u = (body.shapes @ q[4:]).reshape(-1, 6)
    tau, wrench = model.inverse_dynamics(q, v, a), model.joint_wrenches(q, v, a)[0]
    assert np.abs(wrench).max() > 1.0
    np.testing.assert_allclose(found[:, 3:].sum(axis=0), wrench[3:], rtol=1e-9, atol=1e-9 * np.abs(wrench).max())
    modal = body.shapes.T @ found.ravel()
    np.testing.assert_allclose(modal, tau[3:], rtol=1e-8, atol=1e-8 * np.abs(tau).max())
    assert u.shape == found.shape


def test_another_body_is_refused() -> None:
    body = structures.beam(2.0, structures.Circle(0.01), ALUMINIUM, 3).reduce("cantilever", modes=1)
    zero = BodyMotion(np.zeros(6), np.zeros(6), [0.0], [0.0], [0.0])
    with pytest.raises(
        ModelError, match="nodal forces: expected a body of this structure, with 6 nodes in the same pl"
    ):
        nodal_forces(rod(True), body, zero)
    own = rod(True).reduce("cantilever", modes=2)
    with pytest.raises(ModelError, match=r"nodal forces: eta: expected numbers of shape \(2,\)"):
        nodal_forces(rod(True), own, zero)
