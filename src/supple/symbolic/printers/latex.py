"""Equations for typesetting."""

from __future__ import annotations

import math
from typing import final

from supple.symbolic.function import Function
from supple.symbolic.graph import Expr
from supple.symbolic.printers.head import Place, head, label, leaf_names, places
from supple.symbolic.printers.plan import planned
from supple.symbolic.printers.writer import FormulaWriter

GREEK = """alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega
Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega""".split()  # noqa: SIM905 - one word a line is no easier to read
NAMES = {"asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "log": r"\ln"} | {
    name: rf"\operatorname{{{name}}}" for name in ("atan2", "sign")
}
ESCAPED = {c: f"\\{c}" for c in "{}$&#_%"} | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}


def latex(function: Function) -> str:
    r"""Equations in an `align*` environment (package amsmath), with the head as comments.

    Constants are P_1, P_2, ..., intermediate variables Z_1, Z_2, ...; inputs and outputs are numbered, parameters go by
    their names. Numbers are given to twelve digits.

    Examples
    --------
    >>> from supple.symbolic.graph import Graph
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
    names = leaf_names(plan, _symbol)
    names |= {leaf.id: rf"\text{{{_escaped(label(leaf))}}}" for leaf in plan.parameters}
    writer = _LatexWriter(names)
    rows = []
    for letter, nodes in (("P", plan.constants), ("Z", plan.variables)):
        for i, node in enumerate(nodes):
            name = _symbol(letter, (i,))
            rows.append(f"  {name} &= {writer.define(node, name)}")
    for key, x in function.outputs.items():
        rows += [f"  {_symbol(key, at)} &= {writer.expression(node)}" for at, node in places(x)]
    lines = [f"% {line}".rstrip() for line in head(function, plan, names, _symbol)]
    return "\n".join([*lines, r"\begin{align*}", " \\\\\n".join(rows), r"\end{align*}"]) + "\n"


def _symbol(key: str, at: Place) -> str:
    """q_{1} of the first number of q, M_{1,2} of a matrix."""
    if key in GREEK:
        letter = f"\\{key}"
    else:
        letter = key if len(key) == 1 and key.isalpha() else rf"\text{{{_escaped(key)}}}"
    return letter + (f"_{{{','.join(str(i + 1) for i in at)}}}" if at else "")


def _escaped(text: str) -> str:
    return "".join(ESCAPED.get(c, c) for c in text)


@final
class _LatexWriter(FormulaWriter):
    bar = True

    def number(self, value: float) -> str:
        if math.isinf(value):
            return r"\infty"
        digits, _, exponent = f"{value:.12g}".partition("e")
        if not exponent:
            return digits
        return (rf"{digits} \cdot " if digits != "1" else "") + f"10^{{{int(exponent)}}}"

    def enclosed(self, text: str) -> str:
        return rf"\left({text}\right)"

    def power(self, base: str, exponent: str) -> str:
        return f"{base}^{{{exponent}}}"

    def quotient(self, above: list[str], below: list[str]) -> str:
        top, bottom = r" \, ".join(above), r" \, ".join(below)
        return rf"\frac{{{top}}}{{{bottom}}}" if below else top

    def call(self, node: Expr) -> str:
        texts = [self.expression(a) for a in node.args]
        if node.op == "pow":
            return self.power(self.base(node.args[0]), texts[1])
        if node.op == "sqrt":
            return rf"\sqrt{{{texts[0]}}}"
        if node.op == "abs":
            return rf"\left|{texts[0]}\right|"
        return NAMES.get(node.op, f"\\{node.op}") + self.enclosed(", ".join(texts))
