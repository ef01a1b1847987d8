"""Compiled derivatives of closed models: as linearization has them, of steps, and by parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from supple.errors import StateError
from supple.model.complex_steps import by_differences
from supple.model.parameters import parameter_values
from support.mechanisms.closed_mechanisms import slider_crank


def test_derivatives_of_closed_dynamics() -> None:
    model = slider_crank()
    assert model.loops is not None
    rng = np.random.default_rng(1)
    q = model.loops.assemble([0.7, -0.2, 1.2])
    v, tau = model.loops.consistent(q, rng.normal(size=model.nv)), rng.normal(size=model.nv)
    f = model.compile("forward_dynamics", derivatives=("tau", "q"))
    a, by_tau, by_q = f(q, v, tau)
    np.testing.assert_allclose(a, model.forward_dynamics(q, v, tau), rtol=1e-10)
    rough = by_differences(lambda x: model.forward_dynamics(q, v, x), tau, np.eye(model.nv))
    np.testing.assert_allclose(by_tau, rough, atol=1e-7 * np.abs(rough).max())
    rough = by_differences(lambda x: model.forward_dynamics(x, v, tau), q, model.tangent(q).T)
    np.testing.assert_allclose(by_q, rough, atol=1e-7 * np.abs(rough).max())
    assert np.abs(rough).max() > 1.0


def test_batches_and_arrays_of_the_caller() -> None:
    model = slider_crank()
    assert model.loops is not None
    q, V = model.loops.assemble([0.7, -0.2, 1.2]), np.random.default_rng(2).normal(size=(2, 3, model.nv))
    f = model.compile("forward_dynamics", derivatives=("v",))
    found = f(q, V, np.zeros(model.nv))
    assert [x.shape for x in found] == [(2, 3, 3), (2, 3, 3, 3)]
    out = [np.full_like(x, np.nan) for x in found]
    assert all(x is y for x, y in zip(f(q, V, np.zeros(model.nv), out=out), out, strict=True))
    for x, y in zip(found, out, strict=True):
        np.testing.assert_array_equal(x, y)
    with pytest.raises(StateError, match="expected"):
        f(q, V, np.zeros(model.nv), out=out[:1])


@pytest.mark.parametrize("what", ["forward_dynamics", "leapfrog"])
def test_parameters_and_steps_have_derivatives_too(what: str) -> None:
    model, names = slider_crank(), ["crank.mass", "gravity.z"]
    assert model.loops is not None
    rng = np.random.default_rng(1)
    q = model.loops.assemble([0.7, -0.2, 1.2])
    v, tau = model.loops.consistent(q, rng.normal(size=model.nv)), rng.normal(size=model.nv)
    values = np.array([parameter_values(model)[x] for x in names])
    given = {"q": q, "v": v, "tau": tau, "dt": np.array([0.01]), "parameters": values}
    f, plain = (model.compile(what, parameters=names, derivatives=x) for x in (("v", "q", "parameters"), ()))
    arguments = [given[name] for name in f.inputs]
    found = dict(zip(f.outputs, f(*arguments), strict=True))
    by_state = dict(zip(f.outputs, f(*(np.tile(x, (3, 1)) for x in arguments)), strict=True))
    for by in ("v", "q", "parameters"):
        directions = model.tangent(q).T if by == "q" else np.eye(len(given[by]))

        def moved(x: Any, by: str = by) -> Any:
            outputs = plain(*((given | {by: x})[name] for name in f.inputs))
            return np.concatenate(outputs if isinstance(outputs, tuple) else (outputs,), axis=-1)

        rough = by_differences(moved, given[by], directions)
        exact = np.concatenate([found[name] for name in f.outputs if name.endswith(f"_d{by}")])
        assert np.abs(rough).max() > 1e-3
        np.testing.assert_allclose(exact, rough, atol=1e-6 * np.abs(rough).max())
    for name, x in found.items():
        np.testing.assert_allclose(by_state[name], np.stack([x] * 3), rtol=1e-10, atol=1e-10 * np.abs(x).max())
