"""The motion as the 3-D view of the page needs it.

The page places the bodies itself, from the ground outwards: each on its seat on its parent (deformed by as much as the
reader chose), then moved by its joint. So exaggerated bodies stay joined, and at scale 1 the poses are the model's.
Sent once: seats, shapes, boxes, outlines; for each frame: the poses over the joints and the modal amplitudes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.transform import Rotation

from supple.errors import ModelError, StateError
from supple.model.bodies import RigidBody
from supple.model.checks import Floats
from supple.model.flatten import numbering, place
from supple.model.mechanism import GROUND, Placed
from supple.model.model import Model
from supple.model.places import Place, pose_in_body
from supple.structures.body import FlexibleBody, ShapeFrame
from supple.view.outline import outline
from supple.view.packing import packed

Numbers = NDArray[Any]
MOST_FRAMES = 300
MOST_TRACES = 8
MOST_NUMBERS = 250_000
"""Of all frames together; of large models there are fewer frames, but not less than 50."""
MOST_SHAPES = 24
"""Bodies with more coordinates are sent with the principal shapes of this motion instead."""


def scene(model: Model, times: Floats, q: Floats, traces: Sequence[str] | None = None) -> dict[str, Any]:
    """Everything the 3-D view shows, as JSON; `traces` names frames whose paths are drawn, the tips if not given."""
    most = int(np.clip(MOST_NUMBERS // (7 * len(model.bodies) + model.nv), 50, MOST_FRAMES))
    chosen = np.unique(np.linspace(0, len(times) - 1, min(most, len(times))).round().astype(int))
    q = q[chosen]
    R, p = model.poses(q)
    number = numbering(model.description)
    seats = [Place(number[x.parent], x.position, x.rotation, _node(model, x.parent, x.node)) for x in _placed(model)]
    traced = _tips(model) if traces is None else {name: _find(model, name) for name in traces}
    springs = [_find(model, end) for x in model.description.springs.values() for end in (x.first, x.second)]
    frames = [_find(model, name) for name in model.description.frames]
    places = [*seats, *traced.values(), *springs, *frames]
    first_spring = len(seats) + len(traced)
    linked = [*range(len(seats)), *range(first_spring + len(springs), len(places))]
    bodies, amplitudes, shapes = _bodies(model, q, places)
    return {
        "times": packed(times[chosen], "<f8"),
        "joints": packed(_joints(model, seats, q, R, p)),
        "amplitudes": packed(np.concatenate([np.zeros((len(q), 0)), *amplitudes], axis=1)),
        "bodies": bodies,
        "places": [_place(x, shape) for x, shape in zip(places, shapes, strict=True)],
        "traces": [{"name": name, "place": len(seats) + i} for i, name in enumerate(traced)],
        "springs": [[i, i + 1] for i in range(first_spring, first_spring + len(springs), 2)],
        "links": [[places[i].body, i] for i in linked if places[i].body and places[i].node is None],
        "gravity": _list(model.tree.gravity),
    } | _extent(model, places, q, R, p)


def _joints(model: Model, seats: list[Place], q: Floats, R: Numbers, p: Numbers) -> Numbers:
    """Quaternion and position (frames, bodies, 7) of each body from its seat."""
    out = np.zeros((len(q), len(seats), 7))
    for k, seat in enumerate(seats):
        R_seat, p_seat = _moved(model, seat, q, R, p)
        back = np.swapaxes(R_seat, -1, -2)
        out[:, k, :4] = Rotation.from_matrix(back @ R[:, k + 1]).as_quat()
        out[:, k, 4:] = (back @ (p[:, k + 1] - p_seat)[..., None])[..., 0]
    return out


def _place(x: Place, shape: Floats) -> dict[str, Any]:
    node = np.zeros(3) if x.node is None else x.node.position
    return {
        "body": x.body,
        "l": _list(node),
        "offset": _list(x.position),
        "R": _list(x.rotation),
        "shape": packed(shape),
    }


def _find(model: Model, name: str) -> Place:
    try:
        return place(model.description, name, numbering(model.description))
    except ModelError as error:
        raise StateError(f"model {model.name!r}: {error}") from None


def _placed(model: Model) -> list[Placed]:
    return list(model.description.bodies.values())


def _node(model: Model, body: str, node: str | None) -> ShapeFrame | None:
    carrier = model.description.bodies[body].body if body != GROUND else None
    return carrier.frame(node) if isinstance(carrier, FlexibleBody) and node is not None else None


def _moved(model: Model, x: Place, q: Floats, R: Numbers, p: Numbers) -> tuple[Numbers, Numbers]:
    """Pose of a place in the ground frame, from those of the bodies."""
    own = pose_in_body(model.flex, x, q)
    return R[:, x.body] @ own.R, p[:, x.body] + (R[:, x.body] @ own.p[..., None])[..., 0]


def _tips(model: Model) -> dict[str, Place]:
    """The outermost frames of bodies that carry no other, or their centres of mass; at most eight."""
    carriers = {placed.parent for placed in _placed(model)}
    tips: dict[str, Place] = {}
    for k, (name, placed) in enumerate(model.description.bodies.items(), start=1):
        if name in carriers or len(tips) == MOST_TRACES:
            continue
        frames = {n: _find(model, n) for n, frame in model.description.frames.items() if frame.body == name}
        reach = {n: float(np.linalg.norm(x.position + (x.node.position if x.node else 0.0))) for n, x in frames.items()}
        far = max(reach, key=lambda n: reach[n], default="")
        if far and reach[far] > 0:
            tips[far] = frames[far]
        else:
            tips[name] = Place(k, placed.body.com, np.eye(3))
    return tips


def _bodies(model: Model, q: Floats, places: list[Place]) -> tuple[list[dict[str, Any]], list[Floats], list[Floats]]:
    """Each body as JSON, the amplitudes (frames, n) of the flexible ones, and the shape (6, n) of each place."""
    bodies: list[dict[str, Any]] = []
    amplitudes: list[Floats] = []
    shapes = [np.zeros((6, 0)) for _ in places]
    first = 0
    for k, placed in enumerate(_placed(model), start=1):
        body = placed.body
        entry: dict[str, Any] = {"name": placed.name, "fixed": placed.joint.kind == "fixed"}
        if isinstance(body, FlexibleBody) and model.flex is not None:
            seated = [i for i, x in enumerate(places) if x.body == k and x.node is not None]
            drawn = outline(body)
            rows = [sparse.csr_array(body.shapes[(6 * drawn.nodes[:, None] + np.arange(3, 6)).ravel()])]
            rows += [sparse.csr_array(x.node.shape) for i in seated if (x := places[i]).node is not None]
            start = model.flex.q_mode[k]
            eta, few = _few(q[:, start : start + body.modes], sparse.csr_array(sparse.vstack(rows)))
            split = 3 * len(drawn.nodes)
            for j, i in enumerate(seated):
                shapes[i] = few[split + 6 * j : split + 6 * j + 6]
            entry |= {"nodes": packed(body.nodes[drawn.nodes]), "shapes": packed(few[:split])}
            entry |= {"lines": packed(drawn.lines, "<u4"), "triangles": packed(drawn.triangles, "<u4")}
            entry |= {"first": first, "modes": eta.shape[1]}
            amplitudes.append(eta)
            first += eta.shape[1]
        elif isinstance(body, RigidBody):
            entry["box"] = _box(body)
        bodies.append(entry)
    return bodies, amplitudes, shapes


def _few(eta: Floats, rows: sparse.csr_array) -> tuple[Floats, Floats]:
    """Amplitudes and shapes whose product is the motion: the body's own, or fewer principal ones of this motion."""
    if eta.shape[1] <= MOST_SHAPES:
        return eta, rows.toarray()
    U, s, Vt = np.linalg.svd((rows @ eta.T).T, full_matrices=False)
    kept = s > 1e-6 * s[0]
    return U[:, kept] * s[kept], Vt[kept].T


