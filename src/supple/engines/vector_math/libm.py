"""Where the JIT finds libm."""

from __future__ import annotations

import ctypes
import sys

import llvmlite.binding as llvm

LIBRARY = ("sin", "cos", "tan", "atan2", "exp", "sinh", "cosh", "log", "pow", "hypot")
"""libm's functions that special arguments are given to."""


def resolve_libm() -> dict[str, int]:
    """Addresses of libm's functions by name, made known to MCJIT.

    MCJIT looks symbols up in the process, which does not hold libm's everywhere. OrcJIT keeps its own tables: give it
    the addresses with `JITLibraryBuilder.import_symbol`.
    """
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    addresses = {}
    for name in LIBRARY:
        address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        assert address is not None
        llvm.add_symbol(name, address)
        addresses[name] = address
    return addresses
