"""Calling machine code with arrays: Numba reads the arrays' addresses, which is the cheapest way from Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from supple.engines.kernels import sweep


@intrinsic  # type: ignore[untyped-decorator]
def _invoke(typing_context: Any, address: Any, start: Any, stop: Any, arrays: Any) -> Any:
    """Call the kernel at an address with pointers to and row lengths of a tuple of arrays."""
    signature = types.void(types.int64, types.int64, types.int64, arrays)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, start, stop, bundle = arguments
        word = ir.IntType(64)
        rows = []
        for i, kind in enumerate(signature.args[3]):
            array = context.make_array(kind)(context, builder, builder.extract_value(bundle, i))
            shared = builder.icmp_signed("==", builder.extract_value(array.shape, 0), ir.Constant(word, 1))
            length = builder.extract_value(array.shape, kind.ndim - 1)
            stride = builder.select(shared, ir.Constant(word, 0), length)
            rows.append((builder.ptrtoint(array.data, word), stride))
        _call_kernel(builder, address, start, stop, rows)
        return context.get_dummy_value()

    return signature, generate


@sweep
def invoke(address: int, start: int, stop: int, *arrays: Any) -> None:
    """Evaluate the states start ... stop - 1: arrays (rows, columns), inputs then outputs; one row serves all states.

    For a single state the arrays may have one axis.
    """
    _invoke(address, start, stop, arrays)


# The same for one state and a known number of arrays: Numba passes named arguments three times as fast as starred ones.
# They are compiled for contiguous float64 vectors alone; anything else is refused with a TypeError.


@sweep
def invoke_2(address: int, a: Any, b: Any) -> None:
    """One state, two arrays."""
    _invoke(address, 0, 1, (a, b))


@sweep
def invoke_3(address: int, a: Any, b: Any, c: Any) -> None:
    """One state, three arrays."""
    _invoke(address, 0, 1, (a, b, c))


@sweep
def invoke_4(address: int, a: Any, b: Any, c: Any, d: Any) -> None:
    """One state, four arrays."""
    _invoke(address, 0, 1, (a, b, c, d))


@cache
def for_one_state(arrays: int) -> Callable[..., None] | None:
    """The function for one state and so many arrays, compiled; None if there is none."""
    function: Any = {2: invoke_2, 3: invoke_3, 4: invoke_4}.get(arrays)
    if function is not None:
        function.compile((types.int64, *[types.float64[::1]] * arrays))
        function.disable_compile()
    return function


@sweep
def roll(address: int, start: int, stop: int, q: Any, v: Any, tau: Any, dt: Any) -> None:
    """Step the states start ... stop - 1 through time: q, v (states, steps + 1, n), of which the first step is given.

    `address` is a kernel (q, v, tau, dt) -> (q, v). A block of states goes through all steps before the next, so that
    it stays in the cache; tau (1 or states, steps, nv), dt (1,).
    """
    for first in range(start, stop, BLOCK):
        last = min(first + BLOCK, stop)
        for t in range(tau.shape[1]):
            _invoke_step(address, first, last, t, (q, v, tau, q, v), dt)


BLOCK = 64


@intrinsic  # type: ignore[untyped-decorator]
def _invoke_step(typing_context: Any, address: Any, start: Any, stop: Any, t: Any, arrays: Any, dt: Any) -> Any:
    """Call a step kernel at time t: rows t of q, v, tau and dt in, rows t + 1 of q and v out."""
    signature = types.void(types.int64, types.int64, types.int64, types.int64, arrays, dt)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, start, stop, t, bundle, dt = arguments
        word = ir.IntType(64)
        one, zero = ir.Constant(word, 1), ir.Constant(word, 0)
        rows = []
        for i, kind in enumerate(signature.args[4]):
            array = context.make_array(kind)(context, builder, builder.extract_value(bundle, i))
            states, steps, columns = (builder.extract_value(array.shape, axis) for axis in range(3))
            row = builder.add(t, one) if i >= 3 else t
            offset = builder.mul(builder.mul(row, columns), ir.Constant(word, 8))
            shared = builder.icmp_signed("==", states, one)
            stride = builder.select(shared, zero, builder.mul(steps, columns))
            rows.append((builder.add(builder.ptrtoint(array.data, word), offset), stride))
        step = context.make_array(signature.args[5])(context, builder, dt)
        rows.insert(3, (builder.ptrtoint(step.data, word), zero))
        _call_kernel(builder, address, start, stop, rows)
        return context.get_dummy_value()

    return signature, generate


def _call_kernel(builder: Any, address: Any, start: Any, stop: Any, rows: list[tuple[Any, Any]]) -> None:
    """Emit the call with a table of addresses and one of strides."""
    word = ir.IntType(64)
    kind = ir.ArrayType(word, len(rows))
    with builder.goto_entry_block():
        pointers, strides = builder.alloca(kind), builder.alloca(kind)
    for i, (pointer, stride) in enumerate(rows):
        place = [ir.Constant(word, 0), ir.Constant(word, i)]
        builder.store(pointer, builder.gep(pointers, place))
        builder.store(stride, builder.gep(strides, place))
    table = word.as_pointer()
    kernel = ir.FunctionType(ir.VoidType(), [word, word, table, table]).as_pointer()
    call = builder.inttoptr(address, kernel)
    builder.call(call, [start, stop, builder.bitcast(pointers, table), builder.bitcast(strides, table)])
