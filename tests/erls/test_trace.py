"""The same formulas on graph nodes: equal numbers, few operations."""

from __future__ import annotations

import numpy as np
import pytest

from supple.erls import ErlsModel, build
from supple.erls.trace import ErlsTrace
from support.mechanisms.rigid_links import accelerations, arm, flexible_tree, relative, rigid_tree

MAKERS = {"arm": lambda: arm(2, "free-free", 6), "tree": lambda: flexible_tree(2)[0], "rigid": lambda: rigid_tree(1)}


@pytest.fixture(params=MAKERS)
def model(request: pytest.FixtureRequest) -> ErlsModel:
    return build(MAKERS[request.param]())


def test_equations_are_those_of_the_arrays(model: ErlsModel) -> None:
    q, v = model.random_state(1)
    rng = np.random.default_rng(2)
    tau, a = rng.normal(size=(2, model.nv))
    t = ErlsTrace(model)
    inputs = {"q": t.q, "v": t.v, "tau": t.tau, "a": t.a}
    outputs = {
        "forward": t.forward_dynamics(t.q, t.v, t.tau),
        "inverse": t.inverse_dynamics(t.q, t.v, t.a),
        "bias": t.bias_forces(t.q, t.v),
        "mass": t.mass_matrix(t.q),
        "power": np.array([t.power(t.q, t.v, t.tau)], dtype=object),
        "rates": t.rates(t.q, t.v),
        "energy": t.energy(t.q, t.v),
    }
    got = t.function("all", inputs, outputs).evaluate(q=q, v=v, tau=tau, a=a)
    assert relative(got["forward"], model.forward_dynamics(q, v, tau)) < 1e-9
    assert relative(got["inverse"], model.inverse_dynamics(q, v, a)) < 1e-10
    assert relative(got["bias"], model.bias_forces(q, v)) < 1e-11
    assert relative(got["mass"], model.mass_matrix(q)) < 1e-12
    assert got["power"][0] == pytest.approx(float(tau @ (model.actuation_matrix(q) @ v)), rel=1e-10)
    assert np.array_equal(got["rates"], v)
    assert relative(got["energy"], model.energy(q, v)) < 1e-11
    assert relative(accelerations(model)(q, v, tau), got["forward"]) < 1e-9


def test_given_accelerations_leave_the_forces_to_be_found(model: ErlsModel) -> None:
    """Inverse dynamics with what was found gives back what was asked for."""
    q, v = model.random_state(3)
    drive = np.random.default_rng(4).normal(size=model.nv)
    given = np.array(["mode" not in name for name in model.speeds])
    given[0] = False
    assert given.any()
    t = ErlsTrace(model)
    a, tau = t.hybrid_dynamics(t.q, t.v, t.tau, given)
    got = t.function("hybrid", {"q": t.q, "v": t.v, "tau": t.tau}, {"a": a, "tau": tau}).evaluate(q=q, v=v, tau=drive)
    assert np.array_equal(got["a"][given], drive[given])
    assert np.array_equal(got["tau"][~given], drive[~given])
    assert relative(model.forward_dynamics(q, v, got["tau"]), got["a"]) < 1e-8
    asked = {name: drive[i] for i, name in enumerate(model.speeds) if given[i]}
    a, tau = model.hybrid_dynamics(np.stack([q, q]), v, drive, asked)
    assert relative(a, [got["a"]] * 2) < 1e-8
    assert relative(tau, [got["tau"]] * 2) < 1e-8


def test_two_links_of_six_modes_take_few_operations() -> None:
    """The floating-frame model of the same arm takes 2,302; the bound leaves room for other meshes' rounding."""
    model = build(arm(2, "free-free", 6, gravity=(1.0, 2.0, -9.0)))
    t = ErlsTrace(model)
    f = t.function("forward_dynamics", {"q": t.q, "v": t.v, "tau": t.tau}, {"a": t.forward_dynamics(t.q, t.v, t.tau)})
    assert f.operations.total < 3_000
