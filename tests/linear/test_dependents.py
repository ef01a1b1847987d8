"""Which degrees of freedom are independent, and how the others follow: laws of J, its null space and its forces."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import supple
from supple.linear.dependents import dependents
from supple.model.loops.loops import Loops
from supple.model.loops.partitioning import back, lost_beside, partition
from support.mechanisms.closed_mechanisms import andrews, bricard, n_four_bar

Floats = NDArray[np.float64]


def door() -> supple.Model:
    """Held by two rods of which one would do, with a wheel geared to it."""
    mech = supple.Mechanism("door")
    mech.add_body("door", supple.RigidBody(20.0, (0.4, 0, 1), (7, 8, 1)), joint=supple.Revolute("z"))
    mech.add_body("bar", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1)), joint=supple.Free(), at=(0, 0.5, 0))
    mech.add_body("wheel", supple.RigidBody(1.0, inertia=(0.1, 0.1, 0.1)), joint=supple.Revolute("x"))
    mech.add_frame("edge", "door", (0.8, 0, 1))
    for name in ("low", "high"):
        mech.constrain(name, supple.Distance("bar", "door/edge", np.sqrt(0.64 + 0.25 + 1)))
    mech.constrain("teeth", supple.Gear("wheel.angle", "door.angle", ratio=3.0))
    return mech.build()


DOFS = {"squeezing mechanism": 1, "Bricard": 1, "row of four-bars": 1, "door": 6}


def closed(name: str) -> tuple[supple.Model, Loops, Floats]:
    """One of them and a closed configuration."""
    model, guess = andrews()
    if name == "Bricard":
        model, guess = bricard(), [0.2, -0.3, 0.1, 0.3, -0.2]
    elif name != "squeezing mechanism":
        model = n_four_bar(5) if name == "row of four-bars" else door()
        guess = model.neutral().tolist()
    assert model.loops is not None
    return model, model.loops, model.loops.assemble(guess)


@pytest.mark.parametrize("name", DOFS)
def test_motions_are_the_null_space(name: str) -> None:
    (model, loops, q), count = closed(name), DOFS[name]
    Z = partition(loops, q, model.none_prescribed).Z
    J = loops.jacobian(q)
    assert Z.shape == (model.nv, count)
    assert np.abs(J @ Z).max() < 1e-10 * np.abs(J).max() * np.abs(Z).max()
    f = dependents(model, q, model.none_prescribed)
    assert np.array_equal(Z[f.partition.moving], np.eye(count))
    assert np.array_equal(np.sort([*f.partition.moving, *f.partition.dependent]), np.arange(model.nv))
    # The choice is sound: what follows does not move out of proportion, each weighed with its inertia.
    root = np.sqrt(np.diag(model.mass_matrix(q)))
    assert np.abs(root[:, None] * Z / root[f.partition.moving]).max() < 10.0
    # Rates that some motion gives are given by one of the dependent speeds; loads that rows can take they take.
    rng = np.random.default_rng(0)
    rates = J @ rng.normal(size=(model.nv, 2))
    motion = f.closing(rates)
    assert np.abs(J @ motion - rates).max() < 1e-9 * np.abs(rates).max()
    assert not motion[f.partition.moving].any()
    load = J.T @ rng.normal(size=len(J))
    assert np.abs(J.T @ f.forces(load) - load).max() < 1e-9 * np.abs(load).max()
    assert not lost_beside(loops, q, model.none_prescribed, f.partition)


def test_given_speeds_stay() -> None:
    model = door()
    assert model.loops is not None
    q = model.loops.assemble()
    given = model.loops.held(["door.angle"])
    Z = partition(model.loops, q, given).Z
    assert Z.shape == (model.nv, 5)
    assert not Z[model.speeds.index("door.angle")].any()
    assert not Z[model.speeds.index("wheel.angle")].any()
    moved = model.integrate(q, Z.sum(axis=1), 0.05)
    ahead = back(model.loops, moved, given)
    assert np.abs(model.loops.errors(moved)[0]).max() > 1e-5
    assert np.abs(model.loops.errors(ahead)[0]).max() < 1e-12
    assert ahead[0] == q[0]
    with pytest.raises(supple.AssemblyError, match="cannot be assembled"):
        back(model.loops, moved, ~model.none_prescribed)
