"""Filter and smoother: (7.1)-(7.3), two stages (7.6), Rodriguez (9.1)-(9.26), diagonalised equations of motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from support.cases import thinned
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree

CASES = [(91, 4, "full"), (92, 10, "ruthless"), (93, 16, "full")]


@pytest.fixture(scope="module", params=thinned(CASES, CASES[:2]), ids=str)
def case(request: pytest.FixtureRequest) -> tuple[supple.Model, Any, Any, Any]:
    seed, bodies, fidelity = request.param
    model, _ = random_flexible_tree(seed, bodies, 4, fidelity, beams=True, forces=True)
    q, v = model.random_state(seed)
    tau = np.random.default_rng(seed).normal(size=model.nv)
    return model, q, v, model.innovations(q, v, tau)


def near(a: Any, b: Any, tolerance: float = 1e-10) -> bool:
    return bool(np.abs(a - b).max() < tolerance * np.abs(b).max() > 0)


def test_filter_and_smoother(case: Any) -> None:
    model, q, v, found = case
    o = found.operators
    bias = o.P @ o.a_m + o.b_m + o.K_m @ o.eta
    assert near(found.z, o.E_Phi @ found.z_plus + bias)  # (7.2)
    assert near(found.eps, found.T - o.H @ found.z)
    assert near(found.D @ found.nu, found.eps)
    assert near(found.z_plus, found.z + o.G @ found.eps)
    assert near(found.a, found.nu - o.G.T @ found.alpha_plus)  # (7.3)
    assert near(found.alpha_m, found.alpha_plus + o.H.T @ found.a + o.a_m)
    assert near(found.a, model.forward_dynamics(q, v, found.tau), 1e-9)
    size = np.abs(found.f_m).max()
    assert np.abs(o.H @ found.f_m + o.J @ found.a - found.T).max() < 1e-10 * size  # (3.43)


def test_two_stages_find_the_same(case: Any) -> None:
    found = case[3]
    o, s = found.operators, found.operators.split
    assert near(found.z_f + s.G_r @ found.eps_r, found.z_plus)
    joints = found.nu_r - s.G_r.T @ found.alpha_plus
    modes = found.nu_f - s.G_f.T @ (found.alpha_plus + s.H_r.T @ joints)
    assert near(o.bodies.of_joints @ joints + o.bodies.of_modes @ modes, found.a, 1e-9)
    logarithms = [np.linalg.slogdet(x)[1] for d in found.d for x in d.blocks]
    assert abs(sum(logarithms) - found.log_det) < 1e-9 * abs(found.log_det)


def test_nodal_filter(case: Any) -> None:
    found = case[3]
    n, f = found.operators.nodal, found.nodal
    assert near(f.accelerations, found.a, 1e-8)
    for k, parent in enumerate(n.C.parents):
        assert np.allclose(f.Z_minus[k], n.B.blocks[k] @ f.z_plus[k])  # (9.15)
        assert np.allclose(f.z_plus[k] - f.z_minus[k], n.g.blocks[k] @ f.e_minus[k])  # (9.14)
        assert np.allclose(
            n.d.blocks[k] @ f.e_plus[k], f.e_minus[k], atol=1e-9 * (1 + np.abs(f.e_minus[k]).max(initial=0))
        )
        assert np.allclose(f.a_minus[k] - f.a_plus[k], n.h.blocks[k].T @ f.u[k])  # (9.25)
        assert np.allclose(f.A_minus[k] - f.A_plus[k], n.H.blocks[k].T @ f.theta[k])  # (9.21)
        if parent >= 0:
            assert np.allclose(f.A_plus[k], n.C.blocks[k] @ f.a_minus[parent])  # (9.26)
    innovations = n.displacements @ np.concatenate(f.e_minus) + n.joints @ np.concatenate(f.E_minus)
    force = found.T - found.operators.C
    assert near(innovations, n.factor.inverse() @ force, 1e-9)  # (I - L) F


def test_diagonalised_equations_of_motion(case: Any) -> None:
    model, q, v, found = case
    assert abs(found.xi @ found.xi / 2 - model.energy(q, v)[0]) < 1e-12 * found.xi @ found.xi
    h = 1e-6
    ahead, behind = (model.operators(model.integrate(q, v, x)).root.T @ (v + x * found.a) for x in (h, -h))
    assert near(found.xi_rate, (ahead - behind) / (2 * h), 1e-5)
    work = abs(found.xi @ found.xi_coriolis) / (np.linalg.norm(found.xi) * np.linalg.norm(found.xi_coriolis))
    full = model.flex is None or all(model.flex.full[model.flex.modes > 0])
    assert work < 1e-12 if full else work > 1e-6
    assert near(found.xi_rate + found.xi_coriolis, found.xi_force)


def test_residual_acceleration_is_that_with_inboard_bodies_locked() -> None:
    """e+ is the acceleration of a body if the "future" degrees of freedom, those inboard of it, were locked."""
    model = random_tree(94, 6, gravity=False, forces=False)
    q, v = model.random_state(1)[0], np.zeros(model.nv)
    tau = np.random.default_rng(1).normal(size=model.nv)
    found = model.innovations(q, v, tau)
    tip = len(model.bodies) - 1
    locked = {name: 0.0 for name in model.speeds if not name.startswith(f"{model.bodies[tip]}.")}
    a, _ = model.hybrid_dynamics(q, v, tau, locked)
    own = slice(model.tree.v_first[tip + 1], model.tree.v_first[tip + 2])
    assert own.stop > own.start
    assert np.allclose(found.nu[own], a[own])


def test_loops_and_batches_are_refused() -> None:
    model = random_tree(95, 3)
    q, v = model.random_state(1)
    with pytest.raises(supple.StateError, match="one real state"):
        model.innovations([q, q], v, v)
    closed = supple.files.read("examples/four_bar.toml").model
    with pytest.raises(supple.StateError, match="closed loops"):
        closed.innovations(closed.neutral(), np.zeros(closed.nv), np.zeros(closed.nv))
