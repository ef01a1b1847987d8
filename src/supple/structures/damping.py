"""Damping of a flexible body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from supple.call_checks import checked
from supple.checks import Floats, number, per_dof
from supple.errors import ModelError
from supple.structures.discretization.mass import Sparse


@checked
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

    @classmethod
    def at(cls, frequencies: Sequence[float], ratios: Sequence[float]) -> Rayleigh:
        """Return the damping with these ratios at one or two frequencies: zeta = (alpha / w + beta w) / 2, w = 2 pi f.

        With one frequency alpha is zero. Then the ratio also holds for motions of a whole mechanism at this frequency,
        as far as the deformation of such bodies makes their stiffness. The mass in alpha M is that of the body alone:
        what it carries adds none.

        Parameters
        ----------
        frequencies : one or two floats
            Hz.
        ratios : one or two floats

        Examples
        --------
        >>> Rayleigh.at([10.0], [0.02]).alpha
        0.0
        >>> found = Rayleigh.at([10.0, 40.0], [0.02, 0.03])
        >>> w = 2.0 * np.pi * 40.0
        >>> round(float(found.alpha / w + found.beta * w) / 2.0, 12)
        0.03
        """
        what = "Rayleigh damping: frequencies and ratios"
        w = 2.0 * np.pi * np.atleast_1d(np.asarray(frequencies, dtype=float))
        zeta = np.atleast_1d(np.asarray(ratios, dtype=float))
        if w.ndim != 1 or len(w) not in (1, 2) or w.shape != zeta.shape:
            raise ModelError(f"{what}: expected one or two of each, got {frequencies!r} and {ratios!r}")
        if not (np.isfinite(w) & (w > 0.0) & np.isfinite(zeta) & (zeta >= 0.0)).all() or len(set(w)) < len(w):
            raise ModelError(
                f"{what}: expected different frequencies above zero and ratios of zero or more, got "
                f"{frequencies!r} and {ratios!r}"
            )
        if len(w) == 1:
            return cls(0.0, float(2.0 * zeta[0] / w[0]))
        alpha, beta = np.linalg.solve(np.column_stack([0.5 / w, 0.5 * w]), zeta)
        if min(alpha / w.max(), beta * w.max()) < -1e-12 * zeta.max():
            low, high = np.argmin(w), np.argmax(w)
            f, bounds = w / (2.0 * np.pi), zeta[low] * np.array([w[low] / w[high], w[high] / w[low]])
            raise ModelError(
                f"{what}: with {zeta[low]:g} at {f[low]:g} Hz the ratio at {f[high]:g} Hz must be between "
                f"{bounds[0]:.3g} and {bounds[1]:.3g}, got {zeta[high]:g}"
            )
        return cls(max(float(alpha), 0.0), max(float(beta), 0.0))


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
