"""Thin curved shells as facets: quadrilateral plate elements of any orientation that share nodes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, Ints, array, size
from supple.errors import ModelError
from supple.structures.builders.plate import checked_layup
from supple.structures.discretization.frames import Where, chosen
from supple.structures.elements.boundary import edges, quadrilaterals
from supple.structures.elements.plate import Plate
from supple.structures.elements.plate_element import PlateElements
from supple.structures.layups import Layup
from supple.structures.materials import Material
from supple.structures.structure import Structure

WARP = 0.05
"""Height of a corner over the plane of its element, relative to its diagonals, to which links join it accurately."""
SHARP = 1e-6
"""Share of its diagonals' product below which an element has no area."""


@checked
def shell(
    nodes: ArrayLike,
    elements: ArrayLike,
    thickness: float | None = None,
    material: Material | None = None,
    layup: Layup | None = None,
    frames: Mapping[str, Where] | None = None,
) -> Structure:
    """A thin shell from a mesh of quadrilaterals or of triangles.

    Parameters
    ----------
    nodes : (k, 3) array_like
        Positions, m.
    elements : (e, 4) or (e, 3) array_like of int
        Numbers of the nodes of each element, from 0, in order around it. Each triangle is cut into three
        quadrilaterals, whose further nodes stand behind those given.
    thickness, material : float, Material
        m; of a shell of one material.
    layup : Layup
        Instead of thickness and material; its x axis is the direction from the first to the second node of an element.
    frames : dict, optional
        Name to the number of a node, to several, or to a function of the positions (3, k); several nodes are a rigid
        region.

    Notes
    -----
    Corners of a quadrilateral may be off its plane by a twentieth of its diagonals. Rigid links join such a corner to a
    flat element, and rigid motions stay free of forces. Neighbours whose nodes go round in opposite senses are refused,
    since upper and lower face would change places between them.

    Examples
    --------
    A quarter of a tube, clamped at one end:

    >>> import numpy as np
    >>> angles, x = np.linspace(0, np.pi / 2, 9), np.linspace(0, 1.0, 9)
    >>> nodes = [(a, 0.2 * np.cos(t), 0.2 * np.sin(t)) for a in x for t in angles]
    >>> quads = [(9 * i + j, 9 * i + j + 1, 9 * i + j + 10, 9 * i + j + 9) for i in range(8) for j in range(8)]
    >>> steel = Material(E=2.1e11, nu=0.3, rho=7850)
    >>> gutter = shell(nodes, quads, 0.002, steel, frames={"start": lambda x: x[0] < 1e-9})
    >>> round(gutter.mass, 3)
    4.924
    """
    k = len(np.asarray(nodes)) if np.ndim(nodes) == 2 else 0
    x = array(nodes, (k, 3), "shell: nodes")
    if k:
        size(np.ptp(x, axis=0).max(), "shell: nodes: extent")
    table = _elements(elements, k)
    found = checked_layup(thickness, material, layup, "shell")
    if table.shape[1] == 3:
        x, table = quadrilaterals(x, table)
    _check_sides(table)
    unused = np.setdiff1d(np.arange(len(x)), table)
    if len(unused):
        raise ModelError(f"shell: node {unused[0]}: expected all nodes in elements ({len(unused)} are in none)")
    plate = PlateElements(x, table, found, facets(x, table))
    return Structure.of(Plate(plate), chosen(frames or {}, x, "shell: "))


def facets(nodes: Floats, elements: Ints) -> Floats:
    """(e, 3, 3) axes of quadrilaterals, rows: x along the first edge, y in the plane, z normal to both diagonals."""
    a, b, c, d = (nodes[elements[:, i]] for i in range(4))
    normal = np.cross(c - a, d - b)
    size = np.linalg.norm(normal, axis=1)
    diagonals = np.linalg.norm(c - a, axis=1) * np.linalg.norm(d - b, axis=1)
    flat = np.flatnonzero(~(size > SHARP * diagonals))
    if len(flat):
        raise ModelError(f"shell: element {flat[0]}: expected a quadrilateral with an area, got corners in one line")
    z = normal / size[:, None]
    height = np.abs(np.einsum("ij,ij->i", (a + c - b - d) / 4.0, z))
    warped = np.flatnonzero(height > WARP * np.sqrt(diagonals))
    if len(warped):
        i = int(warped[0])
        raise ModelError(
            f"shell: element {i}: corners are {height[i]:.3g} m off its plane, more than {WARP:g} of its diagonals of "
            f"about {np.sqrt(diagonals[i]):.3g} m ({len(warped)} such elements); use smaller elements or triangles"
        )
    along = b - a
    along = along - np.einsum("ij,ij->i", along, z)[:, None] * z
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    axes = np.stack([along, np.cross(z, along), z], axis=1)
    _check_convex(np.einsum("eab,eib->eia", axes, nodes[elements])[..., :2])
    return axes


def _check_convex(x: Floats) -> None:
    before, after = x - np.roll(x, 1, axis=1), np.roll(x, -1, axis=1) - x
    turn = before[..., 0] * after[..., 1] - before[..., 1] * after[..., 0]
    wrong = np.flatnonzero((turn <= 0.0).any(axis=1))
    if len(wrong):
        raise ModelError(f"shell: element {wrong[0]}: expected a convex quadrilateral, nodes in order around it")


def _elements(given: ArrayLike, k: int) -> Ints:
    table = np.asarray(given)
    if table.ndim != 2 or table.shape[1] not in (3, 4) or not len(table) or not np.issubdtype(table.dtype, np.integer):
        raise ModelError(f"shell: elements: expected whole numbers of shape (e, 4) or (e, 3), got shape {table.shape}")
    wrong = np.flatnonzero(((table < 0) | (table >= k)).any(axis=1))
    if len(wrong):
        raise ModelError(
            f"shell: element {wrong[0]}: expected numbers of nodes from 0 to {k - 1}, got {table[wrong[0]].tolist()}"
        )
    return table.astype(np.int64)


def _check_sides(elements: Ints) -> None:
    """Refuse edges that two elements pass in the same sense: a branch, or an element that is turned over."""
    sides = edges(elements)
    _, first, count = np.unique(sides, axis=0, return_index=True, return_counts=True)
    if count.max() > 1:
        a, b = sides[first[np.argmax(count)]]
        each = np.flatnonzero((elements == a).any(axis=1) & (elements == b).any(axis=1))
        raise ModelError(
            f"shell: elements {each[0]} and {each[1]}: expected nodes that go round in the same sense, and at most two "
            f"elements at an edge, got the edge from node {a} to node {b} twice"
        )
