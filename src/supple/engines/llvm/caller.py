"""One state from Python: a C function that looks at the arguments itself and calls the driver.

It is made in LLVM code and wrapped as a built-in function of Python, which costs a tenth of a microsecond where ctypes
takes one. It trusts nothing: arguments that are not contiguous vectors of finite doubles of the right length are left
to another function, and so are quaternions whose last part is zero, results that are not finite, and those whose
margin (see `caller_text`) is not positive.

Outputs that are not given are new arrays: one of the last two that the function has made for this output, where nothing
else has a reference to it any more (as `zip` does with its tuples), else a new one by numpy's own C function. In a loop
whose results are used up nothing is allocated.
"""

from __future__ import annotations

import ctypes
import importlib
import math
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
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
TYPE, VALUE = 8, 16
"""Where the type of an object and the number of a `float` are, bytes."""
DATA, AXES, SHAPE, DESCR, FLAGS, WEAK = 16, 24, 32, 56, 64, 72
"""Where the fields of numpy's array are, bytes."""
PYARRAY_NEW, NPY_DOUBLE = 93, 12
"""The place of `PyArray_New` in the table of numpy's C functions, and its number for doubles."""
EXPONENT = 0x7FF0000000000000
"""Bits of the exponent of a double."""
SCALAR = -1
"""Length of an input that is a `float`."""
WORDS = (
    *("inputs", "outputs", "kind", "double", "float", "driver", "program", "memory", "numbers", "pointers", "strides"),
    *("margin", "quaternions", "ends", "tuple_new", "tuple_set", "new", "increment", "decrement", "call", "none"),
    "otherwise",
)
"""What `self` is: see `caller_text`."""
INTEGERS = ("inputs", "outputs", "margin", "quaternions", "otherwise")
OUTPUT = ("place", "size", "axes", "shape", "pool")
"""Words of an output: its place among the pointers, its number of doubles, its shape, the two arrays made last."""


def _field(name: str, base: str, offset: int | str, kind: str = "ptr", unit: str = "i8") -> str:
    """LLVM code that loads the value `name` from memory at an offset."""
    return f"  %{name}_at = getelementptr {unit}, ptr %{base}, i64 {offset}\n  %{name} = load {kind}, ptr %{name}_at"


def _word(name: str, kind: str = "ptr") -> str:
    """LLVM code that loads a word of the output whose words begin at `row`."""
    return _field(f"{name}_of_it", "row", OUTPUT.index(name), kind, "i64")


def _finite(loop: str, before: str, data: str, count: str, good: str, bad: str) -> str:
    """LLVM code that looks at doubles without a branch for each, so that it goes in vectors, and then goes to a label.

    Numbers are finite if not all bits of the exponent are set.
    """
    return f"""{loop}:
  %{loop}_i = phi i64 [ 0, %{before} ], [ %{loop}_next, %{loop}_one ]
  %{loop}_bad = phi i64 [ 0, %{before} ], [ %{loop}_or, %{loop}_one ]
  %{loop}_more = icmp slt i64 %{loop}_i, %{count}
  br i1 %{loop}_more, label %{loop}_one, label %{loop}_end
{loop}_one:
{_field(f"{loop}_bits", data, f"%{loop}_i", "i64", "i64")}
  %{loop}_exponent = and i64 %{loop}_bits, {EXPONENT}
  %{loop}_full = icmp eq i64 %{loop}_exponent, {EXPONENT}
  %{loop}_flag = zext i1 %{loop}_full to i64
  %{loop}_or = or i64 %{loop}_bad, %{loop}_flag
  %{loop}_next = add i64 %{loop}_i, 1
  br label %{loop}
{loop}_end:
  %{loop}_good = icmp eq i64 %{loop}_bad, 0
  br i1 %{loop}_good, label %{good}, label %{bad}"""


