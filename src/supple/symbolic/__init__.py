"""Equations: the graph, derivatives, tracing of the recursions, vectors and Kane's method, printers."""

from supple.symbolic.counts import count_operations
from supple.symbolic.derivatives import forward, gradient, jacobian
from supple.symbolic.equations import Equations
from supple.symbolic.function import Function, Operations
from supple.symbolic.graph import Expr, Graph
from supple.symbolic.kane import Body, System
from supple.symbolic.parameters import parameter_names
from supple.symbolic.routes import equations
from supple.symbolic.trace import Trace, traced
from supple.symbolic.vectors import Dyadic, Vector

__all__ = [
    "Body",
    "Dyadic",
    "Equations",
    "Expr",
    "Function",
    "Graph",
    "Operations",
    "System",
    "Trace",
    "Vector",
    "count_operations",
    "equations",
    "forward",
    "gradient",
    "jacobian",
    "parameter_names",
    "traced",
]
