"""How the site is built: python -m sphinx -W --keep-going docs site

Pages are Markdown (MyST); the reference is drawn from the docstrings. Nothing is fetched.
"""

from __future__ import annotations

from typing import Any

import supple

project = "supple"
author = "the authors of supple"
version = release = supple.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["make_notebook.py", "make_pictures.py", "notebook.ipynb"]
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


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", stars, priority=100)  # before the docstring's sections are read
