"""Laws of small motions, on random trees with every joint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.linear import equilibrium, linear_equations, modes, state_space
from supple.linear.shares import body_energies
from support.cases import thinned
from support.generated.generators import random_tree
from support.generated.generators_flexible import Points, random_flexible_tree

Floats = NDArray[np.float64]


@pytest.mark.filterwarnings("ignore:.*about a state that does not last:supple.PhysicsWarning")
@pytest.mark.parametrize("seed", thinned([1, 2, 3], [1]))
def test_a_and_b_are_those_of_the_model(seed: int) -> None:
    """At any state, moving and accelerated."""
    model = random_tree(seed, 6) if seed % 2 else random_flexible_tree(seed, 5, 4, forces=True)[0]
    q, v = model.random_state(seed)
    tau = np.random.default_rng(seed).normal(size=model.nv)
    A, B = model.linearize(q, v, tau)
    system = state_space(model, q, v, tau, inputs=model.speeds, outputs=[])
    assert np.abs(A[: model.nv, : model.nv]).max() > 0.1 or seed % 2 == 0
    assert np.abs(system.A - A).max() < 1e-9 * np.abs(A).max()
    assert np.abs(system.B - B).max() < 1e-9 * np.abs(B).max()


@pytest.mark.filterwarnings("ignore:.*about a state that does not last:supple.PhysicsWarning")
@pytest.mark.parametrize("seed", [1, 2])
def test_outputs_are_derivatives(seed: int) -> None:
    """Of poses, velocities and accelerations, by central differences."""
    model = random_tree(seed, 6) if seed == 1 else random_flexible_tree(seed, 4, 4, fidelity="full", forces=True)[0]
    q, v = model.random_state(seed)
    frame, rng = model.frames[-1], np.random.default_rng(seed)
    tau = rng.normal(size=model.nv)
    names = [f"{frame}.{c}" for c in ("x", "y", "z", "wx", "vy", "vz", "ax", "az")]
    names += [f"q:{model.coordinates[-1]}", f"v:{model.speeds[0]}", f"a:{model.speeds[0]}"]
    inputs = [model.speeds[0], f"{frame}.mx", f"{frame}.fz"]
    system = state_space(model, q, v, tau, inputs, names)
    x, y, u = rng.normal(size=model.nv), rng.normal(size=model.nv), rng.normal(size=3)

    def outputs(h: float) -> Floats:
        q_, v_, force = q + h * model.tangent(q) @ x, v + h * y, tau.copy()
        force[0] += h * u[0]
        R = model.pose(q_, frame)[0]
        load = {frame: h * np.concatenate([R.T @ [u[1], 0, 0], R.T @ [0, 0, u[2]]])}
        a = model.forward_dynamics(q_, v_, force, external=load)
        V, acceleration = model.velocity(q_, v_, frame), model.acceleration(q_, v_, a, frame)
        p = model.pose(q_, frame)[1]
        return np.array([*p, V[0], V[4], V[5], acceleration[3], acceleration[5], q_[-1], v_[0], a[0]])

    h = 1e-5
    slope = (outputs(h) - outputs(-h)) / (2 * h)
    found = system.C @ np.concatenate([x, y]) + system.D @ u
    assert np.abs(found).min() > 0
    assert found == pytest.approx(slope, rel=1e-5, abs=1e-6 * np.abs(found).max())


@pytest.mark.filterwarnings("ignore:.*left the range of linear theory:supple.PhysicsWarning")
@pytest.mark.parametrize("seed", thinned([11, 15, 22], [22]))
def test_modes_of_a_conservative_tree(seed: int) -> None:
    """Orthogonal in M and K; potential energy grows by half the square of rate times amplitude."""
    model, _ = random_flexible_tree(seed, 6, 4, fidelity="full", forces=True, conservative=True)
    rest = equilibrium(model)
    found = modes(model, rest.q)
    assert found.real
    e = linear_equations(model, rest.q)
    squares = (found.eigenvalues**2).real
    scale = np.abs(squares).max()
    assert np.abs(found.shapes.T @ e.M @ found.shapes - np.eye(model.nv)).max() < 1e-9
    assert np.abs(found.shapes.T @ e.K @ found.shapes + np.diag(squares)).max() < 1e-9 * scale
    assert not found.unstable.any()
    for i in np.flatnonzero(~found.rigid)[:8]:
        size = 1e-3 / found.frequencies[i]
        energy = [model.energy(found.configuration(i, s), np.zeros(model.nv))[1] for s in (-size, 0.0, size)]
        growth = (energy[0] + energy[2]) / 2 - energy[1]
        assert growth == pytest.approx(-0.5 * squares[i] * size**2, rel=1e-3)


def energies_of_points(model: supple.Model, points: dict[str, Points], q: Floats, motion: Floats) -> Floats:
    """Twice the kinetic energy of each body, point by point."""
    h, out = 1e-30, []
    moved = q + 1j * h * (model.tangent(q) @ motion)
    R, p = model.poses(moved)
    for k, name in enumerate(model.bodies, start=1):
        own = points[name]
        first = 0 if model.flex is None else model.flex.q_mode[k]
        x = own.moved(moved[first : first + own.Psi.shape[2]])
        velocity = (p[k] + x @ R[k].T).imag / h
        joint = slice(model.tree.v_first[k], model.tree.v_mode[k])
        rotor = model.tree.joint_inertia[joint] @ motion[joint] ** 2
        out.append(own.mass @ np.sum(velocity**2, axis=1) + rotor)
    return np.array(out)


@pytest.mark.parametrize("seed", thinned([21, 22, 23], [23]))
def test_energy_shares_are_those_of_the_points(seed: int) -> None:
    model, points = random_flexible_tree(seed, 8, 5, fidelity="full", second_order=seed == 22)
    q, v = model.random_state(seed)
    expected = energies_of_points(model, points, q, v)
    assert expected.sum() == pytest.approx(v @ model.mass_matrix(q) @ v, rel=1e-10)
    shares = body_energies(model, q, v[:, None])[:, 0]
    assert shares == pytest.approx(expected / expected.sum(), abs=1e-12)
    both: Any = body_energies(model, q, (v * (1 + 2j))[:, None])[:, 0]
    assert both == pytest.approx(shares, abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*about a state that does not last:supple.PhysicsWarning")
def test_eigenvalues_of_damped_trees_are_those_of_a() -> None:
    """The structured solution has the spectrum of the plain state matrix."""
    for seed in (31, 32):
        model, _ = random_flexible_tree(seed, 5, 4, forces=True)
        q, v = model.random_state(seed)
        found = modes(model, q, v)
        s = np.linalg.eigvals(state_space(model, q, v, inputs=[], outputs=[]).A)
        s = s[(s.imag >= 0) & (np.abs(s) > 1e-3)]
        mine = found.eigenvalues[np.abs(found.eigenvalues) > 1e-3]
        assert len(mine) == len(s) > 5
        assert max(np.abs(mine - x).min() for x in s) < 1e-7 * np.abs(s).max()
        e = linear_equations(model, q, v)
        x = found.shapes[:, np.abs(found.eigenvalues) > 1e-3]
        y = x * mine - e.N @ x
        left = e.M @ (y * mine) + e.C @ y + e.K @ x
        assert np.abs(left).max() < 1e-8 * np.abs(e.K @ x).max()
