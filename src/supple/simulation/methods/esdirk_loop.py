"""Diagonally implicit Runge-Kutta steps in a native loop, as long as the tolerances allow.

Lengths of steps are rungs of a ladder, since the factors of every length have numbers of their own. Only the last step
before the end of a segment is cut, and takes the factors of the nearest rung. How stages are solved: `esdirk_stages`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.engines.kernels import step, sweep
from supple.engines.llvm.call import _invoke
from supple.simulation.methods.esdirk_stages import (
    Passage,
    Stage,
    StageKernels,
    finish_stage,
    share,
    solve_stage,
    start_stage,
)
from supple.stepping.esdirk_coefficients import DEGREE, DIAGONAL, STAGES, Coefficients
from supple.stepping.native_loop import (
    DONE,
    EVENT,
    FAILED,
    PATIENT,
    PAUSED,
    SHORT,
    ErrorRule,
    add_row,
    allowed_errors,
    changed,
    copy,
    note_sizes,
)

NEEDED = 4
"""What `advance_implicit` returns where a rung has no factors yet."""
SLOW = 0.3
"""Convergence that is slower than this does not let steps grow."""
SAFETY, LEAST, GREATEST, EXPONENT, BEFORE = 0.9, 0.2, 5.0, -0.7 / 5.0, 0.4 / 5.0
NEAR = 1.05
"""How much longer than itself the rung may be whose factors a cut step takes."""


class StepRoom(NamedTuple):
    """K (7, n) the rates of all stages, of which K[0] is that of the start; F (5, n) coefficients of the last step
    after an EVENT, `before` (n,) the state before it; margin (rows,) of the loops.
    """

    K: Any
    F: Any
    before: Any
    margin: Any


@step
def step_error(h: float, tables: Coefficients, K: Any, rule: ErrorRule, x: Stage) -> float:
    """The error of a step against what is allowed; 1 is just allowed. `before` is overwritten."""
    for i in range(len(x.before)):
        x.before[i] = x.now.y[i]
    for s in range(STAGES):
        add_row(-h * tables.E[s], K[s], x.before)
    return share(x.now.y, x.before, x.allowed, rule.weight)


@step
def implicit_dense(tables: Coefficients, K: Any, F: Any) -> None:
    """F (5, n): coefficients of the polynomial of a step."""
    for r in range(DEGREE):
        for i in range(F.shape[1]):
            total = 0.0
            for s in range(STAGES):
                total += tables.D[r, s] * K[s, i]
            F[r, i] = total


@step
def implicit_between(fraction: float, h: float, y: Any, F: Any, out: Any) -> None:
    """The state at a fraction of a step of the length h."""
    for i in range(len(y)):
        value = 0.0
        for r in range(DEGREE):
            value = (value + F[DEGREE - 1 - r, i]) * fraction
        out[i] = y[i] + h * value


@step
def unit_quaternions(quaternions: Any, y: Any, rate: Any) -> None:
    """Quaternions of length one; their rates are in proportion."""
    for j in range(len(quaternions)):
        first, square = int(quaternions[j]), 0.0
        for i in range(4):
            square += y[first + i] ** 2
        factor = 1.0 / np.sqrt(square)
        for i in range(4):
            y[first + i] *= factor
            rate[first + i] *= factor


@step
def rung_below(h: float, lengths: Any, rung: int) -> int:
    """The highest rung that is not longer than h, looked for from one on."""
    while rung + 1 < len(lengths) and lengths[rung + 1] <= h:
        rung += 1
    while rung > 0 and lengths[rung] > h:
        rung -= 1
    return rung


@sweep
def interpolate_implicit(fraction: float, h: float, y: Any, F: Any, out: Any) -> None:
    """`implicit_between`, callable from Python."""
    implicit_between(fraction, h, y, F, out)


@sweep
def advance_implicit(
    kernels: StageKernels,
    limit: int,
    now: Passage,
    rule: ErrorRule,
    output: Any,
    tables: Coefficients,
    x: Stage,
    room: StepRoom,
) -> int:
    """Go on from (t, y) to the end, pausing after `limit` steps; return DONE, EVENT, FAILED, PAUSED or NEEDED.

    `output` are the output times (m,) and where their states go (m, n); counts[0] of them are done.
    """
    clock, y, u, sizes, signs, counts, lengths, quaternions = now
    times, out = output
    K, F, before, margin = room
    t, end, h_next, size_before = clock[0], clock[1], clock[2], clock[5]
    last = np.nextafter(end, t)
    taken, short, rung = 0, int(counts[3]), int(counts[5])
    rejected = counts[6] != 0
    while t < end:
        status = -1
        if taken >= limit:
            status = PAUSED
        rung = rung_below(h_next * (1.0 + 1e-12), lengths, rung)
        h_next = min(h_next, lengths[rung])
        h = h_next
        if t + h >= last:
            h = end - t
            rung = rung_below(h * NEAR, lengths, rung)
        if status < 0 and kernels.renewed[rung] == 0:
            status = NEEDED
        if status >= 0:
            clock[0], clock[2], clock[5] = t, h_next, size_before
            counts[3], counts[5], counts[6] = short, rung, 1 if rejected else 0
            return status
        taken += 1
        short = short + 1 if h < SHORT * clock[1] else 0
        if (h < 10.0 * (np.nextafter(end, np.inf) - end) or short > PATIENT) and end - t > h:
            clock[0], clock[2], clock[5] = t, h_next, size_before
            return FAILED
        tries, speed = 1, 0.0
        for s in range(1, STAGES):
            if tries > 0:
                x.tt[0] = min(t + tables.C[s] * h, last)
                start_stage(s, h, now, tables, K, x)
                first = kernels.renewed[rung] if s == 1 else kernels.kept[rung]
                tries, speed = solve_stage(kernels, first, kernels.kept[rung], h, now, rule, x, speed)
                counts[4] += abs(tries)
                finish_stage(kernels, kernels.kept[rung], h * DIAGONAL, s, K, x)
        if tries < 0:
            h_next, rejected = 0.5 * h, True
            counts[2] += 1
            continue
        allowed_errors(h, clock[1], y, x.now.y, rule, sizes, x.allowed)
        size = step_error(h, tables, K, rule, x)
        if not size < 1.0:  # not a number counts as too large
            factor = max(LEAST, SAFETY * size ** (-1.0 / 5.0)) if size < np.inf else LEAST
            h_next, rejected = h * factor, True
            counts[2] += 1
            continue
        factor = SAFETY * max(size, 1e-10) ** EXPONENT * size_before**BEFORE
        factor, size_before = min(GREATEST, max(LEAST, factor)), max(size, 1e-4)
        if rejected or speed > SLOW:
            factor = min(1.0, factor)
        rejected = False
        note_sizes(x.now.y, rule, sizes)
        if h * factor > h_next or h == h_next:
            h_next = h * factor  # a step cut short at the end says little about the next
        t_new = end if h == end - t else t + h
        happened = kernels.events != 0 and changed(kernels.events, min(t_new, last), x.now.y, u, x.tt, signs)
        needed = counts[0] < len(times) and times[counts[0]] <= t_new
        if needed or happened:
            implicit_dense(tables, K, F)
        if happened:
            clock[0], clock[2], clock[3], clock[4], clock[5] = t_new, h_next, t, h, size_before
            copy(y, before)
            copy(x.now.y, y)
            return EVENT
        while counts[0] < len(times) and times[counts[0]] <= t_new:
            fraction = (times[counts[0]] - t) / h
            if fraction >= 1.0:
                copy(x.now.y, out[counts[0]])
            else:
                implicit_between(fraction, h, y, F, out[counts[0]])
            counts[0] += 1
        copy(x.now.y, y)
        copy(K[STAGES - 1], K[0])
        if kernels.project != 0:
            x.tt[0] = min(t_new, last)
            _invoke(kernels.project, 0, 1, (x.tt, x.now.y, u, y, margin))
        unit_quaternions(quaternions, y, K[0])
        t = t_new
        counts[1] += 1
    clock[0], clock[2], clock[5] = t, h_next, size_before
    counts[3], counts[5], counts[6] = short, rung, 0
    return DONE
