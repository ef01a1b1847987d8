"""Section 8 of Jain and Rodriguez: their Table 1 from their formulas, their routes run and counted."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import supple
from supple.structures import FlexibleBody
from support.jain_rodriguez import costs, routes
from support.jain_rodriguez.chain import Array, Link, link_of, mixing, parts
from support.jain_rodriguez.models import GRAVITY, chain_of, crooked

MODES, BODIES, SEED = 3, 3, 7
ACROSS = np.array(GRAVITY)


@cache
def body(modes: int = MODES) -> FlexibleBody:
    found = crooked(modes)
    assert isinstance(found, FlexibleBody)
    return found


def relative(x: Array, y: Array) -> float:
    return float(np.abs(x - y).max() / np.abs(y).max())


def every_route(chain: list[Link], q: Array, v: Array, tau: Array) -> list[Array]:
    found = [routes.composite(chain, q, v, tau, ACROSS)[0]]
    return found + [routes.articulated(chain, q, v, tau, ACROSS, x)[0] for x in ("explicit", "indirect")]


def state(modes: int = MODES) -> tuple[Any, Array, Array, Array]:
    model = chain_of(body(modes), BODIES)
    q, v = model.random_state(1)
    return model, q, v, np.random.default_rng(1).normal(size=model.nv)


@pytest.mark.parametrize("modes", [1, 3, 7])
def test_the_routes_of_the_source_give_the_accelerations_of_the_model(modes: int) -> None:
    model, q, v, tau = state(modes)
    expected = model.forward_dynamics(q, v, tau)
    chain = [link_of(body(modes))] * BODIES
    assert all(np.abs(modal).max() > 1e-3 for _, modal in parts(chain, expected))
    for a in every_route(chain, q, v, tau):
        assert relative(a, expected) < 1e-11


def mixed(x: Array, C: Array) -> Array:
    """The modal parts of a vector times C."""
    rows = x.reshape(BODIES, -1).copy()
    rows[:, 1:] = rows[:, 1:] @ C.T
    return rows.ravel()


def test_so_they_do_with_floating_frames_and_mixed_modes() -> None:
    """Modal rates are zero: the terms that (8.1) drops depend on where the frame is."""
    model, q, v, tau = state()
    v = mixed(v, np.zeros((MODES, MODES)))
    C, chain = mixing(MODES, SEED), [link_of(body(), SEED)] * BODIES
    assert np.abs(chain[0].Pi_d).min() > 0
    expected = model.forward_dynamics(q, v, tau)
    for a in every_route(chain, mixed(q, np.linalg.inv(C)), v, mixed(tau, C.T)):
        assert relative(mixed(a, C), expected) < 1e-11


def test_all_routes_agree_on_floating_frames_in_motion() -> None:
    _, q, v, tau = state()
    first, *others = every_route([link_of(body(), SEED)] * BODIES, q, v, tau)
    for a in others:
        assert relative(a, first) < 1e-11


def test_the_inverse_of_gamma_does_not_exist() -> None:
    """D_f^-1 of (7.10) as printed: what a hinge passes on has no inertia along its axis."""
    _, q, v, tau = state()
    chain = [link_of(body())] * BODIES
    good = routes.articulated(chain, q, v, tau, ACROSS, "indirect")[0]
    with np.errstate(all="ignore"):
        bad = routes.articulated(chain, q, v, tau, ACROSS, "printed")[0]
    assert not relative(bad, good) < 1e-6


def test_the_formulas_give_table_1_but_for_one_cell() -> None:
    for cell, printed in costs.TABLE_1.items():
        expected = costs.CORRECTED if cell == costs.MISPRINT else printed
        assert costs.articulated_formula(*cell) == expected
    assert costs.TABLE_1[costs.MISPRINT] != costs.CORRECTED


def test_the_source_changes_to_the_indirect_inverse_where_it_is_cheaper() -> None:
    cheaper = [
        sum(costs.articulated_formula(9, n, "explicit")) < sum(costs.articulated_formula(9, n, "indirect"))
        for n in range(1, 13)
    ]
    assert cheaper == [n <= 7 for n in range(1, 13)]


def stage(route: costs.Route, modes: int, name: str, bodies: tuple[int, int] = (4, 3), **options: Any) -> costs.Cost:
    """What one more body adds to a stage."""
    link = link_of(body(modes), SEED)
    more, fewer = (costs.stage_costs(route, [link] * n, **options)[name] for n in bodies)
    return costs.less(more, fewer)


def differences(values: list[int], order: int) -> list[int]:
    return [int(x) for x in np.diff(values, order)]


def test_stages_grow_with_the_modes_as_the_source_says() -> None:
    """The highest powers of n: by formula and by tracing, 2 for n^2 in second differences."""
    modes = (2, 3, 4)
    velocities = [stage(routes.articulated, n, "velocities") for n in modes]
    assert [differences([c[i] for c in velocities], 2) for i in (0, 1)] == [[2], [2]]
    linear = [costs.less(a, b) for a, b in zip(velocities[1:], velocities[:-1], strict=True)]
    assert linear[0] == (24 + 5, 20 + 5)  # 24 n + n^2, 20 n + n^2 from 2 to 3
    inertias = [stage(routes.articulated, n, "(7.10)", inverse="indirect") for n in modes]
    assert differences([c[0] for c in inertias], 2) == [2 * costs.INDIRECT[0][2]]
    outward = [stage(routes.articulated, n, "(7.12)") for n in modes]
    assert differences([c[0] for c in outward], 1) == 2 * [costs.OUTWARD[0][1]]


def test_the_explicit_inverse_takes_five_sixths_of_the_cube() -> None:
    inertias = [stage(routes.articulated, n, "(7.10)", inverse="explicit") for n in (2, 3, 4, 5)]
    for i in (0, 1):
        assert differences([c[i] for c in inertias], 3) == [6 * costs.EXPLICIT[i][3]]
    square, cube = costs.EXPLICIT[1][2:]
    assert differences([c[1] for c in inertias[:3]], 2) == [2 * square + 18 * cube]  # 21/2 n^2 additions


def test_blocks_of_the_mass_matrix_grow_as_the_source_says() -> None:
    def block(modes: int) -> costs.Cost:
        return costs.less(*(stage(routes.composite, modes, "mass matrix", x) for x in ((5, 4), (4, 3))))

    blocks = [block(n) for n in (1, 2, 3)]
    for i in (0, 1):
        assert differences([c[i] for c in blocks], 2) == [2 * costs.MASS_MATRIX_BLOCK[i][2]]


def test_the_dense_solution_is_counted_exactly() -> None:
    link = link_of(body(2), SEED)
    found = costs.stage_costs(routes.composite, [link] * BODIES)["solution"]
    assert found == costs.at(costs.SOLUTION, 3 * BODIES)


def test_the_program_is_below_the_routes_of_the_source() -> None:
    for modes in (3, 6):
        own = supple.count_operations(chain_of(body(modes), 4))
        theirs = costs.traced(routes.articulated, [link_of(body(modes), SEED)] * 4, inverse="indirect")
        assert own.multiplications < 0.8 * theirs[0]
        assert own.additions < 0.8 * theirs[1]
