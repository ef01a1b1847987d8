"""The operations of a graph, one table: what each is on floats, its slopes, and what it is called in every product.

A new function is one more row here, and its formula for vectors in `engines.vector_math`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Counted = Literal["additions", "multiplications", "divisions", "functions", ""]


def smaller(a: float, b: float) -> float:
    """The smaller as `numpy.minimum` has it: not a number where either is not. So in all languages."""
    return a if a < b or a != a else b


def larger(a: float, b: float) -> float:
    """The larger as `numpy.maximum` has it: not a number where either is not. So in all languages."""
    return a if a > b or a != a else b


@dataclass(frozen=True)
class Operation:
    """What is known of an operation.

    Attributes
    ----------
    value : function of floats
        May raise where the result is not a finite number, as Python's own functions do.
    slopes : function of a node
        Derivatives by its arguments, as nodes.
    numpy : str
        The function of numpy; it is also the name by which numpy asks for it.
    arity : int
    parity : int
        1 if it is even, -1 if it is odd, 0 if neither.
    kink : function of floats, optional
        Whether it has no slope there, though the formula for it may give a number.
    stepwise : bool
        Whether it is constant between its kinks: its slopes are zero.
    counted : str
        The field of `Operations` that it adds to.
    math, c, latex, sympy : str
        What it is called there; its own name if not given. An operator has none.
    """

    value: Callable[..., float]
    slopes: Callable[[Any], Sequence[Any]]
    numpy: str
    arity: int = 1
    parity: int = 0
    kink: Callable[..., bool] | None = None
    stepwise: bool = False
    counted: Counted = "functions"
    math: str = ""
    c: str = ""
    latex: str = ""
    sympy: str = ""

    def on_floats(self, *x: float) -> float:
        """The value by the rules of IEEE arithmetic: infinity or not a number where `value` raises."""
        try:
            return float(self.value(*x))
        except (ValueError, OverflowError, ZeroDivisionError):
            with np.errstate(all="ignore"):
                return float(getattr(np, self.numpy)(*x))


def _quotient(node: Any) -> list[Any]:
    inverse = node.graph.one / node.args[1]
    return [inverse, -(node * inverse)]


def _atan2(node: Any) -> list[Any]:
    y, x = node.args
    square = y * y + x * x
    return [x / square, -y / square]


def _power(node: Any) -> list[Any]:
    base, power = node.args
    return [power * node.graph.pow(base, power - 1), node * node.graph.log(base)]


def _chosen(side: int) -> Callable[[Any], list[Any]]:
    """Slopes of the larger (side 1) or the smaller (side -1)."""

    def slopes(node: Any) -> list[Any]:
        first = 0.5 * (1 + side * node.graph.sign(node.args[0] - node.args[1]))
        return [first, 1 - first]

    return slopes


def _at_zero(x: float) -> bool:
    return x == 0.0


def _equal(x: float, y: float) -> bool:
    return x == y


def _of(slope: Callable[[Any, Any, Any], Any]) -> Callable[[Any], list[Any]]:
    """Slopes of a function of one argument, from (graph, argument, the node itself)."""
    return lambda node: [slope(node.graph, node.args[0], node)]


OPERATIONS: dict[str, Operation] = {
    "add": Operation(operator.add, lambda x: [x.graph.one, x.graph.one], "add", 2, counted="additions"),
    "sub": Operation(operator.sub, lambda x: [x.graph.one, -x.graph.one], "subtract", 2, counted="additions"),
    "mul": Operation(operator.mul, lambda x: [x.args[1], x.args[0]], "multiply", 2, counted="multiplications"),
    "div": Operation(operator.truediv, _quotient, "divide", 2, counted="divisions"),
    "neg": Operation(operator.neg, lambda x: [-x.graph.one], "negative", parity=-1, counted=""),
    "sin": Operation(math.sin, _of(lambda g, x, y: g.cos(x)), "sin", parity=-1),
    "cos": Operation(math.cos, _of(lambda g, x, y: -g.sin(x)), "cos", parity=1),
    "tan": Operation(math.tan, _of(lambda g, x, y: 1 + y * y), "tan", parity=-1),
    "asin": Operation(math.asin, _of(lambda g, x, y: 1 / g.sqrt(1 - x * x)), "arcsin", parity=-1, latex=r"\arcsin"),
    "acos": Operation(math.acos, _of(lambda g, x, y: -1 / g.sqrt(1 - x * x)), "arccos", latex=r"\arccos"),
    "atan": Operation(math.atan, _of(lambda g, x, y: 1 / (1 + x * x)), "arctan", parity=-1, latex=r"\arctan"),
    "atan2": Operation(
        math.atan2,
        _atan2,
        "arctan2",
        2,
        kink=lambda y, x: x == y == 0.0,
        latex=r"\operatorname{atan2}",
    ),
    "exp": Operation(math.exp, _of(lambda g, x, y: y), "exp"),
    "log": Operation(math.log, _of(lambda g, x, y: 1 / x), "log", latex=r"\ln"),
    "sinh": Operation(math.sinh, _of(lambda g, x, y: g.cosh(x)), "sinh", parity=-1),
    "cosh": Operation(math.cosh, _of(lambda g, x, y: g.sinh(x)), "cosh", parity=1),
    "tanh": Operation(math.tanh, _of(lambda g, x, y: 1 - y * y), "tanh", parity=-1),
    "sqrt": Operation(math.sqrt, _of(lambda g, x, y: 0.5 / y), "sqrt"),
    "pow": Operation(math.pow, _power, "power", 2),
    "abs": Operation(
        abs, _of(lambda g, x, y: g.sign(x)), "absolute", parity=1, kink=_at_zero, math="abs", c="fabs", sympy="Abs"
    ),
    "sign": Operation(
        lambda x: float(np.sign(x)),
        _of(lambda g, x, y: g.zero),
        "sign",
        parity=-1,
        kink=_at_zero,
        stepwise=True,
        math="sign",
        latex=r"\operatorname{sign}",
    ),
    "min": Operation(smaller, _chosen(-1), "minimum", 2, kink=_equal, math="smaller", c="smaller", sympy="Min"),
    "max": Operation(larger, _chosen(1), "maximum", 2, kink=_equal, math="larger", c="larger", sympy="Max"),
}
"""Arithmetic, then functions, by the names that nodes have."""

FUNCTIONS: dict[str, Operation] = {name: x for name, x in OPERATIONS.items() if x.counted == "functions"}
"""Those that are called by name."""
