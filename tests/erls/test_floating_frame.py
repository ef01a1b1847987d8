"""Equivalent rigid links and floating frames describe the same arms."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from rigid_links import arm, moved
from supple.erls import build


@pytest.mark.parametrize("links", [2, 3])
def test_tips_move_alike(links: int) -> None:
    """A spatial arm thrown under gravity: tips within 1 % of the deflection, which is some centimetres.

    What is left is of second order in the deformation: displacements at the joints are joined by linear equations.
    """
    mech = arm(links)
    model, ordinary = build(mech), mech.build()
    assert model.coordinates == ordinary.coordinates
    q, v = model.neutral(), np.zeros(model.nv)
    q[model.coordinates.index("l1.angle")], v[0] = 0.6, 1.5
    Q, _ = moved(model, 0.3, q, v, samples=16, rtol=1e-8)
    run = supple.simulate(ordinary, 0.3, q=q, v=v, rtol=1e-8, atol=1e-11, samples=16)
    tip = f"l{links - 1}/end"
    ours, theirs = model.pose(Q, tip)[1], ordinary.pose(run.q.values, tip)[1]
    straight = build(mech, modes=0).pose(model.joint_positions(Q), tip)[1]
    deflection = np.linalg.norm(ours - straight, axis=1).max()
    assert deflection > 5e-3
    assert np.linalg.norm(ours - theirs, axis=1).max() < 0.01 * deflection
