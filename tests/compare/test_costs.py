"""What one evaluation of forward dynamics costs in either formulation."""

from __future__ import annotations

import numpy as np
import pytest

from supple.compare import costs
from supple.erls import build
from supple.expressions.graph import GraphTooLarge
from supple.model.compiled import LIMIT
from supple.model.model import Model
from support.mechanisms.rigid_links import arm


def test_both_formulations_compute_the_same_function_at_a_known_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "best_time", lambda call: 64e-6)
    for model in (arm(1).build(), build(arm(1))):
        operations, microseconds = costs.cost_of(model)
        function = model.forward_dynamics_function(LIMIT)
        assert operations == function.operations.total > 100
        assert microseconds == pytest.approx(1.0)
        q, v = model.random_state(0)
        tau = np.ones(model.nv)
        found = function.evaluate(q=q, v=v, tau=tau)["a"]
        np.testing.assert_allclose(found, model.forward_dynamics(q, v, tau), rtol=1e-9, atol=1e-9)


def test_what_would_be_too_long_has_no_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(model: object, limit: float) -> None:
        raise GraphTooLarge("too many nodes")

    monkeypatch.setattr(Model, "forward_dynamics_function", refuse)
    assert np.isnan(costs.cost_of(arm(1).build())).all()
    monkeypatch.undo()
    monkeypatch.setattr(costs, "LARGEST", 3)
    assert np.isnan(costs.cost_of(arm(1).build())).all()
