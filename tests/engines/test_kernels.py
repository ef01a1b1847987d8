"""Steps and sweeps of the recursions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from supple.engines.kernels import Step, step
from supple.engines.plain import plain
from support.generated.generators import random_tree


def half(x: float) -> float:
    """x / 2."""
    return 0.5 * x


def test_a_step_keeps_its_name_and_its_twin() -> None:
    found: Any = step(half)
    assert isinstance(found, Step)
    assert (found.__name__, found.__doc__, found.py_func) == ("half", "x / 2.", half)
    assert plain(found)(3.0) == 1.5
    assert not callable(found)


def test_one_model_serves_several_threads_at_once() -> None:
    model = random_tree(7, 15)
    rng = np.random.default_rng(0)
    states = [(*model.random_state(i), rng.normal(size=model.nv)) for i in range(200)]
    expected = [model.forward_dynamics(*state) for state in states]

    def work(i: int) -> Any:
        return model.forward_dynamics(*states[i]), model.mass_matrix(states[i][0])

    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for got, want in zip(pool.map(work, range(200)), expected, strict=True):
                assert np.array_equal(got[0], want)
