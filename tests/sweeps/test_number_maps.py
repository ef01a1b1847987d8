"""Numbers of many runs from those of a few."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from supple.checks import Floats
from supple.sweeps.number_maps import NotSmooth, NumberMap

RNG = np.random.default_rng(5)
COLUMNS = {name: RNG.uniform(*span, 300) for name, span in {"m": (1, 3), "c": (-0.2, 0.4), "L": (0.8, 1.2)}.items()}
GROUPS = np.array([0, 0, 1, 1, 2])


def numbers(x: Mapping[str, float]) -> Floats:
    """A mass, an inertia, a stiffness 1e6 times larger, one beside it, and a constant."""
    return np.array([x["m"], 0.1 + x["m"] * x["c"] ** 2, 1e6 / x["L"] ** 3, 2.0 + x["c"], 7.0])


def test_polynomials_and_other_smooth_functions_to_rounding() -> None:
    made = NumberMap(numbers, COLUMNS, GROUPS, 100)
    found = made(np.arange(300))
    wanted = np.array([numbers({name: x[i] for name, x in COLUMNS.items()}) for i in range(300)])
    np.testing.assert_allclose(found, wanted, rtol=1e-11)  # as predictions are checked, times ten
    np.testing.assert_allclose(found[:, [0, 1, 3, 4]], wanted[:, [0, 1, 3, 4]], rtol=1e-14)
    assert made.runs < 60


def test_what_is_not_smooth_is_found_out() -> None:
    with pytest.raises(NotSmooth, match="'c'"):
        NumberMap(lambda x: np.array([abs(x["c"])]), COLUMNS, np.array([0]), 100)


def test_what_only_two_parameters_together_do_is_found_out() -> None:
    def hidden(x: Mapping[str, float]) -> Floats:
        return np.array([x["m"] + max(0.0, (x["m"] - 2.0) * (x["L"] - 1.0)) * (x["c"] > 0.3)])

    columns = {name: x.copy() for name, x in COLUMNS.items()}
    for x in columns.values():
        x[0] = x.min()
    with pytest.raises(NotSmooth, match=r"not those of interpolation|smoothly"):
        NumberMap(hidden, columns, np.array([0]), 400)


def test_too_many_runs_are_refused() -> None:
    with pytest.raises(NotSmooth, match="too many"):
        NumberMap(numbers, COLUMNS, GROUPS, 8)


def test_numbers_that_rounding_blurs_are_taken_as_well_as_they_are_known() -> None:
    def blurred(x: Mapping[str, float]) -> Floats:
        noise = np.sin(1e18 * x["L"]) * 1e-11
        return np.array([np.sqrt(x["L"]) * (1.0 + noise)])

    made = NumberMap(blurred, {"L": COLUMNS["L"]}, np.array([0]), 100)
    np.testing.assert_allclose(made(np.arange(300))[:, 0], np.sqrt(COLUMNS["L"]), rtol=1e-10)
