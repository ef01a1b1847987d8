"""Results written as files of other programs: CSV, MATLAB, Parquet."""

from __future__ import annotations

import csv
import importlib
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from supple.call_checks import checked
from supple.drafts import export_draft
from supple.errors import ResultsError, StateError, one_of
from supple.results.pandas_tables import to_pandas
from supple.results.signals import TIME

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

LONGEST_NAME = 63
"""Letters of a name in MATLAB."""


@checked
def write_export(
    result: xr.Dataset, path: str | os.PathLike[str], form: str | None = None, of: Sequence[str] | None = None
) -> Path:
    """Write the signals of a result to a file, a column each, and return its path.

    Parameters
    ----------
    result : xarray.Dataset
    path : path-like
    form : str, optional
        "csv", with names and units in the first line; "mat" for MATLAB, under names that it allows, the others in
        `names` and `units`; "parquet", which needs pyarrow. By default what the suffix of the path says.
    of : sequence of str, optional
        Names of signals, or the ends of names; all if not given.
    """
    target = Path(path)
    chosen = target.suffix.removeprefix(".").lower() if form is None else form
    if chosen not in FORMS:
        raise StateError(f"export: no format {chosen!r}{one_of(FORMS)}")
    with export_draft(target, f".{chosen}") as draft:
        FORMS[chosen](to_pandas(result, of), draft)
    return target


def matlab_names(names: Iterable[str]) -> list[str]:
    """The names with letters, digits and underscores alone, of at most 63 letters, no two of them equal.

    Examples
    --------
    >>> matlab_names(["q.arm.angle", "q.arm angle", "2nd"])
    ['q_arm_angle', 'q_arm_angle_2', 'x2nd']
    """
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        plain = plain if re.match(r"[A-Za-z]", plain) else f"x{plain}"
        made, number = plain[:LONGEST_NAME], 2
        while made in found:
            end = f"_{number}"
            made, number = plain[: LONGEST_NAME - len(end)] + end, number + 1
        found.append(made)
    return found


def _csv(table: pd.DataFrame, path: Path) -> None:
    units = table.attrs["units"]
    header = [f"{name} [{units[name]}]" if units[name] else name for name in (TIME, *table.columns)]
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(header)
        lines.writerows(zip(table.index.tolist(), *(table[name].tolist() for name in table.columns), strict=True))


def _mat(table: pd.DataFrame, path: Path) -> None:
    units = table.attrs["units"]
    names = [TIME, *table.columns]
    taken = ["names", "units"]  # what stands beside the signals
    own = matlab_names([*taken, *names])[len(taken) :]
    columns: dict[str, Any] = dict(zip(own, (table.index.to_numpy(), *table.to_numpy().T), strict=True))
    columns |= {
        "names": np.array([own, names], dtype=object).T,
        "units": np.array([units[name] for name in names], dtype=object)[:, None],
    }
    options: dict[str, Any] = {"long_field_names": True, "oned_as": "column", "do_compression": True}
    scipy.io.savemat(str(path), columns, appendmat=False, **options)


def _parquet(table: pd.DataFrame, path: Path) -> None:
    try:
        arrow, parquet = (importlib.import_module(name) for name in ("pyarrow", "pyarrow.parquet"))
    except ImportError:
        raise ResultsError("export: parquet needs pyarrow: pip install supple[parquet]") from None
    units = table.attrs["units"]
    fields = [
        arrow.field(name, arrow.float64(), nullable=False, metadata={"units": units[name]})
        for name in (TIME, *table.columns)
    ]
    values = [table.index.to_numpy(), *(table[name].to_numpy() for name in table.columns)]
    parquet.write_table(arrow.table(values, schema=arrow.schema(fields)), path)


FORMS: dict[str, Callable[[Any, Path], None]] = {"csv": _csv, "mat": _mat, "parquet": _parquet}
"""Formats by the suffix of their files."""
