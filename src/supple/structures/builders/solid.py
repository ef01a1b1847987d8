"""Solid elements, by way of scikit-fem: hexahedra and tetrahedra, linear and quadratic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from supple.call_checks import checked
from supple.checks import size
from supple.errors import ModelError
from supple.structures.discretization.frames import Where, chosen
from supple.structures.elements.solid import Solid
from supple.structures.materials import Material
from supple.structures.structure import Structure

MOST_NODES = 100_000
"""Limit for a box: it takes minutes and some GB to reduce."""
HEXAHEDRON = 8
"""Corners of a hexahedron."""


@checked
def from_mesh(mesh: Any, material: Material, frames: Mapping[str, Where]) -> Structure:
    """A solid body from a scikit-fem mesh.

    Parameters
    ----------
    mesh : skfem.MeshHex, MeshHex2, MeshTet or MeshTet2
        Positions in m; `skfem.Mesh.load(path)` reads many formats. Its nodes become the structure's, in the order of
        `mesh.doflocs`; elements are linear or quadratic like the mesh. Linear ones are far too stiff in bending.
    material : Material
        E, nu and rho of it.
    frames : dict
        Name to node numbers, or to a function of the positions (3, k) that says which nodes are in. Several nodes are
        a rigid region. The root of a reduction must be one: nodes of solids have no rotations.

    Examples
    --------
    >>> import skfem
    >>> mesh = skfem.MeshTet().refined(2)
    >>> cube = from_mesh(mesh, Material(E=70e9, nu=0.3, rho=2700), {"start": lambda x: x[0] == 0})
    >>> round(cube.mass, 9)
    2700.0
    """
    skfem = _skfem()
    if not isinstance(mesh, skfem.MeshHex | skfem.MeshTet):
        raise ModelError(f"mesh: expected a scikit-fem mesh of hexahedra or tetrahedra, got {type(mesh).__name__}")
    if not isinstance(material, Material):
        raise ModelError(f"material: expected a Material, got {material!r}")
    _check_volumes(mesh)
    elements = Solid(skfem, mesh, material)
    return Structure.of(elements, chosen(frames, elements.layout.points))


@checked
def box(
    length: float,
    width: float,
    height: float,
    material: Material,
    elements: Sequence[int],
    quadratic: bool = True,
) -> Structure:
    """A box of hexahedra along x from the origin, centred in y and z; its end faces are rigid, "start" and "end".

    Parameters
    ----------
    length, width, height : float
        Along x, y and z, m.
    elements : (int, int, int)
        How many along x, y and z.
    quadratic : bool
        27 nodes an element instead of 8.
    """
    skfem = _skfem()
    sizes = [size(v, f"box: {w}") for v, w in ((length, "length"), (width, "width"), (height, "height"))]
    whole = isinstance(elements, Sequence | np.ndarray) and all(isinstance(n, int | np.integer) for n in elements)
    if not whole or len(elements) != 3 or min(elements) < 1:
        raise ModelError(f"box: elements: expected three whole numbers of at least 1, got {elements!r}")
    length, width, height = sizes
    nodes = math.prod((2 if quadratic else 1) * n + 1 for n in elements)
    if nodes > MOST_NODES:
        raise ModelError(f"box: elements: expected at most {MOST_NODES:,} nodes, got {nodes:,} from {elements!r}")
    starts = (0.0, -width / 2.0, -height / 2.0)
    ticks = [a + s * np.linspace(0.0, 1.0, n + 1) for a, s, n in zip(starts, sizes, elements, strict=True)]
    mesh = skfem.MeshHex.init_tensor(*ticks)
    if quadratic:
        mesh = skfem.MeshHex2.from_mesh(mesh)
    near = 1e-9 * length
    ends = {"start": lambda x: x[0] < near, "end": lambda x: x[0] > length - near}
    return from_mesh(mesh, material, ends)


def _check_volumes(mesh: Any) -> None:
    """Raise if an element is flat at its centre."""
    centre = np.full((3, 1), 0.5 if len(mesh.t) == HEXAHEDRON else 0.25)
    try:
        with np.errstate(all="ignore"):  # scikit-fem inverts the map of each element too
            flat = bool((np.asarray(mesh.mapping().detDF(centre)) == 0.0).any())
    except Exception as error:  # it has no class of its own for errors
        flat = "Jacobian" in str(error)
        if not flat:
            raise
    if flat:
        raise ModelError("mesh: expected elements with a volume, got one whose corners are in a plane")


def _skfem() -> Any:
    try:
        import skfem
    except ImportError:
        raise ModelError("solid elements need scikit-fem: pip install supple[solids]") from None
    return skfem
