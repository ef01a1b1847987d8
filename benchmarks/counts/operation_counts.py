"""Operations of forward dynamics of flexible chains beside section 8 of Jain and Rodriguez (1990).

    python -m benchmarks.counts.operation_counts [--small]

Their formulas, their Table 1, their routes written as printed and traced, and the program's own counts; what a body
costs by stage, as polynomials in the number n of its modes; which route is the cheapest for how many bodies and
modes. Every route gives the accelerations of `model.forward_dynamics` before it is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL
from supple.structures import FlexibleBody
from support.jain_rodriguez import costs, routes
from support.jain_rodriguez.chain import link_of, parts
from support.jain_rodriguez.models import GRAVITY, chain_of, crooked, straight

CELLS = [(9, 5)] if SMALL else list(costs.TABLE_1)
BODIES, MODES = (2, 1) if SMALL else (40, 30)
"""Most of each on the map."""
DEGREE = 3
"""Of the counts as polynomials: of mass matrices and their elimination, in the bodies and in the modes."""
Cost = costs.Cost


def check(bodies: int, modes: int) -> None:
    """Stop unless the source's routes give the accelerations of the model."""
    body = flexible(modes)
    model, chain = chain_of(body, bodies), [link_of(body)] * bodies
    q, v = model.random_state(0)
    tau = np.random.default_rng(0).normal(size=model.nv)
    expected = model.forward_dynamics(q, v, tau)
    found = [routes.composite(chain, q, v, tau, np.array(GRAVITY))[0]]
    found += [routes.articulated(chain, q, v, tau, np.array(GRAVITY), x)[0] for x in ("explicit", "indirect")]
    for a in found:
        off = np.abs(a - expected).max() / np.abs(expected).max()
        assert off < 1e-10, f"a route of the source and the model differ by {off:.1e}"
    assert all(modal.any() for _, modal in parts(chain, expected))


def flexible(modes: int) -> FlexibleBody:
    """The link without symmetry."""
    body = crooked(modes)
    assert isinstance(body, FlexibleBody)
    return body


def own(body: Any, bodies: int) -> Cost:
    """Products and additions of the program's articulated route."""
    found = supple.count_operations(chain_of(body, bodies))
    return found.multiplications, found.additions


def source_route(bodies: int, modes: int) -> Cost:
    """The source's articulated route traced, with the inverse of D_f that it takes; linear in the bodies."""
    three, four = (traced_route(n, modes) for n in (3, 4))
    return costs.total(three, costs.times(bodies - 3, costs.total(four, costs.times(-1, three))))


@cache
def traced_route(bodies: int, modes: int) -> Cost:
    """The same for a chain that is short enough."""
    inverse = "explicit" if modes <= 7 else "indirect"
    return costs.traced(routes.articulated, [link_of(flexible(modes), 1)] * bodies, inverse=inverse)


def table_of(title: str, *columns: str) -> Table:
    """An empty table."""
    table = Table(title=title)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def printed(cost: Cost) -> str:
    """Products and additions."""
    return f"{cost[0]:,} + {cost[1]:,}"


def first_table() -> Table:
    """Table 1 with what else there is to say about its cells."""
    columns = ("bodies", "modes", "printed", "its formulas", "its route, traced", "supple", "straight beams")
    table = table_of("Table 1: products + additions", *columns)
    for bodies, modes in CELLS:
        check(min(bodies, 3), modes)
        found = [costs.articulated_formula(bodies, modes), source_route(bodies, modes)]
        found += [own(flexible(modes), bodies), own(straight(modes), bodies)]
        cell = printed(costs.TABLE_1[bodies, modes]) + (" (sic)" if (bodies, modes) == costs.MISPRINT else "")
        table.add_row(str(bodies), str(modes), cell, *map(printed, found))
    return table


# ---------------------------------------------------------------- what a body costs


