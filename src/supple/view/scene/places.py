"""The places of a model that the 3-D view needs: attachment nodes of bodies, traced points, ends of springs, frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from supple.checks import Floats
from supple.description.constraints import Closure, Distance, Rolling
from supple.description.members import GROUND, Placed
from supple.errors import ModelError, StateError
from supple.model.body_frames import BodyFrame, pose_in_body
from supple.model.flatten import body_frame, numbering
from supple.model.model import Model
from supple.simulation.result_variables import require_rotations
from supple.structures.body.flexible_body import FlexibleBody, ShapeFrame
from supple.view.scene.default_shapes import far_end
from supple.view.scene.surfaces import drawn

Numbers = NDArray[Any]
MOST_TRACES = 8


class ScenePlaces:
    """Places of a model, in the order of the page.

    Parameters
    ----------
    model : Model
    traces : sequence of str, optional
        Frames whose paths are drawn; the tips if not given.
    loads : sequence of pairs of str
        Frame and axes of wrenches that are not in the model.

    Attributes
    ----------
    attachment nodes : list of BodyFrame
        Where each body sits on its parent; the first of the places.
    traces : dict of str to int
        Numbers of the traced places, by name.
    springs : list of pairs of int
        Places joined by springs.
    frames : dict of str to int
        Numbers of the places of frames, by name.
    closures : list of (Closure or Distance, pair of int)
        What joins two places beyond the tree.
    rolling : list of (Rolling, pair of int)
        Wheels, and the places of plane and wheel.
    surfaces : list of DrawnSurface
    carriers : dict of str to int
        Numbers of the places that surfaces move with and loads act on, by name.
    places : list of BodyFrame
    """

    def __init__(
        self, model: Model, traces: Sequence[str] | None = None, loads: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.model = model
        number = numbering(model.description)
        self.bodies = _placed(model)
        self.attachments = [
            BodyFrame(number[x.parent], x.position, x.rotation, _node(model, x.parent, x.node)) for x in self.bodies
        ]
        traced = _tips(model) if traces is None else {name: _find(model, name) for name in traces}
        self.places: list[BodyFrame] = []
        self._put(self.attachments)
        self.traces = dict(zip(traced, self._put(traced.values()), strict=True))
        self.springs = self._pairs((x.first, x.second) for x in model.description.springs.values())
        self.frames = dict(zip(model.description.frames, self._find_all(model.description.frames), strict=True))
        closed = [x for x in model.description.constraints.values() if isinstance(x, Closure | Distance)]
        self.closures = list(zip(closed, self._pairs((x.first, x.second) for x in closed), strict=True))
        rolls = [x for x in model.description.constraints.values() if isinstance(x, Rolling)]
        self.rolling = list(zip(rolls, self._pairs((x.first, x.second) for x in rolls), strict=True))
        self.surfaces = drawn(model, inertia=True)
        acting = [*((x.frame, x.axes) for x in model.description.wrenches.values()), *loads]
        named = [x for pair in acting for x in pair if x not in ("frame", "ground")]
        named = list(dict.fromkeys([*named, *(x.place for x in self.surfaces if x.place is not None)]))
        self.carriers = dict(zip(named, self._find_all(named), strict=True))

    def _put(self, places: Iterable[BodyFrame]) -> range:
        """Add places; their numbers."""
        first = len(self.places)
        self.places += places
        return range(first, len(self.places))

    def _find_all(self, names: Iterable[str]) -> range:
        return self._put([_find(self.model, name) for name in names])

    def _pairs(self, ends: Iterable[tuple[str, str]]) -> list[tuple[int, int]]:
        numbers = self._find_all([name for pair in ends for name in pair])
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def joints(self, q: Floats) -> Numbers:
        """Quaternion and position (frames, bodies, 7) of each body from its attachment node."""
        R, p = self.model.poses(q)
        out = np.zeros((len(q), len(self.attachments), 7))
        for k, attachment in enumerate(self.attachments):
            R_attachment, p_attachment = self.moved(attachment, q, R, p)
            back = np.swapaxes(R_attachment, -1, -2)
            turn = back @ R[:, k + 1]
            require_rotations(turn[:, None], [f"body {self.model.bodies[k]!r}"])
            out[:, k, :4] = scipy.spatial.transform.Rotation.from_matrix(turn).as_quat()
            out[:, k, 4:] = (back @ (p[:, k + 1] - p_attachment)[..., None])[..., 0]
        return out

    def moved(self, x: BodyFrame, q: Floats, R: Numbers, p: Numbers) -> tuple[Numbers, Numbers]:
        """Pose of a place in the ground frame, from those of the bodies."""
        R_own, p_own = pose_in_body(self.model.flex, x, q)
        return R[:, x.body] @ R_own, p[:, x.body] + (R[:, x.body] @ p_own[..., None])[..., 0]


def _placed(model: Model) -> list[Placed]:
    return list(model.description.bodies.values())


def _node(model: Model, body: str, node: str | None) -> ShapeFrame | None:
    carrier = model.description.bodies[body].body if body != GROUND else None
    return carrier.frame(node) if isinstance(carrier, FlexibleBody) and node is not None else None


def _find(model: Model, name: str) -> BodyFrame:
    try:
        return body_frame(model.description, name, numbering(model.description))
    except ModelError as error:
        raise StateError(f"model {model.name!r}: {error}") from None


def _tips(model: Model) -> dict[str, BodyFrame]:
    """The outermost frames of bodies that carry no other, or where their mass ends; at most eight."""
    carriers = {placed.parent for placed in _placed(model)}
    tips: dict[str, BodyFrame] = {}
    for k, (name, placed) in enumerate(model.description.bodies.items(), start=1):
        if name in carriers or len(tips) == MOST_TRACES:
            continue
        frames = {n: _find(model, n) for n, frame in model.description.frames.items() if frame.body == name}
        reach = {n: float(np.linalg.norm(x.position + (x.node.position if x.node else 0.0))) for n, x in frames.items()}
        far = max(reach, key=lambda n: reach[n], default="")
        if far and reach[far] > 0:
            tips[far] = frames[far]
        else:
            body = placed.body
            tips[name] = BodyFrame(k, body.com if isinstance(body, FlexibleBody) else far_end(body), np.eye(3))
    return tips
