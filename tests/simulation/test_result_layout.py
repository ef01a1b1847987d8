"""Variables and attributes of results that are not what runs write are messages, not errors of Python later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import supple
from supple.simulation.result_layout import require_layout


def motion(**changes: Any) -> xr.Dataset:
    """A result of a run with other variables."""
    known = {
        "time": (("time",), np.arange(5.0)),
        "q": (("time", "coordinate"), np.zeros((5, 2))),
        "v": (("time", "speed"), np.zeros((5, 2))),
        "kinetic_energy": (("time",), np.zeros(5)),
        "momentum": (("time", "component"), np.zeros((5, 6))),
        "position": (("time", "frame", "axis"), np.zeros((5, 1, 3))),
        "event_time": (("event",), np.zeros(2)),
        "other": (("case",), np.array(["a", "b"])),
    }
    attrs = {"rtol": 1e-8, "steps": np.int64(3), "events": '[[0.1, "stop"]]', "validity": "[]", "atol": "relative"}
    return xr.Dataset(known | changes, attrs=attrs)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"q": (("time", "coordinate"), np.zeros((5, 2), complex))},
            r"q: expected real numbers \(time, coordinate\), got",
        ),
        ({"v": (("time", "wide"), np.zeros((5, 2)))}, r"v: expected .* got float64 \(time, wide\)"),
        ({"kinetic_energy": ((), 1.0)}, r"kinetic_energy: expected real numbers \(time\), got float64 \(\)"),
        ({"kinetic_energy": (("time",), np.full(5, "x"))}, r"kinetic_energy: expected real numbers \(time\), got <U1"),
        (
            {"momentum": (("time", "component"), np.zeros((5, 2)))},
            "momentum: expected 6 numbers along",
        ),
        ({"position": (("time", "frame"), np.zeros((5, 1)))}, r"position: expected real numbers \(time, frame, axis\)"),
        ({"event_time": (("event",), np.array([True]))}, r"event_time: expected real numbers \(event\), got bool"),
        ({"event_time": ((), 3.0)}, r"event_time: expected real numbers \(event\), got float64 \(\)"),
    ],
)
def test_variables(changes: dict[str, Any], message: str) -> None:
    require_layout(motion())
    with pytest.raises(supple.ResultsError, match=message):
        require_layout(motion(**changes))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rtol", "x", "attribute 'rtol': expected a number, got 'x'"),
        ("steps", np.zeros(2), "attribute 'steps': expected a number"),
        ("finished", "yes", "attribute 'finished': expected a number"),
        ("events", "[1]", "attribute 'events': expected pairs of time and name in JSON"),
        ("events", '[["a", 2]]', "attribute 'events': expected pairs of time and name in JSON"),
        ("events", "{}", "attribute 'events': expected pairs of time and name in JSON"),
        ("events", "[" * 100_000, "attribute 'events': expected pairs of time and name in JSON"),
        ("validity", "x", "attribute 'validity': expected sentences in JSON, got 'x'"),
        ("validity", 3, "attribute 'validity': expected sentences in JSON, got '3'"),
        ("independent", "[[0.0, 1]]", "attribute 'independent': expected pairs of time and names in JSON"),
    ],
)
def test_attributes(name: str, value: Any, message: str) -> None:
    with pytest.raises(supple.ResultsError, match=message):
        require_layout(motion().assign_attrs({name: value}))


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "m.nc"
    motion().to_netcdf(path, engine="h5netcdf")
    with supple.open_results(path) as found:
        np.testing.assert_array_equal(found["position"].values, np.zeros((5, 1, 3)))
    motion(kinetic_energy=(("case",), np.zeros(2))).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(supple.ResultsError, match=r"m\.nc: kinetic_energy: expected real numbers \(time\), got .*case"):
        supple.open_results(path)
