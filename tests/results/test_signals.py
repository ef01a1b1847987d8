"""Signals of results by name: all of them, their units, and the ends of their names."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import supple
from supple.errors import StateError
from supple.results.signals import find_signal, signals


def result() -> xr.Dataset:
    """Results as a run writes them, of made-up numbers."""
    t = np.linspace(0.0, 1.0, 5)
    x = xr.Dataset(
        {
            "work": ("time", t**2, {"units": "J"}),
            "q": (("time", "coordinate"), np.outer(t, [1, 2]), {"units": "see coordinate_unit"}),
            "v": (("time", "coordinate"), np.ones((5, 2)), {"units": "1"}),
            "position": (("time", "frame", "axis"), np.ones((5, 2, 3)) * np.arange(3), {"units": "m"}),
            "wrench": (("axis", "time", "component"), np.zeros((3, 5, 6)), {"units": "N m, N"}),
            "unnamed": (("time", "place"), np.zeros((5, 2))),
            "texts": ("time", list("abcde")),
            "number": ((), 3.0),
        },
        {
            "time": t,
            "coordinate": ["arm.angle", "lift"],
            "coordinate_unit": ("coordinate", ["rad", "m"]),
            "frame": ["boom/end", "hub"],
            "axis": list("xyz"),
            "component": ["angular x", "angular y", "angular z", "linear x", "linear y", "linear z"],
        },
    )
    return x


def test_every_number_over_time_has_a_name_and_a_unit() -> None:
    found = signals(result())
    assert len(found) == 1 + 2 + 2 + 6 + 18 + 2
    assert next(iter(found)) == "q.arm.angle"
    units = {name: x.unit for name, x in found.items()}
    assert (units["q.arm.angle"], units["q.lift"], units["v.lift"], units["work"]) == ("rad", "m", "", "J")
    assert (units["wrench.x.angular z"], units["wrench.x.linear x"]) == ("N m", "N")
    assert found["q.lift"].values.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert (found["position.hub.z"].values == 2.0).all()
    assert {"unnamed.0", "unnamed.1"} <= found.keys()


@pytest.mark.parametrize(
    ("name", "meant"),
    [("work", "work"), ("lift", "q.lift"), ("v.lift", "v.lift"), ("boom/end.z", "position.boom/end.z")],
)
def test_the_end_of_a_name_is_enough(name: str, meant: str) -> None:
    assert find_signal(signals(result()), name).name == meant


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("arm.angel", "no signal 'arm.angel'; did you mean 'arm.angle'?"),
        ("Position.Hub.z", "no signal 'Position.Hub.z'; did you mean 'position.hub.z'?"),
        ("torque", "no signal 'torque'; there are signals of q, position, v, wrench, work, unnamed"),
        ("x", "signal 'x': expected the name of one, got the end of 2: 'position.boom/end.x', 'position.hub.x'"),
    ],
)
def test_a_name_that_is_none_or_several(name: str, words: str) -> None:
    with pytest.raises(StateError) as caught:
        find_signal(signals(result()), name)
    assert str(caught.value) == words


def test_what_is_no_run_is_refused() -> None:
    with pytest.raises(StateError, match="results: expected a variable 'time', got none"):
        signals(xr.Dataset({"q": ("n", np.zeros(3))}))


def test_a_table_of_pandas_has_a_column_for_each() -> None:
    table = supple.to_pandas(result())
    assert table.shape == (5, 31)
    assert table.index.name == "time"
    assert table["q.lift"].loc[0.5] == 1.0
    few = supple.to_pandas(result(), ["lift", "work", "lift"])
    assert list(few.columns) == ["q.lift", "work"]
    assert few.attrs["units"] == {"time": "s", "q.lift": "m", "work": "J"}
