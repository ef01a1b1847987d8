"""Straight-line arithmetic as LLVM code: text, as llvmlite's builder takes longer than the rest of the compilation."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from supple.engines.blocks.blocks import Operand, Operation
from supple.engines.blocks.fused_sums import Chain, chain_lines, declaration, fused_sums

ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
CONTRACTED = {"sub": "fsub contract", "mul": "fmul contract", "div": "fdiv"}
"""For code in loops, which is always compiled at one level: the compiler finds what can be fused."""
INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "min": "minimum", "max": "maximum"}


def vector(lanes: int) -> str:
    """The type of a value in all lanes."""
    return "double" if lanes == 1 else f"<{lanes} x double>"


class ArithmeticWriter(ABC):
    """The text of some operations, the value of number i under the name %v{i}.

    Parameters
    ----------
    operations : sequence
        (name, operands...), and what `load` is given.
    stored : iterable of int or float
        Operands that are read afterwards.
    lanes : int

    Attributes
    ----------
    lines : list of str
    called : set of str
        Declarations of functions that are called.
    """

    def __init__(self, operations: Sequence[Operation], stored: Iterable[Operand], lanes: int) -> None:
        self.operations, self.lanes, self.type = operations, lanes, vector(lanes)
        self.called: set[str] = set()
        self.lines: list[str] = []
        both = [{x[1] for x in operations if x[0] == name} for name in ("sin", "cos")]
        self._paired = both[0] & both[1]
        self._pairs: set[int] = set()
        self._chains, self._parts = fused_sums(operations, stored)

    @abstractmethod
    def load(self, i: int, *place: int) -> None:
        """Write the load that is operation i."""

    def name(self, x: Operand) -> str:
        """An operand."""
        if isinstance(x, int):
            return f"%v{x}"
        bits = "0x" + struct.pack(">d", x).hex().upper()
        return bits if self.lanes == 1 else "<" + ", ".join([f"double {bits}"] * self.lanes) + ">"

    def operation(self, i: int) -> None:
        """Write an operation; nothing for one that is a part of a chain."""
        op, *args = self.operations[i]
        if i in self._parts:
            return
        if i in self._chains:
            self._chain(i, self._chains[i])
        elif op == "load":
            self.load(i, *args)
        elif op in ARITHMETIC:
            self.lines.append(f"%v{i} = {ARITHMETIC[op]} {self.type} {self.name(args[0])}, {self.name(args[1])}")
        elif op == "neg":
            self.lines.append(f"%v{i} = fneg {self.type} {self.name(args[0])}")
        elif op in INTRINSICS:
            kind = "f64" if self.lanes == 1 else f"v{self.lanes}f64"
            self._call(f"%v{i}", self.type, f"llvm.{INTRINSICS[op]}.{kind}", args)
        elif op in ("sin", "cos") and args[0] in self._paired:
            self._sine_or_cosine(i, op, args[0])
        else:
            self._call(f"%v{i}", self.type, f"supple_{op}_v{self.lanes}", args)

    def _chain(self, i: int, chain: Chain) -> None:
        """A sum of products."""
        start = "" if chain.start is None else self.name(chain.start)
        if chain.minus:
            self.lines.append(f"%n{i} = fneg {self.type} {start}")
            start = f"%n{i}"
        products = []
        for minus, product in chain.products:
            _, x, y = self.operations[product]
            products.append((minus, self.name(x), self.name(y)))
        self.lines += chain_lines(f"%v{i}", self.type, self.lanes, start, products)
        self.called.update(declaration(self.type, self.lanes))

    def _sine_or_cosine(self, i: int, op: str, angle: int) -> None:
        """Both in one call, by whichever comes first."""
        kind = f"{{ {self.type}, {self.type} }}"
        if angle not in self._pairs:
            self._pairs.add(angle)
            self._call(f"%p{angle}", kind, f"supple_sincos_v{self.lanes}", [angle])
        self.lines.append(f"%v{i} = extractvalue {kind} %p{angle}, {0 if op == 'sin' else 1}")

    def _call(self, result: str, returned: str, function: str, args: Sequence[Operand]) -> None:
        self.called.add(f"declare {returned} @{function}({', '.join([self.type] * len(args))})")
        given = ", ".join(f"{self.type} {self.name(x)}" for x in args)
        self.lines.append(f"{result} = call {returned} @{function}({given})")
