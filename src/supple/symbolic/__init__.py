"""Equations: the graph, derivatives, tracing of the recursions, printers."""

from supple.symbolic.counts import count_operations
from supple.symbolic.derivatives import forward, gradient, jacobian
from supple.symbolic.function import Function, Operations
from supple.symbolic.graph import Expr, Graph
from supple.symbolic.trace import Trace, parameter_names, traced

__all__ = [
    "Expr",
    "Function",
    "Graph",
    "Operations",
    "Trace",
    "count_operations",
    "forward",
    "gradient",
    "jacobian",
    "parameter_names",
    "traced",
]
