"""Expressions of a system with numbers in them."""

from __future__ import annotations

import numpy as np

from supple.symbolic.kane.folded_terms import ATTRACTION, FoldedTerms, evaluated
from support.mechanisms.kane_systems import crank_slider, sprung, tree


def test_batches_are_evaluated_as_states_one_by_one() -> None:
    s = tree()
    e = s.equations()
    terms = FoldedTerms(s, e, e.numbers(), {})
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 3, len(s.q))), rng.normal(size=(3, len(s.v)))
    found = evaluated(terms.function, q=q, v=v)
    assert found["M"].shape == (2, 3, len(s.v), len(s.v))
    one = terms.function.evaluate(q=q[1, 2], v=v[2])
    for key, x in found.items():
        np.testing.assert_allclose(x[1, 2], one[key], rtol=1e-13, atol=1e-13)


def test_laws_take_the_place_of_inputs_and_time_that_of_a_coordinate() -> None:
    s = sprung()
    e = s.equations()
    timed = FoldedTerms(s, e, e.numbers(), {"wall": "sin(t)"})
    assert timed.timed
    found = timed.function.evaluate(q=[0.3, 2.0], v=[0.4])
    np.testing.assert_allclose(found["rate"], [0.4, 1.0])
    np.testing.assert_allclose(found["f"], [-50.0 * (0.3 - np.sin(2.0)) - 0.3 * 0.4])
    assert not FoldedTerms(s, e, e.numbers(), {"wall": 1.0}).timed


def test_open_loops_close_at_a_known_rate() -> None:
    s = crank_slider()
    e = s.equations()
    terms = FoldedTerms(s, e, e.numbers(), {})
    q, still = np.array([0.5, 0.3]), np.zeros(1)
    at = terms.function.evaluate(q=q, v=still)
    assert abs(at["gap"][0]) > 0.1
    h = 1e-6
    after = terms.function.evaluate(q=q + h * at["rate"], v=still)["gap"]
    np.testing.assert_allclose((after - at["gap"]) / h, -ATTRACTION * at["gap"], rtol=1e-4)
