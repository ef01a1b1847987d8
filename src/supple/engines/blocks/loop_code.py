"""LLVM code with loops, written a line at a time. Counters stand in stack slots, which the compiler dissolves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class LoopWriter:
    """The text of a function.

    Parameters
    ----------
    head : str
        "define void @name(...) attributes", without the brace.
    """

    def __init__(self, head: str) -> None:
        self._head, self._slots, self._lines, self._count = head, list[str](), list[str](), 0

    def text(self) -> str:
        """The whole function, which returns nothing."""
        lines = "\n  ".join([*self._slots, *self._lines, "ret void"])
        return f"{self._head} {{\nentry:\n  {lines}\n}}"

    def value(self, text: str) -> str:
        """The name of what an instruction gives."""
        self._count += 1
        self._lines.append(f"%n{self._count} = {text}")
        return f"%n{self._count}"

    def line(self, text: str) -> None:
        """An instruction that gives nothing."""
        self._lines.append(text)

    def slot(self, kind: str) -> str:
        """A variable, or an array of type "[n x kind]", on the stack."""
        self._count += 1
        self._slots.append(f"%n{self._count} = alloca {kind}, align 64")
        return f"%n{self._count}"

    def at(self, kind: str, base: str, index: str) -> str:
        """The address of an entry of an array."""
        return self.value(f"getelementptr {kind}, ptr {base}, i64 {index}")

    def load(self, kind: str, base: str, index: str = "0", align: int = 8) -> str:
        """An entry of an array."""
        return self.value(f"load {kind}, ptr {self.at(kind, base, index)}, align {align}")

    def integer(self, base: str, index: str) -> str:
        """An entry of an array of 32-bit integers, as a 64-bit one."""
        return self.value(f"sext i32 {self.load('i32', base, index, 4)} to i64")

    @contextmanager
    def loop(self, first: str, stop: str, step: int | str = 1) -> Iterator[str]:
        """A loop whose counter runs from `first` to before `stop`; downward from `first` to after `stop`.

        A step that is a value goes upward.
        """
        counter = self.slot("i64")
        self._count += 1
        label = f"l{self._count}"
        self._lines += [f"store i64 {first}, ptr {counter}", f"br label %{label}", f"{label}:"]
        i = self.value(f"load i64, ptr {counter}")
        more = self.value(f"icmp {'sgt' if isinstance(step, int) and step < 0 else 'slt'} i64 {i}, {stop}")
        self._lines += [f"br i1 {more}, label %{label}b, label %{label}e", f"{label}b:"]
        yield i
        following = self.value(f"add i64 {i}, {step}")
        self._lines += [f"store i64 {following}, ptr {counter}", f"br label %{label}", f"{label}e:"]

    def least(self, a: str, b: str) -> str:
        """The smaller of two integers."""
        return self.value(f"select i1 {self.value(f'icmp slt i64 {a}, {b}')}, i64 {a}, i64 {b}")

    def row(self, array: str, state: str) -> str:
        """Where the row of a state begins in one of `%arrays` with `%strides`."""
        offset = self.value(f"mul i64 {state}, {self.load('i64', '%strides', array)}")
        return self.at("double", self.load("ptr", "%arrays", array), offset)
