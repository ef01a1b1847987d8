"""Results as one table of pandas: a row a time, a column a signal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from supple.call_checks import checked
from supple.lazy import LazyModule
from supple.results.signals import TIME, find_signal, signals, times_of

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
else:
    pd = LazyModule("pandas")


@checked
def to_pandas(result: xr.Dataset, of: Sequence[str] | None = None) -> pd.DataFrame:
    """A table with time as its index and a column for every signal, "q.arm.angle", "position.boom/end.z", "work".

    `Dataset.to_dataframe` has a row for every combination of all labels instead, which no memory holds.

    Parameters
    ----------
    result : xarray.Dataset
        What `supple.simulate` or `supple.open_results` gave.
    of : sequence of str, optional
        Names of signals, or the ends of names; all if not given.

    Returns
    -------
    pandas.DataFrame
        Its attribute `attrs["units"]` has the unit of each column.
    """
    t, known = times_of(result), signals(result)
    names = (of,) if isinstance(of, str) else of
    chosen = list(known.values()) if names is None else [find_signal(known, name) for name in dict.fromkeys(names)]
    table = pd.DataFrame({x.name: x.values for x in chosen}, index=pd.Index(t, name=TIME))
    table.attrs["units"] = {TIME: "s"} | {x.name: x.unit for x in chosen}
    return table
