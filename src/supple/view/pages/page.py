"""One HTML page that needs nothing else: text, style, scripts and data put together."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from supple.drafts import draft_of
from supple.view.scene.look import look, style

SCRIPTS = (
    "viewer/bodies.js",
    "plots/axes.js",
    "plots/svg_pen.js",
    "plots/plot_marks.js",
    "plots/plot_files.js",
    "plots/plot.js",
    "viewer/vectors.js",
    "viewer/shaders.js",
    "viewer/drawing.js",
    "viewer/surfaces.js",
    "viewer/camera.js",
    "viewer/symbols.js",
    "viewer/labels.js",
    "viewer/capture.js",
    "viewer/scenery.js",
    "viewer/coloring.js",
    "viewer/viewer.js",
    "viewer/controls.js",
)
"""Those of every page, in the order of their use."""


WIDE = ' class="wide"'
LONG = 40
"""Letters of a term beyond which it has a line of its own."""


def page(title: str, body: str, data: Any, scripts: Sequence[str], allowed: str = "") -> str:
    """A whole page.

    Parameters
    ----------
    title : str
        Plain text.
    body : str
        HTML.
    data : JSON-like
        What the scripts find in the element "data".
    scripts : sequence of str
        Files of this package that follow those of every page.
    allowed : str
        What the page may do beside drawing itself, as the end of a content security policy.
    """
    return filled(
        "pages/page.html",
        title=html.escape(title),
        style=stylesheet(),
        body=body,
        data=as_script_data(data),
        script=program(scripts),
        allowed=allowed,
    )


def write_page(path: str | os.PathLike[str], text: str) -> Path:
    """Write a page as a whole, or leave what was there; return its path."""
    with draft_of(target := Path(path)) as draft:
        draft.write_text(text, encoding="utf-8")
    return target


def stylesheet() -> str:
    """The style of pages."""
    return style() + part("page.css")


def program(scripts: Sequence[str]) -> str:
    """What all pages look like, their scripts, and further ones."""
    return "\n".join([f"const LOOK = {as_script_data(look())};", *map(part, (*SCRIPTS, *scripts))])


def part(name: str) -> str:
    """The text of a file of this package."""
    return (resources.files("supple.view") / "static" / name).read_text(encoding="utf-8")


def filled(name: str, **values: str) -> str:
    """The text of a file of this package with HTML in its places."""
    return Template(part(name)).substitute(values)


def terms(values: Mapping[str, str]) -> str:
    """Entries of a list of terms, in plain text that becomes HTML; long ones take a line of their own."""
    return "\n".join(
        f"<div{WIDE if len(value) > LONG else ''}><dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd></div>"
        for key, value in values.items()
    )


def number_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, the first column left-aligned, in plain text that becomes HTML."""

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell.strip())}</{tag}>" for cell in cells) + "</tr>"

    body = "\n".join(line(row, "td") for row in rows)
    inner = f"<thead>{line(columns, 'th')}</thead>\n<tbody>\n{body}\n</tbody>"
    return f'<div class="scroll">\n<table class="numbers">\n{inner}\n</table>\n</div>'


def as_script_data(data: Any) -> str:
    """JSON that is safe inside a script element: no text of the user's can end it.

    >>> as_script_data({"name": "</script>"})
    '{"name":"\\\\u003c/script>"}'
    """
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
