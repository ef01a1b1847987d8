"""Newton iterations as blocks: the same as the sweep, with inertias that are renewed or kept."""

from __future__ import annotations

from functools import cache

import numpy as np

import supple
from supple import structures
from supple.engines.llvm.call import invoke
from supple.model.implicit_programs import ImplicitStructure, newton_function
from supple.recursions.closed_implicit import newton_iteration
from supple.recursions.implicit import Correction, WorkingTree, stiff_workspace
from supple.recursions.states import Actuation, States
from supple.recursions.tree import sizes, workspace
from supple.simulation.methods.alpha_formulas import implicit_arrays


@cache
def model() -> supple.Model:
    """Two beams, a spring between them and the ground, and a rigid body."""
    body = structures.beam(
        1.0, structures.Rectangle(0.02, 0.01), structures.Material(E=7e9, nu=0.33, rho=2700.0), 6
    ).reduce("craig-bampton", modes=2)
    mech = supple.Mechanism("arm")
    mech.add_body("upper", body, joint=supple.Revolute("y", stiffness=2.0, damping=0.1))
    mech.add_body("fore", body, "upper", supple.Spherical(), at="end")
    mech.add_body("hand", supple.RigidBody(1.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), "fore", supple.Revolute("z"), at="end")
    return mech.build()


def test_blocks_are_the_sweep() -> None:
    m = model()
    stiff = implicit_arrays(m, 3e-4, 2e-6)
    given = np.zeros(m.nv, dtype=bool)
    given[-1] = True
    function = newton_function(ImplicitStructure(m.tree, m.flex, m.nq, *stiff), given)
    own, fresh = (workspace(sizes(m.tree, m.flex), np.float64) for _ in range(2))
    trees = WorkingTree(m.tree, m.flex, own), WorkingTree(*stiff, stiff_workspace(own, fresh))
    changes = []
    for seed, renew in enumerate((True, False, True)):
        q, v = m.random_state(seed)
        drive, w = np.random.default_rng(seed).normal(size=(2, m.nv))
        force, change, residual, expected, expected_change = np.zeros((5, m.nv))
        invoke(function.renewed if renew else function.kept, 0, 1, q, v, drive, w, force, change)
        actuation = Actuation(drive, given, m.no_wrench(float)[0])
        out = Correction(expected, residual, expected_change)
        newton_iteration(*trees, None, renew, States(q, v), actuation, w, out)
        for x, y in ((force, expected), (change, expected_change)):
            np.testing.assert_allclose(x, y, rtol=0.0, atol=1e-9 * np.abs(y).max())
        np.testing.assert_allclose(force, m.inverse_dynamics(q, v, w), rtol=0.0, atol=1e-9 * np.abs(force).max())
        assert change[-1] == 0.0
        changes.append(change)
    assert np.abs(changes[1]).max() > 0.0


def test_kept_inertias_are_those_of_the_last_renewal() -> None:
    """Kept in the same configuration they give the same; in another one, something else than renewed ones."""
    m = model()
    given = np.zeros(m.nv, dtype=bool)
    function = newton_function(ImplicitStructure(m.tree, m.flex, m.nq, *implicit_arrays(m, 3e-4, 2e-6)), given)
    drive, w = np.random.default_rng(1).normal(size=(2, m.nv))

    def change(address: int, seed: int) -> np.ndarray:
        force, out = np.zeros((2, m.nv))
        invoke(address, 0, 1, *m.random_state(seed), drive, w, force, out)
        return out

    first = change(function.renewed, 0)
    assert np.array_equal(change(function.kept, 0), first)
    kept = change(function.kept, 1)
    assert np.array_equal(change(function.kept, 0), first)
    assert not np.allclose(kept, change(function.renewed, 1), rtol=1e-3)
