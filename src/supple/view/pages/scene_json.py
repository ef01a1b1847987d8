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
from supple.errors import StateError
from supple.model.model import Model
from supple.structures.body.flexible_body import FlexibleBody, ShapeFrame
from supple.view.pages.packed_surface import packed_surface
from supple.view.pages.packing import packed
from supple.view.plots.groups import groups
from supple.view.scene.extent import MotionExtent, motion_extent
from supple.view.scene.look import QUANTITIES, grid_spacing
from supple.view.scene.places import ScenePlaces
from supple.view.scene.quantities import (
    VertexStress,
    checked_quantity,
    largest,
    with_worst_points,
    worst_points,
)
from supple.view.scene.sampling import evenly
from supple.view.scene.stops import Stop, recorded_stops, touching
from supple.view.scene.surfaces import DrawnSurface, amplitudes, body_color
from supple.view.scene.symbols import force_arrows, forces, law_places, place_of, symbols

if TYPE_CHECKING:
    import xarray as xr

MOST_FRAMES = 3000
MOST_NUMBERS = 600_000
"""Of all frames together; of large models there are fewer frames, but not less than 50."""
MOST_SHAPES = 24
"""Bodies with more coordinates are sent with the principal shapes of this motion instead."""
MOST_ROWS, FEWEST_SHAPES = 1_000_000, 8
"""Numbers of all shapes of a body together, about 3 MB of a page, and shapes that it has in any case."""
MANY_ROWS = 20_000
"""Rows of shapes above which principal ones are found from products of columns."""
TURNS = 40
"""Configurations from which the room of a motion that is not known is guessed."""


