"""What a run computes and how it was found, kept with its results; and in what two runs differ."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.description.limits import Limit
from supple.errors import ResultsError, StateError
from supple.files.embedding import SETTINGS, TEXT, embedded, embedded_model
from supple.formulations import settings_of
from supple.inputs.events import Event
from supple.inputs.requests import Outputs
from supple.inputs.user_functions import UNKNOWN, text
from supple.lazy import LazyModule
from supple.model.model import Model
from supple.simulation.simulator import Simulator

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")

SHOWN_LINES = 3
SHOWN_LETTERS = 80
"""How much of two differing texts a message shows."""


@dataclass(frozen=True)
class RunManifest:
    """What a run computes, and how; a run is resumed only with the manifest with which it began.

    Parameters
    ----------
    model : Model
        Of the mechanism, in floating frames; the formulation is among the settings.
    settings : dict of str to what JSON can hold
        All that the motion depends on besides the model. A setting that is not there is the same as None.
    """

    model: Model
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, simulator: Simulator, outputs: Outputs) -> RunManifest:
        """The manifest of a run of a simulator from its start to its horizon."""
        horizon, options = simulator.horizon, simulator.choice.options
        numbers = {x.name: getattr(options, x.name) for x in fields(options) if x.name != "solver"}
        q, v = simulator.start
        settings = {
            "duration": float(horizon.duration),
            "samples": int(horizon.samples),
            "integrator": simulator.method.name,
            **numbers,
            "loops": simulator.loops,
            "q": q.tolist(),
            "v": v.tolist(),
            "inputs": simulator.system.inputs.describe(),
            "events": [*map(_described, simulator.events), *map(_described, simulator.limits)],
            "outputs": repr(outputs),
        }
        return cls(simulator.model.mechanism_model(), settings | settings_of(simulator.model))

    def require_comparable(self) -> None:
        """Refuse a run whose laws cannot be compared with those with which it began."""
        laws = [f"{key}: {law}" for key, law in self.settings["inputs"].items()] + self.settings["events"]
        for law in laws:
            if UNKNOWN in law:
                raise StateError(
                    f"resume: {law}; expected a law that depends on numbers, texts, arrays and functions of these, so "
                    "that it is known to be the one that the run began with. overwrite=True starts over"
                )

    def dataset(self) -> xr.Dataset:
        """The manifest as variables of a netCDF file."""
        try:
            written = json.dumps(dict(self.settings))
        except (TypeError, ValueError) as error:
            raise ResultsError(f"settings: expected what JSON can hold: {error}") from None
        settings = xr.DataArray(np.array(written), attrs={"long_name": "settings of the run, JSON"})
        return xr.Dataset({**embedded(self.model), SETTINGS: settings})

    def differences(self, earlier: xr.Dataset) -> list[str]:
        """In what the manifest of an earlier run, as a dataset, differs from this one, a line each."""
        now = self.dataset()
        found = _settings("", json.loads(earlier[SETTINGS].item()), json.loads(now[SETTINGS].item()))
        # Other bytes may say the same: only then is the earlier model built to compare.
        if not earlier.drop_vars(SETTINGS).equals(now.drop_vars(SETTINGS)) and embedded_model(earlier) != self.model:
            found += _lines(earlier[TEXT].item(), now[TEXT].item())
        return found


def _described(x: Event | Limit) -> str:
    """An event or a limit as text; of a function its name and a digest of its code, the same in every process."""
    return f"{type(x).__name__}({', '.join(f'{f.name}={text(getattr(x, f.name))}' for f in fields(x))})"


def _settings(name: str, old: Any, new: Any) -> list[str]:
    """Differences of two values of JSON with their places, in a list the first only: `q[2]: was 1.0, is 2.0`."""
    if isinstance(old, dict) and isinstance(new, dict):
        inner = ((f"{name}.{key}".lstrip("."), old.get(key), new.get(key)) for key in {**old, **new})
        return [line for place in inner for line in _settings(*place)]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        entries = (_settings(f"{name}[{i}]", a, b) for i, (a, b) in enumerate(zip(old, new, strict=True)))
        return next((lines for lines in entries if lines), [])
    was, now = json.dumps(old), json.dumps(new)  # as texts, so that NaN is NaN
    return [f"{name}: {_changed(was, now)}"] if was != now else []


def _lines(old: str, new: str) -> list[str]:
    """The first lines in which two texts of a model differ, each with its number."""
    pairs = enumerate(zip_longest(old.splitlines(), new.splitlines(), fillvalue=""), start=1)
    found = [f"model: line {number}: {_changed(was, now)}" for number, (was, now) in pairs if was != now]
    return found[:SHOWN_LINES] or ["model: the text is the same, flexible bodies are not"]


def _changed(was: str, now: str) -> str:
    """Two texts from shortly before where they part."""
    same = next((i for i, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    start = max(0, same - SHOWN_LETTERS // 2)
    shown = []
    for line in (was, now):
        end = start + SHOWN_LETTERS
        shown.append(f"{'...' if start else ''}{line[start:end]}{'...' if line[end:] else ''}")
    return f"was {shown[0] or 'nothing'}, is {shown[1] or 'nothing'}"
