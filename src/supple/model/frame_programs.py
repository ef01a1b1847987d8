"""Poses and motions of some frames as a program of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.cells import Cells
from supple.recursions import kinematics
from supple.recursions.frames import frame_acceleration, frame_pose, frame_velocity
from supple.recursions.states import States
from supple.spatial import load6, load9, rotate

if TYPE_CHECKING:
    from supple.model.programs import RecursionRecording


def frame_motions(r: RecursionRecording) -> Program:
    """R, p, V and A of the frames whose paths the structure has, in the ground frame and along its axes."""
    assert r.structure.paths is not None
    frames, count = r.loaded["paths"].frames, len(r.structure.paths.of_frame)
    q, v = r.state()
    a = r.input("a", r.nv)
    outs = [r.output(name, count, width, rows=True) for name, width in (("R", 9), ("p", 3), ("V", 6), ("A", 6))]
    turns, places, V, A = (Cells(r.recorder, (1, r.bodies + 1, width), rows=True) for width in (9, 3, 6, 6))
    r.run(kinematics.poses)(r.tree, r.flex, q, r.ws, turns, places)
    r.run(kinematics.motions)(r.tree, r.flex, States(q, v), a, r.ws, V, A)
    state, rotated = States(q[0], v[0]), r.run(rotate)
    for i in range(count):
        k = int(r.structure.paths.frames.body[i])
        R, p = r.run(frame_pose)(r.flex, frames, i, q[0], r.ws)
        R_ground, V_k, A_k = r.run(load9)(r.ws.R_ground, k), r.run(load6)(r.ws.V, k), r.run(load6)(r.ws.alpha, k)
        velocity = r.run(frame_velocity)(r.flex, frames, i, state, V_k, True, r.ws.flex)
        acceleration = r.run(frame_acceleration)(r.flex, frames, i, state, a[0], (V_k[:3], A_k), True, r.ws.flex)
        moved = [(*rotated(R_ground, x[:3]), *rotated(R_ground, x[3:])) for x in (velocity, acceleration)]
        for out, values in zip(outs, (R, p, *moved), strict=True):
            for j, x in enumerate(values):
                out[0, i, j] = x
        r.recorder.end()
    return r.program()


FRAME_RECURSIONS = {"frame_motions": frame_motions}
"""What can be recorded, by name."""