def scene(
    model: Model,
    times: Floats,
    q: Floats,
    traces: Sequence[str] | None = None,
    result: xr.Dataset | None = None,
    color: str | None = None,
) -> dict[str, Any]:
    """Everything the 3-D view shows, as JSON.

    `traces` names frames whose paths are drawn, the tips if not given; `result` holds loads and reactions; `color` is
    the quantity of `fields.QUANTITIES` that flexible bodies are coloured by at first.
    """
    checked_quantity(color)
    most = int(np.clip(MOST_NUMBERS // (7 * len(model.bodies) + model.nv), 50, MOST_FRAMES))
    chosen = evenly(len(times), most)
    stage = ScenePlaces(model, traces, [] if result is None else law_places(result))
    extent, stops = motion_extent(stage, q[chosen]), recorded_stops(model, result)
    motion = _scene(stage, times[chosen], q[chosen], extent, stops, few=True, colored=q)
    if color is not None and len(times) > 1 and color not in motion["fields"]:
        raise StateError(f"color: expected a body that deforms and whose {color} is known, got none")
    return motion | forces(force_arrows(stage, result, chosen), extent.size, model.mass) | {"color": color}


def mode_scene(model: Model, periods: Floats, q: Floats) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """A scene of the first of several motions, with room for all, and the frames of each.

    Their coordinates q (motions, frames, nq) are over a period each; `periods` (motions,), s.
    """
    stage, (count, length) = ScenePlaces(model), q.shape[:2]
    together = q.reshape(-1, q.shape[-1])
    extent = motion_extent(stage, together)
    whole = _scene(stage, np.zeros(len(together)), together, extent, few=True)
    joints, moves = (np.frombuffer(base64.b64decode(whole[key]), "<f4") for key in ("joints", "amplitudes"))
    frames = [
        {"times": packed(period * np.linspace(0.0, 1.0, length), "<f8"), "joints": packed(a), "amplitudes": packed(b)}
        for period, a, b in zip(periods, np.split(joints, count), np.split(moves, count), strict=True)
    ]
    return whole | frames[0] | {"count": length, "follow": False}, frames


def first_scene(stage: ScenePlaces, q: Floats, stops: Sequence[Stop] = ()) -> dict[str, Any]:
    """The same for one configuration (nq,), with room for others and the shapes for any deformation."""
    extent = motion_extent(stage, np.concatenate([q[None], turned(stage.model, q)]), known=1)
    flying = any(x.parent == "ground" and x.joint.layout().body_axes_translation for x in stage.bodies)
    whole = _scene(stage, np.zeros(1), q[None], extent, stops, few=False, colored=q[None])
    return whole | {"follow": extent.far or flying}


def frames(stage: ScenePlaces, times: Floats, q: Floats, stops: Sequence[Stop] = ()) -> dict[str, str]:
    """Frames that follow those of `first_scene`: times (n,) and coordinates (n, nq), packed."""
    return {
        "contacts": packed(touching(stage.model, stops, times, q), "<u1"),
        "times": packed(times, "<f8"),
        "joints": packed(stage.joints(q)),
        "amplitudes": packed(_amplitudes(stage, q)),
    }


def _amplitudes(stage: ScenePlaces, q: Floats) -> Floats:
    """Modal coordinates of all bodies, in their order, each with what follows them."""
    parts = [amplitudes(stage.model, x.name, q) for x in stage.bodies]
    return np.concatenate([np.zeros((len(q), 0)), *parts], axis=1)


def _scene(
    stage: ScenePlaces,
    times: Floats,
    q: Floats,
    extent: MotionExtent,
    stops: Sequence[Stop] = (),
    *,
    few: bool,
    colored: Floats | None = None,
) -> dict[str, Any]:
    """All but the forces; with `few` a body that has many coordinates is drawn by few shapes that fit these q.

    Surfaces that are `colored` have what their displacement, strain and stress are found from. The scales of strain and
    stress end at their largest values for these coordinates (samples, nq) of the whole motion.
    """
    fields = {} if colored is None else dict.fromkeys(QUANTITIES, 0.0)
    bodies, moves, shapes = _bodies(stage, q, few, fields, colored)
    joints = stage.joints(q)
    return {
        "fields": {name: x for name, x in fields.items() if x > 0.0},
        "count": len(times),
        "times": packed(times, "<f8"),
        "joints": packed(joints),
        "amplitudes": packed(np.concatenate([np.zeros((len(q), 0)), *moves], axis=1)),
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


def _bodies(
    stage: ScenePlaces, q: Floats, few: bool, fields: dict[str, float], every: Floats | None
) -> tuple[list[dict[str, Any]], list[Floats], list[Floats]]:
    """Each body as JSON, the amplitudes (frames, n) of the flexible ones, and the shape (6, n) of each place.

    The largest value of each of `fields` is put there.
    """
    model, places = stage.model, stage.places
    bodies: list[dict[str, Any]] = []
    sent: list[Floats] = []
    shapes = [np.zeros((6, 0)) for _ in places]
    first = 0
    for k, placed in enumerate(stage.bodies, start=1):
        body = placed.body
        entry: dict[str, Any] = {
            "mass": float(body.mass),
            "com": _list(body.com),
            "name": _shown_name(model, placed.name),
            "color": body_color(model, placed.name),
        }
        surfaces = [x for x in stage.surfaces if x.body == placed.name]
        moves: list[Floats | None] = [None] * len(surfaces)
        stresses: list[tuple[Floats, Floats] | None] = [None] * len(surfaces)
        if isinstance(body, FlexibleBody) and model.flex is not None:
            attached = [i for i, x in enumerate(places) if x.body == k and x.node is not None]
            eta = amplitudes(model, placed.name, q)
            rows = [sparse.csr_array((0, eta.shape[1]))]
            rows += [_rows(x.node, eta.shape[1]) for i in attached if (x := places[i]).node is not None]
            found: list[VertexStress | None] = [None] * len(surfaces)
            points = None if body.recovery is None else body.recovery.stresses
            if every is not None and points is not None and len(points):
                worst = worst_points(points, amplitudes(model, placed.name, every))
                fields["stress"] = max(fields["stress"], worst.stress)
                fields["strain"] = max(fields["strain"], worst.strain)
                for j, surface in enumerate(surfaces):
                    if surface.shapes is not None:
                        surfaces[j], found[j] = with_worst_points(surface, body, placed.stiffens, worst)
            rows += [x.shapes for x in surfaces if x.shapes is not None]
            rows += [_padded(x.rows, eta.shape[1]) for x in found if x is not None]
            eta, parts = _few(eta, rows, few)
            for i in attached:
                shapes[i] = parts.pop(0)
            moves = [None if x.shapes is None else parts.pop(0) for x in surfaces]
            stresses = [None if x is None else (parts.pop(0), x.compliance) for x in found]
            for moved in (x for x in moves if x is not None and fields):
                fields["displacement"] = max(fields["displacement"], largest(moved, 3, eta))
            entry |= {"first": first, "modes": eta.shape[1]}
            sent.append(eta)
            first += eta.shape[1]
        entry["surfaces"] = [_packed(stage, *parts) for parts in zip(surfaces, moves, stresses, strict=True)]
        bodies.append(entry)
    return bodies, sent, shapes


def _packed(
    stage: ScenePlaces,
    surface: DrawnSurface,
    shapes: Floats | None = None,
    stress: tuple[Floats, Floats] | None = None,
) -> dict[str, Any]:
    place = None if surface.place is None else stage.carriers[surface.place]
    return packed_surface(surface, shapes, place, stress)


def _padded(rows: sparse.csr_array, columns: int) -> sparse.csr_array:
    """Rows with further columns of zeros."""
    return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], columns))


