"""Drive forces during a simulation: none, constant, by name, or a function of time and state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import StateError, nearest
from supple.model.model import Model

Vector = NDArray[np.float64]
Drive = Callable[[float, Vector, Vector], ArrayLike]


def drive_function(model: Model, tau: ArrayLike | Mapping[str, float] | Drive | None) -> Drive:
    """A function (t, q, v) -> (nv,) from whatever the user gave."""
    if callable(tau):
        return tau
    constant = np.zeros(model.nv) if tau is None else named_vector(model.speeds, tau, "tau")
    return lambda t, q, v: constant


def named_vector(names: tuple[str, ...], values: Any, what: str, start: Vector | None = None) -> Vector:
    """Numbers in the order of `names`, from an array or a mapping of some of the names.

    Parameters
    ----------
    start : (n,) array, optional
        What entries not named are; zero if not given.
    """
    out = np.zeros(len(names)) if start is None else start.copy()
    if isinstance(values, Mapping):
        for name, value in values.items():
            if name not in names:
                raise StateError(f"{what}: no entry {name!r}{nearest(name, names)}")
            out[names.index(name)] = value
    else:
        given = np.asarray(values, dtype=np.float64)
        if given.shape != out.shape:
            raise StateError(f"{what}: expected shape {out.shape}, got {given.shape}")
        out = given.copy()
    if not np.isfinite(out).all():
        bad = names[int(np.flatnonzero(~np.isfinite(out))[0])]
        raise StateError(f"{what}: expected finite numbers, got {out[names.index(bad)]} for {bad!r}")
    return out
