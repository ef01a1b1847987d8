"""What decides machine code besides what it is made from: the sources that write it, the compiler, the processor."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

from supple.errors import SuppleError

PACKAGE = Path(__file__).resolve().parents[2]
TRACED = ("expressions", "recursions", "description", "model", "symbolic", "erls", "inputs", "simulation")
"""What the equations of models and runs come from."""
AROUND = ("spatial.py", "rigid_body.py", "formulations", "integrators.py")
"""What these are written with."""
WRITERS = ("engines/llvm", "engines/vector_math", "engines/plain.py", "engines/kernels.py")
"""What makes machine code of them."""
SOURCES = {
    "functions": ("engines/llvm/jit.py",),
    "blocks": ("engines/blocks", "engines/llvm/jit.py"),
    "sweeps": (
        *("engines/sweeps", "engines/llvm", "spatial.py", "stepping", "recursions", "simulation/methods"),
        *("film/ground.py", "film/raster.py"),
    ),
    "llvm": (*WRITERS, *TRACED, *AROUND),
    "programs": ("engines/blocks", "engines/sweeps", "engines/plain.py", "engines/kernels.py", *TRACED, *AROUND),
}
"""Kinds of code with the packages and modules whose sources decide it.

Functions are stored by their LLVM code, and blocks by their operations, so that all that counts is how these are
compiled. Sweeps, functions of models (`llvm`) and programs of blocks are stored by what is asked for, so that all
counts that writes them. Programs are no machine code: they say which blocks follow each other, on which cells.
"""
LEVELS = ("0", "1", "2", "3")


@cache
def origin(kind: str) -> str:
    """Digest of the sources that decide code of one kind, of the compiler and of the processor; hexadecimal.

    Read at most once in a process: 0.2 ms for blocks, 3 ms for functions of models.
    """
    digest = hashlib.sha256(_compiler().encode())
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
def host_features() -> str:
    """What the processor can do, as LLVM writes it; without fused multiply-add if `SUPPLE_FMA` is 0."""
    found: str = llvm.get_host_cpu_features().flatten()
    return found if os.environ.get("SUPPLE_FMA") != "0" else f"{found},-fma,-fma4"


@cache
def host_fuses() -> bool:
    """Whether the processor multiplies and adds with one rounding, and may do so."""
    features = llvm.get_host_cpu_features()
    able = any(features.get(name, False) for name in ("fma", "fma4", "neon", "vfp4"))
    return able and os.environ.get("SUPPLE_FMA") != "0"


@cache
def _compiler() -> str:
    """The compiler's version, how hard it tries, and the processor that it writes for."""
    version = f"{llvmlite.__version__} {llvm.llvm_version_info} {optimization_level()}"
    return f"{version} {llvm.get_host_cpu_name()} {host_features()}"


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
