"""Chains of a link of solid elements, against an independent program (`data/README.md`) and against Exudyn."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.structures import FlexibleBody, Structure, from_matrices
from support.cases import thinned
from support.mechanisms.exudyn_chain import SAMPLE, ExudynChain

skfem = pytest.importorskip("skfem", reason="the link's matrices need scikit-fem")
DATA = Path(__file__).parent / "data"
LENGTH, WIDTH, HEIGHT, ELEMENTS = 0.5, 0.02, 0.01, (20, 2, 2)
E, NU, RHO = 7e10, 0.33, 2700.0


@cache
def link() -> Structure:
    """The link from matrices that are assembled here, by scikit-fem alone."""
    from skfem.helpers import dot
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    starts = (0.0, -WIDTH / 2, -HEIGHT / 2)
    ticks = [
        np.linspace(a, a + size, n + 1) for a, size, n in zip(starts, (LENGTH, WIDTH, HEIGHT), ELEMENTS, strict=True)
    ]
    element = skfem.ElementVector(skfem.ElementHex2())
    basis = skfem.Basis(skfem.MeshHex.init_tensor(*ticks), element, intorder=4)
    K = linear_elasticity(*lame_parameters(E, NU)).assemble(basis)
    M = skfem.BilinearForm(lambda u, v, w: RHO * dot(u, v)).assemble(basis)
    nodes = basis.doflocs[:, ::3].T
    left, right = np.flatnonzero(nodes[:, 0] < 1e-9), np.flatnonzero(nodes[:, 0] > LENGTH - 1e-9)
    assert (len(nodes), len(left), len(right)) == (1025, 25, 25)
    return from_matrices(nodes, M, K, {"start": left, "end": right})


@cache
def reduced() -> FlexibleBody:
    return link().reduce("craig-bampton", modes=8)


def chain(body: FlexibleBody, axes: str, gravity: float, fidelity: str = "full") -> supple.Model:
    """Links hinged about these axes, each to the end of the one before."""
    mech = supple.Mechanism("chain", gravity=(0.0, 0.0, -gravity))
    parent, at = "ground", None
    for k, axis in enumerate(axes, start=1):
        mech.add_body(f"link{k}", body, parent, supple.Revolute(axis), at=at, fidelity=fidelity)
        parent, at = f"link{k}", "end"
    return mech.build()


def motion(model: supple.Model, rates: Any, duration: float, step: float, sample: float) -> tuple[Any, Any, Any, Any]:
    """q, v, hinge angles and position of the last end face every `sample` seconds, from straight and undeformed."""
    v = np.zeros(model.nv)
    hinges = [model.speed_index(f"{body}.angle") for body in model.bodies]
    v[hinges] = rates
    force = np.zeros((round(duration / step), model.nv))
    q, v = (x[:: round(sample / step)] for x in model.compile("rollout")(model.neutral(), v, force, step))
    return q, v, q[:, hinges], model.pose(q, f"{model.bodies[-1]}/end")[1]


def largest(x: NDArray[np.float64]) -> float:
    return float(np.abs(x).max())


def test_frequencies_of_the_link() -> None:
    report = reduced().report
    assert report is not None
    np.testing.assert_allclose(report.frequencies[:3], [33.076, 66.035, 207.064], rtol=0, atol=6e-4)
    assert reduced().modes == 6 + 8
    assert reduced().mass == pytest.approx(0.27, rel=1e-12)


@pytest.mark.parametrize("links", thinned([1, 2], [1]))
def test_a_falling_chain_moves_as_the_independent_program_says(links: int) -> None:
    expected = np.genfromtxt(DATA / f"flexible_chain_{links}.csv", delimiter=",", names=True)[:51]
    model = chain(reduced(), "y" * links, gravity=9.81)
    q, v, angles, tip = motion(model, 0.0, duration=0.5, step=2e-5, sample=0.01)
    kinetic, potential = model.energy(q, v)
    # The two programs that made the figures agree to 3e-7 m, and 5e-6 m and 5e-5 rad were asked for. But the equations
    # are the same, so only the steps of Runge and Kutta's method are left: they make 1e-8 m, 6e-7 rad and 7e-9 J.
    assert largest(tip - np.stack([expected[f"tip_{axis}"] for axis in "xyz"], axis=1)) < 1e-7
    assert largest(angles - np.stack([expected[f"q{k + 1}"] for k in range(links)], axis=1)) < 2e-6
    assert largest(kinetic - expected["T"]) < 1e-7
    assert largest(potential - expected["V_el"] - expected["V_g"]) < 1e-7
    assert largest(kinetic + potential) < 1e-8
    # Not trivial: all links swing far, and the last one bends by hundreds of times the tolerance.
    assert np.ptp(angles, axis=0).min() > 1.0
    R, p = model.pose(q, model.bodies[-1])
    assert largest(np.einsum("tij,ti->tj", R, tip - p)[:, 2]) > 3e-5


SPINS = [("yy", (10.0, -25.0)), ("yz", (4.0, -9.0))]


@pytest.mark.parametrize(("axes", "rates"), thinned(SPINS, SPINS[1:], several=True))
def test_a_spinning_chain_moves_as_in_exudyn(axes: str, rates: tuple[float, float]) -> None:
    pytest.importorskip("exudyn", reason="Exudyn is not installed")
    expected = ExudynChain(link(), reduced(), axes, rates).run(steps=2500, step=2e-5)
    full, ruthless = (
        motion(chain(reduced(), axes, 0.0, fidelity), rates, duration=0.05, step=5e-6, sample=SAMPLE)[3]
        for fidelity in ("full", "ruthless")
    )
    # Exudyn's steps make 3e-7 m with parallel hinges and 7e-7 m with others, and less the shorter they are. Gentler
    # rates for the others: at 10 and -25 rad/s Exudyn's energy changes by 1.5e-6 of itself whatever the step.
    assert largest(full - expected) < 1e-6
    assert largest(ruthless - expected) > 1e-5
    assert largest(expected[-1] - expected[0]) > 0.1
