"""Equations of motion as a textbook prints them: M v' = f, one line a speed, multiplied out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.expressions.expand import Expansion, Monomial
from supple.expressions.function import Function
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.printers.head import label
from supple.expressions.printers.latex import LatexWriter, aligned
from supple.expressions.printers.names import latex_name, text_name
from supple.expressions.printers.text import TextWriter
from supple.expressions.printers.writer import FormulaWriter
from supple.expressions.printers.writing_plan import planned

if TYPE_CHECKING:
    from supple.symbolic.equations_of_motion import EquationsOfMotion

MOST_SPEEDS = 12
"""Speeds beyond which nobody reads the equations."""
MOST_VARIABLES = 30
"""Intermediate variables beyond which the whole listing is no worse to read."""

PARAMETER, INPUT, COORDINATE, SPEED = range(4)
"""Kinds of leaves, in the order in which factors are written."""

Rank = tuple[int, int, int, int]
"""Kind, number, a leaf before its functions and cosines last, place in the graph."""
Powers = tuple[tuple[Expr, int], ...]
Texts = tuple[str, ...]
Sides = list[tuple[str, str]]
"""Left and right sides of equations."""
Signed = tuple[int, str]
"""A sign, +1 or -1, and what stands after it."""


@dataclass(frozen=True)
class Style:
    """How things are written.

    Attributes
    ----------
    writer : function
        What writes expressions, from the names of the leaves.
    name : function
        Text of a name and its number of time derivatives; of a kind of leaf too, where the name has another meaning.
    """

    writer: Callable[[dict[int, str]], FormulaWriter]
    name: Callable[[str, int, str], str]


def implicit_text(equations: EquationsOfMotion) -> str | None:
    """The equations M v' = f as plain text, above them the kinematical equations; None if they are too long for it.

    A coordinate goes by its name, its rate is name' and that speed's rate name''. Kinematical equations that only say
    so are left out. Entries of M and f that are too long have intermediate variables Z1, Z2, ..., which stand in front.

    Examples
    --------
    >>> from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties
    >>> s = KaneSystem("pendulum")
    >>> I1zz, m1, g, L = s.parameters("I1zz", "m1", "g", "L")
    >>> s.gravity = -g * s.ground.axes[1]
    >>> hinge = KaneJoint(rotations="3", coordinates=["theta"])
    >>> arm = s.add_body("arm", joint=hinge, body=MassProperties(m1, com=(0, -L, 0), inertia=(0, 0, I1zz)))
    >>> s.add_speed_force(arm.speeds[0], s.input("tau"))
    >>> print(implicit_text(s.equations()))
    (I1zz + m1*L^2)*theta'' = tau - m1*g*L*sin(theta)
    <BLANKLINE>
    """
    parts = _parts(equations, Style(TextWriter, text_name))
    if parts is None:
        return None
    return "\n".join("".join(f"{left} = {right}\n" for left, right in part) for part in parts if part)


def implicit_latex(equations: EquationsOfMotion) -> str | None:
    """The same for typesetting, in an `align*` environment (package amsmath)."""
    parts = _parts(equations, Style(LatexWriter, latex_name))
    if parts is None:
        return None
    return aligned([f"{left} &= {right}" for part in parts for left, right in part])


def _parts(equations: EquationsOfMotion, style: Style) -> tuple[Sides, Sides, Sides] | None:
    """Intermediate variables, kinematical equations and dynamical equations, if they are short enough."""
    return _Page(equations, style).parts() if 0 < len(equations.terms.f) <= MOST_SPEEDS else None


class _Page:
    """Equations in a graph of their own, in which the leaves are numbered in the order of writing."""

    def __init__(self, equations: EquationsOfMotion, style: Style) -> None:
        e = equations
        self.equations, self.style, self.graph = e, style, Graph()
        groups = {
            PARAMETER: e.variables.symbols,
            INPUT: e.variables.inputs,
            COORDINATE: (e.variables.time, *e.variables.q),
            SPEED: e.variables.v,
        }
        places = [(leaf, kind, i) for kind, leaves in groups.items() for i, leaf in enumerate(leaves)]
        leaves = {old: self.graph.input(str(n)) for n, (old, _, _) in enumerate(places)}
        self.leaves = list(leaves.values())
        self.ranks: dict[int, Rank] = {leaves[old].id: (kind, i, 0, 0) for old, kind, i in places}
        texts = self._names([old for old, _, _ in places])
        names = {leaves[old].id: texts[old] for old in leaves}
        self.writer, self.long_writer = style.writer(names), style.writer(names)
        moved = e.implicit.moved(self.graph, leaves)
        self.rates, self.M, self.f = moved["rate"], moved["M"], moved["f"]
        self.expansion = Expansion(self.graph)
        self.terms: dict[int, list[Monomial] | None] = {}

    # ------------------------------------------------------------ names

    def _names(self, leaves: Sequence[Expr]) -> dict[Expr, str]:
        """Texts of all leaves, and in `rate_names` and `acceleration_names` those of the left sides."""
        e, name = self.equations, self.style.name
        speeds = {
            speed: q
            for speed, q in zip(reversed(e.terms.rates), reversed(e.variables.q), strict=True)
            if speed in e.variables.v
        }
        labels = {leaf: label(leaf) for leaf in leaves} | {e.variables.time: "t"}
        owner: dict[str, Expr] = {}
        for leaf in (*e.variables.q, *e.variables.v, *leaves):
            if leaf not in speeds:
                owner.setdefault(labels[leaf], leaf)

        def text(leaf: Expr, dots: int) -> str:
            return name(labels[leaf], dots, "" if owner[labels[leaf]] is leaf else leaf.kind)

        out = {leaf: text(speeds[leaf], 1) if leaf in speeds else text(leaf, 0) for leaf in leaves}
        self.taken = set(out.values())
        self.trivial = [
            rate in speeds and speeds[rate] is q for q, rate in zip(e.variables.q, e.terms.rates, strict=True)
        ]
        self.rate_names = [text(q, 1) for q in e.variables.q]
        self.acceleration_names = [text(speeds[u], 2) if u in speeds else text(u, 1) for u in e.variables.v]
        return out

    # ------------------------------------------------------------ equations

    def parts(self) -> tuple[Sides, Sides, Sides] | None:
        """Intermediate variables, kinematical equations, dynamical equations; None if those are all too long."""
        rows = list(zip(self.M, self.f, strict=True))
        if not any(self._is_short(f) and all(map(self._is_short, row)) for row, f in rows):
            return None
        sides = zip(self.rate_names, self.rates, self.trivial, strict=True)
        rates = [(name, rate) for name, rate, known in sides if not known]
        written = [*(rate for _, rate in rates), *self.M.flat, *self.f]
        variables = self._variables([node for node in written if not self._is_short(node)])
        if len(variables) > MOST_VARIABLES:
            return None
        kinematical = [(name, self._sum(rate)) for name, rate in rates]
        return variables, kinematical, [(self._left(row), self._sum(f)) for row, f in rows]

    def _is_short(self, node: Expr) -> bool:
        """Whether a node can be multiplied out; its terms are kept."""
        if node.id not in self.terms:
            self.terms[node.id] = self.expansion.products(node)
        return self.terms[node.id] is not None

    def _variables(self, nodes: list[Expr]) -> Sides:
        """What expressions that are too long need, each with a name that is not taken."""
        long = Function("long", self.graph, {"x": np.array(self.leaves)}, {"y": np.array(nodes, dtype=object)})
        out: Sides = []
        number = 0
        for node in planned(long).variables:
            name = ""
            while not name or name in self.taken:
                number += 1
                name = self.style.name(f"Z{number}", 0, "")
            out.append((name, self.long_writer.define(node, name)))
        return out

    def _left(self, row: Sequence[Expr]) -> str:
        """A row of the mass matrix times the accelerations."""
        parts = []
        for node, acceleration in zip(row, self.acceleration_names, strict=True):
            terms = self.terms[node.id]
            if terms is None:
                sign, text = self._entry(node)
                parts.append((sign, self.writer.quotient([text, acceleration], [])))
                continue
            entry = [self._group(group) for group in self._groups(terms)]
            if len(entry) == 1:
                parts.append(self._group(terms, acceleration))
            elif entry:
                negative = all(sign < 0 for sign, _ in entry)
                text = self.writer.enclosed(_joined([(abs(sign), x) for sign, x in entry] if negative else entry))
                parts.append((-1 if negative else 1, self.writer.quotient([text, acceleration], [])))
        return _in_turn(parts)

    def _entry(self, node: Expr) -> Signed:
        """An entry of the mass matrix that is not multiplied out, as a factor."""
        write = self.long_writer
        if write.is_written_out(node, "neg"):
            return -1, self._entry(node.args[0])[1]
        return 1, write.factor(node) if write.is_written_out(node, "add", "sub") else write.product(node)

    # ------------------------------------------------------------ sums and products

    def _sum(self, node: Expr) -> str:
        """A sum: terms with inputs first, then short ones; a positive one in front where there is one."""
        terms = self.terms[node.id]
        if terms is None:
            return self.long_writer.expression(node)
        return _joined([self._group(group) for group in self._groups(terms)])

    def _term_order(self, term: Monomial) -> tuple[bool, int, list[Rank], bool]:
        ranks = sorted(self._rank(atom) for atom, n in term.powers for _ in range(abs(n)))
        return all(rank[0] != INPUT for rank in ranks), len(ranks), ranks, term.coefficient < 0.0

    def _groups(self, terms: list[Monomial]) -> list[list[Monomial]]:
        """Terms in order; together those over the same sum, and those that differ in parameters: (B - C)*u2*u3."""
        out: dict[tuple[Powers, int], list[Monomial]] = {}
        for i, term in enumerate(sorted(terms, key=self._term_order)):
            sums = tuple((atom, n) for atom, n in term.powers if atom.op in ("add", "sub"))
            varying = tuple((atom, n) for atom, n in term.powers if self._rank(atom)[0] != PARAMETER)
            out.setdefault((sums or varying, 0 if sums or varying else i), []).append(term)
        return list(out.values())

    def _group(self, group: list[Monomial], *last: str) -> Signed:
        """Terms of a group as one: what they have in common times a sum, parameters alone in front, others behind."""
        if len(group) == 1:
            return self._product(group[0], last)
        common = dict(group[0].powers)
        for term in group[1:]:
            own = dict(term.powers)
            common = {x: min(n, own[x], key=abs) for x, n in common.items() if n * own.get(x, 0) > 0}
        sizes = {abs(term.coefficient) for term in group}
        scale = sizes.pop() if len(sizes) == 1 else 1.0
        scale = -scale if all(term.coefficient < 0.0 for term in group) else scale
        rest = [
            Monomial(t.coefficient / scale, tuple((x, n - common.get(x, 0)) for x, n in t.powers if n != common.get(x)))
            for t in group
        ]
        inside = self.writer.enclosed(_joined([self._product(term) for term in sorted(rest, key=self._term_order)]))
        varies = any(self._rank(atom)[0] != PARAMETER for term in rest for atom, _ in term.powers)
        before, behind = ((), (inside,)) if varies else ((inside,), ())
        return self._product(Monomial(scale, tuple(common.items())), behind + last, before)

    def _product(self, term: Monomial, last: Texts = (), first: Texts = ()) -> Signed:
        """A product, with more factors before and behind."""
        above: list[str] = []
        below: list[str] = []
        for atom, n in sorted(term.powers, key=lambda power: self._rank(power[0])):
            text = self.writer.factor(atom) if abs(n) == 1 else self.writer.power(self.writer.base(atom), str(abs(n)))
            (above if n > 0 else below).append(text)
        if below and self.writer.bar and len(term.powers) == len(above) + 1:
            atom, n = next(power for power in term.powers if power[1] < 0)
            below = [self.writer.expression(atom)] if n == -1 else below
        above = [*first, *above, *last]
        if abs(term.coefficient) != 1.0 or not above:
            above.insert(0, self.writer.number(abs(term.coefficient)))
        return (-1 if term.coefficient < 0.0 else 1), self.writer.quotient(above, below)

    def _rank(self, atom: Expr) -> Rank:
        """Place of an atom among the factors: of a function that of the first leaf of the last kind in it."""
        if atom.id not in self.ranks:
            found = [self.ranks[x.id] for x in order_of([atom]) if not x.args and x.id in self.ranks]
            kind = max((rank[0] for rank in found), default=PARAMETER)
            first = min((rank[1] for rank in found if rank[0] == kind), default=0)
            self.ranks[atom.id] = (kind, first, 2 if atom.op == "cos" else 1, atom.id)
        return self.ranks[atom.id]


def _joined(terms: Sequence[Signed]) -> str:
    """Terms with their signs, the first positive one in front."""
    first = next((i for i, (sign, _) in enumerate(terms) if sign > 0), 0)
    return _in_turn([*terms[first : first + 1], *terms[:first], *terms[first + 1 :]])


def _in_turn(terms: Sequence[Signed]) -> str:
    """Terms with their signs; 0 if there are none."""
    text = ""
    for sign, term in terms:
        text += ((" - " if sign < 0 else " + ") if text else "-" * (sign < 0)) + term
    return text or "0"
