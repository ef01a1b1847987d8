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
    arrays = [_array(where, name, x, n) for (name, n), x in zip(lengths.items(), inputs, strict=True)]
    for (name, length), x in zip(lengths.items(), arrays, strict=True):
        if x.ndim == 0 or x.shape[-1] != length or x.dtype.kind not in "fiub":
            raise StateError(
                f"{where}: {name}: expected real numbers of shape (..., {length}), got {x.dtype} of shape {x.shape}"
            )
    leading = {x.shape[:-1] for x in arrays}
    try:
        shape = leading.pop() if len(leading) == 1 else np.broadcast_shapes(*leading)
    except ValueError:
        got = ", ".join(f"{name} {x.shape}" for name, x in zip(lengths, arrays, strict=True))
        raise StateError(f"{where}: leading axes do not broadcast: {got}") from None
    ready = []
    for x in arrays:
        single = math.prod(x.shape[:-1]) == 1
        y = x if single or x.shape[:-1] == shape else np.broadcast_to(x, (*shape, x.shape[-1]))
        y = np.ascontiguousarray(y, dtype=FLOAT)
        states = 1 if single else math.prod(shape)
        ready.append((y if y.flags.writeable else y.copy()).reshape(states, x.shape[-1]))
    return ready, shape


def _array(where: str, name: str, value: ArrayLike, length: int) -> NDArray[Any]:
    try:
        x = np.asarray(value)
    except ValueError:  # lists of different lengths
        raise StateError(f"{where}: {name}: expected real numbers of shape (..., {length}), got {value!r}") from None
    return x.reshape(1) if x.ndim == 0 and length == 1 else x


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
