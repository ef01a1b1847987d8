"""Closed mechanisms against published motions."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from support.cases import thinned
from support.mechanisms.closed_mechanisms import ANDREWS_END, andrews, bricard, n_four_bar


def drift(motion: object) -> float:
    """Change of the energy, relative to the largest exchange between its two kinds."""
    kinetic, potential = motion.kinetic_energy.values, motion.potential_energy.values  # type: ignore[attr-defined]
    return float(np.ptp(kinetic + potential) / np.ptp(kinetic))


def test_squeezing_mechanism_at_thirty_milliseconds() -> None:
    model, start = andrews()
    motion = supple.simulate(model, 0.03, start, tau={"K1.angle": 0.033}, rtol=1e-10, atol=1e-12, samples=31)
    np.testing.assert_allclose(motion.q.values[-1], [ANDREWS_END[name] for name in model.bodies], atol=1e-6)
    assert abs(motion.constraint_error).max() < 1e-12


@pytest.mark.parametrize(
    ("n", "x", "y", "rtol"),
    [
        (2, 0.328458111536, 0.944518538180, 1e-9),
        pytest.param(40, 0.180512226684, 0.983572740583, 5e-10, marks=pytest.mark.exhaustive),
    ],
)
def test_row_of_four_bars_passes_singular_postures(n: int, x: float, y: float, rtol: float) -> None:
    """A02: when all rods lie level the mechanism could go on in more than one way; it swings on as it came.

    Of runs with other speeds and tolerances about one in a hundred stops at a level configuration, more in long rows:
    at 1e-9 the row of 40 is such a one.
    """
    model = n_four_bar(n)
    motion = supple.simulate(model, 10.0, v={"rod0.angle": -1.0}, rtol=rtol, atol=1e-12, samples=101)
    _, top = model.pose(motion.q.values[-1], "rod0/top")
    np.testing.assert_allclose(top[:2], (x, y), atol=1e-6)
    assert drift(motion) < 1e-8
    assert abs(motion.constraint_error).max() < 1e-10
    assert motion.q.values[:, 0].min() < -2.0, "else it has not passed the level configuration"


@pytest.mark.parametrize("rtol", [1e-8, 1e-10, 1e-11])
@pytest.mark.parametrize("n", thinned([1, 3, 5], [1]))
def test_singular_postures_are_passed_wherever_the_steps_fall(n: int, rtol: float) -> None:
    """Output times as dense as here come as near as a millisecond; steps keep away from what rounding magnifies."""
    motion = supple.simulate(n_four_bar(n), 3.0, v={"rod0.angle": -1.0}, rtol=rtol, atol=1e-12, samples=1001)
    assert drift(motion) < 100 * rtol
    assert motion.attrs["steps"] < 100
    assert motion.q.values[:, 0].min() < -5.0, "else it has not passed both level configurations"


def test_bricards_mechanism_has_a_condition_too_many() -> None:
    model = bricard()
    assert model.loops is not None
    assert model.loops.redundant(model.neutral()) == ["1 condition of 'hinge' repeating 'hinge'"]
    motion = supple.simulate(model, 10.0, rtol=1e-10, atol=1e-12, samples=101)
    assert drift(motion) < 1e-7
    assert abs(motion.constraint_error).max() < 1e-10
    assert np.ptp(motion.kinetic_energy.values) > 1.0
