"""Variables of a motion with names and units, from batches of states.

Nothing here goes from one time to the next, but for the sign of the quaternions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from supple.description.members import PlacedBeam
from supple.description.orientation import euler_angles
from supple.errors import SimulationError, StateError
from supple.formulations import Formulation
from supple.formulations.protocol import Sums
from supple.inputs import requests
from supple.inputs.recovery_requests import flexible_body
from supple.inputs.wrenches import Wrench
from supple.lazy import LazyModule
from supple.model.body_frames import motion_on_body, pose_in_body
from supple.model.model import Model
from supple.recursions.states import States
from supple.simulation.samples import Samples

if TYPE_CHECKING:
    import xarray as xr
else:
    xr = LazyModule("xarray")

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
AXES = ("x", "y", "z")
COMPONENTS = (*(f"angular {axis}" for axis in AXES), *(f"linear {axis}" for axis in AXES))
LABELS = {"axis": AXES, "quaternion": (*AXES, "w"), "component": COMPONENTS}
FORCES = {"rad/s": "N m", "m/s": "N"}
"""Unit of the force on a speed by that of the speed: their product is power. A mode has G = 1, so it is the rate's."""


class TimeSeries(NamedTuple):
    """A variable of a dataset: values (time, ...), names of their dimensions, attributes, and labels.

    Labels are arrays by dimension, or what xarray takes as further coordinates: dimension, values, attributes.
    """

    values: NDArray[Any]
    dims: tuple[str, ...]
    attrs: dict[str, str]
    coords: dict[str, Any]


def states(model: Formulation, x: Samples) -> dict[str, TimeSeries]:
    """q (time, coordinate); v, a and tau (time, speed)."""
    units = model.speed_units
    coordinate = {
        "coordinate": names(model.coordinates),
        "coordinate_unit": along("coordinate", model.coordinate_units),
    }
    speed = {
        "speed": names(model.speeds),
        "speed_unit": along("speed", units),
        "acceleration_unit": along("speed", [f"{unit}^2" for unit in units]),
        "force_unit": along("speed", [FORCES.get(unit, f"{unit}^2") for unit in units]),
    }
    return {
        "q": variable(x.q, ("coordinate",), "see coordinate_unit", "coordinates", coordinate),
        "v": variable(x.v, ("speed",), "see speed_unit", "speeds", speed),
        "a": variable(x.a, ("speed",), "see acceleration_unit", "accelerations, rates of the speeds", speed),
        "tau": variable(x.tau, ("speed",), "see force_unit", "generalized forces", speed),
    }


def sums(model: Formulation, found: Sums) -> dict[str, TimeSeries]:
    """kinetic_energy and potential_energy (time), momentum (time, component), center_of_mass (time, axis)."""
    energy, total, moment = found
    momentum = "momentum, angular about the ground's origin, then linear; ground axes"
    out = {
        "kinetic_energy": variable(energy[:, 0], (), "J", "kinetic energy"),
        "potential_energy": variable(energy[:, 1], (), "J", "energy of gravity, springs and deformation"),
        "momentum": variable(total, ("component",), "kg m^2/s, kg m/s", momentum),
    }
    if model.mass > 0:
        center = "centre of mass of all bodies, ground frame"
        out["center_of_mass"] = variable(moment / model.mass, ("axis",), "m", center)
    return out


