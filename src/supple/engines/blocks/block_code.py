"""Blocks as LLVM code. Text, not llvmlite's builder, which takes longer than the rest of the compilation."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from supple.engines.blocks.block_recorder import NUMBERS
from supple.engines.blocks.blocks import Block, Operand, Operation

ARITHMETIC = {
    "add": "fadd reassoc contract",
    "sub": "fsub reassoc contract",
    "mul": "fmul contract",
    "div": "fdiv",
}
"""Sums may be fused and regrouped, products not: constants that are kept apart would be gathered into one that over- or
underflows."""
INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "min": "minimum", "max": "maximum"}


def vector(lanes: int) -> str:
    """The type of a value in all lanes."""
    return "double" if lanes == 1 else f"<{lanes} x double>"


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


class _Writer:
    """The text of one function."""

    def __init__(self, block: Block, lanes: int) -> None:
        self.block, self.lanes, self.type = block, lanes, vector(lanes)
        self.called: set[str] = set()
        self.lines: list[str] = []
        both = [{x[1] for x in block.operations if x[0] == name} for name in ("sin", "cos")]
        self.paired = both[0] & both[1]
        self.read = {(x[1], x[2]): i for i, x in enumerate(block.operations) if x[0] == "load"}
        self.written = {(slot, place) for slot, place, _ in block.stores}

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
        for i, operation in enumerate(self.block.operations):
            self._operation(i, operation)
            self._store(ready[i + 1])
        head = f"define void @{self.block.name}(ptr noalias %m, ptr noalias readonly %c, ptr noalias readonly %t) #0 {{"
        body = "\n  ".join(self.lines)
        return f"{head}\n  {body}\n  ret void\n}}"

    def _ready_stores(self) -> list[list[int]]:
        """Which stores can be made after so many operations: their values are there, and what they replace was read.

        Stored at once, a result does not take a register to the end of the block.
        """
        ready: list[list[int]] = [[] for _ in range(len(self.block.operations) + 1)]
        for n, (slot, place, value) in enumerate(self.block.stores):
            after = value + 1 if isinstance(value, int) else 0
            ready[max(after, self.read.get((slot, place), -1) + 1)].append(n)
        return ready

    def _store(self, numbers: Iterable[int]) -> None:
        for n in numbers:
            slot, place, value = self.block.stores[n]
            at = self._cell(f"%w{n}", slot, place)
            self.lines.append(f"store {self.type} {self._name(value)}, ptr {at}, align {8 * self.lanes}")

    def _cell(self, name: str, slot: int, place: int) -> str:
        """The address of a cell."""
        if not place:
            return f"%s{slot}"
        width = 1 if self.block.spaces[slot] == NUMBERS else self.lanes
        self.lines.append(f"{name} = getelementptr i8, ptr %s{slot}, i64 {8 * width * place}")
        return name

    def _name(self, x: Operand) -> str:
        """An operand."""
        if isinstance(x, int):
            return f"%v{x}"
        bits = "0x" + struct.pack(">d", x).hex().upper()
        return bits if self.lanes == 1 else "<" + ", ".join([f"double {bits}"] * self.lanes) + ">"

    def _operation(self, i: int, operation: Operation) -> None:
        op, *args = operation
        if op == "load":
            self._load(i, *args)
            return
        x = [self._name(a) for a in args]
        if op in ARITHMETIC:
            self.lines.append(f"%v{i} = {ARITHMETIC[op]} {self.type} {x[0]}, {x[1]}")
        elif op == "neg":
            self.lines.append(f"%v{i} = fneg {self.type} {x[0]}")
        elif op in INTRINSICS:
            kind = "f64" if self.lanes == 1 else f"v{self.lanes}f64"
            self._call(i, self.type, f"llvm.{INTRINSICS[op]}.{kind}", x)
        elif op in ("sin", "cos") and args[0] in self.paired:
            self._sine_or_cosine(i, op, args[0])
        else:
            self._call(i, self.type, f"supple_{op}_v{self.lanes}", x)

    def _sine_or_cosine(self, i: int, op: str, angle: int) -> None:
        """Both in one call, by whichever comes first."""
        pair = f"%p{angle}"
        if not any(line.startswith(f"{pair} =") for line in self.lines):
            kind = f"{{ {self.type}, {self.type} }}"
            self._call(angle, kind, f"supple_sincos_v{self.lanes}", [self._name(angle)], "p")
        self.lines.append(f"%v{i} = extractvalue {{ {self.type}, {self.type} }} {pair}, {0 if op == 'sin' else 1}")

    def _call(self, i: int, returned: str, name: str, x: list[str], prefix: str = "v") -> None:
        self.called.add(f"declare {returned} @{name}({', '.join([self.type] * len(x))})")
        args = ", ".join(f"{self.type} {y}" for y in x)
        self.lines.append(f"%{prefix}{i} = call {returned} @{name}({args})")

    def _load(self, i: int, slot: int, place: int) -> None:
        at = self._cell(f"%a{i}", slot, place)
        if self.block.spaces[slot] != NUMBERS:
            constant = "" if (slot, place) in self.written else ", !invariant.load !0"
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
