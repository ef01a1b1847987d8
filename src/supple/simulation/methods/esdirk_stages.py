"""Stages of diagonally implicit Runge-Kutta steps, solved by the recursions.

The equations are q' = T(q) v, M(q) v' = f(q, v, t). A stage at the time t has

    v = v_b + g w,   q = q_b + g T(q) v,   M(q) w = f(q, v, t),   g = h gamma,

where v_b and q_b come from the stages before. The accelerations w are found by Newton iterations with
M + g C + g^2 K in the place of the derivative, which has the operator factors of M (see `generalized_alpha`): each is
one inverse dynamics and two vector sweeps, and products with rows for springs between frames. Quaternions are
coordinates like others in T(q) v; rotations are taken from their direction alone, and their length is made one after
every step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.engines.kernels import step
from supple.engines.llvm.call import _invoke
from supple.stepping.esdirk_coefficients import DIAGONAL, Coefficients
from supple.stepping.native_loop import ErrorRule, add_row, allowed_errors, copy

MOST = 12
"""Newton iterations in a stage."""
KEPT_ERROR = 0.02
"""Share of the allowed error that Newton's iteration may leave."""


class StageKernels(NamedTuple):
    """Addresses of machine code.

    Attributes
    ----------
    laws : int
        (t, y, u) -> (q, v, known, z_rate); 0 where nothing acts.
    rates : int
        (q, v) -> dq/dt.
    events : int
        (t, y, u) -> watched functions; 0 for none.
    project : int
        (t, y, u) -> (y with loops closed, margins of their rows); 0 without loops.
    renewed, kept : (rungs,) arrays of int
        (q, v, known, w) -> (force, correction) for each rung, as in `alpha_loop`; 0 for those that are not made yet.
    """

    laws: int
    rates: int
    events: int
    project: int
    renewed: Any
    kept: Any


class StageParts(NamedTuple):
    """A state and its parts, which are the same memory."""

    y: Any
    q: Any
    v: Any
    z: Any


class Stage(NamedTuple):
    """A stage as it is so far, and what is made of it.

    Attributes
    ----------
    now, base : StageParts
        The state of the stage; what the stages before make of it.
    w : (nv,) array
        Accelerations.
    q, v, known, z_rate : arrays
        What the laws make of it: forces or prescribed accelerations are known.
    rate, r : arrays
        Rates of the coordinates, and of all integrals.
    force, correction : (nv,) arrays
        Forces that the accelerations take, and by how much these change.
    given : (nv,) array of bool
        Degrees of freedom whose acceleration is prescribed.
    before, allowed : (n,) arrays
        The state one iteration before; errors that are allowed.
    tt : (1,) array
        Time.
    """

    now: StageParts
    base: StageParts
    w: Any
    q: Any
    v: Any
    known: Any
    z_rate: Any
    rate: Any
    r: Any
    force: Any
    correction: Any
    given: Any
    before: Any
    allowed: Any
    tt: Any


class Passage(NamedTuple):
    """Where an integration is; all of it is changed in place.

    Attributes
    ----------
    clock : (6,) array
        Time, end, next step length; time and length of the last step; size of the last error.
    y, u : arrays
        State; held values.
    sizes : (2, groups) array
        Of the motion so far; working space.
    g : (3, e) array
        See `segment.Task.signs`.
    counts : (7,) array of int
        Outputs done, steps taken, steps rejected, short ones in a row, Newton iterations, the rung that is needed or
        was last taken, whether the last step was rejected.
    lengths : (rungs,) array
        Of steps.
    quaternions : (k,) array of int
        Where in q each begins.
    """

    clock: Any
    y: Any
    u: Any
    sizes: Any
    g: Any
    counts: Any
    lengths: Any
    quaternions: Any


@step
def find_stage(kernels: StageKernels, g: float, u: Any, x: Stage) -> None:
    """The state of a stage with its accelerations, and what the laws make of it."""
    for j in range(len(x.w)):
        x.now.v[j] = x.base.v[j] + g * x.w[j]
    _invoke(kernels.rates, 0, 1, (x.q, x.now.v, x.rate))
    for j in range(len(x.rate)):
        x.now.q[j] = x.base.q[j] + g * x.rate[j]
    for j in range(len(x.r)):
        x.now.z[j] = x.base.z[j] + g * x.r[j]
    if kernels.laws != 0:
        _invoke(kernels.laws, 0, 1, (x.tt, x.now.y, u, x.q, x.v, x.known, x.z_rate))
        integral_rates(x)


