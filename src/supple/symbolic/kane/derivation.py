"""A derivation written out: Sayers' tables, the pattern of the mass matrix, the order of elimination, the counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.expressions.elimination import elimination
from supple.expressions.function import Nodes, Operations
from supple.expressions.graph import Expr, order_of
from supple.expressions.printers.head import label
from supple.symbolic.kane.composite_bodies import composite_bodies
from supple.symbolic.kane.partial_velocities import BodyMotion, motions
from supple.symbolic.kane.table_text import TableText
from supple.symbolic.kane.tables import Table, tables

if TYPE_CHECKING:
    from supple.symbolic.equations_of_motion import EquationsOfMotion
    from supple.symbolic.kane.kane_system import KaneSystem

ROUTES = {"kane": "Kane's method", "composite": "composite bodies", "articulated": "articulated bodies"}
ROUTES["closed"] = "articulated bodies, and the forces that close the loops"
LAWS = ", with the laws of the run"


def derivation(system: KaneSystem, equations: EquationsOfMotion, driven: EquationsOfMotion | None = None) -> str:
    """How the equations of a system come about, as text.

    Parameters
    ----------
    system : KaneSystem
    equations : EquationsOfMotion
        Of the system, or of the model that the system was made of by any other route.
    driven : EquationsOfMotion, optional
        The same with the laws of a run in them.
    """
    own = equations
    if equations.variables.graph is not system.graph:
        own = system.equations(_same(system, equations.small))
    found = tables(system)
    text = TableText(system, [cell for table in found for cell in table.cells])
    lines = [f"Derivation of the equations of {label_of(system.name)}, in the order of Sayers (1991)."]
    lines += _legend(system)
    for table in found:
        lines += _table(table, text)
    lines += _definitions("Constants P, of parameters alone", text.constants)
    lines += _definitions("Intermediate variables Z", text.variables)
    names = [f"u{system.v.index(x) + 1}" for x in own.variables.v]
    lines += [*_pattern(own, names), *_counts(own, system)]
    if own is not equations and equations.route != own.route:
        lines += _counts(equations)
    lines += _driven(driven)
    lines += _routes(equations, driven)
    return "\n".join(lines) + "\n"


def _driven(e: EquationsOfMotion | None) -> list[str]:
    """Mass matrix and counts of equations with laws, whose prescribed motions change both."""
    return [] if e is None else [*_pattern(e, [label(x) for x in e.variables.v], LAWS), *_counts(e, laws=LAWS)]


def derivation_without_vectors(
    equations: EquationsOfMotion, reason: str, driven: EquationsOfMotion | None = None
) -> str:
    """The same for equations that Kane's method does not give: their mass matrix, elimination and counts."""
    lines = [
        f"Derivation of the equations of {label_of(equations.name)}, by the recursions.",
        f"No Tables 1 to 10: {reason}.",
    ]
    names = [label(x) for x in equations.variables.v]
    lines += [*_pattern(equations, names), *_counts(equations), *_driven(driven), *_routes(equations, driven)]
    return "\n".join(lines) + "\n"


def label_of(name: str) -> str:
    """A name on one line, in quotes."""
    return ascii(name)


def _same(system: KaneSystem, leaves: Sequence[Expr]) -> list[Expr]:
    """The leaves of the system with the names and kinds of others."""
    own = {(x.name, x.kind): x for x in (*system.q, *system.v)}
    return [own[x.name, x.kind] for x in leaves]


def _legend(system: KaneSystem) -> list[str]:
    pairs = [(f"q{i}", label(x)) for i, x in enumerate(system.q, start=1)]
    pairs += [(f"u{i}", x) for i, x in enumerate(_called(system.v, system.q), start=1)]
    names = [name if meaning == name else f"{name} = {meaning}" for name, meaning in pairs]
    return [
        f"Coordinates and speeds: {', '.join(names) or 'none'}.",
        "S1, C1, ...: sine and cosine of q1, ... Vectors and dyadics are sums over unit vectors, which are numbered by",
        "body; [4] x is the partial velocity x of the fourth speed, those that are not listed are zero.",
    ]


def _called(leaves: Sequence[Expr], coordinates: Iterable[Expr]) -> list[str]:
    """Names of states; of a speed with the name of a coordinate, which is its rate, with a prime."""
    known = {x.name for x in coordinates}
    return [f"{label(x)}'" if x.kind == "v" and x.name in known else label(x) for x in leaves]


def _table(table: Table, text: TableText) -> list[str]:
    lines = ["", table.title, "-" * len(table.title)]
    if not table.blocks:
        return [*lines, "  none"]
    for name, rows in table.blocks.items():
        width = max(len(what) for what, _ in rows)
        lines += [name, *(f"  {what:<{width}}  {text.text(cell)}".rstrip() for what, cell in rows)]
    return lines


