"""Steps as loops in a block: code that does not grow with the arrays that it works on, for any number of lanes.

A step on arrays is written as a sweep would be (`engines/sweeps/translate.py`), but for values that may stand in lanes.
The arrays are cells in memory, one after the other: where they begin and how long they are is said by the table.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any, NamedTuple

from supple.engines.sweeps.translate import Scope, Widened, syntax
from supple.engines.sweeps.values import BOOL, FLOAT, INT, MASK, Arr, Code, Num, literal

TYPES = {FLOAT: "VALUE", MASK: "CHOICE", INT: "i64", BOOL: "i1"}
"""Words of the text that stand for types, see `in_lanes`."""
CONSTANT = re.compile(r"CONSTANT\((0x[0-9A-F]{16})\)")
HEAD = "define void @NAME(ptr noalias %m, ptr noalias readonly %c, ptr noalias readonly %t) #0 {"


class Looped(NamedTuple):
    """A step in loops as it was recorded, a block of its own.

    Attributes
    ----------
    text : str
        See `looped_text`.
    spaces, rows : tuples
        Of the slots of its table: first cells of arrays, and lengths.
    read, written : tuples of (int, int)
        First cells and sizes of arrays.
    """

    text: str
    spaces: tuple[str, ...]
    rows: tuple[int, ...]
    read: tuple[tuple[int, int], ...]
    written: tuple[tuple[int, int], ...]


@cache
def looped_text(step: Any, ranks: tuple[int, ...]) -> str:
    """The LLVM code of a step on arrays with so many axes each, with words for what depends on the lanes.

    The table has, for each array, the byte offset of its first cell, then the lengths of its axes.
    """
    kinds: dict[Any, str] = {}
    while True:
        code = Code(TYPES, lambda x: f"CONSTANT({literal(x)})", "BYTES")
        code.lines.append("start:")
        try:
            Scope(code, step.py_func, (), kinds).run(tuple(_arrays(code, ranks)))
        except Widened:
            continue
        body = "\n  ".join(["entry:", *code.entry, "br label %start", *code.lines, "ret void"])
        return f"{HEAD}\n  {body}\n}}"


def _arrays(code: Code, ranks: tuple[int, ...]) -> list[Arr]:
    """The arguments as the code finds them in its table."""
    words = iter(range(len(ranks) + sum(ranks)))

    def word() -> str:
        at = code.add(f"getelementptr i32, ptr %t, i64 {next(words)}")
        found = code.add(f"load i32, ptr {at}, align 4, !invariant.load !0")
        return code.add(f"sext i32 {found} to i64")

    found = []
    for rank in ranks:
        data = code.add(f"getelementptr i8, ptr %m, i64 {word()}")
        found.append(Arr(FLOAT, data, tuple(Num(INT, word()) for _ in range(rank))))
    return found


def in_lanes(text: str, name: str, lanes: int) -> str:
    """The code of `looped_text` under a name, for so many lanes."""

    def constant(x: re.Match[str]) -> str:
        return x[1] if lanes == 1 else "<" + ", ".join([f"double {x[1]}"] * lanes) + ">"

    kinds = ("double", "i1") if lanes == 1 else (f"<{lanes} x double>", f"<{lanes} x i1>")
    words = {"NAME": name, "VALUE": kinds[0], "CHOICE": kinds[1], "BYTES": str(8 * lanes)}
    return re.sub(r"\b(NAME|VALUE|CHOICE|BYTES)\b", lambda x: words[x[1]], CONSTANT.sub(constant, text))


@cache
def written_arguments(step: Any) -> tuple[bool, ...]:
    """Which of its arguments a step writes to, by itself: it hands none to other steps."""
    definition, _ = syntax(step.py_func)
    stored = {
        node.value.id
        for node in ast.walk(definition)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
    }
    return tuple(x.arg in stored for x in definition.args.args)
