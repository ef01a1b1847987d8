"""Equilibrium of closed models, conditions that repeat others, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize

import supple
from supple.linear import EquilibriumError, equilibrium, linear_equations, modes, modes_report, state_space
from support.mechanisms.closed_mechanisms import bricard, n_four_bar
from support.mechanisms.sprung_slider_crank import START, curvature, effective, slider_crank, slope

Floats = NDArray[np.float64]
EXAMPLES = Path(__file__).parents[2] / "examples"


def test_hanging_chain_between_two_pegs() -> None:
    """Six links with stiff hinges: least potential energy on the closed manifold, found by another method."""
    mech = supple.Mechanism("chain")
    for i in range(6):
        hinge = supple.Revolute("y", stiffness=0.2 + 0.1 * i)
        mech.add_body(
            f"l{i}",
            supple.RigidBody(0.4, (0.1, 0, 0), (1e-4, 1e-3, 1e-3)),
            f"l{i - 1}" if i else "ground",
            hinge,
            at=(0.2, 0, 0) if i else None,
        )
    mech.add_frame("end", "l5", (0.2, 0, 0))
    mech.add_frame("peg", "ground", (0.8, 0, 0.1))
    mech.close_loop("pin", "ground/peg", "l5/end", supple.Spherical())
    model = mech.build()
    loops = model.loops
    assert loops is not None
    start = loops.assemble([0.6, -0.2, -0.2, -0.2, -0.2, -0.2])
    rest = equilibrium(model, start)

    def potential(q: Floats, /) -> float:
        return float(model.energy(q, np.zeros(6))[1])

    def force(q: Floats, /) -> Floats:
        return np.asarray(model.bias_forces(q, np.zeros(6)), dtype=np.float64)

    closed = optimize.NonlinearConstraint(lambda q: loops.errors(q)[0], 0.0, 0.0, jac=loops.jacobian)
    settings: Any = {"ftol": 1e-15, "maxiter": 500}
    best = optimize.minimize(potential, start, jac=force, constraints=closed, method="SLSQP", options=settings)
    assert best.success
    assert np.abs(rest.deflection).max() > 0.1
    assert rest.q == pytest.approx(best.x, abs=1e-6)
    assert np.abs(rest.residual).max() < 1e-10
    assert rest.stable
    assert len(rest.free) == 4
    assert "equilibrium after" in str(rest)


def test_drives_loads_and_what_is_held() -> None:
    model = slider_crank(stiffness=10.0)
    driven = equilibrium(model, START, tau={"crank.angle": 3.0})
    assert slope(driven.q[0], 10.0) == pytest.approx(3.0, abs=1e-9)
    pushed = equilibrium(model, START, external={"slider": [0, 0, 0, -8.0, 0, 0]})
    e = linear_equations(model, pushed.q, independent=["crank.angle"])
    assert slope(pushed.q[0], 10.0) == pytest.approx(-8.0 * e.carried.Z[2, 0], abs=1e-9)
    assert abs(pushed.q[0] - driven.q[0]) > 0.05
    assert linear_equations(model, {"crank.angle": 0.8}).state.q[0] == 0.8
    with pytest.raises(supple.StateError, match="that its constraints let move is left"):
        modes(model, START, fixed=["crank"])
    with pytest.raises(supple.StateError, match="that its constraints let move is left"):
        equilibrium(model, START, fixed=["slider.position"])


def test_a_posture_that_drives_hold() -> None:
    """The torque of a motor at the crank, and the stiffness that is left with it: slope and curvature by hand."""
    model, k = slider_crank(stiffness=10.0), 10.0
    assert model.loops is not None
    q = model.loops.assemble([0.5, -0.6, 1.2], fixed=["crank.angle"])
    found = modes(model, q)
    assert found.holding == pytest.approx([slope(0.5, k), 0, 0], rel=1e-10, abs=1e-10)
    assert abs(slope(0.5, k)) > 1.0
    square = curvature(0.5, k) / effective(0.5 + 0j, k)[1].real
    assert (found.eigenvalues**2).real == pytest.approx([-square], rel=1e-9)
    assert "not a free equilibrium" in str(found)
    assert (modes(model, q, tau=found.holding).eigenvalues ** 2).real == pytest.approx([-square], rel=1e-9)


@pytest.mark.filterwarnings("ignore:.*about a state that does not last:supple.PhysicsWarning")
def test_redundant_rows_change_nothing() -> None:
    one, two = slider_crank(1, 40.0, 0.3), slider_crank(3, 40.0, 0.3)
    rest = equilibrium(one, START)
    again = equilibrium(two, START)
    assert again.q == pytest.approx(rest.q, abs=1e-10)
    assert modes(two, rest.q).eigenvalues == pytest.approx(modes(one, rest.q).eigenvalues, rel=1e-9)
    assert not modes(one, rest.q).real
    moving = {"crank.angle": 3.0}
    first, second = (state_space(m, START, moving, tau={"crank.angle": 2.0}) for m in (one, two))
    assert first.states == second.states == ("x:crank.angle", "v:crank.angle")
    assert np.abs(first.A[1]).min() > 0.1
    assert pytest.approx(first.A, rel=1e-9) == second.A
    assert pytest.approx(first.B, rel=1e-9) == second.B


def test_an_overconstrained_mechanism_comes_to_rest() -> None:
    """Bricard's: five rods, one dof, six conditions for five. Least potential energy, found along its motion."""
    model = bricard()
    loops = model.loops
    assert loops is not None
    rest = equilibrium(model)
    assert rest.stable
    assert np.abs(rest.deflection).max() > 0.5
    found = modes(model, rest.q)
    assert len(found) == 1
    assert found.frequencies[0] > 0.1
    size = 1e-3 / found.frequencies[0]
    energy = [model.energy(found.configuration(0, s), np.zeros(5))[1] for s in (-size, 0.0, size)]
    assert (energy[0] + energy[2]) / 2 - energy[1] == pytest.approx(
        0.5 * (2 * np.pi * found.frequencies[0] * size) ** 2, rel=1e-3
    )


