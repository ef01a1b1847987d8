"""Tangents of blocks as LLVM code."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from supple.engines.blocks.block_code import ARITHMETIC, vector
from supple.engines.blocks.tangent_blocks import Factor, TangentBlock


def symbol(block: TangentBlock, states: bool) -> str:
    """The name of a function."""
    return f"{block.name}_{'states' if states else 'directions'}"


def module(blocks: Iterable[TangentBlock], lanes: int, states: bool) -> str:
    """A module with the functions of some tangents.

        void tangent(double *values, double *tangents, i32 *table)

    The lanes are states, and a value has as many; or directions of one state, and a value is one number. The table
    holds byte offsets: of the tape in the values, then of the slots' first cells in the tangents.
    """
    return "\n".join(_Writer(block, lanes, states).text() for block in blocks)


class _Writer:
    """The text of one function."""

    def __init__(self, block: TangentBlock, lanes: int, states: bool) -> None:
        self.block, self.lanes, self.type, self.states = block, lanes, vector(lanes), states
        self.lines: list[str] = []
        self.factors: dict[int, str] = {}

    def text(self) -> str:
        """The whole function."""
        for i in range(self.block.slots + 1):
            self.lines += [
                f"%t{i} = getelementptr i32, ptr %t, i64 {i}",
                f"%o{i} = load i32, ptr %t{i}, align 4, !invariant.load !0",
                f"%x{i} = sext i32 %o{i} to i64",
                f"%s{i} = getelementptr i8, ptr {'%d' if i else '%m'}, i64 %x{i}",
            ]
        for i, (op, *args) in enumerate(self.block.operations):
            if op == "load":
                at = self._cell(f"%a{i}", *args)
                self.lines.append(f"%v{i} = load {self.type}, ptr {at}, align {8 * self.lanes}")
            else:
                self._sum(i, args)
        for n, (slot, place, value) in enumerate(self.block.stores):
            at = self._cell(f"%w{n}", slot, place)
            self.lines.append(f"store {self.type} %v{value}, ptr {at}, align {8 * self.lanes}")
        name = symbol(self.block, self.states)
        head = f"define void @{name}(ptr noalias readonly %m, ptr noalias %d, ptr noalias readonly %t) #0 {{"
        body = "\n  ".join(self.lines)
        return f"{head}\n  {body}\n  ret void\n}}"

    def _cell(self, name: str, slot: int, place: int) -> str:
        """The address of a cell of the tangents."""
        if not place:
            return f"%s{slot + 1}"
        self.lines.append(f"{name} = getelementptr i8, ptr %s{slot + 1}, i64 {8 * self.lanes * place}")
        return name

    def _sum(self, i: int, terms: list[tuple[Factor, int]]) -> None:
        """Terms one after the other; what is added as it is comes first."""
        total = ""
        for n, (factor, x) in enumerate(sorted(terms, key=lambda term: not _is(term[0], 1.0))):
            name = f"%v{i}" if n == len(terms) - 1 else f"%v{i}.{n}"
            if _is(factor, 1.0) or _is(factor, -1.0):
                total = self._signed(name, total, factor > 0, f"%v{x}")
                continue
            product = f"{name}p" if total else name
            self.lines.append(f"{product} = {ARITHMETIC['mul']} {self.type} {self._factor(factor)}, %v{x}")
            total = self._signed(name, total, True, product) if total else name

    def _signed(self, name: str, total: str, plus: bool, x: str) -> str:
        """total + x or total - x."""
        if not total and plus:
            return x
        if total:
            self.lines.append(f"{name} = {ARITHMETIC['add' if plus else 'sub']} {self.type} {total}, {x}")
        else:
            self.lines.append(f"{name} = fneg {self.type} {x}")
        return name

    def _factor(self, factor: Factor) -> str:
        """A constant, or a value of the tape in all lanes."""
        if isinstance(factor, float):
            bits = "0x" + struct.pack(">d", factor).hex().upper()
            return bits if self.lanes == 1 else "<" + ", ".join([f"double {bits}"] * self.lanes) + ">"
        if factor not in self.factors:
            self.factors[factor] = self._taped(factor)
        return self.factors[factor]

    def _taped(self, place: int) -> str:
        width = self.lanes if self.states else 1
        self.lines += [
            f"%f{place}a = getelementptr i8, ptr %s0, i64 {8 * width * place}",
            f"%f{place} = load {vector(width)}, ptr %f{place}a, align {8 * width}, !invariant.load !0",
        ]
        if width == self.lanes:
            return f"%f{place}"
        self.lines += [
            f"%f{place}e = insertelement {self.type} poison, double %f{place}, i64 0",
            f"%f{place}v = shufflevector {self.type} %f{place}e, {self.type} poison, "
            f"<{self.lanes} x i32> zeroinitializer",
        ]
        return f"%f{place}v"


def _is(factor: Factor, value: float) -> bool:
    """Whether a factor is this constant."""
    return isinstance(factor, float) and factor == value