def _box(body: RigidBody) -> dict[str, Any]:
    """The uniform box of the same mass and inertia: centre, axes in columns, sides; those that no box has are zero."""
    moments, axes = np.linalg.eigh(body.inertia)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / body.mass if body.mass > 0 else np.zeros(3)
    return {"centre": _list(body.com), "axes": _list(axes), "sides": _list(np.sqrt(np.maximum(squares, 0.0)))}


def _extent(model: Model, places: list[Place], q: Floats, R: Numbers, p: Numbers) -> dict[str, Any]:
    """Size of the mechanism in its first posture, what symbols are measured by, the corners of all its motion."""
    points, room = [_moved(model, x, q, R, p)[1] for x in places], 0.0
    for k, placed in enumerate(_placed(model), start=1):
        body = placed.body
        far = body.com if isinstance(body, RigidBody) else body.nodes[np.argmax(np.linalg.norm(body.nodes, axis=1))]
        points += [p[:, k], p[:, k] + R[:, k] @ far]
        room = max(room, 0.0 if isinstance(body, FlexibleBody) else float(np.linalg.norm(_box(body)["sides"])) / 2.0)
    all_points = np.stack(points)
    size = max(float(np.linalg.norm(np.ptp(all_points[:, 0], axis=0))), 2.0 * room) or 1.0
    low, high = all_points.min(axis=(0, 1)) - room, all_points.max(axis=(0, 1)) + room
    arms = [float(np.linalg.norm(x.position + (x.node.position if x.node else 0.0))) for x in places]
    symbol = min(size, 8.0 * float(np.median([a for a in arms if a > 0] or [size])))
    return {"size": size, "symbol": symbol, "low": _list(low), "high": _list(high)}


def _list(x: Any) -> list[float]:
    return [float(v) for v in np.asarray(x).ravel()]
