"""The equations as the paper prints them: what their G and n are, and how far energy drifts with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.erls import ErlsModel, build
from support.mechanisms.rigid_links import arm, relative

ARM = arm(2, "craig-bampton", 0, gravity=(0.0, 0.0, 0.0))
STEP = 1e-30


def paper(model: ErlsModel, q: Any, v: Any) -> tuple[Any, Any, Any]:
    """D, G and n of (11), (14), (23) from the compatibility matrix and its derivatives, by pseudoinverses."""
    joints, widths = ~model.is_mode, [6 + link.modes for link in model.chain.links]
    first = np.concatenate([[0], np.cumsum(widths)])
    rigid = np.concatenate([np.arange(x, x + 6) for x in first[:-1]])
    elastic = np.setdiff1d(np.arange(first[-1]), rigid)
    # mass-normalised rigid modes: their coordinates have the norm that is minimized
    U = np.zeros((len(rigid), len(rigid)))
    for i, link in enumerate(model.chain.links):
        U[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = np.linalg.inv(np.linalg.cholesky(link.inertia)).T

    def solved(C: Any, right: Any) -> Any:
        return -U @ (np.linalg.pinv(C[:, rigid] @ U) @ right)

    def C_of(theta: Any) -> Any:
        x = np.zeros(model.nv, np.result_type(theta, float))
        x[joints] = theta
        return model.compatibility(x)

    theta, rate, n = q[joints], v[joints], int(joints.sum())
    C, whole = C_of(theta), model.whole(q)
    slopes = [C_of(theta + 1j * STEP * e).imag / STEP for e in np.eye(n)]
    D = solved(C, C[:, elastic])
    G = solved(C, np.stack([x @ whole for x in slopes], axis=1))
    moved = np.zeros(len(whole))
    moved[elastic] = v[~joints]
    moved[rigid] = D @ v[~joints] + G @ rate
    h = 1e-4
    second = (C_of(theta + h * rate) - 2 * C + C_of(theta - h * rate)) / h**2
    c = sum(x * s for x, s in zip(slopes, rate, strict=True)) @ moved
    return D, G, solved(C, second @ whole + 2 * c)


def test_g_and_n_are_those_of_the_print() -> None:
    printed, right = build(ARM, 4, printed=True), build(ARM, 4)
    q, v = printed.random_state(5)
    for found, expected, tolerance in zip(
        printed.rigid_modes(q, v), paper(printed, q, v), (1e-9, 1e-9, 1e-6), strict=True
    ):
        assert relative(found, expected) < tolerance
    assert relative(printed.rigid_modes(q).G, right.rigid_modes(q).G) > 1e-3
    assert relative(printed.rigid_modes(q).D, right.rigid_modes(q).D) < 1e-12


def drift(model: ErlsModel) -> float:
    """Share of the kinetic energy by which all of it drifts in a tenth of a second of free motion from a bent start."""
    q, v = model.random_state(1)[0], np.where(model.is_mode, 0.0, 4.0)
    run = supple.simulate(model, 0.1, q=q, v=v, rtol=1e-9, atol=1e-11, samples=51)
    energy = (run.kinetic_energy + run.potential_energy).values
    return float(np.abs(energy - energy[0]).max() / run.kinetic_energy.values.max())


def test_energy_drifts_with_the_printed_equations() -> None:
    kept, lost = drift(build(ARM, 2)), drift(build(ARM, 2, printed=True))
    assert kept < 1e-8
    assert 1e-4 < lost < 1e-2


def test_one_joint_on_the_ground_makes_no_difference() -> None:
    one = arm(1, "free-free", 3)
    printed, right = build(one, printed=True), build(one)
    q, v = right.random_state(1)
    tau = np.ones(right.nv)
    assert relative(printed.forward_dynamics(q, v, tau), right.forward_dynamics(q, v, tau)) < 1e-9


def test_the_option_is_saved_and_restored() -> None:
    model = build(ARM, 2, printed=True)
    settings = model.formulation_settings()
    assert settings["printed"] is True
    again = ErlsModel.restored(model.mechanism_model(), settings)
    assert again.chain.printed
    with pytest.raises(supple.FileFormatError, match="printed: expected true or false, got 1"):
        ErlsModel.restored(model.mechanism_model(), settings | {"printed": 1})
