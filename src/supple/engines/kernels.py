"""How a recursion is compiled: the two decorators that all number-generic functions carry.

A `step` is plain Python over numbers, tuples and arrays; a `sweep` is a loop of steps over the bodies. Numba compiles
a sweep, its steps inlined, the first time it is called with a number type (float64, complex128) and keeps the machine
code on disk. The plain Python twins stay reachable, so the same source also runs on any other number type.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import caching
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from supple.engines.code_cache import cache_directory, read_code, write_code

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
DIRECTORY = cache_directory() / "numba"


@cache
def source_fingerprint() -> str:
    """Digest of every source file that holds steps: any change makes all compiled code stale.

    Numba looks only at the file of the function itself, and would go on using machine code into which an older version
    of a function from another file was inlined.
    """
    digest = hashlib.sha256()
    others = [PACKAGE / "spatial.py", PACKAGE / "engines" / "llvm" / "call.py"]
    for path in [Path(__file__), *others, *sorted((PACKAGE / "recursions").glob("*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


# Fused multiply-adds are allowed, no other reordering of arithmetic. Reference counting is off: sweeps never allocate
# or keep an array, and counting costs five times the arithmetic. The interpreter lock is released.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}, "_nrt": False}


class _Cache(caching.NullCache):  # type: ignore[misc]
    """Where Numba finds and puts the compiled code of one sweep: one file for each key.

    Numba's own index and data files have no checksums, and two processes that write at once can exchange them. What is
    in ours is still Numba's, a pickle; it is read only after its key and checksum are found right, from a directory
    that nobody else can write to.
    """

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._py_func = py_func

    @cached_property
    def _origin(self) -> str:
        """All that decides the code but the types of the arguments and the processor."""
        code = self._py_func.__code__
        own = hashlib.sha256(Path(code.co_filename).read_bytes()).hexdigest()
        name = f"{self._py_func.__qualname__} {code.co_firstlineno}"
        return f"{name} {own} {source_fingerprint()} {numba.__version__} {sys.version}"

    def _key(self, sig: Any, codegen: Any) -> str:
        return f"{self._origin} {sig!r} {codegen.magic_tuple()}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code from disk, None if there is none."""
        target_context.refresh()
        content = read_code(DIRECTORY, self._key(sig, target_context.codegen()))
        return None if content is None else CompileResult._rebuild(target_context, *pickle.loads(content))

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Put compiled code there, where that is possible and it holds no addresses of this process."""
        if not cres.library.has_dynamic_globals:
            write_code(DIRECTORY, self._key(sig, cres.codegen), dumps(cres._reduce()))


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
    compiled._cache = _Cache(function)
    return compiled
