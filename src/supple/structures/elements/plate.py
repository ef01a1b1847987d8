"""Plates and shells: matrices, strains and stresses on both faces, geometric stiffness.

Stresses stand at the nodes, at a fold on each side of it. In the plane they are as strains and curvatures of the middle
plane make them in the outer layers; transverse shear is zero on a face. They are taken at the Gauss points of an
element, where they are most accurate (Barlow, 1976), extrapolated to its nodes, and at a node the mean is taken over
the elements on one side of its folds, in the plane that is tangent there. Curvatures do not vary along the element that
they bend: on the rim the stresses of an element lag by half its length, which those of the elements behind it mend.

Strains stand at the centres of the elements, in their axes: on an isotropic face the six components of a solid, with
the strain across that leaves the face free of stress; on an orthotropic face three, along its fibres.

Geometric stiffness is what stress resultants add to the stiffness of the elements. A material line through the
thickness moves by u and turns by the rotation vector theta: its direction becomes n + theta x n + theta x (theta x n) /
2. Green's strains, to second order, give a further deformation of a plate with the resultants N, M and Q the energy per
area

    N_ab (u,a . u,b) / 2 + M_ab (u,a . (theta x n),b + (theta_a theta_n),b / 2)
        + Q_a (u,a . (theta x n) + theta_a theta_n / 2)

with a, b along x and y. The first term is that of von Karman's plates, of all three displacements, so that a spinning
panel is stiffer in its plane too; the others turn bending moments and shear forces with the plate.

In a warped element a rigid link d joins each node to the corner on which the force f of the element acts. The corner
moves by u + theta x d + theta x (theta x d) / 2, and the last term has the energy f . (theta x (theta x d)) / 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, Ints
from supple.structures.discretization.dof_map import Bools, DofLayout
from supple.structures.discretization.mass import MassModel, Sparse, stations
from supple.structures.elements.boundary import unique_edges
from supple.structures.elements.elements import Elements
from supple.structures.elements.plate_element import CORNERS, KXX, XX, PlateElements, bilinear
from supple.structures.elements.recovery_table import SOLID, STRESSES, RecoveryTable, joined_tables, material_rows
from supple.structures.elements.scatter import element_matrix, element_rows, rows_in_motion
from supple.structures.elements.stressed_state import LoadCases, StressedState
from supple.structures.elements.surface import BodySurface, of_plate
from supple.structures.layups import Layer
from supple.structures.materials import Material

FACES = ("lower", "upper")
LAYER: tuple[str, ...] = ("strain 11", "strain 22", "shear 12")
CENTRE = np.zeros((1, 2))
TO_NODES = bilinear(np.sqrt(3.0) * CORNERS)
"""(nodes, points) values at an element's nodes of the bilinear function through values at its Gauss points."""
IN_PLANE = np.array([0, 1, 3])
"""Of the six components of a stress: xx, yy and xy."""
U, THETA, THETA_RATE = 0, 6, 9
"""Where slopes of u along x, then y, rotations, and their slopes along x, then y, begin among 15 numbers."""
NORMAL = 2
COMPONENTS = ((0, 0), (1, 1), (0, 1))


