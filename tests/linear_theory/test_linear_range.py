"""States that the loads of a run are judged in."""

from __future__ import annotations

import numpy as np

from supple.linear_theory.linear_range import _StateRows
from support.mechanisms.sprung_slider_crank import START, slider_crank


def test_the_mean_of_states_is_a_configuration() -> None:
    """Of a slider-crank at two angles of its crank: its loops are closed."""
    model = slider_crank(1)
    loops = model.loops
    assert loops is not None
    first = loops.assemble(START)
    second = loops.assemble([START[0] + 1.0, *START[1:]], fixed=["crank.angle"])
    mean = (first + second) / 2.0
    assert np.abs(loops.errors(mean)[0]).max() > 1e-3
    state = _StateRows().state(model, np.concatenate([mean, np.zeros(2 * model.nv + len(loops))]))
    assert state is not None
    assert np.abs(loops.errors(state.q)[0]).max() < 1e-9
    assert (np.abs(state.q - mean) < np.abs(second - first) / 2.0).all()