@step
def integral_rates(x: Stage) -> None:
    """Rates of all integrals, of which the last is the work of the laws."""
    power, n = 0.0, len(x.z_rate)
    for j in range(len(x.w)):
        power += (x.force[j] if x.given[j] else x.known[j]) * x.v[j]
    for j in range(len(x.r)):
        x.r[j] = x.z_rate[j] if j < n else power


@step
def correct_stage(kernel: int, x: Stage) -> None:
    """One Newton iteration for the accelerations."""
    for j in range(len(x.w)):
        if x.given[j]:
            x.w[j] = x.known[j]
    _invoke(kernel, 0, 1, (x.q, x.v, x.known, x.w, x.force, x.correction))
    for j in range(len(x.w)):
        x.w[j] += x.correction[j]


@step
def share(change: Any, before: Any, allowed: Any, weight: Any) -> float:
    """The difference of two states against what is allowed: root of the mean square."""
    total, count = 0.0, 0.0
    for i in range(len(change)):
        total += weight[i] * ((change[i] - before[i]) / allowed[i]) ** 2
        count += weight[i]
    return np.sqrt(total / max(count, 1.0))


@step
def start_stage(s: int, h: float, now: Passage, tables: Coefficients, K: Any, x: Stage) -> None:
    """What the stages before make of stage s, and a first guess of it."""
    nq, nv = len(x.rate), len(x.w)
    copy(now.y, x.base.y)
    for i in range(s):
        add_row(h * tables.A[s, i], K[i], x.base.y)
    for j in range(nv):
        x.w[j] = 0.0
        for i in range(s):
            x.w[j] += tables.P[s, i] * K[i, nq + j]
    for j in range(nq):
        x.q[j] = x.base.q[j]
    for j in range(len(x.r)):
        x.r[j] = K[s - 1, nq + nv + j]


@step
def solve_stage(
    kernels: StageKernels,
    first: int,
    kept: int,
    h: float,
    now: Passage,
    rule: ErrorRule,
    x: Stage,
    speed: float,
) -> tuple[int, float]:
    """Iterations until a stage has converged, and how much smaller each correction was; -1 if it did not converge.

    `speed` is what is known of that from stages before, 0 if nothing is.
    """
    g, before, slowest = h * DIAGONAL, 0.0, speed
    find_stage(kernels, g, now.u, x)
    for tries in range(MOST):
        correct_stage(first if tries == 0 else kept, x)
        copy(x.now.y, x.before)
        find_stage(kernels, g, now.u, x)
        allowed_errors(h, now.clock[1], now.y, x.now.y, rule, now.sizes, x.allowed)
        size = share(x.now.y, x.before, x.allowed, rule.weight)
        if not size < np.inf:
            return -tries - 1, slowest
        if size <= 1e-3 * KEPT_ERROR:
            return tries + 1, slowest
        if tries > 0:
            slowest = max(slowest, size / before)
        if slowest >= 1.0:
            return -tries - 1, slowest
        if slowest > 0.0 and size * slowest <= KEPT_ERROR * (1.0 - slowest):
            return tries + 1, slowest
        before = size
    return -MOST, slowest


@step
def finish_stage(kernels: StageKernels, kept: int, g: float, s: int, K: Any, x: Stage) -> None:
    """K[s], the rates of a stage that has converged; its state with what is prescribed in it."""
    nq, nv, prescribed = len(x.rate), len(x.w), False
    for j in range(nv):
        if x.given[j]:
            x.w[j] = x.known[j]
            prescribed = True
    if prescribed:  # the forces that this takes are those of the iteration before
        _invoke(kept, 0, 1, (x.q, x.v, x.known, x.w, x.force, x.correction))
        integral_rates(x)
    _invoke(kernels.rates, 0, 1, (x.q, x.v, x.rate))
    for j in range(nq):
        K[s, j] = x.rate[j]
    for j in range(nv):
        K[s, nq + j] = x.w[j]
    for j in range(len(x.r)):
        K[s, nq + nv + j] = x.r[j]
        x.now.z[j] = x.base.z[j] + g * x.r[j]
    copy(x.q, x.now.q)
    copy(x.v, x.now.v)
