"""Sayers' tables of his satellite, and of systems that the paper does not have."""

from __future__ import annotations

import pytest

from supple.files import read
from supple.model.parameters import symbols_of
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties
from supple.symbolic.kane.from_model import system_of
from supple.symbolic.kane.table_text import TableText
from supple.symbolic.kane.tables import tables

Texts = dict[str, dict[str, dict[str, str]]]


def written(system: KaneSystem) -> Texts:
    """Texts by the number of the table, the body and the property."""
    found = tables(system)
    text = TableText(system, [cell for table in found for cell in table.cells])
    return {
        table.title.partition(".")[0].split()[-1]: {
            body: {what: text.text(cell) for what, cell in rows} for body, rows in table.blocks.items()
        }
        for table in found
    }


@pytest.fixture(scope="module")
def satellite() -> Texts:
    contents = read("examples/ten_dof_satellite.toml")
    settings = contents.equation_arguments()
    return written(system_of(contents.model, symbols_of(contents.model, **settings)))


def test_categories_are_those_of_table_2(satellite: Texts) -> None:
    found = {name: (x["translation category"], x["rotation category"]) for name, x in satellite["2"].items()}
    assert found == {
        "bus": ("nonrecursive", "nonrecursive"),
        "clock": ("fixed", "rotor"),
        "camera": ("recursive", "recursive"),
        "hinge": ("fixed", "rotor"),
        "boom": ("recursive", "recursive"),
    }
    assert {name: list(x) for name, x in satellite["5"].items()} == {name: [x[0]] for name, x in found.items()}
    assert {name: list(x) for name, x in satellite["6"].items()} == {name: [x[1]] for name, x in found.items()}


def test_joints_and_unit_vectors_are_those_of_the_paper(satellite: Texts) -> None:
    assert satellite["1"]["camera"]["joint point, from the parent's origin"] == "L3 clock2 - L1 bus3"
    assert satellite["1"]["bus"]["axis indices of rotations"] == "1, 2, 3"
    assert satellite["2"]["clock"]["unit vectors"] == "clock1, clock2, bus3"
    assert satellite["2"]["boom"]["level"] == "3"
    assert satellite["2"]["bus"]["children"] == "clock, hinge"
    assert satellite["4"] == {"bus": {"d_r2": "S6 bus1 + C6 bus2"}}  # Table 4, third rotation 3, second 2


def test_rotational_terms_are_those_of_table_8(satellite: Texts) -> None:
    rows = satellite["8"]
    assert rows["bus"]["w"] == "u4 bus1 + u5 bus2 + u6 bus3"
    assert rows["clock"]["column of Table 7"] == "rotor"
    assert rows["clock"]["w of the parent"] == "u4 bus1 + u5 bus2 + u6 bus3"
    assert rows["clock"]["w_i"] == "[4] bus1; [5] bus2; [6] bus3; [7] bus3"
    assert rows["camera"]["w in the parent"] == "u8 clock1"
    assert "[6] S8 camera2 + C8 camera3; [7] S8 camera2 + C8 camera3; [8] clock1" in rows["camera"]["w_i"]


def test_native_bodies_are_those_of_table_10(satellite: Texts) -> None:
    rows = satellite["10"]
    assert rows["camera"]["native bodies of v_i"] == (
        "[1] bus; [2] bus; [3] bus; [4] camera; [5] camera; [6] camera; [7] camera; [8] camera"
    )
    assert rows["boom"]["native bodies of v_i"].startswith("[1] bus; [2] bus; [3] bus; [4] boom")
    assert rows["camera"]["r from the parent's point to the origin"] == "L3 clock2 - L1 bus3"


def test_an_axis_that_is_turned_before_it_is_in_table_3() -> None:
    s = KaneSystem("tilted")
    (m,) = s.parameters("m")
    joint = KaneJoint(rotations="3", axis=(0, 0.6, 0.8), reference=(1, 0, 0))
    s.add_body("a", joint=joint, body=MassProperties(m, com=(1, 0, 0)))
    found = written(s)
    assert found["3"] == {"a": {"a1": "n1", "a2": "0.8 n2 - 0.6 n3", "a3": "0.6 n2 + 0.8 n3"}}
    assert found["1"]["a"]["reference direction d_ref"] == "n1"


def test_bodies_without_rotations_have_no_axes() -> None:
    s = KaneSystem("slider")
    s.add_body("a", joint=KaneJoint(["x"]), body=MassProperties(2.0))
    found = written(s)
    assert found["1"]["a"]["rotations"] == "none"
    assert found["8"]["a"]["column of Table 7"] == "0 d.o.f."
    assert found["10"]["a"]["v_i"] == "[1] n1"
