"""Equations: the graph, derivatives, tracing of the recursions, vectors and Kane's method, printers."""

from supple.expressions.derivatives import forward, gradient, jacobian
from supple.expressions.function import Function, Operations
from supple.expressions.graph import Expr, Graph
from supple.model.parameters import parameter_names
from supple.model.trace import Trace, traced
from supple.symbolic.counts import count_operations
from supple.symbolic.equations import Equations
from supple.symbolic.kane import Body, System
from supple.symbolic.routes import equations
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
