"""What a formula can speak of: time, coordinates, rates, variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from supple.errors import StateError
from supple.expressions.derivatives import forward
from supple.expressions.formula import Formula
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr, Graph
from supple.formulations import Formulation
from supple.inputs.tables import Table


@dataclass(frozen=True)
class Quantities:
    """The leaves of a run: time t, coordinates q, speeds v, integrals z, held values u; variables by name; where in u
    the pieces of tables begin; what names the numbers of laws, if they shall stay symbols; the most points of a table
    that is written out in time, none if tables are held values; how the frames of wrenches move.
    """

    model: Formulation
    graph: Graph
    t: Expr
    q: Nodes
    v: Nodes
    z: Nodes
    u: Nodes
    variables: Mapping[str, Expr | float] = field(default_factory=dict)
    tables: Mapping[Table, int] = field(default_factory=dict)
    symbol: Callable[[str, float], Expr] | None = None
    longest_table: int = 0
    motions: Nodes = field(default_factory=lambda: np.zeros(0, dtype=object))

    @cached_property
    def names(self) -> dict[str, Expr | float]:
        """Names in formulas: speeds that are rates are reached as rate(name)."""
        known: dict[str, Expr | float] = dict(zip(self.model.speeds, self.v, strict=True))
        known |= dict(zip(self.model.coordinates, self.q, strict=True))
        return known | {"t": self.t} | dict(self.variables)

    @cached_property
    def rates(self) -> dict[str, Expr | float]:
        """Rates of coordinates that have one of their own."""
        place = self.model.q_of_speed
        return {self.model.coordinates[place[i]]: self.v[i] for i in range(self.model.nv) if place[i] >= 0}

    def formula(self, text: str | float, where: str, name: str = "") -> Expr:
        """A formula, or a number, as a node; a number is called by a name, if there is one."""
        if isinstance(text, str):
            return Formula(text, where).node(self.graph, self.names, self.rates)
        return self.graph.node(self.number(name, text) if name else text)

    def number(self, name: str, x: float) -> Expr | float:
        """A number of a law: a symbol where these are wanted, unless it is zero."""
        return x if self.symbol is None or x == 0.0 else self.symbol(name, float(x))

    def table(self, table: Table, derivative: int = 0) -> Expr:
        """A table of this run, or a derivative of it, as a node."""
        if self.longest_table:
            if len(table.breaks) > self.longest_table:
                raise StateError(
                    f"a table of {len(table.breaks)} points is too long to be written out; expected at most "
                    f"{self.longest_table}. A program has it as an array"
                )
            return table.written_out(self.t, derivative)
        first = self.tables[table]
        return table.node(self.t, self.u[first : first + len(table.numbers)], derivative)

    def rate(self, x: Expr, where: str) -> Expr:
        """Time derivative of a node of time and of coordinates that have a rate of their own."""
        place = self.model.q_of_speed
        moving: dict[Expr, Expr | float] = {self.t: 1.0}
        moving |= {self.q[place[i]]: self.v[i] for i in range(self.model.nv) if place[i] >= 0}
        self._require(x, where, {*moving, *self.u}, "time and coordinates, whose rate is known")
        return forward([x], moving)[0]

    def require_time_alone(self, x: Expr, where: str) -> None:
        """Refuse what depends on the state; variables are numbers."""
        own = {v for v in self.variables.values() if isinstance(v, Expr)}
        self._require(x, where, {self.t, *own}, "time and variables alone")

    def _require(self, x: Expr, where: str, allowed: set[Expr], what: str) -> None:
        # Within a step t and q are expressions of others: what is below an allowed node does not matter.
        waiting, seen = [x], set(allowed)
        while waiting:
            node = waiting.pop()
            if node.op == "input" and node not in seen:
                raise StateError(f"{where}: expected a function of {what}, got one of {node.name!r} as well")
            if node not in seen:
                seen.add(node)
                waiting.extend(node.args)
