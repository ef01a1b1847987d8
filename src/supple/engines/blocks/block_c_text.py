"""Blocks printed as C99: each a function of memory, numbers and a row of a table, as its machine code is.

Values that are read once stand where they are read, all others have a variable. What a block loads from cells that it
also writes is taken before anything is stored.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from supple.engines.blocks.block_recorder import LENGTH, MEMORY, NUMBERS
from supple.engines.blocks.blocks import Block, Operand, Operation
from supple.engines.blocks.tangent_blocks import TangentBlock
from supple.expressions.operations import FUNCTIONS

LONGEST = 90
"""Characters of an expression beyond which it gets a variable."""
ARGUMENTS = "(real *restrict m, const real *restrict p, const place *restrict at)"
"""Of the function of a block: memory, numbers of the model, first cells of its slots."""
HELPERS = {
    "sign": "static real sign(real x)\n{\n    return x > 0 ? 1 : x < 0 ? -1 : x;\n}\n",
    "smaller": "static real smaller(real a, real b)\n{\n    return a < b || a != a ? a : b;\n}\n",
    "larger": "static real larger(real a, real b)\n{\n    return a > b || a != a ? a : b;\n}\n",
}
"""Functions that C lacks, or whose own take what is not a number for nothing."""
SUM, PRODUCT, UNARY, ATOM = range(4)
"""How tightly an expression holds together."""


@dataclass(frozen=True)
class CPrecision:
    """How numbers are written: in "double" or in "float"."""

    name: str

    @property
    def bytes(self) -> int:
        """Of a number."""
        return 4 if self.name == "float" else 8

    def number(self, x: float) -> str:
        """A constant, to the last bit of its type."""
        if self.name == "float":
            with np.errstate(over="ignore"):
                own = np.float32(x)
            return f"{own!s}f" if np.isfinite(own) else _not_finite(float(own))
        return repr(float(x)) if math.isfinite(x) else _not_finite(x)

    def function(self, op: str) -> str:
        """What a function is called."""
        name = FUNCTIONS[op].c or op
        return name if name in HELPERS or self.name != "float" else f"{name}f"


def _not_finite(x: float) -> str:
    return "NAN" if math.isnan(x) else "-INFINITY" if x < 0 else "INFINITY"


def block_text(block: Block, name: str, precision: CPrecision) -> str:
    """A block of straight-line arithmetic as a function of C."""
    writer = _Writer(block, precision)
    return function_text(name, slot_lines(block.spaces) + writer.lines)


def function_text(name: str, lines: list[str]) -> str:
    """A function with the arguments of a block; those that it does not use are said to be so."""
    body = "\n".join(lines)
    unused = [f"(void){x};" for x in ("m", "p") if f"= {x} + at[" not in body]
    return "\n".join([f"static void {name}{ARGUMENTS}", "{", *(f"    {x}" for x in [*unused, *lines]), "}", ""])


def slot_lines(spaces: tuple[str, ...]) -> list[str]:
    """Where the slots of a table begin."""
    base = {MEMORY: "real *const s{0} = m", NUMBERS: "const real *const s{0} = p"}
    return [base[space].format(i) + f" + at[{i}];" for i, space in enumerate(spaces) if space != LENGTH]


class _Writer:
    """The statements of one block."""

    def __init__(self, block: Block, precision: CPrecision) -> None:
        self._precision = precision
        self.lines: list[str] = []
        self._texts: list[tuple[str, int]] = []
        written = {(slot, place) for slot, place, _ in block.stores}
        uses = Counter(x for op, *args in block.operations if op != "load" for x in args if type(x) is int)
        uses.update(x for _, _, x in block.stores if type(x) is int)
        for i, (op, *args) in enumerate(block.operations):
            text, level = (f"s{args[0]}[{args[1]}]", ATOM) if op == "load" else self._operation(op, args)
            kept = tuple(args) in written if op == "load" else uses[i] > 1 or len(text) > LONGEST
            if kept and uses[i]:
                self.lines.append(f"const real v{i} = {text};")
                text, level = f"v{i}", ATOM
            self._texts.append((text, level))
        self.lines += [f"s{slot}[{place}] = {self._within(x, SUM)};" for slot, place, x in block.stores]

    def _within(self, x: Operand, level: int) -> str:
        """An operand as a part of an expression."""
        if type(x) is not int:
            text, own = self._precision.number(x), UNARY if math.copysign(1.0, x) < 0 else ATOM
        else:
            text, own = self._texts[x]
        return text if own >= level else f"({text})"

    def _operation(self, op: str, args: list[Operand]) -> tuple[str, int]:
        if op in ("add", "sub"):
            return f"{self._within(args[0], SUM)} {'+-'[op == 'sub']} {self._within(args[1], PRODUCT)}", SUM
        if op in ("mul", "div"):
            return f"{self._within(args[0], PRODUCT)} {'*/'[op == 'div']} {self._within(args[1], UNARY)}", PRODUCT
        if op == "neg":
            return f"-{self._within(args[0], ATOM)}", UNARY
        return f"{self._precision.function(op)}({', '.join(self._within(x, SUM) for x in args)})", ATOM


def tangent_as_block(tangent: TangentBlock) -> Block:
    """A tangent as a block whose first slot is the tape, if it reads any: sums of products, term by term."""
    operations: list[Operation] = []
    number: list[Operand] = []
    tape: dict[int, int] = {}
    first = int(reads_tape(tangent))

    def made(*operation: object) -> int:
        operations.append(operation)
        return len(operations) - 1

    for op, *args in tangent.operations:
        if op == "load":
            number.append(made("load", args[0] + first, args[1]))
            continue
        total: Operand | None = None
        for factor, operand in args:
            x, minus = number[operand], False
            if type(factor) is int:
                if factor not in tape:
                    tape[factor] = made("load", 0, factor)
                x = made("mul", tape[factor], x)
            elif factor == -1.0:
                minus = True
            elif factor != 1.0:
                x = made("mul", factor, x)
            if total is None:
                total = made("neg", x) if minus else x
            else:
                total = made("sub" if minus else "add", total, x)
        number.append(0.0 if total is None else total)
    stores = [(slot + first, place, number[x]) for slot, place, x in tangent.stores]
    return Block.of([MEMORY] * (tangent.slots + first), operations, stores)


def reads_tape(tangent: TangentBlock) -> bool:
    """Whether any factor of a tangent is a value."""
    return any(type(factor) is int for op, *args in tangent.operations if op == "sum" for factor, _ in args)
