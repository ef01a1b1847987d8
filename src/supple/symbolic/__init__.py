"""Equations: the graph, derivatives, tracing of the recursions, vectors and Kane's method, printers."""

from typing import TYPE_CHECKING

from supple.lazy import lazy_names

if TYPE_CHECKING:
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
    from supple.symbolic.kane import KaneBody, KaneJoint, KaneModel, KaneSystem, MassProperties
    from supple.symbolic.routes import derivation_of, equations
    from supple.symbolic.routes import require_known as require_known
    from supple.symbolic.textbook import textbook_names
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
    "KaneModel",
    "KaneSystem",
    "MassProperties",
    "Operations",
    "SparseJacobian",
    "SparsityPattern",
    "Trace",
    "Vector",
    "count_operations",
    "derivation_of",
    "equations",
    "forward",
    "gradient",
    "jacobian",
    "parameter_names",
    "sparse_jacobian",
    "sparsity",
    "textbook_names",
    "traced",
]

_HOMES = {
    "supple.expressions.compressed_jacobian": ("CompressedJacobian",),
    "supple.expressions.derivatives": ("forward", "gradient", "jacobian"),
    "supple.expressions.function": ("Function", "Operations"),
    "supple.expressions.graph": ("Expr", "Graph"),
    "supple.expressions.sparse_jacobian": ("SparseJacobian", "sparse_jacobian"),
    "supple.expressions.sparsity": ("SparsityPattern", "sparsity"),
    "supple.model.parameters": ("parameter_names",),
    "supple.model.trace": ("Trace",),
    "supple.model.traced_functions": ("traced",),
    "supple.symbolic.counts": ("count_operations",),
    "supple.symbolic.equations_of_motion": ("EquationsOfMotion",),
    "supple.symbolic.kane": ("KaneBody", "KaneJoint", "KaneModel", "KaneSystem", "MassProperties"),
    "supple.symbolic.routes": ("derivation_of", "equations", "require_known"),
    "supple.symbolic.textbook": ("textbook_names",),
    "supple.symbolic.vectors": ("Dyadic", "Vector"),
}
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
