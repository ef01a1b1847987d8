"""Sweeps as machine code: compiled when first called with arguments of some types, kept on disk, called with arrays."""

from __future__ import annotations

import ctypes
import struct
import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from supple.engines.code_cache import read_code, write_code
from supple.engines.llvm.jit import loaded, optimized_code
from supple.engines.sweeps.translate import Scope, Widened
from supple.engines.sweeps.values import BOOL, COMPLEX, FLOAT, INT, Arr, Code, Num, kind_of

NAME = "sweep"
KINDS = {"d": FLOAT, "D": COMPLEX, "l": INT, "q": INT, "?": BOOL}
"""Of arrays, by numpy's letters."""
KEPT = 64
"""Tuples of arrays whose addresses a process remembers."""


@cache
def array_fields() -> tuple[int, int]:
    """Where numpy's arrays keep the address of their data and that of their shape, bytes."""
    x = np.zeros((3, 5, 7))
    words = (ctypes.c_int64 * 16).from_address(id(x))
    data = list(words).index(x.ctypes.data)
    for i in range(data + 1, data + 4):
        if words[i] > 4096 and list((ctypes.c_int64 * 3).from_address(words[i])) == [3, 5, 7]:
            return 8 * data, 8 * i
    raise RuntimeError("numpy lays its arrays out in another way than was thought")


class Sweep:
    """A recursion over whole models or batches, compiled for the types it is called with.

    Attributes
    ----------
    py_func : function
        The same in plain Python.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__
        self._compiled: dict[str, CompiledSweep] = {}
        self._lock = threading.Lock()

    def __call__(self, *args: Any) -> Any:
        types: list[str] = []
        words = array("q")
        for x in args:
            _flatten(x, types, words)
        key = " ".join(types)
        compiled = self._compiled.get(key)
        if compiled is None:
            with self._lock:
                compiled = self._compiled.get(key) or CompiledSweep(self.py_func, args, key)
                self._compiled[key] = compiled
        return compiled(words)


class CompiledSweep:
    """Machine code for arguments of certain types."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], types: str) -> None:
        key = f"{function.__module__}.{function.__qualname__} {types}"
        code = read_code("sweeps", key)
        if code is None:
            text, kinds = written(function, args)
            code = kinds.encode() + b"\n" + optimized_code(text)
            write_code("sweeps", key, code)
        kinds_, _, machine_code = code.partition(b"\n")
        self._kinds = kinds_.decode()
        self._engine, address = loaded(machine_code, NAME)
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)

    def __call__(self, words: array[int]) -> Any:
        results = array("q", bytes(8 * len(self._kinds)))
        self._call(words.buffer_info()[0], results.buffer_info()[0])
        if len(self._kinds) == 1:
            return _value(self._kinds, results[0])
        return tuple(map(_value, self._kinds, results)) if self._kinds else None


def _value(kind: str, word: int) -> float | bool:
    """A result from the word that holds it."""
    if kind == FLOAT:
        return float(struct.unpack("d", struct.pack("q", word))[0])
    return bool(word) if kind == BOOL else word


_remembered: OrderedDict[int, tuple[Any, list[str], array[int]]] = OrderedDict()


