"""Tables as HTML, by which objects show themselves in notebooks, and as text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

MOST_ROWS = 60
"""Of a table; of more the first are shown and the others counted."""


def html_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], note: str = "") -> str:
    """A heading, a table and a note, all plain text that becomes HTML; columns that end in ">" are right-aligned.

    >>> html_table("a < b", [], [])
    '<div><strong>a &lt; b</strong></div>'
    """
    sides = ["right" if name.endswith(">") else "left" for name in columns]
    head = _line("th", [name.removesuffix(">") for name in columns], sides)
    body = "".join(_line("td", row, sides) for row in rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        body += f'<tr><td colspan="{len(columns)}">... and {len(rows) - MOST_ROWS:,} more</td></tr>'
    table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>" if rows else ""
    return f"<div><strong>{escape(title)}</strong>{table}{f'<div>{escape(note)}</div>' if note else ''}</div>"


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as lines of text, its first column to the left and all others to the right; ">" of columns is left out.

    >>> print(text_table(["name", "value>"], [["a", "10"], ["bcdef", "2"]]))
    name   value
    a         10
    bcdef      2
    """
    table = [[name.removesuffix(">") for name in columns], *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(columns))]
    return "\n".join(
        "  ".join(x.rjust(w) if i else x.ljust(w) for i, (x, w) in enumerate(zip(row, widths, strict=True)))
        for row in table
    )


def _line(tag: str, cells: Sequence[object], sides: Sequence[str]) -> str:
    shown = [f'<{tag} style="text-align:{s}">{escape(str(x))}</{tag}>' for x, s in zip(cells, sides, strict=True)]
    return f"<tr>{''.join(shown)}</tr>"
