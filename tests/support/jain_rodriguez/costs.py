"""What Jain and Rodriguez count (section 8), and what their routes take when they are traced.

Costs are pairs: products, additions. The source counts no divisions; the routes have one for each pivot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from supple.expressions.function import Operations
from supple.expressions.graph import Expr, Graph
from support.jain_rodriguez import routes
from support.jain_rodriguez.chain import Array, Link

Cost = tuple[int, int]
Polynomial = tuple[Sequence[Fraction | int], Sequence[Fraction | int]]
"""Coefficients of products and additions, constant first."""

F = Fraction
COMPOSITE_INERTIA: Polynomial = (90, 48), (116, F(97, 2), F(1, 2))
"""Printed with n^2, which is no whole number of additions for odd n; n (n + 1) / 2 of them add M_ff."""
MASS_MATRIX_BLOCK: Polynomial = (13, 34, 12), (13, 24, 11)
"""Of each body that is not inboard of the k-th: k times."""
BIAS: Polynomial = (206, 54, 2), (143, 50, 2)
EXPLICIT: Polynomial = (180, F(764, 3), F(25, 2), F(5, 6)), (164, F(548, 3), F(21, 2), F(5, 6))
INDIRECT: Polynomial = (572, 255, 12), (445, 182, 13)
INWARD: Polynomial = (49, 25, 1), (50, 24, 1)
OUTWARD: Polynomial = (52, 18), (42, 19)
VELOCITIES: Polynomial = (100, 24, 1), (59, 20, 1)
"""Not printed: what Table 1 has for each body beside the formulas above."""
ENDS: Polynomial = (125, 30), (86, 31)
"""Not printed: what Table 1 takes off for the two bodies at the ends, beside (7.10) of the tip."""
SOLUTION: Polynomial = (0, F(-2, 3), F(3, 2), F(1, 6)), (0, F(-7, 6), 1, F(1, 6))
"""Of as many equations."""

TABLE_1 = {
    (3, 5): (5223, 4195),
    (3, 10): (11432, 9677),
    (3, 15): (18587, 16287),
    (6, 5): (12591, 10075),
    (6, 10): (27611, 23315),
    (6, 15): (44846, 39225),
    (9, 5): (19591, 15955),
    (9, 10): (43790, 36953),
    (9, 15): (71105, 62163),
}
"""(bodies, modes): as printed."""
MISPRINT, CORRECTED = (9, 5), (19959, 15955)
"""The one cell that the formulas do not give, which is not linear in the bodies either; and what they give."""


def at(polynomial: Polynomial, x: int) -> Cost:
    """The values of products and additions."""
    products, additions = (sum(c * Fraction(x) ** i for i, c in enumerate(row)) for row in polynomial)
    assert products.denominator == additions.denominator == 1
    return int(products), int(additions)


def total(*costs: Cost) -> Cost:
    """Their sum."""
    return sum(c[0] for c in costs), sum(c[1] for c in costs)


def times(factor: int, cost: Cost) -> Cost:
    """As often."""
    return factor * cost[0], factor * cost[1]


def less(a: Cost, b: Cost) -> Cost:
    """How much more a is."""
    return a[0] - b[0], a[1] - b[1]


def articulated_formula(bodies: int, modes: int, inverse: str = "") -> Cost:
    """Of a chain by section 8.2 and Table 1; D_f is inverted explicitly up to seven modes, as the source chooses."""
    explicit = inverse == "explicit" if inverse else modes <= 7
    inertia = at(EXPLICIT if explicit else INDIRECT, modes)
    sweeps = total(*(at(x, modes) for x in (VELOCITIES, INWARD, OUTWARD)))
    return total(times(bodies - 1, inertia), times(bodies, sweeps), times(-1, at(ENDS, modes)))


def composite_formula(bodies: int, modes: int) -> Cost:
    """Of a chain by section 8.1."""
    unknowns = bodies * (modes + 1)
    return total(
        times(bodies, at(COMPOSITE_INERTIA, modes)),
        times(bodies * (bodies + 1) // 2, at(MASS_MATRIX_BLOCK, modes)),
        times(bodies, at(BIAS, modes)),
        (0, unknowns),
        at(SOLUTION, unknowns),
    )


# ---------------------------------------------------------------- traced


Route = Callable[..., tuple[Array, routes.Stages]]


def stage_costs(route: Route, chain: Sequence[Link], **options: Any) -> dict[str, Cost]:
    """Products and additions of each stage of a route on a chain: of the nodes that the stages before do not have.

    The constants of the links are parameters: what depends on them alone is computed once and not counted.
    """
    graph = Graph()
    chain = [symbolic(link, graph, k) for k, link in enumerate(chain)]
    names = [str(i) for i in range(sum(1 + link.modes for link in chain))]
    q, v, T = (graph.new_inputs(kind, names) for kind in ("q", "v", "tau"))
    _, stages = route(chain, q, v, T, np.array([0.0, 0.0, -9.81]), **options)
    counted = {x.id for x in graph.nodes} - fixed_ids(graph)
    found: dict[str, Cost] = {}
    for stage, arrays in stages.items():
        needed, fresh = [x for array in arrays for x in np.ravel(array) if isinstance(x, Expr)], []
        while needed:
            node = needed.pop()
            if node.id in counted:
                counted.remove(node.id)
                fresh.append(node)
                needed.extend(node.args)
        operations = Operations.of(fresh)
        found[stage] = operations.multiplications, operations.additions
    return found


def fixed_ids(graph: Graph) -> set[int]:
    """Nodes that depend on parameters and constants alone."""
    fixed: set[int] = set()
    for node in graph.nodes:
        if node.op in ("constant", "parameter") or (node.args and all(x.id in fixed for x in node.args)):
            fixed.add(node.id)
    return fixed


def symbolic(link: Link, graph: Graph, k: int) -> Link:
    """Every number of body k but zero as a parameter; equal numbers are one, opposite ones its negative."""

    def node(x: float) -> Any:
        return 0.0 if x == 0 else np.sign(x) * graph.parameter(f"{k}: {abs(x)!r}")

    return Link(*(np.vectorize(node, otypes=[object])(x) if x.size else x for x in link))


def traced(route: Route, chain: Sequence[Link], **options: Any) -> Cost:
    """Products and additions of a whole route."""
    return total(*stage_costs(route, chain, **options).values())
