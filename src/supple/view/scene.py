"""The motion as the 3-D view of the page needs it.

The page places the bodies itself, from the ground outwards: each on its attachment node on its parent (deformed by as
much as the reader chose), then moved by its joint. So exaggerated bodies stay joined, and at scale 1 the poses are the
model's. Sent once: attachment nodes, shapes, boxes, outlines; for each frame: the poses over the joints and the modal
amplitudes. A motion that is not known beforehand begins with one frame, and the others are sent as they come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from supple.checks import Floats
from supple.model.body_frames import BodyFrame
from supple.model.model import Model
from supple.rigid_body import RigidBody
from supple.structures.body import FlexibleBody
from supple.view.groups import groups
from supple.view.outline import outline
from supple.view.packing import packed
from supple.view.stage import Stage

MOST_FRAMES = 300
MOST_NUMBERS = 250_000
"""Of all frames together; of large models there are fewer frames, but not less than 50."""
MOST_SHAPES = 24
"""Bodies with more coordinates are sent with the principal shapes of this motion instead."""
FAR = 4.0
"""Sizes of the mechanism beyond which the view follows it."""
TURNS = 40
"""Configurations from which the room of a motion that is not known is guessed."""


def scene(model: Model, times: Floats, q: Floats, traces: Sequence[str] | None = None) -> dict[str, Any]:
    """Everything the 3-D view shows, as JSON; `traces` names frames whose paths are drawn, the tips if not given."""
    most = int(np.clip(MOST_NUMBERS // (7 * len(model.bodies) + model.nv), 50, MOST_FRAMES))
    chosen = np.unique(np.linspace(0, len(times) - 1, min(most, len(times))).round().astype(int))
    stage = Stage(model, traces)
    return _scene(stage, times[chosen], q[chosen], few=True) | _extent(stage, q[chosen])


def first_scene(stage: Stage, q: Floats) -> dict[str, Any]:
    """The same for one configuration (nq,), with room for others and the shapes for any deformation."""
    model = stage.model
    extent = _extent(stage, np.concatenate([q[None], turned(model, q)]))
    flying = any(x.parent == "ground" and x.joint.layout().body_axes_translation for x in stage.bodies)
    return _scene(stage, np.zeros(1), q[None], few=False) | extent | {"follow": extent["follow"] or flying}


def frames(stage: Stage, times: Floats, q: Floats) -> dict[str, str]:
    """Frames that follow those of `first_scene`: times (n,) and coordinates (n, nq), packed."""
    return {
        "times": packed(times, "<f8"),
        "joints": packed(stage.joints(q)),
        "amplitudes": packed(_amplitudes(stage.model, q)),
    }


def _amplitudes(model: Model, q: Floats) -> Floats:
    """Modal coordinates of all bodies, in their order."""
    columns = [i for (modal, _), c in groups(model, "q", model.coordinate_units).items() if modal for i in c]
    return q[:, sorted(columns)]


def _scene(stage: Stage, times: Floats, q: Floats, few: bool) -> dict[str, Any]:
    """All but the extent; with `few` a body that has many coordinates is drawn by few shapes that fit these q."""
    bodies, amplitudes, shapes = _bodies(stage, q, few)
    return {
        "times": packed(times, "<f8"),
        "joints": packed(stage.joints(q)),
        "amplitudes": packed(np.concatenate([np.zeros((len(q), 0)), *amplitudes], axis=1)),
        "bodies": bodies,
        "places": [_place(x, shape) for x, shape in zip(stage.places, shapes, strict=True)],
        "traces": [{"name": name, "place": i} for name, i in stage.traces.items()],
        "springs": [list(pair) for pair in stage.springs],
        "links": [[stage.places[i].body, i] for i in stage.links],
        "gravity": _list(stage.model.tree.gravity),
    }


def turned(model: Model, q: Floats) -> Floats:
    """Configurations (n, nq) like q but with all joints turned at random, the same at every call."""
    rng = np.random.default_rng(0)
    out = np.tile(q, (TURNS, 1))
    angles = groups(model, "q", model.coordinate_units).get((False, "rad"), [])
    out[:, angles] = rng.uniform(-np.pi, np.pi, (TURNS, len(angles)))
    for i in model.quaternions:
        out[:, i : i + 4] = rng.normal(size=(TURNS, 4))
    return model.normalize(out)


def _place(x: BodyFrame, shape: Floats) -> dict[str, Any]:
    node = np.zeros(3) if x.node is None else x.node.position
    return {
        "body": x.body,
        "l": _list(node),
        "offset": _list(x.position),
        "R": _list(x.rotation),
        "shape": packed(shape),
    }


def _bodies(stage: Stage, q: Floats, few: bool) -> tuple[list[dict[str, Any]], list[Floats], list[Floats]]:
    """Each body as JSON, the amplitudes (frames, n) of the flexible ones, and the shape (6, n) of each place."""
    model, places = stage.model, stage.places
    bodies: list[dict[str, Any]] = []
    amplitudes: list[Floats] = []
    shapes = [np.zeros((6, 0)) for _ in places]
    first = 0
    for k, placed in enumerate(stage.bodies, start=1):
        body = placed.body
        entry: dict[str, Any] = {"fixed": placed.joint.kind == "fixed", **_drawn_as(model, placed.name, k)}
        if isinstance(body, FlexibleBody) and model.flex is not None:
            attached = [i for i, x in enumerate(places) if x.body == k and x.node is not None]
            drawn = outline(body)
            translations = (6 * drawn.nodes[:, None] + np.arange(3, 6)).ravel()
            rows = [sparse.csr_array(body.shapes[translations])]
            rows += [sparse.csr_array(x.node.shape) for i in attached if (x := places[i]).node is not None]
            start = model.flex.q_mode[k]
            eta, moves = _few(q[:, start : start + body.modes], sparse.csr_array(sparse.vstack(rows)), few)
            split = 3 * len(drawn.nodes)
            for j, i in enumerate(attached):
                shapes[i] = moves[split + 6 * j : split + 6 * j + 6]
            entry |= {"nodes": packed(body.nodes[drawn.nodes]), "shapes": packed(moves[:split])}
            entry |= {"lines": packed(drawn.lines, "<u4"), "triangles": packed(drawn.triangles, "<u4")}
            entry |= {"first": first, "modes": eta.shape[1]}
            amplitudes.append(eta)
            first += eta.shape[1]
        elif isinstance(body, RigidBody):
            entry["box"] = _box(body)
        bodies.append(entry)
    return bodies, amplitudes, shapes


def _drawn_as(model: Model, name: str, k: int) -> dict[str, Any]:
    """Name and colour of body k: a beam in pieces has one colour, and its name is written once, at its middle."""
    beam = model.description.beams.get(model.description.owner(name))
    if beam is None:
        return {"name": name, "color": k}
    shown = beam.name if name == beam.names[len(beam.names) // 2] else ""
    return {"name": shown, "color": k - beam.names.index(name)}


def _few(eta: Floats, rows: sparse.csr_array, few: bool) -> tuple[Floats, Floats]:
    """Amplitudes and shapes whose product is the motion: the body's own, or if there are too many the principal
    ones of this motion."""
    if not few or eta.shape[1] <= MOST_SHAPES:
        return eta, rows.toarray()
    U, s, Vt = np.linalg.svd((rows @ eta.T).T, full_matrices=False)
    kept = s > 1e-6 * s[0]
    return U[:, kept] * s[kept], Vt[kept].T


def _box(body: RigidBody) -> dict[str, Any]:
    """The uniform box of the same mass and inertia: centre, axes in columns, sides; those that no box has are zero."""
    moments, axes = np.linalg.eigh(body.inertia)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / body.mass if body.mass > 0 else np.zeros(3)
    return {"centre": _list(body.com), "axes": _list(axes), "sides": _list(np.sqrt(np.maximum(squares, 0.0)))}


def _extent(stage: Stage, q: Floats) -> dict[str, Any]:
    """Size of the mechanism in its first configuration, what symbols are measured by, the corners of all its motion."""
    R, p = stage.model.poses(q)
    places = stage.places
    points, room = [stage.moved(x, q, R, p)[1] for x in places], 0.0
    for k, placed in enumerate(stage.bodies, start=1):
        body = placed.body
        far = body.com if isinstance(body, RigidBody) else body.nodes[np.argmax(np.linalg.norm(body.nodes, axis=1))]
        points += [p[:, k], p[:, k] + R[:, k] @ far]
        room = max(room, 0.0 if isinstance(body, FlexibleBody) else float(np.linalg.norm(_box(body)["sides"])) / 2.0)
    all_points = np.stack(points)
    size = max(float(np.linalg.norm(np.ptp(all_points[:, 0], axis=0))), 2.0 * room) or 1.0
    low, high = all_points.min(axis=(0, 1)) - room, all_points.max(axis=(0, 1)) + room
    arms = [float(np.linalg.norm(x.position + (x.node.position if x.node else 0.0))) for x in places]
    symbol = min(size, 8.0 * float(np.median([a for a in arms if a > 0] or [size])))
    far_away = bool(np.linalg.norm(high - low) > FAR * size)
    return {"size": size, "symbol": symbol, "low": _list(low), "high": _list(high), "follow": far_away}


def _list(x: Any) -> list[float]:
    return [float(v) for v in np.asarray(x).ravel()]
