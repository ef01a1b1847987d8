"""Functions as CasADi has them give the same numbers and derivatives."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import casadi
import numpy as np
import pytest

import supple
from supple.expressions.function import Function
from supple.expressions.graph import Graph
from supple.expressions.operations import FUNCTIONS
from supple.expressions.printers import to_casadi
from supple.model.traced_functions import traced

EXAMPLES = Path(__file__).parents[2] / "examples"


def state_of(model: supple.Model) -> list[Any]:
    """A state in which loops are closed, and forces."""
    q, v = model.random_state(seed=2)
    if model.loops is not None:
        run = supple.simulate(model, 0.05, samples=2)
        q, v = run.q.values[-1], run.v.values[-1]
    return [q, v, np.random.default_rng(2).normal(size=model.nv)]


@pytest.mark.parametrize("name", ["cart_pendulum", "satellite_two_booms", "four_bar"])
def test_casadi_gives_the_numbers_and_derivatives(name: str) -> None:
    model = supple.files.read(EXAMPLES / f"{name}.toml").model
    f = model.casadi("forward_dynamics")
    given = state_of(model)
    expected = model.forward_dynamics(*given)
    scale = np.abs(expected).max()
    assert scale > 1e-3
    np.testing.assert_allclose(np.array(f(*given)).ravel(), expected, rtol=0, atol=1e-12 * scale)
    by_tau = casadi.jacobian(f(q=given[0], v=given[1], tau=(u := casadi.SX.sym("u", model.nv)))["a"], u)
    found = np.array(casadi.Function("J", [u], [by_tau])(given[2]))
    _, B = model.linearize(*given)
    np.testing.assert_allclose(found, B[model.nv :], rtol=0, atol=1e-11 * np.abs(B).max())


def test_shapes_names_and_parameters() -> None:
    model = supple.files.read(EXAMPLES / "cart_pendulum.toml").model
    f = model.casadi("poses")
    R, p = (np.array(x) for x in f([0.3, 0.8]))
    rotation, position = model.pose([0.3, 0.8], "arm")
    np.testing.assert_allclose(R[6:], rotation, atol=1e-15)
    np.testing.assert_allclose(p[2], position, atol=1e-15)
    step = model.casadi("rk4", parameters=["arm.mass"])
    assert step.name_in() == ["q", "v", "tau", "dt", "parameters"]
    assert step.name_out() == ["next_q", "next_v"]
    heavy = model.with_parameters({"arm.mass": 2.5})
    Q, _ = heavy.compile("rollout")([0.3, 0.8], [0.0, 0.1], [[1.0, 0.0]], 0.01)
    np.testing.assert_allclose(
        np.array(step([0.3, 0.8], [0.0, 0.1], [1.0, 0.0], 0.01, 2.5)[0]).ravel(), Q[1], atol=1e-15
    )


def test_casadi_knows_every_function() -> None:
    g: Any = Graph()
    x, y = g.input("x"), g.input("y")
    calls = [getattr(g, n)(x, y) if FUNCTIONS[n].arity == 2 else getattr(g, n)(x) for n in FUNCTIONS]
    f = Function("f", g, {"s": np.array([x, y])}, {"r": np.array([*calls, x / y, -x, x - y, 2.5 * x])})
    found = np.array(to_casadi(f)([0.6, 0.35])).ravel()
    expected = f.evaluate(s=[0.6, 0.35])["r"]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_without_casadi_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def refusing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "casadi":
            raise ModuleNotFoundError("No module named 'casadi'")
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refusing)
    with pytest.raises(ImportError, match=r"supple\[casadi\]"):
        to_casadi(traced(supple.files.read(EXAMPLES / "pendulum.toml").model, "mass_matrix"))
