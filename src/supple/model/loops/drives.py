"""Inverse dynamics of a closed system: the generalized forces of some drives that give it its accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError

if TYPE_CHECKING:
    from supple.model.loops.loops import Loops

Numbers = NDArray[Any]
UNDRIVEN = 1e-6
"""Error of an acceleration, relative to the largest, that is more than rounding and regularization."""


def drive_forces(loops: Loops, q: Numbers, v: Numbers, a: Numbers, speeds: Sequence[str]) -> Numbers:
    """Forces (states, nv) of drives on these speeds for accelerations a (states, nv), least in size.

    With Z the motions that the constraints allow, Z* (inverse dynamics) = Z* tau: their forces do no work on them.
    """
    m, chosen = loops.model, np.flatnonzero(loops.held(speeds, "speeds"))
    tau = np.zeros((len(q), m.nv))
    needed = m.inverse_dynamics(q, v, a)
    for n, J in enumerate(loops.jacobian(q)):
        Z = loops.redundancy(J).motions.T
        tau[n, chosen] = np.linalg.lstsq(Z[:, chosen], Z @ needed[n], rcond=None)[0]
    unit = loops.scales.speeds
    off, free = m.forward_dynamics(q, v, tau) - a, m.forward_dynamics(q, v, np.zeros_like(tau))
    off, free, wanted = (np.abs(x) / unit for x in (off, free, a))
    if (off.max(axis=1, initial=0.0) > UNDRIVEN * np.maximum(free, wanted).max(axis=1, initial=0.0)).any():
        state, i = np.unravel_index(int(off.argmax()), off.shape)
        raise StateError(
            f"model {m.name!r}: drives on {', '.join(speeds)} cannot give these accelerations, which "
            f"contradict the constraints or need other drives: that of {m.speeds[i]!r} would be off by "
            f"{off[state, i] * unit[i]:.3g}"
        )
    return tau
