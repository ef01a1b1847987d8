"""Compiled derivatives of closed models: as linearization has them, from blocks and from one graph."""

from __future__ import annotations

import numpy as np
import pytest

from supple.errors import StateError
from supple.model.complex_steps import by_differences
from support.mechanisms.closed_mechanisms import slider_crank


@pytest.mark.parametrize("fold", [False, True])
def test_derivatives_of_closed_dynamics(fold: bool) -> None:
    model = slider_crank()
    assert model.loops is not None
    rng = np.random.default_rng(1)
    q = model.loops.assemble([0.7, -0.2, 1.2])
    v, tau = model.loops.consistent(q, rng.normal(size=model.nv)), rng.normal(size=model.nv)
    f = model.compile("forward_dynamics", derivatives=("tau", "q"), fold=fold)
    assert f.engine == ("folded" if fold else "blocks")
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
