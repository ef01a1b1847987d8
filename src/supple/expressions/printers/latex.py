"""Equations for typesetting."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import final

from supple.expressions.function import Function
from supple.expressions.graph import Expr
from supple.expressions.operations import FUNCTIONS
from supple.expressions.printers.head import Place, head, label, leaf_names, places
from supple.expressions.printers.latex_lines import broken
from supple.expressions.printers.writer import FormulaWriter
from supple.expressions.printers.writing_plan import WritingPlan, planned

GREEK = """alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega
Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega""".split()  # noqa: SIM905 - one word a line is no easier to read
ESCAPED = {c: f"\\{c}" for c in "{}$&#_%"} | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}


def latex(function: Function) -> str:
    r"""Equations in an `align*` environment (package amsmath), with the head as comments.

    Constants are P_1, P_2, ..., intermediate variables Z_1, Z_2, ...; inputs and outputs are numbered, parameters go by
    their names. Numbers are given to twelve digits.

    Examples
    --------
    >>> from supple.expressions.graph import Graph
    >>> g = Graph()
    >>> x, y = g.input("x"), g.input("y")
    >>> f = Function("f", g, {"q": [x, y]}, {"r": (x + 2) * x / (1 - y)})
    >>> print(latex(f)[latex(f).index(r"\begin") :])
    \begin{align*}
      r &= \frac{q_{1} \, \left(2 + q_{1}\right)}{1 - q_{2}}
    \end{align*}
    <BLANKLINE>
    """
    plan = planned(function)
    lines = [f"% {line}".rstrip() for line in head(function, plan, _names(plan), symbol)]
    return "\n".join([*lines, aligned([row for rows in equation_rows(function) for row in rows])])


def equation_rows(function: Function) -> tuple[list[str], list[str], list[str]]:
    """The equations, one a row with & before the equals sign: constants, intermediate variables, outputs."""
    plan = planned(function)
    writer = LatexWriter(_names(plan))
    defined: list[list[str]] = []
    for letter, nodes in (("P", plan.constants), ("Z", plan.variables)):
        named = [(symbol(letter, (i,)), node) for i, node in enumerate(nodes)]
        defined.append([f"{name} &= {writer.define(node, name)}" for name, node in named])
    outputs = [
        f"{symbol(key, at)} &= {writer.expression(node)}"
        for key, x in function.outputs.items()
        for at, node in places(x)
    ]
    return defined[0], defined[1], outputs


def aligned(rows: Iterable[str]) -> str:
    """Rows in an `align*` environment, long ones broken."""
    body = " \\\\\n".join(f"  {broken(row)}" for row in rows)
    return "\n".join([r"\begin{align*}", body, r"\end{align*}"]) + "\n"


def parameter_symbol(leaf: Expr) -> str:
    """A parameter by its name."""
    return rf"\text{{{escaped(label(leaf))}}}"


def _names(plan: WritingPlan) -> dict[int, str]:
    return leaf_names(plan, symbol) | {leaf.id: parameter_symbol(leaf) for leaf in plan.parameters}


def symbol(key: str, at: Place) -> str:
    """q_{1} of the first number of q, M_{1,2} of a matrix."""
    if key in GREEK:
        letter = f"\\{key}"
    else:
        letter = key if len(key) == 1 and key.isalpha() else rf"\text{{{escaped(key)}}}"
    return letter + (f"_{{{','.join(str(i + 1) for i in at)}}}" if at else "")


def escaped(text: str) -> str:
    """Text in which no character has a meaning."""
    return "".join(ESCAPED.get(c, c) for c in text)


@final
class LatexWriter(FormulaWriter):
    """Writes formulas for typesetting."""

    bar = True

    def number(self, value: float) -> str:
        """A number that is not negative, to twelve digits."""
        if math.isinf(value):
            return r"\infty"
        digits, _, exponent = f"{value:.12g}".partition("e")
        if not exponent:
            return digits
        return (rf"{digits} \cdot " if digits != "1" else "") + f"10^{{{int(exponent)}}}"

    def enclosed(self, text: str) -> str:
        """Text in parentheses."""
        return rf"\left({text}\right)"

    def power(self, base: str, exponent: str) -> str:
        """A power of a factor."""
        return f"{base}^{{{exponent}}}"

    def quotient(self, above: list[str], below: list[str]) -> str:
        """A fraction, or a product if nothing is below."""
        top, bottom = r" \, ".join(above), r" \, ".join(below)
        return rf"\frac{{{top}}}{{{bottom}}}" if below else top

    def call(self, node: Expr) -> str:
        """A function of its arguments."""
        texts = [self.expression(a) for a in node.args]
        if node.op == "pow":
            return self.power(self.base(node.args[0]), texts[1])
        if node.op == "sqrt":
            return rf"\sqrt{{{texts[0]}}}"
        if node.op == "abs":
            return rf"\left|{texts[0]}\right|"
        return (FUNCTIONS[node.op].latex or f"\\{node.op}") + self.enclosed(", ".join(texts))