def polynomial(at: Sequence[int], values: Sequence[int]) -> list[Fraction]:
    """Coefficients, constant first, of the one polynomial through as many values."""
    x = [Fraction(i) for i in at]
    out = [Fraction(0)] * len(x)
    for i, value in enumerate(values):
        basis, scale = [Fraction(1)], Fraction(value)
        for j, other in enumerate(x):
            if j != i:
                basis = [a - other * b for a, b in zip([Fraction(0), *basis], [*basis, Fraction(0)], strict=True)]
                scale /= x[i] - other
        out = [a + scale * b for a, b in zip(out, basis, strict=True)]
    return out


def text_of(coefficients: Sequence[Fraction | int]) -> str:
    """12 n^2 + 34 n + 13."""
    powers = ("", " n", " n^2", " n^3")
    terms = [f"{c}{powers[i]}" if c != 1 or not i else powers[i][1:] for i, c in enumerate(coefficients) if c]
    return " + ".join(reversed(terms)).replace("+ -", "- ") or "0"


def traced_stages(modes: int) -> dict[str, Cost]:
    """Products and additions of one more body, stage by stage, of all routes; of the mass matrix those of a block."""
    link, found = link_of(flexible(modes), 1), dict[str, Cost]()
    if not SMALL:
        three, four, five = (costs.stage_costs(routes.composite, [link] * bodies) for bodies in (3, 4, 5))
        found |= {stage: costs.less(four[stage], three[stage]) for stage in ("composite inertias", "bias")}
        steps = (costs.less(x["mass matrix"], y["mass matrix"]) for x, y in ((five, four), (four, three)))
        found["mass matrix"] = costs.less(*steps)
    for inverse in ("indirect",) if SMALL else routes.INVERSES:
        three, four = (costs.stage_costs(routes.articulated, [link] * bodies, inverse=inverse) for bodies in (3, 4))
        found[f"(7.10), {inverse}"] = costs.less(four["(7.10)"], three["(7.10)"])
    return found | {stage: costs.less(four[stage], three[stage]) for stage in ("velocities", "(7.11)", "(7.12)")}


FORMULAS = {
    "composite inertias": costs.COMPOSITE_INERTIA,
    "mass matrix": costs.MASS_MATRIX_BLOCK,
    "bias": costs.BIAS,
    "velocities": costs.VELOCITIES,
    "(7.10), explicit": costs.EXPLICIT,
    "(7.10), indirect": costs.INDIRECT,
    "(7.10), printed": costs.INDIRECT,
    "(7.11)": costs.INWARD,
    "(7.12)": costs.OUTWARD,
}
"""Of the source, by stage."""


def body_table() -> Table:
    """What a body between others costs."""
    columns = ("stage", "products, source", "traced", "additions, source", "traced")
    table = table_of("A body with n modes between others", *columns)
    modes = (2, 3, 4) if SMALL else (2, 3, 4, 5)
    found = [traced_stages(n) for n in modes]
    for stage in (x for x in FORMULAS if x in found[0]):
        cells = [
            (text_of(formula), text_of(polynomial(modes, [x[stage][i] for x in found])))
            for i, formula in enumerate(FORMULAS[stage])
        ]
        table.add_row(stage, *cells[0], *cells[1])
    table.caption = (
        "mass matrix: for each body that is not inboard of it; printed: with the inverse of Gamma, which does not "
        "exist; velocities: not printed, what Table 1 has beside the formulas"
    )
    return table


# ---------------------------------------------------------------- the cheapest route


@cache
def operations(method: str, bodies: int, modes: int) -> int:
    """All operations of one route of the program on a chain in space."""
    return supple.count_operations(chain_of(crooked(modes), bodies, turned=True), method=method).total


SETTLED = 5
"""Bodies from which on one more costs as the one before says: the first ones move in simpler ways."""


@cache
def articulated_operations(bodies: int, modes: int) -> int:
    """Linear in the bodies."""
    if bodies <= SETTLED + 1:
        return operations("articulated", bodies, modes)
    first, second = (operations("articulated", n, modes) for n in (SETTLED, SETTLED + 1))
    return first + (bodies - SETTLED) * (second - first)


