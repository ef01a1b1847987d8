"""Motions of some frames, and dynamics with wrenches at them, as programs of blocks: the frames are data.

Only bodies between the frames and the ground are recorded, so that the cost of a frame is that of its path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.cells import Cells
from supple.engines.blocks.places import Indices
from supple.recursions import articulated, kinematics, newton_euler
from supple.recursions.frame_jacobian import jacobian_columns
from supple.recursions.frame_wrenches import FrameWrenches, law_wrench_step
from supple.recursions.frames import frame_acceleration, frame_in_body, frame_pose, frame_velocity
from supple.recursions.states import Actuation, States
from supple.recursions.tree import Frames
from supple.spatial import load6, load9, rotate, unrotate

if TYPE_CHECKING:
    from supple.model.programs import RecursionRecording


def frame_motions(r: RecursionRecording) -> Program:
    """R, p, V and A of the frames whose paths the structure has, in the ground frame and along its axes."""
    frame_poses(r)
    for name, x in zip(("V", "A"), _moving(r, grounded=True, accelerated=True), strict=True):
        r.outputs[name] = x
    return r.program()


def frame_poses(r: RecursionRecording) -> Program:
    """R and p of the frames."""
    frames, count = _frames(r)
    q = r.input("q", r.structure.nq)
    R, p = r.output("R", count, 9, rows=True), r.output("p", count, 3, rows=True)
    _carry(r, q)
    for i in range(count):
        for out, values in zip((R, p), r.run(frame_pose)(r.flex, frames, i, q[0], r.ws), strict=True):
            _store(out[0], i, values)
        r.recorder.end()
    return r.program()


def frame_velocities(r: RecursionRecording, grounded: bool) -> Program:
    """Velocities of the frames, in ground axes or their own."""
    (r.outputs["V"],) = _moving(r, grounded, accelerated=False)
    return r.program()


def frame_accelerations(r: RecursionRecording, grounded: bool) -> Program:
    """Accelerations of the frames, in ground axes or their own; gravity is not counted."""
    r.outputs["A"] = _moving(r, grounded, accelerated=True)[1]
    return r.program()


def frame_jacobians(r: RecursionRecording, grounded: bool) -> Program:
    """Velocities of the frames for a unit of each speed, in ground axes or their own."""
    frames, count = _frames(r)
    q, J = r.input("q", r.structure.nq), r.output("J", count, 6, r.nv)
    _carry(r, q)
    for i in range(count):
        own: Any = Cells(r.recorder, (6, r.nv), 0.0)
        r.run(jacobian_columns)(r.tree, r.flex, frames, i, q[0], r.ws, own)
        r.recorder.end()
        for j in range(r.nv):
            column = tuple(own[n, j] for n in range(6))
            for n, x in enumerate(_along_axes(r, frames, i, q[0], grounded, column)):
                J[0, i, n, j] = x
            r.recorder.cut()
        r.recorder.end()
    return r.program()


def loaded_dynamics(r: RecursionRecording, given: tuple[bool, ...]) -> Program:
    """Accelerations, and of speeds that are `given` the forces, with wrenches at the frames, in their axes."""
    q, v = r.state()
    drive, wrench = r.input("drive", r.nv), r.input("wrench", len(_frames(r)[0].body), 6, rows=True)
    on_bodies, on_speeds = _loads(r, q, wrench)
    acting, a = Cells(r.recorder, (r.nv,)), r.output("a", r.nv)
    for i in range(r.nv):
        acting[i] = drive[0, i] if given[i] else drive[0, i] + on_speeds.get(i, 0.0)
        r.recorder.cut()
    r.run(kinematics.ground_acceleration)(-1.0, r.tree, r.ws)
    mask: Any = Indices(given)
    actuation = Actuation(acting, mask, on_bodies[0])  # type: ignore[arg-type]
    r.run(articulated.articulate)(r.tree, r.flex, States(q[0], v[0]), actuation, r.ws, a[0])
    return r.program(r.margin(given))


def loaded_forces(r: RecursionRecording) -> Program:
    """Generalized forces that give accelerations, with wrenches at the frames, in their axes."""
    q, v = r.state()
    a, wrench = r.input("a", r.nv), r.input("wrench", len(_frames(r)[0].body), 6, rows=True)
    on_bodies, on_speeds = _loads(r, q, wrench)
    force, tau = Cells(r.recorder, (1, r.nv), 0.0), r.output("tau", r.nv)
    out: Any = newton_euler.Forces(force, ())  # type: ignore[arg-type]
    r.run(newton_euler.inverse_dynamics)(r.tree, r.flex, States(q, v), a, on_bodies, r.ws, out)
    for i in range(r.nv):
        tau[0, i] = force[0, i] - on_speeds.get(i, 0.0)
        r.recorder.cut()
    return r.program()


def _frames(r: RecursionRecording) -> tuple[Frames, int]:
    """The frames, their numbers loaded, and how many they are."""
    assert r.structure.paths is not None
    return r.loaded["paths"].frames, len(r.structure.paths.of_frame)


def _carry(r: RecursionRecording, q: Any, v: Any = None, a: Any = None) -> None:
    """Poses of all bodies on the paths, their velocities if v is given, their accelerations if a is given."""
    assert r.structure.paths is not None
    for k in r.structure.paths.body.tolist():
        r.run(kinematics.joint_step)(r.tree, r.flex, k, q[0], r.ws)
        r.run(kinematics.pose_step)(r.tree, r.flex, k, q[0], r.ws)
        if v is not None:
            r.run(kinematics.velocity_step)(r.tree, r.flex, k, q[0], v[0], r.ws)
            r.run(kinematics.twist_step)(r.tree, r.flex, k, v[0], r.ws)
        if a is not None:
            r.run(kinematics.acceleration_step)(r.tree, r.flex, k, a[0], r.ws)


def _moving(r: RecursionRecording, grounded: bool, accelerated: bool) -> list[Any]:
    """Velocities of the frames, and accelerations."""
    frames, count = _frames(r)
    q, v = (r.inputs[name] if name in r.inputs else r.input(name, n) for name, n in _state(r))
    a = r.input("a", r.nv) if accelerated else None
    _carry(r, q, v, a)
    state = States(q[0], v[0])
    outs = [r.output(name, count, 6, rows=True) for name in ("V", "A")[: 1 + accelerated]]
    for i in range(count):
        k = int(r.structure.paths.frames.body[i])  # type: ignore[union-attr]
        body = r.run(load6)(r.ws.V, k)
        moved = [r.run(frame_velocity)(r.flex, frames, i, state, body, True, r.ws.flex)]
        if a is not None:
            own = body[:3], r.run(load6)(r.ws.alpha, k)
            moved.append(r.run(frame_acceleration)(r.flex, frames, i, state, a[0], own, True, r.ws.flex))
        for out, x in zip(outs, moved, strict=True):
            _store(out[0], i, _along_axes(r, frames, i, q[0], grounded, x))
        r.recorder.end()
    r.outputs = {name: x for name, x in r.outputs.items() if name not in ("V", "A")}
    return outs


def _state(r: RecursionRecording) -> tuple[tuple[str, int], tuple[str, int]]:
    return ("q", r.structure.nq), ("v", r.nv)


def _along_axes(r: RecursionRecording, frames: Frames, i: int, q: Any, grounded: bool, x: Any) -> tuple[Any, ...]:
    """A motion in body axes, along the axes of the ground or of the frame."""
    assert r.structure.paths is not None
    if grounded:
        R, turned = r.run(load9)(r.ws.R_ground, int(r.structure.paths.frames.body[i])), r.run(rotate)
    else:
        R, turned = r.run(frame_in_body)(r.flex, frames, i, q, True, r.ws.flex)[0], r.run(unrotate)
    return *turned(R, x[:3]), *turned(R, x[3:])


def _loads(r: RecursionRecording, q: Any, wrench: Any) -> tuple[Any, dict[int, Any]]:
    """Wrenches at the frames as those on all bodies, in body axes at body origins, and forces on speeds of modes."""
    (frames, count), ws = _frames(r), r.fresh()
    every: Any = Indices(range(count))
    laws = FrameWrenches(frames, every, every, every)
    bodies = {int(k) for k in r.structure.paths.frames.body}  # type: ignore[union-attr]
    flex = r.structure.flex
    flexible = [k for k in sorted(bodies) if flex is not None and flex.modes[k] > 0]
    for k in flexible:  # shapes of second order follow the modes
        r.run(kinematics.joint_step)(r.tree, r.flex, k, q[0], ws)
    for e in range(count):
        r.run(law_wrench_step)(r.flex, laws, e, wrench[0], q[0], ws)
    r.recorder.end()
    on_bodies = Cells(r.recorder, (1, r.bodies + 1, 6), 0.0, rows=True)
    for k in sorted(bodies):
        _store(on_bodies[0], k, tuple(-ws.load[k, j] for j in range(6)))
    r.recorder.end()
    if flex is None:
        return on_bodies, {}
    speeds = [i for k in flexible for i in range(int(flex.v_mode[k]), int(flex.v_mode[k] + flex.modes[k]))]
    return on_bodies, {i: -ws.flex.modal[i] for i in speeds}


def _store(out: Any, i: int, values: tuple[Any, ...]) -> None:
    """Write a row."""
    for j, x in enumerate(values):
        out[i, j] = x


FRAME_RECURSIONS: dict[str, Callable[..., Program]] = {
    "frame_motions": frame_motions,
    "frame_poses": frame_poses,
    "frame_velocities": frame_velocities,
    "frame_accelerations": frame_accelerations,
    "frame_jacobians": frame_jacobians,
    "loaded_dynamics": loaded_dynamics,
    "loaded_forces": loaded_forces,
}
"""What can be recorded, by name."""
