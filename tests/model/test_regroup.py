"""Inertia moved inward: the same motion from fewer numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import supple
from supple.model.parameters import parameter_names
from supple.model.regroup import regrouped
from supple.model.trace import Trace
from supple.recursions.tree import NO_ROTATION, ONE_AXIS, QUATERNION
from support.cases import thinned
from support.generated.generators import KINDS, random_body, random_tree
from support.generated.generators_flexible import random_flexible_tree


def evaluated(t: Trace, model: supple.Model, numbers: dict[str, float] | None = None) -> dict[str, Any]:
    """Everything that motion depends on, at a random state."""
    q, v = model.random_state(1)
    rng = np.random.default_rng(2)
    tau, a = rng.normal(size=(2, model.nv))
    outputs = {
        "mass_matrix": t.mass_matrix(t.q),
        "bias_forces": t.bias_forces(t.q, t.v),
        "inverse_dynamics": t.inverse_dynamics(t.q, t.v, t.a),
        "forward_dynamics": t.forward_dynamics(t.q, t.v, t.tau),
    }
    f = t.function("f", {"q": t.q, "v": t.v, "tau": t.tau, "a": t.a}, outputs)
    return f.evaluate(numbers, q=q, v=v, tau=tau, a=a)


def compare(found: dict[str, Any], model: supple.Model) -> None:
    """Against the model's own numbers."""
    q, v = model.random_state(1)
    tau, a = np.random.default_rng(2).normal(size=(2, model.nv))
    expected = {
        "mass_matrix": model.mass_matrix(q),
        "bias_forces": model.bias_forces(q, v),
        "inverse_dynamics": model.inverse_dynamics(q, v, a),
        "forward_dynamics": model.forward_dynamics(q, v, tau),
    }
    for name, x in expected.items():
        assert np.abs(x).max() > 1e-2
        np.testing.assert_allclose(found[name], x, rtol=0, atol=1e-11 * np.abs(x).max(), err_msg=name)


@pytest.mark.parametrize("seed", thinned(range(2), [0]))
@pytest.mark.parametrize("free_base", [False, True])
def test_motion_of_random_trees_is_the_same(seed: int, free_base: bool) -> None:
    model = random_tree(seed, KINDS + 3, free_base=free_base)
    t = Trace(model, regroup=True)
    assert sum(x == 0.0 for x in t.moving.mass[1:]) >= 3
    compare(evaluated(t, model), model)


@pytest.mark.parametrize("seed", thinned([1, 2, 4], [2]))
def test_motion_among_flexible_bodies_is_the_same(seed: int) -> None:
    model, _ = random_flexible_tree(seed, 8, modes=1, forces=True)
    assert model.flex is not None
    t = Trace(model, regroup=True)
    flexible = model.flex.modes > 0
    changed = (t.moving.mass != t.tree.mass) | (t.moving.inertia != t.tree.inertia).any(axis=1)
    assert changed.any()
    assert flexible.sum() > 2
    assert not changed[flexible].any()
    compare(evaluated(t, model), model)


