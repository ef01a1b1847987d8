"""Variational steps in a native loop: machine code iterates each step to rounding, Python waits.

The formulas are those of `variational`; a step may be composed of substeps, each a step of its own length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from supple.engines.kernels import step, sweep
from supple.engines.llvm.call import _invoke
from supple.stepping.native_loop import Steps, changed, copy

MOST = 100
"""Iterations in a step."""
RENEWED = 10
"""Iterations for which the inertias of the first are kept."""
ROUNDING, NEAR, REST = 4e-16, 1e-8, 1e-12
"""A correction that is no more than rounding of the speeds; one that may be, relative to them and at rest."""
FALLING = 0.9
"""Corrections that are not so much smaller than the one before do not fall any more."""


class VariationalKernels(NamedTuple):
    """Addresses of machine code; 0 where there is nothing to do.

    Attributes
    ----------
    middle : int
        (q, v, s) -> (coordinates after the time s, momenta there, rates of these along the motion).
    balance : int
        (t, y, u, start, p, h) -> (forces of the laws less ad* p, what momenta leave and those, rates of integrals).
    end : int
        (v, h, start, force) -> momenta after the step.
    speeds : int
        (q, p) -> v.
    advance : int
        (q, v, h) -> q.
    call : int
        (t, y) -> u, of laws that are Python functions.
    events : int
        (t, y, u) -> watched functions.
    renewed, kept, closing : arrays of int
        For each substep (q, v, known, w) -> (force, correction), with new inertias and with those of the last one; and
        (q) -> (shift, force, J) of the loops.
    """

    middle: int
    balance: int
    end: int
    speeds: int
    advance: int
    call: int
    events: int
    renewed: Any
    kept: Any
    closing: Any


class StepPoint(NamedTuple):
    """Where the motion is, with all that goes from step to step; m substeps.

    Attributes
    ----------
    y, q, v, z : arrays
        The state and its parts; speeds are up to date where a call ends.
    p : (nv,) array
        Momenta.
    past : (4 m, nv) array
        Speeds in the last four steps, the last one first, of each substep.
    pull : (m, rows) array
        Impulses that kept the loops closed in the last step.
    """

    y: Any
    q: Any
    v: Any
    z: Any
    p: Any
    past: Any
    pull: Any


class StepMiddle(NamedTuple):
    """The middle of a substep as it is so far, and what is made of it.

    Attributes
    ----------
    y, q, v, z : arrays
        The state in the middle.
    p, p_rate : (nv,) arrays
        Momenta, and their rates along the motion at constant speeds.
    start : (nv,) array
        Momenta at the start, with the impulses of the loops.
    acting, known, force, correction : (nv,) arrays
        Forces of the laws less ad* p; right side of the iteration; inverse dynamics; what it gives.
    rate : (integrals,) array
        Rates of the integrals, of which the last may be the work of the laws.
    rest : (nv,) array
        No accelerations.
    end : (nq,) array
        Coordinates at the end.
    shift, impulse, J, J_start : arrays
        Of the loops: see `VariationalKernels.closing`; J at the end and at the start.
    given : (nv,) array of bool
        Degrees of freedom that are held.
    tt, hh, ss : (1,) arrays
        Time in the middle, length, half of it.
    """

    y: Any
    q: Any
    v: Any
    z: Any
    p: Any
    p_rate: Any
    start: Any
    acting: Any
    known: Any
    force: Any
    correction: Any
    rate: Any
    rest: Any
    end: Any
    shift: Any
    impulse: Any
    J: Any
    J_start: Any
    given: Any
    tt: Any
    hh: Any
    ss: Any


@step
def guess(past: Any, first: int, v: Any) -> None:
    """Speeds of a substep by the cubic through those of the last four steps."""
    for j in range(len(v)):
        near = 4.0 * (past[first, j] + past[first + 2, j])
        v[j] = near - 6.0 * past[first + 1, j] - past[first + 3, j]


@step
def note_speeds(past: Any, first: int, v: Any) -> None:
    """The speeds of a substep among those of the last four steps."""
    for r in range(3, 0, -1):
        copy(past[first + r - 1], past[first + r])
    copy(v, past[first])


@step
def with_loops(p: Any, pull: Any, J: Any, out: Any) -> None:
    """out = p + J* pull."""
    for j in range(len(p)):
        total = p[j]
        for i in range(len(pull)):
            total += J[i * len(p) + j] * pull[i]
        out[j] = total


@step
def evaluate_middle(kernels: VariationalKernels, newton: int, now: StepPoint, u: Any, x: StepMiddle) -> None:
    """Momenta, forces and a correction with the speeds that x has."""
    _invoke(kernels.middle, 0, 1, (now.q, x.v, x.ss, x.q, x.p, x.p_rate))
    for j in range(len(x.z)):
        x.z[j] = now.z[j] + x.ss[0] * x.rate[j]
    if kernels.call != 0:
        _invoke(kernels.call, 0, 1, (x.tt, x.y, u))
    _invoke(kernels.balance, 0, 1, (x.tt, x.y, u, x.start, x.p, x.hh, x.acting, x.known, x.rate))
    for j in range(len(x.known)):
        x.known[j] = 0.0 if x.given[j] else x.known[j] + x.p_rate[j]
    _invoke(newton, 0, 1, (x.q, x.v, x.known, x.rest, x.force, x.correction))


@step
def correct_speeds(h: float, x: StepMiddle) -> tuple[float, float]:
    """Speeds with their correction; size of that, not a number if it is none, and of the speeds."""
    size, largest, number = 0.0, 0.0, 0.0
    for j in range(len(x.v)):
        change = 0.5 * h * x.correction[j]
        x.v[j] += change
        size, largest = max(size, abs(change)), max(largest, abs(x.v[j]))
        number += 0.0 * change
    return size + number, largest


@step
def close_loops(kernels: VariationalKernels, s: int, h: float, now: StepPoint, x: StepMiddle) -> float:
    """Speeds that lead to closed loops, and the impulses of that; size of the change."""
    pull, size = now.pull[s], 0.0
    _invoke(kernels.advance, 0, 1, (now.q, x.v, x.hh, x.end))
    _invoke(kernels.closing[s], 0, 1, (x.end, x.shift, x.impulse, x.J))
    for j in range(len(x.v)):
        x.v[j] += x.shift[j] / h
        size = max(size, abs(x.shift[j] / h))
    for i in range(len(pull)):
        pull[i] -= x.impulse[i] / h
    with_loops(now.p, pull, x.J_start, x.start)
    return size


@step
def solve_substep(kernels: VariationalKernels, s: int, now: StepPoint, u: Any, x: StepMiddle) -> int:
    """Iterations until the speeds of a substep do not change any more; less than zero if they do not come to that."""
    h, before = x.hh[0], 0.0
    for tries in range(MOST):
        newton = kernels.renewed[s] if tries % RENEWED == 0 else kernels.kept[s]
        evaluate_middle(kernels, newton, now, u, x)
        size, largest = correct_speeds(h, x)
        if kernels.closing[s] != 0:
            size += close_loops(kernels, s, h, now, x)
        if size <= ROUNDING * largest:
            return tries + 1
        if tries > 0 and not size < FALLING * before and size <= NEAR * largest + REST:
            return tries + 1
        if not size < 1e300:
            return -tries - 1
        before = size
    return -MOST


@step
def finish_substep(kernels: VariationalKernels, s: int, now: StepPoint, x: StepMiddle) -> None:
    """Coordinates, momenta and integrals at the end of a substep."""
    for j in range(len(x.force)):
        x.force[j] = x.acting[j] + x.p_rate[j] - x.force[j]
    _invoke(kernels.end, 0, 1, (x.v, x.hh, x.start, x.force, now.p))
    _invoke(kernels.advance, 0, 1, (now.q, x.v, x.hh, x.end))
    copy(x.end, now.q)
    for j in range(len(now.z)):
        now.z[j] += x.hh[0] * x.rate[j]
    note_speeds(now.past, 4 * s, x.v)


@step
def keep_state(now: StepPoint, before: StepPoint) -> None:
    """The state before a step."""
    copy(now.y, before.y)
    copy(now.p, before.p)
    for r in range(len(now.past)):
        copy(now.past[r], before.past[r])
    for s in range(len(now.pull)):
        copy(now.pull[s], before.pull[s])


@sweep
def variational_steps(
    kernels: VariationalKernels,
    fractions: Any,
    steps: Steps,
    now: StepPoint,
    u: Any,
    before: StepPoint,
    x: StepMiddle,
    g: Any,
) -> tuple[int, int]:
    """Take steps, each of substeps that are these fractions of it.

    At the end `now` is the last, `before` the one before. Return the steps done, fewer if an event ends the last one,
    less than zero if one, the -(n + 1)th, did not converge; and the iterations.
    """
    used = 0
    if kernels.closing[0] != 0:
        _invoke(kernels.closing[0], 0, 1, (now.q, x.shift, x.impulse, x.J_start))
    for i in range(steps.number):
        keep_state(now, before)
        t = steps.t + i * steps.h
        for s in range(len(fractions)):
            h = fractions[s] * steps.h
            x.hh[0], x.ss[0], x.tt[0] = h, 0.5 * h, min(t + 0.5 * h, steps.last)
            guess(now.past, 4 * s, x.v)
            with_loops(now.p, now.pull[s], x.J_start, x.start)
            tries = solve_substep(kernels, s, now, u, x)
            used += abs(tries)
            if tries < 0:
                return -(i + 1), used
            finish_substep(kernels, s, now, x)
            if kernels.closing[s] != 0:
                _invoke(kernels.closing[s], 0, 1, (now.q, x.shift, x.impulse, x.J_start))
            t += h
        if kernels.events != 0 or i == steps.number - 1:
            _invoke(kernels.speeds, 0, 1, (now.q, now.p, now.v))
        if kernels.events != 0:
            end = min(steps.t + (i + 1) * steps.h, steps.last)
            if changed(kernels.events, end, now.y, u, x.tt, g):
                return i + 1, used
    return steps.number, used
