"""A graph of expressions in which equal expressions are one node.

A node is made only through the graph, which first simplifies it (zeros, ones, signs, constants) and then looks whether
it is there already: common subexpressions are shared by construction. Nodes are numbered as they are made, so their
numbers are a topological order. Signs are pulled outward, so that -x y and x (-y) are the negative of one product and
end as a subtraction somewhere.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.errors import ModelError
from supple.expressions.operations import FUNCTIONS, OPERATIONS

PARAMETER = "parameter"
"""The kind of leaves that stay from call to call."""


class GraphTooLarge(Exception):
    """A graph has more nodes than it was allowed."""


class Leaf(NamedTuple):
    """What a leaf stands for.

    Attributes
    ----------
    kind : str
        The array it belongs to: "q", "v", "tau", ...; "parameter"; nothing if it belongs to none. An open set, as
        functions name their arrays as they like.
    name : str
        Any text, colons included.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        return self.name if self.kind in ("", PARAMETER) else f"{self.kind}:{self.name}"


class Expr:
    """A node. Arithmetic with nodes and numbers gives nodes; `np.sin(x)` and the like work too.

    Attributes
    ----------
    op : str
        "constant", "input", "parameter", "add", "sub", "mul", "div", "neg" or a function's name.
    args : tuple of Expr
    value : float or Leaf
        Of a constant its number, of an input or parameter what it stands for.
    id : int
        Place in the graph; greater than those of the arguments.
    """

    __slots__ = ("args", "graph", "id", "op", "value")

    def __init__(self, graph: Graph, id_: int, op: str, args: tuple[Expr, ...], value: Any) -> None:
        self.graph, self.id, self.op, self.args, self.value = graph, id_, op, args, value

    @property
    def kind(self) -> str:
        """Of an input or parameter: the array it belongs to."""
        kind: str = self.value.kind
        return kind

    @property
    def name(self) -> str:
        """Of an input or parameter."""
        name: str = self.value.name
        return name

    # Sums, differences and products of two nodes are most of what a recursion does: without a detour.

    def __add__(self, other: Any) -> Any:
        graph = self.graph
        return graph.add(self, other) if type(other) is Expr and other.graph is graph else self._with(other, "add")

    def __radd__(self, other: Any) -> Any:
        return self._with(other, "add")

    def __sub__(self, other: Any) -> Any:
        graph = self.graph
        return graph.sub(self, other) if type(other) is Expr and other.graph is graph else self._with(other, "sub")

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, "sub", reverse=True)

    def __mul__(self, other: Any) -> Any:
        graph = self.graph
        return graph.mul(self, other) if type(other) is Expr and other.graph is graph else self._with(other, "mul")

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, "mul")

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, "div")

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, "div", reverse=True)

    def __pow__(self, other: Any) -> Any:
        return self._with(other, "pow")

    def __rpow__(self, other: Any) -> Any:
        return self._with(other, "pow", reverse=True)

    def _with(self, other: Any, op: str, reverse: bool = False) -> Any:
        """An operation with a node or a number; arrays go through it item by item, vectors know what to do."""
        if type(other) is float:
            other = self.graph.constant(other)
        elif not isinstance(other, Expr):
            if not isinstance(other, Real):
                return NotImplemented
            other = self.graph.constant(float(other))
        elif other.graph is not self.graph:
            raise foreign(other)
        operation = getattr(self.graph, op)
        return operation(other, self) if reverse else operation(self, other)

    def __neg__(self) -> Expr:
        return self.graph.neg(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return self.graph.function("abs", self)

    def __getattr__(self, name: str) -> Callable[..., Expr]:
        """`np.sin` of an array of nodes looks for a method `sin` of every one, and so do the others."""
        if name in UFUNCS:
            own = getattr(self.graph, UFUNCS[name])
            return lambda *others: own(self, *map(self.graph.node, others))
        raise AttributeError(name)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """A numpy function of a node (and perhaps a number or array) is the graph's function of that name."""
        if method != "__call__" or kwargs:
            return NotImplemented
        if any(isinstance(x, np.ndarray) for x in inputs):
            wrapped = [x if isinstance(x, np.ndarray) else _boxed(x) for x in inputs]
            return ufunc(*wrapped)
        name = UFUNCS.get(ufunc.__name__)
        if name is None:
            return NotImplemented
        return getattr(self.graph, name)(*(self.graph.node(x) for x in inputs))

    def __bool__(self) -> bool:
        raise TypeError("a symbolic expression is neither true nor false: the code branches on a number of the state")

    def __repr__(self) -> str:
        if self.op in ("constant", "input", "parameter"):
            return str(self.value)
        return f"{self.op}({', '.join(f'#{a.id}' for a in self.args)})"


def _boxed(x: Any) -> Any:
    """A node as an array of no axes, which numpy treats item by item."""
    out = np.empty((), dtype=object)
    out[()] = x
    return out


class Graph:
    """Nodes, each once.

    Parameters
    ----------
    limit : int, optional
        Most nodes there may be; one more raises `GraphTooLarge`.

    Examples
    --------
    >>> g = Graph()
    >>> x, y = g.input("x"), g.input("y")
    >>> (x + y) * 2 is 2 * (y + x)
    True
    >>> x * 0 + y * 1 is y
    True
    """

    @checked
    def __init__(self, limit: float = math.inf) -> None:
        self.limit = limit
        self.nodes: list[Expr] = []
        self._known: dict[tuple[Any, ...], Expr] = {}
        self.zero, self.one = self.constant(0.0), self.constant(1.0)

    # ------------------------------------------------------------ leaves

    def constant(self, value: float) -> Expr:
        """The node of a number."""
        return self._make("constant", (), float(value) + 0.0)  # no negative zero

    def input(self, name: str, kind: str = "") -> Expr:
        """The node of a quantity that changes from call to call; the same for the same name and kind."""
        return self._make("input", (), Leaf(kind, name))

    def new_input(self, name: str, kind: str = "") -> Expr:
        """The node of a quantity that changes from call to call and is not there yet.

        Raises
        ------
        ModelError
            If there is an input of that name and kind: the two would be one.
        """
        leaf = Leaf(kind, name)
        if ("input", leaf) in self._known:
            raise ModelError(f"input {str(leaf)!r} is defined twice")
        return self._make("input", (), leaf)

    def new_inputs(self, kind: str, names: Iterable[str]) -> NDArray[Any]:
        """New inputs of one kind, as an array."""
        return np.array([self.new_input(name, kind) for name in names], dtype=object)

    def parameter(self, name: str) -> Expr:
        """The node of a quantity that stays from call to call; what depends on such alone is computed once."""
        return self._make("parameter", (), Leaf(PARAMETER, name))

    def node(self, x: Any) -> Expr:
        """x itself if it is a node, else the constant."""
        if not isinstance(x, Expr):
            return self.constant(x)
        if x.graph is not self:
            raise foreign(x)
        return x

    def _make(self, op: str, args: tuple[Expr, ...], value: Any = None) -> Expr:
        key: tuple[Any, ...]
        if len(args) == 2:
            key = (op, args[0].id, args[1].id)
        else:
            key = (op, value) if not args else (op, *[a.id for a in args])
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._new(op, args, value)
        return found

    def _new(self, op: str, args: tuple[Expr, ...], value: Any = None) -> Expr:
        """A node that is not known yet."""
        count = len(self.nodes)
        if count >= self.limit:
            raise GraphTooLarge(f"the graph has reached its limit of {self.limit} nodes")
        found = Expr(self, count, op, args, value)
        self.nodes.append(found)
        return found

    # ------------------------------------------------------------ arithmetic

    def add(self, a: Expr, b: Expr) -> Expr:
        """a + b."""
        if a.id > b.id:
            a, b = b, a
        if b.op == "constant":
            a, b = b, a
        if a.op == "constant":
            if b.op == "constant":
                return self.constant(a.value + b.value)
            if a.value == 0.0:
                return b
            if b.op == "add" and b.args[0].op == "constant" and math.isfinite(a.value + b.args[0].value):
                return self.add(self.constant(a.value + b.args[0].value), b.args[1])
        if b.op == "neg":
            return self.sub(a, b.args[0])
        if a.op == "neg":
            return self.sub(b, a.args[0])
        if a is b:
            return self.mul(self.constant(2.0), a)
        if a.op == "sub" and a.args[1] is b:
            return a.args[0]
        if b.op == "sub" and b.args[1] is a:
            return b.args[0]
        if a.op == "mul" and b.op == "mul" and _is_pythagoras(a, b):
            return self.one
        return self._make("add", (a, b))

    def sub(self, a: Expr, b: Expr) -> Expr:
        """a - b."""
        if a is b:
            return self.zero
        if b.op == "constant":
            return self.add(self.constant(-b.value), a)
        if a.op == "constant" and a.value == 0.0:
            return self.neg(b)
        if b.op == "neg":
            return self.add(a, b.args[0])
        if a.op == "neg":
            return self.neg(self.add(a.args[0], b))
        if b.op == "sub" and b.args[0] is a:
            return b.args[1]
        if a.op == "sub" and a.args[0] is b:
            return self.neg(a.args[1])
        if a.op == "add" and b in a.args:
            return a.args[1] if a.args[0] is b else a.args[0]
        if b.op == "add" and a in b.args:
            return self.neg(b.args[1] if b.args[0] is a else b.args[0])
        opposite = self._known.get(("sub", b.id, a.id))
        return self.neg(opposite) if opposite is not None else self._make("sub", (a, b))

    def mul(self, a: Expr, b: Expr) -> Expr:
        """a b."""
        if a.op == "neg":
            return self.neg(self.mul(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.mul(a, b.args[0]))
        if b.op == "constant" or (a.op != "constant" and a.id > b.id):
            a, b = b, a
        if a.op == "constant":
            c = a.value
            if b.op == "constant":
                return self.constant(c * b.value)
            if c == 0.0:
                return self.zero
            if c < 0.0:
                return self.neg(self.mul(self.constant(-c), b))
            if c == 1.0:
                return b
            if b.op == "mul" and b.args[0].op == "constant" and _is_normal(c * b.args[0].value):
                return self.mul(self.constant(c * b.args[0].value), b.args[1])
        if (a.op == "div" and _is_reciprocal(a, b)) or (b.op == "div" and _is_reciprocal(b, a)):
            return self.one
        return self._make("mul", (a, b))

    def div(self, a: Expr, b: Expr) -> Expr:
        """a / b. Constants are divided, with one rounding; division by another constant than zero becomes a product."""
        if b.op == "constant":
            if b.value == 0.0:
                return self._make("div", (a, b))
            if a.op == "constant":
                return self.constant(a.value / b.value)
            if a.op == "mul" and a.args[0].op == "constant" and _is_normal(a.args[0].value / b.value):
                return self.mul(self.constant(a.args[0].value / b.value), a.args[1])
            if _is_normal(1.0 / b.value):
                return self.mul(self.constant(1.0 / b.value), a)
        if a.op == "constant" and a.value == 0.0:
            return self.zero
        if a is b:
            return self.one
        if a.op == "neg":
            return self.neg(self.div(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.div(a, b.args[0]))
        if a.op == "constant" and a.value < 0.0:
            return self.neg(self.div(self.constant(-a.value), b))
        return self._make("div", (a, b))

    def neg(self, a: Expr) -> Expr:
        """-a."""
        if a.op == "constant":
            return self.constant(-a.value)
        if a.op == "neg":
            return a.args[0]
        return self._make("neg", (a,))

    def pow(self, a: Expr, b: Expr) -> Expr:
        """a to the power b; whole powers up to 16 become products, halves roots."""
        if b.op == "constant":
            power = b.value
            if power == 0.5:
                return self.function("sqrt", a)
            if power.is_integer() and abs(power) <= 16 and a.op != "constant":
                return self._whole_power(a, int(power))
        return self.function("pow", a, b)

    def _whole_power(self, a: Expr, n: int) -> Expr:
        if n < 0:
            return self.div(self.one, self._whole_power(a, -n))
        if n < 2:
            return a if n else self.one
        half = self._whole_power(a, n // 2)
        square = self.mul(half, half)
        return self.mul(square, a) if n % 2 else square

    def function(self, name: str, *args: Expr) -> Expr:
        """A function of nodes, folded for constants, signs taken out of odd and even ones."""
        if all(a.op == "constant" for a in args):
            try:
                return self.constant(FUNCTIONS[name].value(*(a.value for a in args)))
            except (ValueError, OverflowError):
                pass  # outside the domain: left to the run, which gives NaN or infinity
        if args[0].op == "neg" and len(args) == 1:
            parity = FUNCTIONS[name].parity
            if parity:
                opposite = self.function(name, args[0].args[0])
                return opposite if parity > 0 else self.neg(opposite)
        return self._make(name, args)

    def __getattr__(self, name: str) -> Callable[..., Expr]:
        """`graph.sin(x)` and so on for all functions."""
        if name in FUNCTIONS:
            return lambda *args: self.function(name, *args)
        raise AttributeError(name)


def foreign(node: Expr) -> ModelError:
    """What to raise where a node of another graph is used: numbers of nodes mean nothing outside their own."""
    return ModelError(f"{node!r} is an expression of another system, and cannot be used in this one")


def order_of(outputs: Iterable[Expr]) -> list[Expr]:
    """Nodes that the outputs need, arguments first."""
    needed = {node.id: node for node in outputs}
    stack = list(needed.values())
    while stack:
        for node in stack.pop().args:
            if node.id not in needed:
                needed[node.id] = node
                stack.append(node)
    return [needed[i] for i in sorted(needed)]


def _is_normal(x: float) -> bool:
    """Whether a number has all its digits: constants are not gathered into one that over- or underflows."""
    return sys.float_info.min <= abs(x) <= sys.float_info.max


def _is_reciprocal(a: Expr, b: Expr) -> bool:
    """Whether a, a quotient, is 1 / b."""
    return a.args[1] is b and a.args[0].op == "constant" and a.args[0].value == 1.0


def _is_pythagoras(a: Expr, b: Expr) -> bool:
    """Whether a + b, both products, is sin^2 + cos^2 of one angle."""
    if a.args[0] is not a.args[1] or b.args[0] is not b.args[1]:
        return False
    x, y = a.args[0], b.args[0]
    return {x.op, y.op} == {"sin", "cos"} and x.args[0] is y.args[0]


UFUNCS = {operation.numpy: name for name, operation in OPERATIONS.items()}
"""Names of numpy's functions and of the graph's."""
