"""Laws of a run in linear models, against closed forms and against differences of the rates of the run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple import linear
from supple.files import read
from supple.simulation.run_laws import RunLaws
from supple.simulation.run_program import RunSettings

MASS = """
name = "mass"
gravity = [0, 0, 0]
[[body]]
name = "m"
mass = 2
joint = { type = "prismatic", axis = "x" }
"""
TREE = """
name = "driven tree"
[variables]
k = 3.0
[[body]]
name = "cart"
mass = 2
joint = { type = "prismatic", axis = "x" }
[[body]]
name = "arm"
parent = "cart"
mass = 1.5
com = [0, 0, -0.8]
inertia = [0.1, 0.08, 0.05]
joint = { type = "revolute", axis = "y" }
[[body]]
name = "tip"
parent = "arm"
at = [0, 0, -1]
mass = 0.5
com = [0, 0, -0.2]
inertia = [0.01, 0.01, 0.01]
joint = { type = "revolute", axis = "y" }
[[actuator]]
speed = "cart.position"
target = "0.1*sin(arm.angle)"
kp = 20
kd = 3
ki = 5
[[actuator]]
speed = "arm.angle"
force = "-k*sin(arm.angle)*cart.position - 0.3*rate(tip.angle)**3 + 0.5*t"
[[controller]]
name = "filter"
measured = ["tip.angle", "rate(tip.angle)"]
speeds = ["tip.angle"]
A = [[-2.0, 1.0], [0.0, -5.0]]
B = [[1.0, 0.2], [0.4, -1.0]]
C = [[-3.0, 2.0]]
D = [[-6.0, -0.1]]
[[wrench]]
name = "wind"
frame = "tip"
axes = "ground"
force = ["1 - 0.4*velocity.x", 0, "0.2*position.x"]
[simulation]
duration = 1.0
q = { arm.angle = 0.3, tip.angle = -0.4, cart.position = 0.2 }
v = { cart.position = 0.5, arm.angle = -1.0, tip.angle = 0.7 }
"""


def contents(folder: Path, text: str) -> tuple[supple.Model, dict[str, Any]]:
    """The model and the run of a file."""
    path = folder / "m.toml"
    path.write_text(text)
    found = read(path)
    return found.model, found.run_arguments()


def differences(model: supple.Model, run: Mapping[str, Any]) -> np.ndarray:
    """dy'/dy of coordinates, speeds and integrals of controllers at the start, by central differences of the rates."""
    given = {key: x for key, x in run.items() if key not in ("duration", "samples")}
    simulator = supple.Simulator(model, **given)
    (y, u), n = simulator.first, len(simulator.first[0]) - 1  # the last is the work
    columns = []
    for i in range(n):
        step = 1e-5 * np.eye(n + 1)[i]
        ahead, back = (simulator.system.rate(0.0, y + s, u) for s in (step, -step))
        columns.append((ahead - back)[:n] / 2e-5)
    return np.array(columns).T


def test_a_force_by_a_formula_is_a_spring(tmp_path: Path) -> None:
    model, run = contents(tmp_path, MASS + '[[actuator]]\nspeed = "m.position"\nforce = "-100*m.position"\n')
    laws = RunLaws(model, run).at(model.neutral(), np.zeros(1))
    assert linear.modes(model).rigid.all()  # the model alone
    (frequency,) = linear.modes(model, laws=laws).frequencies
    assert frequency == pytest.approx(np.sqrt(100 / 2) / (2 * np.pi), rel=1e-12)


def test_an_integral_is_a_state(tmp_path: Path) -> None:
    """2 x'' = -100 x - 2 x' - 30 int x: three poles."""
    pid = '[[actuator]]\nspeed = "m.position"\ntarget = 0\nkp = 100\nkd = 2\nki = 30\n'
    model, run = contents(tmp_path, MASS + pid)
    laws = RunLaws(model, run).at(model.neutral(), np.zeros(1))
    poles = np.sort_complex(np.roots([2, 2, 100, 30]))
    system = linear.state_space(model, outputs=["q:m.position"], laws=laws)
    assert system.states == ("x:m.position", "v:m.position", "m.position.integral")
    np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(system.A)), poles, rtol=1e-12)
    found = linear.modes(model, laws=laws)
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), poles[poles.imag >= 0], rtol=1e-12)
    s = 2j * np.pi * np.array([0.0, 0.7])  # an integral leaves no static error
    expected = s / np.polyval([2, 2, 100, 30], s)
    np.testing.assert_allclose(system.transfer([0.0, 0.7])[:, 0, 0], expected, rtol=1e-12, atol=1e-15)


