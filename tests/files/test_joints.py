"""The tables of joints: one for each joint, of the same name and with the same parameters."""

from __future__ import annotations

import dataclasses

import pytest

from supple.description.joints import Joint
from supple.files.joints import JOINTS


def test_every_joint_has_a_table_of_its_name() -> None:
    assert {kind: table.made_of for kind, table in JOINTS.items()} == {x.kind: x for x in Joint.__subclasses__()}


@pytest.mark.parametrize("kind", JOINTS)
def test_the_keys_are_the_parameters(kind: str) -> None:
    table = JOINTS[kind]
    parameters = {field.name for field in dataclasses.fields(table.made_of)}
    keys = table.model_fields.keys() - {"type"}
    assert keys == (set() if kind == "fixed" else parameters)
