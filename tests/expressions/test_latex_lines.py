"""Rows of LaTeX that fit on a page."""

from __future__ import annotations

import re

import pytest

import supple
from supple.expressions.printers.latex_lines import WIDTH, broken, seen
from supple.files import read


def joined(text: str) -> str:
    """Lines put together again."""
    text = re.sub(r" *\\\\\n *&\\quad ", " ", text)
    text = text.replace("\\bigl(", "\\left(").replace("\\bigr)", "\\right)").replace("\\times ", "\\, ")
    return re.sub(r"\s+", " ", text).replace("& =", "&=").strip()


@pytest.mark.parametrize(
    ("row", "lines"),
    [
        ("x &= a + b", ["x &= a + b"]),
        ("x &= aaaaaa + bbbbbb - cccccc", ["x &= aaaaaa", r"&\quad + bbbbbb", r"&\quad - cccccc"]),
        (r"x &= \left(aaaaaa + bbbbbb\right) \, c", [r"x &= \bigl(aaaaaa", r"&\quad + bbbbbb\bigr) \, c"]),
        (r"x &= aaaaaa \, bbbbbb \, cc", [r"x &= aaaaaa", r"&\quad \times bbbbbb \, cc"]),
        (r"x &= \frac{aaaaaa + bbbbbb}{cccccc}", [r"x &= \frac{aaaaaa + bbbbbb}{cccccc}"]),  # a fraction stays whole
        (r"x &= -aaaaaaaaaaa + b", [r"x &= -aaaaaaaaaaa", r"&\quad + b"]),
        ("aaaaaa + b &= cccccc", ["&aaaaaa + b", r"&\quad = cccccc"]),  # a long left side has lines of its own
        (r"x &= a_{1} \, e^{b + c} + dddddd", [r"x &= a_{1} \, e^{b + c}", r"&\quad + dddddd"]),
    ],
)
def test_rows_are_broken_at_sums_then_inside_them_then_at_products(row: str, lines: list[str]) -> None:
    assert broken(row, 12).split(" \\\\\n  ") == lines


def test_every_line_of_a_model_fits() -> None:
    contents = read("examples/furuta_pendulum.toml")
    found = supple.equations(contents.model, **contents.equation_arguments())
    text = found.latex()
    rows = [line for line in text[text.index("\\begin") :].split("\n") if line.startswith("  ")]
    assert any("\\quad" in row for row in rows)
    assert max(seen(row) for row in rows) <= WIDTH


def test_breaking_changes_nothing_but_the_lines() -> None:
    row = r"M &= \left(a + \left(b - c\right) \, d\right) \, \ddot{q} + \frac{e}{f + g} - \sqrt{h + i} + k \, l"
    for width in range(4, 40):
        text = broken(row, width)
        assert joined(text) == joined(row)
        assert text.count("\\bigl(") == text.count("\\bigr)")
        assert text.count("\\left(") == text.count("\\right)")
    assert "\n" in broken(row, 20)
