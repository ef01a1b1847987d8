"""Sweeps whose cases are lanes: the same results as one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.sweeps.lane_engine import LaneEngine
from supple.sweeps.parameter_sweep import plan_of
from supple.sweeps.progression import EngineOptions

CART = """
name = "cart"
gravity = [0.0, -9.81, 0.0]
[variables]
f = 1.0
[[body]]
name = "cart"
mass = 3.0
joint = { type = "prismatic", axis = "x", stiffness = 2.0 }
[[body]]
name = "arm"
parent = "cart"
mass = 1.5
com = [0.0, -0.8, 0.0]
inertia = [0.08, 0.01, 0.08]
joint = { type = "revolute", axis = "z" }
[[actuator]]
speed = "cart.position"
force = "f*sin(2.5*t)"
[[actuator]]
speed = "arm.angle"
target = 0.5
kp = 4.0
kd = 0.3
[output]
frames = ["arm"]
[simulation]
duration = 0.5
samples = 11
integrator = "rk4"
step = 0.01
q = { "arm.angle" = 1.0 }
"""
VARY = {
    "body.arm.mass": {"uniform": [1.0, 2.0]},
    "body.arm.com[2]": {"uniform": [-0.9, -0.7]},
    "body.cart.joint.stiffness": {"uniform": [1.5, 3.0]},
    "variables.f": {"uniform": [0.5, 1.5]},
    "actuator.arm.angle.kp": {"uniform": [3.0, 5.0]},
    "simulation.q.arm.angle": {"uniform": [0.5, 1.5]},
    "gravity[2]": {"uniform": [-10.0, -9.0]},
}
MEASURE = {"peak": "max(abs(arm.angle))", "x": "last(position.arm.x)", "energy": "mean(kinetic_energy)"}
BEAM = """
name = "boom"
[[material]]
name = "steel"
E = 2e11
rho = 7800.0
nu = 0.3
[[structure]]
name = "beam"
type = "beam"
length = 1.0
section = { type = "rectangle", width = 0.02, height = 0.05 }
material = "steel"
elements = 3
[[body]]
name = "boom"
joint = { type = "revolute", axis = "y" }
flexible = { structure = "beam", basis = "cantilever", modes = 2 }
[simulation]
duration = 0.01
samples = 3
integrator = "rk4"
step = 2e-4
"""


@pytest.fixture
def cart(tmp_path: Path) -> Path:
    path = tmp_path / "cart.toml"
    path.write_text(CART)
    return path


def both(path: Path, **given: Any) -> tuple[Any, Any]:
    return tuple(supple.sweep(path, engine=engine, **given) for engine in ("lanes", "serial"))  # type: ignore[return-value]


def assert_same(lanes: Any, serial: Any, names: Any, tolerance: float) -> None:
    assert (lanes.status == 1).all()
    for name in names:
        np.testing.assert_allclose(lanes[name], serial[name], rtol=tolerance, atol=tolerance)
        assert lanes[name].attrs == serial[name].attrs


def test_every_kind_of_number_and_trajectories(cart: Path) -> None:
    given = dict(vary=VARY, measure=MEASURE, sampler="lhs", samples=11, trajectories=["q", "velocity.arm.linear y"])
    lanes, serial = both(cart, **given)
    assert_same(lanes, serial, [*MEASURE, "q", "velocity.arm.linear y"], 1e-12)
    assert float(lanes.peak.max() - lanes.peak.min()) > 0.1


def test_many_cases_are_interpolated(cart: Path) -> None:
    engine = LaneEngine()
    vary = {path: VARY[path] for path in list(VARY)[:4]}
    found = supple.sweep(cart, vary, MEASURE, sampler="sobol", samples=128, engine=engine)
    assert engine.why == []
    some = [3, 64, 127]
    table = {path: found[path].values[some].tolist() for path in vary}
    serial = supple.sweep(cart, table, MEASURE, sampler="list", engine="serial")
    for name in MEASURE:
        np.testing.assert_allclose(found[name].values[some], serial[name], rtol=1e-12)


def test_sections_and_materials_of_flexible_bodies(tmp_path: Path) -> None:
    path = tmp_path / "boom.toml"
    path.write_text(BEAM)
    vary = {
        "structure.beam.length": {"uniform": [0.98, 1.02]},
        "material.steel.E": {"uniform": [1.9e11, 2.1e11]},
    }
    engine = LaneEngine()
    measure = {"tip": "min(boom.mode1)", "angle": "last(boom.angle)"}
    found = supple.sweep(path, vary, measure, sampler="sobol", samples=128, engine=engine)
    assert engine.why == []
    some = [5, 100]
    table = {path: found[path].values[some].tolist() for path in vary}
    serial = supple.sweep(path, table, measure, sampler="list", engine="serial")
    for name in measure:
        np.testing.assert_allclose(found[name].values[some], serial[name], rtol=1e-9)  # modes are known to 1e-11


def test_cases_of_other_structure_stand_in_groups_of_their_own(cart: Path) -> None:
    vary = {"body.arm.com[1]": [0.0, 0.1], "simulation.step": [0.01, 0.005], "body.arm.mass": [1.0, 1.5]}
    assert_same(*both(cart, vary=vary, measure=MEASURE), MEASURE, 1e-12)


def test_cases_that_are_no_lanes_run_by_themselves(cart: Path) -> None:
    vary = {"simulation.integrator": ["rk4", "leapfrog", "generalized_alpha"]}
    assert_same(*both(cart, vary=vary, measure=MEASURE), MEASURE, 1e-12)


def test_a_case_that_fails_is_named_and_alone(cart: Path) -> None:
    vary = {"body.cart.joint.stiffness": [2.0, 1e9, 3.0]}
    lanes, serial = both(cart, vary=vary, measure=MEASURE)
    assert lanes.status.values.tolist() == [1, 2, 1] == serial.status.values.tolist()
    assert "no longer finite" in str(lanes.message.values[1])
    assert np.isnan(lanes.peak.values[1])
    np.testing.assert_allclose(lanes.peak.values[[0, 2]], serial.peak.values[[0, 2]], rtol=1e-12)


def test_what_stands_in_the_way_is_said(cart: Path) -> None:
    vary = {"body.arm.mass": {"range": [1.0, 2.0], "steps": 3}}
    with pytest.raises(supple.StateError, match=r"engine 'lanes'.*frequency"):
        supple.sweep(cart, vary, {"f": "max(arm.angle) * frequency(1)"}, engine="lanes")
    cart.write_text(CART.replace("step = 0.01\n", ""))
    with pytest.raises(supple.StateError, match=r"engine 'lanes'.*DOP853"):
        supple.sweep(cart, vary, MEASURE, engine="lanes", changes={"simulation.integrator": "DOP853"})


def test_auto_chooses_lanes_where_they_can_be(cart: Path) -> None:
    vary = {"body.arm.mass": {"range": [1.0, 2.0], "steps": 17}}
    plan, _ = plan_of(cart, {"vary": vary, "measure": MEASURE})
    assert EngineOptions().made(plan, plan.count).name == "lanes"
    with_model, _ = plan_of(cart, {"vary": vary, "measure": {"f": "frequency(1) + last(arm.angle)"}})
    assert EngineOptions().made(with_model, plan.count).name == "local"
