"""What wrenches at frames do to the speeds, how frames move, and how both change with the state: tangents of blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.model.body_frames import BodyFrame, frame_arrays
from supple.model.programs import Ends
from supple.model.recorded_tangents import RecordedTangents
from supple.model.recorded_trace import RecordedTrace, recorded_program
from supple.model.symbolic_tree import zeros
from supple.recursions.frame_wrenches import FrameWrenches, frame_wrenches
from supple.recursions.frames import frame_acceleration, frame_velocity
from supple.recursions.kinematics import motions
from supple.recursions.states import States
from supple.recursions.tree import Frames
from supple.spatial import load6, rotate

if TYPE_CHECKING:
    from supple.model.model import Model

Floats = NDArray[np.float64]


def frame_forces(model: Model, frames: Sequence[BodyFrame], q: Floats, wrenches: Floats) -> tuple[Floats, Floats]:
    """Generalized forces (nv,) of wrenches (frames, 6) in the axes of their frames, and their changes (nv, nq) with q.

    As the dynamics sees the frames.
    """
    own = list(range(len(frames)))
    acting = frame_wrenches(model.tree.parent, frame_arrays(frames), own, own)
    found = _tangents(model, "frame_forces", acting, _forces, ("q",), ("force",))(q[None], wrenches.reshape(1, -1))
    return found["force"][0], found["dforce_dq"][0]


def frame_motions(model: Model, frame: BodyFrame, q: Floats, v: Floats, a: Floats) -> dict[str, Floats]:
    """Velocity and acceleration (6,) of a frame in ground axes, and their changes "dvelocity_dq" (6, nq) and so on.

    By q and v.
    """
    by, results = ("q", "v"), ("velocity", "acceleration")
    found = _tangents(model, "frame_motions", frame_arrays([frame]), _motions, by, results)(q[None], v[None], a[None])
    return {name: x[0] for name, x in found.items()}


def _tangents(
    model: Model,
    what: str,
    acting: Frames | FrameWrenches,
    make: Callable[[RecordedTrace, Mapping[str, Any]], Ends],
    by: tuple[str, ...],
    results: tuple[str, ...],
) -> RecordedTangents:
    return RecordedTangents(recorded_program(model, (what,), make, {"acting": acting}), by, results)


def _forces(t: RecordedTrace, groups: Mapping[str, Any]) -> Ends:
    """Generalized forces of the wrenches."""
    laws: FrameWrenches = groups["acting"]
    wrench = t.graph.new_inputs("wrench", [str(i) for i in range(6 * len(laws.frame))])
    force, _ = t.wrench_forces(laws, t.q, wrench.reshape(-1, 6))
    return {"q": t.q, "wrench": wrench}, {"force": force}


def _motions(t: RecordedTrace, groups: Mapping[str, Any]) -> Ends:
    """Velocity and acceleration of the frame in ground axes."""
    frames, state, rows = groups["acting"], States(t.q, t.v), len(t.tree.parent)
    k = frames.body[0]
    V, A = zeros(1, rows, 6), zeros(1, rows, 6)
    ws = t.workspace()
    t.run(motions)(t.tree, t.flex, States(t.q[None], t.v[None]), t.a[None], ws, V, A)
    own, rate = (t.run(load6)(x[0], k) for x in (V, A))
    velocity = t.run(frame_velocity)(t.flex, frames, 0, state, own, True, ws.flex)
    acceleration = t.run(frame_acceleration)(t.flex, frames, 0, state, t.a, (own[:3], rate), True, ws.flex)
    R = tuple(t.poses(t.q)[0][k - 1].flat) if k > 0 else None
    outputs = {"velocity": velocity, "acceleration": acceleration}
    return {"q": t.q, "v": t.v, "a": t.a}, {name: _in_ground(t, R, x) for name, x in outputs.items()}


def _in_ground(t: RecordedTrace, R: Any, x: Any) -> NDArray[Any]:
    """Both halves of a motion in ground axes."""
    parts = (x[:3], x[3:]) if R is None else (t.run(rotate)(R, x[:3]), t.run(rotate)(R, x[3:]))
    return np.array([t.graph.node(y) for part in parts for y in part], dtype=object)
