"""Generalized-alpha steps in a native loop: machine code iterates each step until it converges, Python waits.

What the laws make of a state, how coordinates move, and a Newton iteration are machine code of their own (see
`alpha_native`); the formulas of the method stand here, for numbers and for arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from supple.engines.kernels import step, sweep
from supple.engines.llvm.call import _invoke
from supple.stepping.native_loop import Steps, changed, copy, swap

MOST = 30
"""Newton iterations in a step."""
RENEWED = 6
"""Iterations for which the inertias of the first are kept."""


class AlphaKernels(NamedTuple):
    """Addresses of machine code.

    Attributes
    ----------
    laws : int
        (t, y, u) -> (q, v, known, z_rate); 0 where nothing acts.
    advance : int
        (q, v, h) -> q.
    renewed, kept : int
        (q, v, known, w) -> (force, correction): a Newton iteration with new inertias, and with those of the last one.
    events : int
        (t, y, u) -> watched functions; 0 for none.
    """

    laws: int
    advance: int
    renewed: int
    kept: int
    events: int


class AlphaConstants(NamedTuple):
    """alpha_m, alpha_f, beta and gamma of Chung and Hulbert; the tolerance of the iteration."""

    m: float
    f: float
    beta: float
    gamma: float
    tolerance: float


class StepEnd(NamedTuple):
    """State, accelerations w, those of the method c, and rates r of the integrals, at an end of a step.

    Attributes
    ----------
    y : (n,) array
        Its parts are q, v and the integrals z.
    """

    y: Any
    q: Any
    v: Any
    z: Any
    w: Any
    c: Any
    r: Any


class StepTrial(NamedTuple):
    """The end of a step as it is so far, and what is made of it.

    Attributes
    ----------
    end : StepEnd
        Its accelerations are those of the iteration.
    mean : (nv,) array
        Speeds at which coordinates get there.
    q, v, known, z_rate : arrays
        What the laws make of it: forces or prescribed accelerations are known.
    force, correction : (nv,) arrays
        Forces that the accelerations take, and by how much these change.
    given : (nv,) array of bool
        Degrees of freedom whose acceleration is prescribed.
    tt, hh : (1,) arrays
        Time at the end, and length of the step.
    """

    end: StepEnd
    mean: Any
    q: Any
    v: Any
    known: Any
    z_rate: Any
    force: Any
    correction: Any
    given: Any
    tt: Any
    hh: Any


@step
def method_acceleration(k: AlphaConstants, w: Any, w_0: Any, c_0: Any) -> Any:
    """c at the end of a step from the accelerations there and at its start; numbers or arrays."""
    return ((1 - k.f) * w + k.f * w_0 - k.m * c_0) / (1 - k.m)


@step
def mean_speed(k: AlphaConstants, h: Any, v_0: Any, c_0: Any, c: Any) -> Any:
    """The speed at which coordinates get from the start of a step to its end."""
    return v_0 + h * ((0.5 - k.beta) * c_0 + k.beta * c)


@step
def end_speed(k: AlphaConstants, h: Any, v_0: Any, c_0: Any, c: Any) -> Any:
    """The speed at the end of a step."""
    return v_0 + h * ((1 - k.gamma) * c_0 + k.gamma * c)


@step
def mean_rate(h: Any, z_0: Any, r_0: Any, r: Any) -> Any:
    """An integral at the end of a step."""
    return z_0 + 0.5 * h * (r_0 + r)


@step
def converged(size: float, before: float, allowed: float) -> bool:
    """Whether what a correction of this size leaves, after one of the size `before`, is small enough.

    The next correction would be as much smaller as this one is.
    """
    return size <= allowed or (size < 0.1 * before and size * size <= allowed * before)


@step
def find_end(kernels: AlphaKernels, k: AlphaConstants, h: float, start: StepEnd, u: Any, x: StepTrial) -> None:
    """What the laws make of the end of a step with the accelerations there."""
    end = x.end
    for j in range(len(end.w)):
        c = method_acceleration(k, end.w[j], start.w[j], start.c[j])
        x.mean[j] = mean_speed(k, h, start.v[j], start.c[j], c)
        end.v[j] = end_speed(k, h, start.v[j], start.c[j], c)
        end.c[j] = c
    for j in range(len(end.z)):
        end.z[j] = start.z[j] + h * start.r[j]
    _invoke(kernels.advance, 0, 1, (start.q, x.mean, x.hh, end.q))
    if kernels.laws != 0:
        _invoke(kernels.laws, 0, 1, (x.tt, end.y, u, x.q, x.v, x.known, x.z_rate))


@step
def correct(kernel: int, x: StepTrial) -> tuple[float, float]:
    """One Newton iteration at the end that was found; size of the correction, not a number if that is none; of w."""
    w, size, largest, number = x.end.w, 0.0, 0.0, 0.0
    for j in range(len(w)):
        if x.given[j]:
            w[j] = x.known[j]
    _invoke(kernel, 0, 1, (x.q, x.v, x.known, w, x.force, x.correction))
    for j in range(len(w)):
        w[j] += x.correction[j]
        size, largest = max(size, abs(x.correction[j])), max(largest, abs(w[j]))
        number += 0.0 * w[j]
    return size + number, largest


@step
def finish(h: float, start: StepEnd, x: StepTrial) -> None:
    """State and rates at the end that was found, after the last correction."""
    end, n, power = x.end, len(x.z_rate), 0.0
    for j in range(len(end.w)):
        power += (x.force[j] if x.given[j] else x.known[j]) * x.v[j]
    for j in range(n):
        end.r[j] = x.z_rate[j]
    for j in range(n, len(end.r)):
        end.r[j] = power
    for j in range(len(end.r)):
        end.z[j] = mean_rate(h, start.z[j], start.r[j], end.r[j])
    copy(x.q, end.q)
    copy(x.v, end.v)


@sweep
def implicit_steps(
    kernels: AlphaKernels, k: AlphaConstants, steps: Steps, state: StepEnd, u: Any, x: StepTrial, g: Any
) -> tuple[int, int]:
    """Take steps, each iterated until it converges.

    At the end `state` is the last, `x.end` the one before. Return the steps done, fewer if an event ends the last one,
    less than zero if one, the -(n + 1)th, did not converge; and the iterations.
    """
    used, h = 0, steps.h
    x.hh[0] = h
    for i in range(steps.number):
        x.tt[0] = min(steps.t + (i + 1) * h, steps.last)
        copy(state.w, x.end.w)
        done, before = False, 0.0
        for tries in range(MOST):
            find_end(kernels, k, h, state, u, x)
            size, largest = correct(kernels.renewed if tries % RENEWED == 0 else kernels.kept, x)
            used += 1
            if converged(size, before, k.tolerance * (1e-6 + largest)):
                done = True
                break
            before = size
        if not done:
            return -(i + 1), used
        find_end(kernels, k, h, state, u, x)
        finish(h, state, x)
        swap(state.y, x.end.y)
        swap(state.w, x.end.w)
        swap(state.c, x.end.c)
        swap(state.r, x.end.r)
        if kernels.events != 0 and changed(kernels.events, x.tt[0], state.y, u, x.tt, g):
            return i + 1, used
    return steps.number, used
