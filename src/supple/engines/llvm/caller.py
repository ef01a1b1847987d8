"""One state from Python: a C function that looks at the arrays itself and calls the driver.

It is made in LLVM code and wrapped as a built-in function of Python, which costs a tenth of a microsecond where ctypes
takes one. It trusts nothing: arguments that are not contiguous vectors of doubles of the right length are left to the
caller, and so is a result that is not finite or whose margin (see `caller_text`) is not positive.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.engines.llvm.jit import function_of
from supple.engines.once import once

CALLER = "supple_caller"
METH_FASTCALL = 0x80
CARRAY = 0x0501
"""Flags of an array: contiguous, aligned, writeable."""
DATA, AXES, SHAPE, DESCR, FLAGS = 16, 24, 32, 56, 64
"""Where the fields of numpy's array are, bytes."""


def caller_text(direct: bool) -> str:
    """The function in LLVM code, METH_FASTCALL, of the arrays of a program's inputs and outputs.

    What it calls is the driver of a program of blocks, or directly the kernel of a graph (see `emit`).

    `self` is an array of words: number of arrays, numpy's array type, the type of doubles, driver, program, memory,
    numbers, pointers (of which the function fills one for each array), strides, the margin's address or 0, None,
    Py_IncRef; then the arrays' lengths. Returns the last array where all went well, else None.
    """
    names = ("count", "kind", "double", "driver", "program", "memory", "numbers", "pointers", "strides", "margin")
    loads = "\n".join(
        f"  %{name}_at = getelementptr i64, ptr %words, i64 {i}\n"
        f"  %{name} = load {'i64' if name in ('count', 'margin') else 'ptr'}, ptr %{name}_at"
        for i, name in enumerate((*names, "none", "incref"))
    )
    called = "i64 0, i64 1, ptr %pointers, ptr %strides"
    called = called if direct else f"ptr %program, {called}, ptr %memory, ptr %numbers"
    return f"""
define ptr @{CALLER}(ptr %self, ptr %args, i64 %n) nounwind {{
entry:
  %words_at = getelementptr i8, ptr %self, i64 {DATA}
  %words = load ptr, ptr %words_at
{loads}
  %lengths = getelementptr i64, ptr %words, i64 {len(names) + 2}
  %right = icmp eq i64 %n, %count
  br i1 %right, label %next, label %refuse
next:
  %i = phi i64 [ 0, %entry ], [ %i1, %keep ]
  %last = phi ptr [ %none, %entry ], [ %x, %keep ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %look, label %go
look:
  %x_at = getelementptr ptr, ptr %args, i64 %i
  %x = load ptr, ptr %x_at
  %type_at = getelementptr i8, ptr %x, i64 8
  %type = load ptr, ptr %type_at
  %is_array = icmp eq ptr %type, %kind
  br i1 %is_array, label %inside, label %refuse
inside:
  %nd_at = getelementptr i8, ptr %x, i64 {AXES}
  %nd = load i32, ptr %nd_at
  %is_vector = icmp eq i32 %nd, 1
  %descr_at = getelementptr i8, ptr %x, i64 {DESCR}
  %descr = load ptr, ptr %descr_at
  %is_double = icmp eq ptr %descr, %double
  %flags_at = getelementptr i8, ptr %x, i64 {FLAGS}
  %flags = load i32, ptr %flags_at
  %masked = and i32 %flags, {CARRAY}
  %is_ready = icmp eq i32 %masked, {CARRAY}
  %a = and i1 %is_vector, %is_double
  %b = and i1 %a, %is_ready
  br i1 %b, label %measure, label %refuse
measure:
  %shape_at = getelementptr i8, ptr %x, i64 {SHAPE}
  %shape = load ptr, ptr %shape_at
  %length = load i64, ptr %shape
  %wanted_at = getelementptr i64, ptr %lengths, i64 %i
  %wanted = load i64, ptr %wanted_at
  %fits = icmp eq i64 %length, %wanted
  br i1 %fits, label %keep, label %refuse
keep:
  %data_at = getelementptr i8, ptr %x, i64 {DATA}
  %data = load ptr, ptr %data_at
  %pointer = getelementptr ptr, ptr %pointers, i64 %i
  store ptr %data, ptr %pointer
  %i1 = add i64 %i, 1
  br label %next
go:
  call void %driver({called})
  %of_last = sub i64 %count, 1
  %pointer_of_last = getelementptr ptr, ptr %pointers, i64 %of_last
  %last_wanted = getelementptr i64, ptr %lengths, i64 %of_last
  %length_of_last = load i64, ptr %last_wanted
  %judged = icmp ne i64 %margin, 0
  br i1 %judged, label %judge, label %sum
judge:
  %cell = inttoptr i64 %margin to ptr
  %value = load double, ptr %cell
  %good = fcmp ogt double %value, 0.0
  br i1 %good, label %sum, label %refuse
sum:
  %results = load ptr, ptr %pointer_of_last
  br label %finite
finite:
  %j = phi i64 [ 0, %sum ], [ %j1, %entry_is_finite ]
  %left = icmp slt i64 %j, %length_of_last
  br i1 %left, label %one_entry, label %done
one_entry:
  %e_at = getelementptr double, ptr %results, i64 %j
  %e = load double, ptr %e_at
  %difference = fsub double %e, %e
  %is_finite = fcmp oeq double %difference, 0.0
  br i1 %is_finite, label %entry_is_finite, label %refuse
entry_is_finite:
  %j1 = add i64 %j, 1
  br label %finite
done:
  call void %incref(ptr %last)
  ret ptr %last
refuse:
  call void %incref(ptr %none)
  ret ptr %none
}}"""


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


