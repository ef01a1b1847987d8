"""Blocks and tangents as instructions for the interpreter: what machine code would do, operation by operation.

An instruction is five 32-bit words: what to do, the register that the result goes to, and up to three arguments. There
is a register for each operation, then one for each constant and each intermediate value of a sum.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum, auto

from supple.engines.blocks.block_recorder import NUMBERS
from supple.engines.blocks.blocks import Block, Operand, Operation
from supple.engines.blocks.fused_sums import Chain, fused_sums
from supple.engines.blocks.tangent_blocks import TangentBlock
from supple.engines.blocks.tangent_code import TAPE, Products
from supple.engines.code_cache.code_origin import host_fuses

WORDS = 5
"""Of an instruction."""
HEADER = 16
"""Bytes before the first instruction: how many registers there are, and where the pool begins."""


class Op(IntEnum):
    """What an instruction does: with registers, with cells whose row is in the table, or with entries of the pool.

    Cells are those of the first or of the second array that a function is given; a number is the same in all lanes.
    """

    END = 0
    LOAD_FIRST = auto()
    LOAD_SECOND = auto()
    NUMBER_OF_FIRST = auto()
    NUMBER_OF_SECOND = auto()
    STORE_FIRST = auto()
    STORE_SECOND = auto()
    CONSTANT = auto()
    ADD = auto()
    SUB = auto()
    MUL = auto()
    DIV = auto()
    NEG = auto()
    SQRT = auto()
    ABS = auto()
    MIN = auto()
    MAX = auto()
    FUSED = auto()
    """x y + z, with one rounding."""
    FUSED_MINUS = auto()
    """-x y + z."""
    CALL = auto()
    """A function of one register, whose address is in the pool."""
    CALL_OF_TWO = auto()
    SINE_AND_COSINE = auto()
    """The cosine goes to the register that is the third argument."""


OWN = {op.name.lower(): op for op in Op if Op.ADD <= op <= Op.MAX}
"""Operations that are instructions."""


class Instructions:
    """The instructions of some operations.

    Parameters
    ----------
    operations : sequence
        See `Block.of`.
    stored : sequence of int or float
        Operands that are stored afterwards.
    functions : mapping of str to int
        Addresses of the functions that operations call; of "sincos" where a sine is among them.
    """

    def __init__(
        self, operations: Sequence[Operation], stored: Sequence[Operand], functions: Mapping[str, int]
    ) -> None:
        self._operations, self._functions = operations, functions
        self.words: list[int] = []
        self._registers = len(operations)
        self._pool = array("q")
        self._constants: dict[bytes, int] = {}
        self._angles = {x[:2]: i for i, x in enumerate(operations) if x[0] in ("sin", "cos")}
        self._paired = {x for _, x in self._angles if ("sin", x) in self._angles and ("cos", x) in self._angles}
        self._done: set[int] = set()
        self._chains, self._parts = fused_sums(operations, stored)

    def add(self, op: Op, result: int, x: int = 0, y: int = 0, z: int = 0) -> int:
        """Write an instruction; gives the register of its result."""
        self.words += (op, result, x, y, z)
        return result

    def register(self, x: Operand) -> int:
        """Where an operand is; constants are put there where they are used first."""
        if type(x) is int:
            return x
        bits = struct.pack("d", x)
        found = self._constants.get(bits)
        if found is None:
            found = self._constants[bits] = self.add(Op.CONSTANT, self._new(), self._kept(bits))
        return found

    def operation(self, i: int) -> None:
        """Write an operation that is no load; nothing for one that is a part of a chain, or was done with another."""
        if i in self._parts or i in self._done:
            return
        name, *args = self._operations[i]
        if i in self._chains:
            self._chain(i, self._chains[i])
        elif name in OWN:
            self.add(OWN[name], i, *[self.register(x) for x in args])
        elif name in ("sin", "cos") and args[0] in self._paired:
            sine, cosine = (self._angles[part, args[0]] for part in ("sin", "cos"))
            self._done |= {sine, cosine}
            self.add(Op.SINE_AND_COSINE, sine, args[0], self._function("sincos"), cosine)
        elif len(args) == 1:
            self.add(Op.CALL, i, self.register(args[0]), self._function(name))
        else:
            x, y = (self.register(x) for x in args)
            self.add(Op.CALL_OF_TWO, i, x, self._function(name), y)

    def _chain(self, i: int, chain: Chain) -> None:
        """A sum of products, term by term as `fused_sums.chain_lines` writes it."""
        products = [(minus, *self._operations[product][1:]) for minus, product in chain.products]
        if chain.start is None:
            at = next((n for n, (minus, *_) in enumerate(products) if not minus), 0)
            minus, x, y = products.pop(at)
            first = self.register(x)
            if minus:
                first = self.add(Op.NEG, self._new(), first)
            total = self.add(Op.MUL, i, first, self.register(y))
        else:
            total = self.register(chain.start)
            if chain.minus:
                total = self.add(Op.NEG, i, total)
        for minus, x, y in products:
            x, y = self.register(x), self.register(y)
            if host_fuses():
                total = self.add(Op.FUSED_MINUS if minus else Op.FUSED, i, x, y, total)
            else:
                product = self.add(Op.MUL, self._new(), x, y)
                total = self.add(Op.SUB if minus else Op.ADD, i, total, product)

    def _new(self) -> int:
        self._registers += 1
        return self._registers - 1

    def _kept(self, entry: bytes) -> int:
        """The place of a new entry of the pool."""
        self._pool.frombytes(entry)
        return len(self._pool) - 1

    def _function(self, name: str) -> int:
        return self._kept(struct.pack("q", self._functions[name]))

    def written(self) -> array[int]:
        """All of it, as the interpreter reads it."""
        words = array("i", [*self.words, *[0] * WORDS])
        if len(words) % 2:
            words.append(0)
        found = array("q", (self._registers, HEADER + 4 * len(words)))
        found.frombytes(words.tobytes())
        return found + self._pool


def block_instructions(block: Block, functions: Mapping[str, int]) -> array[int]:
    """The instructions of a block: its first array is the memory, its second the numbers."""
    numbers = [space == NUMBERS for space in block.spaces]
    written = Instructions(block.operations, [x for _, _, x in block.stores], functions)
    for i, operation in enumerate(block.operations):
        if operation[0] == "load":
            _, slot, place = operation
            written.add(Op.NUMBER_OF_SECOND if numbers[slot] else Op.LOAD_FIRST, i, slot, place)
        else:
            written.operation(i)
    _store(written, Op.STORE_FIRST, block.stores)
    return written.written()


def tangent_instructions(block: TangentBlock, states: bool) -> array[int]:
    """The instructions of a tangent: its first array are the values, with the tape; its second the tangents."""
    products = Products(block)
    stores = [(slot + 1, place, products.number[x]) for slot, place, x in block.stores]
    written = Instructions(products.operations, [x for _, _, x in stores], {})
    tape = Op.LOAD_FIRST if states else Op.NUMBER_OF_FIRST
    for i, operation in enumerate(products.operations):
        if operation[0] == "load":
            _, slot, place = operation
            written.add(tape if slot == TAPE else Op.LOAD_SECOND, i, slot + 1, place)
        else:
            written.operation(i)
    _store(written, Op.STORE_SECOND, stores)
    return written.written()


def _store(written: Instructions, op: Op, stores: Iterable[tuple[int, int, Operand]]) -> None:
    """What is stored goes there at the end, when everything was read."""
    for slot, place, x in stores:
        written.add(op, written.register(x), slot, place)
