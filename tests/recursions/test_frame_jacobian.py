"""Jacobian of a frame: columns are velocities for unit speeds, those of its own body's modes too."""

from __future__ import annotations

import numpy as np
import pytest

from support.generated.generators_flexible import random_flexible_tree


@pytest.mark.parametrize("seed", [3, 4])
def test_columns_are_velocities_for_unit_speeds(seed: int) -> None:
    model, _ = random_flexible_tree(seed, 5)
    q = model.random_state(seed)[0]
    names = [name for name in model.frames if model.find_frame(name).node is not None]
    name = names[-1]
    J = model.jacobian(q, name)
    columns = model.velocity(q, np.eye(model.nv), name).T
    np.testing.assert_allclose(J, columns, atol=1e-12 * np.abs(columns).max())
    own = model.is_mode & np.array([x.split(".")[0] == name.split("/")[0] for x in model.speeds])
    assert np.abs(J[:, own]).max() > 1e-6
    assert not model.jacobian(q, "ground").any()
