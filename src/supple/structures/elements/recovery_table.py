"""Strains, stresses and section forces: rows that give them from the motion of nodes or from coordinates.

Signs. Strains and stresses are in the axes of the element: for a beam x along it, y and z those of its section; for
solids the structure's. Axial strain is positive where the beam is stretched. Curvature y and z are the rates along x of
the section's turn about y and z, twist that of its turn about x: the moments they belong to are E Iy, E Iz and G J
times them. A fibre at (y, z) of the section has the strain axial + z (curvature y) - y (curvature z). Shear strains are
changes of right angles, du/dy + dv/dx: stress over G.

Section forces act on a section from the side where x is larger. So N is positive in tension, and the forces at the
outer end of a cantilever are those that are applied there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from supple.call_checks import checked
from supple.checks import Floats, Ints, floats, freeze
from supple.errors import ModelError, StateError
from supple.structures.discretization.mass import Sparse
from supple.structures.materials import Material

STRESSES = ("xx", "yy", "zz", "xy", "yz", "zx")
RESULTANTS = ("N", "Vy", "Vz", "T", "My", "Mz")
SOLID = ("strain xx", "strain yy", "strain zz", "shear xy", "shear yz", "shear zx")
UNITS = {"axial strain": "1", "twist": "rad/m", "curvature y": "1/m", "curvature z": "1/m"}
UNITS |= dict.fromkeys(STRESSES, "Pa") | dict.fromkeys(RESULTANTS[:3], "N") | dict.fromkeys(RESULTANTS[3:], "N m")
DISTORTION = np.zeros((5, 6))
"""Rows whose product with the six components has the norm of von Mises stress."""
DISTORTION[0, :2] = np.sqrt(0.75) * np.array([1.0, -1.0])
DISTORTION[1, :3] = [0.5, 0.5, -1.0]
DISTORTION[2:, 3:] = np.sqrt(3.0) * np.eye(3)
TIED = 1.0 + 1e-6
"""Points this much farther than the nearest one are as near."""


@checked
@dataclass(frozen=True, eq=False)
class RecoveryTable:
    """Rows of strains, stresses or section forces at p places, in c unit motions.

    Attributes
    ----------
    places : (p,) tuple of str
        Of a beam "3-4", the element between these nodes, "3-4 at 3", its end at a node, or "3-4 at 3 +y-z", a point of
        the section there; of a solid "element 12" or "node 12"; of a plate "element 12 upper" or "node 12 upper".
    quantities : tuple of str
        Of stresses and section forces the six that each place has: xx, yy, zz, xy, yz, zx (Pa), or N, Vy, Vz (N), T,
        My, Mz (N m). Of strains one for each place: "axial strain", "twist", "curvature y", "fibre +y-z", "strain xx",
        "shear xy" and similar.
    nodes : (p,) array of int
        The node of each place, -1 where it is at none.
    positions : (p, 3) array
        Undeformed, m: in the structure's frame, of a body in the body's.
    matrix : (rows, c) sparse array
        The quantities of the first place, of the second, and so on.
    material : (p, 3) array
        Young's modulus (Pa), Poisson's ratio and yield strength (Pa) there; NaN where they are not known.
    elements : (p,) tuple of str
        What each place belongs to in tables of maxima: "3-4", "node 12".
    """

    places: tuple[str, ...]
    quantities: tuple[str, ...]
    nodes: Ints
    positions: Floats
    matrix: scipy.sparse.csr_array
    material: Floats
    elements: tuple[str, ...]

    def __post_init__(self) -> None:
        freeze(self, "nodes", "positions", "matrix", "material")
        p, w = len(self.places), self.width
        shapes = len(self.elements), self.nodes.shape, self.positions.shape, self.material.shape, self.matrix.shape[0]
        if shapes != (p, (p,), (p, 3), (p, 3), p * w) or (p and len(self.quantities) != (p if w == 1 else w)):
            raise ModelError(
                f"recovery table: expected for {p} places elements, nodes ({p},), positions ({p}, 3), material "
                f"({p}, 3) and a row for each quantity of each place, got "
                f"{', '.join(map(str, shapes))} rows and {len(self.quantities)} quantities"
            )
        if not (np.isfinite(self.positions).all() and np.isfinite(self.matrix.data).all()):
            raise ModelError("recovery table: expected finite numbers in positions and matrix")

    def __len__(self) -> int:
        return len(self.places)

    @property
    def width(self) -> int:
        """Number of quantities at each place."""
        return self.matrix.shape[0] // len(self.places) if self.places else len(self.quantities)

    @property
    def modulus(self) -> Floats:
        """(p,) Young's modulus, Pa."""
        return np.asarray(self.material[:, 0])

    @property
    def strength(self) -> Floats:
        """(p,) yield strength, Pa."""
        return np.asarray(self.material[:, 2])

    @property
    def labels(self) -> tuple[str, ...]:
        """Place and quantity of each strain, as in "3-4 at 3 curvature y"."""
        return tuple(f"{place} {quantity}" for place, quantity in zip(self.places, self.quantities, strict=True))

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each quantity."""
        return tuple(UNITS.get(quantity, "1") for quantity in self.quantities)

    def values(self, motion: Floats) -> Floats:
        """Return the quantities (..., p, width) for amplitudes (..., c) of the motions."""
        flat = motion.reshape(-1, motion.shape[-1])
        found = np.asarray((self.matrix[:, : flat.shape[1]] @ flat.T).T)
        return found.reshape(*motion.shape[:-1], len(self), self.width)

    def at(self, places: Sequence[int] | Ints) -> RecoveryTable:
        """Return some of the places."""
        chosen, w = np.asarray(places, np.int64), self.width
        if chosen.ndim != 1:
            raise StateError(f"places: expected a list of their numbers, got shape {chosen.shape}")
        matrix: Any = self.matrix[(w * chosen[:, None] + np.arange(w)).ravel()]
        return RecoveryTable(
            tuple(self.places[i] for i in chosen),
            self.quantities if w > 1 else tuple(self.quantities[i] for i in chosen),
            self.nodes[chosen],
            self.positions[chosen],
            scipy.sparse.csr_array(matrix),
            self.material[chosen],
            tuple(self.elements[i] for i in chosen),
        )

    def in_motions(self, matrix: Any) -> RecoveryTable:
        """Return the same places in other motions, with other rows."""
        return replace(self, matrix=scipy.sparse.csr_array(matrix))

    def near(self, points: Floats) -> Sparse:
        """Return weights (n, p) of the places nearest to points (n, 3); several that are equally near count alike."""
        tree = scipy.spatial.KDTree(self.positions)
        distance, _ = tree.query(points)
        size = float(np.ptp(self.positions, axis=0).max(initial=0.0))
        found: Any = tree.query_ball_point(points, distance * TIED + 1e-9 * size)
        counts = np.array([len(x) for x in found])
        rows, columns = np.repeat(np.arange(len(points)), counts), np.concatenate([np.sort(x) for x in found])
        shape = (len(points), len(self))
        return scipy.sparse.csr_array((1.0 / np.repeat(counts, counts), (rows, columns.astype(np.int64))), shape=shape)

    def utilization(self, values: Floats) -> Floats:
        """Return stress over yield strength (..., p) for strains (..., p).

        Of beams it is the stress along a fibre or the axis, of solids the von Mises stress, which all six places of an
        element show. It is NaN for other strains, and where the yield strength is not known.
        """
        E, nu, limit = self.material.T
        out = np.full(np.shape(values), np.nan)
        along = np.array([kind == "axial strain" or kind.startswith("fibre") for kind in self.quantities], bool)
        out[..., along] = (E * np.abs(values) / limit)[..., along]
        every = np.flatnonzero(np.array(self.quantities) == SOLID[0])[:, None] + np.arange(6)
        G = E[every] / (2.0 * (1.0 + nu[every]))
        stress = values[..., every] * G * [2.0, 2.0, 2.0, 1.0, 1.0, 1.0]
        out[..., every] = np.linalg.norm(stress @ DISTORTION.T, axis=-1)[..., None] / limit[every]
        return out


def joined_tables(parts: Sequence[RecoveryTable]) -> RecoveryTable:
    """Return the places of several parts of one structure, in the same motions."""
    return RecoveryTable(
        tuple(place for part in parts for place in part.places),
        tuple(quantity for part in parts for quantity in part.quantities)
        if parts[0].width == 1
        else parts[0].quantities,
        np.concatenate([part.nodes for part in parts]),
        np.concatenate([part.positions for part in parts]),
        scipy.sparse.csr_array(scipy.sparse.vstack([part.matrix for part in parts])),
        np.concatenate([part.material for part in parts]),
        tuple(element for part in parts for element in part.elements),
    )


def material_rows(material: Material | Any, count: int) -> Floats:
    """Return (count, 3) Young's modulus, Poisson's ratio and yield strength; NaN if the material is not isotropic."""
    if not isinstance(material, Material):
        return np.full((count, 3), np.nan)
    strength = np.nan if material.yield_strength is None else material.yield_strength
    return np.tile([material.E, material.nu, strength], (count, 1))


@checked
def von_mises(components: Floats) -> Floats:
    """Return the von Mises stress (...) of components (..., 6)."""
    x = floats(components)
    if x is None or x.shape[-1:] != (6,):
        raise StateError(
            f"von Mises stress: components: expected numbers of shape (..., 6), got {np.shape(components)}"
        )
    return np.asarray(np.linalg.norm(x @ DISTORTION.T, axis=-1))
