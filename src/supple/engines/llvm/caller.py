"""One state from Python: a C function that looks at the arrays itself and calls the driver.

It is made in LLVM code and wrapped as a built-in function of Python, which costs a tenth of a microsecond where ctypes
takes one. It trusts nothing: arguments that are not contiguous vectors of doubles of the right length are left to
another function, and so is a result that is not finite or whose margin (see `caller_text`) is not positive.

The last array, if it is not given, is one of the last two that the function has made, where nobody else has a reference
to it any more (as `zip` does with its tuples), else a new one by numpy's own C function. In a loop whose results are
used up nothing is allocated.
"""

from __future__ import annotations

import ctypes
import importlib
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.engines.llvm.jit import function_of
from supple.engines.once import once

CALLER = "supple_caller"
METH_FASTCALL, METH_KEYWORDS = 0x80, 0x02
CARRAY, OWNDATA = 0x0501, 0x0004
"""Flags of an array: contiguous, aligned, writeable; the owner of its data."""
DATA, AXES, SHAPE, DESCR, FLAGS, WEAK = 16, 24, 32, 56, 64, 72
"""Where the fields of numpy's array are, bytes."""
PYARRAY_NEW, NPY_DOUBLE = 93, 12
"""The place of `PyArray_New` in the table of numpy's C functions, and its number for doubles."""
WORDS = (
    *("count", "kind", "double", "driver", "program", "memory", "numbers", "pointers", "strides", "margin"),
    *("axes", "shape_of_last", "pool", "new", "increment", "decrement", "call", "none", "otherwise"),
)
"""What `self` is: see `caller_text`."""
INTEGERS = ("count", "margin", "axes", "otherwise")


def caller_text(direct: bool) -> str:
    """The function in LLVM code, METH_FASTCALL, of the arrays of a program's inputs and outputs, or all but the last.

    What it calls is the driver of a program of blocks, or directly the kernel of a graph (see `emit`).

    `self` is an array of words: number of arrays, numpy's array type, the type of doubles, driver, program, memory,
    numbers, pointers (of which the function fills one for each array), strides, the margin's address or 0; axes and
    shape of a new last array, the two that were made last, `PyArray_New`; Py_IncRef, Py_DecRef, PyObject_Vectorcall,
    None, and the function that is called with the same arguments where this one could not serve, or 0; then the arrays'
    lengths. Returns the last array where all went well, else what the other function does, or None.
    """
    loads = "\n".join(
        f"  %{name}_at = getelementptr i64, ptr %words, i64 {i}\n"
        f"  %{name} = load {'i64' if name in INTEGERS else 'ptr'}, ptr %{name}_at"
        for i, name in enumerate(WORDS)
    )
    called = "i64 0, i64 1, ptr %pointers, ptr %strides"
    called = called if direct else f"ptr %program, {called}, ptr %memory, ptr %numbers"
    empty = f"i32 {NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null"
    return f"""
define ptr @{CALLER}(ptr %self, ptr %args, i64 %n, ptr %keywords) nounwind {{
entry:
  %words_at = getelementptr i8, ptr %self, i64 {DATA}
  %words = load ptr, ptr %words_at
{loads}
  %lengths = getelementptr i64, ptr %words, i64 {len(WORDS)}
  %of_last = sub i64 %count, 1
  %last_is_given = icmp eq i64 %n, %count
  %last_is_not = icmp eq i64 %n, %of_last
  %right = or i1 %last_is_given, %last_is_not
  %unnamed = icmp eq ptr %keywords, null
  %fit = and i1 %right, %unnamed
  br i1 %fit, label %next, label %refuse
next:
  %i = phi i64 [ 0, %entry ], [ %i1, %keep ]
  %last = phi ptr [ %none, %entry ], [ %x, %keep ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %look, label %ready
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
ready:
  br i1 %last_is_given, label %take, label %make
take:
  call void %increment(ptr %last)
  br label %go
make:
  %axes32 = trunc i64 %axes to i32
  %spare_at = getelementptr ptr, ptr %pool, i64 1
  %newer = load ptr, ptr %pool
  %older = load ptr, ptr %spare_at
  store ptr %older, ptr %pool
  store ptr %newer, ptr %spare_at
  %older_type_at = getelementptr i8, ptr %older, i64 8
  %older_type = load ptr, ptr %older_type_at
  %older_is_array = icmp eq ptr %older_type, %kind
  br i1 %older_is_array, label %spare, label %allocate
spare:
  %references = load i32, ptr %older
  %is_free = icmp eq i32 %references, 1
  %older_nd_at = getelementptr i8, ptr %older, i64 {AXES}
  %older_nd = load i32, ptr %older_nd_at
  %older_fits = icmp eq i32 %older_nd, %axes32
  %older_descr_at = getelementptr i8, ptr %older, i64 {DESCR}
  %older_descr = load ptr, ptr %older_descr_at
  %older_is_double = icmp eq ptr %older_descr, %double
  %older_flags_at = getelementptr i8, ptr %older, i64 {FLAGS}
  %older_flags = load i32, ptr %older_flags_at
  %older_masked = and i32 %older_flags, {CARRAY | OWNDATA}
  %older_is_ready = icmp eq i32 %older_masked, {CARRAY | OWNDATA}
  %older_weak_at = getelementptr i8, ptr %older, i64 {WEAK}
  %older_weak = load ptr, ptr %older_weak_at
  %unwatched = icmp eq ptr %older_weak, null
  %s1 = and i1 %is_free, %older_fits
  %s2 = and i1 %older_is_double, %older_is_ready
  %s3 = and i1 %s1, %s2
  %usable = and i1 %s3, %unwatched
  br i1 %usable, label %axis, label %allocate
axis:
  %d = phi i64 [ 0, %spare ], [ %d1, %same ]
  %further = icmp slt i64 %d, %axes
  br i1 %further, label %compare, label %again
compare:
  %older_shape_at = getelementptr i8, ptr %older, i64 {SHAPE}
  %older_shape = load ptr, ptr %older_shape_at
  %older_size_at = getelementptr i64, ptr %older_shape, i64 %d
  %older_size = load i64, ptr %older_size_at
  %own_size_at = getelementptr i64, ptr %shape_of_last, i64 %d
  %own_size = load i64, ptr %own_size_at
  %is_same = icmp eq i64 %older_size, %own_size
  br i1 %is_same, label %same, label %allocate
same:
  %d1 = add i64 %d, 1
  br label %axis
again:
  call void %increment(ptr %older)
  br label %point
allocate:
  %fresh = call ptr %new(ptr %kind, i32 %axes32, ptr %shape_of_last, {empty})
  %is_made = icmp ne ptr %fresh, null
  br i1 %is_made, label %keep_it, label %fail
fail:
  ret ptr null
keep_it:
  call void %increment(ptr %fresh)
  store ptr %fresh, ptr %pool
  call void %decrement(ptr %older)
  br label %point
point:
  %made = phi ptr [ %older, %again ], [ %fresh, %keep_it ]
  %made_data_at = getelementptr i8, ptr %made, i64 {DATA}
  %made_data = load ptr, ptr %made_data_at
  %made_pointer = getelementptr ptr, ptr %pointers, i64 %of_last
  store ptr %made_data, ptr %made_pointer
  br label %go
go:
  %result = phi ptr [ %last, %take ], [ %made, %point ]
  call void %driver({called})
  %pointer_of_last = getelementptr ptr, ptr %pointers, i64 %of_last
  %last_wanted = getelementptr i64, ptr %lengths, i64 %of_last
  %length_of_last = load i64, ptr %last_wanted
  %judged = icmp ne i64 %margin, 0
  br i1 %judged, label %judge, label %sum
judge:
  %cell = inttoptr i64 %margin to ptr
  %value = load double, ptr %cell
  %good = fcmp ogt double %value, 0.0
  br i1 %good, label %sum, label %drop
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
  br i1 %is_finite, label %entry_is_finite, label %drop
entry_is_finite:
  %j1 = add i64 %j, 1
  br label %finite
done:
  ret ptr %result
drop:
  call void %decrement(ptr %result)
  br label %refuse
refuse:
  %other = icmp ne i64 %otherwise, 0
  br i1 %other, label %ask, label %nothing
ask:
  %function = inttoptr i64 %otherwise to ptr
  %answer = call ptr %call(ptr %function, ptr %args, i64 %n, ptr %keywords)
  ret ptr %answer
nothing:
  call void %increment(ptr %none)
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
        and _makes_arrays()
    )


@cache
def _new_array() -> int:
    """The address of `PyArray_New`, from the table by which all extensions find numpy's C functions."""
    core = importlib.import_module("numpy._core" if hasattr(np, "_core") else "numpy.core")
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = pointer(core._multiarray_umath._ARRAY_API, None)
    found = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[PYARRAY_NEW]
    assert found is not None
    return found


