"""The surfaces of a model: the one place that decides what every body looks like.

A rigid body is drawn as its visuals, or as slim links if it has none. A flexible body is drawn as its structure: a beam
with its section, a solid with its surface; visuals on its frames and nodes are drawn besides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from supple.checks import Floats, Ints, freeze
from supple.description.description import Description
from supple.description.members import GROUND
from supple.errors import FileFormatError, OmissionWarning, warn
from supple.model.model import Model
from supple.rigid_body import RigidBody
from supple.shapes.decimation import decimated, reduced_meshes
from supple.shapes.mesh import Mesh, Triangles
from supple.shapes.placeholders import inertia_box, stand_in
from supple.shapes.primitives import Structure
from supple.shapes.readers.mesh_part import MeshPart
from supple.shapes.shape import Shape
from supple.shapes.triangle_mesh import TriangleMesh
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.elements.surface import BodySurface
from supple.view.scene.creases import split_at_sharp_edges
from supple.view.scene.default_shapes import default_shapes, size_of
from supple.view.scene.guessed_surface import guessed_surface
from supple.view.scene.look import GREY, NARROW, PALETTE, SLENDER, THIN

INERTIA = "inertia"
"""Name of the boxes that show inertias."""


@dataclass(frozen=True, eq=False)
class DrawnSurface:
    """Triangles that move with a body.

    Attributes
    ----------
    body : str
        A body, or "ground".
    vertices : (n, 3) array
        Undeformed, in the axes of the body; with `place` in those of the place, m.
    faces : (m, 3) array of int
        Numbers of vertices; seen from outside they follow each other against the clock.
    color : str, optional
        "#rrggbb"; None for the colour of the body.
    opacity : float
        From 0 to 1.
    name : str
        What it is: the kind of a shape, "structure", or "inertia".
    shapes : (3 n, c) sparse array, optional
        Of a surface that deforms: displacements are (shapes @ eta).reshape(-1, 3) with eta of `amplitudes`.
    place : str, optional
        The frame or node that it moves with, a name for `Model.pose`; None where it moves with the body's own frame.
    thicker : float, optional
        Pixels by which each side is thickened, so that it is seen from afar; by its shape if None.
    """

    body: str
    vertices: Floats
    faces: Ints
    color: str | None = None
    opacity: float = 1.0
    name: str = ""
    shapes: sparse.csr_array | None = None
    place: str | None = None
    thicker: float | None = None

    def __post_init__(self) -> None:
        freeze(self, "vertices", "faces")

    @cached_property
    def growth(self) -> float:
        """Pixels by which each side is thickened: some for what is slender, as rods are, which then has no sharp edges.

        Four times the volume of a rod is its area times its thickness.
        """
        if self.thicker is not None or not len(self.faces):
            return self.thicker or 0.0
        mesh, extent = TriangleMesh(self.vertices, self.faces), float(np.linalg.norm(np.ptp(self.vertices, axis=0)))
        thin = 4.0 * abs(mesh.volume) < SLENDER * extent * mesh.area
        return THIN if thin and mesh.area < NARROW * extent**2 else 0.0

    def split(self) -> tuple[Ints, Ints]:
        """Its vertices told apart along sharp edges: the one that each is a copy of, and the triangles by these."""
        return (
            (np.arange(len(self.vertices)), self.faces)
            if self.growth
            else split_at_sharp_edges(self.vertices, self.faces)
        )


def drawn(model: Model, inertia: bool = False, reduce: bool = True) -> list[DrawnSurface]:
    """The surfaces of a model, of the ground first, then body by body.

    A mesh that cannot be read is drawn as the edges of a box; an `OmissionWarning` names it.

    Parameters
    ----------
    inertia : bool
        Add, translucent, the uniform box that has the mass and inertia of each rigid body.
    reduce : bool
        Draw meshes of many triangles with fewer, so that a page stays small.
    """
    mech = model.description
    size = size_of(model)
    visuals = _by_body(mech)
    meshes = _Meshes(mech, size, reduce)
    out = [x for name, shape in visuals.get(GROUND, []) for x in meshes.placed(name, shape)]
    for name, placed in mech.bodies.items():
        body = placed.body
        if isinstance(body, FlexibleBody):
            own = [shape for _, shape in visuals.get(mech.owner(name), []) if isinstance(shape, Structure)]
            out.append(_flexible(name, body, placed.stiffens, own[-1] if own else Structure()))
        elif name not in visuals:
            out += [_surface(name, shape) for shape in default_shapes(mech, name, size)]
        others = [x for x in visuals.get(name, []) if not isinstance(x[1], Structure)]
        out += [x for frame, shape in others for x in meshes.placed(frame, shape)]
        if inertia and isinstance(body, RigidBody) and body.mass > 0:
            out.append(replace(_surface(name, inertia_box(body)), name=INERTIA, opacity=0.3))
    meshes.warn()
    return out


def _by_body(mech: Description) -> dict[str, list[tuple[str, Shape]]]:
    """Frames and shapes on each body that has visuals, none among them."""
    out: dict[str, list[tuple[str, Shape]]] = {}
    for frame, shapes in mech.visuals.items():
        out.setdefault(mech.find_frame(frame).body, []).extend((frame, shape) for shape in shapes)
    return out


class _Meshes:
    """The shapes of a mechanism as surfaces: meshes are read and reduced together."""

    def __init__(self, mech: Description, size: float, reduce: bool) -> None:
        self.mech, self.size = mech, size
        self.lost: dict[str, str] = {}
        self.read: dict[int, list[MeshPart]] = {}
        for shape in (shape for shapes in mech.visuals.values() for shape in shapes):
            if isinstance(shape, Mesh | Triangles):
                try:
                    self.read[id(shape)] = shape.parts()
                except FileFormatError as error:
                    self.lost.setdefault(getattr(shape, "file", ""), str(error))
        if reduce:
            self.read = dict(zip(self.read, reduced_meshes(list(self.read.values())), strict=True))

    def placed(self, name: str, shape: Shape) -> list[DrawnSurface]:
        """A shape on a frame: on a flexible body it moves with a node, else with the body."""
        frame = self.mech.find_frame(name)
        carrier = self.mech.bodies[frame.body].body if frame.body != GROUND else None
        node = (frame.node or carrier.root) if isinstance(carrier, FlexibleBody) else None
        place = None if node is None else f"{frame.body}/{node}"
        if isinstance(shape, Mesh) and id(shape) not in self.read:
            parts = [MeshPart(stand_in(shape, carrier, self.size), shape.color)]
        else:
            parts = self.read[id(shape)] if id(shape) in self.read else shape.parts()
        return [
            DrawnSurface(frame.body, x.vertices, x.faces, color, shape.opacity, shape.kind, place=place)
            for x, color in ((mesh.moved(frame.rotation, frame.position), color) for mesh, color in parts)
        ]

    def warn(self) -> None:
        """One line for all meshes that could not be read."""
        if self.lost:
            first, *others = self.lost.values()
            more = f", and {len(others)} more" if others else ""
            warn(f"drawn as boxes: {first}{more}", OmissionWarning)


def _surface(body: str, shape: Shape) -> DrawnSurface:
    mesh = shape.triangles()
    return DrawnSurface(body, mesh.vertices, mesh.faces, shape.color, shape.opacity, shape.kind)


def _flexible(name: str, body: FlexibleBody, stiffens: bool, own: Structure) -> DrawnSurface:
    surface = guessed_surface(body) if body.surface is None else body.surface
    kept, faces = decimated(surface.vertices(body.nodes), surface.faces)
    surface = replace(surface, node=surface.node[kept], offset=surface.offset[kept], faces=faces)
    _, of_nodes = body.with_second_order(np.zeros(body.modes), stiffens)
    x, shapes = surface.vertices(body.nodes), surface.shapes(of_nodes)
    return DrawnSurface(name, x, surface.faces, own.color, own.opacity, own.kind, shapes)


def body_color(model: Model, body: str) -> str:
    """The colour of a body that has none of its own; pieces of one beam have the same."""
    if body == GROUND:
        return GREY
    mech = model.description
    beam = mech.beams.get(mech.owner(body))
    return PALETTE[model.bodies.index(beam.names[0] if beam is not None else body) % len(PALETTE)]


def with_points(
    surface: DrawnSurface, body: FlexibleBody, stiffens: bool, nodes: Ints, positions: Floats
) -> DrawnSurface:
    """The surface of a body with further vertices (n, 3), on no triangle, that move with some nodes."""
    if not len(nodes) or surface.shapes is None:
        return surface
    _, of_nodes = body.with_second_order(np.zeros(body.modes), stiffens)
    points = BodySurface(nodes, positions - body.nodes[nodes], np.zeros((0, 3), np.int64))
    shapes = sparse.csr_array(sparse.vstack([surface.shapes, points.shapes(of_nodes)]))
    return replace(surface, vertices=np.concatenate([surface.vertices, positions]), shapes=shapes)


def amplitudes(model: Model, body: str, q: Any) -> Floats:
    """Amplitudes (..., c) of the shapes of a flexible body for coordinates (..., nq) of the model.

    They are its coordinates and, where it stiffens, what follows them at second order; none of a rigid body.
    """
    placed, q = model.description.bodies[body], np.asarray(q)
    if not isinstance(placed.body, FlexibleBody) or model.flex is None:
        return np.zeros((*q.shape[:-1], 0))
    k = model.bodies.index(body) + 1
    first = model.flex.q_mode[k]
    eta, _ = placed.body.with_second_order(q[..., first : first + model.flex.modes[k]], placed.stiffens)
    return np.asarray(eta)
