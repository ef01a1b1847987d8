"""Stresses on both faces of plates, at their nodes.

In the plane, as strains and curvatures of the middle plane make them in the outer layers; transverse shear is zero on a
face. They are taken at the Gauss points of an element, where they are most accurate (Barlow, 1976), extrapolated to its
nodes, and at a node the mean is taken over its elements. Curvatures do not vary along the element that they bend: at an
edge of the plate stresses lag behind by half an element.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from supple.structures.layups import Layer
from supple.structures.mass import Sparse
from supple.structures.materials import Material
from supple.structures.plate_element import CORNERS, KXX, XX, PlateElements, bilinear
from supple.structures.plate_strains import FACES
from supple.structures.section_forces import SectionForces
from supple.structures.stresses import Stresses, joined_stresses

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
        """At all nodes of both faces, in the axes of the plate; None where the layers are not known."""
        layers = self.plate.layup.layers
        if not layers:
            return None
        half = self.plate.layup.thickness / 2.0
        faces = zip(FACES, (layers[0], layers[-1]), (-half, half), strict=True)
        return joined_stresses([self._on_face(face, layer, z, motion) for face, layer, z in faces])

    def _on_face(self, face: str, layer: Layer, z: float, motion: Sparse) -> Stresses:
        k, material = len(self.plate.nodes), layer.material
        E, strength = (material.E, material.yield_strength) if isinstance(material, Material) else (np.nan, None)
        return Stresses(
            tuple(f"node {i} {face}" for i in range(k)),
            tuple(f"node {i}" for i in range(k)),
            np.arange(k),
            self.plate.nodes + np.array([0.0, 0.0, z]),
            scipy.sparse.csr_array(self._rows(layer, z) @ motion),
            np.full(k, E),
            np.full(k, np.nan if strength is None else strength),
        )

    def _rows(self, layer: Layer, z: float) -> Sparse:
        """(6 k, 6 k) components of the stresses at all nodes, for the motion of the nodes."""
        corners, k = self.plate.corners, len(self.plate.nodes)
        own = self.plate.strains()
        sigma = layer.stiffness().Q @ (own[:, :, XX : XX + 3] + z * own[:, :, KXX : KXX + 3])
        share = 1.0 / np.bincount(corners.ravel(), minlength=k)[corners]
        values = share[:, :, None, None] * np.einsum("np,epic->enic", TO_NODES, sigma)
        rows = np.broadcast_to(6 * corners[:, :, None, None] + IN_PLANE[:, None], values.shape)
        columns = np.broadcast_to(self.plate.dofs[:, None, None], values.shape)
        return scipy.sparse.csr_array((values.ravel(), (rows.ravel(), columns.ravel())), shape=(6 * k, 6 * k))
