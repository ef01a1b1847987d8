"""A small model of everything that is drawn: a rigid arm, a flexible boom, a spring, a free body; and its motion."""

from __future__ import annotations

import pytest
import xarray as xr

import supple
from supple import shapes, structures

Run = tuple[supple.Model, xr.Dataset]


@pytest.fixture(scope="session")
def run() -> Run:
    steel = structures.Material(E=2e11, nu=0.3, rho=7800)
    strip = structures.beam(0.8, structures.Rectangle(0.03, 0.004), steel, elements=6)
    mech = supple.Mechanism("rig")
    mech.add_body("arm", supple.RigidBody(1.0, (0, 0, -0.3), (0.02, 0.02, 0.002)), joint=supple.Revolute("y"))
    mech.add_frame("tip", "arm", (0, 0, -0.6))
    mech.add_body("boom", strip.reduce("cantilever", modes=2), "arm", supple.Revolute("y"), at="tip")
    mech.add_body("stone", supple.RigidBody(2.0, inertia=(0.01, 0.02, 0.03)), joint=supple.Free(), at=(0, 1, 0))
    mech.add_visual("stone", shapes.Box((0.2, 0.3, 0.1), color="red", opacity=0.5))
    mech.add_spring_damper("spring", "ground", "arm/tip", stiffness=20.0, length=0.5)
    model = mech.build()
    result = supple.simulate(model, 0.3, q={"arm.angle": 0.5}, v={"stone.wx": 9.0, "stone.wz": 4.0}, samples=31)
    return model, result
