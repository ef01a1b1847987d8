"""Flat quadrilateral plate elements of four nodes: how their points move, strains, stiffness, mass.

Six degrees of freedom a node, rotation then displacement, as beams have, so that plates of any orientation and beams
can share nodes. A straight line through the thickness stays straight: it moves by u + z (theta x n).

Bending and transverse shear: MITC4 (Bathe and Dvorkin, 1985), bilinear, with the shear along each natural direction
taken from the middles of two edges. It does not lock in thin plates and needs nothing of thick ones; the mass is that
of the same bilinear shapes. Kirchhoff elements cannot carry the shear of sandwich cores, and those of scikit-fem have
other unknowns than the rotations of nodes.

In the plane: edges bend with the difference of their ends' rotations about z (Allman, 1984), and rotations follow
those of the material by the mean square of the difference times the shear stiffness (Hughes and Brezzi, 1989;
Ibrahimbegovic, Taylor and Wilson, 1990): the node can turn about the normal. Two modes within each element let it
contract across as it bends in its plane, so that a strip of single elements is as stiff as a beam.

A shell's element is the projection of its four nodes onto the plane that is normal to both diagonals. Rigid links join
the projected corners to nodes above and below that plane, so that rigid motions of a warped element are free of forces.
At folds nodes do not turn the edges of either side in its plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.checks import Floats, Ints
from supple.structures.elements.folds import Sides, sides_of
from supple.structures.layups import Layup

RX, RY, RZ, UX, UY, UZ = range(6)
FLAT = 1e-12
"""Height of a corner above the plane of its element, relative to the first diagonal, that is rounding."""
CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
"""Natural coordinates of the nodes, against the clock."""
POINTS = CORNERS / np.sqrt(3.0)
"""Gauss points, of weight 1: exact for the products of bilinear shapes."""
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))
ALTERNATING = np.kron([1.0, -1.0, 1.0, -1.0], np.eye(6)[RZ]) / 12.0
"""Root mean square of rotations about z of alternating signs. Edges that all bow outward, and shrink, do no other work
at the Gauss points; a field that is linear has none of it."""
XX, YY, XY, KXX, KYY, KXY, XZ, YZ = range(8)
"""Strains and curvatures of the middle plane, transverse shear."""


@dataclass(frozen=True, eq=False)
class PlateElements:
    """Elements of one layup.

    Attributes
    ----------
    nodes : (k, 3) array
        m; of a plate, in the plane z = 0.
    corners : (e, 4) array of int
        Nodes of each element, against the clock seen from its z.
    layup : Layup
    axes : (e, 3, 3) array, optional
        Of a shell: x, y and z of each element as rows. Strains, rotations and displacements below are in these axes,
        for degrees of freedom in those of the nodes.
    """

    nodes: Floats
    corners: Ints
    layup: Layup
    axes: Floats | None = None

    @property
    def dofs(self) -> Ints:
        """(e, 24)."""
        return (6 * self.corners[:, :, None] + np.arange(6)).reshape(len(self.corners), 24)

    @cached_property
    def _local(self) -> Floats:
        """(e, 4, 3) positions of the nodes in the axes of their element, m."""
        at = self.nodes[self.corners]
        if self.axes is None:
            return at
        return np.einsum("eab,eib->eia", self.axes, at - at.mean(axis=1, keepdims=True))

    @cached_property
    def x(self) -> Floats:
        """(e, 4, 2) positions of the nodes in the element's plane, m."""
        return np.asarray(self._local[..., :2])

    @cached_property
    def heights(self) -> Floats:
        """(e, 4) of the nodes above the element's plane, m; zero in a flat element."""
        z = self._local[..., 2]
        size = np.linalg.norm(self.x[:, 2] - self.x[:, 0], axis=1)
        return np.where(np.abs(z) > FLAT * size[:, None], z, 0.0)

    def areas(self, at: Floats = POINTS) -> Floats:
        """(e, g) area for each unit of the natural coordinates; sums to the area at the Gauss points."""
        return np.asarray(np.linalg.det(self._map(at)))

    def surface_areas(self, at: Floats = POINTS) -> Floats:
        """(e, g) likewise of the warped surface through the four nodes."""
        x, z = self._map(at), np.einsum("gai,ei->ega", _shape_rates(at), self.heights)
        tilt = x[..., 0, :] * z[..., 1, None] - x[..., 1, :] * z[..., 0, None]
        return np.hypot(self.areas(at), np.linalg.norm(tilt, axis=-1))

    def positions(self, at: Floats = POINTS) -> Floats:
        """(e, g, 3), m."""
        return np.einsum("gi,eia->ega", bilinear(at), self.nodes[self.corners])

    def element_normals(self) -> Floats:
        """(e, 3)."""
        if self.axes is None:
            return np.tile([0.0, 0.0, 1.0], (len(self.corners), 1))
        return np.asarray(self.axes[:, 2])

    @cached_property
    def sides(self) -> Sides:
        """Sides of the nodes."""
        return sides_of(self.corners, self.element_normals(), len(self.nodes))

    def normals(self) -> Floats:
        """(p, 3) at the sides of the nodes: the mean of the elements there."""
        total = np.zeros((len(self.sides.node), 3))
        np.add.at(total, self.sides.corners, self.element_normals()[:, None])
        return np.asarray(total / np.linalg.norm(total, axis=1, keepdims=True))

    def in_common_axes(self, vectors: Floats) -> Floats:
        """Vectors (e, g, 3, 24) of the elements in the axes of the nodes."""
        return vectors if self.axes is None else np.einsum("eba,egbi->egai", self.axes, vectors)

    def _of_nodes(self, values: Floats) -> Floats:
        """Values (e, ..., 24) for the motions of projected corners in the axes of elements, for those of the nodes."""
        return self._in_node_axes(self._through_links(self._parted(values)))

    def _in_node_axes(self, values: Floats) -> Floats:
        """Values (e, ..., 24) for degrees of freedom in the axes of elements, for those in the axes of the nodes."""
        if self.axes is None:
            return values
        split = values.reshape(len(values), -1, 8, 3)
        return np.asarray(np.einsum("erna,eab->ernb", split, self.axes)).reshape(values.shape)

    def _parted(self, values: Floats) -> Floats:
        """Values (e, ..., 24) with the rotation of the material, instead of the node, about z at folds.

        There the node turns about the normal of one side as the other side bends.
        """
        folded = np.zeros((1, 4), bool) if self.axes is None else self.sides.folded
        if not folded.any():
            return values
        out = values.reshape(len(values), -1, 4, 6).copy()
        spin = np.where(folded[:, None], out[..., RZ], 0.0)
        out[..., RZ] -= spin
        return (out.reshape(*spin.shape[:2], 24) + spin @ self._corner_spins()).reshape(values.shape)

    def _corner_spins(self) -> Floats:
        """(e, 4, 24) rotation of the material about z at the corners.

        That of the bilinear displacement at the centre, and twice its difference to the corner, as in pure bending.
        """
        at = np.concatenate([CORNERS, np.zeros((1, 2))])
        slopes = self._slopes(_shape_rates(at), at)
        out = np.zeros((len(slopes), 5, 4, 6))
        out[..., UX], out[..., UY] = -slopes[:, :, 1] / 2.0, slopes[:, :, 0] / 2.0
        spins = out.reshape(len(slopes), 5, 24)
        return 2.0 * spins[:, :4] - spins[:, 4:]

    def _through_links(self, values: Floats) -> Floats:
        """Values (e, ..., 24) for the projected corners' motions, for those of nodes at heights h: u - theta x h n."""
        if not self.heights.any():
            return values
        out, h = values.reshape(len(values), -1, 4, 6).copy(), self.heights[:, None]
        out[..., RX] += h * out[..., UY]
        out[..., RY] -= h * out[..., UX]
        return out.reshape(values.shape)

    def rotation(self, at: Floats = POINTS) -> Floats:
        """(e, g, 3, 24) rotation for the element's degrees of freedom."""
        out = np.zeros((len(self.corners), len(at), 3, 4, 6))
        for a in range(3):
            out[:, :, a, :, RX + a] = bilinear(at)
        return self._of_nodes(out.reshape(*out.shape[:3], 24))

    def displacement(self, at: Floats = POINTS) -> Floats:
        """(e, g, 3, 24) displacement of the middle surface through the nodes."""
        out = np.zeros((len(self.corners), len(at), 3, 4, 6))
        bowed = np.zeros_like(out)
        for a in range(3):
            out[:, :, a, :, UX + a] = bilinear(at)
        self._bend_edges(bowed, _edge_shapes(at)[None])
        size = (*out.shape[:3], 24)
        return self._in_node_axes(out.reshape(size)) + self._of_nodes(bowed.reshape(size))

    def rotation_slopes(self, at: Floats = POINTS) -> Floats:
        """(e, g, 2, 3, 24) slopes along x and y of the rotation."""
        slopes = self._slopes(_shape_rates(at), at)
        out = np.zeros((*slopes.shape[:3], 3, 4, 6))
        for a in range(3):
            out[:, :, :, a, :, RX + a] = slopes
        return self._of_nodes(out.reshape(*out.shape[:4], 24))

    def displacement_slopes(self, at: Floats = POINTS) -> Floats:
        """(e, g, 2, 3, 24) slopes along x and y of the displacement of the middle plane."""
        slopes = self._slopes(_shape_rates(at), at)
        out = np.zeros((*slopes.shape[:3], 3, 4, 6))
        for a in range(3):
            out[:, :, :, a, :, UX + a] = slopes
        edges = self._slopes(_edge_rates(at), at)
        for b in range(2):
            self._bend_edges(out[:, :, b], edges[:, :, b])
        return self._of_nodes(out.reshape(*out.shape[:4], 24))

    def strains(self, at: Floats = POINTS) -> Floats:
        """(e, g, 8, 24) strains and curvatures of the middle plane, and transverse shear."""
        out = self._compatible_strains(at)
        out[:, :, :KXX] += self._bubble_strains(at) @ self._bubbles[:, None]
        return out

    def _compatible_strains(self, at: Floats) -> Floats:
        """The strains of the nodes' motion alone."""
        u, theta = self.displacement_slopes(at), self.rotation_slopes(at)
        out = np.zeros((*u.shape[:2], 8, 24))
        out[:, :, XX], out[:, :, YY], out[:, :, XY] = u[:, :, 0, 0], u[:, :, 1, 1], u[:, :, 1, 0] + u[:, :, 0, 1]
        out[:, :, KXX], out[:, :, KYY] = theta[:, :, 0, RY], -theta[:, :, 1, RX]
        out[:, :, KXY] = theta[:, :, 1, RY] - theta[:, :, 0, RX]
        out[:, :, XZ:] = self._transverse_shear(at)
        return out

    def drilling(self, at: Floats = POINTS) -> Floats:
        """(e, g, 24) rotation of the material about z less that of the nodes."""
        u = self.displacement_slopes(at)
        return np.asarray((u[:, :, 0, 1] - u[:, :, 1, 0]) / 2.0 - self.rotation(at)[:, :, RZ])

    def resultants(self, strains: Floats) -> Floats:
        """(..., 8, n) N, M and Q for strains (..., 8, n)."""
        return np.asarray(self.layup.stiffness @ strains)

    def stiffness(self) -> Floats:
        """(e, 24, 24), N/m and N m."""
        area = self.areas()
        B, w = self.strains(), self.drilling()
        K = np.einsum("egai,egaj,eg->eij", B, self.resultants(B), area, optimize=True)
        K += self.layup.A[2, 2] * np.einsum("egi,egj,eg->eij", w, w, area, optimize=True)
        bowed = self._of_nodes(np.broadcast_to(ALTERNATING, (len(area), 24)))
        K += self.layup.A[2, 2] * np.einsum("ei,ej,eg->eij", bowed, bowed, area, optimize=True)
        return np.asarray((K + K.swapaxes(1, 2)) / 2.0)

    @cached_property
    def _bubbles(self) -> Floats:
        """(e, 2, 24) amplitudes of the modes within elements, at which these do no work."""
        C, area = self.layup.stiffness, self.areas()
        own, other = self._bubble_strains(POINTS), self._compatible_strains(POINTS)
        K = np.einsum("egai,ab,egbj,eg->eij", own, C[:3, :3], own, area, optimize=True)
        f = np.einsum("egai,ab,egbj,eg->eij", own, C[:3], other, area, optimize=True)
        return -np.asarray(np.linalg.solve(K, f))

    def _bubble_strains(self, at: Floats) -> Floats:
        """(e, g, 3, 2) strains of the modes (1 - xi_m^2) g_m within elements, g_m the direction of xi_m at the centre.

        Slopes are those of the centre, for the same area, so that they have no mean (Taylor, Beresford and Wilson,
        1976).
        """
        centre = np.zeros((1, 2))
        g = self._map(centre)[:, 0]
        slopes = np.linalg.inv(g)  # columns: slopes along x and y of each natural coordinate
        share = self.areas(centre) / self.areas(at)
        rate = -2.0 * np.einsum("eg,gm,ebm->egbm", share, at, slopes)
        x, y = g[:, None, :, 0], g[:, None, :, 1]
        return np.stack([x * rate[:, :, 0], y * rate[:, :, 1], x * rate[:, :, 1] + y * rate[:, :, 0]], axis=2)

    def _map(self, at: Floats) -> Floats:
        """(e, g, 2, 2) dx_b / dxi_a."""
        return np.einsum("gai,eib->egab", _shape_rates(at), self.x)

    def _slopes(self, rates: Floats, at: Floats) -> Floats:
        """(e, g, 2, s) slopes along x and y of s shapes with these rates (g, 2, s) along the natural directions."""
        return np.asarray(np.linalg.solve(self._map(at), np.broadcast_to(rates, (len(self.corners), *rates.shape))))

    def _bend_edges(self, out: Floats, shapes: Floats) -> None:
        """Add to displacements `out` (e, g, 3, 4, 6) what rotations of nodes about z do to the edges between them.

        Edge ij bows outward by l (theta_j - theta_i) / 8 in its middle; shapes (e or 1, g, 4) are those of the edges.
        """
        for edge, (i, j) in enumerate(EDGES):
            along = self.x[:, j] - self.x[:, i]
            outward = np.stack([along[:, 1], -along[:, 0]], axis=-1) / 8.0
            bow = shapes[:, :, edge, None] * outward[:, None, :]
            out[:, :, :2, i, RZ] -= bow
            out[:, :, :2, j, RZ] += bow

    def _transverse_shear(self, at: Floats) -> Floats:
        """(e, g, 2, 24) xz and yz, from the middles of the edges."""
        e, count = len(self.corners), len(at)
        natural = np.zeros((e, count, 2, 24))
        for a in range(2):
            for side in (-1.0, 1.0):
                middle = np.zeros((1, 2))
                middle[0, 1 - a] = side
                share = (1.0 + side * at[:, 1 - a]) / 2.0
                natural[:, :, a] += share[:, None] * self._edge_shear(middle, a)[:, None]
        return self._of_nodes(np.asarray(np.linalg.solve(self._map(at), natural), dtype=np.float64))

    def _edge_shear(self, at: Floats, a: int) -> Floats:
        """(e, 24) dw/dxi_a + theta_y dx/dxi_a - theta_x dy/dxi_a at one point (1, 2)."""
        out = np.zeros((len(self.corners), 4, 6))
        tangent = self._map(at)[:, 0, a]
        N = bilinear(at)[0]
        out[:, :, UZ] = _shape_rates(at)[0, a]
        out[:, :, RY], out[:, :, RX] = tangent[:, :1] * N, -tangent[:, 1:] * N
        return out.reshape(-1, 24)


