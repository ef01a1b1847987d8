"""Kane's method in vectors and dyadics, as Sayers (1991) orders it: describe a system, get its equations."""

from supple.symbolic.kane.body import Body
from supple.symbolic.kane.system import System

__all__ = ["Body", "System"]