def _rows(node: ShapeFrame, count: int) -> sparse.csr_array:
    """Motion (6, count) of a node for a unit of each coordinate, then of the shapes that follow them."""
    return sparse.csr_array(np.concatenate([node.shape, node.second], axis=1)[:, :count])


def _shown_name(model: Model, name: str) -> str:
    """The name of a body; that of a beam in pieces is written once, at its middle."""
    beam = model.description.beams.get(model.description.owner(name))
    if beam is None:
        return name
    return beam.name if name == beam.names[len(beam.names) // 2] else ""


def _few(eta: Floats, rows: Sequence[sparse.csr_array], few: bool) -> tuple[Floats, list[Floats]]:
    """Amplitudes and shapes, those of each part of the rows but the first, whose product is the motion.

    They are the body's own, or if there are too many the principal ones of this motion. Parts may have any unit: each
    counts as much as the others.
    """
    count = sum(x.shape[0] for x in rows)
    most = int(np.clip(MOST_ROWS // max(count, 1), FEWEST_SHAPES, MOST_SHAPES))
    if not few or eta.shape[1] <= most:
        return eta, [x.toarray() for x in rows[1:]]
    small = count <= MANY_ROWS
    moved = [np.asarray((x if small else _triangle(x)) @ eta.T) for x in rows[1:]]
    sizes = [float(np.linalg.norm(x)) or 1.0 for x in moved]
    together = np.concatenate([x / size for x, size in zip(moved, sizes, strict=True)])
    U, s, _ = np.linalg.svd(together.T, full_matrices=False)
    kept = np.flatnonzero(s > 1e-6 * s[0])[: len(s) if small else most]
    basis = U[:, kept]
    return basis, [np.asarray(x @ (eta.T @ basis)) for x in rows[1:]]


def _triangle(rows: sparse.csr_array) -> Floats:
    """A square matrix with the same products of columns: rows* rows = R* R."""
    values, axes = np.linalg.eigh((rows.T @ rows).toarray())
    return np.asarray(np.sqrt(np.maximum(values, 0.0))[:, None] * axes.T)


def _extent(extent: MotionExtent) -> dict[str, Any]:
    """As JSON."""
    return {
        "size": extent.size,
        "symbol": extent.symbol,
        "low": _list(extent.low),
        "high": _list(extent.high),
        "follow": extent.far,
        "front": extent.front,
        "floor": extent.floor,
        "room": extent.room,
        "grid": grid_spacing(extent.room),
    }


def _list(x: Any) -> list[float]:
    return [float(v) for v in np.asarray(x).ravel()]
