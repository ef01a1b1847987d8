"""Complex states need no compiler: the plain twins, on all states at once, are the same functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.engines.sweeps import sweep
from supple.model import complex_states
from supple.model.model import Model
from support.generated.generators import random_tree
from support.generated.generators_flexible import random_flexible_tree

STATES = 5
STEP = 1e-30
ROUNDING = 1e-9
"""Of sums of some hundred terms in another order, relative to the largest result: the forces of stiff modes cancel."""


def models() -> list[Model]:
    """Trees with all kinds of joints, springs and wrenches, rigid and flexible."""
    return [random_tree(4, 9), random_flexible_tree(2, 5, forces=True)[0]]


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps cannot be compiled."""

    def refused(*_: Any) -> None:
        raise AssertionError("a sweep is compiled")

    monkeypatch.setattr(sweep, "CompiledSweep", refused)


def answers(model: Model, q: Any, v: Any, x: Any) -> list[Any]:
    """All functions of a tree that take complex states."""
    e = model.evaluation
    given = np.arange(model.nv) % 3 == 0
    a, tau, fault = e.hybrid_dynamics(q, v, x, given, None)
    assert fault == 0
    return [
        a,
        tau,
        *e.inverse_dynamics(q, v, x, None, True),
        e.inverse_dynamics(q, v, x, np.ones((1, e.rows, 6), q.dtype), False)[0],
        e.mass_matrix(q),
        *e.poses(q),
        *e.motions(q, v, x),
        *e.sums(q, v),
        e.rates(q, v),
        e.advanced(q, v, np.linspace(0.1, 0.2, len(q)).astype(q.dtype)),
    ]


@pytest.mark.parametrize("model", models(), ids=lambda model: model.name)
@pytest.mark.parametrize("cells", [complex_states.MOST_CELLS, 1], ids=["at once", "one by one"])
def test_real_parts_are_those_of_real_states(
    model: Model, cells: int, no_compiler: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(complex_states, "MOST_CELLS", cells)
    q = np.stack([model.random_state(i)[0] for i in range(STATES)])
    v, x = np.random.default_rng(3).normal(size=(2, STATES, model.nv))
    moved = [y + 1j * STEP * np.cos(np.arange(y.size)).reshape(y.shape) for y in (q, v, x)]
    for found, known in zip(answers(model, *moved), answers(model, q, v, x), strict=True):
        assert found.dtype == np.complex128
        assert np.abs(found.real - known).max() <= ROUNDING * np.abs(known).max()
        assert np.abs(known).max() > 0  # not trivial
        assert np.isfinite(found.imag).all()


@pytest.mark.parametrize("model", models(), ids=lambda model: model.name)
def test_slopes_are_those_of_the_differences(model: Model, no_compiler: None) -> None:
    """Central differences of step h are off by h^2 and by rounding over h: 1e-7 of the largest slope is enough."""
    q, v = (x[None] for x in model.random_state(1))
    a = np.sin(np.arange(model.nv))[None]
    change, h = np.cos(np.arange(model.nv))[None], 1e-5
    slope = model.evaluation.inverse_dynamics(q.astype(complex), v + 1j * STEP * change, a.astype(complex), None, False)
    sides = [model.evaluation.inverse_dynamics(q, v + s * h * change, a, None, False)[0] for s in (1, -1)]
    known = (sides[0] - sides[1]) / (2 * h)
    assert np.abs(slope[0].imag / STEP - known).max() < 1e-7 * np.abs(known).max()


def test_one_singular_state_is_named(no_compiler: None) -> None:
    mech = supple.Mechanism("m")
    mech.add_body("slide", supple.RigidBody(0.0), joint=supple.Prismatic("x"))
    mech.add_body("arm", supple.RigidBody(1.0, (0.0, 0.0, -1.0)), "slide", supple.Revolute("y"))
    model = mech.build()
    q = np.array([[0.0, 0.3], [0.0, 0.0]], dtype=complex)  # a point mass that both degrees of freedom move alike
    with pytest.raises(supple.SingularError, match=r"slide\.position"):
        model.forward_dynamics(q, np.zeros(2), np.zeros(2))
