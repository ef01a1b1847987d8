"""The motion as the 3-D view of the page needs it.

The page places the bodies itself, from the ground outwards: each on its attachment node on its parent (deformed by as
much as the reader chose), then moved by its joint. So exaggerated bodies stay joined, and at scale 1 the poses are the
model's. Sent once: attachment nodes, surfaces and their shapes; for each frame: the poses over the joints and the modal
amplitudes. A motion that is not known beforehand begins with one frame, and the others are sent as they come.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from supple.checks import Floats
from supple.description.members import GROUND
from supple.model.model import Model
from supple.structures.body import FlexibleBody, ShapeFrame
from supple.view.drawn import DrawnSurface
from supple.view.groups import groups
from supple.view.motion_extent import MotionExtent, motion_extent
from supple.view.packed_surface import packed_surface
from supple.view.packing import packed
from supple.view.stage import Stage
from supple.view.stop_contacts import Stop, recorded_stops, touching
from supple.view.symbols import force_arrows, forces, law_places, place_of, symbols

if TYPE_CHECKING:
    import xarray as xr

MOST_FRAMES = 3000
MOST_NUMBERS = 600_000
"""Of all frames together; of large models there are fewer frames, but not less than 50."""
MOST_SHAPES = 24
"""Bodies with more coordinates are sent with the principal shapes of this motion instead."""
TURNS = 40
"""Configurations from which the room of a motion that is not known is guessed."""


def scene(
    model: Model, times: Floats, q: Floats, traces: Sequence[str] | None = None, result: xr.Dataset | None = None
) -> dict[str, Any]:
    """Everything the 3-D view shows, as JSON.

    `traces` names frames whose paths are drawn, the tips if not given; `result` holds loads and reactions.
    """
    most = int(np.clip(MOST_NUMBERS // (7 * len(model.bodies) + model.nv), 50, MOST_FRAMES))
    chosen = np.unique(np.linspace(0, len(times) - 1, min(most, len(times))).round().astype(int))
    stage = Stage(model, traces, [] if result is None else law_places(result))
    extent, stops = motion_extent(stage, q[chosen]), recorded_stops(model, result)
    motion = _scene(stage, times[chosen], q[chosen], extent, stops, few=True)
    return motion | forces(force_arrows(stage, result, chosen), extent.size)


def mode_scene(model: Model, periods: Floats, q: Floats) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """A scene of the first of several motions, with room for all, and the frames of each.

    Their coordinates q (motions, frames, nq) are over a period each; `periods` (motions,), s.
    """
    stage, (count, length) = Stage(model), q.shape[:2]
    together = q.reshape(-1, q.shape[-1])
    extent = motion_extent(stage, together)
    whole = _scene(stage, np.zeros(len(together)), together, extent, few=True)
    joints, amplitudes = (np.frombuffer(base64.b64decode(whole[key]), "<f4") for key in ("joints", "amplitudes"))
    frames = [
        {"times": packed(period * np.linspace(0.0, 1.0, length), "<f8"), "joints": packed(a), "amplitudes": packed(b)}
        for period, a, b in zip(periods, np.split(joints, count), np.split(amplitudes, count), strict=True)
    ]
    return whole | frames[0] | {"count": length, "follow": False}, frames


def first_scene(stage: Stage, q: Floats, stops: Sequence[Stop] = ()) -> dict[str, Any]:
    """The same for one configuration (nq,), with room for others and the shapes for any deformation."""
    extent = motion_extent(stage, np.concatenate([q[None], turned(stage.model, q)]))
    flying = any(x.parent == "ground" and x.joint.layout().body_axes_translation for x in stage.bodies)
    whole = _scene(stage, np.zeros(1), q[None], extent, stops, few=False)
    return whole | {"follow": extent.far or flying}


def frames(stage: Stage, times: Floats, q: Floats, stops: Sequence[Stop] = ()) -> dict[str, str]:
    """Frames that follow those of `first_scene`: times (n,) and coordinates (n, nq), packed."""
    return {
        "contacts": packed(touching(stage.model, stops, times, q), "<u1"),
        "times": packed(times, "<f8"),
        "joints": packed(stage.joints(q)),
        "amplitudes": packed(_amplitudes(stage, q)),
    }


def _amplitudes(stage: Stage, q: Floats) -> Floats:
    """Modal coordinates of all bodies, in their order, each with what follows them."""
    parts = [
        x.body.with_followers(_coordinates(stage.model, k, q), x.stiffens)[0]
        for k, x in enumerate(stage.bodies, start=1)
        if isinstance(x.body, FlexibleBody)
    ]
    return np.concatenate([np.zeros((len(q), 0)), *parts], axis=1)


def _scene(
    stage: Stage, times: Floats, q: Floats, extent: MotionExtent, stops: Sequence[Stop] = (), *, few: bool
) -> dict[str, Any]:
    """All but the forces; with `few` a body that has many coordinates is drawn by few shapes that fit these q."""
    bodies, amplitudes, shapes = _bodies(stage, q, few)
    joints = stage.joints(q)
    return {
        "count": len(times),
        "times": packed(times, "<f8"),
        "joints": packed(joints),
        "amplitudes": packed(np.concatenate([np.zeros((len(q), 0)), *amplitudes], axis=1)),
        "ground": {"surfaces": [_packed(stage, x) for x in stage.surfaces if x.body == GROUND]},
        "bodies": bodies,
        "places": [place_of(x, shape) for x, shape in zip(stage.places, shapes, strict=True)],
        "traces": [{"name": name, "place": i} for name, i in stage.traces.items()],
        **symbols(stage, q, joints, extent.symbol, stops),
        "contacts": packed(touching(stage.model, stops, times, q), "<u1"),
        "gravity": _list(stage.model.tree.gravity),
        **_extent(extent),
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


def _bodies(stage: Stage, q: Floats, few: bool) -> tuple[list[dict[str, Any]], list[Floats], list[Floats]]:
    """Each body as JSON, the amplitudes (frames, n) of the flexible ones, and the shape (6, n) of each place."""
    model, places = stage.model, stage.places
    bodies: list[dict[str, Any]] = []
    amplitudes: list[Floats] = []
    shapes = [np.zeros((6, 0)) for _ in places]
    first = 0
    for k, placed in enumerate(stage.bodies, start=1):
        body = placed.body
        entry: dict[str, Any] = {
            "mass": float(body.mass),
            "com": _list(body.com),
            **_drawn_as(model, placed.name, k),
        }
        surfaces = [x for x in stage.surfaces if x.body == placed.name]
        moves: list[Floats | None] = [None] * len(surfaces)
        if isinstance(body, FlexibleBody) and model.flex is not None:
            attached = [i for i, x in enumerate(places) if x.body == k and x.node is not None]
            eta, _ = body.with_followers(_coordinates(model, k, q), placed.stiffens)
            rows = [sparse.csr_array((0, eta.shape[1]))]
            rows += [_rows(x.node, eta.shape[1]) for i in attached if (x := places[i]).node is not None]
            rows += [x.shapes for x in surfaces if x.shapes is not None]
            ends = np.cumsum([x.shape[0] for x in rows])[:-1]
            eta, together = _few(eta, sparse.csr_array(sparse.vstack(rows)), few)
            _, *parts = np.split(together, ends)
            for i in attached:
                shapes[i] = parts.pop(0)
            moves = [None if x.shapes is None else parts.pop(0) for x in surfaces]
            entry |= {"first": first, "modes": eta.shape[1]}
            amplitudes.append(eta)
            first += eta.shape[1]
        entry["surfaces"] = [_packed(stage, x, move) for x, move in zip(surfaces, moves, strict=True)]
        bodies.append(entry)
    return bodies, amplitudes, shapes


def _packed(stage: Stage, surface: DrawnSurface, shapes: Floats | None = None) -> dict[str, Any]:
    place = None if surface.place is None else stage.carriers[surface.place]
    return packed_surface(surface, shapes, place)


def _coordinates(model: Model, k: int, q: Floats) -> Floats:
    """Coordinates of deformation (frames, n) of body k."""
    assert model.flex is not None
    return q[:, model.flex.q_mode[k] : model.flex.q_mode[k] + model.flex.modes[k]]


def _rows(node: ShapeFrame, count: int) -> sparse.csr_array:
    """Motion (6, count) of a node for a unit of each coordinate, then of the shapes that follow them."""
    return sparse.csr_array(np.concatenate([node.shape, node.second], axis=1)[:, :count])


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


def _extent(extent: MotionExtent) -> dict[str, Any]:
    """As JSON."""
    return {
        "size": extent.size,
        "symbol": extent.symbol,
        "low": _list(extent.low),
        "high": _list(extent.high),
        "follow": extent.far,
    }


def _list(x: Any) -> list[float]:
    return [float(v) for v in np.asarray(x).ravel()]
