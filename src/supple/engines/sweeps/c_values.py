"""What an expression can be while a sweep is printed as C: numbers known or of the run, arrays, functions of C."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from supple.engines.sweeps.arithmetic import KNOWN
from supple.engines.sweeps.values import BOOL, FLOAT, INT, kind_of, wider

C_TYPES = {FLOAT: "double", INT: "long", BOOL: "int"}
ATOM, UNARY, PRODUCT, SUM, COMPARISON, EQUALITY, AND, OR, CHOICE = range(9, 0, -1)
"""How tightly an expression holds together."""
OPERATORS = {
    "Add": ("+", SUM),
    "Sub": ("-", SUM),
    "Mult": ("*", PRODUCT),
    "Div": ("/", PRODUCT),
    "Mod": ("%", PRODUCT),
    "FloorDiv": ("/", PRODUCT),
    "Lt": ("<", COMPARISON),
    "LtE": ("<=", COMPARISON),
    "Gt": (">", COMPARISON),
    "GtE": (">=", COMPARISON),
    "Eq": ("==", EQUALITY),
    "NotEq": ("!=", EQUALITY),
}
"""By the names of Python's syntax tree."""


@dataclass(frozen=True)
class CNumber:
    """A number of the run: its kind, its text, and how tightly that holds together."""

    kind: str
    text: str
    level: int = ATOM

    def within(self, level: int) -> str:
        """The text as a part of an expression of a level."""
        return self.text if self.level >= level else f"({self.text})"


@dataclass(frozen=True)
class CArray:
    """An array: kind of its entries, name, place of its first entry from there, lengths of its axes."""

    kind: str
    base: str
    shape: tuple[CNumber | int, ...]
    offset: CNumber | int = 0

    def place(self, index: tuple[Any, ...]) -> CNumber | int:
        """How far behind `base` an entry is, or the first entry of a row."""
        at: Any = 0
        for i, length in zip((*index, *(0 for _ in self.shape[len(index) :])), self.shape, strict=True):
            at = binary("Add", binary("Mult", at, length), i)
        return binary("Add", self.offset, at)

    def row(self, index: tuple[Any, ...]) -> CArray:
        """What is left when the first indices are chosen."""
        return CArray(self.kind, self.base, self.shape[len(index) :], self.place(index))

    def entry(self, index: tuple[Any, ...]) -> CNumber:
        """One of its numbers."""
        return CNumber(self.kind, f"{self.base}[{as_number(self.place(index)).text}]")

    @property
    def pointer(self) -> str:
        """Where it begins."""
        return self.base if self.offset == 0 else f"{self.base} + {as_number(self.offset).within(SUM)}"


@dataclass(frozen=True)
class CFunction:
    """A function of C with the arguments (time, state, held values, results ...), all of them arrays."""

    name: str
    results: int = 1


class CStep(NamedTuple):
    """A step as a function of C: name, kind of the value, which arrays are written, whether it takes the context."""

    name: str
    kind: str | None
    written: list[bool]
    context: bool


def number_kind(x: Any) -> str:
    """The kind of a number, known or of the run."""
    return x.kind if isinstance(x, CNumber) else kind_of(x)


def as_number(x: Any) -> CNumber:
    """A number as text."""
    if isinstance(x, CNumber):
        return x
    kind = kind_of(x)
    if kind != FLOAT:
        return CNumber(kind, str(int(x)), ATOM if x >= 0 else UNARY)
    if not math.isfinite(x):
        return CNumber(kind, "NAN" if math.isnan(x) else "INFINITY" if x > 0 else "-INFINITY", UNARY)
    return CNumber(kind, repr(float(x)), ATOM if math.copysign(1.0, x) > 0 else UNARY)


def binary(op: str, a: Any, b: Any) -> Any:
    """a op b; what is known is computed, and nothing is added to zero or multiplied by one in vain in an index."""
    if not isinstance(a, CNumber) and not isinstance(b, CNumber):
        return KNOWN[op](a, b)
    whole = number_kind(a) != FLOAT and number_kind(b) != FLOAT
    if whole and op == "Add" and (a == 0 or b == 0):
        return b if a == 0 else a
    if whole and op == "Mult" and (a == 0 or b == 0):
        return 0
    if whole and op == "Mult" and (a == 1 or b == 1):
        return b if a == 1 else a
    x, y = as_number(a), as_number(b)
    sign, level = OPERATORS[op]
    kind = BOOL if level <= COMPARISON else wider(wider(x.kind, y.kind), INT)
    if op == "Div":
        kind, whole = FLOAT, False
        x = CNumber(FLOAT, f"(double){x.within(UNARY)}", UNARY) if x.kind != FLOAT and y.kind != FLOAT else x
    return CNumber(kind, f"{x.within(level)} {sign} {y.within(level + 1)}", level)


def call(function: str, kind: str, *args: Any) -> CNumber:
    """A call of a function of numbers."""
    return CNumber(kind, f"{function}({', '.join(as_number(x).text for x in args)})")
