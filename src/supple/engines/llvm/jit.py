"""Machine code from LLVM code, for the host's processor; kept on disk and read back."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
from llvmlite import ir

from supple.engines.kernels import PACKAGE, cache_directory
from supple.engines.llvm.emit import NAME
from supple.engines.vector_math import resolve_libm

MAGIC = b"supple object 1\n"


@cache
def target_machine() -> Any:
    """The host's processor with all its features. Made once: LLVM is initialised here."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    resolve_libm()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, jit=True
    )


@cache
def host_lanes() -> int:
    """Doubles in a vector register of the host: 8, 4 or 2; 1 where there are none."""
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 8
    if features.get("avx") or features.get("sve"):
        return 4
    return 2 if features.get("sse2") or features.get("neon") else 1


@cache
def fingerprint() -> str:
    """Digest of everything but the model that decides what the machine code is: sources, compiler, processor."""
    digest = hashlib.sha256()
    for folder in ("recursions", "symbolic", "engines", "erls", "inputs", "simulation"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    digest.update((PACKAGE / "spatial.py").read_bytes())
    features = llvm.get_host_cpu_features().flatten()
    for text in (llvmlite.__version__, str(llvm.llvm_version_info), llvm.get_host_cpu_name(), features):
        digest.update(text.encode())
    return digest.hexdigest()


def object_code(module: ir.Module) -> bytes:
    """Compile a module. Functions are inlined and their stack slots dissolved; the graph left no more to be found."""
    machine = target_machine()
    parsed = llvm.parse_assembly(str(module))
    parsed.triple, parsed.data_layout = machine.triple, str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    builder = llvm.create_pass_builder(machine, options)
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.run(parsed, builder)
    code: bytes = machine.emit_object(parsed)
    return code


class Native:
    """Loaded machine code; it stays as long as this object."""

    def __init__(self, code: bytes) -> None:
        target_machine()
        empty = llvm.parse_assembly("")
        self._engine = llvm.create_mcjit_compiler(empty, _own_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self.address: int = self._engine.get_function_address(NAME)
        if not self.address:
            raise ValueError("the object holds no kernel")


def _own_machine() -> Any:
    """A target machine that an engine may own."""
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, jit=True
    )


def load_or_compile(key: str, make: Callable[[], bytes]) -> Native:
    """Machine code from disk under this key, else compiled and put there; a damaged or foreign file is made anew."""
    name = hashlib.sha256((key + fingerprint()).encode()).hexdigest()
    path = cache_directory() / "llvm" / f"{name}.o"
    code = _read(path)
    if code is not None:
        return Native(code)
    code = make()
    _write(path, code)
    return Native(code)


def _read(path: Path) -> bytes | None:
    """The object in a file whose checksum is right, else None."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    head = len(MAGIC) + 32
    code = content[head:]
    if content[: len(MAGIC)] != MAGIC or content[len(MAGIC) : head] != hashlib.sha256(code).digest():
        return None
    return code


def _write(path: Path, code: bytes) -> None:
    """Put the object there whole or not at all; where that cannot be, it is compiled again next time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
            draft.write(MAGIC + hashlib.sha256(code).digest() + code)
        os.replace(draft.name, path)
    except OSError:
        return
