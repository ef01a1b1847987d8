"""Bases that do not suit what a body carries: how much too high its lowest frequency is."""

from __future__ import annotations

import pytest

import supple
from supple import structures
from supple.linear_theory.basis_errors import basis_errors, reduction_warnings
from supple.structures import FlexibleBody

BEAM = structures.beam(1.0, structures.Rectangle(0.05, 0.01), structures.Material(E=70e9, nu=0.3, rho=2700.0), 12)


def loaded(body: FlexibleBody, joint: supple.Fixed | supple.Revolute) -> supple.Model:
    """Five kilograms with their centre 0.3 m beyond the end."""
    mech = supple.Mechanism("loaded", gravity=(0, 0, 0))
    mech.add_body("boom", body, joint=supple.Fixed())
    load = supple.RigidBody(5.0, com=(0.3, 0, 0), inertia=(1.0, 1.0, 1.0))
    mech.add_body("load", load, "boom", joint, at="end")
    return mech.build()


def lowest(model: supple.Model) -> float:
    """Hz, but for hinges that turn freely."""
    found = supple.linear.modes(model).frequencies
    return float(found[found > 1e-3].min())


@pytest.mark.parametrize(
    ("modes", "joint"),
    [(1, supple.Fixed()), (3, supple.Revolute("z"))],
    ids=["fixed", "turns in the stiff plane"],
)
def test_the_error_is_that_of_the_model(modes: int, joint: supple.Fixed | supple.Revolute) -> None:
    """Against constraint modes and four normal modes; the own mass of static deflections makes 1e-4."""
    model = loaded(BEAM.reduce("cantilever", modes=modes), joint)
    exact = lowest(loaded(BEAM.reduce("craig-bampton", modes=4), joint))
    (found,) = basis_errors(model)
    assert (found.body, found.basis, found.frames) == ("boom", "cantilever", ("end",))
    assert found.error == pytest.approx(lowest(model) / exact - 1.0, abs=1e-4)
    assert found.error > 0.03


def test_a_basis_that_suits_is_no_error() -> None:
    """Constraint modes, residual vectors, and a hinge that carries no moment."""
    assert basis_errors(loaded(BEAM.reduce("craig-bampton", modes=1), supple.Fixed())) == ()
    assert basis_errors(loaded(BEAM.reduce("cantilever", modes=1, residual=["end"]), supple.Fixed())) == ()
    assert basis_errors(loaded(BEAM.reduce("cantilever", modes=3), supple.Revolute("y"))) == ()


def test_rigid_frames_are_named() -> None:
    metal = structures.Material(E=70e9, nu=0.3, rho=2700.0)
    mech = supple.Mechanism("panels", gravity=(0, 0, 0))
    pad = {"start": "x_min", "pad": lambda x: abs(x[0] - 0.3) < 0.055}
    panel = structures.plate((1.0, 0.2), 0.003, metal, elements=(20, 2), frames=pad)  # type: ignore[arg-type]
    mech.add_body("panel", panel.reduce("cantilever", modes=2), joint=supple.Fixed())
    (line,) = reduction_warnings(mech.build())
    assert line.startswith("body 'panel': its rigid frames 'pad' raise its lowest frequency by 9.5 %; where nothing")
