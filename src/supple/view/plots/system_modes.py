"""Natural frequencies of the whole system, as marks in the spectra of a motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from supple.checks import Floats
from supple.formulations import Formulation
from supple.model.arguments import singular_pivot
from supple.model.complex_steps import imaginary_steps, step_slopes
from supple.model.model import Model
from supple.view.plots.groups import groups
from supple.view.plots.rounding import ROUNDING

if TYPE_CHECKING:
    import xarray as xr

MOST_SPEEDS = 300
"""Larger systems would take longer to linearize than to plot."""
NEAR = 0.5
"""Angles that stay within this range, rad, and quaternions within half of it, are close to their mean."""
SLOW_SPIN = 0.5
"""A mode is marked when every joint turns, on average, at less than this share of its frequency."""


@dataclass(frozen=True)
class SystemModes:
    """Marks at the frequencies of the system, Hz, and a sentence: what they are, or why there are none."""

    note: str
    marks: list[dict[str, Any]] = field(default_factory=list)


def _unmarked(reason: str) -> SystemModes:
    return SystemModes(f"The modes of the system are not marked: {reason}.")


def system_modes(model: Formulation, result: xr.Dataset) -> SystemModes:
    """The oscillations of the system about the mean of its configuration where it stays near, else about its start."""
    if model.nv == 0:
        return SystemModes("")
    if not isinstance(model, Model) or model.loops is not None:
        what = "its loops are closed" if isinstance(model, Model) else "it is an equivalent rigid-link system"
        return _unmarked(f"{what}, and only trees of floating frames are linearized here")
    if model.nv > MOST_SPEEDS:
        return _unmarked(f"it has {model.nv} speeds, more than the {MOST_SPEEDS} that are linearized here")
    configuration, where = _configuration(model, result["q"].values)
    oscillations = _oscillations(model, configuration)
    if oscillations is None:
        return _unmarked("it could not be linearized: nothing resists some of its speeds")
    turns, names = oscillations
    spin, joint = _spin(model, result["v"].values)
    clear = [i for i, turn in enumerate(turns) if spin < SLOW_SPIN * turn]
    if len(turns) and not clear:
        return _unmarked(
            f"{joint} turns at {spin:.3g} rad/s on average, too fast for small motions about one configuration"
        )
    marks = [{"x": float(turns[i] / (2 * np.pi)), "label": names[i]} for i in clear]
    marks.sort(key=lambda mark: float(str(mark["x"])))
    return SystemModes(f"Dashed: modes of the system about {where}." if marks else "", marks)


def _oscillations(model: Model, q: Floats) -> tuple[Floats, list[str]] | None:
    """Angular frequencies, rad/s, about a configuration that is held, and the speed that moves most in each."""
    K, C, M = _slopes(model, q)
    n, size = model.nv, np.diag(M)
    if singular_pivot(M[None]):
        return None
    if not C.any() and np.allclose(K, K.T, rtol=0.0, atol=ROUNDING * np.abs(K).max(initial=0.0)):
        squares, shapes = scipy.linalg.eigh((K + K.T) / 2.0, M)
        values, vectors = np.sqrt(squares.astype(complex)) * 1j, shapes
    else:
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, np.hstack([K, C]))]])
        if not np.isfinite(A).all():
            return None
        values, vectors = np.linalg.eig(A)
        vectors = vectors[n:]
    # Two of a pair; what rounding makes of zero is below a millionth of the fastest.
    found = [i for i in np.argsort(values.imag) if values[i].imag > 1e-6 * np.abs(values).max(initial=0.0)]
    most = [int(np.argmax(np.abs(vectors[:, i]) * np.sqrt(size))) for i in found]
    return values.imag[found], [model.speeds[i] for i in most]


def _slopes(model: Model, q: Floats) -> tuple[Floats, Floats, Floats]:
    """K, C, M (nv, nv): changes of inverse dynamics at rest with q, v and a, by imaginary steps in one batch.

    The plain twin takes them without recording anything: a structure that was never linearized costs nothing more.
    """
    n, rest = model.nv, np.zeros(model.nv)
    along_q, along_v, along_a = np.zeros((3, n, len(q))), np.zeros((3, n, n)), np.zeros((3, n, n))
    along_q[0], along_v[1], along_a[2] = model.tangent(q).T, np.eye(n), np.eye(n)
    states = imaginary_steps(q, along_q), imaginary_steps(rest, along_v), imaginary_steps(rest, along_a)
    by_q, by_v, by_a = step_slopes(model.inverse_dynamics(*states))
    return by_q.T, by_v.T, by_a.T


def _configuration(model: Model, q: Floats) -> tuple[Floats, str]:
    """Where to linearize, and how to call that."""
    for (modal, unit), columns in groups(model, "q", model.coordinate_units).items():
        allowed = {"rad": NEAR, "1": NEAR / 2.0}.get(unit, np.inf)
        if not modal and np.ptp(q[:, columns], axis=0).max(initial=0.0) > allowed:
            return q[0], "its configuration at the start"
    return model.normalize(q.mean(axis=0)), "its mean configuration"


def _spin(model: Model, v: Floats) -> tuple[float, str]:
    """The maximum mean angular speed of a joint, rad/s, and its name."""
    turning = groups(model, "v", model.speed_units).get((False, "rad/s"))
    if not turning:
        return 0.0, ""
    mean = np.abs(v[:, turning].mean(axis=0))
    return float(mean.max()), model.speeds[turning[int(mean.argmax())]]
