"""Compiled blocks by their content: each is compiled once, kept on disk and loaded once in a process.

Blocks that are compiled together share an object file; a small file for each block says which one it is in.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

import llvmlite
import llvmlite.binding as llvm
from llvmlite import ir

from supple.engines.blocks import block_code, tangent_code
from supple.engines.blocks.blocks import Block
from supple.engines.blocks.driver import DRIVER, driver_text
from supple.engines.blocks.tangent_blocks import TangentBlock
from supple.engines.code_cache import cache_directory, read_code, write_code
from supple.engines.llvm.jit import function_of, loaded, object_code_of
from supple.engines.vector_math.functions import FUNCTIONS, VectorMath

ATTRIBUTES = "attributes #0 = { nounwind }\n!0 = !{}"
T = TypeVar("T")
HERE = Path(__file__).resolve().parent


class Library:
    """Functions in machine code for one number of lanes."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self._addresses: dict[str, int] = {}
        self._engines: list[llvm.ExecutionEngine] = []
        self._lock = threading.RLock()

    def blocks(self, wanted: Iterable[Block]) -> dict[str, int]:
        """Addresses of blocks by their names; those that nobody has compiled yet are compiled together."""
        with self._lock:
            blocks = {block.name: block for block in wanted}
            new = {name: block for name, block in blocks.items() if name not in self._addresses}
            if new:
                called = {x[0] for block in new.values() for x in block.operations} & FUNCTIONS.keys()
                for function in sorted(called | ({"sincos"} if "sin" in called else set())):
                    _make_known(function, self.lanes)
                new = self._from_disk(new)
            if new:
                self._compile(list(new), f"{block_code.module(new.values(), self.lanes)}\n{ATTRIBUTES}")
            return {name: self._addresses[name] for name in blocks}

    def tangents(self, wanted: Iterable[TangentBlock], states: bool) -> dict[str, int]:
        """The same of tangents, whose lanes are states or directions."""
        with self._lock:
            blocks = {block.name: block for block in wanted}
            symbols = {tangent_code.symbol(block, states): block for block in blocks.values()}
            new = self._from_disk({name: block for name, block in symbols.items() if name not in self._addresses})
            if new:
                text = tangent_code.module(new.values(), self.lanes, states)
                self._compile(list(new), f"{text}\n{ATTRIBUTES}")
            return {block.name: self._addresses[name] for name, block in symbols.items()}

    def driver(self) -> int:
        """The address of the function that walks the blocks of a program."""
        return function_of(DRIVER, driver_text(self.lanes))[1]

    def _from_disk(self, wanted: Mapping[str, T]) -> dict[str, T]:
        """Load what is on disk of some functions; give those that are not."""
        objects: dict[str, list[str]] = {}
        for name in wanted:
            key = read_code(_directory(), self._key(name))
            if key is not None:
                objects.setdefault(key.decode(), []).append(name)
        for own, names in objects.items():
            code = read_code(_directory(), own)
            if code is not None:
                self._load(code, names)
        return {name: x for name, x in wanted.items() if name not in self._addresses}

    def _compile(self, names: list[str], text: str) -> None:
        """Compile a module, keep it and load it."""
        code = object_code_of(text)
        key = self._key(hashlib.sha256(" ".join(names).encode()).hexdigest())
        write_code(_directory(), key, code)
        for name in names:
            write_code(_directory(), self._key(name), key.encode())
        self._load(code, names)

    def _load(self, code: bytes, names: list[str]) -> None:
        engine, _ = loaded(code, names[0])
        self._engines.append(engine)
        for name in names:
            self._addresses[name] = engine.get_function_address(name)

    def _key(self, name: str) -> str:
        """All that decides machine code: the function, its lanes, how it is written, the compiler, the processor."""
        return f"{name} {self.lanes} {_origin()}"


@cache
def _make_known(function: str, lanes: int) -> None:
    """Let all blocks find a function of vectors by its name, as long as the process lives."""
    if function not in block_code.INTRINSICS:
        module = ir.Module()
        name = VectorMath(module, lanes).external(function)
        llvm.add_symbol(name, function_of(name, str(module))[1])


@cache
def _origin() -> str:
    """Digest of the sources that write functions, of the compiler and of the processor."""
    digest = hashlib.sha256(llvm.get_host_cpu_features().flatten().encode())
    for folder in (HERE, HERE.parent / "vector_math", HERE.parent / "llvm"):
        for path in sorted(folder.glob("*.py")):
            digest.update(path.read_bytes())
    return f"{digest.hexdigest()} {llvmlite.__version__} {llvm.llvm_version_info} {llvm.get_host_cpu_name()}"


def _directory() -> Path:
    return cache_directory() / "blocks"