def test_no_equilibrium() -> None:
    mech = supple.Mechanism("lift")
    for name in ("car", "weight"):
        mech.add_body(name, supple.RigidBody(2.0 if name == "car" else 1.5), joint=supple.Prismatic("z"))
    mech.constrain("rope", supple.Gear("car.position", "weight.position", ratio=-1.0))
    with pytest.raises(EquilibriumError, match=r"4\.905 N is left on .*nothing holds"):
        equilibrium(mech.build())
    found = modes(mech.build())
    assert found.kinds == ("rigid",)
    assert "generalized forces, the largest 4.905 N" in str(found)


def test_loops_that_cannot_be_closed() -> None:
    model = slider_crank()
    for analysis in (equilibrium, modes, state_space, linear_equations):
        with pytest.raises(supple.AssemblyError, match="'pin0': position off by"):
            analysis(model, {"crank.angle": 0.8, "slider.position": 4.0})
    with pytest.raises(supple.AssemblyError, match="contradict it"):
        modes(model, START, {"crank.angle": 1.0, "slider.position": 2.0})


def test_a_singular_posture_is_refused() -> None:
    """A parallelogram laid flat could go on in two ways."""
    model = n_four_bar(1)
    with pytest.raises(supple.SingularError, match="allow 2 independent motions there and 1 next to it"):
        modes(model, [-np.pi / 2, np.pi / 2, -np.pi / 2])
    assert len(modes(model, [-np.pi / 2 + 0.1, np.pi / 2 - 0.1, -np.pi / 2 + 0.1])) == 1


def test_the_command() -> None:
    model = supple.files.read(EXAMPLES / "slider_crank.toml").model
    text = modes_report(model)
    assert text.splitlines()[0] == "slider crank: 1 modes"
    assert "on 'crank.angle'" in text
    settled = modes_report(model, static=True)
    assert "equilibrium after" in settled
    assert "generalized forces" not in settled
