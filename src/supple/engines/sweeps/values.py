"""What an expression can be while a sweep is compiled, and the text of the module that is being written.

Numbers that are known are plain Python numbers, and tuples are tuples (named ones too), so that everything about the
structure of the data is done by Python itself while compiling. `Num` is a number of the run, `Arr` an array.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

FLOAT, COMPLEX, INT, BOOL, MASK = "f", "c", "i", "b", "m"
KINDS = (BOOL, INT, FLOAT, COMPLEX)
"""From the narrowest to the widest: numbers of two kinds meet in the wider one. A mask, whether something holds in each
of several lanes, meets none."""
LLVM = {FLOAT: "double", INT: "i64", BOOL: "i1"}


@dataclass(frozen=True)
class Num:
    """A number of the run: its kind and its value in the code, of a complex one the real part."""

    kind: str
    text: str
    imaginary: str = ""


@dataclass(frozen=True)
class Arr:
    """A contiguous array: kind of its entries, address, lengths of its axes."""

    kind: str
    data: str
    shape: tuple[Num | int, ...]


@dataclass(frozen=True)
class Slot:
    """A variable: where its value is kept, so that it may change."""

    kind: str
    places: tuple[str, ...]


class Code:
    """The text of one function as it is written.

    Parameters
    ----------
    types : mapping of kind to LLVM's type, optional
        Others than `LLVM`: a double may be one for each of several lanes. Then there are no complex numbers, and what
        is compared is a `MASK`, by which values are chosen but no course is taken.
    constant : function of a double, optional
        How it is written.
    align : str
        Of doubles in arrays, bytes.
    """

    def __init__(
        self, types: Mapping[str, str] | None = None, constant: Callable[[float], str] | None = None, align: str = "8"
    ) -> None:
        self.types, self.constant, self.align = types or LLVM, constant or literal, align
        self.in_lanes = MASK in self.types
        self.entry: list[str] = []
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self._count = 0
        self.ended = False
        """Whether the block that is being written has had its last instruction."""

    def name(self) -> str:
        """A new one."""
        self._count += 1
        return f"%x{self._count}"

    def label(self) -> str:
        """A new block's."""
        self._count += 1
        return f"b{self._count}"

    def add(self, instruction: str) -> str:
        """Write an instruction; give its value."""
        name = self.name()
        if not self.ended:
            self.lines.append(f"{name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        """Write an instruction without a value."""
        if not self.ended:
            self.lines.append(instruction)

    def branch(self, label: str) -> None:
        """Go on elsewhere."""
        self.do(f"br label %{label}")
        self.ended = True

    def branch_if(self, condition: str, yes: str, no: str) -> None:
        """Go on in one of two blocks."""
        self.do(f"br i1 {condition}, label %{yes}, label %{no}")
        self.ended = True

    def start(self, label: str) -> None:
        """Begin a block; what comes before runs into it."""
        if not self.ended:
            self.branch(label)
        self.lines.append(f"{label}:")
        self.ended = False

    def slot(self, kind: str) -> Slot:
        """Room for a variable."""
        parts = 2 if kind == COMPLEX else 1
        places = tuple(self.name() for _ in range(parts))
        for place in places:
            self.entry.append(f"{place} = alloca {self.types[FLOAT if kind == COMPLEX else kind]}")
        return Slot(kind, places)

    def table(self, words: int) -> str:
        """Room for so many words."""
        place = self.name()
        self.entry.append(f"{place} = alloca [{words} x i64]")
        return place

    def call(self, returned: str, function: str, *args: str) -> str:
        """The value of a function of doubles that other code has."""
        if self.in_lanes:
            raise TypeError(f"no function {function!r} of numbers in lanes")
        self.declared.add(f"declare {returned} @{function}({', '.join(['double'] * len(args))})")
        return self.add(f"call {returned} @{function}({', '.join(f'double {x}' for x in args)})")

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """What is written in a block that raises is taken back."""
        kept = len(self.lines), len(self.entry), self.ended
        try:
            yield
        except Exception:
            del self.lines[kept[0] :]
            del self.entry[kept[1] :]
            self.ended = kept[2]
            raise


def literal(x: float) -> str:
    """A double in LLVM's text, to the last bit."""
    return "0x" + struct.pack(">d", x).hex().upper()


def kind_of(x: Any) -> str:
    """The kind of a number, known or not."""
    if isinstance(x, Num):
        return x.kind
    if isinstance(x, bool):
        return BOOL
    if isinstance(x, int):
        return INT
    if isinstance(x, float):
        return FLOAT
    raise TypeError(f"expected a number, got {x!r}")


def wider(a: str, b: str) -> str:
    """The kind in which numbers of two kinds meet."""
    return max(a, b, key=KINDS.index)
