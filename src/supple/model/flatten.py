"""From a description to the flat arrays of the recursions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Floats
from supple.description.constraints import Gear
from supple.description.joints import ANGULAR, LINEAR, JointLayout
from supple.model.body_frames import BodyFrame, frame_arrays
from supple.model.flexible import flexible_arrays
from supple.recursions.tree import QUATERNION, Flex, Tree
from supple.structures.body.flexible_body import FlexibleBody

if TYPE_CHECKING:
    from supple.description.description import Description

ROUNDING = 1e-15


@dataclass(frozen=True)
class Names:
    """What the entries of q and v are called, and their units."""

    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    coordinate_units: tuple[str, ...]
    speed_units: tuple[str, ...]


def name_states(mech: Description) -> Names:
    """Names and units in the order of q and v."""
    q: list[tuple[str, str]] = []
    v: list[tuple[str, str]] = []
    for name, placed in mech.bodies.items():
        layout = placed.joint.layout()
        angle_unit = "1" if layout.rotation_kind == QUATERNION else ANGULAR[0]
        q += [(f"{name}.{n}", LINEAR[0]) for n in layout.translation_names]
        q += [(f"{name}.{n}", angle_unit) for n in layout.rotation_names]
        linear = [(f"{name}.{n}", LINEAR[1]) for n in layout.translation_speeds]
        angular = [(f"{name}.{n}", ANGULAR[1]) for n in layout.rotation_speeds]
        v += angular + linear if layout.angular_speeds_first else linear + angular
        if isinstance(placed.body, FlexibleBody):
            q += [(f"{name}.{label}", placed.body.unit(label)) for label in placed.body.labels]
            v += [(f"{name}.{label}", f"{placed.body.unit(label)}/s") for label in placed.body.labels]
    return Names(tuple(n for n, _ in q), tuple(n for n, _ in v), tuple(u for _, u in q), tuple(u for _, u in v))


def named_frames(mech: Description) -> dict[str, BodyFrame]:
    """Every frame by its name: the ground, the bodies, and the named ones."""
    number = numbering(mech)
    return {name: body_frame(mech, name, number) for name in (*number, *mech.frames)}


def body_frame(mech: Description, name: str, number: Mapping[str, int]) -> BodyFrame:
    """The frame of a name; `number` is the bodies' `numbering`."""
    frame = mech.find_frame(name)
    node = None
    if frame.node is not None:
        body = mech.bodies[frame.body].body
        assert isinstance(body, FlexibleBody)
        node = body.frame(frame.node)
    return BodyFrame(number[frame.body], frame.position, frame.rotation, node)


def numbering(mech: Description) -> dict[str, int]:
    """Body numbers; the ground is 0."""
    return {"ground": 0} | {name: k + 1 for k, name in enumerate(mech.bodies)}


def flatten(mech: Description, like: Flex | None = None) -> tuple[Tree, Flex | None]:
    """The read-only arrays of a description whose bodies stand parent first, those of its flexible bodies apart.

    `like` are those of a description that differs in its numbers alone.
    """
    number = numbering(mech)
    rows = len(number)
    layouts = [JointLayout(), *(placed.joint.layout() for placed in mech.bodies.values())]
    bodies = [placed.body for placed in mech.bodies.values()]
    modes = [0, *(body.modes if isinstance(body, FlexibleBody) else 0 for body in bodies)]
    parts: dict[str, Any] = _joint_indices(layouts, modes)
    parts["parent"] = np.array([0, *(number[placed.parent] for placed in mech.bodies.values())])
    parts["v_parent"] = _v_parents(parts["parent"], parts["v_first"])
    parts |= _joint_geometry(layouts, mech, rows)
    parts |= _inertias(mech, rows)
    q_mode = parts.pop("q_mode")
    parts |= _dof_constants(mech)
    parts["gravity"] = np.array(mech.gravity)
    parts |= _force_elements(mech, number)
    for name, a in parts.items():
        if name != "frames":
            a.flags.writeable = False
    return Tree(**parts), flexible_arrays(mech, number, q_mode, parts["v_mode"], like)


def _dof_constants(mech: Description) -> dict[str, Any]:
    """Inertia, stiffness, rest and damping of each speed by itself; of modes the diagonals of G, K and C."""
    fields = {"joint_inertia": "inertia", "stiffness": "stiffness", "rest": "rest", "damping": "damping"}
    out: dict[str, list[float]] = {field: [] for field in fields}
    for placed in mech.bodies.values():
        for field, attribute in fields.items():
            out[field] += [float(x) for x in getattr(placed.joint, attribute)]
        body = placed.body
        if isinstance(body, FlexibleBody):
            out["joint_inertia"] += body.mass_matrix.diagonal().tolist()
            out["stiffness"] += body.stiffness.diagonal().tolist()
            out["rest"] += [0.0] * body.modes
            out["damping"] += body.damping.diagonal().tolist()
    return {field: np.array(values, dtype=float) for field, values in out.items()}


