"""Modes and joints one after the other, (7.8)-(7.10): the same factors as all degrees of freedom together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.cases import thinned
from support.generated.generators_flexible import random_flexible_tree

CASES = [(71, 5, "full"), (72, 12, "ruthless"), (73, 14, "full")]


@pytest.fixture(scope="module", params=thinned(CASES, CASES[:2]), ids=str)
def operators(request: pytest.FixtureRequest) -> Any:
    seed, bodies, fidelity = request.param
    model, _ = random_flexible_tree(seed, bodies, 4, fidelity, beams=True)
    return model.operators(model.random_state(seed)[0])


def near(a: Any, b: Any) -> bool:
    return bool(np.abs(a - b).max() < 1e-10 * np.abs(b).max() > 0)


def test_lines_7_9_and_7_10(operators: Any) -> None:
    o, s = operators, operators.split
    P, A, B = o.P.dense(), o.A.dense(), o.B.dense()
    assert near(s.Gamma.dense(), B @ s.P_plus.dense() @ B.T)
    assert near(P, A @ s.Gamma.dense() @ A.T + o.M.dense())
    assert near(s.D_f.dense(), s.H_f.dense() @ P @ s.H_f.dense().T)
    P_r = s.tau_f.dense() @ P
    assert near(s.P_r.dense(), P_r)
    own = o.bodies.of_joints.T.dense() @ o.J.dense() @ o.bodies.of_joints.dense()
    assert near(s.D_r.dense(), s.H_r.dense() @ P_r @ s.H_r.dense().T + own)
    assert near(s.P_plus.dense(), o.tau_bar.dense() @ P)
    frames = [slice(len(x) - 6, len(x)) for x in o.P.blocks]
    for k, rows in enumerate(frames):
        P_k, H = o.P.blocks[k], s.H_f.blocks[k]
        assert np.allclose(s.mu.blocks[k], (P_k @ H.T)[rows])
        assert np.allclose(s.g.blocks[k] @ s.D_f.blocks[k], s.mu.blocks[k], atol=1e-9 * np.abs(P_k).max())
        P_R = P_k[rows, rows] - s.g.blocks[k] @ s.mu.blocks[k].T
        assert np.allclose(s.P_R.blocks[k], P_R, atol=1e-10 * np.abs(P_k).max())
        assert np.allclose(s.G_R.blocks[k], s.G_r.blocks[k][rows])
        assert np.allclose(s.P_R_plus.blocks[k], s.P_plus.blocks[k][rows, rows])


def test_inverse_of_the_modal_innovations_by_the_matrix_identity(operators: Any) -> None:
    """(7.7) with (7.8): D_f^-1 = Lam - Ups W Ups*, where W needs no inverse of Gamma."""
    s = operators.split
    assert near((s.Omega).dense(), s.zeta.dense().T @ s.Lam.dense() @ s.zeta.dense())
    Gamma, Omega, Ups = s.Gamma.dense(), s.Omega.dense(), s.Ups.dense()
    W = np.linalg.solve(np.eye(len(Gamma)) + Gamma @ Omega, Gamma)
    assert np.linalg.cond(Gamma) > 1e12  # the print asks for its inverse
    assert near(s.Lam.dense() - Ups @ W @ Ups.T, s.D_f.inverse().dense())
