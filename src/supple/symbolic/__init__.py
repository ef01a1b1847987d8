"""Equations: the graph, derivatives, tracing of the recursions, vectors and Kane's method, printers."""

from supple.expressions.derivatives import forward, gradient, jacobian
from supple.expressions.function import Function, Operations
from supple.expressions.graph import Expr, Graph
from supple.model.parameters import parameter_names
from supple.model.trace import Trace
from supple.model.traced_functions import traced
from supple.symbolic.counts import count_operations
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane import KaneBody, KaneJoint, KaneSystem, MassProperties
from supple.symbolic.routes import equations
from supple.symbolic.vectors import Dyadic, Vector

__all__ = [
    "Dyadic",
    "EquationsOfMotion",
    "Expr",
    "Function",
    "Graph",
    "KaneBody",
    "KaneJoint",
    "KaneSystem",
    "MassProperties",
    "Operations",
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
