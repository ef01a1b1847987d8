"""Strains of elements, linear in the motion of the nodes: where each is measured, what it is, and its row.

Beams have one axial strain and one twist an element, which are constant along it, and curvatures and fibre strains at
both of its ends: curvature is linear in between, so that the ends hold all of it, the largest value among them.
Solids have six components at the centre of each element.

Signs. All are in the axes of the element: for a beam x along it, y and z those of its section; for solids the
structure's. Axial strain is positive where the beam is stretched. Curvature y and z are the rates along x of the
section's turn about y and z, twist that of its turn about x: the moments they belong to are E Iy, E Iz and G J times
them. A fibre at (y, z) of the section has the strain axial + z (curvature y) - y (curvature z). Shear strains of solids
are changes of right angles, du/dy + dv/dx: stress over G.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, Ints, freeze
from supple.errors import ModelError
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.beam_element import Element
from supple.structures.materials import Material

NOISE = 1e-14
"""A strain below this share of the terms it is the sum of is their rounding."""
UNITS = {"axial strain": "1", "twist": "rad/m", "curvature y": "1/m", "curvature z": "1/m"}
SOLID = ("strain xx", "strain yy", "strain zz", "shear xy", "shear yz", "shear zx")
SHEARS = ((0, 1), (1, 2), (2, 0))


@dataclass(frozen=True, eq=False)
class Strains:
    """Gauges: rows that give strains from the motion of a structure's nodes, or from a body's coordinates.

    Attributes
    ----------
    places : tuple of str
        Of a beam "3-4", the element between these nodes, or "3-4 at 3", its end at a node; of a solid "element 12", in
        the order of the mesh.
    quantities : tuple of str
        "axial strain", "twist", "curvature y", "curvature z", "fibre +y-z" and the like; of solids "strain xx", ...,
        "shear xy", ...
    positions : (g, 3) array
        Undeformed, on the axis of a beam, m: in the structure's frame, of a body in the body's.
    matrix : (g, 6 k) or (g, n) sparse array
        For rotation and displacement of all k nodes, or for the n coordinates of a body.
    elasticity : (g, 3) array, optional
        Young's modulus (Pa), Poisson's ratio and yield strength (Pa) of the material there; not a number where one is
        not known.
    """

    places: tuple[str, ...]
    quantities: tuple[str, ...]
    positions: Floats
    matrix: scipy.sparse.csr_array
    elasticity: Floats = field(default_factory=lambda: np.zeros((0, 3)))

    def __post_init__(self) -> None:
        g = len(self.places)
        if len(self.elasticity) == 0:
            object.__setattr__(self, "elasticity", np.full((g, 3), np.nan))
        freeze(self, "positions", "matrix", "elasticity")
        if self.elasticity.shape != (g, 3):
            raise ModelError(f"strains: elasticity: expected shape ({g}, 3), got {self.elasticity.shape}")
        shapes = (len(self.quantities), *self.positions.shape, self.matrix.shape[0])
        if shapes != (g, g, 3, g):
            raise ModelError(
                f"strains: expected {g} quantities, positions ({g}, 3) and rows, one for each place, got "
                f"{shapes[0]}, {self.positions.shape} and {shapes[-1]}"
            )
        if not (np.isfinite(self.positions).all() and np.isfinite(self.matrix.data).all()):
            raise ModelError("strains: expected finite numbers in positions and matrix")

    @property
    def labels(self) -> tuple[str, ...]:
        """Place and quantity: "3-4 at 3 curvature y"."""
        return tuple(f"{place} {quantity}" for place, quantity in zip(self.places, self.quantities, strict=True))

    @property
    def units(self) -> tuple[str, ...]:
        """Of each gauge."""
        return tuple(UNITS.get(quantity, "1") for quantity in self.quantities)

    def utilization(self, values: Floats) -> Floats:
        """Stress over yield strength at each gauge (..., g), given all strains (..., g).

        Of beams the stress along a fibre or the axis, of solids that of von Mises, which all six gauges of an element
        show. Not a number for other gauges, and where the yield strength is not known.
        """
        E, nu, limit = self.elasticity.T
        kinds = np.array(self.quantities)
        out = np.full(np.shape(values), np.nan)
        along = np.array([kind == "axial strain" or kind.startswith("fibre") for kind in self.quantities], bool)
        out[..., along] = (E * np.abs(values) / limit)[..., along]
        first = np.flatnonzero(kinds == SOLID[0])
        x, y, z, xy, yz, zx = (values[..., first + i] for i in range(6))
        G = E[first] / (2.0 * (1.0 + nu[first]))
        squares = 2.0 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3.0 * (xy**2 + yz**2 + zx**2)
        for i in range(6):
            out[..., first + i] = G * np.sqrt(squares) / limit[first]
        return out

    def of_body(self, shapes: Sparse, origin: Floats) -> Strains:
        """The same gauges for the coordinates whose shapes (6 k, n) these are, seen from `origin`.

        What is left of a motion without strain, of a rigid region for one, is set to zero.
        """
        values = scipy.sparse.coo_array(self.matrix @ shapes)
        terms = scipy.sparse.csr_array(abs(self.matrix) @ abs(shapes))
        bound = np.asarray(terms[values.row, values.col]).reshape(-1)
        kept = np.abs(values.data) > NOISE * bound
        parts = (values.data[kept], (values.row[kept], values.col[kept]))
        return replace(
            self, positions=self.positions - origin, matrix=scipy.sparse.csr_array(parts, shape=values.shape)
        )


def joined(parts: Sequence[Strains]) -> Strains:
    """The gauges of several parts of one structure."""
    return Strains(
        tuple(place for part in parts for place in part.places),
        tuple(quantity for part in parts for quantity in part.quantities),
        np.concatenate([part.positions for part in parts]),
        scipy.sparse.csr_array(scipy.sparse.vstack([part.matrix for part in parts])),
        np.concatenate([part.elasticity for part in parts]),
    )


def of_beam(element: Element, axes: Floats, ends: Ints, nodes: Floats) -> Strains:
    """Gauges of equal elements that begin at the nodes `ends` and end at the next ones.

    Parameters
    ----------
    axes : (3, 3) array
        Rows: the elements' x, y and z.
    nodes : (k, 3) array
        All nodes of the structure, six degrees of freedom each.
    """
    axial, twist, bend_y, bend_z = np.moveaxis(element.strains(np.array([0.0, 1.0])), 1, 0)
    rows = [axial[0], twist[0]]
    quantities, at = ["axial strain", "twist"], [-1, -1]
    fibres = element.section.fibres()
    for end in range(2):
        rows += [bend_y[end], bend_z[end]]
        rows += [axial[end] + z * bend_y[end] - y * bend_z[end] for y, z in fibres.values()]
        found = ["curvature y", "curvature z", *(f"fibre {name}" for name in fibres)]
        quantities += found
        at += [end] * len(found)
    values = np.stack(rows) @ np.kron(np.eye(4), axes)
    columns = 6 * ends[:, None, None] + np.arange(12)
    along = np.array([0.5 if end < 0 else float(end) for end in at])
    positions = nodes[ends][:, None] + along[:, None] * (nodes[ends + 1] - nodes[ends])[:, None]
    places = [f"{i}-{i + 1}" + ("" if end < 0 else f" at {i + end}") for i in ends.tolist() for end in at]
    matrix = element_rows(np.broadcast_to(values, (len(ends), *values.shape)), columns, 6 * len(nodes))
    material = elasticity(element.material, len(places))
    return Strains(tuple(places), tuple(quantities) * len(ends), positions.reshape(-1, 3), matrix, material)


def of_solid(skfem: Any, mesh: Any, element: Any, material: Material) -> Strains:
    """Gauges at the centres of a scikit-fem mesh's elements."""
    corners, _ = element.refdom.init_refdom()
    centre = corners.mean(axis=1, keepdims=True)
    basis = skfem.Basis(mesh, element, quadrature=(centre, np.ones(1)))
    grads = np.stack([field[0].grad[..., 0] for field in basis.basis])  # (shapes, 3, elements)
    dofs = np.asarray(basis.element_dofs).T  # (elements, shapes)
    count, shapes = dofs.shape
    values = np.zeros((count, 6, shapes, 3))
    for a in range(3):
        values[:, a, :, a] = grads[:, a].T
    for i, (a, b) in enumerate(SHEARS, start=3):
        values[:, i, :, a], values[:, i, :, b] = grads[:, b].T, grads[:, a].T
    columns = (6 * dofs[:, :, None] + np.arange(3, 6)).reshape(count, 1, -1)
    centres = np.asarray(basis.global_coordinates())[..., 0].T
    places = tuple(f"element {i}" for i in range(count) for _ in SOLID)
    matrix = element_rows(values.reshape(count, 6, -1), columns, 6 * mesh.doflocs.shape[1])
    stiff = elasticity(material, len(places))
    return Strains(places, SOLID * count, np.repeat(centres, 6, axis=0), matrix, stiff)


def elasticity(material: Material, gauges: int) -> Floats:
    """(gauges, 3) Young's modulus, Poisson's ratio and yield strength, the same for all."""
    strength = np.nan if material.yield_strength is None else material.yield_strength
    return np.tile([material.E, material.nu, strength], (gauges, 1))


def element_rows(values: Any, columns: Any, size: int) -> Sparse:
    """A sparse array (elements * rows, size) of the rows (elements, rows, entries) of all elements."""
    elements, rows, entries = values.shape
    row = np.repeat(np.arange(elements * rows), entries)
    place = (row, np.broadcast_to(columns, values.shape).ravel())
    matrix = scipy.sparse.csr_array((values.ravel(), place), shape=(elements * rows, size))
    matrix.eliminate_zeros()
    return matrix
