"""What decides machine code besides what it is made from: sources that write it, compiler, processor, and Python.

Code reads the objects of Python and numpy directly, and these are laid out differently in different builds of Python.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from importlib import machinery
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from supple.errors import SuppleError

PACKAGE = Path(__file__).resolve().parents[2]
TRACED = ("expressions", "recursions", "description", "model", "symbolic", "erls", "inputs", "simulation")
"""What the equations of models and runs come from."""
AROUND = ("spatial.py", "rigid_body.py", "formulations", "integrators.py")
"""What these are written with."""
SOURCES = {
    "functions": ("engines/llvm/jit.py",),
    "blocks": ("engines/blocks", "engines/llvm/jit.py"),
    "sweeps": (
        *("engines/sweeps", "engines/llvm", "spatial.py", "stepping", "recursions", "simulation/methods"),
        *("view/film/raster.py", "view/film/shading.py", "view/scene/look.py"),
    ),
    "programs": ("engines/blocks", "engines/sweeps", "engines/plain.py", "engines/kernels.py", *TRACED, *AROUND),
}
"""Kinds of code with the packages and modules whose sources decide it.

Functions are stored by their LLVM code, and blocks by their operations, so that all that counts is how these are
compiled. Sweeps and programs of blocks are stored by what is asked for, so that all counts that writes them.
Programs are no machine code: they say which blocks follow each other, on which cells.
"""
LEVELS = ("0", "1", "2", "3")


@cache
def origin(kind: str) -> str:
    """Digest of the sources that decide code of one kind, of compiler, processor and Python; hexadecimal.

    Read at most once in a process: 0.2 ms for blocks, 3 ms for programs.
    """
    digest = hashlib.sha256(f"{_compiler()} {_objects()}".encode())
    for part in SOURCES[kind]:
        for path in _sources(part):
            with open(f"{PACKAGE}/{path}", "rb", buffering=0) as file:
                source = file.read()
            digest.update(f"\n{path} {len(source)}\n".encode() + source)
    return digest.hexdigest()


@cache
def optimization_level() -> int:
    """How hard the compiler tries to write fast code: `SUPPLE_OPTIMIZATION` if it is set, else 1.

    At 2 code takes a quarter longer to compile and is no faster: the graph left nothing more to be found. At 0 it is
    compiled in a fifth of the time and runs half as long again. Blocks are interpreted at first, unless a level is set
    (`tiered`).
    """
    chosen = os.environ.get("SUPPLE_OPTIMIZATION") or "1"
    if chosen not in LEVELS:
        expected = f"expected one of {', '.join(LEVELS)}"
        raise SuppleError(f"environment variable SUPPLE_OPTIMIZATION: {expected}, got {chosen!r}")
    return int(chosen)


@cache
def tiered() -> bool:
    """Whether blocks are interpreted first, and compiled when they have run for a while."""
    return not os.environ.get("SUPPLE_OPTIMIZATION")


@cache
def host_features() -> dict[str, bool]:
    """What the processor can do, by LLVM's names.

    LLVM reports nothing on Apple silicon; every 64-bit ARM has NEON.
    """
    found = dict(llvm.get_host_cpu_features())
    return {"neon": True, **found} if _is_aarch64() else found


@cache
def host_fuses() -> bool:
    """Whether the processor multiplies and adds with one rounding, and may do so (`SUPPLE_FMA` is not 0)."""
    able = _is_aarch64() or any(host_features().get(name, False) for name in ("fma", "fma4", "vfp4"))
    return able and os.environ.get("SUPPLE_FMA") != "0"


def _is_aarch64() -> bool:
    return str(llvm.get_default_triple()).startswith(("aarch64", "arm64"))


@cache
def _compiler() -> str:
    """The compiler's version, how hard it tries, and the processor that it writes for."""
    version = f"{llvmlite.__version__} {llvm.llvm_version_info} {optimization_level()}"
    features = ",".join(f"{name}={able}" for name, able in sorted(host_features().items()))
    return f"{version} {llvm.get_default_triple()} {llvm.get_host_cpu_name()} {features} {host_fuses()}"


def _objects() -> str:
    """How objects are laid out in memory: by the ABI of Python, and by numpy.

    The ending of extension modules names implementation, version, free threading, debugging and system:
    `.cpython-314t-x86_64-linux-gnu.so`.
    """
    return f"{machinery.EXTENSION_SUFFIXES[0]} {np.__version__}"


def _sources(part: str) -> Iterator[str]:
    """A module, or all modules in a package, always in the same order, by their paths in ours."""
    if part.endswith(".py"):
        yield part
        return
    with os.scandir(f"{PACKAGE}/{part}") as entries:
        found = sorted((entry.name, entry.is_dir()) for entry in entries)
    for name, package in found:
        if name.endswith(".py") or (package and name != "__pycache__"):
            yield from _sources(f"{part}/{name}")
