"""Means and quantiles against quadrature, their intervals by how often they cover, and the order of their errors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate
from scipy.stats import qmc

from supple.sweeps import mean, quantile, standard_deviation
from supple.sweeps.statistics import BLOCK, resampled

Floats = NDArray[np.float64]
LOW, HIGH, TIME = 30.0, 50.0, 2.0


def oscillator(u: Floats) -> Floats:
    """x(T) of x'' = -k x, x(0) = 1, x'(0) = 0, with k uniform between two values."""
    return np.cos(np.sqrt(LOW + (HIGH - LOW) * u) * TIME)


def moments() -> tuple[float, float]:
    """Mean and standard deviation of x(T) by quadrature."""

    def moment(n: int) -> float:
        return float(integrate.quad(lambda u: float(oscillator(np.array(u)) ** n), 0.0, 1.0, epsabs=1e-13)[0])

    return moment(1), float(np.sqrt(moment(2) - moment(1) ** 2))


def test_an_oscillator_of_random_stiffness_has_the_moments_of_quadrature() -> None:
    center, spread = moments()
    x = oscillator(np.random.default_rng(1).uniform(size=2000))
    for found, truth in ((mean(x), center), (standard_deviation(x), spread)):
        assert found.low < truth < found.high
        assert found.low < found.value < found.high
        assert found.high - found.low < 0.1 * spread  # 2,000 cases say something
    even = mean(oscillator(qmc.Sobol(1, seed=np.random.default_rng(1)).random(1024)[:, 0]))
    assert even.value == pytest.approx(center, abs=1e-4)


def test_errors_fall_with_the_root_of_random_cases_and_in_proportion_to_sobol_points() -> None:
    """Slopes of the root mean square error over 24 seeds; smooth functions do better than 1/N on scrambled points."""
    center, _ = moments()
    counts = 2 ** np.arange(5, 12)
    random, even = [], []
    for n in counts:
        draws = np.random.default_rng(n).uniform(size=(64, n))
        random.append(np.sqrt(np.mean((oscillator(draws).mean(axis=1) - center) ** 2)))
        points = [qmc.Sobol(1, seed=np.random.default_rng(seed)).random(n)[:, 0] for seed in range(24)]
        even.append(np.sqrt(np.mean((oscillator(np.array(points)).mean(axis=1) - center) ** 2)))
    slope = [float(np.polyfit(np.log(counts), np.log(errors), 1)[0]) for errors in (random, even)]
    assert slope[0] == pytest.approx(-0.5, abs=0.12)
    assert slope[1] < -1.0
    assert even[0] < random[0] / 3


@pytest.mark.parametrize(("probability", "count"), [(0.5, 40), (0.1, 100), (0.95, 200)])
def test_intervals_of_quantiles_cover_as_often_as_they_say(probability: float, count: int) -> None:
    """Never less than 95 %, for any distribution; the ranks are whole numbers, so mostly more."""
    rng = np.random.default_rng(2)
    truth = -np.log1p(-probability)
    hits = 0
    for _ in range(1000):
        found = quantile(rng.exponential(size=count), probability)
        hits += found.low <= truth <= found.high
    assert 0.95 - 3 * np.sqrt(0.95 * 0.05 / 1000) < hits / 1000 < 0.985


def test_intervals_of_means_and_deviations_cover() -> None:
    rng = np.random.default_rng(3)
    hits = np.zeros(2)
    for _ in range(300):
        x = rng.uniform(size=100)
        for i, (found, truth) in enumerate(((mean(x), 0.5), (standard_deviation(x), np.sqrt(1 / 12)))):
            hits[i] += found.low <= truth <= found.high
    assert hits[0] / 300 == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / 300))
    assert hits[1] / 300 > 0.90  # the bootstrap's percentiles are narrow by a little in 100 cases


def test_few_cases_have_no_interval() -> None:
    assert quantile(np.arange(5.0), 0.95).high == np.inf
    assert quantile(np.arange(5.0), 0.05).low == -np.inf
    assert quantile(np.arange(6.0), 0.5).low == 0.0  # P(no value below the median) = 1/64 < 2.5 %
    assert mean(np.ones(1)).high == np.inf
    assert np.isnan(standard_deviation(np.ones(1)).value)


def test_resamples_come_in_blocks_and_are_the_same_for_the_same_seed() -> None:
    count = BLOCK // 3
    shapes = [rows.shape for rows in resampled(count, 7)]
    assert shapes == [(3, count), (3, count), (1, count)]
    again = [np.concatenate(list(resampled(10, seed=seed))) for seed in (1, 1, 2)]
    assert (again[0] == again[1]).all()
    assert (again[0] != again[2]).any()
