"""The store of a sweep: a directory of zarr arrays over the cases, made whole at the start and filled block by block.

Chunks hold the cases of one task. Zarr writes each chunk under another name and then gives it its own, and `status` is
written after everything else of a block: what counts as finished is finished, whenever the process is killed.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats, Ints
from supple.errors import ResultsError
from supple.input_files import open_regular
from supple.lazy import LazyModule
from supple.sweeps.case_blocks import FAILED, NOT_RUN, Block, Trajectory
from supple.sweeps.plan import SweepPlan
from supple.sweeps.sweep_dataset import (
    CASE,
    MESSAGE_ATTRS,
    STATUS_ATTRS,
    TIME_ATTRS,
    coordinate,
    measure_attributes,
    plan_attributes,
)
from supple.sweeps.zarr_groups import open_group, quiet, stored_name, texts, zarr

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")

SUFFIX = ".sweep.zarr"
LOCK = ".lock"
PARTIAL = "*.partial"
"""Chunks that were not written to their end."""
CHUNKS = 64
LEAST_IN_CHUNK, MOST_IN_CHUNK = 16, 256
CHUNK_BYTES = 16 * 2**20
"""About as many chunks as this, of no fewer and no more cases. With trajectories a chunk is a task: of few cases where
there are few, so that all processes have some, and of no more bytes."""
TEMPLATE = "complete"
"""Attribute of a store whose template is whole."""


def chunk_cases(count: int, case_bytes: int = 0) -> int:
    """Cases in a chunk of a sweep, by their number and the bytes of the largest trajectory of each.

    Examples
    --------
    >>> chunk_cases(24), chunk_cases(2_000), chunk_cases(1_000_000)
    (16, 32, 256)
    >>> chunk_cases(24, 2**12), chunk_cases(10_000, 2**20)
    (1, 16)
    """
    wanted = min(MOST_IN_CHUNK, -(-count // CHUNKS))
    return max(1, min(wanted, CHUNK_BYTES // case_bytes)) if case_bytes else max(LEAST_IN_CHUNK, wanted)


class SweepStore:
    """The store of a plan, for one process that writes.

    Parameters
    ----------
    path : Path
    plan : SweepPlan
    """

    def __init__(self, path: Path, plan: SweepPlan) -> None:
        self.path, self.plan = path, plan
        self._group: Any = None
        self._lock: Any = None
        self._units: dict[str, str] = {}

    @property
    def exists(self) -> bool:
        """Whether there is a store whose template is whole."""
        return (self.path / "zarr.json").is_file() and bool(open_group(self.path, "r").attrs.get(TEMPLATE))

    # ------------------------------------------------------------ beginning

    @property
    def begun(self) -> bool:
        """Whether the store is open for writing."""
        return self._group is not None

    def require_new(self, overwrite: bool) -> None:
        """Refuse a place where another sweep is, unless it is to be overwritten, or where something else is."""
        zarr()
        if os.path.exists(self.path) and not os.path.isdir(self.path):
            raise ResultsError(f"{self.path}: expected the directory of a sweep, got a file")
        if not os.path.isdir(self.path) or not [x for x in self.path.iterdir() if x.name != LOCK]:
            return
        found = self.path / "zarr.json"
        if not found.is_file() or "sweep" not in json.loads(found.read_text()).get("attributes", {"sweep": ""}):
            raise ResultsError(f"{self.path}: expected no directory, or that of a sweep, got another")
        if not overwrite and self.exists:
            raise ResultsError(f"{self.path}: holds a sweep; resume=True continues it, overwrite=True discards it")

    def create(self, layout: Mapping[str, Trajectory], times: Floats | None, overwrite: bool) -> None:
        """Make the whole template: every array, with its coordinates and attributes."""
        self.require_new(overwrite)
        with self._writing():
            if self.path.is_dir():
                shutil.rmtree(self.path)
            self.path.mkdir(parents=True, exist_ok=True)
            self._acquire()
            with quiet():
                self._template(layout, times)

    def _template(self, layout: Mapping[str, Trajectory], times: Floats | None) -> None:
        n = self.plan.count
        block = chunk_cases(n, max((x.values.nbytes for x in layout.values()), default=0))
        group = self._group = open_group(self.path, "a")  # "w" would remove the lock
        group.attrs.update(plan_attributes(self.plan))
        self._array(CASE, (CASE,), np.arange(n), {}, n)
        for path, values in self.plan.values.items():
            self._array(path, (CASE,), coordinate(values), {}, n)
        self._empty("status", (n,), (block,), "int8", NOT_RUN, (CASE,), STATUS_ATTRS)
        self._empty("message", (n,), (block,), str, "", (CASE,), MESSAGE_ATTRS)
        self._empty("wall_time", (n,), (block,), "float64", np.nan, (CASE,), TIME_ATTRS)
        for name, attrs in measure_attributes(self.plan, {}).items():
            self._empty(name, (n,), (block,), "float64", np.nan, (CASE,), attrs)
        labels: dict[str, list[str]] = {}
        for name, x in layout.items():
            shape = (n, *x.values.shape)
            self._empty(name, shape, (block, *shape[1:]), "float64", np.nan, (CASE, *x.dims), x.attrs)
            labels |= x.labels
        for dim, names in labels.items():
            self._array(dim, (dim,), np.array(names, dtype=object), {}, len(names))
        if times is not None:
            self._array("time", ("time",), times, {"units": "s"}, len(times))
        coordinates = [CASE, *self.plan.values, *labels, *(["time"] if times is not None else [])]
        group.attrs.update({"coordinates": " ".join(map(stored_name, coordinates)), "block": block, TEMPLATE: True})

    def _array(self, name: str, dims: tuple[str, ...], values: Any, attrs: Mapping[str, Any], chunk: int) -> None:
        written = values.dtype == object
        kind = str if written else values.dtype
        self._empty(name, values.shape, (max(1, chunk),), kind, "" if written else 0, dims, attrs)
        self._group[stored_name(name)][:] = texts(values.tolist()) if written else values

    def _empty(
        self,
        name: str,
        shape: tuple[int, ...],
        chunks: tuple[int, ...],
        kind: Any,
        fill: Any,
        dims: tuple[str, ...],
        attrs: Mapping[str, Any],
    ) -> None:
        attrs = {**attrs, **({"name": name} if stored_name(name) != name else {})}
        self._group.create_array(
            stored_name(name),
            shape=shape,
            chunks=chunks,
            dtype=kind,
            fill_value=fill,
            dimension_names=dims,
            attributes=dict(attrs),
        )

    # ------------------------------------------------------------ going on

    def resume(self, retry: bool) -> Ints:
        """Open the store of the same sweep, and give the cases that are still to do."""
        require_store(self.path)
        if not self.exists:
            raise ResultsError(f"{self.path}: holds no sweep that was begun; overwrite=True starts over")
        self._require_same()
        with self._writing():
            self._acquire()
            for partial in self.path.rglob(PARTIAL):
                partial.unlink(missing_ok=True)
        self._group = open_group(self.path, "r+")
        status = np.asarray(self._group["status"][:])
        return np.flatnonzero((status == NOT_RUN) | (retry & (status == FAILED)))

    def _require_same(self) -> None:
        """Refuse the store of another sweep, and say in what it differs."""
        attrs = open_group(self.path, "r").attrs
        if attrs.get("hash") == self.plan.hash:
            return
        before, now = json.loads(attrs.get("sweep", "{}")), dict(self.plan.described)
        differ = [key for key in now if before.get(key) != now[key]]
        said = [f"{key}: {_short(before.get(key))} there, {_short(now[key])} here" for key in differ]
        if attrs.get("model_file") != self.plan.runner.source.text:
            said.insert(
                0, f"the model file: {_first_difference(str(attrs.get('model_file')), self.plan.runner.source.text)}"
            )
        what = "; ".join(said) or "other settings, or other values of the cases"
        raise ResultsError(
            f"{self.path}: is the store of another sweep, which differs in {what}; overwrite=True discards it"
        )

    @property
    def block(self) -> int:
        """Cases in a chunk."""
        return int(self._group.attrs["block"])

    # ------------------------------------------------------------ blocks

    def write(self, block: Block) -> None:
        """Keep a block; its trajectories are written by whoever ran it."""
        with self._writing(), quiet():
            group = self._group
            self._note(block.units)
            columns: dict[str, Any] = {"wall_time": block.wall_time, **block.measures, "message": texts(block.message)}
            for name, values in [*columns.items(), ("status", block.status)]:
                _put(group[name], block.cases, values, self.block)

    def _note(self, units: Mapping[str, str]) -> None:
        """Units of measures, which are known when the first case is."""
        for name, unit in units.items():
            if self._units.get(name) != unit:
                self._units[name] = unit
                if self._group[name].attrs.get("units") != unit:
                    self._group[name].attrs["units"] = unit

    def dataset(self) -> xr.Dataset:
        """What the store holds, read when it is asked for."""
        return open_store(self.path)

    # ------------------------------------------------------------ the disk

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Say in one line what the disk refuses; what is there stays."""
        try:
            yield
        except OSError as error:
            raise ResultsError(
                f"{self.path}: cannot be written: {error.strerror or error}; finished cases are kept, "
                "resume=True continues the sweep"
            ) from None

    def _acquire(self) -> None:
        """Keep others from writing to the store for as long as this process lives."""
        try:
            fcntl = importlib.import_module("fcntl")
        except ImportError:  # not on Windows
            return
        self._lock = open_regular(self.path / LOCK, "ab")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise ResultsError(f"{self.path}: another process is writing to it") from None

    def close(self) -> None:
        """Let others write to the store."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _put(array: Any, cases: Ints, values: Any, block: int) -> None:
    """Write values of some cases, each chunk once."""
    chunk = cases // block
    for k in np.unique(chunk).tolist():
        first, last = k * block, min((k + 1) * block, array.shape[0])
        own = chunk == k
        if np.count_nonzero(own) == last - first:
            found = np.empty_like(values[own])
        else:
            found = np.array(array[first:last])
        found[cases[own] - first] = values[own]
        array[first:last] = found


def require_store(path: Path) -> None:
    """Raise a `ResultsError` if this is no store."""
    if not os.path.isfile(path / "zarr.json"):
        raise ResultsError(f"{path}: no sweep there: expected a directory that supple sweep wrote")


def open_store(path: Path) -> xr.Dataset:
    """The dataset of a store, variables read when they are asked for."""
    require_store(path)
    with quiet():
        try:
            found = xr.open_zarr(str(path), consolidated=False, chunks=None, mask_and_scale=False)
        except (ValueError, KeyError, OSError) as error:
            raise ResultsError(f"{path}: cannot be read: {error}") from None
    if "hash" not in found.attrs or "status" not in found:
        raise ResultsError(f"{path}: expected the results of a sweep, got another zarr group")
    named = {str(key): str(x.attrs["name"]) for key, x in found.variables.items() if "name" in x.attrs}
    found = found.rename(named) if named else found
    plan = json.loads(found.attrs["sweep"])
    found = found.set_coords(list(plan["vary"]))
    for name, x in found.variables.items():
        if x.dtype.kind not in "fiub":
            found[name] = x.astype(object)
    for key in ("block", TEMPLATE):
        found.attrs.pop(key, None)
    order = ["status", "message", "wall_time", *plan["measures"]]
    order += [str(name) for name in found.data_vars if name not in order]
    coordinates = [CASE, *plan["vary"]]
    coordinates += [str(name) for name in found.coords if name not in coordinates]
    variables = found.variables
    return xr.Dataset({x: variables[x] for x in order}, {x: variables[x] for x in coordinates}, found.attrs)


def _short(x: Any) -> str:
    text = json.dumps(x)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _first_difference(before: str, now: str) -> str:
    """The first line in which two texts differ."""
    for i, (a, b) in enumerate(zip(before.splitlines(), now.splitlines(), strict=False), start=1):
        if a != b:
            return f"line {i}: {a.strip()[:60]!r} there, {b.strip()[:60]!r} here"
    return f"{len(before.splitlines())} lines there, {len(now.splitlines())} here"
