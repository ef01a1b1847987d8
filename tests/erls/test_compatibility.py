"""Compatibility of displacements: the paper's equations hold along a motion, with exact derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from supple.erls import ErlsModel, build
from support.mechanisms.rigid_links import arm, flexible_tree, relative

Numbers = NDArray[Any]
STEP = 1e-30


def split(model: ErlsModel) -> tuple[list[int], list[int]]:
    """Columns of q_r and of q_d in `whole`."""
    rigid: list[int] = []
    elastic: list[int] = []
    first = 0
    for link in model.chain.links:
        rigid += range(first, first + 6)
        elastic += range(first + 6, first + 6 + link.modes)
        first += 6 + link.modes
    return rigid, elastic


def normalised(model: ErlsModel, C_r: Numbers) -> tuple[Numbers, Numbers]:
    """C_r for mass-normalised rigid modes, and these modes in terms of ours."""
    size = 6 * len(model.bodies)
    U = np.zeros((size, size))
    for i, link in enumerate(model.chain.links):
        U[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = np.linalg.inv(np.linalg.cholesky(link.inertia)).T
    return C_r @ U, U


def minimum_norm(C_r: Numbers) -> Numbers:
    """The right pseudoinverse as printed; analytic in C_r."""
    turned: Numbers = np.swapaxes(C_r, -1, -2)
    return turned @ np.linalg.inv(C_r @ turned)


MODELS = {"arm": lambda: build(arm(2, "free-free", 4)), "tree": lambda: build(flexible_tree(5)[0])}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> ErlsModel:
    return MODELS[request.param]()


def test_rows_and_columns_are_counted_as_in_the_paper(model: ErlsModel) -> None:
    C = model.compatibility(model.neutral())
    links, n, d = len(model.bodies), model.chain.joints, model.chain.modes
    assert n == sum("mode" not in name for name in model.coordinates)
    assert C.shape == (6 * links - n, 6 * links + d)


def test_the_rigid_displacements_are_the_minimum_norm_solution(model: ErlsModel) -> None:
    """(11), by the pseudoinverse of mass-normalised modes as the paper writes it."""
    q, _ = model.random_state(2)
    C, whole = model.compatibility(q), model.whole(q)
    rigid, elastic = split(model)
    C_r, U = normalised(model, C[:, rigid])
    expected = -U @ minimum_norm(C_r) @ C[:, elastic] @ whole[elastic]
    assert np.abs(expected).max() > 1e-4
    assert relative(whole[rigid], expected) < 1e-12


def test_displacements_stay_compatible_with_both_rates(model: ErlsModel) -> None:
    """C q = 0 and its two time derivatives, for the states that `display_state` makes of (14) and (24)."""
    q, v = model.random_state(3)
    a = np.random.default_rng(4).normal(size=model.nv)
    columns = [i for i, name in enumerate(model.display.coordinates) if "(rigid)" not in name]
    x, s, w = (part[columns] for part in model.display_state(q, v, a))
    C = model.compatibility(q)
    # On a circle in the complex plane the coefficients of C(t) are sums: exact to rounding.
    t = 0.1 * np.exp(2j * np.pi * np.arange(32) / 32)
    along = model.compatibility(q + t[:, None] * v + 0.5 * t[:, None] ** 2 * a)
    first = np.mean(along / t[:, None, None], axis=0).real
    second = 2.0 * np.mean(along / t[:, None, None] ** 2, axis=0).real
    assert np.abs(C @ x).max() < 1e-12 * np.abs(x).max()
    assert np.abs(first @ x).max() > 1e-3 * np.abs(x).max()
    assert np.abs(first @ x + C @ s).max() < 1e-11 * np.abs(s).max()
    assert np.abs(second @ x + 2.0 * first @ s + C @ w).max() < 1e-10 * np.abs(w).max()


def test_speeds_and_accelerations_are_rates_of_the_displacements(model: ErlsModel) -> None:
    q, v = model.random_state(5)
    a = np.random.default_rng(6).normal(size=model.nv)
    _, s, w = model.display_state(q, v, a)
    assert relative(model.display_state(q + 1j * STEP * v, v)[0].imag / STEP, s) < 1e-13
    assert relative(model.display_state(q + 1j * STEP * v, v + 1j * STEP * a)[1].imag / STEP, w) < 1e-12


def test_the_printed_rates_are_those_of_a_single_joint_only() -> None:
    """G = -C_r^+ E of (14) is the derivative of (11) for one link, and no longer for a tree of them."""
    gaps = []
    for mech, joint in ((arm(1, "free-free", 4), "l0.angle"), (flexible_tree(5)[0], "c.angle")):
        model = build(mech)
        q, _ = model.random_state(2)
        turned = q + 1j * STEP * np.eye(model.nv)[model.coordinates.index(joint)]
        whole, rate = model.whole(q), model.whole(turned).imag / STEP
        rigid, _ = split(model)
        C_r, U = normalised(model, model.compatibility(q)[:, rigid])
        printed = -U @ minimum_norm(C_r) @ (model.compatibility(turned).imag / STEP @ whole)
        gaps.append(np.abs(rate[rigid] - printed).max() / np.abs(whole).max())
    assert gaps[0] < 1e-14
    assert gaps[1] > 1e-2
