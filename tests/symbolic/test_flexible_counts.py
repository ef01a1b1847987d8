"""Operation counts of flexible chains against Table 1 of Jain and Rodriguez: ruthless, serial, free-free modes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple
from supple import structures

ALUMINIUM = structures.Material(E=7e10, nu=0.33, rho=2700.0)
SECTION = structures.Rectangle(0.04, 0.02)

# (bodies, modes): multiplications, additions. For 9 and 5 the table prints 19591, two digits of 19959 exchanged, which
# breaks its own linearity in the number of bodies.
TABLE_1 = {
    (3, 5): (5223, 4195),
    (3, 10): (11432, 9677),
    (3, 15): (18587, 16287),
    (6, 5): (12591, 10075),
    (6, 10): (27611, 23315),
    (6, 15): (44846, 39225),
    (9, 5): (19959, 15955),
    (9, 10): (43790, 36953),
    (9, 15): (71105, 62163),
}


@cache
def crooked(modes: int) -> structures.FlexibleBody:
    """A link without any symmetry: three directions in space, a heavy piece beside its corner."""
    points = [(0, 0, 0), (0.3, 0.1, 0.05), (0.5, -0.1, 0.25), (0.9, 0.05, 0.1)]
    structure = structures.beam_path(points, SECTION, ALUMINIUM, 4)
    inertia = np.array([[1e-3, 2e-4, 1e-4], [2e-4, 2e-3, 3e-4], [1e-4, 3e-4, 2.5e-3]])
    structure = structure.with_mass("corner1", 0.4, inertia=inertia, offset=(0.02, 0.03, -0.01))
    return structure.reduce("free-free", modes=modes, root="start")


@cache
def straight(modes: int) -> structures.FlexibleBody:
    return structures.beam(1.0, SECTION, ALUMINIUM, 12).reduce("free-free", modes=modes, root="start")


def count(body: structures.FlexibleBody, bodies: int, fidelity: str = "ruthless") -> tuple[int, int]:
    """Multiplications and additions of forward dynamics of a chain."""
    mech = supple.Mechanism("chain")
    for i in range(bodies):
        parent, at = ("ground", None) if i == 0 else (f"b{i - 1}", "end")
        mech.add_body(f"b{i}", body, parent, supple.Revolute("y"), at, fidelity=fidelity)
    found = supple.count_operations(mech.build(), "forward_dynamics", method="articulated")
    return found.multiplications, found.additions


@pytest.mark.parametrize("modes", [5, 10, 15])
def test_the_table_is_linear_in_the_bodies(modes: int) -> None:
    three, six, nine = (np.array(TABLE_1[bodies, modes]) for bodies in (3, 6, 9))
    assert (nine - six == six - three).all()
    assert ((six - three) % 3 == 0).all()  # a further body costs a whole number


@pytest.mark.parametrize(("bodies", "modes"), TABLE_1)
def test_all_cells_are_below_the_table(bodies: int, modes: int) -> None:
    table = TABLE_1[bodies, modes]
    for make in (crooked, straight):
        assert all(x < limit for x, limit in zip(count(make(modes), bodies), table, strict=True))


def test_nine_bodies_with_fifteen_modes() -> None:
    """At most a fifth of the table for a link without symmetry, a twelfth for a straight beam."""
    body = crooked(15)
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
