"""The horizon of a run: output times, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple import Horizon


@pytest.mark.parametrize("samples", [2, 3, 7, 201])
def test_the_interval_is_that_of_the_output_times(samples: int) -> None:
    horizon = Horizon(0.7, samples)
    assert len(horizon.times()) == samples
    assert horizon.times()[1] == horizon.interval
    assert horizon.times()[-1] == 0.7
    assert 0 < horizon.close < np.spacing(1.0) * 1e5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1.0,), "duration: expected a positive number, got -1"),
        (("long",), "duration: expected a positive number, got 'long'"),
        ((float("inf"),), "duration: expected a positive number, got inf"),
        ((1.0, 1), "samples: expected at least 2, got 1"),
        ((1.0, 2.5), r"samples: expected at least 2, got 2\.5"),
    ],
)
def test_bad_horizons_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(supple.StateError, match=message):
        Horizon(*arguments)
