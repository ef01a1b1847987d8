"""Motions of some frames, and dynamics with wrenches at them, as programs of blocks: the frames are data.

Only bodies between the frames and the ground are recorded, so that the cost of a frame is that of its path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from supple.engines.blocks.block_program import Program
from supple.engines.blocks.cells import Cells
from supple.engines.blocks.places import Indices
from supple.recursions import articulated, kinematics, newton_euler
from supple.recursions.frame_jacobian import jacobian_columns
from supple.recursions.frame_wrenches import FrameWrenches, law_wrench_step
from supple.recursions.frames import frame_acceleration, frame_in_body, frame_pose, frame_velocity
from supple.recursions.nodes import shift_motion
from supple.recursions.states import Actuation, States
from supple.recursions.tree import Frames
from supple.spatial import load6, load9, rotate, unrotate

if TYPE_CHECKING:
    from supple.model.programs import RecursionRecording

GROUND, OWN = -1, -2
"""Axes of the ground, and of each frame itself."""


class Seen(NamedTuple):
    """How frames are looked at: the first ones of the frames of a structure.

    `axes` and `base` are the number of the frame along whose axes, and relative to which, or one of the constants.
    """

    number: int
    axes: int = GROUND
    base: int = GROUND


def frame_motions(r: RecursionRecording) -> Program:
    """R, p, V and A of all frames, in the ground frame and along its axes."""
    seen = Seen(_frames(r)[1])
    frame_poses(r, *seen)
    for name, x in _moving(r, seen, accelerated=True).items():
        r.outputs[name] = x
    return r.program()


def frame_poses(r: RecursionRecording, *seen: int) -> Program:
    """R and p of frames, in the ground frame or in another one."""
    (frames, _), how = _frames(r), Seen(*seen)
    q = r.input("q", r.structure.nq)
    R, p = r.output("R", how.number, 9, rows=True), r.output("p", how.number, 3, rows=True)
    carry_frames(r, q)
    for i in range(how.number):
        turn, at = r.run(frame_pose)(r.flex, frames, i, q[0], r.ws)
        if how.base >= 0:
            own, origin = r.run(frame_pose)(r.flex, frames, how.base, q[0], r.ws)
            columns = [r.run(unrotate)(own, turn[j::3]) for j in range(3)]
            turn = tuple(columns[j][n] for n in range(3) for j in range(3))
            at = r.run(unrotate)(own, tuple(x - y for x, y in zip(at, origin, strict=True)))
        _store(R[0], i, turn)
        _store(p[0], i, at)
        r.recorder.end()
    return r.program()


def frame_velocities(r: RecursionRecording, *seen: int) -> Program:
    """Velocities of frames."""
    r.outputs = {"V": _moving(r, Seen(*seen), accelerated=False)["V"]}
    return r.program()


def frame_accelerations(r: RecursionRecording, *seen: int) -> Program:
    """Accelerations of frames; gravity is not counted."""
    r.outputs = {"A": _moving(r, Seen(*seen), accelerated=True)["A"]}
    return r.program()


def frame_jacobians(r: RecursionRecording, *seen: int) -> Program:
    """Velocities of frames for a unit of each speed."""
    (frames, _), how = _frames(r), Seen(*seen)
    q, J = r.input("q", r.structure.nq), r.output("J", how.number, 6, r.nv)
    carry_frames(r, q)
    base = _columns(r, frames, how.base, q) if how.base >= 0 else None
    for i in range(how.number):
        own = _columns(r, frames, i, q)
        for j in range(r.nv):
            x = tuple(own[n, j] for n in range(6))
            b = None if base is None else tuple(base[n, j] for n in range(6))
            for n, y in enumerate(along_axes(r, frames, i, q[0], how, x, b)):
                J[0, i, n, j] = y
            r.recorder.cut()
        r.recorder.end()
    return r.program()


def _columns(r: RecursionRecording, frames: Frames, i: int, q: Any) -> Any:
    """Velocity (6, nv) of frame i for a unit of each speed, in the axes of its body."""
    own: Any = Cells(r.recorder, (6, r.nv), 0.0)
    r.run(jacobian_columns)(r.tree, r.flex, frames, i, q[0], r.ws, own)
    r.recorder.end()
    return own


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


def carry_frames(r: RecursionRecording, q: Any, v: Any = None, a: Any = None) -> None:
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


def _moving(r: RecursionRecording, how: Seen, accelerated: bool) -> dict[str, Any]:
    """Velocities of frames, and accelerations."""
    frames, _ = _frames(r)
    q = r.inputs["q"] if "q" in r.inputs else r.input("q", r.structure.nq)
    v, a = r.input("v", r.nv), r.input("a", r.nv) if accelerated else None
    carry_frames(r, q, v, a)
    outs = {name: r.output(name, how.number, 6, rows=True) for name in ("V", "A")[: 1 + accelerated]}
    base = frame_motion(r, frames, how.base, (q, v, a)) if how.base >= 0 else {}
    for i in range(how.number):
        for name, x in frame_motion(r, frames, i, (q, v, a)).items():
            _store(outs[name][0], i, along_axes(r, frames, i, q[0], how, x, base.get(name)))
        r.recorder.end()
    return outs


def frame_motion(r: RecursionRecording, frames: Frames, i: int, state: tuple[Any, Any, Any]) -> dict[str, Any]:
    """Velocity of frame i, and acceleration if there are any, in the axes of its body."""
    (q, v, a), k = state, _body(r, i)
    body, own = r.run(load6)(r.ws.V, k), States(q[0], v[0])
    out = {"V": r.run(frame_velocity)(r.flex, frames, i, own, body, True, r.ws.flex)}
    if a is not None:
        carried = body[:3], r.run(load6)(r.ws.alpha, k)
        out["A"] = r.run(frame_acceleration)(r.flex, frames, i, own, a[0], carried, True, r.ws.flex)
    return out


def _body(r: RecursionRecording, i: int) -> int:
    """The body of a frame."""
    assert r.structure.paths is not None
    return int(r.structure.paths.frames.body[i])


def along_axes(r: RecursionRecording, frames: Frames, i: int, q: Any, how: Seen, x: Any, base: Any) -> tuple[Any, ...]:
    """A motion of frame i in the axes of its body, less that of the base in those of its own, as it is looked at."""
    if base is None and how.axes == OWN:
        return _both(r.run(unrotate), r.run(frame_in_body)(r.flex, frames, i, q, True, r.ws.flex)[0], x)
    x = _both(r.run(rotate), r.run(load9)(r.ws.R_ground, _body(r, i)), x)
    if base is not None:
        base = _both(r.run(rotate), r.run(load9)(r.ws.R_ground, _body(r, how.base)), base)
        places = [r.run(frame_pose)(r.flex, frames, n, q, r.ws)[1] for n in (i, how.base)]
        carried = r.run(shift_motion)(tuple(y - z for y, z in zip(*places, strict=True)), base)
        x = tuple(y - z for y, z in zip(x, carried, strict=True))
    if how.axes == GROUND:
        return tuple(x)
    axes = r.run(frame_pose)(r.flex, frames, i if how.axes == OWN else how.axes, q, r.ws)[0]
    return _both(r.run(unrotate), axes, x)


def _both(turned: Any, R: Any, x: Any) -> tuple[Any, ...]:
    """Angular and linear part of a motion, turned."""
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
