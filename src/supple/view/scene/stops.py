"""When joints touch their stops in a motion, from what a result has recorded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats
from supple.description.limits import Limit
from supple.model.model import Model

if TYPE_CHECKING:
    import xarray as xr

AT_STOP = 1e-6
"""Distance from a stop within which a joint rests on it, of the stop's place and 1 rad or m together."""
FLASH = 0.02
"""How long an impact is shown, of the whole motion."""


class Stop(NamedTuple):
    """One end of the way of a coordinate, and the times at which the joint hit it."""

    coordinate: str
    place: float
    hits: tuple[float, ...] = ()


def stops_of(limits: Sequence[Limit]) -> list[Stop]:
    """Both ends of limits."""
    return [Stop(x.coordinate, end) for x in limits for end in (x.lower, x.upper) if end is not None]


def recorded_stops(model: Model, result: xr.Dataset | None) -> list[Stop]:
    """The stops that joints met in a run; a stop is where its coordinate was farthest."""
    hits: dict[tuple[str, str], list[float]] = {}
    for time, label in json.loads(result.attrs.get("events", "[]")) if result is not None else []:
        name, _, side = str(label).rpartition(" ")
        if side in ("upper", "lower") and name in model.coordinates and name.rpartition(".")[0] in model.bodies:
            hits.setdefault((name, side), []).append(float(time))
    out = []
    for (name, side), times in hits.items():
        assert result is not None
        q = result["q"].sel(coordinate=name).values
        out.append(Stop(name, float(q.max() if side == "upper" else q.min()), tuple(times)))
    return out


def touching(model: Model, stops: Sequence[Stop], times: Floats, q: Floats) -> NDArray[np.uint8]:
    """Whether each stop holds its joint or has just been hit (frames, stops), 1 or 0."""
    out = np.zeros((len(times), len(stops)), dtype=np.uint8)
    flash = FLASH * float(times[-1] - times[0])
    for i, stop in enumerate(stops):
        away = np.abs(q[:, model.coordinate_index(stop.coordinate)] - stop.place)
        out[:, i] = away <= AT_STOP * (1.0 + abs(stop.place))
        for hit in stop.hits:
            out[(times >= hit) & (times <= hit + flash), i] = 1
    return out
