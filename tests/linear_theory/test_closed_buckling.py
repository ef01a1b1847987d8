"""Change of the forces on a closed mechanism with its motion, as the buckling of its bodies takes it."""

from __future__ import annotations

import numpy as np
import pytest

from supple.linear_theory.closed_buckling import LoadedState, _force_changes
from support.mechanisms.sprung_slider_crank import START, slider_crank


@pytest.mark.parametrize("axes", ["frame", "ground", "crank", "rod", "slider"])
def test_a_load_turns_with_its_axes(axes: str) -> None:
    """Against differences of inverse dynamics, where the wrench is turned to the axes of its frame."""
    model = slider_crank(1)
    assert model.loops is not None
    q, still = model.loops.assemble(START), np.zeros(model.nv)
    wrench = np.array([0.3, -0.7, 1.1, 20.0, -35.0, 12.0])
    state = LoadedState(q, still, still, np.zeros(len(model.loops)), {("rod/end", axes): wrench})

    def forces(x: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        R = np.asarray(model.pose(x, "rod/end")[0])
        turn = R.T if axes == "ground" else np.eye(3) if axes == "frame" else R.T @ np.asarray(model.pose(x, axes)[0])
        applied = np.concatenate([turn @ wrench[:3], turn @ wrench[3:]])
        return np.asarray(model.inverse_dynamics(x, still, still, {"rod/end": applied}))

    h = 1e-6
    ahead, behind = ([forces(model.integrate(q, s * row, h)) for row in np.eye(model.nv)] for s in (1.0, -1.0))
    expected = (np.array(ahead) - np.array(behind)).T / (2.0 * h)
    np.testing.assert_allclose(_force_changes(model, state), expected, atol=1e-7)