@dataclass(frozen=True, eq=False)
class Plate(Elements):
    """The elements of a plate or shell of one layup."""

    plate: PlateElements
    stiffens = True

    @cached_property
    def layout(self) -> DofLayout:
        """Six degrees of freedom at each node."""
        return DofLayout(self.plate.nodes, np.ones(len(self.plate.nodes), bool))

    def stiffness(self) -> Sparse:
        """Return the sum over the elements."""
        total = element_matrix(self.plate.stiffness(), self.plate.dofs, self.layout.size)
        return scipy.sparse.csr_array((total + total.T) * 0.5)

    def mass(self) -> MassModel:
        """Return pieces at Gauss points, with the inertia of the thickness; a heavier face shifts their centres."""
        plate = self.plate
        layup = plate.layup
        area = plate.surface_areas().ravel()
        height = layup.moment / layup.mass if layup.mass > 0 else 0.0
        n = np.repeat(plate.element_normals(), area.size // len(plate.corners), axis=0)
        arm = height * n
        turn = plate.rotation()
        move = plate.displacement() + height * np.stack(
            [turn[:, :, 1], -turn[:, :, 0], np.zeros_like(turn[:, :, 0])], axis=2
        )
        second = (layup.inertia - layup.moment * height) * n[:, :, None] * n[:, None, :]
        return stations(
            plate.positions().reshape(-1, 3) + arm,
            self._rows(plate.in_common_axes(move)),
            self._rows(plate.in_common_axes(turn)),
            layup.mass * area,
            area[:, None, None] * second,
            arm if height else None,
        )

    def _rows(self, values: Floats) -> Sparse:
        return element_rows(values, self.plate.dofs, self.layout.size)

    def _faces(self) -> list[tuple[str, Layer, float]]:
        """Name, layer and height of both faces; none where the layers are not known."""
        layers, half = self.plate.layup.layers, self.plate.layup.thickness / 2.0
        return list(zip(FACES, (layers[0], layers[-1]), (-half, half), strict=True)) if layers else []

    def strains(self, motion: Any) -> RecoveryTable | None:
        """Return strains at the centres of the elements, on both faces; None where the layers are not known."""
        found = [self._strains(face, layer, z, motion) for face, layer, z in self._faces()]
        return joined_tables(found) if found else None

    def _strains(self, face: str, layer: Layer, z: float, motion: Any) -> RecoveryTable:
        plate = self.plate
        own = plate.strains(CENTRE)[:, 0]
        strain = own[:, XX : XX + 3] + z * own[:, KXX : KXX + 3]
        material = layer.material
        if isinstance(material, Material):
            strain, names = _free_face(strain, material.nu), tuple(SOLID)
        else:
            strain, names = layer.to_fibres() @ strain, LAYER
        count = len(names) * len(strain)
        centres = plate.positions(CENTRE)[:, 0] + z * plate.element_normals()
        places = tuple(f"element {i} {face}" for i in range(len(strain)) for _ in names)
        return RecoveryTable(
            places,
            names * len(strain),
            np.full(count, -1),
            np.repeat(centres, len(names), axis=0),
            rows_in_motion(self._rows(strain), motion),
            material_rows(material, count),
            tuple(f"element {i}" for i in range(len(strain)) for _ in names),
        )

    def stresses(self, motion: Any) -> RecoveryTable | None:
        """Return stresses at all sides of the nodes, on both faces, in the axes of the nodes."""
        found = [self._stresses(face, layer, z, motion) for face, layer, z in self._faces()]
        return joined_tables(found) if found else None

    def _stresses(self, face: str, layer: Layer, z: float, motion: Any) -> RecoveryTable:
        sides = self.plate.sides
        return RecoveryTable(
            tuple(f"{name} {face}" for name in sides.names()),
            STRESSES,
            sides.node,
            self.plate.nodes[sides.node] + z * self.plate.normals(),
            rows_in_motion(self._stress_rows(layer, z), motion),
            material_rows(layer.material, len(sides.node)),
            tuple(f"node {i}" for i in sides.node),
        )

    def _stress_rows(self, layer: Layer, z: float) -> Sparse:
        """(6 p, 6 k) components of the stresses at all sides of the nodes, for the motion of the nodes."""
        plate = self.plate
        own = plate.strains()
        in_plane = layer.stiffness().Q @ (own[:, :, XX : XX + 3] + z * own[:, :, KXX : KXX + 3])
        at_nodes = np.einsum("np,epic->enic", TO_NODES, in_plane)
        if plate.axes is None:
            sigma = np.zeros((*at_nodes.shape[:2], 6, 24))
            sigma[:, :, IN_PLANE] = at_nodes
        else:
            sigma = np.einsum("enab,enbc->enac", _turned(self._tangent_axes()), at_nodes)
        means = nodal_means(plate.sides.corners, len(plate.sides.node))
        return scipy.sparse.csr_array(scipy.sparse.kron(means, np.eye(6)) @ self._rows(sigma))

    def _tangent_axes(self) -> Floats:
        """(e, 4, 2, 3) x and y of each element, turned at its corners from its plane into the tangent one there."""
        plate = self.plate
        assert plate.axes is not None
        x, y, own = (plate.axes[:, None, i] for i in range(3))
        normal = plate.normals()[plate.sides.corners]
        v, c = np.cross(own, normal), (own * normal).sum(axis=2, keepdims=True)
        return np.stack([a + np.cross(v, a) + np.cross(v, np.cross(v, a)) / (1.0 + c) for a in (x, y)], axis=2)

    @cached_property
    def _motion(self) -> Floats:
        """(e, g, 15, 24) slopes of u, rotations and their slopes."""
        parts = [self.plate.displacement_slopes(), self.plate.rotation(), self.plate.rotation_slopes()]
        return np.concatenate([part.reshape(*part.shape[:2], -1, 24) for part in parts], axis=2)

    def geometric_stiffness(self, cases: LoadCases) -> Iterator[StressedState]:
        """Return what the resultants of each load case add."""
        plate, motion, S = self.plate, self._motion, _energies()
        area, strains, K = plate.areas(), plate.strains(), plate.stiffness()
        for u in cases.displacements.T:
            own = u[plate.dofs]
            resultants = plate.resultants(strains @ own[:, None, :, None])[..., 0]
            energy = np.einsum("egt,tab,eg->egab", resultants, S, area, optimize=True)
            blocks = np.einsum("egai,egab,egbj->eij", motion, energy, motion, optimize=True)
            at_corners = np.einsum("eij,ej->ei", K, own)
            self._turn_links(blocks, at_corners)
            forces = np.zeros(len(u))
            np.add.at(forces, plate.dofs, at_corners)
            yield StressedState([(plate.dofs, blocks)], forces)

    def _turn_links(self, blocks: Floats, forces: Floats) -> None:
        """Add to blocks (e, 24, 24) what rotations of links do with the forces (e, 24) at their ends."""
        heights = self.plate.heights
        if not heights.any():
            return
        f = forces.reshape(-1, 4, 2, 3)[:, :, 1]
        d = -heights[:, :, None] * self.plate.element_normals()[:, None]
        product = f[..., :, None] * d[..., None, :]
        trace = np.einsum("eiaa->ei", product)[..., None, None]
        own = (product + product.swapaxes(-1, -2)) / 2.0 - trace * np.eye(3)
        split = blocks.reshape(len(blocks), 4, 6, 4, 6)
        for i in range(4):
            split[:, i, :3, i, :3] += own[:, i]

    def surface(self) -> BodySurface:
        """Return both faces, the rim and bevels along folds."""
        plate = self.plate
        return of_plate(plate.corners, plate.sides, plate.normals() * plate.layup.thickness / 2.0)


def _free_face(strain: Floats, nu: float) -> Floats:
    """(e, 6, 24) all strains from those in the plane (e, 3, 24), without stress across."""
    out = np.zeros((len(strain), 6, strain.shape[2]))
    out[:, IN_PLANE] = strain
    out[:, 2] = -nu / (1.0 - nu) * (strain[:, 0] + strain[:, 1])
    return out


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
    pairs, _, count = unique_edges(corners)
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


def _energies() -> Floats:
    """(8, 15, 15) for unit N, M (xx, yy, xy) and Q (x, y): twice the energy per area is q* S q."""
    S = np.zeros((8, 15, 15))
    for t, (a, b) in enumerate(COMPONENTS):
        for i, j in {(a, b), (b, a)}:
            for c in range(3):
                S[t, U + 3 * i + c, U + 3 * j + c] += 0.5
            _director(S[3 + t], U + 3 * i, THETA_RATE + 3 * j)
            S[3 + t, THETA + i, THETA_RATE + 3 * j + NORMAL] += 0.5
            S[3 + t, THETA + NORMAL, THETA_RATE + 3 * j + i] += 0.5
    for a in range(2):
        _director(S[6 + a], U + 3 * a, THETA)
        S[6 + a, THETA + a, THETA + NORMAL] += 0.5
    return S + S.swapaxes(1, 2)


def _director(S: Floats, u: int, theta: int) -> None:
    """Add u . (theta x n) = u_x theta_y - u_y theta_x."""
    S[u, theta + 1] += 1.0
    S[u + 1, theta] -= 1.0
