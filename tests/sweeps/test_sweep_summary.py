"""The summary of a sweep: every table by name, failed cases counted and left out, what cannot be said left open."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import supple
from supple.sweeps import mean, quantile, saltelli_points, summary, wilks_bounds
from supple.sweeps.sweep_summary import significance
from support.runs.synthetic_sweeps import ISHIGAMI_TOTAL, ishigami, sweep_of

PATHS = ("body.arm.mass", "body.arm.com[0]", "joint.arm.damping")


def random_sweep(**options: object) -> xr.Dataset:
    points = np.random.default_rng(1).uniform(size=(200, 3))
    measured = {"peak": ishigami(points), "rise": points[:, 2] ** 3}
    return sweep_of(dict(zip(PATHS, points.T, strict=True)), measured, **options)  # type: ignore[arg-type]


def test_numbers_are_those_of_the_finished_cases() -> None:
    sweep = random_sweep(failed=(3, 17))
    found = summary(sweep)
    y = sweep["peak"].values[np.isfinite(sweep["peak"].values)]
    one = found.sel(measure="peak")
    assert (found.attrs["cases"], found.attrs["finished"], found.attrs["failed"]) == (200, 198, 2)
    assert int(one["count"]) == 198
    assert (float(one["mean"]), float(one["mean_low"])) == (mean(y).value, mean(y).low)
    assert float(one["quantile_high"].sel(probability=0.95)) == quantile(y, 0.95).high
    assert float(one["tolerance_upper"]) == wilks_bounds(y).upper
    assert float(one["tolerance_between_low"]) == wilks_bounds(y, sides=2).lower
    assert list(found["failed_case"].values) == [3, 17]
    assert str(found["failed_message"].values[0]) == "no convergence at t = 0.3 s"
    assert "Of 200 cases 2 failed" in found.attrs["notes"]
    assert str(one["unit"].item()) == "m"


def test_what_matters_is_found() -> None:
    found = summary(random_sweep())
    rank = found["rank_correlation"].sel(measure="rise")
    assert float(rank.sel(path=PATHS[2])) == pytest.approx(1.0)
    chance = found["p_value"].sel(measure="rise")
    assert float(chance.sel(path=PATHS[2])) < significance(found) < float(chance.sel(path=PATHS[0]))
    assert significance(found) == pytest.approx(0.05 / 6)
    assert float(found["first_order"].sel(measure="rise", factor=PATHS[2])) > 0.95
    assert np.isnan(found["total_order"].values).all()


def test_saltelli_has_total_indices_and_statistics_of_its_independent_cases() -> None:
    points = saltelli_points(512, 3, seed=1)
    sweep = sweep_of(dict(zip(PATHS, points.T, strict=True)), {"peak": ishigami(points)}, sampler="saltelli")
    found = summary(sweep).sel(measure="peak")
    np.testing.assert_allclose(found["total_order"].values, ISHIGAMI_TOTAL, atol=0.06)
    assert int(found["count"]) == 2 * 512
    assert "samples A and B" in found.attrs["notes"]


def test_paths_that_vary_together_are_one_factor() -> None:
    points = np.random.default_rng(1).uniform(size=(100, 1))
    varied = {"a": points[:, 0], "b": 2 * points[:, 0], "kind": np.array(["x", "y"])[(points[:, 0] > 0.5).astype(int)]}
    found = summary(sweep_of(varied, {"y": points[:, 0]}, together=[["a", "b"]]))
    assert list(found["factor"].values) == ["a and b", "kind"]
    assert list(found["path"].values) == ["a", "b"]  # names have no ranks, but they have an index
    assert float(found["first_order"].sel(factor="kind").item()) == pytest.approx(0.75, abs=0.05)


def test_a_grid_has_no_intervals() -> None:
    found = summary(random_sweep(sampler="grid")).sel(measure="peak")
    assert np.isfinite(found["mean"])
    for name in ("mean_low", "std_high", "tolerance_upper", "quantile_low", "p_value", "first_order_low"):
        assert np.isnan(found[name].values).all(), name
    assert "not drawn at random" in found.attrs["notes"]


def test_a_measure_without_numbers_is_named_and_hides_nothing() -> None:
    sweep = random_sweep()
    sweep["settle"] = ("case", np.full(200, np.nan))
    found = summary(sweep)
    assert int(found["count"].sel(measure="settle")) == 0
    assert "settle has no number in 200 finished cases" in found.attrs["notes"]
    assert int(found["count"].sel(measure="peak")) == 200


def test_nothing_finished_is_said_with_the_first_reason() -> None:
    with pytest.raises(supple.StateError, match=r"all 200 cases failed; case 0: no convergence at t = 0\.3 s"):
        summary(random_sweep(failed=range(200)))
    waiting = random_sweep(failed=range(150))
    waiting["status"][150:] = 0
    with pytest.raises(supple.StateError, match="150 cases failed, 50 were not run; case 0"):
        summary(waiting)
    waiting["status"][:] = 0
    with pytest.raises(supple.StateError, match="all 200 are still to be run"):
        summary(waiting)


def test_other_datasets_are_refused() -> None:
    with pytest.raises(supple.StateError, match=r"expected what supple\.sweep gives, got no variable 'case'"):
        summary(xr.Dataset())
    with pytest.raises(supple.StateError, match="at least one measure, got none"):
        summary(random_sweep().drop_vars(["peak", "rise"]))


def test_paths_and_measures_are_in_the_order_in_which_they_were_written_and_seeds_are_left_out() -> None:
    vary = {"noise": {"seed": True}, **{path: {} for path in reversed(PATHS)}}
    sweep = random_sweep(vary=vary, measures=["rise", "peak"])
    sweep = sweep.assign_coords(noise=("case", np.arange(200)))
    found = summary(sweep)
    assert tuple(found["path"].values) == PATHS[::-1] == tuple(found["factor"].values)
    assert list(found["measure"].values) == ["rise", "peak"]
