"""Tangents of blocks as LLVM code."""

from __future__ import annotations

from collections.abc import Iterable

from supple.engines.blocks.arithmetic_code import ArithmeticWriter, vector
from supple.engines.blocks.blocks import Operand, Operation
from supple.engines.blocks.tangent_blocks import Factor, TangentBlock

TAPE = -1
"""The slot of the tape."""


def symbol(block: TangentBlock, states: bool) -> str:
    """The name of a function."""
    return f"{block.name}_{'states' if states else 'directions'}"


def module(blocks: Iterable[TangentBlock], lanes: int, states: bool) -> str:
    """A module with the functions of some tangents.

        void tangent(double *values, double *tangents, i32 *table)

    The lanes are states, and a value has as many; or directions of one state, and a value is one number. The table
    holds byte offsets: of the tape in the values, then of the slots' first cells in the tangents.
    """
    texts, called = [], set[str]()
    for block in blocks:
        writer = _Writer(block, lanes, states)
        texts.append(writer.text())
        called |= writer.called
    return "\n".join([*sorted(called), *texts])


class Products:
    """A tangent as products and sums of two operands.

    Attributes
    ----------
    operations : list
        As those of a block.
    number : list of int
        Of the operation that each of the tangent's operations is.
    """

    def __init__(self, block: TangentBlock) -> None:
        self.operations: list[Operation] = []
        self.number: list[int] = []
        self._factors: dict[int, int] = {}
        for op, *args in block.operations:
            self.number.append(self._add("load", *args) if op == "load" else self._sum(args))

    def _add(self, *operation: Operand | str) -> int:
        self.operations.append(operation)
        return len(self.operations) - 1

    def _sum(self, terms: list[tuple[Factor, int]]) -> int:
        """Terms one after the other; what is added as it is comes first."""
        total: int | None = None
        for factor, x in sorted(terms, key=lambda term: not _is(term[0], 1.0)):
            plain = _is(factor, 1.0) or _is(factor, -1.0)
            term = self.number[x] if plain else self._add("mul", self._factor(factor), self.number[x])
            minus = plain and factor < 0
            if total is None:
                total = self._add("neg", term) if minus else term
            else:
                total = self._add("sub" if minus else "add", total, term)
        assert total is not None
        return total

    def _factor(self, factor: Factor) -> Operand:
        """A constant, or a value of the tape."""
        if isinstance(factor, float):
            return factor
        if factor not in self._factors:
            self._factors[factor] = self._add("load", TAPE, factor)
        return self._factors[factor]


class _Writer(ArithmeticWriter):
    """The text of one function."""

    def __init__(self, block: TangentBlock, lanes: int, states: bool) -> None:
        products = Products(block)
        self._stores = [(slot, place, products.number[x]) for slot, place, x in block.stores]
        super().__init__(products.operations, [x for _, _, x in self._stores], lanes)
        self._block, self._states = block, states

    def text(self) -> str:
        """The whole function."""
        for i in range(self._block.slots + 1):
            self.lines += [
                f"%t{i} = getelementptr i32, ptr %t, i64 {i}",
                f"%o{i} = load i32, ptr %t{i}, align 4, !invariant.load !0",
                f"%x{i} = sext i32 %o{i} to i64",
                f"%s{i} = getelementptr i8, ptr {'%d' if i else '%m'}, i64 %x{i}",
            ]
        for i in range(len(self.operations)):
            self.operation(i)
        for n, (slot, place, value) in enumerate(self._stores):
            at = self._cell(f"%w{n}", slot, place)
            self.lines.append(f"store {self.type} %v{value}, ptr {at}, align {8 * self.lanes}")
        name = symbol(self._block, self._states)
        head = f"define void @{name}(ptr noalias readonly %m, ptr noalias %d, ptr noalias readonly %t) #0 {{"
        body = "\n  ".join(self.lines)
        return f"{head}\n  {body}\n  ret void\n}}"

    def _cell(self, name: str, slot: int, place: int) -> str:
        """The address of a cell of the tangents."""
        if not place:
            return f"%s{slot + 1}"
        self.lines.append(f"{name} = getelementptr i8, ptr %s{slot + 1}, i64 {8 * self.lanes * place}")
        return name

    def load(self, i: int, *place: int) -> None:
        """A cell of the tangents, or a value of the tape."""
        slot, column = place
        if slot != TAPE:
            at = self._cell(f"%a{i}", slot, column)
            self.lines.append(f"%v{i} = load {self.type}, ptr {at}, align {8 * self.lanes}")
            return
        width = self.lanes if self._states else 1
        own = f"%v{i}" if width == self.lanes else f"%d{i}"
        self.lines += [
            f"%a{i} = getelementptr i8, ptr %s0, i64 {8 * width * column}",
            f"{own} = load {vector(width)}, ptr %a{i}, align {8 * width}, !invariant.load !0",
        ]
        if width != self.lanes:
            self.lines += [
                f"%e{i} = insertelement {self.type} poison, double %d{i}, i64 0",
                f"%v{i} = shufflevector {self.type} %e{i}, {self.type} poison, <{self.lanes} x i32> zeroinitializer",
            ]


def _is(factor: Factor, value: float) -> bool:
    """Whether a factor is this constant."""
    return isinstance(factor, float) and factor == value
