"""What a run is to compute, kept with its results; and in what two plans differ."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import xarray as xr

from supple.errors import ResultsError
from supple.files.embedding import SETTINGS, TEXT, embedded, embedded_model
from supple.model.model import Model

SHOWN_LINES = 3
SHOWN_LETTERS = 80
"""How much of two differing texts a message shows."""


@dataclass(frozen=True)
class Plan:
    """What a run computes; only a run of the same plan can go on with what another left.

    Parameters
    ----------
    model : Model
    settings : dict of str to what JSON can hold
        All that the motion depends on besides the model. A setting that is not there is the same as None.
    """

    model: Model
    settings: Mapping[str, Any]

    def dataset(self) -> xr.Dataset:
        """The plan as variables of a netCDF file."""
        try:
            text = json.dumps(dict(self.settings))
        except (TypeError, ValueError) as error:
            raise ResultsError(f"settings: expected what JSON can hold: {error}") from None
        settings = xr.DataArray(np.array(text), attrs={"long_name": "settings of the run, JSON"})
        return xr.Dataset({**embedded(self.model), SETTINGS: settings})

    def differences(self, earlier: xr.Dataset) -> list[str]:
        """In what the plan of an earlier run, as a dataset, differs from this one, a line each."""
        now = self.dataset()
        found = _settings("", json.loads(earlier[SETTINGS].item()), json.loads(now[SETTINGS].item()))
        # Other bytes may say the same: only then is the earlier model built to compare.
        if not earlier.drop_vars(SETTINGS).equals(now.drop_vars(SETTINGS)) and embedded_model(earlier) != self.model:
            found += _lines(earlier[TEXT].item(), now[TEXT].item())
        return found


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
    for text in (was, now):
        end = start + SHOWN_LETTERS
        shown.append(f"{'...' if start else ''}{text[start:end]}{'...' if text[end:] else ''}")
    return f"was {shown[0] or 'nothing'}, is {shown[1] or 'nothing'}"
