"""Arithmetic, comparisons and functions of numbers, written as LLVM code.

Sums and products may be fused; nothing is reordered. What is known is computed while compiling.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from supple.engines.sweeps.values import BOOL, COMPLEX, FLOAT, INT, MASK, Code, Num, kind_of, wider

Number = Num | int | float | bool
KNOWN: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "Mod": operator.mod,
    "FloorDiv": operator.floordiv,
    "Pow": operator.pow,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
}
"""Operations by the names of Python's syntax tree."""
REAL = {"Add": "fadd contract", "Sub": "fsub contract", "Mult": "fmul contract", "Div": "fdiv contract"}
WHOLE = {"Add": "add nsw", "Sub": "sub nsw", "Mult": "mul nsw", "Mod": "srem", "FloorDiv": "sdiv"}
"""Remainders and quotients are those of numbers that are not negative."""
REAL_COMPARISON = {"Lt": "olt", "LtE": "ole", "Gt": "ogt", "GtE": "oge", "Eq": "oeq", "NotEq": "une"}
WHOLE_COMPARISON = {"Lt": "slt", "LtE": "sle", "Gt": "sgt", "GtE": "sge", "Eq": "eq", "NotEq": "ne"}


class Arithmetic:
    """Writes operations into a function's code."""

    def __init__(self, code: Code) -> None:
        self.code = code

    # ------------------------------------------------------------ kinds

    def as_kind(self, x: Number, kind: str) -> Num:
        """The same number as one of a wider kind, or of the same."""
        own = kind_of(x)
        if not isinstance(x, Num):
            if kind == COMPLEX:
                return Num(COMPLEX, self.code.constant(float(x)), self.code.constant(0.0))
            if kind == FLOAT:
                return Num(FLOAT, self.code.constant(float(x)))
            return Num(kind, str(int(x)))
        if own == kind:
            return x
        if kind == COMPLEX:
            return Num(COMPLEX, self.as_kind(x, FLOAT).text, self.code.constant(0.0))
        if self.code.in_lanes:
            raise TypeError(f"in lanes, a number of kind {own!r} is none of kind {kind!r}")
        if kind == FLOAT and own == INT:
            return Num(FLOAT, self.code.add(f"sitofp i64 {x.text} to double"))
        if kind == FLOAT and own == BOOL:
            return Num(FLOAT, self.code.add(f"uitofp i1 {x.text} to double"))
        if kind == INT and own == BOOL:
            return Num(INT, self.code.add(f"zext i1 {x.text} to i64"))
        if kind == INT and own == FLOAT:
            return Num(INT, self.code.add(f"fptosi double {x.text} to i64"))
        raise TypeError(f"a number of kind {own!r} is none of kind {kind!r}")

    def truth(self, x: Any) -> Num | bool:
        """Whether a number is not zero."""
        if not isinstance(x, Num):
            return bool(x)
        if x.kind in (BOOL, MASK):
            return x
        found = self.compare("NotEq", x, 0)
        return found

    # ------------------------------------------------------------ operations

    def binary(self, op: str, a: Number, b: Number) -> Number:
        """a op b."""
        if not isinstance(a, Num) and not isinstance(b, Num):
            known: Number = KNOWN[op](a, b)
            return known
        if op == "Pow":
            return self.power(a, b)
        kind = wider(wider(kind_of(a), kind_of(b)), INT)
        if op == "Div" and kind == INT:
            kind = FLOAT
        x, y = self.as_kind(a, kind), self.as_kind(b, kind)
        if kind == COMPLEX:
            return self._complex(op, x, y)
        table = WHOLE if kind == INT else REAL
        return Num(kind, self.code.add(f"{table[op]} {self.code.types[kind]} {x.text}, {y.text}"))

    def _complex(self, op: str, x: Num, y: Num) -> Num:
        a, b, c, d = (Num(FLOAT, t) for t in (x.text, x.imaginary, y.text, y.imaginary))
        if op in ("Add", "Sub"):
            return self._joined(self.binary(op, a, c), self.binary(op, b, d))
        do = self.binary
        if op == "Mult":
            real = do("Sub", do("Mult", a, c), do("Mult", b, d))
            return self._joined(real, do("Add", do("Mult", a, d), do("Mult", b, c)))
        size = do("Add", do("Mult", c, c), do("Mult", d, d))  # division: by the conjugate
        real = do("Add", do("Mult", a, c), do("Mult", b, d))
        imaginary = do("Sub", do("Mult", b, c), do("Mult", a, d))
        return self._joined(do("Div", real, size), do("Div", imaginary, size))

    def _joined(self, real: Number, imaginary: Number) -> Num:
        return Num(COMPLEX, self.as_kind(real, FLOAT).text, self.as_kind(imaginary, FLOAT).text)

    def negative(self, x: Number) -> Number:
        """-x."""
        if not isinstance(x, Num):
            return -x
        if x.kind == FLOAT:
            return Num(FLOAT, self.code.add(f"fneg {self.code.types[FLOAT]} {x.text}"))
        if x.kind == COMPLEX:
            parts = [self.code.add(f"fneg double {t}") for t in (x.text, x.imaginary)]
            return Num(COMPLEX, *parts)
        return self.binary("Sub", 0, x)

    def power(self, a: Number, b: Number) -> Number:
        """a to the power b; squares are products."""
        if b == 2:
            return self.binary("Mult", a, a)
        return self.real_function("pow", a, b)

    def compare(self, op: str, a: Number, b: Number) -> Num | bool:
        """a op b, true or not; of complex numbers the real parts."""
        if not isinstance(a, Num) and not isinstance(b, Num):
            return bool(KNOWN[op](a, b))
        kind = wider(wider(kind_of(a), kind_of(b)), INT)
        x, y = self.as_kind(a, kind), self.as_kind(b, kind)
        if kind == INT:
            return Num(BOOL, self.code.add(f"icmp {WHOLE_COMPARISON[op]} i64 {x.text}, {y.text}"))
        compared = f"fcmp {REAL_COMPARISON[op]} {self.code.types[FLOAT]} {x.text}, {y.text}"
        return Num(MASK if self.code.in_lanes else BOOL, self.code.add(compared))

    def choose(self, condition: Num, a: Number, b: Number) -> Num:
        """a where the condition holds, else b."""
        kind = wider(kind_of(a), kind_of(b))
        x, y = self.as_kind(a, kind), self.as_kind(b, kind)
        types = self.code.types
        text, by = types[FLOAT if kind == COMPLEX else kind], types[condition.kind]
        pairs = [(x.text, y.text)] + ([(x.imaginary, y.imaginary)] if kind == COMPLEX else [])
        return Num(kind, *[self.code.add(f"select {by} {condition.text}, {text} {p}, {text} {q}") for p, q in pairs])

    # ------------------------------------------------------------ functions

    def function(self, name: str, *args: Number) -> Number:
        """A function of numpy or of Python by its name."""
        if not any(isinstance(x, Num) for x in args):
            known: Number = FUNCTIONS_OF_KNOWN[name](*args)
            return known
        if name in ("min", "max"):
            op = "Lt" if name == "min" else "Gt"
            chosen = args[0]
            for x in args[1:]:
                better = self.compare(op, x, chosen)
                chosen = self.choose(better, x, chosen) if isinstance(better, Num) else (x if better else chosen)
            return chosen
        if name == "sign":
            zero = self.choose(self._real_comparison("Lt", args[0]), -1.0, args[0])
            return self.choose(self._real_comparison("Gt", args[0]), 1.0, zero)
        if name == "abs" and kind_of(args[0]) == INT:
            return self.function("max", args[0], self.negative(args[0]))
        if any(kind_of(x) == COMPLEX for x in args):
            return self.complex_function(name, *args)
        return self.real_function(name, *args)

    def _real_comparison(self, op: str, x: Number) -> Num:
        found = self.compare(op, x, 0.0)
        assert isinstance(found, Num)
        return found

    def real_function(self, name: str, *args: Number) -> Num:
        """A function of doubles."""
        x = [self.as_kind(a, FLOAT).text for a in args]
        intrinsic = {"sqrt": "llvm.sqrt.f64", "abs": "llvm.fabs.f64"}.get(name, name)
        return Num(FLOAT, self.code.call("double", intrinsic, *x))

    def complex_function(self, name: str, x: Number) -> Num:
        """A function of a complex number; those that derivatives by complex steps need."""
        z = self.as_kind(x, COMPLEX)
        a, b = Num(FLOAT, z.text), Num(FLOAT, z.imaginary)
        do, f = self.binary, self.real_function
        if name == "abs":
            return f("hypot", a, b)
        if name == "sqrt":  # of the half plane to the right, where squares of lengths are
            r = f("sqrt", do("Mult", 0.5, do("Add", f("hypot", a, b), a)))
            return self._joined(r, do("Div", b, do("Mult", 2.0, r)))
        sines = f("sin", a), f("cos", a), f("sinh", b), f("cosh", b)
        if name == "sin":
            return self._joined(do("Mult", sines[0], sines[3]), do("Mult", sines[1], sines[2]))
        if name == "cos":
            return self._joined(do("Mult", sines[1], sines[3]), self.negative(do("Mult", sines[0], sines[2])))
        raise TypeError(f"no function {name!r} of a complex number")


FUNCTIONS_OF_KNOWN: dict[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "abs": abs,
    "min": min,
    "max": max,
    "sign": lambda x: float(np.sign(x)),
    "nextafter": math.nextafter,
}
FUNCTIONS: dict[Any, str] = {
    np.sqrt: "sqrt",
    np.sin: "sin",
    np.cos: "cos",
    np.sign: "sign",
    np.nextafter: "nextafter",
    abs: "abs",
    min: "min",
    max: "max",
}
"""What the language calls, and the names of it here."""
