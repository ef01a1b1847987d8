"""Both formulations do what simulation asks of one, and agree where they are the same: with rigid links."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple.erls import ErlsModel, build
from supple.formulations import Formulation
from support.mechanisms.rigid_links import arm, rigid_tree


def both(mech: supple.Mechanism) -> tuple[Formulation, Formulation]:
    return mech.build(), build(mech)


def test_rigid_links_have_the_same_dynamics_in_both() -> None:
    floating, links = both(rigid_tree(0))
    q, v = floating.random_state(1)
    known = np.random.default_rng(2).normal(size=floating.nv)
    prescribed = np.arange(floating.nv) % 2 == 0
    assert prescribed.any()
    assert not prescribed.all()
    for x, y in zip(floating.hybrid(q, v, known, prescribed), links.hybrid(q, v, known, prescribed), strict=True):
        assert np.abs(x).max() > 0.1
        np.testing.assert_allclose(y, x, rtol=1e-9, atol=1e-9)
    assert links.power(q, v, known) == pytest.approx(floating.power(q, v, known))
    for x, y in zip(floating.energy_and_momentum(q, v), links.energy_and_momentum(q, v), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("number", range(2))
def test_sums_are_those_of_the_other_functions(number: int) -> None:
    model = both(arm(2, modes=2))[number]
    q, v = (np.stack(x) for x in zip(*(model.random_state(i) for i in range(3)), strict=True))
    energies, momentum, moment = model.energy_and_momentum(q, v)
    np.testing.assert_allclose(energies, np.stack(model.energy(q, v), axis=-1), rtol=1e-12)
    assert momentum.shape == (3, 6)
    assert moment.shape == (3, 3)


@pytest.mark.parametrize("number", range(2))
def test_equations_on_nodes_are_those_on_numbers(number: int) -> None:
    model = both(arm(2, modes=1))[number]
    q, v = model.random_state(3)
    tau = np.linspace(-1.0, 1.0, model.nv)
    found = model.forward_dynamics_function(1e7).evaluate(q=q, v=v, tau=tau)["a"]
    expected = model.hybrid(q, v, tau, np.zeros(model.nv, dtype=bool))[0]
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(found, expected, rtol=1e-7)


@pytest.mark.parametrize("number", range(2))
def test_a_display_model_has_the_frames_of_its_model(number: int) -> None:
    model = both(arm(2, modes=1))[number]
    q, v = model.random_state(4)
    shown, _, a = model.display_state(q, v)
    assert a.shape == (model.display.nv,)
    R, p = model.display.pose(shown, model.display_frame("l1/end"))
    assert np.linalg.norm(p) > 0.1
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-10)


def test_what_floating_frames_alone_can_do_is_refused_by_name() -> None:
    floating, links = both(arm(1, modes=1))
    assert floating.floating_frames("a gadget") is floating
    with pytest.raises(supple.StateError, match="'arm' is an equivalent rigid-link system, which a gadget does not"):
        links.floating_frames("a gadget")
    assert isinstance(links, ErlsModel)
    assert links.mechanism_model() == floating
    assert floating.mechanism_model() is floating
    assert floating.implicit_steps
    assert not links.implicit_steps


def test_closed_loops_leave_no_implicit_steps() -> None:
    mech = supple.Mechanism("closed")
    mech.add_body("crank", supple.RigidBody(1.0, (0.1, 0, 0), np.eye(3)), joint=supple.Revolute("y"))
    mech.add_body("rod", supple.RigidBody(1.0, (0.1, 0, 0), np.eye(3)), "crank", supple.Revolute("y"))
    mech.constrain("gear", supple.Gear("rod.angle", "crank.angle", 2.0))
    assert not mech.build().implicit_steps
