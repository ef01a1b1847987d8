"""Scalars, vectors and dyadics as they stand in tables: what is used more than once goes by a name, Z1, Z2, ..."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.expressions.function import Function
from supple.expressions.graph import Expr
from supple.expressions.printers.head import label
from supple.expressions.printers.text import TextWriter, parameter_text
from supple.expressions.printers.writing_plan import planned
from supple.symbolic.vectors import Dyadic, Vector

if TYPE_CHECKING:
    from supple.symbolic.kane.kane_system import KaneSystem

Cell = str | Expr | Vector | Dyadic | Sequence["Cell"] | Mapping[int, Vector]
"""What a row of a table holds: text, a scalar, a vector, a dyadic, a list of them, or vectors by the numbers of
speeds."""


class TableText:
    """Writes cells of tables.

    Coordinates are q1, q2, ..., speeds u1, u2, ..., both in the order of the system, sines and cosines of coordinates
    S1, C1, ...; inputs and parameters have their names.

    Parameters
    ----------
    system : KaneSystem
    cells : iterable of Cell
        All that will be written.

    Attributes
    ----------
    constants, variables : list of (str, str)
        Names and what they stand for: of parameters alone; of the state.
    """

    def __init__(self, system: KaneSystem, cells: Iterable[Cell]) -> None:
        states = {"q": system.q, "u": system.v}
        names = {x.id: f"{letter}{i}" for letter, leaves in states.items() for i, x in enumerate(leaves, start=1)}
        names |= {x.id: f"[{label(x)}]" if label(x) in names.values() else label(x) for x in system.inputs}
        names[system.time.id] = "t"
        taken = set(names.values())
        parameters = list(system.symbols.values())
        names |= {x.id: parameter_text(x, taken) for x in parameters}
        nodes = np.array([node for cell in cells for node in _scalars(cell)], dtype=object)
        leaves = np.array([*system.q, *system.v, *system.inputs, system.time], dtype=object)
        plan = planned(Function("tables", system.graph, {"x": leaves}, {"y": nodes}, parameters))
        taken = set(names.values())
        for i, x in enumerate(system.q, start=1):
            for letter, op in (("S", "sin"), ("C", "cos")):
                if f"{letter}{i}" not in taken:
                    names[system.graph.function(op, x).id] = f"{letter}{i}"
        self.writer = TextWriter(names)
        self.constants = self._defined("P", plan.constants, taken)
        self.variables = self._defined("Z", [x for x in plan.variables if x.id not in names], taken)

    def _defined(self, letter: str, nodes: Sequence[Expr], taken: set[str]) -> list[tuple[str, str]]:
        free = (f"{letter}{i}" for i in range(1, len(nodes) + len(taken) + 1) if f"{letter}{i}" not in taken)
        return [(name, self.writer.define(node, name)) for node, name in zip(nodes, free, strict=False)]

    def text(self, cell: Cell) -> str:
        """A cell as text."""
        if isinstance(cell, str):
            return cell
        if isinstance(cell, Expr):
            return self.writer.expression(cell)
        if isinstance(cell, Vector):
            return self._sum([(c, str(unit)) for unit, c in cell.terms.items()])
        if isinstance(cell, Dyadic):
            return self._sum([(c, f"({a} {b})") for (a, b), c in cell.terms.items()])
        if isinstance(cell, Mapping):
            return "; ".join(f"[{i + 1}] {self.text(x)}" for i, x in sorted(cell.items())) or "none"
        return ", ".join(self.text(x) for x in cell) or "none"

    def _sum(self, terms: Sequence[tuple[Expr, str]]) -> str:
        """Scalars times unit vectors."""
        out = ""
        for c, unit in terms:
            text, negative = self._scalar(c)
            out += (" - " if negative else " + ") if out else "-" * negative
            out += f"{text} {unit}" if text else unit
        return out or "0"

    def _scalar(self, c: Expr) -> tuple[str, bool]:
        """The magnitude of a factor, nothing where it is one, and whether it is negative."""
        if c.op == "constant":
            size = abs(c.value)
            return "" if size == 1.0 else self.writer.number(size), c.value < 0.0
        if self.writer.is_written_out(c, "neg"):
            text, negative = self._scalar(c.args[0])
            return text, not negative
        text = self.writer.expression(c)
        if self.writer.is_written_out(c, "add", "sub"):
            return self.writer.enclosed(text), False
        return text.removeprefix("-"), text.startswith("-")


def _scalars(cell: Cell) -> Iterable[Expr]:
    """All scalars of a cell."""
    if isinstance(cell, str):
        return []
    if isinstance(cell, Expr):
        return [cell]
    if isinstance(cell, Vector | Dyadic):
        return list(cell.terms.values())
    parts = cell.values() if isinstance(cell, Mapping) else cell
    return [node for part in parts for node in _scalars(part)]
