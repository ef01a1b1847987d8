"""The table [output]: what it takes, what it refuses, what it asks for."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

import supple
from supple import structures
from supple.files.output import OutputTable
from supple.inputs.requests import Outputs


def model() -> supple.Model:
    mech = supple.Mechanism("crane")
    steel = structures.Material(E=2e11, nu=0.3, rho=7800)
    boom = structures.beam(1.0, structures.Circle(0.02), steel, 3).reduce("cantilever", 2)
    mech.add_body("hub", supple.RigidBody(1.0), joint=supple.Revolute("z"))
    mech.add_body("boom", boom, "hub", supple.Fixed())
    return mech.build()


def test_the_table_gives_the_arguments_of_outputs() -> None:
    table = OutputTable.model_validate({"frames": ["boom/end", "hub"], "wrenches": ["all"], "strains": ["boom"]})
    assert table.errors(model()) == []
    assert Outputs(**table.arguments()) == Outputs(frames=("boom/end", "hub"), wrenches=("all",), strains=("boom",))
    assert OutputTable.model_validate({}).arguments() == {}


def test_every_key_is_one_of_outputs() -> None:
    assert list(OutputTable.model_fields) == list(Outputs.__dataclass_fields__)


def test_names_that_the_model_does_not_have_are_faults() -> None:
    table = OutputTable.model_validate({"frames": ["bom/end"], "wrenches": ["hup"], "nodes": ["boom/7", "boom/1"]})
    assert table.errors(model()) == [
        "frames: model 'crane': no frame 'bom/end'; did you mean 'boom/end'?",
        "wrenches: no body 'hup'; did you mean 'hub'?",
        "nodes: no node 'boom/7': 'boom' has nodes 0 to 3",
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"frame": []}, r"unknown key; did you mean 'frames'\?"),
        ({"frames": "boom/end"}, "expected a list of names, got 'boom/end'"),
        ({"wrenches": "all"}, r"expected a list of names, such as \[\"arm\"\] or \[\"all\"\], got 'all'"),
        ({"nodes": [3]}, r"expected a list of names, got \[3\]"),
        ({"strains": [""]}, r"expected a list of names, got \[''\]"),
    ],
)
def test_other_values_are_refused(data: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        OutputTable.model_validate(data)
