"""Small motions about a state, in tangent coordinates: what all linearizations share.

x are changes of the coordinates in the directions of the speeds, dq = S x with S = `Model.tangent(q)`; y are changes of
the speeds:

    x' = N x + y        y' = (da/dx) x + (da/dv) y + M^-1 u
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.model.complex_steps import by_complex_steps, imaginary_steps, step_slopes

if TYPE_CHECKING:
    from supple.model.model import Model

Numbers = NDArray[Any]
Floats = NDArray[np.float64]
Differentiation = Callable[[Callable[[Numbers], Numbers], Numbers, Numbers], Floats]


class AccelerationSlopes(NamedTuple):
    """Changes (..., nv, nv) of the accelerations with x and with the speeds."""

    by_x: Floats
    by_v: Floats


def acceleration_slopes(
    forward_dynamics: Callable[..., Numbers],
    state: tuple[Floats, Floats, Floats],
    S: Floats,
    differentiated: Differentiation = by_complex_steps,
) -> AccelerationSlopes:
    """Changes of the accelerations that forward dynamics gives close to a state.

    Parameters
    ----------
    forward_dynamics : function of (q, v, tau)
        Takes leading axes.
    state : q (..., nq), v (..., nv), tau (..., nv)
    S : (..., nq, nv) array
        The directions of the speeds, `Model.tangent(q)`.
    differentiated : function
        `by_complex_steps`, or `by_differences` where the function takes real numbers only.
    """
    q, v, _ = state
    q1, v1, tau1 = (np.expand_dims(x, -2) for x in state)
    by_x = differentiated(lambda x: forward_dynamics(x, v1, tau1), q, np.swapaxes(S, -1, -2))
    by_v = differentiated(lambda x: forward_dynamics(q1, x, tau1), v, np.eye(v.shape[-1]))
    return AccelerationSlopes(by_x, by_v)


def accelerations_of(model: Model) -> Callable[..., Numbers]:
    """Forward dynamics for `acceleration_slopes`; `Model.forward_dynamics` would be compiled for real states too."""

    def accelerations(q: Numbers, v: Numbers, tau: Numbers) -> Numbers:
        return model.hybrid_dynamics(q, v, tau, {})[0]

    return accelerations


def direction_rates(model: Model, q: Floats, v: Floats) -> Floats:
    """N (..., nv, nv): how the directions of the speeds turn with the motion; zero at rest.

    From S x' = d(S v)/dq S x + S y - dS/dt x.
    """
    found = model.evaluation.direction_rates(q.reshape(-1, model.nq), v.reshape(-1, model.nv))
    if found is not None:
        return found.reshape((*v.shape, model.nv))
    S = model.tangent(q)
    by_x = by_complex_steps(lambda x: model.derivative(x, np.expand_dims(v, -2)), q, np.swapaxes(S, -1, -2))
    rate = step_slopes(model.tangent(imaginary_steps(q, np.expand_dims(model.derivative(q, v), -2))[..., 0, :]))
    return np.asarray(np.linalg.pinv(S) @ (by_x - rate), dtype=np.float64)


def linearized(model: Model, q: Floats, v: Floats, tau: Floats) -> tuple[Floats, Floats]:
    """A (s, 2 nv, 2 nv) and B (s, 2 nv, nv): (x, y)' = A (x, y) + B u."""
    n = model.nv
    A, B = np.zeros((*q.shape[:-1], 2 * n, 2 * n)), np.zeros((*q.shape[:-1], 2 * n, n))
    A[..., :n, :n], A[..., :n, n:] = direction_rates(model, q, v), np.eye(n)
    if model.evaluation.tangents is None:
        A[..., n:, :n], A[..., n:, n:] = acceleration_slopes(accelerations_of(model), (q, v, tau), model.tangent(q))
        B[..., n:, :] = _by_forces(model, q, v, tau)
    else:
        model.forward_dynamics(q, v, tau)  # says which degree of freedom has no inertia
        _, A[..., n:, :n], A[..., n:, n:], B[..., n:, :] = model.compile(
            "forward_dynamics", derivatives=("q", "v", "tau")
        )(q, v, tau)
    return A, B


def _by_forces(model: Model, q: Floats, v: Floats, tau: Floats) -> Floats:
    """Changes (s, nv, nv) of the accelerations with tau, where there are no tangents."""
    if model.loops is None:
        return model.inverse_mass_matrix(q)
    q1, v1 = (np.expand_dims(x, -2) for x in (q, v))
    accelerations = accelerations_of(model)
    return by_complex_steps(lambda x: accelerations(q1, v1, x), tau, np.eye(model.nv))
