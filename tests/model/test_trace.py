"""Traced functions against the model they were traced from, with numbers and with symbolic parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.model.parameters import INERTIA, parameter_names
from supple.model.traced_functions import traced
from supple.recursions.tree import QUATERNION
from support.cases import thinned
from support.generated.generators import KINDS, random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"
DT = 0.01
Given = dict[str, Any]


def state(model: supple.Model, number: int) -> Given:
    """Numbers for every input."""
    rng = np.random.default_rng(number)
    q, v = model.random_state(number)
    return {"q": q, "v": v, "tau": rng.normal(size=model.nv), "a": rng.normal(size=model.nv), "dt": [DT]}


def rk4(model: supple.Model, x: Given) -> Given:
    """The step by hand."""

    def slope(y: Any) -> Any:
        q, v = y[: model.nq], y[model.nq :]
        return np.concatenate([model.derivative(q, v), model.forward_dynamics(q, v, x["tau"])])

    start, n = np.concatenate([x["q"], x["v"]]), model.nq
    k1 = slope(start)
    k2 = slope(start + DT / 2 * k1)
    k3 = slope(start + DT / 2 * k2)
    end = start + DT / 6 * (k1 + 2 * k2 + 2 * k3 + slope(start + DT * k3))
    return {"q": model.normalize(end[:n]), "v": end[n:]}


def semi_implicit_euler(model: supple.Model, x: Given) -> Given:
    v = x["v"] + DT * model.forward_dynamics(x["q"], x["v"], x["tau"])
    return {"q": model.integrate(x["q"], v, DT), "v": v}


def leapfrog(model: supple.Model, x: Given) -> Given:
    q = model.integrate(x["q"], x["v"], DT / 2)
    middle = x["v"] + DT / 2 * model.forward_dynamics(q, x["v"], x["tau"])
    v = x["v"] + DT * model.forward_dynamics(q, middle, x["tau"])
    return {"q": model.integrate(q, v, DT / 2), "v": v}


EXPECTED: dict[str, Callable[[supple.Model, Given], Given]] = {
    "forward_dynamics": lambda m, x: {"a": m.forward_dynamics(x["q"], x["v"], x["tau"])},
    "inverse_dynamics": lambda m, x: {"tau": m.inverse_dynamics(x["q"], x["v"], x["a"])},
    "bias_forces": lambda m, x: {"tau": m.bias_forces(x["q"], x["v"])},
    "mass_matrix": lambda m, x: {"M": m.mass_matrix(x["q"])},
    "inverse_mass_matrix": lambda m, x: {"W": m.inverse_mass_matrix(x["q"])},
    "poses": lambda m, x: dict(zip(("R", "p"), m.poses(x["q"]), strict=True)),
    "energy": lambda m, x: dict(zip(("kinetic", "potential"), m.energy(x["q"], x["v"]), strict=True)),
    "energy_and_momentum": lambda m, x: {
        "energy": np.array(m.energy(x["q"], x["v"])),
        "momentum": m.momentum(x["q"], x["v"]),
        "moment": m.mass * m.center_of_mass(x["q"]),
    },
    "derivative": lambda m, x: {"rate": m.derivative(x["q"], x["v"])},
    "rk4": rk4,
    "semi_implicit_euler": semi_implicit_euler,
    "leapfrog": leapfrog,
}


def compare(found: Given, expected: Given, tolerance: float = 1e-12) -> None:
    assert found.keys() == expected.keys()
    for key, x in expected.items():
        scale = np.abs(x).max()
        assert scale > 1e-3
        np.testing.assert_allclose(found[key], x, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("what", EXPECTED)
@pytest.mark.parametrize("number", thinned([1, 2], [1]))
def test_traced_functions_equal_the_model(number: int, what: str) -> None:
    model = random_tree(number, KINDS)
    assert {type(placed.joint).__name__ for placed in model.description.bodies.values()} >= {
        "Free",
        "Helical",
        "Universal",
    }
    f = traced(model, what)
    x = state(model, number)
    compare(f.evaluate(**{key: x[key] for key in f.inputs}), EXPECTED[what](model, x))
    assert f.precomputed.total == 0


def numbers(model: supple.Model, names: list[str]) -> dict[str, float]:
    """What the model has where `parameter_names` says."""
    tree, out = model.tree, dict(zip(("gravity.x", "gravity.y", "gravity.z"), model.tree.gravity, strict=True))
    for k, (name, placed) in enumerate(model.description.bodies.items(), start=1):
        out[f"{name}.mass"] = placed.body.mass
        for i, c in enumerate("xyz"):
            out[f"{name}.com.{c}"], out[f"{name}.at.{c}"] = placed.body.com[i], tree.position[k, i]
        for ij in INERTIA:
            out[f"{name}.inertia.{ij}"] = placed.body.inertia["xyz".index(ij[0]), "xyz".index(ij[1])]
    for i, speed in enumerate(model.speeds):
        out[f"{speed}.stiffness"], out[f"{speed}.rest"] = tree.stiffness[i], tree.rest[i]
        out[f"{speed}.damping"], out[f"{speed}.inertia"] = tree.damping[i], tree.joint_inertia[i]
    mech = model.description
    out |= {f"{body}.pitch": tree.pitch[k] for k, body in enumerate(model.bodies, start=1)}
    for name, spring in mech.springs.items():
        out |= {f"{name}.{what}": getattr(spring, what) for what in ("stiffness", "damping", "length")}
    for name, wrench in mech.wrenches.items():
        for i, c in enumerate("xyz"):
            out[f"{name}.moment.{c}"], out[f"{name}.force.{c}"] = wrench.moment[i], wrench.force[i]
    for name, frame in mech.frames.items():
        out |= {f"{name}.{c}": x for c, x in zip("xyz", frame.position, strict=True)}
    return {name: float(out[name]) for name in names}


@pytest.mark.parametrize("what", ["forward_dynamics", "inverse_dynamics", "mass_matrix", "poses", "energy"])
def test_all_parameters_symbolic_equal_the_model_at_its_numbers(what: str) -> None:
    model = random_tree(7, 5)
    assert (model.tree.rotation_kind == QUATERNION).sum() < 3
    names = parameter_names(model)
    f = traced(model, what, names)
    x = state(model, 7)
    given = {key: x[key] for key in f.inputs if key != "parameters"}
    compare(f.evaluate(numbers(model, names), **given), EXPECTED[what](model, x), 1e-11)


@cache
def pendulum(mass: float, height: float, damping: float) -> supple.Model:
    mech = supple.Mechanism("pendulum", gravity=(0, -9.81, 0))
    body = supple.RigidBody(mass, (0, height, 0), (0.06, 0.001, 0.06))
    mech.add_body("arm", body, joint=supple.Revolute("z", damping=damping))
    return mech.build()


def test_parameters_stand_for_other_numbers() -> None:
    """A trace of one pendulum, at the numbers of another, is the other."""
    f = traced(pendulum(2.0, -0.6, 0.0), "forward_dynamics", ["arm.mass", "arm.com.y", "arm.angle.damping"])
    other = pendulum(3.0, -0.4, 0.7)
    x = state(other, 1)
    given = {key: x[key] for key in ("q", "v", "tau")}
    values = {"arm.mass": 3.0, "arm.com.y": -0.4, "arm.angle.damping": 0.7}
    compare(f.evaluate(values, **given), EXPECTED["forward_dynamics"](other, x))
    assert f.precomputed.total > 2


def test_the_pendulum_is_the_textbook_s() -> None:
    """a = (tau - m g l sin q) / (J + m l^2), with nothing left over."""
    f = traced(supple.files.read(EXAMPLES / "pendulum.toml").model, "forward_dynamics")
    (a,) = f.evaluate(q=[0.4], v=[1.3], tau=[0.2])["a"]
    assert a == pytest.approx((0.2 - 2.0 * 9.81 * 0.6 * np.sin(0.4)) / (0.06 + 2.0 * 0.6**2), rel=1e-14)
    assert f.operations.total == 4


def test_an_unknown_parameter_is_refused_with_the_nearest() -> None:
    with pytest.raises(supple.StateError, match=r"no parameter 'arm.mas'; did you mean 'arm.mass'\?"):
        traced(pendulum(2.0, -0.6, 0.0), "mass_matrix", ["arm.mas"])


def test_an_unknown_function_is_refused_with_the_nearest() -> None:
    with pytest.raises(supple.StateError, match=r"no function 'mass_matrx'; did you mean 'mass_matrix'\?"):
        traced(pendulum(2.0, -0.6, 0.0), "mass_matrx")
    with pytest.raises(supple.StateError, match=r"'sums'; expected one of forward_dynamics, .*leapfrog$"):
        traced(pendulum(2.0, -0.6, 0.0), "sums")
    with pytest.raises(supple.StateError, match=r"'sums'; expected one of .*rollout$"):
        pendulum(2.0, -0.6, 0.0).compile("sums")


@pytest.mark.parametrize(("number", "bodies"), [(3, 3), (4, 6)])
def test_derivatives_of_the_accelerations_are_those_of_linearize(number: int, bodies: int) -> None:
    model = random_tree(number, bodies)
    f = traced(model, "forward_dynamics", derivatives=["q", "v", "tau"])
    x = state(model, number)
    out = f.evaluate(**{key: x[key] for key in f.inputs})
    A, B = model.linearize(x["q"], x["v"], x["tau"])
    n = model.nv
    expected = {"da_dq": A[n:, :n], "da_dv": A[n:, n:], "da_dtau": B[n:]}
    compare({key: out[key] for key in expected}, expected, 1e-10)
