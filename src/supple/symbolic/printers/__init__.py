"""A function written out: for reading, for typesetting, as Python, C99 or SymPy, as a whole simulation."""

from supple.symbolic.printers.c99 import c_source
from supple.symbolic.printers.latex import latex
from supple.symbolic.printers.markdown import markdown
from supple.symbolic.printers.program import simulation_program
from supple.symbolic.printers.python import python_source
from supple.symbolic.printers.sympy_ import to_sympy
from supple.symbolic.printers.text import listing

__all__ = ["c_source", "latex", "listing", "markdown", "python_source", "simulation_program", "to_sympy"]
