"""Columns of programs: quaternions of rotations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.simulation.program_columns import quaternion_of

TURNS = {
    "none": np.zeros(3),
    "half about x": np.array([np.pi, 0.0, 0.0]),
    "half about y": np.array([0.0, np.pi, 0.0]),
    "half about z": np.array([0.0, 0.0, np.pi]),
    "half about a diagonal": np.pi * np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0),
    "almost half": (np.pi - 1e-9) * np.array([0.6, 0.0, -0.8]),
    "small": np.array([1e-9, -2e-9, 1e-10]),
}


@pytest.mark.parametrize("turn", [*TURNS, *range(8)])
def test_quaternions_of_rotations(turn: str | int) -> None:
    """As SciPy has them, on the side w >= 0; at half a turn both signs are right."""
    rotation = Rotation.from_rotvec(TURNS[turn]) if isinstance(turn, str) else Rotation.random(random_state=turn)
    g = Graph()
    R = g.new_inputs("R", map(str, range(9)))
    function = Function("quaternion", g, {"R": R}, {"x": quaternion_of(g, R.reshape(3, 3))})
    found = function.evaluate(R=rotation.as_matrix())["x"]
    expected = rotation.as_quat(canonical=True)
    if abs(expected[3]) < 1e-15:
        expected = expected * np.sign(found @ expected)
    np.testing.assert_allclose(found, expected, atol=1e-15)
    assert found[3] >= -1e-16
