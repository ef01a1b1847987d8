"""Measured signals over time, from datasets, tables, arrays and files."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.checks import Floats
from supple.errors import FileFormatError, StateError
from supple.input_files import read_bytes
from supple.results.signals import Signal, find_signal, signals, times_of
from supple.simulation.recording import open_results

LARGEST = 2**30
"""Bytes of a CSV file."""
TIMES = ("time", "t")
"""Names that the column of times may have."""
MISSING = ("refuse", "skip")
"""What to do about samples that are not a number."""


@dataclass(frozen=True, eq=False)
class Measurements:
    """Signals that were measured at the same times.

    Attributes
    ----------
    t : (n,) array
        Increasing, s.
    signals : dict of str to (n,) array
        By the names of signals of results, or the ends of these.
    present : dict of str to (n,) array of bool
        Which samples there are.
    """

    t: Floats
    signals: dict[str, Floats]
    present: dict[str, NDArray[np.bool_]]

    @property
    def count(self) -> int:
        """Samples of all signals."""
        return sum(int(x.sum()) for x in self.present.values())


@checked
def read_measurements(data: Any, of: Sequence[str] = (), missing: str = "refuse") -> Measurements:
    """Measured signals, checked.

    Parameters
    ----------
    data : xarray.Dataset, pandas.DataFrame, mapping of name to array, or path
        A dataset has a variable "time"; a table or mapping a column "time" or "t", or times as its index. A path is
        that of a CSV file with a line of names, or of results (.nc). All other columns are signals.
    of : sequence of str
        Signals to take, by their names or the ends of these; all if there are none.
    missing : str
        "refuse" samples that are not a number, or "skip" them.
    """
    if missing not in MISSING:
        raise StateError(f"missing: expected 'refuse' or 'skip', got {missing!r}")
    where, t, columns = _read(data)
    known = {name: Signal(name, "", x) for name, x in columns.items()}
    try:
        chosen = {name: find_signal(known, name).values for name in of} or columns
    except StateError as error:
        raise StateError(f"{where}: {error}") from None
    if not chosen:
        raise StateError(f"{where}: expected signals beside the time, got none")
    times = _numbers(t, None, f"{where}: time")
    if len(times) < 2 or not np.isfinite(times).all() or not (np.diff(times) > 0).all():
        raise StateError(f"{where}: time: expected two or more increasing finite numbers, got {_shown(times)}")
    found = {name: _numbers(x, len(times), f"{where}: signal {name!r}") for name, x in chosen.items()}
    present = {name: np.isfinite(x) for name, x in found.items()}
    for name, x in found.items():
        bad = ~present[name] if missing == "refuse" else np.isinf(x)
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            hint = "; missing='skip' leaves out what is not a number" if np.isnan(x[i]) else ""
            raise StateError(
                f"{where}: signal {name!r}: expected finite numbers, got {x[i]} at t = {times[i]:.6g} s{hint}"
            )
        if not present[name].any():
            raise StateError(f"{where}: signal {name!r}: expected samples, got none that is a number")
    return Measurements(times, found, present)


def _read(data: Any) -> tuple[str, Any, dict[str, Any]]:
    """What the data are called, their times, and all other columns."""
    if isinstance(data, str | os.PathLike):
        path = Path(data)
        if path.suffix.lower() == ".nc":
            with open_results(path) as result:
                return str(path), times_of(result), {name: x.values for name, x in signals(result).items()}
        return str(path), *_timed(_csv_columns(path), str(path))
    if hasattr(data, "data_vars"):
        return "data", times_of(data), {name: x.values for name, x in signals(data).items()}
    if hasattr(data, "columns") and hasattr(data, "index"):
        columns = {str(name): np.asarray(data[name]) for name in data.columns}
        if not any(name in columns for name in TIMES) and data.index.name in TIMES:
            columns = {TIMES[0]: np.asarray(data.index), **columns}
        return "data", *_timed(columns, "data")
    if isinstance(data, Mapping):
        return "data", *_timed({str(name): x for name, x in data.items()}, "data")
    raise StateError(
        f"data: expected a dataset, a table, a mapping of name to array, or the path of a CSV file, "
        f"got {type(data).__name__}"
    )


def _timed(columns: dict[str, Any], where: str) -> tuple[Any, dict[str, Any]]:
    """The column of times, and the others."""
    known = [name for name in TIMES if name in columns]
    if not known:
        raise StateError(f"{where}: expected a column 'time' or 't', got {', '.join(map(repr, columns)) or 'none'}")
    return columns[known[0]], {name: x for name, x in columns.items() if name != known[0]}


def _csv_columns(path: Path) -> dict[str, list[float]]:
    """The columns of a CSV file by the names of its first line; an empty field is not a number."""
    try:
        file = io.StringIO(read_bytes(path, LARGEST).decode("utf-8-sig"), newline="")
        delimiter = max(",;\t", key=file.readline().count)
        file.seek(0)
        rows = [[cell.strip() for cell in row] for row in csv.reader(file, delimiter=delimiter) if any(row)]
    except FileFormatError as error:
        raise StateError(str(error)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise StateError(f"{path}: expected a CSV file, got another: {error}") from None
    names = rows[0] if rows else []
    if not names or len(set(names)) < len(names) or "" in names:
        raise StateError(f"{path}: expected a first line with names, each once, got {', '.join(map(repr, names))}")
    out: dict[str, list[float]] = {name: [] for name in names}
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise StateError(f"{path}: row {number}: expected {len(names)} fields, got {len(row)}")
        for name, cell in zip(names, row, strict=True):
            try:
                out[name].append(float(cell) if cell else np.nan)
            except ValueError:
                raise StateError(f"{path}: row {number}, {name!r}: expected a number, got {cell!r}") from None
    return out


def _numbers(values: Any, count: int | None, where: str) -> Floats:
    """One number a time."""
    expected = "one number a time" if count is None else f"{count} numbers, one a time"
    try:
        x = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise StateError(f"{where}: expected {expected}, got others") from None
    if x.ndim != 1 or (count is not None and len(x) != count):
        raise StateError(f"{where}: expected {expected}, got shape {x.shape}")
    return x


def _shown(t: Floats) -> str:
    falls = np.flatnonzero(~(np.diff(t) > 0))
    if len(falls):
        return f"{t[falls[0] + 1]:.6g} after {t[falls[0]]:.6g}"
    return f"{len(t)} of them"
