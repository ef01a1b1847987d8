"""The derivation as a whole: pattern of the mass matrix, order of elimination, operations by table."""

from __future__ import annotations

import re

import numpy as np
import pytest

import supple
from supple import structures
from supple.files import read
from supple.symbolic import derivation_of
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties

# Of the paper, for the satellite: the speeds in their order. Turning about an axis moves no mass along it, which the
# paper does not see.
PATTERN = """* 0 0 0 * * * * * *
0 * 0 * 0 * * * * *
0 0 * * * 0 0 * 0 *
0 * * * * * * * * *
* 0 * * * * * * * *
* * 0 * * * * * * *
* * 0 * * * * * 0 0
* * * * * * * * 0 0
* * 0 * * * 0 0 * 0
* * * * * * 0 0 0 *"""


def counts(text: str, title: str) -> dict[str, list[int]]:
    """Rows of a table of numbers, by what stands before them."""
    block = text[text.index(title) :].split("\n\n")[0].split("\n")[3:]
    found = [re.match(r"  (.*?)\s\s+(\d[\d ]*)$", line) for line in block]
    return {m[1]: [int(x) for x in m[2].split()] for m in found if m}


@pytest.fixture(scope="module")
def satellite() -> str:
    contents = read("examples/ten_dof_satellite.toml")
    return derivation_of(contents.model, **contents.equation_arguments())


def test_the_pattern_of_the_mass_matrix_is_the_paper_s(satellite: str) -> None:
    lines = satellite[satellite.index("Mass matrix") :].split("\n")[3:13]
    assert "\n".join(line.split("  ")[-1] for line in lines) == PATTERN
    assert "Zeros: 26 of 100." in satellite
    order = re.search(r"Order of elimination: (.*); in", satellite)
    assert order is not None
    assert sorted(order[1].split(", ")) == sorted(f"u{i}" for i in range(1, 11))


def test_operations_by_table_add_up(satellite: str) -> None:
    for title in ("Operations by table, Kane's method", "Operations by table, composite bodies"):
        rows = counts(satellite, title)
        total, factored = rows.pop("all"), rows.pop("with common factors taken out")
        assert np.array(list(rows.values())).sum(axis=0).tolist() == total
        assert min(sum(row) for row in rows.values()) > 0
        assert sum(factored[:4]) <= sum(total[:4])
    assert {"Table 8, rotation", "Table 10, translation"} <= counts(satellite, "Operations by table, Kane").keys()


def test_the_satellite_takes_no_more_operations_than_ever(satellite: str) -> None:
    additions, *_, others = counts(satellite, "Table 11")["composite (taken)"]
    assert additions <= 379
    assert others <= 530


def test_small_variables_are_in_the_counts() -> None:
    contents = read("examples/ten_dof_satellite.toml")
    eight = ["q1", "q2", "q3", "q4", "q5", "q6", "q9", "q10"]
    text = derivation_of(contents.model, small=eight, **contents.equation_arguments())
    additions, *_, others = counts(text, "Table 11. Operations of each route, with small")["composite (taken)"]
    assert additions <= 224
    assert others <= 305
    assert "q9, q10, u1" in text
    assert "q9', q10'" in text


def test_constrained_systems_have_the_independent_speeds_alone_in_the_matrix() -> None:
    s = KaneSystem("sledge")
    m, J = s.parameters("m", "J")
    runner = KaneJoint(["x", "y"], "3", coordinates=["x", "y", "heading"])
    sledge = s.add_body("sledge", joint=runner, body=MassProperties(m, (0.1, 0, 0), (J, J, J)))
    s.constrain(sledge.velocity() @ sledge.axes[1], sledge.speeds[1])
    text = s.derivation()
    assert "Order of elimination: u" in text
    lines = text[text.index("Mass matrix") :].split("\n")[3:5]
    assert [line.split()[0] for line in lines] == ["u1", "u3"]


def test_flexible_models_have_what_no_vectors_are_needed_for() -> None:
    beam = structures.beam(
        1.0, structures.Rectangle(0.02, 0.01), structures.Material(E=70e9, nu=0.3, rho=2700), elements=4
    )
    mech = supple.Mechanism("flexible arm")
    mech.add_body("boom", beam.reduce("cantilever", modes=2), joint=supple.Revolute("y"))
    text = derivation_of(mech.build(), parameters=[])
    assert "No Tables 1 to 10: Kane's method takes rigid bodies, and 'boom' is flexible." in text
    assert "boom.mode2" in text[text.index("Mass matrix") :]
    assert counts(text, "Table 11")


def test_a_system_without_degrees_of_freedom_has_no_matrix() -> None:
    s = KaneSystem("stone")
    s.add_body("stone", body=MassProperties(1.0))
    text = s.derivation()
    assert "Coordinates and speeds: none." in text
    assert "Mass matrix" not in text
