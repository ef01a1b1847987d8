"""Expressions of SymPy."""

from __future__ import annotations

import operator
from typing import Any

from supple.expressions.function import Function
from supple.expressions.graph import PARAMETER, Expr
from supple.expressions.operations import FUNCTIONS, OPERATIONS
from supple.expressions.printers.head import label

OPERATORS = {name: x.value for name, x in OPERATIONS.items() if name not in FUNCTIONS} | {"pow": operator.pow}


def to_sympy(function: Function) -> dict[str, Any]:
    """Outputs as SymPy matrices (vectors are columns), of more than two axes as arrays.

    Inputs become real symbols "q_arm.angle", parameters "arm.mass"; numbers that are whole become integers, others
    floats of double precision.

    Raises
    ------
    ImportError
        If SymPy is not there.
    ValueError
        If two leaves would get one symbol.
    """
    try:
        import sympy
    except ImportError as error:
        raise ImportError("to_sympy needs SymPy: python -m pip install 'supple[symbolic]'") from error
    known: dict[int, Any] = {}
    leaves = {leaf.id: _name(leaf) for x in function.inputs.values() for leaf in x.flat}
    leaves |= {leaf.id: _name(leaf) for leaf in function.parameters}
    if len(set(leaves.values())) < len(leaves):
        twice = sorted(name for name in set(leaves.values()) if list(leaves.values()).count(name) > 1)
        raise ValueError(f"function {function.name!r}: more than one leaf for the symbol {', '.join(twice)}")
    for node in function.order:
        if node.id in leaves:
            known[node.id] = sympy.Symbol(leaves[node.id], real=True)
        elif node.op == "constant":
            known[node.id] = _number(sympy, node.value)
        else:
            known[node.id] = _applied(sympy, node.op, [known[a.id] for a in node.args])
    out = {}
    for key, x in function.outputs.items():
        values = [known[node.id] for node in x.flat]
        if x.ndim > 2:
            out[key] = sympy.Array(values, x.shape)
        else:
            rows, columns = (*x.shape, 1, 1)[:2]
            out[key] = sympy.Matrix(rows, columns, values)
    return out


def _name(leaf: Expr) -> str:
    return label(leaf) if leaf.kind in ("", PARAMETER) else f"{leaf.kind}_{label(leaf)}"


def _number(sympy: Any, value: float) -> Any:
    return sympy.Integer(int(value)) if value.is_integer() and abs(value) < 2**53 else sympy.Float(value)


def _applied(sympy: Any, op: str, x: list[Any]) -> Any:
    if op in OPERATORS:
        return OPERATORS[op](*x)
    return getattr(sympy, FUNCTIONS[op].sympy or op)(*x)
