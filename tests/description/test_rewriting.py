"""Bodies on fixed joints joined to what carries them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from supple.description.members import Frame
from supple.description.rewriting import merged


def chain(count: int) -> supple.Mechanism:
    """A hinged body with a chain of bodies fixed to each other, turned and shifted, and a hinged one at its end."""
    mech = supple.Mechanism("chain")
    turn = Rotation.from_rotvec([0.3, -0.2, 0.1])
    body = supple.RigidBody(1.0, (0.1, 0, -0.5), np.diag([1.1, 1.2, 1.25]))
    mech.add_body("b0", body, joint=supple.Revolute("y"))
    for i in range(1, count):
        mech.add_body(f"b{i}", body, f"b{i - 1}", supple.Fixed(), at=(0.1, 0.2, -0.3), rotation=turn)
        mech.add_frame("tip", f"b{i}", position=(0.0, 0.1, 0.2))
    mech.add_body("end", body, f"b{count - 1}", supple.Revolute("x"), at=(0.1, 0.2, -0.3), rotation=turn)
    return mech


def test_a_chain_of_fixed_bodies_moves_as_before() -> None:
    mech = chain(12)
    whole, joined = mech.build(), mech.build(merge_fixed=True)
    assert joined.bodies == ("b0", "end")
    q, v = whole.random_state(3)
    tau = np.array([1.0, 2.0])
    np.testing.assert_allclose(joined.forward_dynamics(q, v, tau), whole.forward_dynamics(q, v, tau), rtol=1e-12)
    for frame in ("end", "b7", "b11", "b7/tip"):
        for found, expected in zip(joined.pose(q, frame), whole.pose(q, frame), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-13)


def test_each_body_is_moved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of 3,000 took a minute when each body moved all that it carries."""
    mech, made = chain(40), [0]

    def counted(*args: Any) -> Frame:
        made[0] += 1
        return Frame(*args)

    monkeypatch.setattr("supple.description.rewriting.Frame", counted)
    merged(mech)
    assert made[0] < 4 * 40
