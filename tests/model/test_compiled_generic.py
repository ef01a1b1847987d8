"""A compiled function that fell back on the generic engine is called like any other."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.model import compiled, program_sizes
from supple.model.compiled import Compiled


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Compiled:
    """Of a chain that counts as too large for straight-line code."""
    monkeypatch.setattr(compiled, "LARGEST", 130)
    monkeypatch.setattr(program_sizes, "MOST_BODIES", 5)
    mech = supple.Mechanism("chain")
    body = supple.RigidBody(1.0, (0.1, 0.2, 0.3), (1, 1, 1))
    for i in range(6):
        mech.add_body(f"b{i}", body, f"b{i - 1}" if i else "ground", at=(0, 0, 1))
    with pytest.warns(supple.PerformanceWarning, match="<compiled forward_dynamics of 'chain'>: too large"):
        f = mech.build().compile("forward_dynamics", derivatives=("v",))
    assert isinstance(f, Compiled)
    assert f.engine == "generic"
    return f


def test_outputs_go_where_they_are_wanted(large: Compiled) -> None:
    q, v = large.model.random_state(1)
    out = [np.full((3, 6), np.nan), np.full((3, 6, 6), np.nan)]
    a, by_v = large(np.tile(q, (3, 1)), v, v, out=out)
    assert a is out[0]
    assert by_v is out[1]
    for got, expected in zip(out, large(q, v, v), strict=True):
        assert np.abs(expected).max() > 0.1
        np.testing.assert_allclose(got[2], expected, rtol=1e-13, atol=1e-13)


def test_wrong_arrays_are_refused(large: Compiled) -> None:
    q, v = large.model.random_state(1)
    with pytest.raises(supple.StateError, match=r"out: expected .* shapes \[\(6,\), \(6, 6\)\], got \[\(6,\)\]"):
        large(q, v, v, out=[np.zeros(6)])
    with pytest.raises(supple.StateError, match=r"v: expected real numbers of shape \(\.\.\., 6\)"):
        large(q, v[:5], v)