def caller_text() -> str:
    """The function in LLVM code, METH_FASTCALL, of the arrays of a program: its inputs, and maybe all its outputs.

    `self` is an array of words: numbers of inputs and outputs, numpy's array type, the type of doubles, Python's
    `float`; driver, program, memory, numbers, pointers (of which the function fills those of inputs and outputs),
    strides; the margin's address or 0; the number of quaternions in the first input, and the places of their last
    parts; PyTuple_New, PyTuple_SetItem, `PyArray_New`, Py_IncRef, Py_DecRef, PyObject_Vectorcall, None, and the
    function that is called with the same arguments where this one could not serve, or 0; then the inputs' lengths, and
    five words for each output (`OUTPUT`). Returns new outputs, as a tuple if there are several, or the last one that
    was given; where this did not go well what the other function returns, or None.
    """
    loads = "\n".join(
        _field(name, "words", i, "i64" if name in INTEGERS else "ptr", "i64") for i, name in enumerate(WORDS)
    )
    called = "ptr %program, i64 0, i64 1, ptr %pointers, ptr %strides, ptr %memory, ptr %numbers"
    empty = f"i32 {NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null"
    return f"""
define ptr @{CALLER}(ptr %self, ptr %args, i64 %n, ptr %keywords) nounwind {{
entry:
{_field("words", "self", DATA)}
{loads}
  %lengths = getelementptr i64, ptr %words, i64 {len(WORDS)}
  %rows = getelementptr i64, ptr %lengths, i64 %inputs
  %all = add i64 %inputs, %outputs
  %outputs_are_given = icmp eq i64 %n, %all
  %outputs_are_not = icmp eq i64 %n, %inputs
  %right = or i1 %outputs_are_given, %outputs_are_not
  %unnamed = icmp eq ptr %keywords, null
  %fit = and i1 %right, %unnamed
  %several = icmp ugt i64 %outputs, 1
  %in_tuple = and i1 %several, %outputs_are_not
  br i1 %fit, label %next, label %refuse
next:
  %i = phi i64 [ 0, %entry ], [ %i1, %keep ]
  %last = phi ptr [ %none, %entry ], [ %x, %keep ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %look, label %quaternion
look:
{_field("x", "args", "%i", unit="ptr")}
{_field("type", "x", TYPE)}
  %is_input = icmp slt i64 %i, %inputs
  br i1 %is_input, label %input, label %output
input:
{_field("length_of_input", "lengths", "%i", "i64", "i64")}
  br label %sized
output:
  %number = sub i64 %i, %inputs
  %first_word = mul i64 %number, {len(OUTPUT)}
  %row = getelementptr i64, ptr %rows, i64 %first_word
{_word("place", "i64")}
{_word("size", "i64")}
  br label %sized
sized:
  %length = phi i64 [ %length_of_input, %input ], [ %size_of_it, %output ]
  %place = phi i64 [ %i, %input ], [ %place_of_it, %output ]
  %is_scalar = icmp eq i64 %length, {SCALAR}
  br i1 %is_scalar, label %scalar, label %array
scalar:
  %is_float = icmp eq ptr %type, %float
  %number_at = getelementptr i8, ptr %x, i64 {VALUE}
  br i1 %is_float, label %found, label %refuse
array:
  %is_array = icmp eq ptr %type, %kind
  br i1 %is_array, label %inside, label %refuse
inside:
{_field("nd", "x", AXES, "i32")}
  %is_vector = icmp eq i32 %nd, 1
{_field("descr", "x", DESCR)}
  %is_double = icmp eq ptr %descr, %double
{_field("flags", "x", FLAGS, "i32")}
  %masked = and i32 %flags, {CARRAY}
  %is_ready = icmp eq i32 %masked, {CARRAY}
  %a = and i1 %is_vector, %is_double
  %b = and i1 %a, %is_ready
  br i1 %b, label %measure, label %refuse
measure:
{_field("shape_of_x", "x", SHAPE)}
  %length_of_x = load i64, ptr %shape_of_x
{_field("data", "x", DATA)}
  %fits = icmp eq i64 %length_of_x, %length
  br i1 %fits, label %found, label %refuse
found:
  %from = phi ptr [ %number_at, %scalar ], [ %data, %measure ]
  %count = phi i64 [ 1, %scalar ], [ %length, %measure ]
  %pointer = getelementptr ptr, ptr %pointers, i64 %place
  store ptr %from, ptr %pointer
  %entries = select i1 %is_input, i64 %count, i64 0
  br label %entry_of_input
{_finite("entry_of_input", "found", "from", "entries", "keep", "refuse")}
keep:
  %i1 = add i64 %i, 1
  br label %next
quaternion:
  %m = phi i64 [ 0, %next ], [ %m1, %turned ]
  %quaternion_left = icmp slt i64 %m, %quaternions
  br i1 %quaternion_left, label %turn, label %ready
turn:
  %q = load ptr, ptr %pointers
{_field("end", "ends", "%m", "i64", "i64")}
{_field("w", "q", "%end", "double", "double")}
  %square = fmul double %w, %w
  %is_turn = fcmp ogt double %square, 0.0
  br i1 %is_turn, label %turned, label %refuse
turned:
  %m1 = add i64 %m, 1
  br label %quaternion
ready:
  br i1 %outputs_are_given, label %take, label %begin
take:
  call void %increment(ptr %last)
  br label %go
begin:
  br i1 %in_tuple, label %tuple, label %make
tuple:
  %together = call ptr %tuple_new(i64 %outputs)
  %is_there = icmp ne ptr %together, null
  br i1 %is_there, label %make, label %fail
fail:
  ret ptr null
make:
  %o = phi i64 [ 0, %begin ], [ 0, %tuple ], [ %o1, %placed ]
  %single = phi ptr [ null, %begin ], [ %together, %tuple ], [ %result_so_far, %placed ]
  %unmade = icmp slt i64 %o, %outputs
  br i1 %unmade, label %one_output, label %go
one_output:
  %first_of_it = mul i64 %o, {len(OUTPUT)}
  %words_of_it = getelementptr i64, ptr %rows, i64 %first_of_it
{_field("own_place", "words_of_it", OUTPUT.index("place"), "i64", "i64")}
{_field("axes", "words_of_it", OUTPUT.index("axes"), "i64", "i64")}
{_field("shape", "words_of_it", OUTPUT.index("shape"), unit="i64")}
{_field("pool", "words_of_it", OUTPUT.index("pool"), unit="i64")}
  %axes32 = trunc i64 %axes to i32
  %spare_at = getelementptr ptr, ptr %pool, i64 1
  %newer = load ptr, ptr %pool
  %older = load ptr, ptr %spare_at
  store ptr %older, ptr %pool
  store ptr %newer, ptr %spare_at
{_field("older_type", "older", TYPE)}
  %older_is_array = icmp eq ptr %older_type, %kind
  br i1 %older_is_array, label %spare, label %allocate
spare:
  %references = load i32, ptr %older
  %is_free = icmp eq i32 %references, 1
{_field("older_nd", "older", AXES, "i32")}
  %older_fits = icmp eq i32 %older_nd, %axes32
{_field("older_descr", "older", DESCR)}
  %older_is_double = icmp eq ptr %older_descr, %double
{_field("older_flags", "older", FLAGS, "i32")}
  %older_masked = and i32 %older_flags, {CARRAY | OWNDATA}
  %older_is_ready = icmp eq i32 %older_masked, {CARRAY | OWNDATA}
{_field("older_weak", "older", WEAK)}
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
{_field("older_shape", "older", SHAPE)}
{_field("older_size", "older_shape", "%d", "i64", "i64")}
{_field("own_size", "shape", "%d", "i64", "i64")}
  %is_same = icmp eq i64 %older_size, %own_size
  br i1 %is_same, label %same, label %allocate
same:
  %d1 = add i64 %d, 1
  br label %axis
again:
  call void %increment(ptr %older)
  br label %point
allocate:
  %fresh = call ptr %new(ptr %kind, i32 %axes32, ptr %shape, {empty})
  %is_made = icmp ne ptr %fresh, null
  br i1 %is_made, label %keep_it, label %unmake
unmake:
  br i1 %in_tuple, label %unmake_tuple, label %fail
unmake_tuple:
  call void %decrement(ptr %single)
  br label %fail
keep_it:
  call void %increment(ptr %fresh)
  store ptr %fresh, ptr %pool
  call void %decrement(ptr %older)
  br label %point
point:
  %made = phi ptr [ %older, %again ], [ %fresh, %keep_it ]
{_field("made_data", "made", DATA)}
  %made_pointer = getelementptr ptr, ptr %pointers, i64 %own_place
  store ptr %made_data, ptr %made_pointer
  br i1 %in_tuple, label %put, label %placed
put:
  %was_put = call i32 %tuple_set(ptr %single, i64 %o, ptr %made)
  br label %placed
placed:
  %result_so_far = phi ptr [ %made, %point ], [ %single, %put ]
  %o1 = add i64 %o, 1
  br label %make
go:
  %result = phi ptr [ %last, %take ], [ %single, %make ]
  call void %driver({called})
  %judged = icmp ne i64 %margin, 0
  br i1 %judged, label %judge, label %check
judge:
  %cell = inttoptr i64 %margin to ptr
  %value = load double, ptr %cell
  %good = fcmp ogt double %value, 0.0
  br i1 %good, label %check, label %drop
check:
  %c = phi i64 [ 0, %go ], [ 0, %judge ], [ %c1, %checked ]
  %unchecked = icmp slt i64 %c, %outputs
  br i1 %unchecked, label %results, label %done
results:
  %first_of_results = mul i64 %c, {len(OUTPUT)}
  %words_of_results = getelementptr i64, ptr %rows, i64 %first_of_results
{_field("place_of_results", "words_of_results", OUTPUT.index("place"), "i64", "i64")}
{_field("size_of_results", "words_of_results", OUTPUT.index("size"), "i64", "i64")}
{_field("values", "pointers", "%place_of_results", unit="ptr")}
  br label %entry_of_result
{_finite("entry_of_result", "results", "values", "size_of_results", "checked", "drop")}
checked:
  %c1 = add i64 %c, 1
  br label %check
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
        word(TYPE) == id(np.ndarray)
        and word(DATA) == x.ctypes.data
        and struct.unpack_from("i", head, AXES)[0] == 1
        and ctypes.c_int64.from_address(word(SHAPE)).value == 3
        and word(DESCR) == id(np.dtype(np.float64))
        and struct.unpack_from("i", head, FLAGS)[0] & CARRAY == CARRAY
        and _makes_arrays()
        and _is_float()
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


def _is_float() -> bool:
    """Whether the number of a `float` is where it is expected."""
    x = 0.1
    return ctypes.c_double.from_address(id(x) + VALUE).value == x


class _Words(np.ndarray[Any, np.dtype[np.int64]]):
    """What the function reads of itself, with all that its words point to."""

    kept: tuple[Any, ...]


@once
def _definition(address: int) -> _MethodDef:
    """Python keeps a pointer to it as long as the function lives."""
    return _MethodDef(b"one_state", address, METH_FASTCALL | METH_KEYWORDS, None)


class Arrays(NamedTuple):
    """The arrays of a call: in the order in which the driver takes them, and those that the caller sees."""

    sizes: Sequence[int]
    """All inputs, then all outputs: numbers of doubles."""
    inputs: int
    """How many of them are inputs."""
    outputs: Mapping[int, tuple[int, ...]]
    """Outputs that are returned, in order: their places in `sizes` and their shapes. The others are left aside."""
    scalars: Sequence[int] = ()
    """Inputs that are a `float`."""
    quaternions: Sequence[int] = ()
    """Places in the first input of the last parts of quaternions."""


def one_state(
    called: int,
    arrays: Arrays,
    program: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]],
    margin: int = 0,
    keep: Any = None,
    otherwise: Callable[..., Any] | None = None,
) -> Any:
    """A built-in function of Python around machine code.

    Parameters
    ----------
    called : int
        Address of the driver of a program of blocks.
    arrays : Arrays
    program : tuple of arrays
        Its words, memory and numbers, as the driver takes them.
    margin : int
        Address of the number that must be positive; 0 if there is none, or the place in `sizes` of an output, negative.
    keep : object
        Whatever else has to live as long as the function.
    otherwise : function, optional
        Called where this one cannot serve; without it the result is None then.
    """
    _, address = function_of(CALLER, caller_text(), loops=True)
    count = len(arrays.sizes)
    pointers, strides = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    aside = {i: np.zeros(max(arrays.sizes[i], 1)) for i in range(arrays.inputs, count) if i not in arrays.outputs}
    for i, x in aside.items():
        pointers[i] = x.ctypes.data
    shapes = [np.array(shape, dtype=np.int64) for shape in arrays.outputs.values()]
    pools = [np.array([None, None], dtype=object) for _ in shapes]  # references that it holds
    ends = np.array(arrays.quaternions, dtype=np.int64)
    own = [arrays.inputs, len(shapes), id(np.ndarray), id(np.dtype(np.float64)), id(float), called]
    own += [x.ctypes.data for x in (*program, pointers, strides)]
    own += [int(aside[-margin].ctypes.data) if margin < 0 else margin, len(ends), ends.ctypes.data]
    python = ctypes.pythonapi
    own += [_address(python[name]) for name in ("PyTuple_New", "PyTuple_SetItem")] + [_new_array()]
    own += [_address(python[name]) for name in ("Py_IncRef", "Py_DecRef", "PyObject_Vectorcall")]
    own += [id(None), 0 if otherwise is None else id(otherwise)]
    own += [SCALAR if i in arrays.scalars else arrays.sizes[i] for i in range(arrays.inputs)]
    for place, shape, pool in zip(arrays.outputs, shapes, pools, strict=True):
        own += [place, math.prod(arrays.outputs[place]), len(shape), shape.ctypes.data, pool.ctypes.data]
    words = np.array(own, dtype=np.int64).view(_Words)
    words.kept = program, pointers, strides, aside, shapes, pools, ends, otherwise, keep
    new = python.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return new(ctypes.addressof(_definition(address)), words, None)


def _address(function: Any) -> int:
    found = ctypes.cast(function, ctypes.c_void_p).value
    assert found is not None
    return found