def _flatten(x: Any, types: list[str], words: array[int]) -> None:
    """The type of an argument, and what machine code is given of it: of an array the object's address."""
    if isinstance(x, np.ndarray):
        kind = KINDS.get(x.dtype.char)
        if kind is None or not x.flags.c_contiguous or not x.dtype.isnative:
            raise TypeError(f"expected a contiguous array of numbers, got {x.dtype} of strides {x.strides}")
        types.append(f"{kind}{x.ndim}")
        words.append(id(x))
    elif isinstance(x, tuple):
        if hasattr(x, "_fields"):
            found = _remembered.get(id(x))
            if found is None or found[0] is not x:
                found = x, [type(x).__name__ + "("], array("q")
                for y in x:
                    _flatten(y, found[1], found[2])
                found[1].append(")")
                _remembered[id(x)] = found
                if len(_remembered) > KEPT:
                    _remembered.popitem(last=False)
            types.extend(found[1])
            words.extend(found[2])
            return
        types.append("(")
        for y in x:
            _flatten(y, types, words)
        types.append(")")
    elif x is None:
        types.append("n")
    elif isinstance(x, bool | np.bool_):
        types.append(BOOL)
        words.append(int(x))
    elif isinstance(x, int | np.integer):
        types.append(INT)
        words.append(int(x))
    elif isinstance(x, float):
        types.append(FLOAT)
        words.append(_bits(x))
    else:
        raise TypeError(f"expected arrays, numbers and tuples of these, got {x!r}")


def written(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[str, str]:
    """A module with the function for arguments of these types, and the kinds of its results."""
    kinds: dict[Any, str] = {}
    while True:
        code = Code()
        code.lines.append("start:")
        try:
            values = _Arguments(code)
            result = Scope(code, function, (), kinds).run(tuple(values.of(x) for x in args))
        except Widened:
            continue
        results = result if isinstance(result, tuple) else () if result is None else (result,)
        for n, x in enumerate(results):
            at = code.add(f"getelementptr i64, ptr %results, i64 {n}")
            code.do(f"store i64 {_word(code, x)}, ptr {at}")
        code.do("ret void")
        body = "\n  ".join(["entry:", *code.entry, "br label %start", *code.lines])
        head = f"define void @{NAME}(ptr noalias readonly %words, ptr noalias %results) nounwind {{"
        return "\n".join([*sorted(code.declared), head, f"  {body}", "}"]), "".join(map(kind_of, results))


class _Arguments:
    """The arguments as the code finds them in its words."""

    def __init__(self, code: Code) -> None:
        self.code, self._next = code, 0

    def _word(self, kind: str) -> str:
        at = self.code.add(f"getelementptr i64, ptr %words, i64 {self._next}")
        self._next += 1
        return self.code.add(f"load {kind}, ptr {at}, align 8")

    def of(self, x: Any) -> Any:
        """The value of an argument like x."""
        if isinstance(x, np.ndarray):
            data, shape = array_fields()
            array_ = self._word("ptr")
            at = self.code.add(f"getelementptr i8, ptr {array_}, i64 {data}")
            start = self.code.add(f"load ptr, ptr {at}, align 8")
            at = self.code.add(f"getelementptr i8, ptr {array_}, i64 {shape}")
            lengths = self.code.add(f"load ptr, ptr {at}, align 8")
            axes = []
            for i in range(x.ndim):
                at = self.code.add(f"getelementptr i64, ptr {lengths}, i64 {i}")
                axes.append(Num(INT, self.code.add(f"load i64, ptr {at}, align 8")))
            return Arr(KINDS[x.dtype.char], start, tuple(axes))
        if isinstance(x, tuple):
            parts = [self.of(y) for y in x]
            return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
        if x is None:
            return None
        if isinstance(x, bool | np.bool_):
            return Num(BOOL, self.code.add(f"trunc i64 {self._word('i64')} to i1"))
        if isinstance(x, int | np.integer):
            return Num(INT, self._word("i64"))
        return Num(FLOAT, self._word("double"))


def _word(code: Code, result: Any) -> str:
    """A result as the word that is returned."""
    if not isinstance(result, Num):
        return (
            str(int(result)) if not isinstance(result, float) else str(struct.unpack("q", struct.pack("d", result))[0])
        )
    if result.kind == FLOAT:
        return code.add(f"bitcast double {result.text} to i64")
    return code.add(f"zext i1 {result.text} to i64") if result.kind == BOOL else result.text


def _bits(x: float) -> int:
    """A double as the word that holds it."""
    return int(struct.unpack("q", struct.pack("d", x))[0])
