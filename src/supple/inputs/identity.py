"""What a Python function of the user's is, by value: so that a run is resumed with the law with which it began.

A function is its code, its defaults, what it has closed over, the globals that it names and its attributes; an object
that can be called is its class, with its methods, and its attributes; a `functools.partial` its function and what is
bound. All of it is followed to numbers, texts and arrays, the same in every process. What is installed (the standard
library and site-packages) counts by its name. What has no value that can be read, such as an open file or a random
generator, is refused by name.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from supple.formulations import FORMULATIONS

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), range, slice)
DEEPEST = 200
"""Levels to which values are followed."""
INSTALLED = tuple(Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib", "purelib", "platlib"))
OWN = Path(__file__).resolve().parents[1]


class NoValueError(Exception):
    """Something that cannot be compared by value; the text says where it is and of what type."""


def digest(x: Any) -> str:
    """Of a value, 64 hexadecimal digits; a `NoValueError` if it has none."""
    found = hashlib.sha256()
    for piece in _Walk().of(x, "it"):
        found.update(b"%d:" % len(piece) + piece)
    return found.hexdigest()


class _Walk:
    """The way through a value; what was met before counts by its number."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}
        self._alive: list[Any] = []
        self._depth = 0

    def of(self, x: Any, where: str) -> Iterator[bytes]:
        """Pieces that differ where values do."""
        yield f"{type(x).__module__}.{type(x).__qualname__}".encode()
        if isinstance(x, PLAIN) and type(x) in PLAIN:
            yield repr(x).encode()
            return
        if isinstance(x, np.ndarray | np.generic) and not x.dtype.hasobject:
            yield from (x.dtype.str.encode(), repr(x.shape).encode(), np.ascontiguousarray(x).tobytes())
            return
        if id(x) in self._met:
            yield b"%d" % self._met[id(x)]
            return
        self._met[id(x)] = len(self._met)
        self._alive.append(x)  # an id counts only while its object lives
        self._depth += 1
        if self._depth > DEEPEST:
            raise NoValueError(f"{where}: more than {DEEPEST} levels deep")
        for name, part in self._parts(x, where):
            yield name.encode()
            yield from self.of(part, f"{where}.{name}")
        self._depth -= 1

    def _parts(self, x: Any, where: str) -> Iterator[tuple[str, Any]]:
        """What a thing is made of, by name."""
        if isinstance(x, type | FunctionType | BuiltinFunctionType | np.ufunc | ModuleType) and _installed(x):
            yield "name", _name(x)
            owner = getattr(x, "__self__", None)
            if owner is not None and not isinstance(owner, ModuleType):
                yield "owner", owner
        elif isinstance(x, FunctionType):
            yield from _function(x)
        elif isinstance(x, MethodType):
            yield from (("function", x.__func__), ("object", x.__self__))
        elif isinstance(x, functools.partial):
            yield from (("function", x.func), ("arguments", x.args), ("keywords", x.keywords), ("more", vars(x)))
        elif isinstance(x, CodeType):
            yield from (("steps", x.co_code), ("numbers", x.co_consts), ("names", x.co_names))
            yield "arguments", (x.co_argcount, x.co_kwonlyargcount, x.co_flags, x.co_varnames, x.co_freevars)
        elif isinstance(x, type):
            yield "name", x.__qualname__
            yield "bases", x.__bases__
            yield from ((k, v) for k, v in sorted(vars(x).items()) if not k.startswith("__") or callable(v))
        elif isinstance(x, FORMULATIONS):
            yield from (("names", (x.name, x.coordinates, x.speeds)), ("arrays", x.arrays()))
        elif isinstance(x, tuple | list):
            yield from ((f"[{i}]", part) for i, part in enumerate(x))
        elif isinstance(x, dict):
            yield "keys", list(x)
            yield from ((f"[{key!r}]" if isinstance(key, str) else f"[{i}]", x[key]) for i, key in enumerate(x))
        elif isinstance(x, set | frozenset):
            yield "digests", sorted(digest(part) for part in x)
        elif isinstance(x, np.ndarray):
            yield from (("shape", x.shape), ("entries", x.ravel().tolist()))
        elif isinstance(x, property | staticmethod | classmethod):
            yield "function", x.fget if isinstance(x, property) else x.__func__
        elif isinstance(getattr(x, "__wrapped__", None), FunctionType):  # functools.lru_cache
            yield "function", x.__wrapped__
        else:
            yield from _attributes(x, where)


def _function(x: FunctionType) -> Iterator[tuple[str, Any]]:
    """Code, defaults, what it has closed over, globals that the code names, attributes."""
    yield from (("code", x.__code__), ("defaults", x.__defaults__), ("keywords", x.__kwdefaults__))
    for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not filled yet
            yield name, None
    for name in sorted(_names(x.__code__)):
        if name in x.__globals__:
            yield name, x.__globals__[name]
    yield "attributes", {key: value for key, value in vars(x).items() if key != "__wrapped__"}


def _names(code: CodeType) -> set[str]:
    """Names that code and the functions in it look up."""
    inner = [_names(x) for x in code.co_consts if isinstance(x, CodeType)]
    return {x.argval for x in dis.get_instructions(code) if x.opname in ("LOAD_GLOBAL", "LOAD_NAME")}.union(*inner)


def _attributes(x: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Class and attributes of an object."""
    slots = [name for kind in type(x).__mro__ for name in vars(kind).get("__slots__", ())]
    readable = hasattr(x, "__dict__") or bool(slots)
    if readable and getattr(type(x), "__reduce__", None) is object.__dict__["__reduce__"]:
        try:
            object.__reduce_ex__(x, 2)  # raises if there is more to the object than its attributes
        except TypeError:
            readable = False
    if not readable:
        raise NoValueError(f"{where}: {type(x).__module__}.{type(x).__qualname__}")
    yield "class", type(x)
    yield from sorted(getattr(x, "__dict__", {}).items())
    yield from ((name, getattr(x, name)) for name in sorted(set(slots)) if hasattr(x, name))


def _name(x: Any) -> str:
    return f"{getattr(x, '__module__', None)}.{getattr(x, '__qualname__', getattr(x, '__name__', ''))}"


def _installed(x: Any) -> bool:
    """Whether something comes with Python, an installed package or this one, and is what its name says."""
    name = x.__name__ if isinstance(x, ModuleType) else getattr(x, "__module__", None)
    if isinstance(x, BuiltinFunctionType | np.ufunc) or name == "builtins" or name in sys.builtin_module_names:
        return True
    if isinstance(x, ModuleType):
        return True  # by its name: what a function takes from it would have to be run to be known
    if "<locals>" in getattr(x, "__qualname__", ""):
        return False
    file = getattr(sys.modules.get(str(name)), "__file__", None)
    if file is None:
        return False
    path = Path(file).resolve()
    return any(path.is_relative_to(root) for root in (*INSTALLED, OWN))
