"""A reduced body as an external superelement: its root as a grid with six degrees of freedom, its modes as scalars.

With the root's motion u (displacement, then rotation, as Nastran has them) and modal coordinates eta, at rest:

    M = [[M_rr, M_rf], [M_fr, G]]     K = [[0, 0], [0, K]]     C likewise     motion of frames = [phi*, Psi] (u, eta)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.checks import Floats
from supple.structures.discretization.dof_map import cross_matrix
from supple.structures.formats.modal_data import ModalData


@dataclass(frozen=True, eq=False)
class RootSuperelement:
    """Matrices over six degrees of freedom of the root and n modal coordinates.

    Attributes
    ----------
    stiffness, mass, damping : (6 + n, 6 + n) arrays
    recovery : (6 k, 6 + n) array
        Displacement and rotation of all nodes, the root's first.
    labels : tuple of str
        Of the nodes.
    positions : (k, 3) array
    """

    stiffness: Floats
    mass: Floats
    damping: Floats
    recovery: Floats
    labels: tuple[str, ...]
    positions: Floats


def root_superelement(data: ModalData) -> RootSuperelement:
    """Of a body whose first node is its root and the origin of its frame."""
    own, n = data.integrals, len(data.coordinates)
    m, h, J, E, F = own.mass, cross_matrix(own.moment), own.J_0, own.E, own.F_0
    M = np.block([[m * np.eye(3), -h, E.T], [h, J, F.T], [E, F, data.mass_matrix]])
    K, C = (np.pad(x, ((6, 0), (6, 0))) for x in (data.stiffness, data.damping))
    k = len(data.labels)
    turn, eye = -cross_matrix(data.positions), np.broadcast_to(np.eye(3), (k, 3, 3))
    rows = np.concatenate(
        [
            np.concatenate([eye, turn, data.shapes[:, 3:]], axis=2),
            np.concatenate([np.zeros((k, 3, 3)), eye, data.shapes[:, :3]], axis=2),
        ],
        axis=1,
    )
    return RootSuperelement(K, M, C, rows.reshape(6 * k, 6 + n), data.labels, data.positions)