def bilinear(at: Floats) -> Floats:
    """(g, 4) shapes of the nodes."""
    return np.asarray(np.prod(1.0 + at[:, None] * CORNERS, axis=2) / 4.0)


def _shape_rates(at: Floats) -> Floats:
    """(g, 2, 4) along the natural directions."""
    near = 1.0 + at[:, None] * CORNERS
    return np.stack([CORNERS[:, 0] * near[..., 1], CORNERS[:, 1] * near[..., 0]], axis=1) / 4.0


def _edge_shapes(at: Floats) -> Floats:
    """(g, 4) of the middles of the edges: 1 there, 0 on the other edges and at the nodes."""
    x, y = at.T
    return (
        np.stack([(1 - x**2) * (1 - y), (1 + x) * (1 - y**2), (1 - x**2) * (1 + y), (1 - x) * (1 - y**2)], axis=1) / 2
    )


def _edge_rates(at: Floats) -> Floats:
    """(g, 2, 4) along the natural directions."""
    x, y = at.T
    along_x = [-2 * x * (1 - y), 1 - y**2, -2 * x * (1 + y), -(1 - y**2)]
    along_y = [-(1 - x**2), -2 * y * (1 + x), 1 - x**2, -2 * y * (1 - x)]
    return np.stack([np.stack(along_x, axis=1), np.stack(along_y, axis=1)], axis=1) / 2.0
