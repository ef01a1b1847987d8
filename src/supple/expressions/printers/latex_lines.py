r"""Rows of LaTeX broken where a sum or a product allows it, so that they fit on a page.

A row is broken before the plus or minus signs of its sum; then before those inside parentheses, which become \bigl(
and \bigr) as \left( cannot be broken; then before factors of a product. Fractions, roots and indices are never broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

WIDTH = 75
"""Characters on a line of the page, as they are seen: eleven-point type on A4."""
TOKEN = re.compile(r"\\left\(|\\right\)|\\left\||\\right\||\\[A-Za-z]+|\\.|[{}]|\s[+-]\s|.", re.DOTALL)
UNSEEN = re.compile(
    r"\\(?:left|right|bigl|bigr|text|frac|dot|ddot|mathrm|operatorname|quad|thinspace)(?![A-Za-z])|[{}_^&]|\\,|\s"
)


class _Place(NamedTuple):
    """A place where a line may end: where in the row, what is broken (0 a sum, 1 a sum in parentheses, 2 a product),
    and the parentheses around it."""

    at: int
    rank: int
    around: tuple[tuple[int, int], ...]


def broken(row: str, width: int = WIDTH) -> str:
    r"""A row of an `align*` environment, broken into lines of at most a width where it can be.

    What stands before the equals sign has lines of its own if it takes more than a third of one.

    Examples
    --------
    >>> print(broken(r"x &= a + \left(b - c\right) \, d", 7))
    x &= a + \bigl(b \\
      &\quad - c\bigr) \, d
    """
    left, mark, right = row.partition("&=")
    if not mark or seen(row) <= width:
        return row
    lines = _lines(f"= {right.strip()}", width - 2)
    first = f"{left}&{lines[0]}"
    if seen(left) > width // 3:
        above = _lines(left.strip(), width - 2)
        first, lines = f"&{above[0]}", [*above, *lines]
    return " \\\\\n  ".join([first, *(f"&\\quad {line}" for line in lines[1:])])


def seen(text: str) -> int:
    r"""About how many characters a reader sees; a fraction counts both its parts.

    Examples
    --------
    >>> seen(r"\ddot{\theta}_{1} \, \sin\left(a + b\right)")
    10
    """
    return len(re.sub(r"\\([a-z]{3}h?)(?=\()|\\[A-Za-z]+", lambda word: word[1] or "x", UNSEEN.sub("", text)))


def _lines(text: str, width: int) -> list[str]:
    """The text cut into lines, by sums first, and by what is inside them only where they are still too long."""
    places = list(_places(text))
    cuts: set[_Place] = set()
    for rank in range(3):
        cuts = _fitting(text, [x for x in places if x.rank <= rank], width)
        ends = [0, *sorted(x.at for x in cuts), len(text)]
        if all(seen(text[a:b]) <= width for a, b in pairwise(ends)):
            break
    ends = [0, *sorted(x.at for x in cuts), len(text)]
    opened = {start: "\\bigl(" for x in cuts for start, _ in x.around}
    closed = {end: "\\bigr)" for x in cuts for _, end in x.around}
    lines = []
    for a, b in pairwise(ends):
        line = text[a:b]
        for at, sign in sorted({**opened, **closed}.items(), reverse=True):
            if a <= at < b:
                length = len("\\left(") if at in opened else len("\\right)")
                line = line[: at - a] + sign + line[at - a + length :]
        lines.append(line.strip())
    return [line if not line.startswith("\\,") else f"\\times {line[2:].strip()}" for line in lines]


def _fitting(text: str, places: list[_Place], width: int) -> set[_Place]:
    """Places at which lines end so that each is as long as it may be; of one line too long, the first after it."""
    out: set[_Place] = set()
    start, best = 0, None
    for place in [*sorted(places), None]:
        end = len(text) if place is None else place.at
        if seen(text[start:end]) > width and best is not None and best.at > start:
            out.add(best)
            start = best.at
        best = place
    return out


def _places(text: str) -> Iterator[_Place]:
    """Places between terms and factors that stand in no group but round parentheses."""
    stack: list[tuple[str, int]] = []
    ends = _ends(text)
    for found in TOKEN.finditer(text):
        token, at = found[0], found.start()
        if token in ("{", "\\left(", "\\left|"):
            stack.append((token, at))
        elif token in ("}", "\\right)", "\\right|"):
            stack.pop()
        elif all(kind == "\\left(" for kind, _ in stack) and at > 1:
            around = tuple((start, ends[start]) for _, start in stack)
            if token.strip() in ("+", "-") and len(token) == 3:
                yield _Place(at, 1 if stack else 0, around)
            elif token == "\\,":
                yield _Place(at, 2, around)


def _ends(text: str) -> dict[int, int]:
    """Where parentheses close, by where they open."""
    stack: list[int] = []
    out: dict[int, int] = {}
    for found in TOKEN.finditer(text):
        if found[0] == "\\left(":
            stack.append(found.start())
        elif found[0] == "\\right)":
            out[stack.pop()] = found.start()
    return out
