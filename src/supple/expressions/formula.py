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
from typing import NamedTuple

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
AROUND = 36
"""Characters before and after an error that are shown with it."""


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
            if not (isinstance(error, SyntaxError) and error.offset):
                raise self._fault("cannot be read") from None
            place = _Place(error.lineno or 1, error.offset - 1, 1)
            raise self._fault(f"cannot be read at character {error.offset}", place) from None

    @property
    def names(self) -> set[str]:
        """All names that the text speaks of, those in rate(name) included."""
        found, waiting = set(), [self._tree]
        while waiting:
            x = waiting.pop()
            name = named(x)
            if name is not None:
                found.add(name)
            else:
                called = x.func if isinstance(x, ast.Call) else None
                waiting += [y for y in ast.iter_child_nodes(x) if isinstance(y, ast.expr) and y is not called]
        return found

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
            return self._known(name, names, graph, "quantity", x)
        if isinstance(x, ast.Constant) and isinstance(x.value, int | float) and not isinstance(x.value, bool):
            if not abs(x.value) <= sys.float_info.max:
                raise self._fault("expected numbers up to 1.7e308, got a larger one", self._place(x))
            return graph.constant(float(x.value))
        if isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.USub | ast.UAdd):
            inner = self._node(x.operand, graph, names, rates)
            return -inner if isinstance(x.op, ast.USub) else inner
        if isinstance(x, ast.BinOp) and type(x.op) in OPERATORS:
            both = [self._node(side, graph, names, rates) for side in (x.left, x.right)]
            result: Expr = getattr(graph, OPERATORS[type(x.op)])(*both)
            return result
        if isinstance(x, ast.Call) and isinstance(x.func, ast.Name) and not x.keywords:
            return self._call(x, x.func.id, graph, names, rates)
        got = f"expected numbers, names, + - * / ** and functions, got {ast.unparse(x)[:SHOWN]!r}"
        raise self._fault(got, self._place(x))

    def _call(
        self,
        x: ast.Call,
        function: str,
        graph: Graph,
        names: Mapping[str, Expr | float],
        rates: Mapping[str, Expr | float],
    ) -> Expr:
        args = x.args
        if function == "rate":
            name = named(args[0]) if len(args) == 1 else None
            if name is None:
                expected = "rate: expected the name of one coordinate, as in rate(arm.angle)"
                raise self._fault(expected, self._place(x))
            return self._known(name, rates, graph, "coordinate with a rate of its own", args[0])
        known = {name: x.arity for name, x in FUNCTIONS.items()} | {
            name: count for name, (count, _) in COMPOSED.items()
        }
        if function not in known:
            hint = nearest(function, [*known, "rate"])
            raise self._fault(f"no function {function!r}{hint}", self._place(x.func))
        if len(args) != known[function]:
            counts = f"expected {known[function]} arguments, got {len(args)}"
            raise self._fault(f"{function}: {counts}", self._place(x))
        nodes = [self._argument(self._node(arg, graph, names, rates), function) for arg in args]
        if function in COMPOSED:
            return COMPOSED[function][1](*nodes)
        return graph.pow(*nodes) if function == "pow" else graph.function(function, *nodes)

    def _argument(self, x: Expr, function: str) -> Expr:
        """An argument of a function of scalars."""
        return x

    def _known(self, name: str, names: Mapping[str, Expr | float], graph: Graph, what: str, x: ast.expr) -> Expr:
        if name not in names:
            raise self._fault(f"no {what} {name!r}{nearest(name, names)}", self._place(x))
        return graph.node(names[name])

    def _place(self, x: ast.expr) -> _Place:
        """Where a part of the formula stands."""
        line = self.text.strip().split("\n")[x.lineno - 1].encode()
        first = len(line[: x.col_offset].decode(errors="replace"))  # the parser counts bytes
        last = len(line[: x.end_col_offset].decode(errors="replace")) if x.end_lineno == x.lineno else first + 1
        return _Place(x.lineno, first, max(1, last - first))

    def _fault(self, what: str, place: _Place | None = None) -> StateError:
        """The error, with two more lines that show its place if it has one."""
        shown = self.text if len(self.text) <= SHOWN else f"{self.text[:SHOWN]}..."
        mark = "" if place is None else place.marked(self.text.strip())
        return StateError(f"{self.where}: {shown!r}: {what}{mark}")

    def __repr__(self) -> str:
        return f"Formula({self.text!r})"


class _Place(NamedTuple):
    """Where in a formula something is wrong: line from one, first character from zero, and how many there are."""

    line: int
    first: int
    width: int

    def marked(self, text: str) -> str:
        """Two indented lines: what stands around the place, and carets below it."""
        lines = text.split("\n")
        line = lines[min(self.line, len(lines)) - 1]
        first = min(self.first, len(line))
        start, end = max(0, first - AROUND), first + max(self.width, 1) + AROUND
        cut = "".join(x if x.isprintable() else "?" for x in line[start : min(end, first + 2 * AROUND)])
        under = "^" * max(1, min(self.width, start + len(cut) - first))
        return f"\n    {cut}\n    {' ' * (first - start)}{under}"


def named(x: ast.expr) -> str | None:
    """The name that stands there: word, words joined by dots, or a text in quotes."""
    if isinstance(x, ast.Name):
        return x.id
    if isinstance(x, ast.Attribute):
        before = named(x.value)
        return None if before is None else f"{before}.{x.attr}"
    return x.value if isinstance(x, ast.Constant) and isinstance(x.value, str) else None
