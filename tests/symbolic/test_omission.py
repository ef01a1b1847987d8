"""Equations without coordinates on which nothing depends."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.errors import StateError
from supple.files import read
from supple.symbolic.kane import KaneJoint, KaneSystem, MassProperties
from supple.symbolic.omission import omitting
from support.mechanisms.kane_systems import crank_slider


def puck() -> KaneSystem:
    """A puck on ice with an arm: speeds in body axes, so that only the rates of its place depend on its heading."""
    s = KaneSystem("puck")
    flat = KaneJoint(["x", "y"], "3", coordinates=["x", "y", "heading"])
    disc = s.add_body("disc", joint=flat, body=MassProperties(2.0, (0.1, 0, 0), (1, 1, 1)))
    hinge = KaneJoint(rotations="3", coordinates=["arm"])
    s.add_body("arm", disc, hinge, MassProperties(1.0, (0.3, 0, 0), (0.1, 0.1, 0.1)))
    return s


def test_the_satellite_needs_neither_place_nor_attitude_in_free_space() -> None:
    """The same accelerations with six coordinates fewer, and what their rates have cost is saved."""
    contents = read("examples/ten_dof_satellite.toml")
    settings = contents.equation_arguments()
    whole = supple.equations(contents.model, **settings)
    part = supple.equations(contents.model, omit=["ignorable"], **settings)
    assert [x.name for x in part.variables.q] == ["q7", "q8", "q9", "q10"]
    assert part.operations.total <= whole.operations.total - 30
    q, v = contents.model.random_state(0)
    tau = [0.1, 0.2, 0.3, 0.4]
    rate, a = whole.evaluate(q, v, tau)
    rate_left, a_left = part.evaluate(q[6:], v, tau)
    np.testing.assert_allclose(rate_left, rate[6:], rtol=1e-12)
    np.testing.assert_allclose(a_left, a, rtol=1e-10)
    assert set(part.counts) == {"kane", "composite", "articulated"}


def test_coordinates_are_named_or_numbered() -> None:
    e = puck().equations()
    for names in (["x", "y"], ["q1", "q2"]):
        assert [x.name for x in omitting(e, names).variables.q] == ["heading", "arm"]
    assert [x.name for x in omitting(e, ["ignorable"]).variables.q] == ["arm"]


def test_what_is_needed_stays() -> None:
    e = puck().equations()
    with pytest.raises(StateError, match="puck: omit: 'arm' cannot be left out: the accelerations depend on it"):
        omitting(e, ["arm"])
    with pytest.raises(StateError, match="'heading' cannot be left out: the rate of 'x' depends on it"):
        omitting(e, ["heading"])
    with pytest.raises(StateError, match="omit: no coordinate 'rho'"):
        omitting(e, ["rho"])
    with pytest.raises(StateError, match="'rod' cannot be left out"):
        omitting(crank_slider().equations(), ["rod"])


def test_systems_take_the_option_too() -> None:
    e = puck().equations(omit=["x", "y"])
    assert len(e.terms.rates) == 2
    assert e.operations.total < puck().equations().operations.total
