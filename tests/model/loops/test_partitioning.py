"""Which speeds are independent: the choice among the columns of J."""

from __future__ import annotations

import numpy as np
import pytest

from supple.model.loops.partitioning import condition, lost_beside, partition, solved
from support.mechanisms.closed_mechanisms import n_four_bar


def test_the_weight_of_a_speed_decides_which_follows() -> None:
    J, none = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]]), np.zeros(3, dtype=bool)
    for weight, chosen in (([1.0, 3.0, 1.0], [0, 2]), ([3.0, 1.0, 1.0], [1, 2])):
        own, Z = solved(J, np.ones(3), np.array(weight), none)
        assert own.tolist() == chosen
        assert np.abs(J @ Z).max() < 1e-15
    own, _ = solved(J, np.ones(3), np.ones(3), np.array([True, False, False]))
    assert own.tolist() == [0, 2]
    own, Z = solved(np.zeros((2, 3)), np.ones(3), np.ones(3), none)
    assert own.tolist() == [0, 1, 2]
    assert np.array_equal(Z, np.eye(3))


@pytest.mark.parametrize("count", [1, 5, 40])
def test_motions_of_a_singular_configuration_are_lost_beside_it(count: int) -> None:
    """A row of four-bars laid flat: each of them could go on in a second way."""
    model = n_four_bar(count)
    loops = model.loops
    assert loops is not None
    upright = loops.assemble()
    found = partition(loops, upright, model.none_prescribed)
    assert found.Z.shape[1] == 1
    assert not lost_beside(loops, upright, model.none_prescribed, found)
    flat = np.array([(0.5 if name.startswith("bar") else -0.5) * np.pi for name in model.coordinates])
    assert np.abs(loops.errors(flat)[0]).max() < 1e-12
    found = partition(loops, flat, model.none_prescribed)
    assert found.Z.shape[1] == count + 1
    assert lost_beside(loops, flat, model.none_prescribed, found) == count


def test_dependent_speeds_that_cannot_close_the_loops_are_of_no_use() -> None:
    model = n_four_bar(2)
    loops = model.loops
    assert loops is not None
    q = loops.assemble()
    free = model.none_prescribed
    moving = np.zeros(model.nv, dtype=bool)
    moving[partition(loops, q, free).moving] = True
    assert 1e-3 < condition(loops, q, free, moving) <= 1.0
    assert condition(loops, q, free, ~free) == pytest.approx(0.0, abs=1e-9)