def frames(
    model: Model,
    wanted: Mapping[str, str],
    motion: tuple[Floats, Floats, Floats],
    before: ArrayLike | None,
    axes: str = "ground",
) -> dict[str, TimeSeries]:
    """position (time, frame, axis), orientation (time, frame, quaternion), velocity and acceleration (time, frame,
    component), these along `axes`.

    Frames of the model are wanted under names; `motion` is q, v, a (times, ...). Poses and motions of the bodies are
    found once for all frames.
    """
    q, v, a = motion
    places = {name: requests.frame(model, frame) for name, frame in wanted.items()}
    count, times = len(places), len(q)
    R_bodies, p_bodies = model.poses(q)
    V, A = model.motions(q, v, a)
    turn, position = np.zeros((times, count, 3, 3)), np.zeros((times, count, 3))
    velocity, acceleration = np.zeros((2, times, count, 6))
    for i, place in enumerate(places.values()):
        R, p = R_bodies[:, place.body], p_bodies[:, place.body]
        R_own, p_own = pose_in_body(model.flex, place, q)
        turn[:, i], position[:, i] = R @ R_own, p + _turned(R, p_own)
        moving = motion_on_body(model.flex, place, States(q, v), a, (V[:, place.body], A[:, place.body]))
        R_parent = R_bodies[:, max(model.tree.parent[place.body], 0)]  # the ground has none
        R_axes = {"ground": R, "parent": _back(R_parent) @ R, "frame": _back(R_own)}
        R_axes_body = R_axes.get(axes, np.eye(3))
        for x, out in zip(moving, (velocity, acceleration), strict=True):
            out[:, i, :3], out[:, i, 3:] = _turned(R_axes_body, x[:, :3]), _turned(R_axes_body, x[:, 3:])
    require_rotations(turn, [f"frame {name!r}" for name in places])
    frame = {"frame": names(places)}
    pose, moved = ("frame", "axis"), ("frame", "component")
    both = f"angular, then linear of the origin; {axes} axes"
    return {
        "position": variable(position, pose, "m", "origin of frames, ground frame", frame),
        "orientation": variable(
            quaternions(turn, before), ("frame", "quaternion"), "1", "orientation of frames in the ground frame", frame
        ),
        "velocity": variable(velocity, moved, "rad/s, m/s", f"velocity of frames, {both}", frame),
        "acceleration": variable(acceleration, moved, "rad/s^2, m/s^2", f"acceleration of frames, {both}", frame),
    }


def require_rotations(R: Floats, what: Sequence[str]) -> None:
    """Refuse matrices (times, n, 3, 3) that are no rotations, as of a node that a diverged run has wound up."""
    off = ~(np.abs(np.linalg.det(R) - 1.0) < 1e-3)
    if off.any():
        sample, i = (int(x) for x in np.argwhere(off)[0])
        raise SimulationError(
            f"{what[i]}: its orientation is lost in sample {sample + 1} of {len(R)}: the deformation there is far "
            "beyond four turns of its node"
        )


def quaternions(R: Floats, before: ArrayLike | None = None) -> Floats:
    """x, y, z, w (times, n, 4) of rotations (times, n, 3, 3), each on the side of the one before it.

    The first ones are on the side of `before` (n, 4); if there is none, they have w >= 0.
    """
    times, n = R.shape[:2]
    if times == 0:
        return np.zeros((0, n, 4))
    turns = scipy.spatial.transform.Rotation.from_matrix(R.reshape(-1, 3, 3))
    found = turns.as_quat(canonical=True).reshape(times, n, 4)
    first = found[0] if before is None else np.asarray(before, dtype=float)
    if first.shape != (n, 4):
        raise StateError(f"orientation: expected shape {(n, 4)}, got {first.shape}")
    earlier = np.concatenate([first[None], found[:-1]])
    opposite = np.einsum("tni,tni->tn", earlier, found) < 0.0
    return found * np.cumprod(np.where(opposite, -1.0, 1.0), axis=0)[..., None]


def closures(model: Formulation, x: Samples, known: Floats, prescribed: Mask | None) -> dict[str, TimeSeries]:
    """Errors and forces (time, condition) of constraints; none of a tree. `known`: forces, prescribed accelerations."""
    loops = model.loops
    if loops is None:
        return {}
    rows = {"condition": names(f"{name}: {row.label} {i + 1}" for i, (name, row) in enumerate(loops.rows))}
    position, velocity = loops.errors(x.q, x.v)
    meaning = "how far the configuration is from a singular one, which has 0"
    return {
        "constraint_margin": variable(loops.margins(x.q, prescribed)[0], (), "1", meaning, {}),
        "constraint_error": variable(position, ("condition",), "m or rad", "how far conditions are from zero", rows),
        "constraint_rate": variable(velocity, ("condition",), "m/s or rad/s", "how fast they change", rows),
        "constraint_force": variable(
            loops.forces(x.q, x.v, known, prescribed), ("condition",), "N or N m", "forces of conditions", rows
        ),
    }


