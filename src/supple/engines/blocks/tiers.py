"""Blocks that are interpreted at first, and compiled once they have run for long enough to be worth it, in a thread.

Both give the same results to the last bit (see `fused_sums`), so that functions are exchanged while programs run: a
driver reads their addresses from the words of its program, and counts there what is left until they are exchanged.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from supple.engines.blocks.blocks import Block
from supple.engines.blocks.driven_code import Words
from supple.engines.blocks.loop_code import LoopWriter
from supple.engines.blocks.tangent_blocks import TangentBlock
from supple.engines.code_cache.code_origin import tiered
from supple.engines.once import once

T = TypeVar("T", Block, TangentBlock)
Functions = Callable[..., dict[str, int]]
LEFT, EXCHANGE = range(2)
"""The first words of every program: the evaluations until its functions are exchanged, not positive if they are not;
the address of the function that does it."""
FAST = -(1 << 62)
"""What is left once they are exchanged."""
WORTH = 15_000
"""Evaluations of a block after which what the interpreter has lost on it is as much as it takes to compile it."""


def count_down(f: LoopWriter, evaluations: str) -> None:
    """Write what a driver does at its end, after so many evaluations."""
    left = f.load("i64", "%program", str(LEFT))
    waiting = f.value(f"icmp sgt i64 {left}, 0")
    with f.loop("0", f.value(f"zext i1 {waiting} to i64")):
        rest = f.value(f"sub i64 {left}, {evaluations}")
        f.line(f"store i64 {rest}, ptr {f.at('i64', '%program', str(LEFT))}")
        over = f.value(f"icmp sle i64 {rest}, 0")
        with f.loop("0", f.value(f"zext i1 {over} to i64")):
            f.line(f"call void {f.load('ptr', '%program', str(EXCHANGE))}(ptr %program)")


class TieredFunctions(Generic[T]):
    """The functions of a program: compiled ones as far as they are there, else the interpreter.

    Parameters
    ----------
    blocks : sequence of Block or TangentBlock
        In the order in which they are called.
    compiled, instructions : function
        `blocks` and `block_instructions`, or the same of tangents, of a library.
    interpreter : function
        Gives the address of the interpreter.

    Attributes
    ----------
    evaluations : int
        How often the program runs until it is worth to compile what is interpreted; 0 if nothing is.
    """

    def __init__(
        self, blocks: Sequence[T], compiled: Functions, instructions: Functions, interpreter: Callable[[], int]
    ) -> None:
        self._names, known = [x.name for x in blocks], {x.name: x for x in blocks}
        self._compiled, self._addresses = compiled, compiled(known.values(), compile=not tiered())
        self._interpreted: dict[str, T] = {name: x for name, x in known.items() if name not in self._addresses}
        self._instructions: dict[str, int] = {}
        self.evaluations = 0
        if self._interpreted:
            self._instructions = instructions(self._interpreted.values())
            self._addresses |= dict.fromkeys(self._interpreted, interpreter())
            size = {name: len(x.operations) for name, x in self._interpreted.items()}
            called = sum(size.get(name, 0) for name in self._names)
            self.evaluations = max(1, WORTH * sum(size.values()) // max(1, called))

    def exchange(self) -> None:
        """Have compiled functions in place of the interpreter."""
        if self._interpreted:
            self._addresses |= self._compiled(self._interpreted.values())
            self._interpreted, self.evaluations = {}, 0

    def addresses(self) -> list[int]:
        """Of the functions in the order in which they are called."""
        return [self._addresses[name] for name in self._names]

    def instructions(self) -> list[int]:
        """Addresses of what is interpreted at first, in the order in which functions are called; 0 for others."""
        return [self._instructions.get(name, 0) for name in self._names]


class Tables:
    """What functions are given with each call, one table after the other.

    Parameters
    ----------
    tables : sequence of sequence of int
        Byte offsets, in the order in which functions are called.
    instructions : sequence of int
        Addresses, which stand before the tables for the interpreter to find.

    Attributes
    ----------
    addresses : array of int
        Of the tables.
    """

    def __init__(self, tables: Sequence[Sequence[int]], instructions: Sequence[int]) -> None:
        before = np.array(instructions, dtype=np.int64).view(np.int32).reshape(-1, 2).tolist()
        self._words = np.array(
            [word for pair, table in zip(before, tables, strict=True) for word in (*pair, *table)], dtype=np.int32
        )
        ends = np.cumsum([2 + len(table) for table in tables], dtype=np.int64)
        lengths = np.array([len(table) for table in tables], dtype=np.int64)
        self.addresses: Words = self._words.ctypes.data + 4 * (ends - lengths)


class Tiers:
    """Where the addresses of functions stand in the words of a program.

    Parameters
    ----------
    words : array
        The program.
    places : sequence of int
        Words that are addresses, in the order in which functions are called.
    functions : TieredFunctions
    """

    def __init__(self, words: Words, places: Sequence[int], functions: TieredFunctions[Any]) -> None:
        self._words, self._places, self._functions = words, places, functions
        self._lock = threading.Lock()
        words[EXCHANGE], words[LEFT] = _exchange()[1], functions.evaluations
        for place, address in zip(places, functions.addresses(), strict=True):
            words[place] = address
        _waiting[words.ctypes.data] = self

    def expect(self, evaluations: int) -> None:
        """Put compiled functions in place of the interpreter if they are about to be evaluated often enough."""
        if evaluations >= self._words[LEFT] > 0:
            self.exchange()

    def foresee(self, evaluations: int) -> None:
        """Compile in a thread of its own what is about to be evaluated often enough, while the interpreter begins."""
        if evaluations >= self._words[LEFT] > 0:
            self._words[LEFT] = 0  # nothing is counted from now on
            _compile_aside(self)

    def exchange(self) -> None:
        """Put compiled functions in place of the interpreter. Others may run the program meanwhile."""
        with self._lock:
            if self._words[LEFT] != FAST:
                self._functions.exchange()
                for place, address in zip(self._places, self._functions.addresses(), strict=True):
                    self._words[place] = address
                self._words[LEFT] = FAST


_waiting: WeakValueDictionary[int, Tiers] = WeakValueDictionary()
"""By the addresses of their programs."""


_compiling: set[threading.Thread] = set()
_starting = threading.Lock()


def settle() -> None:
    """Wait for all functions that are being exchanged."""
    with _starting:
        threads = list(_compiling)
    for thread in threads:
        thread.join()


if hasattr(os, "register_at_fork"):  # a process that is forked meanwhile would never get the compiler's locks
    os.register_at_fork(before=settle)


def _compile_aside(tiers: Tiers) -> None:
    """Exchange functions in a thread of its own: whoever has called the driver goes on without a pause."""

    def work() -> None:
        try:
            tiers.exchange()
        finally:
            _compiling.discard(thread)

    thread = threading.Thread(target=work, name="supple compiler")
    with _starting:
        _compiling.add(thread)
        thread.start()


@once
def _exchange() -> tuple[Any, int]:
    """What drivers call, which stays as long as the process, and its address."""

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def exchange(program: int) -> None:
        tiers = _waiting.get(program)
        if tiers is not None:
            _compile_aside(tiers)

    return exchange, int(ctypes.cast(exchange, ctypes.c_void_p).value or 0)
