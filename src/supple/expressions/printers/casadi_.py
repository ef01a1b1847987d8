"""Functions of CasADi."""

from __future__ import annotations

import operator
from typing import Any

from supple.expressions.function import Function
from supple.expressions.operations import FUNCTIONS, OPERATIONS

OPERATORS = {name: x.value for name, x in OPERATIONS.items() if name not in FUNCTIONS} | {"pow": operator.pow}
NAMES = {"abs": "fabs", "min": "fmin", "max": "fmax"}
"""What CasADi calls by another name than the graph."""


def to_casadi(function: Function) -> Any:
    """The same function for CasADi: inputs and outputs have their names, and CasADi differentiates it exactly.

    Vectors are columns and matrices are matrices. Arrays of more axes are matrices whose rows run over all axes but the
    last: rotations (bodies, 3, 3) stand below each other.

    Returns
    -------
    casadi.Function
        Of scalar expressions (SX), so that derivatives of any order are sparse and as short as CasADi makes them.

    Raises
    ------
    ImportError
        If CasADi is not there.
    """
    try:
        import casadi
    except ImportError as error:
        raise ImportError("to_casadi needs CasADi: python -m pip install 'supple[casadi]'") from error
    leaves = function.inputs | ({"parameters": function.parameters} if function.parameters else {})
    given = {name: casadi.SX.sym(name, len(x)) for name, x in leaves.items()}
    known = {leaf.id: given[name][i] for name, x in leaves.items() for i, leaf in enumerate(x)}
    for node in function.order:
        if node.op == "constant":
            known[node.id] = casadi.SX(node.value)
        elif node.id not in known:
            known[node.id] = _applied(casadi, node.op, [known[a.id] for a in node.args])
    results = []
    for x in function.outputs.values():
        columns = x.shape[-1] if x.ndim > 1 else 1
        values = casadi.vertcat(*(known[node.id] for node in x.flat))
        results.append(casadi.reshape(values, columns, x.size // max(columns, 1)).T)
    names = [name if name not in given else f"next_{name}" for name in function.outputs]
    return casadi.Function(function.name, list(given.values()), results, list(given), names)


def _applied(casadi: Any, op: str, x: list[Any]) -> Any:
    return OPERATORS[op](*x) if op in OPERATORS else getattr(casadi, NAMES.get(op, op))(*x)
