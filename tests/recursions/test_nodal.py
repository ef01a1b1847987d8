"""Bodies in nodal coordinates: the same as all their modes, at a cost linear in the nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple import structures
from support.cases import thinned

STEEL = structures.Material(E=2.1e11, nu=0.3, rho=7850.0)


def pair(elements: int, fidelity: str, lumped: bool = False) -> tuple[supple.Model, supple.Model, Any]:
    """A two-link arm in nodal coordinates and in all its modes, and Phi with nodal = Phi modal for one link."""
    structure = structures.beam(1.0, structures.Tube(0.02, thickness=0.002), STEEL, elements, lumped=lumped)
    nodal = structure.reduce("nodal", root="start")
    modal = structure.reduce("cantilever", modes=nodal.modes, root="start")
    models = []
    for body in (nodal, modal):
        mech = supple.Mechanism("arm")
        mech.add_body("upper", body, joint=supple.Universal("y", "z"), fidelity=fidelity)
        mech.add_body("lower", body, "upper", supple.Revolute("y"), at="end", fidelity=fidelity)
        mech.add_body("load", supple.RigidBody(0.5, (0.1, 0, 0), (0.01, 0.02, 0.03)), "lower", supple.Fixed(), at="end")
        models.append(mech.build())
    Phi = np.linalg.lstsq(nodal.shapes.toarray(), modal.shapes.toarray(), rcond=None)[0]
    return models[0], models[1], Phi


@pytest.mark.parametrize("fidelity", ["full", "ruthless"])
@pytest.mark.parametrize("lumped", thinned([False, True], [True]))
def test_nodal_body_equals_the_body_with_all_its_modes(fidelity: str, lumped: bool) -> None:
    nodal, modal, Phi = pair(3, fidelity, lumped)
    rng = np.random.default_rng(0)
    n = len(Phi)
    q, v, tau = (np.zeros(modal.nv) for _ in range(3))
    for x in (q, v, tau):
        x[:] = rng.normal(size=modal.nv) * np.where(modal.is_mode, 1e-3, 1.0)
    tau[modal.is_mode] = 0.0
    T = np.eye(modal.nv)
    for first in (2, 2 + n + 1):
        T[first : first + n, first : first + n] = Phi
    a = modal.forward_dynamics(q, v, tau)
    found = nodal.forward_dynamics(T @ q, T @ v, tau)
    assert np.abs(found - T @ a).max() < 1e-9 * np.abs(T @ a).max()
    assert np.allclose(nodal.energy(T @ q, T @ v), modal.energy(q, v), rtol=1e-10)
    for frame in ("load", "lower/end"):
        assert np.allclose(nodal.pose(T @ q, frame)[1], modal.pose(q, frame)[1], atol=1e-12)


def test_cost_is_linear_in_the_nodes() -> None:
    """Operations of forward dynamics of a hinged nodal beam with a load, full model, against the number of elements."""
    counts = []
    for elements in (4, 8, 12, 16):
        body = structures.beam(1.0, structures.Rectangle(0.02, 0.01), STEEL, elements).reduce("nodal", root="start")
        mech = supple.Mechanism("beam")
        mech.add_body("beam", body)
        mech.add_body(
            "load", supple.RigidBody(0.5, (0, 0, 0.1), (0.01, 0.01, 0.01)), "beam", supple.Revolute("x"), "end"
        )
        counts.append(supple.count_operations(mech.build()).multiplications)
    steps = np.diff(counts)  # not equal: rounding makes constants zero, in some runs a thousand more than in others
    assert steps.min() > 0
    assert steps.max() < 1.6 * steps.min()  # 2.3 if the cost were quadratic


def test_a_thousand_nodal_freedoms() -> None:
    body = structures.beam(10.0, structures.Circle(0.02), STEEL, 170).reduce("nodal", root="start")
    mech = supple.Mechanism("boom")
    mech.add_body("boom", body, joint=supple.Spherical())
    model = mech.build()
    assert model.nv > 1000
    q, still = model.neutral(), np.zeros(model.nv)
    tau = np.zeros(model.nv)
    tau[model.speed_index("boom.170.uz")] = 1.0
    a, M = model.forward_dynamics(q, still, tau), model.mass_matrix(q)
    size = (np.abs(M) @ np.abs(a)).max()
    assert np.abs(model.inverse_dynamics(q, still, a) - tau).max() < 1e-12 * size
    dense = model.forward_dynamics(q, still, tau, method="composite")
    scale = np.sqrt(np.diag(M))
    condition = np.linalg.cond(M / np.outer(scale, scale))  # 8e8: the root alone holds little mass
    assert np.abs(a - dense).max() < 1e-15 * condition * np.abs(dense).max()
