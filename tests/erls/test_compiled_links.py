"""Functions of equivalent rigid-link systems in machine code: batches, derivatives, rollouts, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.erls import build
from supple.model.functions.holes import LINKS
from supple.model.functions.table import FUNCTIONS as TABLE
from supple.model.functions.table import INTEGRATORS
from support.mechanisms.rigid_links import arm, relative

MODEL = build(arm(2, "free-free", 2))
Q, V = (np.stack(x) for x in zip(*(MODEL.random_state(i) for i in range(3)), strict=True))
TAU = np.linspace(-1.0, 1.0, MODEL.nv)
FUNCTIONS = [what for what in LINKS if what not in INTEGRATORS and not TABLE[what].derivative_of]
"""Those that are methods too."""


def expected(what: str) -> Any:
    return getattr(MODEL, what)(*arguments(what))


def arguments(what: str) -> list[Any]:
    given = {"q": Q, "v": V, "tau": TAU, "a": TAU, "dt": 0.1}
    return [given[x.name] for x in TABLE[what].inputs]


@pytest.mark.parametrize("what", FUNCTIONS)
def test_machine_code_gives_what_numbers_give(what: str) -> None:
    found = MODEL.compile(what)(*arguments(what))
    parts = (found, expected(what)) if isinstance(found, tuple) else ((found,), (expected(what),))
    for x, y in zip(*parts, strict=True):
        assert x.shape == y.shape
        assert relative(x, y) < 1e-8


def test_derivatives_are_those_of_linearize() -> None:
    f = MODEL.compile("forward_dynamics", derivatives=("q", "v", "tau"))
    a, by_q, by_v, by_tau = f(Q, V, TAU)
    A, B = MODEL.linearize(Q, V, TAU)
    n = MODEL.nv
    assert relative(a, MODEL.forward_dynamics(Q, V, TAU)) < 1e-9
    for x, y in ((by_q, A[:, n:, :n]), (by_v, A[:, n:, n:]), (by_tau, B[:, n:])):
        assert relative(x, y) < 1e-8
    assert f.operations.total > 1000
    assert "forward_dynamics" in f.c_source()


def test_rollouts_step_as_the_formulas_do() -> None:
    roll, dt = MODEL.compile("rollout", integrator="semi_implicit_euler"), 1e-5
    q, v = roll(Q, V, np.tile(TAU, (4, 1)), dt)
    assert q.shape == (3, 5, MODEL.nq)
    x, s = Q, V
    for _ in range(4):
        s = s + dt * MODEL.forward_dynamics(x, s, TAU)
        x = x + dt * s
    np.testing.assert_allclose(q[:, -1], x, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(v[:, -1], s, rtol=1e-7, atol=1e-9)


def test_what_cannot_be_compiled_is_refused() -> None:
    with pytest.raises(supple.StateError, match=r"has no symbolic parameters, got \['l0.mass'\]; `with_parameters`"):
        MODEL.compile("mass_matrix", parameters=["l0.mass"])
    with pytest.raises(supple.StateError, match="no function 'mass'"):
        MODEL.compile("mass")
    with pytest.raises(supple.StateError, match=r"derivatives: a rollout has none, got \['q'\]"):
        MODEL.compile("rollout", derivatives=["q"])
    with pytest.raises(supple.StateError, match="integrator: no 'euler'"):
        MODEL.compile("rollout", integrator="euler")


def test_systems_that_are_too_large_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supple.erls.compiled_links.LARGEST", 100)
    with pytest.raises(supple.StateError, match=r"forward_dynamics of 'arm': .* of 6 speeds is too large"):
        MODEL.compile("forward_dynamics")
    monkeypatch.setattr("supple.erls.compiled_links.LIMIT", 100)
    with pytest.raises(supple.StateError, match=r"mass_matrix of 'arm': .* of 6 speeds is too large"):
        MODEL.compile("mass_matrix")
