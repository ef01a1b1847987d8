"""Springs and dampers between places of equivalent rigid links."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple
from supple.erls import build
from supple.model.complex_steps import by_complex_steps
from support.mechanisms.rigid_links import arm, relative, rigid_tree


def sprung_tree() -> Any:
    mech = rigid_tree(0)
    mech.add_frame("tip", "c", (0.2, 0.1, 0.3))
    mech.add_spring_damper("cross", "c/tip", "f", stiffness=50.0, damping=2.0, length=0.2)
    mech.add_spring_damper("wall", "ground", "d", stiffness=30.0, length=0.1)
    return mech


def sprung_arm(damping: float = 0.0) -> Any:
    mech = arm(2, "free-free", 4)
    mech.add_spring_damper("stay", "ground", "l1/end", stiffness=200.0, damping=damping, length=0.3)
    mech.add_spring_damper("brace", "l0/2", "l1/2", stiffness=100.0, length=0.1)
    return mech


def test_rigid_links_with_springs_move_as_a_rigid_tree() -> None:
    mech = sprung_tree()
    model, links = mech.build(), build(mech)
    q, v = model.random_state(4)
    tau = np.linspace(-1.0, 1.0, model.nv)
    a = model.forward_dynamics(q, v, tau)
    assert relative(a, rigid_tree(0).build().forward_dynamics(q, v, tau)) > 0.1
    assert relative(links.forward_dynamics(q, v, tau), a) < 1e-9
    assert relative(np.array(links.energy(q, v)), np.array(model.energy(q, v))) < 1e-10
    assert relative(links.joint_wrenches(q, v, a), model.joint_wrenches(q, v, a)) < 1e-9
    assert relative(links.compile("forward_dynamics")(q, v, tau), a) < 1e-9
    assert relative(links.inner_forces(q), model.inner_forces(q)) < 1e-9
    slopes = zip(links.balance_slopes(q, 0 * v, a), model.balance_slopes(q, 0 * v, a), strict=True)
    assert all(relative(x, y) < 1e-7 for x, y in slopes)


def test_forces_of_springs_on_flexible_links_are_slopes_of_their_energy() -> None:
    with_springs, without = build(sprung_arm()), build(arm(2, "free-free", 4))
    q, _ = with_springs.random_state(2)
    still = np.zeros(with_springs.nv)
    force = with_springs.bias_forces(q, still) - without.bias_forces(q, still)
    stored = by_complex_steps(
        lambda x: (with_springs.energy(x, still)[1] - without.energy(x, still)[1])[..., None], q, np.eye(len(q))
    )[0]
    assert np.abs(stored).max() > 1.0
    assert relative(force, stored) < 1e-8


def test_dampers_take_energy_and_springs_keep_it() -> None:
    v = {"l0.angle": 2.0, "l1.angle": -3.0}
    kept, lost = (supple.simulate(build(sprung_arm(c), 2), 0.05, v=v, rtol=1e-8, samples=11) for c in (0.0, 5.0))
    for run, least, most in ((kept, -1e-7, 1e-7), (lost, -0.5, -1e-3)):
        energy = (run.kinetic_energy + run.potential_energy).values
        assert least < (energy[-1] - energy[0]) / run.kinetic_energy.values.max() < most


def test_a_stayed_arm_settles_as_floating_frames_do() -> None:
    mech = sprung_arm(1.0)
    model, links = mech.build(), build(mech)
    q = model.neutral()
    q[0], q[model.coordinate_index("l1.angle")] = 0.3, 0.4
    x = np.zeros(links.nv)
    x[~links.is_mode] = 0.3, 0.4
    rest = np.zeros(links.nv)
    assert relative(links.bias_forces(x, rest)[~links.is_mode], model.bias_forces(q, 0 * q)[~model.is_mode]) < 1e-9
