"""Frames as arrays: nodes that are shared are there once, and nothing can be written."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple import structures
from supple.model.body_frames import BodyFrame, frame_arrays


def boom() -> supple.Model:
    material = structures.Material(E=70e9, nu=0.3, rho=2700.0)
    beam = structures.beam(1.0, structures.Rectangle(0.02, 0.01), material, 3).reduce("cantilever", modes=2)
    mech = supple.Mechanism("boom")
    mech.add_body("boom", beam, joint=supple.Revolute("y"))
    mech.add_frame("aside", "boom/end", (0.1, 0, 0))
    return mech.build()


def test_frames_on_one_node_share_its_shapes() -> None:
    model = boom()
    names = ["ground", "boom", "boom/end", "boom/aside", "boom/1"]
    found = frame_arrays([model.find_frame(name) for name in names])
    assert found.body.tolist() == [0, 1, 1, 1, 1]
    node = model.find_frame("boom/end").node
    assert node is not None
    rows = 2 + node.second.shape[1]
    assert found.shape_row.tolist() == [-1, -1, 0, 0, rows]
    assert found.shape.shape == (2 * rows, 6)
    np.testing.assert_allclose(found.position[3], [0.1, 0, 0])
    for x in found:
        assert not x.flags.writeable
    assert frame_arrays([]).rotation.shape == (0, 9)


def test_equal_frames_are_equal() -> None:
    model, other = boom(), boom()
    assert model.find_frame("boom/aside") == other.find_frame("boom/aside")
    assert model.find_frame("boom/aside") != model.find_frame("boom/end")
    assert model.find_frame("boom") != BodyFrame(0, np.zeros(3), np.eye(3))
    assert len({model.find_frame("boom/end"), other.find_frame("boom/end")}) == 1


def test_frames_that_are_not_there_are_named() -> None:
    with pytest.raises(supple.StateError, match=r"no frame 'boom/asid'; did you mean 'boom/aside'"):
        boom().find_frame("boom/asid")
    with pytest.raises(supple.StateError, match=r"frame: expected a name, got 3"):
        boom().find_frame(3)  # type: ignore[arg-type]
