"""Compiled blocks by their content: each is compiled once, kept on disk and loaded once in a process.

Blocks that are compiled together share an object file; an index of all blocks says which one each is in. Until they are
compiled, blocks are instructions for the interpreter, which are written in less time than they would be read from disk.
"""

from __future__ import annotations

import hashlib
import threading
from array import array
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import TypeVar

import llvmlite.binding as llvm
from llvmlite import ir

from supple.engines.blocks import block_code, tangent_code
from supple.engines.blocks.arithmetic_code import INTRINSICS
from supple.engines.blocks.blocks import Block
from supple.engines.blocks.driver import DRIVER, driver_text
from supple.engines.blocks.instructions import block_instructions, tangent_instructions
from supple.engines.blocks.interpreter import INTERPRETER, interpreter_text
from supple.engines.blocks.lane_driver import LANE_DRIVER, lane_driver_text
from supple.engines.blocks.looped_code import in_lanes
from supple.engines.blocks.tangent_blocks import TangentBlock
from supple.engines.code_cache import has_code, read_code, write_code
from supple.engines.llvm.jit import function_of, loaded, object_code_of
from supple.engines.vector_math.functions import FUNCTIONS, VectorMath, symbol

ATTRIBUTES = "attributes #0 = {{ nounwind alignstack={align} }}\n!0 = !{{}}"
"""Spilled vectors that are not aligned straddle cache lines."""
T = TypeVar("T")


