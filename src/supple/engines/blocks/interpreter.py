"""The interpreter: runs the instructions of a block on registers, a value for each lane in every one.

It is called as a block in machine code is, so that a driver does not know the difference:

    void interpreter(double *first, double *second, i32 *table)

The address of the instructions (see `instructions`) stands in the eight bytes before the table.
"""

from __future__ import annotations

from supple.engines.blocks.arithmetic_code import ARITHMETIC, INTRINSICS, vector
from supple.engines.blocks.instructions import HEADER, OWN, WORDS, Op
from supple.engines.code_cache.code_origin import host_fuses

INTERPRETER = "supple_interpreter"


def interpreter_text(lanes: int) -> str:
    """The interpreter in LLVM code."""
    return _Interpreter(lanes).text()


class _Interpreter:
    """The text, one case after the other."""

    def __init__(self, lanes: int) -> None:
        self.lanes, self.type, self.align = lanes, vector(lanes), 8 * lanes
        self._lines: list[str] = []
        self._declared: list[str] = []
        self._at = ""
        self._count = 0

    def text(self) -> str:
        """The whole module."""
        used = [op for op in Op if op != Op.END and (host_fuses() or op not in (Op.FUSED, Op.FUSED_MINUS))]
        cases = " ".join(f"i32 {op.value}, label %case{op.value}" for op in used)
        self._turn(cases, "%begin")
        for op in used:
            self._lines += [f"case{op.value}:", f"%at{op.value} = load ptr, ptr %place"]
            self._at = f"%at{op.value}"
            self._case(op)
            self._turn(cases, self._add(f"getelementptr i32, ptr {self._at}, i64 {WORDS}"))
        head = f"define void @{INTERPRETER}(ptr noalias %first, ptr noalias %second, ptr noalias readonly %table)"
        lines = [
            "entry:",
            "%before = getelementptr i8, ptr %table, i64 -8",
            "%code = load ptr, ptr %before, align 4",
            "%count = load i64, ptr %code, align 8",
            "%place = alloca ptr, align 8",
            "%second_word = getelementptr i64, ptr %code, i64 1",
            "%offset = load i64, ptr %second_word, align 8",
            "%pool = getelementptr i8, ptr %code, i64 %offset",
            f"%registers = alloca {self.type}, i64 %count, align {max(16, self.align)}",
            f"%begin = getelementptr i8, ptr %code, i64 {HEADER}",
            *self._lines,
            "done:",
            "ret void",
        ]
        body = "\n  ".join(lines)
        attributes = f"nounwind alignstack({max(16, self.align)})"
        return "\n".join([*self._declared, f"{head} {attributes} {{\n  {body}\n}}"])

    def _turn(self, cases: str, at: str) -> None:
        """Go on with the instruction at an address: from each case by itself, as processors guess where from there."""
        op = self._add(f"load i32, ptr {at}, align 4")
        self._lines += [f"store ptr {at}, ptr %place", f"switch i32 {op}, label %done [ {cases} ]"]

    def _case(self, op: Op) -> None:
        if op in (Op.LOAD_FIRST, Op.LOAD_SECOND):
            base = "%first" if op == Op.LOAD_FIRST else "%second"
            self._give(1, self._add(f"load {self.type}, ptr {self._cell(base, self.lanes)}, align {self.align}"))
        elif op in (Op.NUMBER_OF_FIRST, Op.NUMBER_OF_SECOND):
            base = "%first" if op == Op.NUMBER_OF_FIRST else "%second"
            self._give(1, self._everywhere(self._add(f"load double, ptr {self._cell(base, 1)}, align 8")))
        elif op in (Op.STORE_FIRST, Op.STORE_SECOND):
            base = "%first" if op == Op.STORE_FIRST else "%second"
            value, at = self._value(1), self._cell(base, self.lanes)
            self._lines.append(f"store {self.type} {value}, ptr {at}, align {self.align}")
        elif op == Op.CONSTANT:
            self._give(1, self._everywhere(self._pooled(2, "double")))
        elif op in OWN.values():
            self._give(1, self._own(op.name.lower()))
        elif op in (Op.FUSED, Op.FUSED_MINUS):
            x, y, z = (self._value(i) for i in (2, 3, 4))
            factor = x if op == Op.FUSED else self._add(f"fneg {self.type} {x}")
            self._give(1, self._intrinsic("fma", factor, y, z))
        elif op == Op.CALL:
            x, function = self._value(2), self._pooled(3, "ptr")
            self._give(1, self._add(f"call {self.type} {function}({self.type} {x})"))
        elif op == Op.CALL_OF_TWO:
            x, function, y = self._value(2), self._pooled(3, "ptr"), self._value(4)
            self._give(1, self._add(f"call {self.type} {function}({self.type} {x}, {self.type} {y})"))
        else:
            assert op == Op.SINE_AND_COSINE
            x, function, pair = self._value(2), self._pooled(3, "ptr"), f"{{ {self.type}, {self.type} }}"
            both = self._add(f"call {pair} {function}({self.type} {x})")
            for argument, part in ((1, 0), (4, 1)):
                self._give(argument, self._add(f"extractvalue {pair} {both}, {part}"))

    def _own(self, name: str) -> str:
        """An operation on registers."""
        x = self._value(2)
        if name == "neg":
            return self._add(f"fneg {self.type} {x}")
        if name in ARITHMETIC:
            return self._add(f"{ARITHMETIC[name]} {self.type} {x}, {self._value(3)}")
        return self._intrinsic(INTRINSICS[name], x, *([self._value(3)] if name in ("min", "max") else []))

    def _intrinsic(self, name: str, *args: str) -> str:
        function = f"llvm.{name}.{'f64' if self.lanes == 1 else f'v{self.lanes}f64'}"
        declaration = f"declare {self.type} @{function}({', '.join([self.type] * len(args))})"
        if declaration not in self._declared:
            self._declared.append(declaration)
        return self._add(f"call {self.type} @{function}({', '.join(f'{self.type} {x}' for x in args)})")

    def _add(self, text: str) -> str:
        """The name of what an instruction gives."""
        self._count += 1
        self._lines.append(f"%n{self._count} = {text}")
        return f"%n{self._count}"

    def _word(self, i: int) -> str:
        """A word of the instruction."""
        at = self._add(f"getelementptr i32, ptr {self._at}, i64 {i}")
        return self._add(f"sext i32 {self._add(f'load i32, ptr {at}, align 4')} to i64")

    def _register(self, i: int) -> str:
        """The address of the register that is word i."""
        return self._add(f"getelementptr {self.type}, ptr %registers, i64 {self._word(i)}")

    def _value(self, i: int) -> str:
        """What is in the register that is word i."""
        return self._add(f"load {self.type}, ptr {self._register(i)}, align {self.align}")

    def _give(self, i: int, value: str) -> None:
        """Put a value into the register that is word i."""
        self._lines.append(f"store {self.type} {value}, ptr {self._register(i)}, align {self.align}")

    def _pooled(self, i: int, kind: str) -> str:
        """The entry of the pool that is word i."""
        at = self._add(f"getelementptr i64, ptr %pool, i64 {self._word(i)}")
        return self._add(f"load {kind}, ptr {at}, align 8")

    def _cell(self, base: str, width: int) -> str:
        """The address of the cell in the row and place that are words 2 and 3, of so many numbers."""
        at = self._add(f"getelementptr i32, ptr %table, i64 {self._word(2)}")
        row = self._add(f"sext i32 {self._add(f'load i32, ptr {at}, align 4')} to i64")
        first = self._add(f"getelementptr i8, ptr {base}, i64 {row}")
        return self._add(f"getelementptr {vector(width)}, ptr {first}, i64 {self._word(3)}")

    def _everywhere(self, number: str) -> str:
        """A number in all lanes."""
        if self.lanes == 1:
            return number
        one = self._add(f"insertelement {self.type} poison, double {number}, i64 0")
        return self._add(f"shufflevector {self.type} {one}, {self.type} poison, <{self.lanes} x i32> zeroinitializer")
