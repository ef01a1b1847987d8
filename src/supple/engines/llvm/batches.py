"""Batches for machine code: from any arrays to rows of numbers, a row a state, and onto several cores."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import StateError, SuppleError

Numbers = NDArray[np.float64]
FLOAT = np.dtype(np.float64)
REAL, ANY = "real numbers", "numbers"
KINDS = {REAL: "fiub", ANY: "fciub"}
"""Kinds of arrays that callers may hand over."""


def _cores() -> int:
    """Threads for batches: `SUPPLE_THREADS` if it is set, else as many as this machine has processors."""
    chosen = os.environ.get("SUPPLE_THREADS") or str(os.cpu_count() or 1)
    if not chosen.isdecimal() or int(chosen) < 1:
        raise SuppleError(f"environment variable SUPPLE_THREADS: expected a whole number above zero, got {chosen!r}")
    return int(chosen)


CORES = _cores()
"""Of this machine; asking takes longer than many an evaluation."""
SPREAD = 1_000_000
"""Node evaluations that are worth a thread of their own: a quarter of a millisecond; waking one may take as long."""


def rows(where: str, lengths: Mapping[str, int], inputs: Sequence[ArrayLike]) -> tuple[list[Numbers], tuple[int, ...]]:
    """Inputs as contiguous, writeable (1 or states, n), and the leading axes they broadcast to.

    Parameters
    ----------
    where : str
        What the messages begin with.
    lengths : mapping of str to int
        Names and last axes of the inputs.
    inputs : sequence of (..., n) array_like
        A single value, such as a time step, may be a plain number.
    """
    if len(inputs) == len(lengths) and inputs and isinstance(inputs[0], np.ndarray) and inputs[0].ndim == 2:
        states = len(inputs[0])
        if all(_ready(x, (states, n)) for x, n in zip(inputs, lengths.values(), strict=True)):
            return list(inputs), (states,)  # type: ignore[arg-type]
    if len(inputs) != len(lengths):
        raise StateError(f"{where}: expected {len(lengths)} arguments ({', '.join(lengths)}), got {len(inputs)}")
    arrays: dict[str, NDArray[Any]] = {}
    for (name, n), value in zip(lengths.items(), inputs, strict=True):
        x = as_array(where, name, value, n, REAL)
        arrays[name] = x.reshape(1) if x.ndim == 0 and n == 1 else x
        require_rows(where, name, arrays[name], n, REAL)
    shape, ready = common_axes(where, arrays), []
    for x in arrays.values():
        single = math.prod(x.shape[:-1]) == 1
        ready.append(in_rows(x.reshape(x.shape[-1]), (), FLOAT) if single else in_rows(x, shape, FLOAT))
    return ready, shape


def as_array(where: str, name: str, value: ArrayLike, length: int, kind: str) -> NDArray[Any]:
    """What a caller hands over as an array; `kind` is `REAL` or `ANY`."""
    try:
        return np.asarray(value)
    except ValueError:  # lists of different lengths
        raise StateError(f"{where}: {name}: expected {kind} of shape (..., {length}), got {value!r}") from None


def require_rows(where: str, name: str, x: NDArray[Any], length: int, kind: str) -> None:
    """Raise StateError unless an array is (..., length) and of a kind of numbers."""
    if x.ndim == 0 or x.shape[-1] != length or x.dtype.kind not in KINDS[kind]:
        raise StateError(f"{where}: {name}: expected {kind} of shape (..., {length}), got {x.dtype} of shape {x.shape}")


def common_axes(where: str, arrays: Mapping[str, NDArray[Any]]) -> tuple[int, ...]:
    """Return the leading axes to which all arrays broadcast."""
    leading = {x.shape[:-1] for x in arrays.values()}
    if len(leading) == 1:
        return leading.pop()
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        got = ", ".join(f"{name} {x.shape}" for name, x in arrays.items())
        raise StateError(f"{where}: leading axes do not broadcast: {got}") from None


def in_rows(x: NDArray[Any], shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return an array (..., n) with these leading axes as (states, n), contiguous and writeable."""
    n = x.shape[-1]
    y = x if x.shape[:-1] == shape else np.broadcast_to(x, (*shape, n))
    y = np.ascontiguousarray(y, dtype=dtype)
    return (y if y.flags.writeable else y.copy()).reshape(math.prod(shape), n)


def _ready(x: Any, shape: tuple[int, int]) -> bool:
    """Whether x is a batch of just this shape, as the machine code wants it."""
    return x.__class__ is np.ndarray and x.dtype is FLOAT and x.shape == shape and x.flags.carray


def given(where: str, shapes: Sequence[tuple[int, ...]], out: Sequence[Numbers]) -> None:
    """Refuse arrays for the outputs that are not contiguous, writeable float64 of these shapes."""
    fit = all(isinstance(x, np.ndarray) and x.dtype == FLOAT and x.flags.carray for x in out)
    got = [np.shape(x) for x in out]
    if got != list(shapes) or not fit:
        wanted = f"contiguous, writeable float64 arrays of shapes {list(shapes)}"
        raise StateError(f"{where}: out: expected {wanted}, got {got}")


def apart(arrays: Sequence[Numbers], out: Sequence[Numbers]) -> list[Numbers]:
    """The inputs, those copied that share memory with an output: a state must not be overwritten before it is read."""
    return [x.copy() if any(np.may_share_memory(x, y) for y in out) else x for x in arrays]


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(CORES, thread_name_prefix="supple")


if hasattr(os, "register_at_fork"):  # a forked child has the pool without its threads, and would wait for ever
    os.register_at_fork(after_in_child=_pool.cache_clear)


def spread(part: Callable[[int, int], None], states: int, threads: int, weight: int) -> None:
    """Run `part` on ranges of the states, on several cores where the work is worth it.

    Parameters
    ----------
    part : function of (first, last)
    states : int
    threads : int
        Most ranges there may be.
    weight : int
        Node evaluations a state.
    """
    count = min(threads, max(1, states * weight // SPREAD))
    if count == 1:
        part(0, states)
        return
    bounds = [states * i // count for i in range(count + 1)]
    for job in [_pool().submit(part, first, last) for first, last in pairwise(bounds)]:
        job.result()