class Library:
    """Functions in machine code for one number of lanes.

    Parameters
    ----------
    lanes : int
    """

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self._addresses: dict[str, int] = {}
        self._instructions: dict[str, array[int]] = {}
        self._read: tuple[bytes, dict[str, list[str]], dict[str, str]] = b"", {}, {}
        self._engines: list[llvm.ExecutionEngine] = []
        self._lock = threading.RLock()

    def blocks(self, wanted: Iterable[Block], compile: bool = True) -> dict[str, int]:
        """Addresses of blocks by their names.

        Those that nobody has compiled yet are compiled together, or else left out. Loops are compiled to be fast.
        """
        with self._lock:
            blocks = {block.name: block for block in wanted}
            new = {name: block for name, block in blocks.items() if name not in self._addresses}
            for name, block in list(new.items()):
                if block.loops:
                    del new[name]
                    text = f"{in_lanes(block.loops, name, self.lanes)}\n{self._attributes()}"
                    self._addresses[name] = function_of(name, text, True)[1]
            if new:
                self._functions(new.values())
                new = self._from_disk(new)
            if new and compile:
                self._compile(list(new), f"{block_code.module(new.values(), self.lanes)}\n{self._attributes()}")
            return {name: self._addresses[name] for name in blocks if name in self._addresses}

    def tangents(self, wanted: Iterable[TangentBlock], states: bool, compile: bool = True) -> dict[str, int]:
        """The same of tangents, whose lanes are states or directions."""
        with self._lock:
            symbols = {tangent_code.symbol(block, states): block for block in wanted}
            new = self._from_disk({name: block for name, block in symbols.items() if name not in self._addresses})
            if new and compile:
                text = tangent_code.module(new.values(), self.lanes, states)
                self._compile(list(new), f"{text}\n{self._attributes()}")
            found = {block.name: self._addresses.get(name) for name, block in symbols.items()}
            return {name: address for name, address in found.items() if address is not None}

    def block_instructions(self, wanted: Iterable[Block]) -> dict[str, int]:
        """Addresses of the instructions of blocks by their names."""
        with self._lock:
            blocks = {block.name: block for block in wanted}
            functions = self._functions(blocks.values())
            for name, block in blocks.items():
                if name not in self._instructions:
                    self._instructions[name] = block_instructions(block, functions)
            return {name: self._instructions[name].buffer_info()[0] for name in blocks}

    def tangent_instructions(self, wanted: Iterable[TangentBlock], states: bool) -> dict[str, int]:
        """The same of tangents, whose lanes are states or directions."""
        with self._lock:
            symbols = {tangent_code.symbol(block, states): block for block in wanted}
            for name, block in symbols.items():
                if name not in self._instructions:
                    self._instructions[name] = tangent_instructions(block, states)
            return {block.name: self._instructions[name].buffer_info()[0] for name, block in symbols.items()}

    def interpreter(self) -> int:
        """The address of the function that runs instructions."""
        return function_of(INTERPRETER, interpreter_text(self.lanes))[1]

    def driver(self) -> int:
        """The address of the function that walks the blocks of a program."""
        return function_of(DRIVER, driver_text(self.lanes), True)[1]

    @cached_property
    def lane_driver(self) -> int:
        """The address of the function that does it step by step for lanes with their own numbers."""
        return function_of(LANE_DRIVER, lane_driver_text(self.lanes))[1]

    def _functions(self, blocks: Iterable[Block]) -> dict[str, int]:
        """Addresses of the functions that blocks call, which these also find by their names."""
        called = {name for block in blocks for name in block.names} & FUNCTIONS.keys() - INTRINSICS.keys()
        return {name: _known(name, self.lanes) for name in called | ({"sincos"} if "sin" in called else set())}

    def _attributes(self) -> str:
        return ATTRIBUTES.format(align=max(16, 8 * self.lanes))

    def _from_disk(self, wanted: Mapping[str, T]) -> dict[str, T]:
        """Load what is on disk of some functions; give those that are not."""
        _, places = self._index()
        objects: dict[str, list[str]] = {}
        for name in wanted:
            if name in places:
                objects.setdefault(places[name], []).append(name)
        for place, names in objects.items():
            code = read_code("blocks", self._key(place))
            if code is not None:
                self._load(code, names)
        return {name: x for name, x in wanted.items() if name not in self._addresses}

    def _compile(self, names: list[str], text: str) -> None:
        """Compile a module, keep it and load it."""
        code = object_code_of(text)
        place = hashlib.sha256(" ".join(names).encode()).hexdigest()[:32]
        write_code("blocks", self._key(place), code)
        self._enter(place, names)
        self._load(code, names)

    def _index(self) -> tuple[dict[str, list[str]], dict[str, str]]:
        """The names of the functions in each object on disk, and the object that each function is in."""
        content = read_code("blocks", self._key("index")) or b""
        if content != self._read[0]:
            rows = (line.split() for line in content.decode().splitlines())
            index = {place: names for place, *names in rows}
            self._read = content, index, {name: place for place, names in index.items() for name in names}
        return self._read[1:]

    def _enter(self, place: str, names: list[str]) -> None:
        """Put an object into the index, all its functions at once.

        What another process enters at the same time may be lost; it is compiled and entered once more when it is used.
        Objects that are no more on disk go whenever the index has grown to a power of two: to look for all of them each
        time would take longer than to compile.
        """
        index = self._index()[0] | {place: names}
        if len(index) & (len(index) - 1) == 0:
            index = {x: held for x, held in index.items() if x == place or has_code("blocks", self._key(x))}
        text = "\n".join(" ".join([x, *held]) for x, held in sorted(index.items()))
        write_code("blocks", self._key("index"), text.encode())

    def _load(self, code: bytes, names: list[str]) -> None:
        for function in FUNCTIONS.keys() - INTRINSICS.keys():  # also for blocks in the object that nothing here uses
            if f"{symbol(function, self.lanes)}\0".encode() in code:
                _known(function, self.lanes)
        engine, _ = loaded(code, names[0])
        self._engines.append(engine)
        for name in names:
            self._addresses[name] = engine.get_function_address(name)

    def _key(self, name: str) -> str:
        """Of a file for these lanes."""
        return f"{name} {self.lanes}"


@cache
def _known(function: str, lanes: int) -> int:
    """The address of a function of vectors, which all blocks find by its name from now on."""
    module = ir.Module()
    name = VectorMath(module, lanes).external(function)
    address = function_of(name, str(module))[1]
    llvm.add_symbol(name, address)
    return address
