"""Requirements of integrators, checked before a run begins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from supple.description.members import Placed
from supple.errors import StateError
from supple.integrators import ESDIRK54, GeneralizedAlpha, Integrator, Variational
from supple.simulation.driven_system import DrivenSystem
from supple.simulation.methods.variational_kernels import require_variational


def require_inertia(system: DrivenSystem, q: NDArray[np.float64], v: NDArray[np.float64]) -> None:
    """Raise what forward dynamics does where a speed has no inertia: rates would be finite if nothing acts on it.

    Bodies with mass and inertia of their own give all that carries them inertia, so that there is nothing to compute.
    """
    if not all(map(_resists_all_motions, system.model.description.bodies.values())):
        system.model.hybrid(q, v, np.zeros_like(v), system.prescribed)


def _resists_all_motions(placed: Placed) -> bool:
    """Return whether a body has mass and inertia about all axes, or its joint on all its speeds, or no speeds."""
    if all(x > 0.0 for x in placed.joint.inertia):  # type: ignore[union-attr]  # a tuple, one for each speed
        return True
    return placed.body.mass > 0.0 and bool(np.linalg.eigvalsh(placed.body.inertia)[0] > 0.0)


def require_steps(system: DrivenSystem, wanted: Integrator) -> None:
    """Refuse laws that an integrator does not take."""
    if isinstance(wanted, GeneralizedAlpha | ESDIRK54) and system.prescribed_modes:
        raise StateError(f"motion: {wanted.name} takes no prescribed modes; expected adaptive or explicit steps")
    if isinstance(wanted, Variational):
        require_variational(system)
