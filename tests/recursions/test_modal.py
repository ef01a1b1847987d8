"""Inertia and gyroscopic forces of one flexible body against the nodal sums (3.25), (3.39) with (3.33), (B.12)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple import structures

Floats = NDArray[np.float64]
N_NODES = 5


def tilde(a: Any) -> Floats:
    return np.cross(np.eye(3), a)


def lumped_structure(rng: np.random.Generator, offsets: bool) -> tuple[structures.Structure, list[tuple[Any, ...]]]:
    """A massless elastic beam with lumps at its nodes: mass, offset p, inertia J about the node; and these lumps."""
    material = structures.Material(E=1e8, nu=0.3, rho=0.0)
    structure = structures.beam(1.0, structures.Circle(0.02), material, N_NODES - 1)
    lumps = []
    for node in range(N_NODES):
        m = float(rng.uniform(0.2, 1.0))
        p = rng.normal(size=3) * 0.1 * offsets
        arms = rng.normal(size=(4, 3)) * 0.1 * offsets
        own = sum((a @ a) * np.eye(3) - np.outer(a, a) for a in arms) * m / 4
        inertia = np.asarray(own) + (0.0 if offsets else 1e-9) * np.eye(3)
        structure = structure.with_mass(str(node), m, inertia=inertia, offset=p)
        lumps.append((m, p, inertia - m * tilde(p) @ tilde(p)))
    return structure, lumps


def nodal_sums(
    body: structures.FlexibleBody, lumps: list[tuple[Any, ...]], eta: Floats, rate: Floats, w: Floats
) -> tuple[Floats, Floats]:
    """M_m (3.25) and b_m (3.39) of a body turning at w, summed over its nodes."""
    n = body.modes
    M, b = np.zeros((n + 6, n + 6)), np.zeros(n + 6)
    shapes = body.shapes.toarray()
    for j, (m, p, J) in enumerate(lumps):
        Pi = shapes[6 * j : 6 * j + 6]
        l = body.nodes[j] + Pi[3:] @ eta
        d_w, d_v = Pi[:3] @ rate, Pi[3:] @ rate
        phi = np.block([[np.eye(3), tilde(l)], [np.zeros((3, 3)), np.eye(3)]])
        both = np.concatenate([Pi, phi.T], axis=1)
        M_s = np.block([[J, m * tilde(p)], [-m * tilde(p), m * np.eye(3)]])
        a = np.concatenate([np.cross(w, d_w), np.cross(w, np.cross(w, l) + 2 * d_v)])
        w_j = w + d_w
        gyro = np.concatenate([np.cross(w_j, J @ w_j), m * np.cross(w_j, np.cross(w_j, p))])
        M += both.T @ M_s @ both
        b += both.T @ (M_s @ a + gyro)
    return M, b


def free(body: structures.FlexibleBody, fidelity: str) -> supple.Model:
    """The source has no displacements of second order."""
    mech = supple.Mechanism("free", gravity=(0, 0, 0))
    mech.add_body("b", body, joint=supple.Free(), fidelity=fidelity, stiffening=False)
    return mech.build()


def found(model: supple.Model, eta: Floats, rate: Floats, w: Floats) -> tuple[Floats, Floats]:
    """M_m and b_m of the recursions, modal part first: those of a free body whose origin is at rest."""
    n = len(eta)
    q, v = model.neutral(), np.concatenate([w, np.zeros(3), rate])
    q[7:] = eta
    order = [*range(6, 6 + n), *range(6)]
    b = model.bias_forces(q, v)
    b[6:] -= model.tree.stiffness[6:] * eta
    return model.mass_matrix(q)[np.ix_(order, order)], b[order]


@pytest.fixture(params=[False, True], ids=["points", "offsets and inertias"])
def case(request: pytest.FixtureRequest) -> Any:
    rng = np.random.default_rng(7)
    structure, lumps = lumped_structure(rng, request.param)
    body = structure.reduce("cantilever", modes=8, root="0")
    eta, rate, w = rng.normal(size=body.modes) * 0.05, rng.normal(size=body.modes), rng.normal(size=3)
    return body, lumps, eta, rate, w, request.param


def test_undeformed_body(case: Any) -> None:
    """Orders zero of (B.8) and (B.50), in both fidelities: what "ruthless" keeps (8.1)."""
    body, lumps, _, rate, w, _ = case
    zero = np.zeros(body.modes)
    M, b = nodal_sums(body, lumps, zero, zero, w)
    for fidelity in ("full", "ruthless"):
        M_found, b_found = found(free(body, fidelity), zero, zero, w)
        assert np.allclose(M_found, M, atol=1e-9)
        assert np.allclose(b_found, b, atol=1e-9 * np.abs(b).max())
    assert np.allclose(found(free(body, "ruthless"), zero, rate, w)[1], b, atol=1e-9 * np.abs(b).max())


def test_terms_in_the_modal_rates(case: Any) -> None:
    """Terms in w and etadot together are the source's; its terms in etadot alone (T_3, R_2, L) are left out.

    They come from nodes turning on circles, which B.8 does not have in the mass matrix: only together energy is kept.
    """
    body, lumps, _, rate, w, offsets = case
    zero = np.zeros(body.modes)
    together = nodal_sums(body, lumps, zero, rate, w)[1]
    alone = nodal_sums(body, lumps, zero, rate, 0 * w)[1]
    full = free(body, "full")
    assert np.allclose(found(full, zero, rate, w)[1], together - alone, atol=1e-9 * np.abs(together).max())
    assert np.array_equal(found(full, zero, rate, 0 * w)[1], 0 * alone)
    assert (np.abs(alone).max() > 1e-3) == offsets


def test_deformed_body_of_points(case: Any) -> None:
    """All orders of (B.8) and (B.50), where masses have neither offset nor inertia."""
    body, lumps, eta, rate, w, offsets = case
    M, b = nodal_sums(body, lumps, eta, rate, w)
    M_found, b_found = found(free(body, "full"), eta, rate, w)
    assert np.allclose(M_found[: body.modes, : body.modes], M[: body.modes, : body.modes], atol=1e-9)
    if not offsets:
        assert np.allclose(M_found, M, atol=1e-7)
        assert np.allclose(b_found, b, atol=1e-7 * np.abs(b).max())
    else:  # (B.8) leaves out that offsets and inertias turn with their nodes
        assert np.abs(M_found - M).max() > 1e-4


def test_bias_is_that_of_the_lagrangian(case: Any) -> None:
    """Against complex steps: dM/dt V - dT/deta and the turning of the momentum, for any velocity of the frame."""
    body, _, eta, rate, w, _ = case
    model = free(body, "full")
    n, h = body.modes, 1e-30
    q = model.neutral()
    q[7:] = eta
    u = np.array([0.3, -0.2, 0.5])
    v = np.concatenate([w, u, rate])
    along = np.zeros(model.nq)
    along[7:] = rate
    M_rate = model.mass_matrix(q + 1j * h * along).imag / h
    momentum = model.mass_matrix(q) @ v
    expected = M_rate @ v
    expected[:3] += np.cross(w, momentum[:3]) + np.cross(u, momentum[3:6])
    expected[3:6] += np.cross(w, momentum[3:6])
    for r in range(n):
        moved = np.zeros(model.nq)
        moved[7 + r] = 1.0
        slope = model.mass_matrix(q + 1j * h * moved).imag / h
        expected[6 + r] += model.tree.stiffness[6 + r] * eta[r] - 0.5 * v @ slope @ v
    assert np.allclose(model.bias_forces(q, v), expected, atol=1e-10 * np.abs(expected).max())
