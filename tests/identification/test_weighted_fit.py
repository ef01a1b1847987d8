"""Least squares with noise levels, on a damped oscillation whose values and derivatives are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.checks import Floats
from supple.identification.identifiability import information
from supple.identification.measurements import Measurements, read_measurements
from supple.identification.weighted_fit import Signals, Unknowns, weighted_fit

TRUE = np.array([40.0, 0.6, 1.3])
"""Stiffness, damping, start of a unit mass."""
T = np.linspace(0.0, 4.0, 161)


def oscillation(p: Floats) -> Signals:
    """Displacement and speed of x'' + c x' + k x = 0 from (s, 0), with derivatives by k, c and s by complex steps."""
    if p[0] <= 0.25 * p[1] ** 2:
        raise supple.SimulationError("no oscillation")

    def both(k: complex, c: complex, s: complex) -> np.ndarray:
        w = np.sqrt(k - c * c / 4)
        decay = s * np.exp(-c * T / 2)
        return np.array([decay * (np.cos(w * T) + c / (2 * w) * np.sin(w * T)), -decay * k / w * np.sin(w * T)])

    values = both(*p).real
    slopes = np.stack([both(*(p + 1e-30j * e)).imag / 1e-30 for e in np.eye(3)], axis=-1)
    return {"x": (values[0], slopes[0]), "v": (values[1], slopes[1])}


def unknowns(start: Floats, prior: Floats | None = None, **bounds: Floats) -> Unknowns:
    n = len(start)
    lower, upper = bounds.get("lower", np.full(n, -np.inf)), bounds.get("upper", np.full(n, np.inf))
    mean, deviation = (np.zeros(n), np.full(n, np.inf)) if prior is None else (TRUE, prior)
    return Unknowns(("k", "c", "s"), start, lower, upper, np.abs(start), mean, deviation)


def noisy(seed: int, x: float = 0.02, v: float = 0.3) -> Measurements:
    rng = np.random.default_rng(seed)
    found = oscillation(TRUE)
    return read_measurements(
        {"t": T, "x": found["x"][0] + x * rng.normal(size=len(T)), "v": found["v"][0] + v * rng.normal(size=len(T))}
    )


def test_data_without_noise_give_the_parameters_back() -> None:
    data = noisy(0, 0.0, 0.0)
    found = weighted_fit(oscillation, data, unknowns(np.array([30.0, 1.0, 1.0])), None)
    np.testing.assert_allclose(found.values, TRUE, rtol=1e-9)
    assert found.converged
    assert found.estimated


def test_deviations_are_those_of_many_fits() -> None:
    levels = {"x": np.full(len(T), 0.02), "v": np.full(len(T), 0.3)}
    given, estimated, chi = [], [], []
    for seed in range(60):
        found = weighted_fit(oscillation, noisy(seed), unknowns(np.array([38.0, 0.8, 1.2])), levels)
        given.append(found.values)
        chi.append(float(found.residuals @ found.residuals))
        estimated.append(weighted_fit(oscillation, noisy(seed), unknowns(np.array([38.0, 0.8, 1.2])), None))
    s = np.sqrt(np.diag(information(found.jacobian, TRUE, ("k", "c", "s")).covariance))
    # Of 60 fits the deviation is known to 1 / sqrt(2 * 60) = 9 %, the mean to 13 % of it: 4 times that is allowed.
    np.testing.assert_allclose(np.std(given, axis=0) / s, 1.0, atol=0.37)
    np.testing.assert_allclose((np.mean(given, axis=0) - TRUE) / s, 0.0, atol=0.52)
    freedom = 2 * len(T) - 3
    assert np.mean(chi) == pytest.approx(freedom, rel=4 * np.sqrt(2 / freedom / 60))
    # Estimated levels are those of the noise, and the fits nearly those with levels that are known.
    assert np.mean([f.levels["x"][0] for f in estimated]) == pytest.approx(0.02, rel=0.03)
    assert np.mean([f.levels["v"][0] for f in estimated]) == pytest.approx(0.3, rel=0.03)
    assert np.abs(np.array([f.values for f in estimated]) - given).max() < 1.0 * s.max()


def test_bounds_and_priors() -> None:
    levels = {"x": np.full(len(T), 0.02), "v": np.full(len(T), 0.3)}
    upper = np.array([39.0, np.inf, np.inf])
    held = weighted_fit(oscillation, noisy(1), unknowns(np.array([30.0, 1.0, 1.0]), upper=upper), levels)
    assert held.values[0] == pytest.approx(39.0, rel=1e-6)
    firm = weighted_fit(
        oscillation, noisy(1), unknowns(np.array([30.0, 1.0, 1.0]), np.array([1e-6, np.inf, 1.0])), levels
    )
    assert firm.values[0] == pytest.approx(40.0, abs=1e-5)
    assert len(firm.residuals) == 2 * len(T) + 2


def test_the_search_steps_back_from_motions_that_cannot_be_found() -> None:
    data = noisy(3)
    found = weighted_fit(oscillation, data, unknowns(np.array([5.0, 4.0, 1.0])), None)
    np.testing.assert_allclose(found.values, TRUE, rtol=0.05)
    with pytest.raises(supple.SimulationError, match="no oscillation"):
        weighted_fit(oscillation, data, unknowns(np.array([1.0, 4.0, 1.0])), None)
