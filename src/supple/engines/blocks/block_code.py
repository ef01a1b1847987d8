"""Blocks as LLVM code."""

from __future__ import annotations

from collections.abc import Iterable

from supple.engines.blocks.arithmetic_code import ArithmeticWriter
from supple.engines.blocks.block_recorder import NUMBERS
from supple.engines.blocks.blocks import Block


def module(blocks: Iterable[Block], lanes: int) -> str:
    """A module with the functions of some blocks.

        void block(double *memory, double *numbers, i32 *table)

    The cell c of lane i is memory[c lanes + i], the table holds byte offsets of the slots' first cells.
    """
    texts, called = [], set[str]()
    for block in blocks:
        writer = _Writer(block, lanes)
        texts.append(writer.text())
        called |= writer.called
    return "\n".join([*sorted(called), *texts])


class _Writer(ArithmeticWriter):
    """The text of one function."""

    def __init__(self, block: Block, lanes: int) -> None:
        super().__init__(block.operations, [value for _, _, value in block.stores], lanes)
        self.block = block
        self._read = {(x[1], x[2]): i for i, x in enumerate(block.operations) if x[0] == "load"}
        self._written = {(slot, place) for slot, place, _ in block.stores}

    def text(self) -> str:
        """The whole function."""
        for i, space in enumerate(self.block.spaces):
            base = "%c" if space == NUMBERS else "%m"
            self.lines += [
                f"%t{i} = getelementptr i32, ptr %t, i64 {i}",
                f"%o{i} = load i32, ptr %t{i}, align 4, !invariant.load !0",
                f"%x{i} = sext i32 %o{i} to i64",
                f"%s{i} = getelementptr i8, ptr {base}, i64 %x{i}",
            ]
        ready = self._ready_stores()
        self._store(ready[0])
        for i in range(len(self.operations)):
            self.operation(i)
            self._store(ready[i + 1])
        head = f"define void @{self.block.name}(ptr noalias %m, ptr noalias readonly %c, ptr noalias readonly %t) #0 {{"
        body = "\n  ".join(self.lines)
        return f"{head}\n  {body}\n  ret void\n}}"

    def _ready_stores(self) -> list[list[int]]:
        """Which stores can be made after so many operations: their values are there, and what they replace was read.

        Stored at once, a result does not take a register to the end of the block.
        """
        ready: list[list[int]] = [[] for _ in range(len(self.operations) + 1)]
        for n, (slot, place, value) in enumerate(self.block.stores):
            after = value + 1 if isinstance(value, int) else 0
            ready[max(after, self._read.get((slot, place), -1) + 1)].append(n)
        return ready

    def _store(self, numbers: Iterable[int]) -> None:
        for n in numbers:
            slot, place, value = self.block.stores[n]
            at = self._cell(f"%w{n}", slot, place)
            self.lines.append(f"store {self.type} {self.name(value)}, ptr {at}, align {8 * self.lanes}")

    def _cell(self, name: str, slot: int, place: int) -> str:
        """The address of a cell."""
        if not place:
            return f"%s{slot}"
        width = 1 if self.block.spaces[slot] == NUMBERS else self.lanes
        self.lines.append(f"{name} = getelementptr i8, ptr %s{slot}, i64 {8 * width * place}")
        return name

    def load(self, i: int, *place: int) -> None:
        """A cell of memory, or a number for all lanes."""
        slot, _ = place
        at = self._cell(f"%a{i}", *place)
        if self.block.spaces[slot] != NUMBERS:
            constant = "" if place in self._written else ", !invariant.load !0"
            self.lines.append(f"%v{i} = load {self.type}, ptr {at}, align {8 * self.lanes}{constant}")
            return
        if self.lanes == 1:
            self.lines.append(f"%v{i} = load double, ptr {at}, align 8, !invariant.load !0")
            return
        self.lines += [
            f"%d{i} = load double, ptr {at}, align 8, !invariant.load !0",
            f"%e{i} = insertelement {self.type} poison, double %d{i}, i64 0",
            f"%v{i} = shufflevector {self.type} %e{i}, {self.type} poison, <{self.lanes} x i32> zeroinitializer",
        ]
