"""Flat plates and panels: rectangles and polygons, of one material or of layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, array, size
from supple.errors import ModelError, one_of
from supple.structures.builders.plate_mesh import NEAR, PlateMesh, check_outline, fill, grid, off_plate, on_edge
from supple.structures.discretization.frames import named, nodes_in
from supple.structures.elements.plate import Plate
from supple.structures.elements.plate_element import PlateElements
from supple.structures.layups import Layer, Layup
from supple.structures.materials import Material
from supple.structures.structure import Structure

OnPlate = str | ArrayLike | Callable[[Floats], Any]
"""A place on a plate: an edge, a position or several, or a function of all positions."""
SIDES = ("y_min", "x_max", "y_max", "x_min")
"""Edges of a rectangle, in the order of its corners."""


@checked
def plate(
    outline: ArrayLike,
    thickness: float | None = None,
    material: Material | None = None,
    elements: Sequence[int] | None = None,
    spacing: float | None = None,
    layup: Layup | None = None,
    frames: Mapping[str, OnPlate] | None = None,
    averages: Mapping[str, OnPlate] | None = None,
) -> Structure:
    """A flat plate in the x-y plane.

    Parameters
    ----------
    outline : (2,) or (p, 2) array_like
        Length and width of a rectangle, which lies along x from the origin, centred in y, with its first corner at (0,
        -width / 2); or the corners of a polygon in order, m.
    thickness, material : float, Material
        m; of a plate of one material.
    elements : (int, int)
        How many along x and y, of a rectangle. Lines are moved so that frames are at nodes.
    spacing : float
        Length of the elements, m, of a polygon, or of a rectangle instead of `elements`.
    layup : Layup
        Instead of thickness and material.
    frames : dict, optional
        Name to a position (x, y) or several; to "corner1", "corner2", ...; to an edge: "edge1" (from the first corner
        to the second), "edge2", ..., of a rectangle also "x_min", "x_max", "y_min", "y_max"; or to a function of the
        positions (3, k) that says which nodes are in. Several nodes are a rigid region: an edge that is clamped, or
        has a hinge.
    averages : dict, optional
        Likewise, for frames that move as the mean of their nodes and do not stiffen them: see `Structure.with_average`.

    Examples
    --------
    A panel that is clamped at x = 0:

    >>> aluminium = Material(E=70e9, nu=0.3, rho=2700)
    >>> panel = plate((2.0, 1.0), 0.004, aluminium, elements=(16, 8), frames={"start": "x_min", "hinge": (2.0, 0.25)})
    >>> round(panel.mass, 6), len(panel.nodes), panel.frames["hinge"]
    (21.6, 153, (118,))
    >>> [round(f, 2) for f in panel.reduce("cantilever", modes=2).report.frequencies.tolist()]
    [0.84, 3.64]
    """
    corners, rectangle = _outline(outline)
    given = {**(frames or {}), **(averages or {})}
    both = (frames or {}).keys() & (averages or {}).keys()
    if both:
        raise ModelError(f"plate: frame {min(both)!r}: expected it in frames or in averages, got both")
    found = checked_layup(thickness, material, layup, "plate")
    through = {name: _positions(name, where, corners) for name, where in given.items() if _is_positions(where)}
    points = np.concatenate([np.zeros((0, 2)), *through.values()])
    mesh = _mesh((corners, rectangle), elements, spacing, points)
    nodes = mesh.nodes
    size = float(np.ptp(corners, axis=0).max())
    numbers = {
        name: _nearest(through[name], nodes, size)
        if name in through
        else _chosen(name, where, (corners, rectangle), nodes)
        for name, where in given.items()
    }
    own = named({name: numbers[name] for name in frames or {}}, len(nodes))
    made = Structure.of(Plate(PlateElements(nodes, mesh.corners, found)), own)
    for name in averages or {}:
        made = made.with_average(name, numbers[name])
    return made


def _outline(outline: ArrayLike) -> tuple[Floats, bool]:
    """Corners (p, 2), and whether they are those of a rectangle that was given by its sizes."""
    if np.ndim(outline) == 1 and np.size(outline) == 2:
        sizes = array(outline, (2,), "plate: outline")
        a, b = size(sizes[0], "plate: outline: length"), size(sizes[1], "plate: outline: width")
        return np.array([[0.0, -b / 2], [a, -b / 2], [a, b / 2], [0.0, b / 2]]), True
    if np.ndim(outline) != 2:
        raise ModelError(f"plate: outline: expected a length and width, or corners of shape (p, 2), got {outline!r}")
    corners = array(outline, (len(np.asarray(outline)), 2), "plate: outline")
    size(np.ptp(corners, axis=0).max(), "plate: outline: extent")
    try:
        check_outline(corners)
    except ModelError as error:
        raise ModelError(f"plate: {error}") from None
    return corners, False


def _mesh(
    outline: tuple[Floats, bool], elements: Sequence[int] | None, spacing: float | None, points: Floats
) -> PlateMesh:
    """With nodes at the points (n, 2)."""
    corners, rectangle = outline
    try:
        if rectangle:
            length, width = (float(x) for x in np.ptp(corners, axis=0))
            return grid(length, width, _divisions(elements, spacing, (length, width)), points)
        if elements is not None:
            raise ModelError("elements: expected only for a rectangle; give a polygon a spacing")
        return fill(check_outline(corners), 2.0 * _spacing(spacing), points)
    except ModelError as error:
        raise ModelError(f"plate: {error}") from None


def checked_layup(thickness: float | None, material: Material | None, layup: Layup | None, what: str) -> Layup:
    """A layup that is given, or one layer."""
    if layup is not None:
        if thickness is not None or material is not None:
            raise ModelError(f"{what}: expected either a layup or a thickness and a material, got both")
        if not isinstance(layup, Layup):
            raise ModelError(f"{what}: layup: expected a Layup, got {layup!r}")
        return layup
    if thickness is None or material is None:
        raise ModelError(f"{what}: expected a thickness and a material, or a layup")
    size(thickness, f"{what}: thickness")
    if not isinstance(material, Material):
        raise ModelError(f"{what}: material: expected a Material, got {material!r}; orthotropic ones come in a Layup")
    return Layup([Layer(thickness, material)])


def _divisions(elements: Sequence[int] | None, spacing: float | None, sizes: tuple[float, float]) -> tuple[int, int]:
    """Numbers of elements of a rectangle along x and y."""
    if (elements is None) == (spacing is None):
        raise ModelError(f"expected either elements or a spacing, got {'both' if elements else 'neither'}")
    if elements is None:
        h = _spacing(spacing)
        return int(np.ceil(sizes[0] / h - NEAR)), int(np.ceil(sizes[1] / h - NEAR))
    whole = isinstance(elements, Sequence | np.ndarray) and all(isinstance(n, int | np.integer) for n in elements)
    if not whole or len(elements) != 2 or min(elements) < 1:
        raise ModelError(f"elements: expected two whole numbers of at least 1, got {elements!r}")
    return int(elements[0]), int(elements[1])


def _spacing(spacing: float | None) -> float:
    if spacing is None:
        raise ModelError("spacing: expected the length of the elements of a polygon, m, got nothing")
    return size(spacing, "spacing")


def _is_positions(where: OnPlate) -> bool:
    return not isinstance(where, str) and not callable(where)


def _positions(name: str, where: Any, corners: Floats) -> Floats:
    """(n, 2) of a frame, all of them on the plate."""
    try:
        shape = np.shape(where)
    except ValueError:
        shape = ()
    if shape not in ((2,), (len(where) if shape else 0, 2)):
        raise ModelError(f"plate: frame {name!r}: expected a position (x, y), several, or an edge, got {where!r}")
    points = np.atleast_2d(array(where, shape, f"plate: frame {name!r}"))
    off = off_plate(points, corners)
    if off.any():
        low, high = corners.min(axis=0), corners.max(axis=0)
        raise ModelError(
            f"plate: frame {name!r}: expected a position on the plate, got {points[off][0].tolist()}; it reaches from "
            f"{low.tolist()} to {high.tolist()}"
        )
    return points


def _chosen(name: str, where: Any, outline: tuple[Floats, bool], nodes: Floats) -> list[int]:
    """Numbers of the nodes of an edge or a corner, or of a function."""
    corners, rectangle = outline
    if callable(where):
        return nodes_in(where, nodes, f"plate: frame {name!r}")
    edges = {f"edge{i + 1}": i for i in range(len(corners))}
    if rectangle:
        edges = {**dict(zip(SIDES, range(4), strict=True)), **edges}
    at = {f"corner{i + 1}": x for i, x in enumerate(corners)}
    if where in at:
        return _nearest(at[where][None], nodes, float(np.ptp(corners, axis=0).max()))
    if where not in edges:
        raise ModelError(f"plate: frame {name!r}: no edge or corner {where!r}{one_of([*edges, *at])}")
    return [int(i) for i in np.flatnonzero(on_edge(nodes[:, :2], corners, edges[where]))]


def _nearest(points: Floats, nodes: Floats, size: float) -> list[int]:
    """Numbers of the nodes at positions (n, 2), each once."""
    gaps, found = scipy.spatial.KDTree(nodes[:, :2]).query(points)
    assert np.max(gaps) <= 10.0 * NEAR * size, "meshes go through the positions of frames"
    return list(dict.fromkeys(int(i) for i in np.atleast_1d(found)))
