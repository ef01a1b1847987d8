"""Equations: the graph, derivatives, tracing of the recursions, vectors and Kane's method, printers."""

from supple.expressions.compressed_jacobian import CompressedJacobian
from supple.expressions.derivatives import forward, gradient, jacobian
from supple.expressions.function import Function, Operations
from supple.expressions.graph import Expr, Graph
from supple.expressions.sparse_jacobian import SparseJacobian, sparse_jacobian
from supple.expressions.sparsity import SparsityPattern, sparsity
from supple.model.parameters import parameter_names
from supple.model.trace import Trace
from supple.model.traced_functions import traced
from supple.symbolic.counts import count_operations
from supple.symbolic.equations_of_motion import EquationsOfMotion
from supple.symbolic.kane import KaneBody, KaneJoint, KaneSystem, MassProperties
from supple.symbolic.routes import equations
from supple.symbolic.vectors import Dyadic, Vector

__all__ = [
    "CompressedJacobian",
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
    "SparseJacobian",
    "SparsityPattern",
    "Trace",
    "Vector",
    "count_operations",
    "equations",
    "forward",
    "gradient",
    "jacobian",
    "parameter_names",
    "sparse_jacobian",
    "sparsity",
    "traced",
]