class Polynomials:
    """The counts of a method as polynomials in bodies and in modes; without modes in bodies alone."""

    def __init__(self, method: str) -> None:
        self.count = partial_of(operations, method)
        self.modes, self.last = range(1, DEGREE + 2), range(SETTLED, SETTLED + DEGREE + 1)
        every = range(1, SETTLED + DEGREE + 1)
        self.rows = {n: polynomial(self.modes, [self.count(n, m) for m in self.modes]) for n in every}
        for case in ((3, DEGREE + 3), (SETTLED + DEGREE + 2, 0), (SETTLED + DEGREE + 2, 2)):
            found, exact = self(*case), self.count(*case)
            assert abs(found - exact) < 2e-3 * exact, f"{method}: {found} for {exact} at {case}"

    def __call__(self, bodies: int, modes: int) -> int:
        if bodies in self.rows:
            return value(self.rows[bodies], modes) if modes else self.count(bodies, 0)
        return value(polynomial(self.last, [self(n, modes) for n in self.last]), bodies)


def partial_of(function: Callable[..., int], method: str) -> Callable[[int, int], int]:
    """The count of one method."""
    return lambda bodies, modes: function(method, bodies, modes)


def value(coefficients: Sequence[Fraction], x: int) -> int:
    """Of a polynomial."""
    return int(sum(c * x**i for i, c in enumerate(coefficients)))


def program_routes() -> dict[str, Callable[[int, int], int]]:
    """Operations by the routes of the program, as functions of bodies and modes."""
    if SMALL:
        return {method: partial_of(operations, method) for method in ("articulated", "triangular", "composite")}
    return {
        "articulated": articulated_operations,
        "triangular": Polynomials("triangular"),
        "composite": Polynomials("composite"),
    }


def source_routes() -> dict[str, Callable[[int, int], int]]:
    """Products and additions by the source's formulas."""
    return {
        "articulated, indirect": lambda bodies, modes: sum(costs.articulated_formula(bodies, modes, "indirect")),
        "explicit inverse": lambda bodies, modes: sum(costs.articulated_formula(bodies, modes, "explicit")),
        "composite": lambda bodies, modes: sum(costs.composite_formula(bodies, modes)),
    }


def map_of(ways: dict[str, Callable[[int, int], int]]) -> list[str]:
    """A row for each number of modes, a letter for each number of bodies: the initial of the cheapest route."""
    rows = []
    for modes in range(MODES + 1):
        cheapest = [min(ways, key=lambda way: ways[way](bodies, modes)) for bodies in range(1, BODIES + 1)]
        rows.append("".join(way[0] for way in cheapest))
    return rows


def print_map(console: Console, title: str, ways: dict[str, Callable[[int, int], int]]) -> None:
    """The map, rows alike in one line."""
    console.print(f"\n{title}: {', '.join(f'{way[0]} {way}' for way in ways)}; bodies from 1 to {BODIES}")
    rows = map_of(ways)
    first = 0
    for modes, row in enumerate(rows):
        if modes == MODES or rows[modes + 1] != row:
            label = str(first) if first == modes else f"{first}-{modes}"
            console.print(f"{label:>6} modes  {row}")
            first = modes + 1


def iterations_table() -> Table:
    """Conjugate gradients: what they take, and how many iterations the articulated route is worth."""
    columns = ("bodies", "modes", "speeds", "before", "an iteration", "articulated", "iterations for that")
    table = table_of("Conjugate gradients: all operations", *columns)
    for bodies, modes in ((3, 0),) if SMALL else ((3, 0), (10, 0), (3, 5), (10, 5), (3, 15), (10, 15)):
        model = chain_of(crooked(modes), bodies, turned=True)
        one = supple.count_operations(model, method="conjugate_gradient").total
        before = supple.count_operations(model, method="conjugate_gradient", iterations=0).total
        other = articulated_operations(bodies, modes)
        cells = (bodies, modes, model.nv, before, one, other)
        table.add_row(*(f"{x:,}" for x in cells), f"{(other - before) / one:.1f}")
    return table


def main() -> None:
    """Print the tables and the maps."""
    console = Console(width=150)
    console.print(first_table())
    console.print(body_table())
    print_map(console, "Cheapest by the source's formulas", source_routes())
    print_map(console, "Cheapest route of the program, all operations", program_routes())
    console.print(iterations_table())


if __name__ == "__main__":
    main()
