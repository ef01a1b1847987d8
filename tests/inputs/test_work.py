"""Energy law: without damping the energy of any system changes by the work of its actuators, and by nothing else."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple import PID, Motion, Sampled, Table
from support.generated.generators import random_body, random_joint
from support.generated.generators_flexible import random_flexible


@cache
def undamped(seed: int, flexible: bool) -> supple.Model:
    """Three bodies on random joints; the second flexible."""
    rng = np.random.default_rng(seed)
    mech = supple.Mechanism(f"undamped {seed}")
    kinds = rng.permutation([0, 1, 2, 3, 4, 6])[:3]
    parent: str = "ground"
    for i, kind in enumerate(kinds):
        soft = flexible and i == 1
        body = random_flexible(rng, 2, damped=False)[0] if soft else random_body(rng)
        joint = random_joint(rng, int(kind), bare=True)
        turn = Rotation.random(random_state=int(rng.integers(2**31)))
        at: Any = "a" if flexible and i == 2 else rng.normal(size=3) * 0.5
        mech.add_body(f"b{i}", body, parent, joint, at=at, rotation=turn)
        parent = f"b{i}"
    return mech.build()


@pytest.mark.parametrize("flexible", [False, True], ids=["rigid", "flexible"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_energy_changes_by_the_work_of_the_actuators(seed: int, flexible: bool) -> None:
    model = undamped(seed, flexible)
    first, second, last = model.speeds[0], model.speeds[1], model.speeds[-1]
    laws: dict[str, Any] = {
        first: PID("0.3*sin(2*t)", kp=5.0, kd=2.0, ki=1.0, limit=3.0),
        last: Table([0.0, 0.2, 0.4], [0.0, 2.0, -1.0], "hold"),
    }
    motion = {second: Motion(acceleration="sin(5*t)")} if second != last else {}
    result = supple.simulate(model, 0.6, tau=laws, motion=motion, samples=13, rtol=1e-10, atol=1e-12)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.ptp(result.work.values) > 1e-2
    assert np.ptp(result.kinetic_energy.values) > 1e-2
    # The work is not steered by the step control, but follows a motion that is.
    assert np.allclose(energy - energy[0], result.work, rtol=0, atol=1e-7 * max(1.0, np.abs(energy).max()))


def test_the_work_of_called_and_sampled_functions_counts_too() -> None:
    model = undamped(1, False)
    laws: dict[str, Any] = {
        model.speeds[0]: lambda t, q, v: 2.0 if t < 0.3 else -1.0 + float(q[0]),
        model.speeds[1]: Sampled(lambda t, q, v: 3.0 * np.cos(9 * t), 40.0),
    }
    result = supple.simulate(model, 0.6, tau=laws, samples=13, rtol=1e-9, atol=1e-11)
    energy = (result.kinetic_energy + result.potential_energy).values
    assert np.ptp(result.work.values) > 1e-2
    assert np.allclose(energy - energy[0], result.work, rtol=0, atol=1e-6 * max(1.0, np.abs(energy).max()))


def test_a_damper_takes_what_is_missing() -> None:
    mech = supple.Mechanism("cart", gravity=(0, 0, 0))
    mech.add_body("cart", supple.RigidBody(1.0), joint=supple.Prismatic("x", damping=0.5))
    result = supple.simulate(mech.build(), 2.0, tau={"cart.position": 1.0}, samples=2001)
    lost = np.trapezoid(0.5 * result.v.values[:, 0] ** 2, result.time.values)
    assert lost > 0.1
    assert float(result.work[-1] - result.kinetic_energy[-1]) == pytest.approx(lost, rel=1e-6)
