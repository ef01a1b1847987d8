"""Formulas in text, as model files hold them, turned into nodes of a graph.

The text is parsed, never run: numbers, names, + - * / **, parentheses, and the functions below. A name is `t`, a
constant of the file, or a quantity of the model such as `arm.angle`; names that are no words are put in quotes,
"left-arm.angle".
"""

from __future__ import annotations

import ast
import math
import sys
import warnings
from collections.abc import Callable, Mapping

from supple.errors import StateError, nearest
from supple.expressions.graph import Expr, Graph
from supple.expressions.operations import FUNCTIONS

CONSTANTS = {"pi": math.pi}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
}
COMPOSED: dict[str, tuple[int, Callable[..., Expr]]] = {
    "clip": (3, lambda x, low, high: x.graph.function("min", x.graph.function("max", x, low), high)),
    "step": (1, lambda x: 0.5 * (1 + x.graph.function("sign", x))),
    "ramp": (1, lambda x: x.graph.function("max", x, x.graph.zero)),
}
"""Functions made of others: clip(x, low, high); step(x), 0 before and 1 after x = 0; ramp(x), the larger of x and 0."""
LONGEST = 10_000
"""Characters of a formula."""
SHOWN = 200
"""Characters of a formula in an error message."""


class Formula:
    """A parsed text.

    Parameters
    ----------
    text : str
    where : str
        What error messages begin with.

    Examples
    --------
    >>> g = Graph()
    >>> x = g.input("x")
    >>> Formula("2*arm.angle + 0").node(g, {"arm.angle": x}) is 2 * x
    True
    """

    def __init__(self, text: str, where: str = "formula") -> None:
        self.text, self.where = text, where
        if len(text) > LONGEST:
            raise self._fault(f"expected at most {LONGEST} characters, got {len(text)}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of odd texts that are refused below with a message of our own
                self._tree = ast.parse(text.strip(), mode="eval").body
        except (MemoryError, RecursionError):
            raise self._fault("is nested too deeply") from None
        except (SyntaxError, ValueError) as error:
            place = f" at character {error.offset}" if isinstance(error, SyntaxError) and error.offset else ""
            raise self._fault(f"cannot be read{place}") from None

    def node(
        self, graph: Graph, names: Mapping[str, Expr | float], rates: Mapping[str, Expr | float] | None = None
    ) -> Expr:
        """The formula as a node, with what its names stand for, and what `rate(name)` does."""
        try:
            found = self._node(self._tree, graph, CONSTANTS | dict(names), rates or {})
        except RecursionError:
            raise self._fault("is nested too deeply") from None
        if found.op == "constant" and not math.isfinite(found.value):
            raise self._fault(f"expected a finite value, got {found.value}")
        return found

    def _node(
        self, x: ast.expr, graph: Graph, names: Mapping[str, Expr | float], rates: Mapping[str, Expr | float]
    ) -> Expr:
        name = named(x)
        if name is not None:
            return self._known(name, names, graph, "quantity")
        if isinstance(x, ast.Constant) and isinstance(x.value, int | float) and not isinstance(x.value, bool):
            return graph.constant(self._number(x.value))
        if isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.USub | ast.UAdd):
            inner = self._node(x.operand, graph, names, rates)
            return -inner if isinstance(x.op, ast.USub) else inner
        if isinstance(x, ast.BinOp) and type(x.op) in OPERATORS:
            both = [self._node(side, graph, names, rates) for side in (x.left, x.right)]
            result: Expr = getattr(graph, OPERATORS[type(x.op)])(*both)
            return result
        if isinstance(x, ast.Call) and isinstance(x.func, ast.Name) and not x.keywords:
            return self._call(x.func.id, x.args, graph, names, rates)
        raise self._fault(f"expected numbers, names, + - * / ** and functions, got {ast.unparse(x)[:SHOWN]!r}")

    def _call(
        self,
        function: str,
        args: list[ast.expr],
        graph: Graph,
        names: Mapping[str, Expr | float],
        rates: Mapping[str, Expr | float],
    ) -> Expr:
        if function == "rate":
            name = named(args[0]) if len(args) == 1 else None
            if name is None:
                raise self._fault("rate: expected the name of one coordinate, as in rate(arm.angle)")
            return self._known(name, rates, graph, "coordinate with a rate of its own")
        known = {name: x.arity for name, x in FUNCTIONS.items()} | {
            name: count for name, (count, _) in COMPOSED.items()
        }
        if function not in known:
            raise self._fault(f"no function {function!r}{nearest(function, [*known, 'rate'])}")
        if len(args) != known[function]:
            raise self._fault(f"{function}: expected {known[function]} arguments, got {len(args)}")
        nodes = [self._argument(self._node(arg, graph, names, rates), function) for arg in args]
        if function in COMPOSED:
            return COMPOSED[function][1](*nodes)
        return graph.pow(*nodes) if function == "pow" else graph.function(function, *nodes)

    def _argument(self, x: Expr, function: str) -> Expr:
        """An argument of a function of scalars."""
        return x

    def _number(self, x: float) -> float:
        if not abs(x) <= sys.float_info.max:
            raise self._fault("expected numbers up to 1.7e308, got a larger one")
        return float(x)

    def _known(self, name: str, names: Mapping[str, Expr | float], graph: Graph, what: str) -> Expr:
        if name not in names:
            raise self._fault(f"no {what} {name!r}{nearest(name, names)}")
        return graph.node(names[name])

    def _fault(self, what: str) -> StateError:
        shown = self.text if len(self.text) <= SHOWN else f"{self.text[:SHOWN]}..."
        return StateError(f"{self.where}: {shown!r}: {what}")

    def __repr__(self) -> str:
        return f"Formula({self.text!r})"


def named(x: ast.expr) -> str | None:
    """The name that stands there: word, words joined by dots, or a text in quotes."""
    if isinstance(x, ast.Name):
        return x.id
    if isinstance(x, ast.Attribute):
        before = named(x.value)
        return None if before is None else f"{before}.{x.attr}"
    return x.value if isinstance(x, ast.Constant) and isinstance(x.value, str) else None