def euler(model: Formulation, wanted: Iterable[str], sequence: str, q: Floats) -> TimeSeries:
    """(time, turning_joint, turn): Euler angles of bodies on free and spherical joints in their joint frames."""
    places = list(dict.fromkeys(i for name in wanted for i in requests.turning(model, name)))
    joint = names(model.coordinates[i].rpartition(".")[0] for i in places)
    turns = names(f"{i + 1} about {axis}" for i, axis in enumerate(sequence))
    angles = euler_angles(np.stack([q[:, i : i + 4] for i in places], axis=1), sequence)
    words = f"Euler angles {sequence!r} of bodies in their joint frames"
    return variable(angles, ("turning_joint", "turn"), "rad", words, {"turning_joint": joint, "turn": turns})


def wrenches(
    model: Formulation,
    wanted: Iterable[str],
    x: Samples,
    known: Floats,
    prescribed: Mask | None,
    axes: str = "body",
) -> TimeSeries:
    """(time, joint, component), along axes by name."""
    places = list(dict.fromkeys(i for name in wanted for i in requests.joints(model, name)))
    words = f"moment, then force that the joint passes to its body at the body's origin; {axes} axes"
    joint = {"joint": names(model.bodies[i] for i in places)}
    external = {model.bodies[k]: x.on_bodies[:, k] for k in range(x.on_bodies.shape[1])}
    if model.loops is None:
        found = model.joint_wrenches(x.q, x.v, x.a, external)
    else:
        forces = model.loops.forces(x.q, x.v, known, prescribed)
        closed = model.floating_frames("a closed loop")
        found = closed.joint_wrenches(x.q, x.v, x.a, external, constraint_forces=forces)
    chosen = found[:, places]
    if axes != "body":
        shown, bodies = model.display, np.array(places) + 1
        R_bodies = shown.poses(model.display_state(x.q, x.v)[0])[0]
        R = R_bodies[:, bodies]
        R = R if axes == "ground" else _back(R_bodies[:, shown.tree.parent[bodies]]) @ R
        chosen = np.concatenate([_turned(R, chosen[..., :3]), _turned(R, chosen[..., 3:])], axis=-1)
    return variable(chosen, ("joint", "component"), "N m, N", words, joint)


def applied(laws: Sequence[Wrench], x: Samples) -> TimeSeries:
    """(time, law, component): the wrenches of laws."""
    words = "moment, then force of wrenches at frames, along the axes of their laws"
    law = {
        "law": names(w.name for w in laws),
        "law_frame": along("law", (w.frame for w in laws)),
        "law_axes": along("law", (w.axes for w in laws)),
    }
    return variable(x.wrench, ("law", "component"), "N m, N", words, law)


def displacements(
    model: Model, wanted: Iterable[str], q: Floats, words: str = "elastic displacement of nodes, body axes"
) -> TimeSeries:
    """(time, node, axis): displacements of nodes; of a body that is named alone, of all its nodes."""
    found: dict[str, tuple[Floats, Floats]] = {}
    for name in wanted:
        key, place = requests.node(model, name)
        beam = model.description.beams.get(key)
        if beam is not None:
            places = [place] if place is not None else [str(i) for i in range(len(beam.pieces.nodes))]
            found |= {f"{key}/{at}": _from_root(model, beam, at, q) for at in places}
            continue
        body = flexible_body(model, key)
        eta, shapes = body.with_second_order(deformation(model, key, q), model.description.bodies[key].stiffens)
        if place is not None:
            frame = body.frame(place)
            rows = np.concatenate([frame.shape, frame.second], axis=1)[3:, : eta.shape[1]]
            found[f"{key}/{place}"] = eta @ rows.T, frame.position
            continue
        u = (shapes @ eta.T).T.reshape(len(q), len(body.nodes), 6)[..., 3:]
        found |= {f"{key}/{i}": (u[:, i], x) for i, x in enumerate(body.nodes)}
    values = np.stack([u for u, _ in found.values()], axis=1)
    node = {
        "node": names(found),
        **positions("node", "node", np.stack([x for _, x in found.values()])),
    }
    return variable(values, ("node", "axis"), "m", words, node)


