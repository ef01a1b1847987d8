"""Operation counts of flexible chains against Table 1 of Jain and Rodriguez: ruthless, serial, free-free modes."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.structures import FlexibleBody
from support.cases import thinned
from support.jain_rodriguez import costs
from support.jain_rodriguez.models import Body, chain_of, crooked, straight

TABLE_1 = costs.TABLE_1 | {costs.MISPRINT: costs.CORRECTED}


def count(body: Body, bodies: int) -> tuple[int, int]:
    """Multiplications and additions of forward dynamics of a chain."""
    found = supple.count_operations(chain_of(body, bodies), "forward_dynamics", method="articulated")
    return found.multiplications, found.additions


@pytest.mark.parametrize("modes", [5, 10, 15])
def test_the_table_is_linear_in_the_bodies(modes: int) -> None:
    three, six, nine = (np.array(TABLE_1[bodies, modes]) for bodies in (3, 6, 9))
    assert (nine - six == six - three).all()
    assert ((six - three) % 3 == 0).all()  # a further body costs a whole number


@pytest.mark.parametrize(("bodies", "modes"), thinned(TABLE_1, [(3, 5), (6, 10), (9, 15)], several=True))
def test_all_cells_are_below_the_table(bodies: int, modes: int) -> None:
    table = TABLE_1[bodies, modes]
    for make in (crooked, straight):
        assert all(x < limit for x, limit in zip(count(make(modes), bodies), table, strict=True))


def test_nine_bodies_with_fifteen_modes() -> None:
    """At most a fifth of the table for a link without symmetry, a twelfth for a straight beam."""
    body = crooked(15)
    assert isinstance(body, FlexibleBody)
    assert np.abs(body.integrals.X).min() > 0  # no zero to be found
    multiplications, additions = count(body, 9)
    assert multiplications <= 14_200
    assert additions <= 12_400
    multiplications, additions = count(straight(15), 9)
    assert multiplications <= 5_900
    assert additions <= 5_200


def interior(modes: int) -> tuple[int, int]:
    """What one body between others costs."""
    nine, eight = count(crooked(modes), 9), count(crooked(modes), 8)
    return nine[0] - eight[0], nine[1] - eight[1]


def test_the_count_is_linear_in_the_modes() -> None:
    """40 multiplications a mode and body: gyroscopic force 6, stiffness 1, rate and acceleration of the node 3 and 6,
    inward 12, outward 12; as many additions.
    """
    ten, fifteen, twenty = (interior(n) for n in (10, 15, 20))
    assert twenty[0] - fifteen[0] == fifteen[0] - ten[0] == 5 * 40
    assert twenty[1] - fifteen[1] == fifteen[1] - ten[1] == 5 * 40


def test_the_count_is_linear_in_the_bodies() -> None:
    four, five, six = (count(crooked(6), n)[0] for n in (4, 5, 6))
    assert six - five == five - four
