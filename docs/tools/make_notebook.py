"""Run the notebook of the docs and write it with its results as one page, as the site does.

python -m pip install 'supple[docs]' && python docs/tools/make_notebook.py PAGE.html
"""

from __future__ import annotations

import html
import sys
from pathlib import Path
from typing import Any

import nbformat
from markdown_it import MarkdownIt
from nbclient import NotebookClient

DOCS = Path(__file__).resolve().parents[1]
NOTEBOOK = DOCS / "notebook.ipynb"
STYLE = """body { font: 15px/1.5 system-ui, sans-serif; max-width: 900px; margin: 24px auto; padding: 0 16px; }
pre { background: #f6f8fa; padding: 10px 12px; border-radius: 6px; overflow-x: auto; }
.out { margin: 8px 0 24px 12px; overflow-x: auto; } .out pre { background: none; padding: 0; }
table { border-collapse: collapse; margin: 6px 0; } td, th { padding: 3px 10px; border-bottom: 1px solid #d9dee3; }"""


def executed(timeout: int = 300) -> Any:
    """The notebook with the outputs of all of its cells."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=timeout, kernel_name="python3").execute(cwd=str(DOCS))
    return notebook


def shown(output: Any) -> str:
    """An output as HTML: the richest form that a page without scripts of its own can show."""
    if output.output_type == "stream":
        return f"<pre>{html.escape(output.text)}</pre>"
    if "text/html" in output.data:
        return str(output.data["text/html"])
    return f"<pre>{html.escape(output.data.get('text/latex', output.data['text/plain']))}</pre>"


def page(notebook: Any) -> str:
    """The notebook as one HTML page."""
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(MarkdownIt().render(cell.source))
        else:
            outputs = "".join(f'<div class="out">{shown(x)}</div>' for x in cell.outputs)
            parts.append(f"<pre>{html.escape(cell.source)}</pre>{outputs}")
    head = f'<meta charset="utf-8"><title>supple in a notebook</title><style>{STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def write_page(path: Path) -> None:
    """Run the notebook and write its page."""
    path.write_text(page(executed()), encoding="utf-8")


if __name__ == "__main__":
    write_page(Path(sys.argv[1]))
