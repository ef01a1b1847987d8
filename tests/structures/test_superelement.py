"""Superelements: the body of a few boundary nodes is that of the whole structure, as far as M and K say."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import scipy

import supple
from supple.errors import ModelError
from supple.structures import FlexibleBody, Material, Rectangle, Structure, Superelement, beam, from_matrices
from supple.structures.body.superelement import InteriorRecovery, sound_superelement

STEEL = Material(E=200e9, nu=0.3, rho=7800)


def masses() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([0.05, 0.1, 0.1, 0.1, 0.05])


@cache
def strip() -> Structure:
    """Point masses on the nodes of a beam that is not massive itself."""
    plain = beam(1.0, Rectangle(0.03, 0.01), STEEL, 4)
    order = (6 * np.arange(5)[:, None] + [3, 4, 5, 0, 1, 2]).ravel()
    K = plain.stiffness.toarray()[order][:, order]
    M = np.diag(np.repeat(masses(), 6) * np.tile([1, 1, 1, 1e-4, 1e-4, 1e-4], 5))
    return from_matrices(plain.nodes, M, K, {"start": 0, "end": 4})


def whole(recovery: bool = False) -> Superelement:
    """All nodes of the strip on the boundary."""
    s = strip()
    inside = InteriorRecovery(np.arange(1, 6), s.nodes, np.eye(30)) if recovery else None
    made = sound_superelement(np.arange(1, 6), s.nodes, s.turning, s.stiffness, s.mass_matrix, inside)
    return Superelement(
        made.labels, s.nodes, s.turning, made.stiffness, made.mass_matrix, {"start": 0, "end": 4}, inside
    )


def condensed() -> Superelement:
    """Both ends, and all modes of the inside with them fixed."""
    s = strip()
    K, M = s.stiffness.toarray(), s.mass_matrix.toarray()
    ends, inner = np.r_[0:6, 24:30], np.arange(6, 24)
    K_i, M_i = K[np.ix_(inner, inner)], M[np.ix_(inner, inner)]
    _, phi = scipy.linalg.eigh(K_i, M_i)
    T = np.zeros((30, 30))
    T[ends, np.arange(12)] = 1.0
    T[inner, :12] = -np.linalg.solve(K_i, K[np.ix_(inner, ends)])
    T[inner, 12:] = phi
    K_q, M_q = (scipy.sparse.csr_array(T.T @ m @ T) for m in (K, M))
    made = sound_superelement(np.array([1, 5]), s.nodes[[0, 4]], s.turning[[0, 4]], K_q, M_q)
    return Superelement(made.labels, made.nodes, made.turning, made.stiffness, made.mass_matrix, {"start": 0, "end": 1})


def same_momenta(body: FlexibleBody, other: FlexibleBody) -> None:
    np.testing.assert_allclose(body.stiffness.diagonal(), other.stiffness.diagonal(), rtol=1e-7)
    for a, b in ((body.integrals.E, other.integrals.E), (body.integrals.F_0, other.integrals.F_0)):
        np.testing.assert_allclose(np.abs(a), np.abs(b), atol=1e-7 * np.abs(b).max())
    np.testing.assert_allclose(body.inertia, other.inertia, atol=1e-12)
    np.testing.assert_allclose(
        np.abs(body.frames["end"].shape),
        np.abs(other.frames["end"].shape),
        atol=1e-5 * np.abs(other.frames["end"].shape).max(),
    )


@pytest.mark.parametrize(("basis", "modes"), [("cantilever", 5), ("free-free", 5), ("craig-bampton", 2)])
def test_a_superelement_has_modes_and_momenta_of_its_structure(basis: str, modes: int) -> None:
    expected = strip().reduce(basis, modes)
    for made in (whole(), condensed()):
        body = made.reduce(basis, modes)
        assert body.missing_for_full_fidelity
        same_momenta(body, expected)


def test_masses_inside_give_full_fidelity() -> None:
    s = strip()
    expected = from_matrices(
        s.nodes,
        np.diag(np.repeat(masses(), 6) * np.tile([1, 1, 1, 0, 0, 0], 5)),
        fe(s.stiffness.toarray()),
        {"start": 0},
    ).reduce("cantilever", 5)
    body = whole(recovery=True).with_masses(dict(zip(range(1, 6), masses(), strict=True))).reduce("cantilever", 5)
    assert body.missing_for_full_fidelity == ""
    sign = np.sign(
        np.sum(body.integrals.E * expected.integrals.E, axis=1)
        + np.sum(body.integrals.F_0 * expected.integrals.F_0, axis=1)
    )
    np.testing.assert_allclose(body.integrals.X, sign[:, None, None] * expected.integrals.X, atol=2e-3)
    N = body.integrals.N.dense() * np.outer(sign, sign)[:, :, None, None]
    np.testing.assert_allclose(N, expected.integrals.N.dense(), atol=6e-3)
    with pytest.raises(ModelError, match=r"masses: expected 0.4 kg as the mass matrix has, got 0.1 kg"):
        whole(recovery=True).with_masses({1: 0.1})
    with pytest.raises(ModelError, match=r"masses: no node 9 among the 5"):
        whole(recovery=True).with_masses({9: 0.4})
    with pytest.raises(ModelError, match=r"expected a recovery matrix"):
        whole().with_masses({1: 0.4})


def fe(matrix: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    order = (6 * np.arange(5)[:, None] + [3, 4, 5, 0, 1, 2]).ravel()
    return matrix[order][:, order]


def test_the_estimate_keeps_what_is_known_and_the_inertia_positive() -> None:
    body = condensed().reduce("cantilever", 6)
    known, I = body.integrals, np.eye(6)
    np.testing.assert_allclose(np.trace(known.N.dense(), axis1=2, axis2=3), I, atol=1e-9)
    exact = strip().reduce("cantilever", 6).integrals
    np.testing.assert_allclose(np.abs(known.F_0), np.abs(exact.F_0), atol=1e-8)
    rng = np.random.default_rng(0)
    for eta in rng.standard_normal((20, 6)):
        h = known.moment + eta @ known.E
        J = known.J_0 + np.einsum("r,rab->ab", eta, known.J_1 + np.swapaxes(known.J_1, 1, 2))
        J = J + np.einsum("r,rsab,s->ab", eta, known.J_2, eta)
        c = h / known.mass
        assert np.linalg.eigvalsh(J - known.mass * (c @ c * np.eye(3) - np.outer(c, c)))[0] > 0.0


def test_energy_is_conserved_with_estimated_inertia_and_full_is_refused() -> None:
    body = condensed().reduce("cantilever", 3)
    mech = supple.Mechanism("arm")
    with pytest.raises(ModelError, match=r"body 'arm': fidelity: 'full' needs more than is known of this body"):
        mech.add_body("arm", body, joint=supple.Spherical())
    mech.add_body("arm", body, joint=supple.Spherical(), fidelity="estimated-inertia")
    model = mech.build()
    q, v = model.neutral(), np.array([20.0, 30.0, -40.0, 0.3, -0.2, 0.1])
    q[-3:] = 0.01, -0.02, 0.005
    a = model.forward_dynamics(q, v, np.zeros(6))
    step = 1e-7
    ahead, behind = (sum(model.energy(model.integrate(q, v + h / 2 * a, h), v + h * a)) for h in (step, -step))
    rates = v * (model.mass_matrix(q) @ a)
    assert abs((ahead - behind) / (2 * step)) < 1e-5 * np.abs(rates).sum()


def test_what_is_no_superelement_is_refused() -> None:
    s = strip()
    grounded = s.stiffness.toarray()
    grounded[5, 5] += 1e5
    given = np.arange(1, 6), s.nodes, s.turning
    with pytest.raises(ModelError, match=r"expected a free structure.*motion in z.*leave supports out"):
        sound_superelement(*given, scipy.sparse.csr_array(grounded), s.mass_matrix)
    moved = s.nodes * 1.1
    with pytest.raises(
        ModelError, match=r"rotation about z.*displacements need none: are positions those of the matrices"
    ):
        sound_superelement(given[0], moved, s.turning, s.stiffness, s.mass_matrix)
    with pytest.raises(ModelError, match=r"no basis 'nodal' of a superelement"):
        whole().reduce("nodal")
    with pytest.raises(ModelError, match=r"root: no frame 'tip'"):
        whole().reduce("cantilever", root="tip")
