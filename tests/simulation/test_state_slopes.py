"""Jacobians of a run's functions: as differences say, and shared by models that differ in numbers alone."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.engines.blocks.library import Library
from supple.inputs.inputs import Inputs
from supple.simulation import driven_system as module
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.state_slopes import StateSlopes
from support.mechanisms.closed_mechanisms import slider_crank


def driven(model: supple.Model, gain: float = 3.0) -> tuple[DrivenSystem, np.ndarray]:
    """A closed system under laws, and a closed state."""
    assert model.loops is not None
    laws = Inputs(model, {"crank.angle": f"-{gain}*rate(crank.angle) + sin(2*t)*slider.position"}, {})
    q = model.loops.assemble([0.7, -0.2, 1.2])
    v = model.loops.consistent(q, np.ones(model.nv))
    system = DrivenSystem(model, laws, q, v)
    return system, np.concatenate([q, v, system.z_0])


def test_slopes_by_state_and_time_are_those_of_differences() -> None:
    system, y = driven(slider_crank())
    assert system.rate_kernel is not None
    by_t, by_y = StateSlopes(system.rate_kernel, ("t", "y"))(np.array([0.3]), y, system.u_0)
    h = 1e-6
    for i in range(len(y)):
        d = h * np.eye(len(y))[i]
        slope = (system.rate(0.3, y + d, system.u_0) - system.rate(0.3, y - d, system.u_0)) / (2 * h)
        np.testing.assert_allclose(by_y[:, i], slope, atol=1e-6 * np.abs(by_y).max())
    slope = (system.rate(0.3 + h, y, system.u_0) - system.rate(0.3 - h, y, system.u_0)) / (2 * h)
    np.testing.assert_allclose(by_t[:, 0], slope, atol=1e-6 * np.abs(slope).max())
    assert np.abs(slope).max() > 0.1


def test_other_numbers_need_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    system, y = driven(slider_crank())
    J = system.jacobian(0.3, y, system.u_0)

    def refuse(*_: object) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(Library, "_compile", refuse)
    other, y = driven(slider_crank().with_parameters({"rod.mass": 2.5}), 4.0)
    assert np.abs(other.jacobian(0.3, y, other.u_0) - J).max() > 0.1


def test_the_chain_of_slopes_agrees_along_motions_that_keep_the_loops_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What large systems take instead: the rates close the loops first, which such motions do not notice."""
    system, y = driven(slider_crank())
    exact = system.jacobian(0.3, y, system.u_0)
    monkeypatch.setattr(module, "WORTH_TANGENTS", 0)
    chained = driven(slider_crank())[0].jacobian(0.3, y, system.u_0)
    model, n = system.model, system.nq
    assert isinstance(model, supple.Model)
    carried = supple.linear.linear_equations(model, y[:n], y[n : 2 * n], np.zeros(n)).carried
    moves = np.zeros((len(y), 2))
    moves[:n, :1], moves[n : 2 * n, :1], moves[n : 2 * n, 1:] = carried.X, carried.Y, carried.Z
    np.testing.assert_allclose(chained @ moves, exact @ moves, atol=1e-9 * np.abs(exact @ moves).max())
    assert np.abs(exact @ moves).max() > 1.0
