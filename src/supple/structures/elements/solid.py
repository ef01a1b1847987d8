"""Solid elements of scikit-fem: matrices, strains, stresses and geometric stiffness.

Within an element stresses are most accurate at the points of a Gauss rule that is one order lower than the one of its
stiffness (Barlow, 1976). From there they are extrapolated to the nodes by the polynomial through these points, and at a
node the mean is taken over its elements. Strains stand at the centres of the elements.

Geometric stiffness is int sigma_ab dN_i/dx_a dN_j/dx_b, the same for all three displacements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.discretization.dof_map import DofLayout
from supple.structures.discretization.mass import MassModel, Sparse
from supple.structures.discretization.mass_classification import continuous
from supple.structures.elements.elements import Elements
from supple.structures.elements.recovery_table import SOLID, STRESSES, RecoveryTable, material_rows
from supple.structures.elements.scatter import element_rows, rows_in_motion
from supple.structures.elements.stressed_state import LoadCases, StressedState
from supple.structures.elements.surface import BodySurface, of_nodes, triangles
from supple.structures.materials import Material

DEGREES = {"ElementHex1": 4, "ElementHex2": 6, "ElementTetP1": 2, "ElementTetP2": 6}
"""Degree to which integrals over an element are exact: the mass also of elements that are not straight."""
STRESS_DEGREES = {"ElementHex1": 3, "ElementHex2": 5, "ElementTetP1": 1, "ElementTetP2": 3}
"""Degree that is enough for the products of three gradients in straight elements."""
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
"""Axes of the six components of stresses and strains."""
POWERS = {
    "ElementHex1": [(0, 0, 0)],
    "ElementTetP1": [(0, 0, 0)],
    "ElementHex2": [(i, j, k) for i in range(2) for j in range(2) for k in range(2)],
    "ElementTetP2": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
}
"""Powers of the reference coordinates in the polynomial of the stresses."""
BATCH = 4_000_000
"""Numbers of one batch of elements."""


@dataclass(frozen=True, eq=False)
class Solid(Elements):
    """The elements of a scikit-fem mesh of one material; `skfem` is the module."""

    skfem: Any
    mesh: Any
    material: Material
    stiffens = True

    @property
    def name(self) -> str:
        """Name of the element in scikit-fem."""
        return type(self.mesh.elem()).__name__

    @cached_property
    def layout(self) -> DofLayout:
        """Three displacements at each node."""
        nodes = np.ascontiguousarray(self.mesh.doflocs.T, dtype=np.float64)
        return DofLayout(nodes, np.zeros(len(nodes), bool))

    def _basis(self) -> Any:
        return self.skfem.Basis(self.mesh, self.mesh.elem(), intorder=DEGREES[self.name])

    def mass(self) -> MassModel:
        """Return the consistent mass."""
        form = self.skfem.BilinearForm(lambda u, v, w: self.material.rho * u * v)
        return continuous(scipy.sparse.csr_array(form.assemble(self._basis())), self.layout)

    def stiffness(self) -> Sparse:
        """Return K of isotropic elasticity, from D_ab = int dN/dx_a dN/dx_b* of the scalar shapes N."""
        basis, (lame, mu) = self._basis(), self.material.lame
        D: dict[tuple[int, int], Any] = {}
        for a in range(3):
            for b in range(a, 3):
                form = self.skfem.BilinearForm(lambda u, v, w, a=a, b=b: v.grad[a] * u.grad[b])
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

    def strains(self, motion: Any) -> RecoveryTable:
        """Return strains at the centres of the elements."""
        element = self.mesh.elem()
        corners, _ = element.refdom.init_refdom()
        basis = self.skfem.Basis(self.mesh, element, quadrature=(corners.mean(axis=1, keepdims=True), np.ones(1)))
        grads = _gradients(basis)[..., 0]
        dofs = np.asarray(basis.element_dofs).T
        count, shapes = dofs.shape
        values = np.zeros((count, 6, shapes, 3))
        for i, (a, b) in enumerate(PAIRS):
            values[:, i, :, a], values[:, i, :, b] = grads[:, b].T, grads[:, a].T
        columns = (6 * dofs[:, :, None] + np.arange(3, 6)).reshape(count, -1)
        rows = element_rows(values.reshape(count, 6, -1), columns, 6 * len(self.layout.points))
        places = tuple(f"element {i}" for i in range(count) for _ in SOLID)
        return RecoveryTable(
            places,
            SOLID * count,
            np.full(6 * count, -1),
            np.repeat(np.asarray(basis.global_coordinates())[..., 0].T, 6, axis=0),
            rows_in_motion(rows, motion),
            material_rows(self.material, 6 * count),
            places,
        )

    def stresses(self, motion: Any) -> RecoveryTable:
        """Return stresses at all nodes."""
        element, nodes = self.mesh.elem(), self.layout.points
        k = len(nodes)
        basis = self.skfem.Basis(self.mesh, element, quadrature=_points(self.name))
        to_nodes = _extrapolation(self.name, np.asarray(element.doflocs), _points(self.name)[0])
        dofs = np.asarray(basis.element_dofs).T.astype(np.int64)
        move = motion[(6 * np.arange(k)[:, None] + np.arange(3, 6)).ravel()].toarray()
        found = self._at_nodes(_gradients(basis), to_nodes, dofs, move.reshape(k, 3, -1))
        names = tuple(f"node {i}" for i in range(k))
        matrix = scipy.sparse.csr_array(found.reshape(6 * k, -1))
        return RecoveryTable(names, STRESSES, np.arange(k), nodes, matrix, material_rows(self.material, k), names)

    def _at_nodes(self, grads: Floats, to_nodes: Floats, dofs: Ints, move: Floats) -> Floats:
        """(nodes, 6, c) means over elements, for displacements (nodes, 3, c)."""
        k, columns = len(move), move.shape[2]
        total, count = np.zeros((k, 6, columns)), np.bincount(dofs.ravel(), minlength=k)
        elements, shapes = dofs.shape
        step = max(1, BATCH // max(1, 9 * shapes * columns))
        for first in range(0, elements, step):
            part = dofs[first : first + step]
            own = grads[:, :, first : first + step]
            slopes = np.einsum("saep,esbc->epabc", own, move[part], optimize=True)  # du_b / dx_a
            sigma = self._components(slopes)
            np.add.at(total, part, np.einsum("np,epic->enic", to_nodes, sigma, optimize=True))
        return total / np.maximum(count, 1)[:, None, None]

    def _components(self, slopes: Floats) -> Floats:
        """(..., 6, c) stresses from the gradients (..., 3, 3, c) of displacements."""
        sigma = self.material.stress(np.moveaxis(slopes, -1, -3))
        return np.stack([sigma[..., a, b] for a, b in PAIRS], axis=-2)

    def geometric_stiffness(self, cases: LoadCases) -> Iterator[StressedState]:
        """Return what the stresses of each load case add."""
        basis = self.skfem.Basis(self.mesh, self.mesh.elem(), intorder=STRESS_DEGREES[self.name])
        nodes = np.asarray(basis.element_dofs).T.astype(np.int64)
        grads = _gradients(basis)  # shapes, 3, elements, points
        count, _, elements, points = grads.shape
        rates = np.ascontiguousarray(grads.transpose(2, 3, 1, 0)).reshape(elements, 3 * points, count)
        weights = np.asarray(basis.dx)[:, :, None, None]
        for u in cases.displacements.T:
            slopes = (rates @ u.reshape(-1, 3)[nodes]).reshape(elements, points, 3, 3)
            sigma = weights * self.material.stress(slopes)
            pulled = (sigma @ rates.reshape(elements, points, 3, count)).reshape(elements, 3 * points, count)
            K = rates.swapaxes(1, 2) @ pulled
            pushed = rates.swapaxes(1, 2) @ sigma.reshape(elements, 3 * points, 3)
            forces = np.zeros((len(u) // 3, 3))
            np.add.at(forces, nodes, pushed)
            yield StressedState([(3 * nodes + a, K) for a in range(3)], forces.ravel())

    def surface(self) -> BodySurface:
        """Return the facets of the mesh that belong to one element only, with all of their nodes."""
        basis = self._basis()
        outer = self.mesh.boundary_facets()
        corners = self.mesh.facets[:, outer].T
        inside = self.mesh.p[:, self.mesh.t[:, self.mesh.f2t[0, outer]]].mean(axis=1).T
        around = self.mesh.p[:, corners].transpose(1, 2, 0)  # (facets, corners, 3)
        if corners.shape[1] == 4:
            corners, around = _in_order(corners, around)
        normal = np.cross(around[:, 1] - around[:, 0], around[:, 2] - around[:, 0])
        inward = np.einsum("ij,ij->i", normal, inside - around[:, 0]) > 0
        corners = np.where(inward[:, None], corners[:, ::-1], corners)
        corners = corners.astype(np.int64)
        middles = _middles(self.mesh, basis, corners) if self.mesh.elem.edge_dofs else None
        centres = basis.facet_dofs[0, outer].astype(np.int64) if self.mesh.elem.facet_dofs else None
        return of_nodes(triangles(corners, middles, centres))


def _gradients(basis: Any) -> Floats:
    """(shapes, 3, elements, points) of the shapes."""
    return np.stack([field[0].grad for field in basis.basis])


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


def _points(name: str) -> tuple[Floats, Floats]:
    """Reference coordinates (3, p) of the points where stresses are taken, and weights that are not used."""
    if name == "ElementHex2":
        x = 0.5 + np.array([-0.5, 0.5]) / np.sqrt(3.0)
        points = np.stack(np.meshgrid(x, x, x, indexing="ij")).reshape(3, -1)
    elif name == "ElementTetP2":
        a, b = (5.0 - np.sqrt(5.0)) / 20.0, (5.0 + 3.0 * np.sqrt(5.0)) / 20.0
        points = np.array([[a, b, a, a], [a, a, b, a], [a, a, a, b]])
    else:
        points = np.full((3, 1), 0.5 if name == "ElementHex1" else 0.25)
    return points, np.ones(points.shape[1])


def _extrapolation(name: str, nodes: Floats, points: Floats) -> Floats:
    """(nodes, points) values at an element's nodes of the polynomial through values at its points."""
    powers = np.array(POWERS[name])
    at_points, at_nodes = (np.prod(x[:, None, :] ** powers, axis=2) for x in (points.T, nodes))
    return np.asarray(at_nodes @ np.linalg.inv(at_points))
