"""Stresses of solid elements at their nodes.

Within an element stresses are most accurate at the points of a Gauss rule that is one order lower than the one of its
stiffness (Barlow, 1976). From there they are extrapolated to the nodes by the polynomial through these points, and at a
node the mean is taken over its elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.section_forces import SectionForces
from supple.structures.elements.stresses import Stresses
from supple.structures.materials import Material

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
class SolidRecovery:
    """The elements of a scikit-fem mesh of one material, as `stresses.StressSource`; `skfem` is the module."""

    skfem: Any
    mesh: Any
    material: Material

    def section_forces(self, motion: Sparse) -> SectionForces | None:
        """None."""
        return None

    def stresses(self, motion: Sparse) -> Stresses:
        """At all nodes."""
        element = self.mesh.elem()
        name = type(element).__name__
        basis = self.skfem.Basis(self.mesh, element, quadrature=_points(name))
        grads = np.stack([field[0].grad for field in basis.basis])  # shapes, 3, elements, points
        to_nodes = _extrapolation(name, np.asarray(element.doflocs), _points(name)[0])
        dofs = np.asarray(basis.element_dofs).T.astype(np.int64)
        nodes = np.ascontiguousarray(self.mesh.doflocs.T, dtype=np.float64)
        move = motion[(6 * np.arange(len(nodes))[:, None] + np.arange(3, 6)).ravel()].toarray()
        found = self._at_nodes(grads, to_nodes, dofs, move.reshape(len(nodes), 3, -1))
        k, E = len(nodes), self.material.E
        strength = np.nan if self.material.yield_strength is None else self.material.yield_strength
        names = tuple(f"node {i}" for i in range(k))
        matrix = scipy.sparse.csr_array(found.reshape(6 * k, -1))
        return Stresses(names, names, np.arange(k), nodes, matrix, np.full(k, E), np.full(k, strength))

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
            sigma = self._stress(slopes)
            np.add.at(total, part, np.einsum("np,epic->enic", to_nodes, sigma, optimize=True))
        return total / np.maximum(count, 1)[:, None, None]

    def _stress(self, slopes: Floats) -> Floats:
        """(..., 6, c) from the gradients (..., 3, 3, c) of displacements."""
        E, nu = self.material.E, self.material.nu
        lame, mu = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), E / (2.0 * (1.0 + nu))
        pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
        out = np.stack([mu * (slopes[..., a, b, :] + slopes[..., b, a, :]) for a, b in pairs], axis=-2)
        out[..., :3, :] += lame * np.einsum("...aac->...c", slopes)[..., None, :]
        return out


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
