"""Categories of bodies (Tables 5 and 6) and what is lumped into their parents (15)-(19)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from supple.symbolic.kane import KaneBody, KaneJoint, KaneSystem, MassProperties
from supple.symbolic.kane.composite_bodies import Composite, composite_bodies
from supple.symbolic.vectors import Dyadic
from support.mechanisms.described_bodies import described
from support.mechanisms.sayers_satellite import NUMBERS, Floats, numbers, satellite


def composites(s: KaneSystem) -> dict[str, Composite]:
    return {body.name: composite for body, composite in composite_bodies(list(s.bodies.values())).items()}


def matrix(s: KaneSystem, D: Dyadic, body: KaneBody) -> Floats:
    """Components of a constant dyadic in a body's axes, which must need no rotation."""
    nodes = [[a @ D @ b for b in body.axes] for a in body.axes]
    return numbers(s, nodes, np.zeros(len(s.q)), np.zeros(len(s.v)))


# ---------------------------------------------------------------- the satellite, Table 2


def test_categories_of_the_satellite() -> None:
    found = {name: (c.translation, c.rotation) for name, c in composites(satellite()).items()}
    assert found == {
        "b": ("nonrecursive", "nonrecursive"),
        "c": ("fixed", "rotor"),
        "d": ("recursive", "recursive"),
        "e": ("fixed", "rotor"),
        "f": ("recursive", "recursive"),
    }


def test_unit_vectors_of_the_satellite() -> None:
    units = {name: [repr(unit) for unit, _ in body.basis.axes] for name, body in satellite().bodies.items()}
    assert units == {
        "b": ["b1", "b2", "b3"],
        "c": ["c1", "c2", "b3"],
        "d": ["c1", "d2", "d3"],
        "e": ["e1", "e2", "b3"],
        "f": ["e1", "f2", "f3"],
    }


def test_masses_and_mass_centres_of_the_satellite() -> None:
    s = satellite()
    p, found = s.symbols, composites(s)
    assert [c.mass for c in found.values()] == [p["MB"] + p["MC"], p["MC"], p["MD"], s.graph.zero, p["MF"]]
    assert [name for name, c in found.items() if c.own_mass is s.graph.zero] == ["c", "e"]  # (41)
    P1 = NUMBERS["L2"] * NUMBERS["MC"] / (NUMBERS["MB"] + NUMBERS["MC"])
    own = numbers(s, found["b"].com.components(s.bodies["b"].basis), np.zeros(10), np.zeros(10))
    np.testing.assert_allclose(own, [0, 0, -P1], atol=1e-15)
    assert {repr(unit) for unit in found["b"].com.terms} == {"b3"}
    for name, com in {"c": "b3", "d": "d2 d3", "f": "f2"}.items():
        assert {repr(unit) for unit in found[name].com.terms} == set(com.split())
    assert found["c"].reference.is_zero  # a fixed body is followed at its origin


def test_inertias_of_the_satellite() -> None:
    s, N = satellite(), NUMBERS
    found = composites(s)
    P1 = N["L2"] * N["MC"] / (N["MB"] + N["MC"])
    bus = np.array([[_moment("B", i, j) for j in (1, 2, 3)] for i in (1, 2, 3)])
    lumped = N["MB"] * P1**2 + N["MC"] * (N["L2"] - P1) ** 2
    # The source leaves the moments IC across the axis with the rotor; here they are counted with the bus.
    expected = bus + np.diag([lumped + N["IC"], lumped + N["IC"], 0])
    np.testing.assert_allclose(matrix(s, found["b"].inertia, s.bodies["b"]), expected, rtol=1e-14)
    assert {tuple(map(repr, pair)) for pair in found["c"].inertia.terms} == {("b3", "b3")}
    np.testing.assert_allclose(matrix(s, found["c"].inertia, s.bodies["b"]), np.diag([0, 0, N["IC33"]]), atol=1e-15)
    assert found["e"].inertia.is_zero
    camera = np.array([[_moment("D", i, j) for j in (1, 2, 3)] for i in (1, 2, 3)])
    np.testing.assert_allclose(matrix(s, found["d"].inertia, s.bodies["d"]), camera, rtol=1e-15)
    assert {tuple(map(repr, pair)) for pair in found["f"].inertia.terms} == {("e1", "e1"), ("f2", "f2"), ("f3", "f3")}


def _moment(body: str, i: int, j: int) -> float:
    return NUMBERS[f"I{body}{min(i, j)}{max(i, j)}"]


# ---------------------------------------------------------------- other systems

TRANSLATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "three translations": ({"translations": ["x", "y", "z"]}, "nonrecursive"),
    "in a plane": ({"translations": ["x", "y"], "rotations": "3"}, "nonrecursive"),
    "out of the plane": ({"translations": ["x", "y"], "rotations": "1"}, "recursive"),
    "two translations, rates": ({"translations": ["x", "y"], "rotations": "3", "speeds": "rates"}, "recursive"),
    "one translation": ({"translations": ["x"]}, "recursive"),
    "no degree of freedom": ({"com": (1, 2, 3)}, "fixed"),
    "on the axis": ({"rotations": "3", "com": (0, 0, 2)}, "fixed"),
    "off the axis": ({"rotations": "3", "com": (0, 1, 2)}, "recursive"),
    "two rotations": ({"rotations": "12"}, "fixed"),
    "two rotations, off": ({"rotations": "12", "com": (0, 1, 0)}, "recursive"),
    "three rotations": ({"rotations": "123"}, "fixed"),
}


@pytest.mark.parametrize("case", TRANSLATIONS)
def test_translation_categories(case: str) -> None:
    arguments, expected = TRANSLATIONS[case]
    s = KaneSystem("s")
    s.add_body("b", **described({"mass": 1.0, **arguments}))
    assert composites(s)["b"].translation == expected


ROTATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "three rotations": ({"rotations": "123", "inertia": (1, 1, 1)}, "nonrecursive"),
    "three rotations, rates": ({"rotations": "123", "speeds": "rates", "inertia": (1, 1, 1)}, "recursive"),
    "no rotation": ({"translations": ["x"], "inertia": (1, 2, 3)}, "rotor"),
    "round": ({"rotations": "2", "inertia": (1, 3, 1)}, "rotor"),
    "not round": ({"rotations": "2", "inertia": (1, 1, 3)}, "recursive"),
    "product of inertia": ({"rotations": "2", "inertia": [[2, 1, 0], [1, 3, 0], [0, 0, 2]]}, "recursive"),
    "product across": ({"rotations": "2", "inertia": [[2, 0, 1], [0, 3, 0], [1, 0, 2]]}, "recursive"),
    "two rotations": ({"rotations": "12", "inertia": (1, 1, 1)}, "recursive"),
}


@pytest.mark.parametrize("case", ROTATIONS)
def test_rotation_categories(case: str) -> None:
    arguments, expected = ROTATIONS[case]
    s = KaneSystem("s")
    s.add_body("b", **described({"mass": 1.0, **arguments}))
    assert composites(s)["b"].rotation == expected


def test_fixed_bodies_are_lumped_through_several_levels() -> None:
    s = KaneSystem("s")
    rng = np.random.default_rng(3)
    masses, points = [2.0, 3.0, 5.0], rng.normal(size=(3, 3))
    base = s.add_body("base", joint=KaneJoint(rotations="123"), body=MassProperties(masses[0], com=points[0]))
    second = s.add_body("second", base, body=MassProperties(masses[1], com=points[1]), at=(1, 0, 0))
    s.add_body("third", second, body=MassProperties(masses[2], com=points[2]), at=(0, 2, 0))
    found = composites(s)["base"]
    places = points + np.array([[0, 0, 0], [1, 0, 0], [1, 2, 0]])
    centre = np.array(masses) @ places / 10.0
    d = places - centre
    about = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, d, strict=True))
    assert found.mass.value == 10.0
    np.testing.assert_allclose([c.value for c in found.com.components(base.basis)], centre, rtol=1e-14)
    np.testing.assert_allclose(matrix(s, found.inertia, base), about, rtol=1e-13, atol=1e-13)


def test_a_rotor_that_carries_a_rotor_hands_both_to_the_base() -> None:
    s = KaneSystem("s")
    base = s.add_body(
        "base", joint=KaneJoint(rotations="1"), body=MassProperties(1.0, com=(0, 1, 0), inertia=(1, 2, 3))
    )
    outer = s.add_body("outer", base, joint=KaneJoint(rotations="3"), body=MassProperties(inertia=(4, 4, 6)))
    s.add_body("inner", outer, joint=KaneJoint(rotations="3"), body=MassProperties(inertia=(5, 5, 7)))
    found = composites(s)
    np.testing.assert_allclose(matrix(s, found["base"].inertia, base), np.diag([1 + 4 + 5, 2 + 4 + 5, 3]))
    np.testing.assert_allclose(matrix(s, found["outer"].inertia, base), np.diag([0, 0, 6]))
    np.testing.assert_allclose(matrix(s, found["inner"].inertia, outer), np.diag([0, 0, 7]))