def _makes_arrays() -> bool:
    """Whether that function makes arrays of doubles."""
    integer, address = ctypes.c_int, ctypes.c_void_p
    kind = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.py_object, integer, address, integer, address, address, integer, integer, address
    )
    shape = np.array([2, 3])
    x = kind(_new_array())(np.ndarray, 2, shape.ctypes.data, NPY_DOUBLE, None, None, 0, 0, None)
    return type(x) is np.ndarray and x.shape == (2, 3) and x.dtype == np.float64 and bool(x.flags.carray)


class _Words(np.ndarray[Any, np.dtype[np.int64]]):
    """What the function reads of itself, with all that its words point to."""

    kept: tuple[Any, ...]


@once
def _definition(address: int) -> _MethodDef:
    """Python keeps a pointer to it as long as the function lives."""
    return _MethodDef(b"one_state", address, METH_FASTCALL | METH_KEYWORDS, None)


class Otherwise(NamedTuple):
    """The shape of a last array that is not given, and the function that serves where this one cannot."""

    shape: tuple[int, ...]
    function: Callable[..., Any] | None = None


def one_state(
    called: int,
    lengths: list[int],
    program: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]] | None = None,
    margin: int = 0,
    keep: Any = None,
    otherwise: Otherwise | None = None,
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
    otherwise : Otherwise, optional
        If not given, a new last array is a vector, and the function gives None where it cannot serve.
    """
    _, address = function_of(CALLER, caller_text(program is None))
    room = np.zeros(len(lengths), dtype=np.int64), np.zeros(len(lengths), dtype=np.int64)
    arrays = program or (room[0], room[0], room[0])
    last = otherwise or Otherwise((lengths[-1],))
    shape = np.array(last.shape, dtype=np.int64)
    pool = np.array([None, None], dtype=object)  # references that it holds
    own = [len(lengths), id(np.ndarray), id(np.dtype(np.float64)), called]
    own += [x.ctypes.data for x in (*arrays, *room)]
    own += [margin, len(shape), shape.ctypes.data, pool.ctypes.data, _new_array()]
    own += [_address(ctypes.pythonapi[name]) for name in ("Py_IncRef", "Py_DecRef", "PyObject_Vectorcall")]
    own += [id(None), 0 if last.function is None else id(last.function)]
    words = np.array([*own, *lengths], dtype=np.int64).view(_Words)
    words.kept = *arrays, *room, shape, pool, last, keep
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return new(ctypes.addressof(_definition(address)), words, None)


def _address(function: Any) -> int:
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found is not None
    return found