def _definitions(title: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    return ["", title, "-" * len(title), *(f"  {name} = {text}" for name, text in pairs)] if pairs else []


# ------------------------------------------------------------ mass matrix


def _pattern(e: EquationsOfMotion, names: Sequence[str], laws: str = "") -> list[str]:
    """Where the mass matrix is not zero, as numbered and in the order of elimination."""
    M, f = e.terms.M, e.terms.f
    n = len(f)
    if not n:
        return []
    order, filled = elimination(M, f, e.small, names)
    zero = e.variables.graph.zero
    there = np.array([[e.variables.graph.node(x) is not zero for x in row] for row in M])
    title = f"Mass matrix{laws}"
    lines = ["", title, "-" * len(title), f"Zeros: {int((~there).sum())} of {n * n}. As the speeds are numbered:"]
    lines += _grid(there, list(range(n)), names)
    lines += [f"Order of elimination: {', '.join(names[i] for i in order)}; in this order:"]
    lines += _grid(there, list(order), names)
    pairs = ", ".join(f"{names[i]} with {names[k]}" for i, k in filled)
    return [*lines, f"Zeros that the elimination fills: {len(filled)}{f' ({pairs})' if pairs else ''}."]


def _grid(there: Nodes, order: Sequence[int], names: Sequence[str]) -> list[str]:
    width = max(len(name) for name in names)
    return [f"  {names[i]:>{width}}  {' '.join('*' if there[i, j] else '0' for j in order)}" for i in order]


# ------------------------------------------------------------ counts


def _counts(e: EquationsOfMotion, system: KaneSystem | None = None, laws: str = "") -> list[str]:
    """Operations by the table in which they are met first, of those that the accelerations and rates need.

    Terms that are truncated for small variables are no longer those of Tables 8 and 10.
    """
    stages: dict[str, list[Expr]] = {"kinematical equations": list(e.terms.rates)}
    if system is not None and not e.small and e.dependence is None:
        bodies = list(system.bodies.values())
        moved = motions(bodies, composite_bodies(bodies), system.gravity).values()
        stages["Table 8, rotation"] = [node for motion in moved for node in _rotational(motion)]
        stages["Table 10, translation"] = [node for motion in moved for node in _translational(motion)]
    stages |= {"mass matrix": list(e.terms.M.flat), "force array": list(e.terms.f)}
    stages["articulated bodies" if e.route == "articulated" else "elimination"] = list(e.terms.accelerations)
    function = e.unfactored
    left = {node.id for node in function.order} - function.constant_ids
    rows: list[tuple[str, Operations]] = []
    for name, nodes in stages.items():
        own = [node for node in order_of(x for x in nodes if isinstance(x, Expr)) if node.id in left]
        left -= {node.id for node in own}
        rows.append((name, Operations.of(own)))
    title = f"Operations by table, {ROUTES[e.route]}{laws}"
    rows += [("all", function.operations), ("with common factors taken out", e.operations)]
    return ["", title, "-" * len(title), *_numbers(rows)]


def _rotational(motion: BodyMotion) -> list[Expr]:
    vectors = [motion.angular.w, motion.angular.alpha, *motion.angular.w_i.values()]
    return [c for x in vectors for c in x.terms.values()]


def _translational(motion: BodyMotion) -> list[Expr]:
    vectors = [motion.point.a, motion.point.native_a, *motion.point.v_i.values(), *motion.point.native.values()]
    return [*(c for x in vectors for c in x.terms.values()), *motion.R.terms.values()]


def _routes(e: EquationsOfMotion, driven: EquationsOfMotion | None) -> list[str]:
    """Table 11: operations of each route that was tried, and of the equations with laws."""
    title = f"Table 11. Operations of each route{', with small variables' if e.small else ''}"
    rows = [(f"{route}{' (taken)' if route == e.route else ''}", x) for route, x in e.counts.items()]
    rows = rows or [(e.route, e.operations)]
    rows += [] if driven is None else [(f"{driven.route}{LAWS}", driven.operations)]
    lines = ["", title, "-" * len(title), *_numbers(rows)]
    return [*lines, *([f"Small: {', '.join(_called(e.small, e.variables.q))}."] if e.small else [])]


def _numbers(rows: Sequence[tuple[str, Operations]]) -> list[str]:
    width = max(len(name) for name, _ in rows)
    head = f"  {'':<{width}}  additions  multiplications  divisions  functions  all but additions"
    return [head] + [
        f"  {name:<{width}}  {x.additions:>9}  {x.multiplications:>15}  {x.divisions:>9}  {x.functions:>9}  "
        f"{x.total - x.additions:>17}"
        for name, x in rows
    ]