@cache
def possible() -> bool:
    """Whether this Python and this numpy lay their objects out as the function expects, and calls come one by one."""
    one_by_one = getattr(sys, "_is_gil_enabled", lambda: True)()
    if sys.implementation.name != "cpython" or struct.calcsize("P") != 8 or not one_by_one:
        return False
    x = np.arange(3.0)
    head = (ctypes.c_char * (FLAGS + 4)).from_address(id(x)).raw

    def word(at: int) -> int:
        return int(struct.unpack_from("q", head, at)[0])

    return (
        word(8) == id(np.ndarray)
        and word(DATA) == x.ctypes.data
        and struct.unpack_from("i", head, AXES)[0] == 1
        and ctypes.c_int64.from_address(word(SHAPE)).value == 3
        and word(DESCR) == id(np.dtype(np.float64))
        and struct.unpack_from("i", head, FLAGS)[0] & CARRAY == CARRAY
    )


class _Words(np.ndarray[Any, np.dtype[np.int64]]):
    """What the function reads of itself, with all that its words point to."""

    kept: tuple[Any, ...]


@once
def _definition(address: int) -> _MethodDef:
    """Python keeps a pointer to it as long as the function lives."""
    return _MethodDef(b"one_state", address, METH_FASTCALL, None)


def one_state(
    called: int,
    lengths: list[int],
    program: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]] | None = None,
    margin: int = 0,
    keep: Any = None,
) -> Any:
    """A built-in function of Python around machine code.

    Parameters
    ----------
    called : int
        Address of the kernel of a graph, or of the driver of a program of blocks.
    lengths : list of int
        Of inputs and outputs.
    program : tuple of arrays, optional
        Of a program of blocks: its words, memory and numbers, as the driver takes them.
    margin : int
        Address of the cell that must be positive, 0 if there is none.
    keep : object
        Whatever else has to live as long as the function.
    """
    _, address = function_of(CALLER, caller_text(program is None))
    room = np.zeros(len(lengths), dtype=np.int64), np.zeros(len(lengths), dtype=np.int64)
    arrays = program or (room[0], room[0], room[0])
    incref = ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value
    own = [len(lengths), id(np.ndarray), id(np.dtype(np.float64)), called]
    own += [x.ctypes.data for x in (*arrays, *room)]
    words = np.array([*own, margin, id(None), incref, *lengths], dtype=np.int64).view(_Words)
    words.kept = *arrays, *room, keep
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return new(ctypes.addressof(_definition(address)), words, None)
