"""How a recursion is compiled: the two decorators that all number-generic functions carry.

A `step` is plain Python over numbers, tuples and arrays; a `sweep` is a loop of steps over the bodies. Numba compiles
a sweep, its steps inlined, the first time it is called with a number type (float64, complex128) and keeps the machine
code on disk. The plain Python twins stay reachable, so the same source also runs on any other number type.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numba
from numba.core import caching

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent


@cache
def source_fingerprint() -> str:
    """Digest of every source file that holds steps: any change makes all compiled code stale.

    Numba looks only at the file of the function itself, and would go on using machine code into which an older version
    of a function from another file was inlined.
    """
    digest = hashlib.sha256()
    for path in [Path(__file__), PACKAGE / "spatial.py", *sorted((PACKAGE / "recursions").glob("*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def cache_directory() -> Path:
    """Directory of compiled code: `SUPPLE_CACHE_DIR`, else the user's cache directory."""
    chosen = os.environ.get("SUPPLE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "supple"


# Fused multiply-adds are allowed, no other reordering of arithmetic. Reference counting is off: sweeps never allocate
# or keep an array, and counting costs five times the arithmetic. The interpreter lock is released.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}, "_nrt": False}


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Tells Numba where compiled code is kept and what it depends on."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._line = py_func.__code__.co_firstlineno
        self._own = hashlib.sha256(Path(py_func.__code__.co_filename).read_bytes()).hexdigest()
        self._path = str(cache_directory() / "numba")

    def get_cache_path(self) -> str:
        return self._path

    def get_source_stamp(self) -> str:
        return source_fingerprint() + self._own

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator | None:
        locator = cls(py_func)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


class _CacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar[list[Any]] = [_Locator]


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code from disk; None, and a fresh index, when what is there cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file can fail in any way; compiling anew is always right
            self.flush()
            return None


def step(function: F) -> F:
    """Return `function` compiled into every sweep that calls it: always inlined, not callable from Python by itself.

    Its plain Python twin is `function.py_func`.
    """
    return numba.njit(**_OPTIONS, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


def sweep(function: F) -> F:
    """Return `function` compiled on first use for the number type it is called with, and kept on disk.

    When the cache directory cannot be written the code is compiled anew in each process.
    """
    compiled = numba.njit(**_OPTIONS)(function)
    with suppress(RuntimeError):  # no place to write: compile in memory
        compiled._cache = _Cache(function)
    return compiled
