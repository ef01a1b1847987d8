"""Motions with derivatives by varied values: exact where values lead to parameters, else differences."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.sweeps.case_derivatives import DifferentiatedCases
from supple.sweeps.case_sources import FileCases, ModelCases
from supple.sweeps.varied_numbers import VariedNumbers, start_values

ARM = """
name = "arm"
gravity = [0, 0, 0]
[[material]]
name = "strip"
E = 60e9
nu = 0.33
rho = 2700.0
[[structure]]
name = "strip"
type = "beam"
length = 1.0
section = { type = "rectangle", width = 0.004, height = 0.04 }
material = "strip"
elements = 4
[[body]]
name = "arm"
joint = { type = "revolute", axis = "z", stiffness = 12.0, damping = 0.05 }
flexible = { structure = "strip", basis = "cantilever", modes = 1, damping = 0.01 }
[[body]]
name = "payload"
parent = "arm"
joint = { type = "fixed" }
at = "end"
mass = 0.4
[simulation]
duration = 0.5
samples = 26
[simulation.q]
arm.angle = 0.3
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("arm") / "arm.toml"
    path.write_text(ARM)
    return path


@cache
def oscillator() -> supple.Model:
    mech = supple.Mechanism("oscillator", gravity=(0, 0, 0))
    mech.add_body("m", supple.RigidBody(2.0), joint=supple.Prismatic("x", stiffness=50.0))
    return mech.build()


def test_an_oscillator_in_closed_form() -> None:
    # x = s cos(w t), w^2 = k / m
    t = np.array([0.0, 0.3, 0.35, 1.0])
    paths = ["m.position.stiffness", "m.mass", "simulation.q.m.position"]
    cases = DifferentiatedCases(ModelCases(oscillator(), {"q": {"m.position": 0.4}}), paths, ["m.position"], t)
    found = cases(np.array([50.0, 2.0, 0.4]))
    assert found.exact.all()
    w, s = 5.0, 0.4
    by_w = -s * t * np.sin(w * t)
    expected = np.stack([by_w * w / (2 * 50.0), -by_w * w / (2 * 2.0), np.cos(w * t)], axis=1)
    np.testing.assert_allclose(found.signals["m.position"].values, s * np.cos(w * t), atol=1e-7)
    np.testing.assert_allclose(found.slopes["m.position"], expected, atol=1e-6)


def test_what_paths_of_a_file_lead_to(file: Path) -> None:
    source = FileCases.read(file, {})
    paths = [
        "material.strip.E",
        "body.payload.mass",
        "structure.strip.length",
        "simulation.q.arm.angle",
        "material.strip.rho",
    ]
    values = dict(zip(paths, start_values(source, paths, {}, "vary"), strict=True))
    assert values == {paths[0]: 60e9, paths[1]: 0.4, paths[2]: 1.0, paths[3]: 0.3, paths[4]: 2700.0}
    model, settings = source.made({})
    found = VariedNumbers(source, paths).slopes(model, settings, values)
    assert found.exact.all()
    own = ("arm.mode1.stiffness", "arm.mode1.damping", "payload.mass", "arm.length", "q.arm.angle", "arm.rho")
    assert found.parameters == own
    assert isinstance(model, supple.Model)
    stiffness, damping = model.tree.stiffness[1], model.tree.damping[1]
    # Stiffness grows with E, damping at a constant ratio with its root.
    np.testing.assert_allclose(found.slopes[:2, 0] * 60e9, [stiffness, damping / 2], rtol=1e-8)
    np.testing.assert_allclose(found.slopes[2:, 1:], np.eye(4), atol=1e-9)
    count = VariedNumbers(source, ["body.arm.flexible.modes"]).slopes(model, settings, {"body.arm.flexible.modes": 1})
    assert not count.exact.any()


def test_exact_derivatives_are_the_limit_of_differences(file: Path) -> None:
    source = FileCases.read(file, {})
    paths, names = ["material.strip.E", "body.payload.mass"], ["q.arm.mode1", "position.payload.y"]
    x = np.array([60e9, 0.4])
    found = DifferentiatedCases(source, paths, names)(x)
    assert found.exact.all()
    assert found.result.time.values[-1] == 0.5
    plain = DifferentiatedCases(source, ["body.payload.mass"], [*names, "momentum.linear y"])
    by_runs = plain(x[1:])
    assert not by_runs.exact.any(), "momenta have no sensitivities: all by differences"
    for name in names:
        own = found.slopes[name][:, 1]
        # Central differences of 2e-4: phases of some radians make their error 1e-6 or so, runs' errors as much.
        np.testing.assert_allclose(by_runs.slopes[name][:, 0], own, atol=2e-5 * np.abs(own).max())
    longer = ["structure.strip.length"]
    exact = DifferentiatedCases(source, longer, names)(np.array([1.0]))
    runs = DifferentiatedCases(source, longer, [*names, "momentum.linear y"])(np.array([1.0]))
    assert exact.exact.all()
    assert not runs.exact.any()
    for name in names:
        size = np.abs(exact.slopes[name]).max()
        np.testing.assert_allclose(runs.slopes[name], exact.slopes[name], atol=5e-5 * size)
        assert size > 0.05


def test_gains_of_controllers(tmp_path: Path) -> None:
    # A proportional gain is the stiffness of a spring: x = s (1 - cos(w t)) for a target s, w^2 = kp / m.
    path = tmp_path / "servo.toml"
    path.write_text(
        'name = "servo"\ngravity = [0, 0, 0]\n[[body]]\nname = "m"\nmass = 2.0\n'
        'joint = { type = "prismatic", axis = "x" }\n[[actuator]]\nspeed = "m.position"\n'
        "target = 0.4\nkp = 50.0\nkd = 0.0\n"
    )
    t, w, s = np.linspace(0.0, 1.0, 6), 5.0, 0.4
    paths = ["actuator.m.position.kp", "actuator.m.position.target"]
    found = DifferentiatedCases(FileCases.read(path, {}), paths, ["m.position"], t)(np.array([50.0, s]))
    assert found.exact.all()
    expected = np.stack([s * t * np.sin(w * t) * w / 100.0, 1 - np.cos(w * t)], axis=1)
    np.testing.assert_allclose(found.slopes["m.position"], expected, atol=1e-6)


def test_laws_without_derivatives_are_differentiated_by_runs() -> None:
    def law(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(-3.0 * np.tanh(v[0]) if t >= 0 else 0.0)

    source = ModelCases(oscillator(), {"q": [0.4], "tau": {"m.position": law}})
    found = DifferentiatedCases(source, ["m.mass"], ["m.position"], np.linspace(0, 1, 11))(np.array([2.0]))
    assert not found.exact.any()
    assert "Python function" in found.reason


def test_wrong_starts(file: Path) -> None:
    source = FileCases.read(file, {})
    with pytest.raises(supple.StateError, match=r"vary: 'body.payload.joint.type': expected a number .* got 'fixed'"):
        start_values(source, ["body.payload.joint.type"], {}, "vary")
    with pytest.raises(supple.StateError, match=r"'body.arm.joint.inertia': expected a number to start from, got None"):
        start_values(source, ["body.arm.joint.inertia"], {}, "vary")
    assert start_values(source, ["body.arm.joint.inertia"], {"body.arm.joint.inertia": 0.1}, "vary") == [0.1]
