"""A model and its motion as binary glTF 2.0, for other viewers.

One node a body, with its surfaces and an animation of its pose; a surface that deforms has morph targets whose weights
follow the motion. glTF has y up, so all stands below a node that turns the model. Springs are not part of it. Colours
of vertices cannot change in time: those of a quantity are of its largest value in the motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy

from supple.checks import Floats
from supple.drafts import draft_of
from supple.errors import OmissionWarning, warn
from supple.model.model import Model
from supple.shapes.triangle_mesh import vertex_normals
from supple.version import VERSION
from supple.view.gltf.container import Container, linear_light
from supple.view.scene.look import mapped
from supple.view.scene.motion import SceneMotion
from supple.view.scene.sampling import evenly
from supple.view.scene.surfaces import DrawnSurface, amplitudes, body_color, drawn

MOST_FRAMES = 2000
"""Of an animation; of more the nearest to even ones are taken."""
MOST_TARGETS = 16
"""Morph targets of a surface; of more shapes the principal ones of the motion are taken."""
WHITE = "#ffffff"
CLOSE = 1e-3
"""Of the largest displacement: how far principal shapes may be from the motion without a warning."""


class PeakColors(NamedTuple):
    """A quantity that colours surfaces which deform.

    Attributes
    ----------
    quantity, unit : str
    most : float
        The end of the scale.
    values : dict of str to (n,) array
        By body: the largest value in the motion at each vertex of its surface.
    """

    quantity: str
    unit: str
    most: float
    values: Mapping[str, Floats]


def write_glb(motion: SceneMotion, path: Path, peaks: PeakColors | None = None) -> Path:
    """Write a model and its motion; without a motion the model stands still."""
    chosen = evenly(len(motion.times), MOST_FRAMES)
    times, q = motion.times[chosen] - motion.times[0], motion.q[chosen]
    with draft_of(path) as draft:
        draft.write_bytes(_Writer(motion.model, times, q, peaks).written())
    return path


class _Writer:
    """One file as it is written."""

    def __init__(self, model: Model, times: Floats, q: Floats, peaks: PeakColors | None) -> None:
        self._peaks = peaks
        self._model, self._q, self._moving = model, q, len(times) > 1
        self._file = Container(f"supple {VERSION}")
        self._times = self._file.floats(times, "SCALAR", limits=True) if self._moving else -1
        self._channels: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []
        self._R, self._p = model.poses(q)

    def written(self) -> bytes:
        """The whole file."""
        of_body: dict[str, list[DrawnSurface]] = {name: [] for name in ("ground", *self._model.bodies)}
        for surface in drawn(self._model):
            if len(surface.faces):
                of_body[surface.body].append(surface)
        children = [self._body(k, name, surfaces) for k, (name, surfaces) in enumerate(of_body.items())]
        root = self._file.add("nodes", {"name": self._model.name, "children": children, "rotation": self._upright()})
        self._file.document |= {"scene": 0, "scenes": [{"nodes": [root]}]}
        if self._channels:
            self._file.add("animations", {"name": "motion", "channels": self._channels, "samplers": self._samplers})
        return self._file.written()

    def _upright(self) -> list[float]:
        """The quaternion that turns up, against gravity, to y."""
        gravity = self._model.tree.gravity
        up = -gravity if gravity.any() else np.array([0.0, 0.0, 1.0])
        turn, _ = scipy.spatial.transform.Rotation.align_vectors([[0.0, 1.0, 0.0]], [up])
        return [float(x) for x in turn.as_quat()]

    def _body(self, k: int, name: str, surfaces: list[DrawnSurface]) -> int:
        """The node of a body, with nodes of its own for what deforms; what moves with a place stands beside it."""
        rigid = [x for x in surfaces if x.shapes is None and x.place is None]
        node: dict[str, Any] = {"name": name}
        if rigid:
            node["mesh"] = self._file.add("meshes", {"name": name, "primitives": [self._primitive(x) for x in rigid]})
        others = [self._deforming(x) for x in surfaces if x.shapes is not None]
        others += [self._placed(x, self._R[:, k], self._p[:, k]) for x in surfaces if x.place is not None]
        if others:
            node["children"] = others
        return self._posed(node, self._R[:, k], self._p[:, k])

    def _placed(self, surface: DrawnSurface, R: Floats, p: Floats) -> int:
        """The node of a surface that moves with a frame or node of a body at R (frames, 3, 3) and p (frames, 3)."""
        assert surface.place is not None
        R_place, p_place = self._model.pose(self._q, surface.place)
        back = np.swapaxes(R, -1, -2)
        mesh = self._file.add("meshes", {"name": surface.place, "primitives": [self._primitive(surface)]})
        own = back @ R_place, (back @ (p_place - p)[..., None])[..., 0]
        return self._posed({"name": surface.place, "mesh": mesh}, *own)

    def _deforming(self, surface: DrawnSurface) -> int:
        """The node of a surface with morph targets."""
        assert surface.shapes is not None
        shapes, weights = _targets(surface, amplitudes(self._model, surface.body, self._q))
        name = f"{surface.body} {surface.name}"
        mesh: dict[str, Any] = {"name": name, "primitives": [self._primitive(surface, shapes)]}
        if self._peaks is not None and surface.body in self._peaks.values:
            mesh["primitives"] = [self._primitive(surface, shapes, self._peaks.values[surface.body] / self._peaks.most)]
            scale = {"quantity": self._peaks.quantity, "unit": self._peaks.unit, "from": 0.0, "to": self._peaks.most}
            mesh["extras"] = scale | {"of": "largest value in the motion", "colormap": "viridis"}
        if weights.shape[1]:
            mesh["weights"] = [float(x) for x in weights[0]]
        node = self._file.add("nodes", {"name": name, "mesh": self._file.add("meshes", mesh)})
        if weights.shape[1]:
            self._animate(node, "weights", self._file.floats(weights.ravel(), "SCALAR"))
        return node

    def _posed(self, node: dict[str, Any], R: Floats, p: Floats) -> int:
        """Add a node with its pose, and with an animation if it moves."""
        quaternions = scipy.spatial.transform.Rotation.from_matrix(R).as_quat()
        apart = np.sum(quaternions[1:] * quaternions[:-1], axis=1) < 0.0
        quaternions[1:] *= np.where(np.cumsum(apart) % 2, -1.0, 1.0)[:, None]
        node |= {"rotation": quaternions[0].tolist(), "translation": p[0].tolist()}
        i = self._file.add("nodes", node)
        for path, values, kind in (("rotation", quaternions, "VEC4"), ("translation", p, "VEC3")):
            if (values != values[0]).any():
                self._animate(i, path, self._file.floats(values, kind))
        return i

    def _animate(self, node: int, path: str, values: int) -> None:
        if self._moving:
            self._channels.append({"sampler": len(self._samplers), "target": {"node": node, "path": path}})
            self._samplers.append({"input": self._times, "output": values, "interpolation": "LINEAR"})

    def _primitive(
        self, surface: DrawnSurface, shapes: Floats | None = None, shares: Floats | None = None
    ) -> dict[str, Any]:
        """Triangles with normals and a material.

        `shapes` (targets, n, 3) are displacements of the vertices, `shares` (n,) of the scale are their colours.
        """
        origin, faces = surface.split()
        x = surface.vertices[origin]
        normals = vertex_normals(x, faces)
        normals[~normals.any(axis=1)] = [0.0, 0.0, 1.0]
        out: dict[str, Any] = {
            "attributes": {
                "POSITION": self._file.floats(x, "VEC3", limits=True),
                "NORMAL": self._file.floats(normals, "VEC3"),
            },
            "indices": self._file.indices(faces.ravel()),
        }
        color = surface.color or body_color(self._model, surface.body)
        if shares is not None:
            color = WHITE  # which the colours of the vertices are multiplied with
            out["attributes"]["COLOR_0"] = self._file.floats(linear_light(mapped(shares[origin])), "VEC3")
        out["material"] = self._file.material(color, surface.opacity)
        if shapes is not None and len(shapes):
            out["targets"] = [{"POSITION": self._file.floats(s[origin], "VEC3", limits=True)} for s in shapes]
        return out


def _targets(surface: DrawnSurface, eta: Floats) -> tuple[Floats, Floats]:
    """Displacements (targets, n, 3) and weights (frames, targets) whose product is the motion of a surface."""
    assert surface.shapes is not None
    shapes = surface.shapes.toarray().T
    if len(shapes) > MOST_TARGETS:
        moved = eta @ shapes
        U, s, Vt = np.linalg.svd(moved, full_matrices=False)
        kept = min(MOST_TARGETS, int(np.sum(s > 1e-9 * s[0])))
        shapes, eta = Vt[:kept], U[:, :kept] * s[:kept]
        missed = float(np.abs(eta @ shapes - moved).max()) if kept else 0.0
        if missed > CLOSE * float(np.abs(moved).max()):
            warn(
                f"body {surface.body!r}: {MOST_TARGETS} morph targets leave {missed:.3g} m of its displacement of "
                f"{np.abs(moved).max():.3g} m out",
                OmissionWarning,
            )
    return shapes.reshape(len(shapes), -1, 3), eta
