"""One state of a batch at which a constraint cannot be moved: nothing changes for the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from supple.model.loops.sweeps import ConstraintSweeps
from supple.recursions.states import States
from support.mechanisms.closed_mechanisms import slider_crank

COUNT, BAD = 300, 77


def held_link() -> supple.Model:
    """A link whose end is held in a plane: where it lies across, nothing that it does moves the end out of it."""
    mech = supple.Mechanism("held link")
    mech.add_body("link", supple.RigidBody(1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)), joint=supple.Revolute("z"))
    mech.add_body("free", supple.RigidBody(1.0, (0.5, 0, 0.1), (0.1, 0.1, 0.1)), "link", supple.Revolute("y"))
    mech.add_frame("end", "link", (1.0, 0.0, 0.0))
    mech.add_frame("wall", "ground", (0.5, 0.0, 0.0))
    mech.constrain("plane", supple.PointOnPlane("ground/wall", "link/end", "x"))
    return mech.build()


def batch(model: supple.Model) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    q = np.stack([rng.uniform(0.3, 1.2, COUNT), rng.normal(size=COUNT)], axis=1)
    return q, rng.normal(size=(COUNT, 2)), rng.normal(size=(COUNT, 2))


@pytest.mark.parametrize("count", [1, COUNT])
def test_only_the_bad_states_take_the_general_way(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = held_link()
    q, v, tau = batch(model)
    good = model.forward_dynamics(q, v, tau)
    others = np.arange(COUNT) != BAD
    swept: list[int] = []
    own = ConstraintSweeps.response

    def counted(self: ConstraintSweeps, states: Any, actuation: Any) -> Any:
        swept.append(len(states.q))
        return own(self, states, actuation)

    monkeypatch.setattr(ConstraintSweeps, "response", counted)
    q[BAD, 0] = 0.0
    x = (q, v, tau) if count > 1 else (q[BAD], v[BAD], tau[BAD])
    a = model.forward_dynamics(*x)
    assert swept == [1]
    assert np.isfinite(a).all()
    if count > 1:
        np.testing.assert_array_equal(a[others], good[others])
        np.testing.assert_allclose(a[BAD], model.forward_dynamics(q[BAD], v[BAD], tau[BAD]), rtol=1e-12)
    expected = np.linalg.solve(model.mass_matrix(q[BAD]), tau[BAD] - model.bias_forces(q[BAD], v[BAD]))
    np.testing.assert_allclose(np.atleast_2d(a)[-1 if count == 1 else BAD], expected, rtol=1e-9)  # it has no force


def test_errors_and_projections_of_the_others_stay_too() -> None:
    model = held_link()
    assert model.loops is not None
    q, v, _ = batch(model)
    bad = q.copy()
    bad[BAD, 0] = 0.0
    others = np.arange(COUNT) != BAD
    sweeps, given = model.loops.sweeps, model.none_prescribed
    for matrices in (False, True):
        one, other = (sweeps.projection(States(x, v), given, matrices) for x in (q, bad))
        for name, x in one._asdict().items():
            y = getattr(other, name)
            np.testing.assert_array_equal(x[others], y[others], err_msg=name)
            assert np.isfinite(y).all()
    np.testing.assert_array_equal(sweeps.jacobian(q)[others], sweeps.jacobian(bad)[others])


@pytest.mark.parametrize("derivatives", [(), ("q", "v")])
def test_compiled_functions_give_nan_for_that_state_alone(derivatives: tuple[str, ...]) -> None:
    model = slider_crank()
    assert model.loops is not None
    start = model.loops.assemble([0.7, -0.2, 1.2])
    rng = np.random.default_rng(1)
    q = np.tile(start, (40, 1))
    v, tau = rng.normal(size=(2, 40, model.nv))
    f = model.compile("forward_dynamics", derivatives=derivatives)
    expected = f(q, v, tau)
    q[7, 0] = np.nan
    found = f(q, v, tau)
    others = np.arange(40) != 7
    for x, y in zip(*((z if derivatives else (z,)) for z in (found, expected)), strict=True):
        assert np.isnan(x[7]).any()
        np.testing.assert_allclose(x[others], y[others], rtol=1e-12)
