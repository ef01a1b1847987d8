"""The places of a model that the 3-D view needs: attachment nodes of bodies, traced points, ends of springs, frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from supple.checks import Floats
from supple.description.members import GROUND, Placed
from supple.errors import ModelError, StateError
from supple.model.body_frames import BodyFrame, pose_in_body
from supple.model.flatten import body_frame, numbering
from supple.model.model import Model
from supple.structures.body import FlexibleBody, ShapeFrame

Numbers = NDArray[Any]
MOST_TRACES = 8


class Stage:
    """Places of a model, in the order of the page.

    Parameters
    ----------
    model : Model
    traces : sequence of str, optional
        Frames whose paths are drawn; the tips if not given.

    Attributes
    ----------
    attachment nodes : list of BodyFrame
        Where each body sits on its parent; the first of the places.
    traces : dict of str to int
        Numbers of the traced places, by name.
    springs : list of pairs of int
        Places joined by springs.
    links : list of int
        Places that are drawn joined to the body they are on.
    places : list of BodyFrame
    """

    def __init__(self, model: Model, traces: Sequence[str] | None = None) -> None:
        self.model = model
        number = numbering(model.description)
        self.bodies = _placed(model)
        self.attachments = [
            BodyFrame(number[x.parent], x.position, x.rotation, _node(model, x.parent, x.node)) for x in self.bodies
        ]
        traced = _tips(model) if traces is None else {name: _find(model, name) for name in traces}
        ends = [_find(model, end) for x in model.description.springs.values() for end in (x.first, x.second)]
        frames = [_find(model, name) for name in model.description.frames]
        self.places = [*self.attachments, *traced.values(), *ends, *frames]
        first_end = len(self.attachments) + len(traced)
        first_frame = first_end + len(ends)
        self.traces = {name: len(self.attachments) + i for i, name in enumerate(traced)}
        self.springs = [(i, i + 1) for i in range(first_end, first_frame, 2)]
        self.links = [
            i
            for i in (*range(len(self.attachments)), *range(first_frame, len(self.places)))
            if self.places[i].body and self.places[i].node is None
        ]

    def joints(self, q: Floats) -> Numbers:
        """Quaternion and position (frames, bodies, 7) of each body from its attachment node."""
        R, p = self.model.poses(q)
        out = np.zeros((len(q), len(self.attachments), 7))
        for k, attachment in enumerate(self.attachments):
            R_attachment, p_attachment = self.moved(attachment, q, R, p)
            back = np.swapaxes(R_attachment, -1, -2)
            out[:, k, :4] = scipy.spatial.transform.Rotation.from_matrix(back @ R[:, k + 1]).as_quat()
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
    """The outermost frames of bodies that carry no other, or their centres of mass; at most eight."""
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
            tips[name] = BodyFrame(k, placed.body.com, np.eye(3))
    return tips
