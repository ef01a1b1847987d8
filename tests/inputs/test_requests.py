"""What a run is asked to record: names as given, and what they stand for."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.inputs import requests
from supple.structures import Material, Rectangle, beam
from support.generated.generators_flexible import random_flexible

BEAM = beam(1.0, Rectangle(0.02, 0.01), Material(E=70e9, nu=0.3, rho=2700.0), elements=4)


@pytest.fixture(scope="module")
def model() -> supple.Model:
    mech = supple.Mechanism("satellite")
    mech.add_body("hub", supple.RigidBody(1.0, (0, 0, 0), (1, 1, 1)))
    mech.add_body("boom", BEAM.reduce("cantilever", modes=2), "hub", supple.Fixed())
    body, _ = random_flexible(np.random.default_rng(0), 2)
    mech.add_body("plain", body, "hub", supple.Fixed())
    return mech.build()


def test_a_name_alone_is_a_list_of_one_and_none_is_asked_for_twice() -> None:
    assert supple.Outputs(frames="hub").frames == ("hub",)
    assert supple.Outputs(nodes=["boom", "boom", "boom/end"]).nodes == ("boom", "boom/end")


def test_names_stand_for_places_joints_nodes_and_strains(model: supple.Model) -> None:
    assert requests.frame(model, "boom/end").body == 2
    assert list(requests.joints(model, "all")) == [0, 1, 2]
    assert requests.joints(model, "boom") == [1]
    assert requests.node(model, "boom") == ("boom", None)
    assert requests.node(model, "boom/4") == ("boom", "4")
    assert [(name, x.matrix.shape[1]) for name, x in requests.strains(model, "boom")] == [("boom", 2)]
    wanted = supple.Outputs(frames=["hub"], wrenches="all", nodes=["boom/end"], strains=["boom"])
    assert wanted.errors(model) == []
    wanted.check(model)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (supple.Outputs(wrenches=["bom"]), r"wrenches: no body 'bom'; did you mean 'boom'"),
        (supple.Outputs(nodes=["boom/9"]), "nodes: no node 'boom/9': 'boom' has nodes 0 to 4"),
        (supple.Outputs(nodes=["hub"]), "nodes: expected a flexible body, got 'hub', which is rigid"),
        (supple.Outputs(strains=["plain"]), "strains: 'plain' has none: it was made of matrices"),
    ],
)
def test_wrong_names_are_refused(wanted: supple.Outputs, message: str, model: supple.Model) -> None:
    with pytest.raises(supple.StateError, match=message):
        wanted.check(model)