@pytest.mark.filterwarnings("ignore:.*about a state that does not last:supple.PhysicsWarning")
def test_everything_that_acts_is_in_the_state_matrix(tmp_path: Path) -> None:
    """Formulas, a PID, a controller with states and a wrench, moving and accelerated."""
    model, run = contents(tmp_path, TREE)
    laws = RunLaws(model, run)
    assert [*laws.constant()] == []
    system = linear.state_space(model, laws.q, laws.v, np.zeros(3), laws=laws.at(laws.q, laws.v))
    assert system.states[6:] == ("cart.position.integral", "filter.x1", "filter.x2")
    bare = linear.state_space(model, laws.q, laws.v, np.zeros(3))
    expected = differences(model, run)
    np.testing.assert_allclose(system.A, expected, rtol=1e-7, atol=1e-7)
    assert np.abs(bare.A - expected[:6, :6]).max() > 1.0


@pytest.mark.filterwarnings("ignore:.*about a state that does not last:supple.PhysicsWarning")
def test_prescribed_motions_are_held(tmp_path: Path) -> None:
    text = TREE.replace('[[actuator]]\nspeed = "arm.angle"\nforce', '[[motion]]\nspeed = "arm.angle"\nposition')
    text = text.replace('"-k*sin(arm.angle)*cart.position - 0.3*rate(tip.angle)**3 + 0.5*t"', '"0.3 - t"')
    model, run = contents(tmp_path, text)
    laws = RunLaws(model, run)
    system = linear.state_space(model, laws.q, laws.v, np.zeros(3), laws=laws.at(laws.q, laws.v))
    kept = [0, 2, 3, 5, 6, 7, 8]
    np.testing.assert_allclose(system.A, differences(model, run)[np.ix_(kept, kept)], rtol=1e-7, atol=1e-7)


def test_laws_act_in_closed_loops() -> None:
    """A spring of a dependent joint, by a formula and by the joint itself: the constraint forces take its load."""

    def four_bar(stiffness: float) -> supple.Model:
        mech = supple.Mechanism("four-bar")
        for name, at, k in (("one", 0.0, 0.0), ("two", 1.2, stiffness)):
            joint = supple.Revolute("y", stiffness=k)
            mech.add_body(name, supple.RigidBody(1.0, com=(0, 0, -1)), joint=joint, at=(at, 0, 0))
        mech.add_body("bar", supple.RigidBody(1.0, inertia=np.eye(3)), "one", supple.Revolute("y"), at=(0, 0, -2))
        mech.add_frame("end", "bar", (1, 0, 0))
        mech.add_frame("end", "two", (0, 0, -1.8))
        mech.close_loop("pin", "bar/end", "two/end", supple.Revolute("y"))
        return mech.build()

    q = {"one.angle": 0.4}
    sprung, loose = four_bar(40.0), four_bar(0.0)
    laws = RunLaws(loose, {"q": q, "tau": {"two.angle": "-40*two.angle"}})
    found = linear.modes(loose, laws.q, independent=["one.angle"], laws=laws.at(laws.q, laws.v))
    expected = linear.modes(sprung, q, independent=["one.angle"])
    np.testing.assert_allclose(found.eigenvalues, expected.eigenvalues, rtol=1e-9)
    np.testing.assert_allclose(found.holding[0], expected.holding[0], rtol=1e-9)
    assert abs(linear.modes(loose, q).frequencies[0] - expected.frequencies[0]) > 0.1


def test_what_clocks_and_functions_give_is_named(tmp_path: Path) -> None:
    sampled = '[[actuator]]\nspeed = "m.position"\ntarget = 0\nkp = 100\nrate = 50\n'
    model, run = contents(tmp_path, MASS + sampled)
    assert [*RunLaws(model, run).constant()] == ["outputs of controllers and FMUs sampled at 50 Hz"]

    def push(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(str(-q[0]))  # works on no symbols

    laws = RunLaws(model, {"tau": {"m.position": push}})
    assert [*laws.constant()] == ["tau: the law of 'm.position' (a Python function)"]


def test_a_stop_of_the_run_replaces_that_of_the_model() -> None:
    mech = supple.Mechanism("block")
    mech.add_body("block", supple.RigidBody(1.0), joint=supple.Prismatic("x"))
    mech.limits.append(supple.Limit("block.position", lower=1.0, upper=2.0))
    limits = [supple.Limit("block.position", lower=-1.0, upper=2.0)]
    model = mech.build()
    assert RunLaws(model, {"limits": limits}).q.tolist() == [0.0]
    assert RunSettings.of(model, {"limits": limits}).limits == supple.Simulator(model, limits=limits).limits
