"""Sparse derivatives of laws and rates against the full ones, and runs with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import supple
from supple.inputs.inputs import Inputs
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.sparse_slopes import RateSlopes


def pendulums(count: int, chained: bool = False) -> supple.Model:
    """Pendulums side by side on the ground, or each on the one before."""
    mech = supple.Mechanism("pendulums")
    for i in range(count):
        parent = f"b{i - 1}" if chained and i else "ground"
        body = supple.RigidBody(1.0 + 0.1 * i, (0, 0, -0.5), (0.1, 0.1, 0.01))
        mech.add_body(f"b{i}", body, parent, supple.Revolute("y", damping=0.1), at=(0, 0.2, -1.0))
    return mech.build()


def laws(count: int) -> dict[str, Any]:
    return {f"b{i}.angle": supple.PID("0.1*sin(t)", 20.0 + i, 2.0, 1.0) for i in range(0, count, 2)}


def system_of(model: supple.Model, tau: Any) -> tuple[DrivenSystem, np.ndarray]:
    q, v = model.random_state(1)
    system = DrivenSystem(model, Inputs(model, tau), q, v)
    return system, np.concatenate([q, v, system.z_0])


def differences(f: Any, y: np.ndarray, h: float = 1e-6) -> np.ndarray:
    return np.array([(f(y + h * e) - f(y - h * e)) / (2 * h) for e in np.eye(len(y))]).T


def test_slopes_of_laws_are_sparse_and_those_of_their_values() -> None:
    system, y = system_of(pendulums(6), laws(6))
    t, u = np.array([0.3]), system.u_0
    values, slopes = system.laws_slopes(t, y, u)
    np.testing.assert_array_equal(values, np.concatenate(system.laws(t, y, u)))
    # Each coordinate and speed is its own; each of three controllers has P, D, I, and the rate of its integral P.
    assert slopes.nnz == 12 + 3 * 3 + 3
    expected = differences(lambda x: system.laws_slopes(t, x, u)[0], y)
    np.testing.assert_allclose(slopes.toarray(), expected, rtol=0, atol=1e-6)  # rounding of 1e-15 * 20 / h


def test_rates_of_separate_parts_have_sparse_slopes() -> None:
    system, y = system_of(pendulums(26), laws(26))
    found = RateSlopes.of(system, 0.3, y, system.u_0)
    assert found is not None
    assert found.pattern.density < 0.1
    expected = system.jacobian(0.3, y, system.u_0)
    scale = np.abs(expected).max()
    assert scale > 1
    entries = found.entries(0.3, y, system.u_0)
    np.testing.assert_allclose(found.pattern.dense(entries), expected, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize(("count", "chained"), [(5, False), (26, True)], ids=["small", "coupled"])
def test_small_and_coupled_systems_keep_full_ones(count: int, chained: bool) -> None:
    system, y = system_of(pendulums(count, chained), {})
    assert RateSlopes.of(system, 0.0, y, system.u_0) is None


@pytest.mark.parametrize("integrator", ["Radau", "BDF"])
def test_implicit_runs_take_them(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = pendulums(26)
    given: list[Any] = []
    own = RateSlopes.entries

    def noted(self: RateSlopes, *arguments: Any) -> Any:
        given.append(self.pattern.matrix(own(self, *arguments)))
        return given[-1].data

    q = np.linspace(-1, 1, 26)
    expected = supple.simulate(model, 0.5, q=q, tau=laws(26), integrator="DOP853", rtol=1e-9)
    monkeypatch.setattr(RateSlopes, "entries", noted)
    found = supple.simulate(model, 0.5, q=q, tau=laws(26), integrator=integrator, rtol=1e-7)
    assert given
    assert all(sparse.issparse(J) for J in given)
    assert np.abs(expected.q.values[-1] - q).max() > 0.1
    np.testing.assert_allclose(found.q.values[-1], expected.q.values[-1], rtol=0, atol=1e-4)
