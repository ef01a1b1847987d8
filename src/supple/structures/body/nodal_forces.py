"""Forces at the nodes of a flexible body that moves: f_s of Jain and Rodriguez (3.32).

f_s(j) = M_s(j) alpha_s(j) + b(j) + f_K(j): what has to act on node j, from outside or through the hinges, for the
motion that it has. With a consistent mass matrix the nodal sums become products with the rows of mass, so that the
forces of all nodes do the virtual work of all material points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.call_checks import checked
from supple.checks import Floats, array
from supple.errors import ModelError
from supple.structures.body.flexible_body import FlexibleBody
from supple.structures.discretization.dof_map import cross_matrix

if TYPE_CHECKING:
    from supple.structures.structure import Structure


@checked
@dataclass(frozen=True, eq=False)
class BodyMotion:
    """How a flexible body moves, in its own axes.

    Parameters
    ----------
    velocity : (6,) array_like
        Of the body frame: angular, then linear.
    acceleration : (6,) array_like
        Of the body frame, gravity subtracted: so gravity acts on all nodes.
    eta, eta_rate, eta_acceleration : (n,) array_like
        Coordinates of deformation and their derivatives.
    """

    velocity: ArrayLike
    acceleration: ArrayLike
    eta: ArrayLike
    eta_rate: ArrayLike
    eta_acceleration: ArrayLike


@checked
def nodal_forces(structure: Structure, body: FlexibleBody, motion: BodyMotion) -> Floats:
    """Moment and force (k, 6) on all nodes of a structure for the motion of a body that was made of it, body axes.

    Of nodes in a rigid region the forces are those of their own elements and masses. As in the source, displacements
    are those of first order: the sums are those of a body with `stiffening=False`.

    Parameters
    ----------
    structure : Structure
        With its elements' matrices.
    body : FlexibleBody
        What `structure.reduce` gave.
    motion : BodyMotion
    """
    n, layout, masses = body.modes, structure.layout, structure.masses
    origin = structure.nodes[0] - body.nodes[0] if len(body.nodes) else np.zeros(3)
    if body.nodes.shape != structure.nodes.shape or not np.allclose(body.nodes + origin, structure.nodes):
        raise ModelError(
            f"nodal forces: expected a body of this structure, with {len(structure.nodes)} nodes in the same places, "
            f"got one with {len(body.nodes)}"
        )
    V, A = (
        array(x, (6,), f"nodal forces: {name}")
        for name, x in (("velocity", motion.velocity), ("acceleration", motion.acceleration))
    )
    eta, rate, second = (
        array(x, (n,), f"nodal forces: {name}")
        for name, x in (
            ("eta", motion.eta),
            ("eta_rate", motion.eta_rate),
            ("eta_acceleration", motion.eta_acceleration),
        )
    )
    Pi = layout.motion.T @ body.shapes  # of the degrees of freedom alone
    u, du, ddu = Pi @ eta, Pi @ rate, Pi @ second
    w, alpha = cross_matrix(V[:3]), cross_matrix(A[:3])
    seen = masses.seen_from(origin)
    displaced, moving = (np.stack([P @ x for P in seen.motion], axis=-1) for x in (u, du))
    # What rigid motion and deformation do together, point by point: b(j), and alpha~ on the deformed place.
    extra = displaced @ alpha.T + (seen.positions + displaced) @ (w @ w).T + 2.0 * moving @ w.T
    weighted = seen.weights @ extra
    force = masses.matrix @ (layout.rigid_motions(origin) @ A + ddu) + structure.stiffness @ u
    force = force + sum(P.T @ weighted[:, a] for a, P in enumerate(seen.motion))
    return np.asarray(layout.motion @ force).reshape(-1, 6)
