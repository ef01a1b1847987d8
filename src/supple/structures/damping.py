"""Damping of a flexible body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from supple.checks import Floats, number, per_dof
from supple.errors import ModelError
from supple.structures.mass import Sparse


@dataclass(frozen=True)
class Rayleigh:
    """Damping alpha M + beta K.

    Parameters
    ----------
    alpha : float
        1/s.
    beta : float
        s.
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        number(self.alpha, "Rayleigh damping: alpha", minimum=0.0)
        number(self.beta, "Rayleigh damping: beta", minimum=0.0)


Damping = float | Sequence[float] | Rayleigh | None


def damping_matrix(damping: Damping, mass: Sparse, stiffness: Sparse, squares: Floats | None) -> Sparse:
    """C (n, n) of coordinates with these matrices; `squares` (rad^2/s^2) if the coordinates are modes."""
    if damping is None:
        return scipy.sparse.csr_array(mass.shape)
    if isinstance(damping, Rayleigh):
        return scipy.sparse.csr_array(damping.alpha * mass + damping.beta * stiffness)
    if squares is None:
        raise ModelError(f"damping: nodal coordinates have no modes; expected Rayleigh(alpha, beta), got {damping!r}")
    ratios = per_dof(damping, len(squares), "damping", minimum=0.0)
    return scipy.sparse.csr_array(scipy.sparse.diags_array(2.0 * ratios * np.sqrt(squares)))
