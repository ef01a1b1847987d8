"""Runs side by side: where they are compared, and how far they are apart."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from supple.errors import StateError
from supple.results import Runs
from supple.results.differences import common_instants


def run(t: np.ndarray, bump: float = 0.0, **more: np.ndarray) -> xr.Dataset:
    """A made-up run: `bump` is added at t = 0.5, and to a component that is next to nothing."""
    near = np.exp(-50 * (t - 0.5) ** 2)
    values = np.stack([np.sin(3 * t) + bump * near, 1e-12 * bump * t], axis=1)
    q = (("time", "coordinate"), values, {"units": "rad"})
    own = {key: ("time", x) for key, x in more.items()}
    return xr.Dataset({"q": q, **own}, {"time": t, "coordinate": ["arm.angle", "idle"]})


T = np.linspace(0, 1, 101)


def test_the_largest_difference_is_found_with_its_time() -> None:
    runs = Runs({"a": run(T), "b": run(T, 0.25), "c": run(T)})
    more, none = runs.differences["q.arm.angle"]
    assert more.largest == pytest.approx(0.25, rel=1e-12)
    assert more.at == 0.5
    assert more.words == "at most 0.25 rad, at t = 0.5 s; 20 % of the range"  # of sin(1.5) + 0.25
    assert (none.largest, none.share, none.words) == (0.0, 0.0, "no difference")
    assert runs.ordered() == ["q.arm.angle", "q.idle"]  # the second differs by its whole range, which is rounding
    assert runs.differences["q.idle"][0].share == pytest.approx(1.0)
    assert runs.interpolated == ()


def test_samples_at_the_same_times_are_compared_as_they_are() -> None:
    runs = Runs({"a": run(T), "b": run(np.linspace(0, 0.8, 161), 0.1)})  # every second sample of b is one of a
    found = runs.differences["q.arm.angle"][0]
    assert runs.interpolated == ()
    assert np.allclose(found.t, np.linspace(0, 0.8, 81), rtol=0, atol=1e-12)
    assert found.largest == pytest.approx(0.1, rel=1e-9)


def test_samples_at_other_times_are_interpolated_at_those_of_the_sparser_run() -> None:
    runs = Runs({"a": run(T), "b": run(np.linspace(0, 0.9, 271), 0.1)})
    assert runs.interpolated == ()
    other = np.linspace(0.003, 0.93, 47)
    for pair in ({"a": run(T), "b": run(other)}, {"a": run(other), "b": run(T)}):
        runs = Runs(pair)
        assert runs.interpolated == ("b",)
        found = runs.differences["q.arm.angle"][0]
        assert np.array_equal(found.t, other)
        assert 0 < found.largest < 1e-6  # the spline's error, about 0.01^4 81


def test_an_event_sampled_twice_does_not_stop_the_spline() -> None:
    twice = np.sort(np.append(T, 0.5))
    runs = Runs({"a": run(twice), "b": run(np.linspace(0.003, 0.93, 47))})
    assert runs.differences["q.arm.angle"][0].largest < 1e-6


def test_what_has_no_numbers_is_left_out_of_the_largest() -> None:
    gap = np.where(T > 0.705, np.nan, T)
    runs = Runs({"a": run(T, load=gap, lost=T * np.nan), "b": run(T, load=2 * gap, lost=T)})
    assert runs.differences["load"][0].largest == pytest.approx(0.7)
    assert runs.differences["lost"][0].words == "no numbers to compare"
    assert runs.ordered()[0] == "lost"


def test_only_signals_that_all_have_are_compared() -> None:
    runs = Runs({"a": run(T, load=T), "b": run(T, work=T)})
    assert list(runs.signals) == ["q.arm.angle", "q.idle"]
    assert runs.only == {"a": 1, "b": 1}
    with pytest.raises(StateError, match="run 'b': no signal 'load', which 'a' has"):
        Runs({"a": run(T, load=T), "b": run(T)}, ["arm.angle", "load"])
    with pytest.raises(StateError, match="runs a, b: expected signals in common, got none"):
        Runs({"a": run(T), "b": xr.Dataset({"work": ("time", T)}, {"time": T})})
    with pytest.raises(StateError, match=r"expected runs with a common span of time, got 0 to 1 s and 1\.5 to 2\.5 s"):
        Runs({"a": run(T), "b": run(T + 1.5)})


def test_the_times_that_two_runs_share() -> None:
    rounded = T * (1 + 1e-15)
    both = common_instants(T, rounded)
    assert both.first is not None
    assert both.second is not None
    assert len(both.t) == len(T)
    assert np.array_equal(both.first, both.second)


def test_variables_that_are_rounding_alone_come_last() -> None:
    """A momentum that stays zero, and a large energy that is constant, differ by rounding; the angle by 1e-9."""
    noise = np.random.default_rng(0).normal(size=(2, len(T)))
    a, b = (
        run(T, bump, momentum=1e-16 * x, energy=1e3 + 1e-13 * x) for bump, x in zip((0.0, 1e-9), noise, strict=True)
    )
    assert Runs({"a": a, "b": b}).ordered()[0] == "q.arm.angle"
