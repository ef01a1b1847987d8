"""Equations of motion as they stand, for IDA: what a state and its rate leave of them, on numbers or on nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class MotionBalance(NamedTuple):
    """Both sides of the equations at a state.

    Attributes
    ----------
    prescribed : (nv,) array of bool
        Degrees of freedom whose acceleration is prescribed.
    known : (nv,) array
        Generalized forces, prescribed accelerations.
    needed : (nv,) array
        Generalized forces that the accelerations take.
    q_rate : (nq,) array
        Rates of the coordinates that the speeds give.
    z_rate : (integrals,) array
        Rates of the integrals.
    """

    prescribed: NDArray[np.bool_]
    known: Any
    needed: Any
    q_rate: Any
    z_rate: Any

    def residual(self, rate: Any) -> Any:
        """What a rate (n,) of the state leaves of the equations of coordinates, speeds and integrals."""
        nq, nv = len(self.q_rate), len(self.known)
        moved = np.where(self.prescribed, rate[nq : nq + nv], self.needed) - self.known
        return np.concatenate([rate[:nq] - self.q_rate, moved, rate[nq + nv :] - self.z_rate])
