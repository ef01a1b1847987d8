"""How the site is built: python -m sphinx -W --keep-going -c docs/tools docs site

Pages are Markdown (MyST); the reference is drawn from the docstrings; the notebook is run. Nothing is fetched.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import supple

TOOLS = Path(__file__).resolve().parent

project = "supple"
author = "the authors of supple"
version = release = supple.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["tools", "notebook.ipynb"]
default_role = "literal"  # of the docstrings
highlight_language = "none"

myst_heading_anchors = 4
nitpicky = True
# Links between pages must lead somewhere. Words for types in docstrings ("array_like", "(n, 3) array") need not.
nitpick_ignore_regex = [("py:.*", ".*")]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
# Types stay words, they do not become links.
napoleon_use_param = False
napoleon_custom_sections = [("Attributes", "params_style")]

html_theme = "furo"
html_title = f"supple {release}"
html_theme_options = {"navigation_with_keys": True}
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


def stars(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape the stars of formulas such as H* P: they are no emphasis. Code is left alone."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = line.split("`")
            lines[i] = "`".join(part if n % 2 else part.replace("*", r"\*") for n, part in enumerate(parts))


def add_notebook(app: Any, error: Exception | None) -> None:
    """Run the notebook and put it beside the pages."""
    if error is None and app.builder.name == "html":
        script = runpy.run_path(str(TOOLS / "make_notebook.py"))
        script["write_page"](Path(app.outdir) / "notebook.html")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("build-finished", add_notebook)
    app.connect("autodoc-process-docstring", stars, priority=100)  # before the docstring's sections are read