def elastic_displacements(model: Model, wanted: Iterable[str], q: Floats) -> TimeSeries:
    """(time, node, axis): displacements of nodes less the small rigid motion of the root of their body."""
    found = displacements(model, wanted, q, "displacement of nodes from the root of their body, body axes")
    positions = np.stack([found.coords[f"node_{axis}"][1] for axis in AXES], axis=1)
    for i, name in enumerate(found.coords["node"]):
        key = str(name).partition("/")[0]
        body = flexible_body(model, key)
        root = body.frame(body.root)
        turn, move = np.split(deformation(model, key, q) @ root.shape.T, 2, axis=-1)
        found.values[:, i] -= move + np.cross(turn, positions[i] - root.position)
    return found


def _from_root(model: Model, beam: PlacedBeam, place: str, q: Floats) -> tuple[Floats, Floats]:
    """Displacement (times, 3) of a node of a beam in pieces, in the axes of its root, and where it is undeformed."""
    R, p = model.pose(q, beam.name)
    piece, node = beam.pieces.place(place)
    straight = beam.pieces.origin(piece) + beam.pieces.bodies[piece].frame(node).position
    return _turned(np.swapaxes(R, -1, -2), model.pose(q, f"{beam.name}/{place}")[1] - p) - straight, straight


def strains(model: Model, wanted: Iterable[str], q: Floats) -> TimeSeries:
    """(time, recovery point): strains of the elements of some bodies."""
    found = [(name, body, x) for name in wanted for body, x in requests.strains(model, name)]
    values = [(x.matrix @ deformation(model, body, q).T).T for _, body, x in found]
    points = {
        "recovery_point": names(f"{name}/{label}" for name, _, x in found for label in x.labels),
        "recovery_body": along("recovery_point", (name for name, _, x in found for _ in x.places)),
        "recovery_quantity": along("recovery_point", (quantity for _, _, x in found for quantity in x.quantities)),
        "recovery_unit": along("recovery_point", (unit for _, _, x in found for unit in x.units)),
        **positions("recovery_point", "recovery", np.concatenate([x.positions for _, _, x in found])),
    }
    words = "strains of elements, in their axes"
    return variable(np.concatenate(values, axis=1), ("recovery_point",), "see recovery_unit", words, points)


def variable(
    values: Any, dims: Sequence[str], units: str, long_name: str, coords: dict[str, Any] | None = None
) -> TimeSeries:
    """Values over time and `dims`, which carry their labels."""
    labels = {dim: names(LABELS[dim]) for dim in dims if dim in LABELS} | (coords or {})
    return TimeSeries(np.asarray(values), ("time", *dims), {"units": units, "long_name": long_name}, labels)


def dataset(t: Floats, found: Mapping[str, TimeSeries], attrs: Mapping[str, Any]) -> xr.Dataset:
    """Variables over times (n,) as one dataset. Labels of like dimensions are the same, and are not compared."""
    labels: dict[str, Any] = {"time": ("time", t, {"units": "s", "long_name": "time"})}
    for x in found.values():
        labels |= x.coords
    values = {name: (x.dims, x.values, x.attrs) for name, x in found.items()}
    return xr.Dataset(values, {key: x if isinstance(x, tuple) else (key, x) for key, x in labels.items()}, attrs)


def names(texts: Iterable[str]) -> NDArray[np.str_]:
    """Texts as an array, also if there are none."""
    return np.array(list(texts), dtype=np.str_)


def along(dim: str, texts: Iterable[str]) -> tuple[str, NDArray[np.str_]]:
    """Texts as one more coordinate along a dimension."""
    return dim, names(texts)


def positions(dim: str, prefix: str, x: Floats) -> dict[str, tuple[str, Floats, dict[str, str]]]:
    """Undeformed positions (n, 3) as three more coordinates along a dimension, named `prefix_x`, ..."""
    words = "undeformed position, body frame"
    return {f"{prefix}_{axis}": (dim, x[:, i], {"units": "m", "long_name": words}) for i, axis in enumerate(AXES)}


def _back(R: Floats) -> Floats:
    """The inverse rotations."""
    return np.swapaxes(R, -1, -2)


def _turned(R: Floats, x: Floats) -> Floats:
    return (R @ x[..., None])[..., 0]


def deformation(model: Model, name: str, q: Floats) -> Floats:
    """Coordinates of deformation (times, modes) of a flexible body."""
    assert model.flex is not None
    k = model.bodies.index(name) + 1
    first = int(model.flex.q_mode[k])
    return q[:, first : first + int(model.flex.modes[k])]