@cache
def arm() -> supple.Model:
    """Joints about coordinate axes of turned frames, on a base that moves, with a slider, a fixed body and rotors."""
    rng = np.random.default_rng(7)
    turned = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    mech = supple.Mechanism("arm", gravity=(0.5, 1.0, -9.81))
    mech.add_body("base", random_body(rng), joint=supple.Free())
    mech.add_body("one", random_body(rng), "base", supple.Revolute("z", inertia=0.3), (0.1, 0.2, 0.3), turned)
    mech.add_body("two", random_body(rng), "one", supple.Revolute("x", stiffness=3.0), (0.4, 0.0, 0.3))
    mech.add_body("plate", random_body(rng), "two", supple.Fixed(), (0.4, 0.1, 0.3), turned)
    mech.add_body("slide", random_body(rng), "two", supple.Prismatic("y"), (0.0, 0.2, 0.3), turned.T)
    mech.add_body("tip", random_body(rng), "slide", supple.Revolute("-y"), (0.1, 0.2, 0.3))
    mech.add_body("screw", random_body(rng), "two", supple.Helical("x", pitch=0.1), (0.1, 0.0, 0.3))
    mech.add_body("ball", random_body(rng), "one", supple.Spherical(), (0.0, 0.0, -0.3))
    mech.add_wrench("thrust", "tip", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    return mech.build()


def test_what_is_left_of_each_kind_of_joint() -> None:
    model = arm()
    tree = regrouped(model.tree)
    rows = {name: k for k, name in enumerate(model.bodies, start=1)}
    left = {name: (tree.mass[k], tree.moment[k], tree.inertia[k]) for name, k in rows.items()}
    before = {name: (model.tree.mass[k], model.tree.moment[k], model.tree.inertia[k]) for name, k in rows.items()}
    m, h, I = left["two"]
    assert m == h[0] == 0.0
    assert I[3] == 0.0  # about y, the axis after x
    assert (h[1:] != 0).all()
    m, h, I = left["tip"]
    assert m == h[1] == I[5] == 0.0
    m, h, I = left["plate"]
    assert m == 0.0
    assert not h.any()
    assert not I.any()
    m, h, I = left["slide"]
    assert m == pytest.approx(before["slide"][0] + before["tip"][0])
    assert not I.any()
    m, h, I = left["screw"]
    assert m == before["screw"][0]
    assert (h == before["screw"][1]).all()
    assert I[3] == 0.0
    m, h, I = left["ball"]
    assert m == 0.0
    assert (h == before["ball"][1]).all()
    assert (before["ball"][2] == I).all()
    assert left["base"][0] == pytest.approx(model.tree.mass.sum() - before["screw"][0] - left["slide"][0])
    assert {ONE_AXIS, QUATERNION, NO_ROTATION} <= set(model.tree.rotation_kind[1:])


@pytest.mark.parametrize("symbolic", [False, True])
def test_motion_with_coordinate_axes_is_the_same_and_cheaper(symbolic: bool) -> None:
    model = arm()
    own = {f"{body}.{what}" for body in model.bodies for what in ("mass", "com", "at", "inertia")}
    chosen = [name for name in parameter_names(model) if symbolic and ".".join(name.split(".")[:2]) in own]
    traces = {regroup: Trace(model, chosen, regroup=regroup) for regroup in (False, True)}
    compare(evaluated(traces[True], model, numbers(model, chosen)), model)
    costs = {}
    for regroup, t in traces.items():
        outputs = {"M": t.mass_matrix(t.q), "b": t.bias_forces(t.q, t.v)}
        costs[regroup] = t.function("f", {"q": t.q, "v": t.v}, outputs).operations.total
    assert costs[True] < 0.9 * costs[False]


def numbers(model: supple.Model, names: list[str]) -> dict[str, float]:
    """What the model has under the names of its bodies' parameters."""
    out: dict[str, float] = {}
    for k, (body, placed) in enumerate(model.description.bodies.items(), start=1):
        values = {"mass": placed.body.mass}
        for i, x in enumerate("xyz"):
            values[f"com.{x}"], values[f"at.{x}"] = placed.body.com[i], model.tree.position[k, i]
            values |= {f"inertia.{x}{y}": placed.body.inertia[i, j] for j, y in enumerate("xyz")}
        out |= {f"{body}.{key}": float(value) for key, value in values.items()}
    return {name: out[name] for name in names}


def test_energy_and_momentum_stay_those_of_the_bodies() -> None:
    model = random_tree(3, KINDS)
    t = Trace(model, regroup=True)
    energy, momentum, moment = t.sums(t.q, t.v)
    f = t.function("f", {"q": t.q, "v": t.v}, {"energy": energy, "momentum": momentum, "moment": moment})
    q, v = model.random_state(5)
    found = f.evaluate(q=q, v=v)
    np.testing.assert_allclose(found["energy"], model.energy(q, v), rtol=1e-12)
    np.testing.assert_allclose(found["momentum"], model.momentum(q, v), rtol=0, atol=1e-11)
    np.testing.assert_allclose(found["moment"], model.mass * model.center_of_mass(q), rtol=1e-11)
