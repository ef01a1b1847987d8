"""Solid elements, by way of scikit-fem: hexahedra and tetrahedra, linear and quadratic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from supple.call_checks import checked
from supple.checks import Floats, Ints, size
from supple.errors import ModelError
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.mass import Sparse
from supple.structures.discretization.mass_classification import continuous
from supple.structures.discretization.structure import Structure, named
from supple.structures.elements.solid_recovery import SolidRecovery
from supple.structures.elements.solid_stress import SolidStress
from supple.structures.elements.strains import of_solid
from supple.structures.elements.surface import BodySurface, of_nodes, triangles
from supple.structures.materials import Material

Where = int | Iterable[int] | Callable[[Floats], Any]
MOST_NODES = 100_000
"""Limit for a box: it takes minutes and some GB to reduce."""
HEXAHEDRON = 8
"""Corners of a hexahedron."""
DEGREES = {"ElementHex1": 4, "ElementHex2": 6, "ElementTetP1": 2, "ElementTetP2": 6}
"""Degree to which integrals over an element are exact: the mass also of elements that are not straight."""


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
    element = mesh.elem()
    basis = skfem.Basis(mesh, element, intorder=DEGREES[type(element).__name__])
    nodes = np.ascontiguousarray(mesh.doflocs.T, dtype=np.float64)
    weights = scipy.sparse.csr_array(skfem.BilinearForm(lambda u, v, w: material.rho * u * v).assemble(basis))
    layout = DofLayout(nodes, np.zeros(len(nodes), bool))
    numbers = {name: _numbers(name, where, nodes) for name, where in frames.items()}
    K = _stiffness(skfem, basis, material)
    masses, gauges = continuous(weights, layout), of_solid(skfem, mesh, element, material)
    stressed = SolidStress(skfem, mesh, material)
    recovered = SolidRecovery(skfem, mesh, material)
    return Structure(
        nodes, layout.turning, K, masses, named(numbers, len(nodes)), gauges, stressed, _surface(mesh, basis), recovered
    )


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


def _stiffness(skfem: Any, basis: Any, material: Material) -> Sparse:
    """K of isotropic elasticity, from D_ab = int dN/dx_a dN/dx_b* of the scalar shapes N."""
    E, nu = material.E, material.nu
    lame, mu = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), E / (2.0 * (1.0 + nu))
    D: dict[tuple[int, int], Any] = {}
    for a in range(3):
        for b in range(a, 3):
            form = skfem.BilinearForm(lambda u, v, w, a=a, b=b: v.grad[a] * u.grad[b])
            D[a, b] = scipy.sparse.csr_array(form.assemble(basis))
            D[b, a] = D[a, b].T
    laplace = mu * (D[0, 0] + D[1, 1] + D[2, 2])
    blocks = [
        [lame * D[a, b] + mu * D[b, a] + (laplace if a == b else 0.0 * laplace) for b in range(3)] for a in range(3)
    ]
    K = scipy.sparse.csr_array(scipy.sparse.block_array(blocks))
    k = laplace.shape[0]
    order = (np.arange(k)[:, None] + k * np.arange(3)).ravel()
    K = scipy.sparse.csr_array(K[order][:, order])
    return scipy.sparse.csr_array((K + K.T) * 0.5)


def _surface(mesh: Any, basis: Any) -> BodySurface:
    """The facets of the mesh that belong to one element only, with all of their nodes."""
    outer = mesh.boundary_facets()
    corners = mesh.facets[:, outer].T
    inside = mesh.p[:, mesh.t[:, mesh.f2t[0, outer]]].mean(axis=1).T
    around = mesh.p[:, corners].transpose(1, 2, 0)  # (facets, corners, 3)
    if corners.shape[1] == 4:
        corners, around = _in_order(corners, around)
    normal = np.cross(around[:, 1] - around[:, 0], around[:, 2] - around[:, 0])
    inward = np.einsum("ij,ij->i", normal, inside - around[:, 0]) > 0
    corners = np.where(inward[:, None], corners[:, ::-1], corners)
    corners = corners.astype(np.int64)
    middles = _middles(mesh, basis, corners) if mesh.elem.edge_dofs else None
    centres = basis.facet_dofs[0, outer].astype(np.int64) if mesh.elem.facet_dofs else None
    return of_nodes(triangles(corners, middles, centres))


def _middles(mesh: Any, basis: Any, corners: Ints) -> Ints:
    """(f, c) nodes in the middle of the sides of facets."""
    known = np.sort(mesh.edges, axis=0).astype(np.int64)
    wanted = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)]), axis=0)
    count = mesh.p.shape[1]
    keys = known[0] * count + known[1]
    order = np.argsort(keys)
    found = order[np.searchsorted(keys[order], wanted[0] * count + wanted[1])]
    return np.asarray(basis.edge_dofs[0, found], np.int64)


def _in_order(corners: Any, around: Floats) -> tuple[Any, Floats]:
    """Four corners of each facet so that they follow each other around it: the diagonals cross within it."""
    best = np.full(len(corners), np.inf)
    order = np.zeros((len(corners), 4), dtype=np.int64)
    for way in ((0, 1, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2)):
        x = around[:, way]
        length = np.linalg.norm(x - np.roll(x, 1, axis=1), axis=2).sum(axis=1)
        order[length < best], best = way, np.minimum(best, length)
    return np.take_along_axis(corners, order, axis=1), np.take_along_axis(around, order[:, :, None], axis=1)


def _numbers(name: str, where: Where, nodes: Floats) -> int | Iterable[int]:
    if not callable(where):
        return where
    chosen = np.flatnonzero(where(nodes.T))
    if len(chosen) == 0:
        raise ModelError(f"frame {name!r}: expected some nodes, got none from its function")
    return [int(i) for i in chosen]


def _skfem() -> Any:
    try:
        import skfem
    except ImportError:
        raise ModelError("solid elements need scikit-fem: pip install supple[solids]") from None
    return skfem
