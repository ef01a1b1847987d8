"""Results as a dataset with names and units, made whole or piece by piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import xarray as xr
from numpy.typing import ArrayLike

from supple.formulations import Formulation
from supple.inputs.outputs import Outputs
from supple.simulation.outputs import variables
from supple.simulation.recordings import Mask, Sums


def as_dataset(
    model: Formulation,
    t: ArrayLike,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    outputs: Outputs | None = None,
    attributes: Mapping[str, Any] | None = None,
    *,
    sums: Sums | None = None,
    before: xr.Dataset | None = None,
    given: Mask | None = None,
) -> xr.Dataset:
    """A stretch of a motion, or all of it, with everything that was asked for.

    Parameters
    ----------
    t, q, v, a, tau, outputs, sums, given
        As for `supple.simulation.outputs.variables`.
    attributes : mapping, optional
        What is to be said about the whole, besides the model's name.
    before : xarray.Dataset, optional
        The stretch before this one; quaternions go on from its last ones without a jump of sign.
    """
    last = None
    if before is not None and "orientation" in before and before.sizes["time"] > 0:
        last = before["orientation"].values[-1]
    found = variables(model, t, q, v, a, tau, outputs, sums=sums, orientation=last, given=given)
    return xr.Dataset(found, attrs={"model": model.name, **(attributes or {})})


def joined(segments: Sequence[xr.Dataset]) -> xr.Dataset:
    """Stretches of one motion, in order, as one dataset; attributes are those of the first."""
    return xr.concat(
        segments, dim="time", data_vars="minimal", coords="minimal", compat="override", join="override",
        combine_attrs="override",
    )  # fmt: skip
