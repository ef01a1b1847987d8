"""A function written out: for reading, for typesetting, as Python, C99 or SymPy."""

from supple.expressions.printers.c99 import c_source
from supple.expressions.printers.casadi_ import to_casadi
from supple.expressions.printers.latex import latex
from supple.expressions.printers.markdown import markdown
from supple.expressions.printers.python import python_source
from supple.expressions.printers.sympy_ import to_sympy
from supple.expressions.printers.text import listing

__all__ = ["c_source", "latex", "listing", "markdown", "python_source", "to_casadi", "to_sympy"]
