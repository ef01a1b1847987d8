"""Stresses on both faces of plates and shells, at their nodes; at a fold on each side of it.

In the plane, as strains and curvatures of the middle plane make them in the outer layers; transverse shear is zero on a
face. They are taken at the Gauss points of an element, where they are most accurate (Barlow, 1976), extrapolated to its
nodes, and at a node the mean is taken over the elements on one side of its folds, in the plane that is tangent there.
Curvatures do not vary along the element that they bend: on the rim the stresses of an element lag by half its length,
which those of the elements behind it mend.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.discretization.dof_map import Bools
from supple.structures.discretization.mass import Sparse
from supple.structures.elements.plate_element import CORNERS, KXX, XX, PlateElements, bilinear
from supple.structures.elements.plate_strains import FACES
from supple.structures.elements.section_forces import SectionForces
from supple.structures.elements.stresses import Stresses, joined_stresses
from supple.structures.layups import Layer
from supple.structures.materials import Material

TO_NODES = bilinear(np.sqrt(3.0) * CORNERS)
"""(nodes, points) values at an element's nodes of the bilinear function through values at its Gauss points."""
IN_PLANE = np.array([0, 1, 3])
"""Of the six components of a stress: xx, yy and xy."""


@dataclass(frozen=True, eq=False)
class PlateRecovery:
    """The elements of a plate, as `stresses.StressSource`."""

    plate: PlateElements

    def section_forces(self, motion: Sparse) -> SectionForces | None:
        """None."""
        return None

    def stresses(self, motion: Sparse) -> Stresses | None:
        """At all sides of the nodes, on both faces, in the axes of the nodes; None where the layers are not known."""
        layers = self.plate.layup.layers
        if not layers:
            return None
        half = self.plate.layup.thickness / 2.0
        faces = zip(FACES, (layers[0], layers[-1]), (-half, half), strict=True)
        return joined_stresses([self._on_face(face, layer, z, motion) for face, layer, z in faces])

    def _on_face(self, face: str, layer: Layer, z: float, motion: Sparse) -> Stresses:
        sides, material = self.plate.sides, layer.material
        p = len(sides.node)
        E, strength = (material.E, material.yield_strength) if isinstance(material, Material) else (np.nan, None)
        return Stresses(
            tuple(f"{name} {face}" for name in sides.names()),
            tuple(f"node {i}" for i in sides.node),
            sides.node,
            self.plate.nodes[sides.node] + z * self.plate.normals(),
            scipy.sparse.csr_array(self._rows(layer, z) @ motion),
            np.full(p, E),
            np.full(p, np.nan if strength is None else strength),
        )

    def _rows(self, layer: Layer, z: float) -> Sparse:
        """(6 p, 6 k) components of the stresses at all sides of the nodes, for the motion of the nodes."""
        plate, k = self.plate, len(self.plate.nodes)
        own = plate.strains()
        in_plane = layer.stiffness().Q @ (own[:, :, XX : XX + 3] + z * own[:, :, KXX : KXX + 3])
        at_nodes = np.einsum("np,epic->enic", TO_NODES, in_plane)
        if plate.axes is None:
            sigma = np.zeros((*at_nodes.shape[:2], 6, 24))
            sigma[:, :, IN_PLANE] = at_nodes
        else:
            sigma = np.einsum("enab,enbc->enac", _turned(self._tangent_axes()), at_nodes)
        rows = np.arange(sigma.size // 24).repeat(24)
        columns = np.broadcast_to(plate.dofs[:, None, None], sigma.shape)
        of_elements = scipy.sparse.csr_array((sigma.ravel(), (rows, columns.ravel())), shape=(sigma.size // 24, 6 * k))
        of_elements.eliminate_zeros()
        means = nodal_means(plate.sides.corners, len(plate.sides.node))
        return scipy.sparse.csr_array(scipy.sparse.kron(means, np.eye(6)) @ of_elements)

    def _tangent_axes(self) -> Floats:
        """(e, 4, 2, 3) x and y of each element, turned at its corners from its plane into the tangent one there."""
        plate = self.plate
        assert plate.axes is not None
        x, y, own = (plate.axes[:, None, i] for i in range(3))
        normal = plate.normals()[plate.sides.corners]
        v, c = np.cross(own, normal), (own * normal).sum(axis=2, keepdims=True)
        return np.stack([a + np.cross(v, a) + np.cross(v, np.cross(v, a)) / (1.0 + c) for a in (x, y)], axis=2)


def nodal_means(corners: Ints, k: int) -> Sparse:
    """(k, 4 e) values at nodes from those at the corners of the elements.

    Within, the mean of the elements there. A node i on the rim sees elements on one side only. What they are off there
    is, to first order, the opposite of what they are off at the corner across, where elements around know better: with
    v of an element and the mean m, v_i - (m - v)_across. Of the elements at i those count that
    have most neighbours there.
    """
    count = np.bincount(corners.ravel(), minlength=k)
    place = np.arange(corners.size).reshape(corners.shape)
    mean = scipy.sparse.csr_array((1.0 / count[corners].ravel(), (corners.ravel(), place.ravel())), (k, corners.size))
    across = np.roll(np.arange(4), 2)
    behind = count[corners[:, across]]
    most = np.zeros(k, np.int64)
    np.maximum.at(most, corners, behind)
    known = on_rim(corners, k)[corners] & (behind == most[corners]) & (behind >= count[corners])
    i, there, here = corners[known], place[:, across][known], place[known]
    beyond = corners[:, across][known]
    share = 1.0 / np.bincount(i, minlength=k)[i]
    values = scipy.sparse.csr_array(
        (np.concatenate([share, share]), (np.concatenate([i, i]), np.concatenate([here, there]))), mean.shape
    )
    others = scipy.sparse.csr_array((share, (i, beyond)), (k, k))
    plain = scipy.sparse.diags_array((~np.isin(np.arange(k), i)).astype(np.float64))
    return scipy.sparse.csr_array(plain @ mean + values - others @ mean)


def on_rim(corners: Ints, k: int) -> Bools:
    """Which nodes are at an edge of one element only."""
    sides = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    pairs, count = np.unique(sides, axis=0, return_counts=True)
    out = np.zeros(k, bool)
    out[pairs[count == 1]] = True
    return out


def _turned(axes: Floats) -> Floats:
    """(..., 6, 3) stresses xx, yy, zz, xy, yz, zx in common axes for xx, yy and xy along two axes (..., 2, 3)."""
    a, b = axes[..., 0, :], axes[..., 1, :]
    i, j = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 1, 2, 0])
    return np.stack(
        [a[..., i] * a[..., j], b[..., i] * b[..., j], a[..., i] * b[..., j] + b[..., i] * a[..., j]], axis=-1
    )
