"""Calling machine code from sweeps: for batches, for rollouts, and inside integrators."""

from __future__ import annotations

from typing import Any

from supple.engines.kernels import sweep
from supple.engines.sweeps.arithmetic import Arithmetic
from supple.engines.sweeps.translate import Intrinsic
from supple.engines.sweeps.values import INT, Arr, Code, Num

BLOCK = 64
"""States that go through all steps of a rollout before the next do, so that they stay in the cache."""


def _write_call(code: Code, do: Arithmetic, called: tuple[Any, Any, Any], rows: list[tuple[str, Num]]) -> None:
    """Enter machine code by the address of its record (see `entries`), for a range of states: addresses and strides."""
    address, start, stop = (do.as_kind(x, INT) for x in called)
    pointers, strides = (code.table(len(rows)) for _ in range(2))
    for i, (pointer, stride) in enumerate(rows):
        for table, kind, value in ((pointers, "ptr", pointer), (strides, "i64", stride.text)):
            at = code.add(f"getelementptr i64, ptr {table}, i64 {i}")
            code.do(f"store {kind} {value}, ptr {at}")
    record = code.add(f"inttoptr i64 {address.text} to ptr")
    entry = code.add(f"load ptr, ptr {record}")
    code.do(f"call void {entry}(ptr {record}, i64 {start.text}, i64 {stop.text}, ptr {pointers}, ptr {strides})")


def _write_invoke(code: Code, do: Arithmetic, address: Any, start: Any, stop: Any, arrays: tuple[Arr, ...]) -> None:
    rows = [(x.data, _stride(do, x.shape[0], x.shape[-1])) for x in arrays]
    _write_call(code, do, (address, start, stop), rows)


def _stride(do: Arithmetic, states: Any, length: Any) -> Num:
    """From one state's row to the next; 0 where one row serves all."""
    shared = do.compare("Eq", states, 1)
    assert isinstance(shared, Num)
    return do.choose(shared, 0, length)


def _write_step(
    code: Code,
    do: Arithmetic,
    called: tuple[Any, Any, Any],
    t: Any,
    arrays: tuple[Arr, ...],
    dt: Arr,
    more: tuple[Arr, ...],
) -> None:
    """Call a step kernel at time t: rows t of q, v, tau, dt and `more` in, rows t + 1 of q and v out."""
    rows = []
    for i, x in enumerate(arrays):
        states, steps, columns = x.shape
        row = do.binary("Add", t, 1) if i >= 3 else t
        offset = do.as_kind(do.binary("Mult", row, columns), INT)
        first = code.add(f"getelementptr double, ptr {x.data}, i64 {offset.text}")
        rows.append((first, _stride(do, states, do.binary("Mult", steps, columns))))
    still = [(x.data, _stride(do, x.shape[0], x.shape[1])) for x in more]
    rows[3:3] = [(dt.data, Num(INT, "0")), *still]
    _write_call(code, do, called, rows)


_invoke: Any = Intrinsic(_write_invoke)
"""Enter the machine code of a record for states start ... stop - 1 with a tuple of arrays, inputs then outputs."""
_invoke_step: Any = Intrinsic(_write_step)


@sweep
def invoke(address: int, start: int, stop: int, *arrays: Any) -> None:
    """Evaluate the states start ... stop - 1: arrays (rows, columns), inputs then outputs; one row serves all states.

    For a single state the arrays may have one axis.
    """
    _invoke(address, start, stop, arrays)


@sweep
def roll(address: int, start: int, stop: int, q: Any, v: Any, tau: Any, dt: Any, *parameters: Any) -> None:
    """Step the states start ... stop - 1 through time: q, v (states, steps + 1, n), of which the first step is given.

    `address` is that of the record of (q, v, tau, dt, parameters) -> (q, v). A block of states goes through all steps
    before the next, so that it stays in the cache; tau (1 or states, steps, nv), dt (1,), parameters (1 or states, n).
    """
    for first in range(start, stop, BLOCK):
        last = min(first + BLOCK, stop)
        for t in range(tau.shape[1]):
            _invoke_step((address, first, last), t, (q, v, tau, q, v), dt, parameters)
