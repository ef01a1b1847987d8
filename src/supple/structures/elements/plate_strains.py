"""Strains on both faces of plates and shells, at the centres of their elements, in the axes of these.

Of an isotropic face the six components of a solid, with the strain across that leaves the face free of stress, so that
all that is done with solids' strains holds. Of an orthotropic face three, along its fibres.
"""

from __future__ import annotations

import numpy as np

from supple.checks import Floats
from supple.structures.elements.plate_element import KXX, XX, PlateElements
from supple.structures.elements.strains import SOLID, Strains, elasticity, element_rows, joined
from supple.structures.materials import Material

FACES = ("lower", "upper")
LAYER: tuple[str, ...] = ("strain 11", "strain 22", "shear 12")
CENTRE = np.zeros((1, 2))


def of_plate(plate: PlateElements) -> Strains | None:
    """Gauges named "element 12 upper"; None where the layers are not known."""
    layers = plate.layup.layers
    if not layers:
        return None
    gauges = []
    for face, layer, side in zip(FACES, (layers[0], layers[-1]), (-1.0, 1.0), strict=True):
        z = side * plate.layup.thickness / 2.0
        own = plate.strains(CENTRE)[:, 0]
        strain = own[:, XX : XX + 3] + z * own[:, KXX : KXX + 3]
        if isinstance(layer.material, Material):
            rows, names = _free_face(strain, layer.material.nu), tuple(SOLID)
            stiff = elasticity(layer.material, len(SOLID) * len(strain))
        else:
            rows, names = layer.to_fibres() @ strain, LAYER
            stiff = np.full((len(LAYER) * len(strain), 3), np.nan)
        centres = plate.positions(CENTRE)[:, 0] + z * plate.element_normals()
        places = tuple(f"element {i} {face}" for i in range(len(strain)) for _ in names)
        matrix = element_rows(rows, plate.dofs[:, None], 6 * len(plate.nodes))
        gauges.append(Strains(places, names * len(strain), np.repeat(centres, len(names), axis=0), matrix, stiff))
    return joined(gauges)


def _free_face(strain: Floats, nu: float) -> Floats:
    """(e, 6, 24) all strains from those in the plane (e, 3, 24), without stress across."""
    out = np.zeros((len(strain), 6, strain.shape[2]))
    out[:, [0, 1, 3]] = strain
    out[:, 2] = -nu / (1.0 - nu) * (strain[:, 0] + strain[:, 1])
    return out
