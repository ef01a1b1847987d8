"""Small oscillations of a tree about a configuration, for which nothing is recorded or compiled."""

from __future__ import annotations

import numpy as np
import scipy

from supple.checks import Floats
from supple.model.arguments import singular_pivot
from supple.model.complex_steps import imaginary_steps, step_slopes
from supple.model.model import Model

ROUNDING = 1e-12
"""Asymmetry of a stiffness, relative to its largest entry, that is rounding."""


def oscillations_about(model: Model, q: Floats) -> tuple[Floats, list[str]] | None:
    """Return the angular frequencies, rad/s, about a configuration that is held, and the speed that moves most in each.

    None if nothing resists some speed.
    """
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
