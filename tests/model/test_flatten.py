"""From a description to flat arrays."""

from __future__ import annotations

from unittest import mock

import supple
from supple.model import flatten


def chain(bodies: int) -> supple.Mechanism:
    """Links one after another, each with a named frame and a wrench at it."""
    mech = supple.Mechanism("chain")
    parent = "ground"
    for k in range(bodies):
        mech.add_body(f"b{k}", supple.RigidBody(1.0, (0.1, 0, 0)), parent, supple.Revolute("z"))
        mech.add_frame("tip", f"b{k}", (0.2, 0, 0))
        mech.add_wrench(f"push{k}", f"b{k}/tip", force=(1.0, 0, 0))
        parent = f"b{k}"
    return mech


def test_bodies_are_numbered_as_often_in_long_chains_as_in_short_ones() -> None:
    counts = []
    for bodies in (3, 40):
        with mock.patch.object(flatten, "numbering", wraps=flatten.numbering) as numbering:
            chain(bodies).build()
        counts.append(numbering.call_count)
    assert counts[0] == counts[1]
