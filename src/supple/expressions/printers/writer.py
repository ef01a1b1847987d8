"""Expressions as text: precedence, signs and parentheses, for programs and for readers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from typing import final

from supple.expressions.graph import Expr

Term = tuple[int, Expr]
"""A sign, +1 or -1, and what stands after it."""


class Writer(ABC):
    """Writes nodes, those that have a name by their name.

    Parameters
    ----------
    names : dict of int to str
        Text of the leaves, by the ids of their nodes; `define` adds to it.
    """

    def __init__(self, names: dict[int, str]) -> None:
        self.names = dict(names)

    def define(self, node: Expr, name: str) -> str:
        """What a node equals; from now on it is written as `name`."""
        text = self.expression(node)
        self.names[node.id] = name
        return text

    def expression(self, node: Expr) -> str:
        """A node as a sum of terms, a positive one in front where there is one."""
        first, *rest = self._in_order(self._terms(node, 1))
        text = ("-" if first[0] < 0 else "") + self._magnitude(first[1])
        for sign, term in rest:
            text += (" - " if sign < 0 else " + ") + self._magnitude(term)
        return text

    def is_written_out(self, node: Expr, *ops: str) -> bool:
        """Whether a node is one of these operations and has no name."""
        return node.id not in self.names and node.op in ops

    def _terms(self, node: Expr, sign: int) -> list[Term]:
        if self.is_written_out(node, "neg"):
            return self._terms(node.args[0], -sign)
        if self.is_written_out(node, "add", "sub"):
            right = -sign if node.op == "sub" else sign
            return self._terms(node.args[0], sign) + self._right_terms(node.args[1], right)
        if node.op == "constant" and node.value < 0.0:
            return [(-sign, node)]
        return [(sign, node)]

    def _magnitude(self, node: Expr) -> str:
        """A term without its sign."""
        return self.number(abs(node.value)) if node.op == "constant" else self.product(node)

    def factor(self, node: Expr) -> str:
        """A node as one factor, in parentheses where it needs them."""
        text = self.expression(node)
        loose = self.is_written_out(node, "add", "sub", "neg", "mul", "div")
        return self.enclosed(text) if loose or text.startswith("-") else text

    @abstractmethod
    def _right_terms(self, node: Expr, sign: int) -> list[Term]:
        """Terms of the right side of a sum."""

    @abstractmethod
    def _in_order(self, terms: list[Term]) -> list[Term]:
        """Terms in the order in which they are written."""

    @abstractmethod
    def number(self, value: float) -> str:
        """A number that is not negative."""

    @abstractmethod
    def product(self, node: Expr) -> str:
        """A node that is neither sum nor constant."""

    @abstractmethod
    def enclosed(self, text: str) -> str:
        """Text in parentheses."""


@final
class CodeWriter(Writer):
    """Writes expressions of a programming language, which are evaluated in the order of the graph, to the last bit.

    Parameters
    ----------
    names : dict of int to str
    functions : dict of str to str
        What the functions are called in the language.
    number : function
        Text of a number.
    """

    def __init__(self, names: dict[int, str], functions: dict[str, str], number: Callable[[float], str]) -> None:
        super().__init__(names)
        self.functions, self._number = functions, number

    def _right_terms(self, node: Expr, sign: int) -> list[Term]:
        terms = self._terms(node, sign)
        return terms if len(terms) == 1 else [(sign, node)]

    def _in_order(self, terms: list[Term]) -> list[Term]:
        if len(terms) > 1 and terms[0][0] < 0 < terms[1][0]:
            return [terms[1], terms[0], *terms[2:]]  # -a + b and b - a round alike, longer exchanges do not
        return terms

    def _magnitude(self, node: Expr) -> str:
        return self.factor(node) if self.is_written_out(node, "add", "sub", "neg") else super()._magnitude(node)

    def number(self, value: float) -> str:
        """A number that is not negative."""
        return self._number(value)

    def product(self, node: Expr) -> str:
        """Products and quotients from left to right, or a function."""
        if node.id in self.names:
            return self.names[node.id]
        if node.op in ("mul", "div"):
            left, right = node.args
            head = self.product(left) if self.is_written_out(left, "mul", "div") else self.factor(left)
            return f"{head}{'*' if node.op == 'mul' else '/'}{self.factor(right)}"
        return f"{self.functions[node.op]}({', '.join(self.expression(a) for a in node.args)})"

    def enclosed(self, text: str) -> str:
        """Text in parentheses."""
        return f"({text})"


class FormulaWriter(Writer):
    """Writes formulas for readers: sums and products without inner parentheses, powers, one stroke of division.

    Attributes
    ----------
    bar : bool
        Whether division is a bar, which needs no parentheses round what stands alone above or below it.
    """

    bar: bool

    def _right_terms(self, node: Expr, sign: int) -> list[Term]:
        return self._terms(node, sign)

    def _in_order(self, terms: list[Term]) -> list[Term]:
        first = next((i for i, (sign, _) in enumerate(terms) if sign > 0), 0)
        return [terms[first], *terms[:first], *terms[first + 1 :]]

    def product(self, node: Expr) -> str:
        """A quotient of products of powers, or a function."""
        if node.id in self.names:
            return self.names[node.id]
        if node.op not in ("mul", "div"):
            return self.call(node)
        above: list[Expr] = []
        below: list[Expr] = []
        self._collect(node, above, below)
        numbers = [x.value for x in above if x.op == "constant"]
        coefficient = math.prod(numbers)
        plain = coefficient == 1.0
        top = self._powers([x for x in above if x.op != "constant"], self.bar and plain and bool(below))
        if not plain or not top:
            whole = math.isfinite(coefficient) and coefficient != 0.0
            top[:0] = [self.number(x) for x in ([coefficient] if whole else numbers)]
        return self.quotient(top, self._powers(below, self.bar))

    def _collect(self, node: Expr, above: list[Expr], below: list[Expr]) -> None:
        if self.is_written_out(node, "mul", "div"):
            self._collect(node.args[0], above, below)
            if node.op == "mul":
                self._collect(node.args[1], above, below)
            else:
                self._collect(node.args[1], below, above)
        else:
            above.append(node)

    def _powers(self, factors: list[Expr], alone: bool) -> list[str]:
        """Equal factors as powers; a factor that stands alone without its parentheses."""
        if alone and len(factors) == 1:
            return [self.expression(factors[0])]
        count = Counter(factors)
        return [self.factor(x) if n == 1 else self.power(self.base(x), str(n)) for x, n in count.items()]

    def base(self, node: Expr) -> str:
        """A node as what a power is taken of."""
        text = self.factor(node)
        return self.enclosed(text) if self.is_written_out(node, "pow") else text

    @abstractmethod
    def quotient(self, above: list[str], below: list[str]) -> str:
        """A product of factors over a product of factors, none below if there is no division."""

    @abstractmethod
    def power(self, base: str, exponent: str) -> str:
        """A power of a factor."""

    @abstractmethod
    def call(self, node: Expr) -> str:
        """A function of its arguments."""