def _joint_indices(layouts: list[JointLayout], modes: list[int]) -> dict[str, Any]:
    """Where in q and v the degrees of freedom of each joint stand, and behind them those of the deformation."""
    rows = len(layouts)
    names = (
        "q_rotation",
        "q_translation",
        "v_rotation",
        "v_translation",
        "rotation_kind",
        "translations",
        "q_mode",
        "v_mode",
    )
    out = {name: np.zeros(rows, dtype=np.int64) for name in names}
    out["v_first"] = np.zeros(rows + 1, dtype=np.int64)
    q_of_speed: list[int] = []
    q = v = 0
    for k, layout in enumerate(layouts):
        linear, angular = len(layout.translation_speeds), len(layout.rotation_speeds)
        out["rotation_kind"][k] = layout.rotation_kind
        out["translations"][k] = len(layout.directions)
        out["q_translation"][k] = q
        out["q_rotation"][k] = q + len(layout.translation_names)
        out["v_translation"][k] = v + (angular if layout.angular_speeds_first else 0)
        out["v_rotation"][k] = v + (0 if layout.angular_speeds_first else linear)
        moved = [-1 if layout.body_axes_translation else q + i for i in range(linear)]
        turned = [-1 if layout.body_axes_rotation else int(out["q_rotation"][k]) + i for i in range(angular)]
        q_of_speed += turned + moved if layout.angular_speeds_first else moved + turned
        out["q_mode"][k] = q + len(layout.translation_names) + len(layout.rotation_names)
        q_of_speed += [int(out["q_mode"][k]) + i for i in range(modes[k])]
        q = int(out["q_mode"][k]) + modes[k]
        out["v_mode"][k] = v + linear + angular
        v += linear + angular + modes[k]
        out["v_first"][k + 1] = v
    out["q_of_speed"] = np.array(q_of_speed, dtype=np.int64)
    return out


def _v_parents(parent: Any, v_first: Any) -> Any:
    """For each speed the next one towards the ground."""
    out = np.full(v_first[-1], -1, dtype=np.int64)
    last = np.full(len(parent), -1, dtype=np.int64)
    for k in range(1, len(parent)):
        previous = last[parent[k]]
        for i in range(v_first[k], v_first[k + 1]):
            out[i] = previous
            previous = i
        last[k] = previous
    return out


def _joint_geometry(layouts: list[JointLayout], mech: Description, rows: int) -> dict[str, Any]:
    """Joint frames, axes and directions."""
    out = {
        "rotation": np.tile(np.eye(3).reshape(9), (rows, 1)),
        "position": np.zeros((rows, 3)),
        "axes": np.zeros((rows, 9)),
        "pitch": np.array([layout.pitch for layout in layouts]),
        "directions": np.zeros((rows, 9)),
        "rates": np.zeros((rows, 9)),
    }
    for k, placed in enumerate(mech.bodies.values(), start=1):
        layout = layouts[k]
        out["rotation"][k] = _without_rounding(placed.rotation).reshape(9)
        out["position"][k] = placed.position
        for i, a in enumerate(layout.axes):
            out["axes"][k, 3 * i : 3 * i + 3] = a
        for i, d in enumerate(layout.directions):
            out["directions"][k, 3 * i : 3 * i + 3] = d
        if layout.body_axes_translation:
            out["rates"][k] = np.linalg.inv(np.column_stack(layout.directions)).reshape(9)
    return out


def _without_rounding(R: Floats) -> Floats:
    """A rotation whose entries are 0, 1 or -1 where they differ from these by rounding alone.

    Turning angles into a matrix leaves 2e-16 where a quarter turn has zeros; with zeros the equations are shorter.
    """
    nearest = np.round(R)
    return np.where(np.abs(R - nearest) < ROUNDING, nearest + 0.0, R)


def _inertias(mech: Description, rows: int) -> dict[str, Any]:
    """Mass, first moment and inertia about the origins."""
    mass, moment, inertia = np.zeros(rows), np.zeros((rows, 3)), np.zeros((rows, 6))
    upper = np.triu_indices(3)
    for k, placed in enumerate(mech.bodies.values(), start=1):
        mass[k] = placed.body.mass
        moment[k] = placed.body.mass * placed.body.com
        inertia[k] = placed.body.about_origin()[upper]
    return {"mass": mass, "moment": moment, "inertia": inertia}


def _force_elements(mech: Description, number: Mapping[str, int]) -> dict[str, Any]:
    """Spring-dampers, constant wrenches, and the frames that they and the constraints are on, in this order."""
    springs, wrenches = list(mech.springs.values()), list(mech.wrenches.values())
    ends = 2 * len(springs)
    return {
        "frames": frame_arrays(body_frame(mech, name, number) for name in element_frames(mech)),
        "spring_frames": np.arange(ends, dtype=np.int64).reshape(-1, 2),
        "spring_constants": np.array([(s.stiffness, s.damping, s.length) for s in springs]).reshape(-1, 3),
        "wrench_frame": ends + np.arange(len(wrenches), dtype=np.int64),
        "wrench_grounded": np.array([w.axes == "ground" for w in wrenches], dtype=np.bool_),
        "wrench_value": np.array([np.concatenate([w.moment, w.force]) for w in wrenches]).reshape(-1, 6),
    }


def element_frames(mech: Description) -> list[str]:
    """Names of the frames that springs, wrenches and constraints are on, in the order of the arrays."""
    ends = [name for x in mech.springs.values() for name in (x.first, x.second)]
    closing = [name for pair in constraint_frames(mech) for name in pair]
    return [*ends, *(x.frame for x in mech.wrenches.values()), *closing]


def constraint_frames(mech: Description) -> list[tuple[str, str]]:
    """First and second frame of each constraint between frames; those on coordinates alone have none."""
    return [(c.first, c.second) for c in mech.constraints.values() if not isinstance(c, Gear)]
