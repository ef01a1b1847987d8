"""Integration in native loops: machine code calls machine code, Python waits.

The adaptive integrator is Dormand and Prince's of order 8 with error estimates of order 5 and 3 and dense output of
order 7 (Hairer, Norsett and Wanner, 1993), coefficients as scipy has them; rates come from a kernel (see
`state_kernel.StateKernel`), and so do the functions whose changes of sign are looked for after every step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.engines.kernels import step, sweep
from supple.engines.llvm.call import _invoke
from supple.stepping.dop853_coefficients import (
    DENSE_ROWS,
    ERROR_3,
    ERROR_5,
    STAGE_ROWS,
    STAGE_TIMES,
    filled,
)

Vector = NDArray[np.float64]
PAUSE = 20_000_000
"""Operations, roughly, between two looks at the keyboard: some milliseconds."""
DONE, EVENT, FAILED, PAUSED = 0, 1, 2, 3
STAGES, DENSE_STAGES = 12, 3
SAFETY, LEAST, GREATEST, EXPONENT, DAMPED, BEFORE = 0.94, 0.2, 10.0, -1.0 / 8.0, -0.6 / 8.0, 0.25 / 8.0
"""Of step lengths: after a step whose error was a share of what is allowed; the last two where both this share and that
of the step before count, so that lengths do not swing about a limit of stability (Gustafsson 1991)."""
FAR = 0.01
"""Share below which a step was much too short, and the next one is as long as the error says."""
SHORT, PATIENT = 1e-9, 20_000
"""Steps shorter than this share of the end are short; after so many in a row it does not get anywhere."""
AT_REST = 1e6
"""Times what is allowed at rest that rounding of positions may change speeds by, whatever the length of a step."""
TICKS, JUMPED = 100.0, 1e10
"""Steps of so many resolutions of time may change by that much times what is allowed at rest: a law jumps in them from
rest, where nothing else says how large errors may be. More would be a singular configuration."""
GAPS = (0.0263, 0.1837, 0.4667, 0.7536)
"""Middles of the widest gaps between the stages, as fractions of a step."""
USUAL = 1e-5
"""Margin of a row of the loops at the start, below which it always repeats others."""


class Kernels(NamedTuple):
    """Addresses of machine code (t, y, u) -> dy/dt, -> watched functions, -> (y with loops closed, margin); 0 for none.

    Where steps have a kernel of their own, `rate` is that of a step. Before rates are taken, `call` of (t, y, u) asks
    Python functions, whose answers go into u; 0 if there are none.
    """

    rate: int
    events: int
    project: int = 0
    call: int = 0


class Tableau(NamedTuple):
    """Coefficients A (16, 16), C (16,), E3 (13,), E5 (13,), D (4, 16).

    Stage 12 is the new state, those of the dense output come last.
    """

    A: Any
    C: Any
    E3: Any
    E5: Any
    D: Any


class Scaling(NamedTuple):
    """For each state (n,): its group, the group of the coordinates that belong to it, its kind (0 position, 1 speed, 2
    integral), the metres that a unit of it moves, and the most that it counts for rounding, m.
    """

    group: Any
    pair: Any
    kind: Any
    metres: Any
    most: Any


class ErrorRule(NamedTuple):
    """Errors that steps may have: `rules`, `atol`, `scaling` and `weight` of `tolerances.Tolerances`."""

    rules: Any
    atol: Any
    scaling: Any
    weight: Any


class Integration(NamedTuple):
    """Where an integration is; all of it is changed in place.

    Attributes
    ----------
    clock : (8,) array
        Time, end, next step length; afterwards time and length of the last step; size of the last error; time of a
        singular configuration ahead, infinite if there is none; `margin_of` the state, 0 if it is not known.
    y : (n,) array
        The state; the new one afterwards. After an EVENT `Scratch.work[0]` holds the state before the last step.
    u : (k,) array
        Held values.
    sizes : (2, groups) array
        Of the motion so far; working space.
    g : (3, e) array
        Signs at the last step, wanted directions (0 both), new values (see `segment.Task.signs`).
    margin : (2, rows) array
        Of the loops, and which of them count.
    counts : (5,) array of int
        Outputs done, steps taken, steps rejected, short ones in a row, steps with dense output.
    """

    clock: Any
    y: Any
    u: Any
    sizes: Any
    g: Any
    margin: Any
    counts: Any


class Scratch(NamedTuple):
    """Working space K (16, n), F (7, n), work (6, n), tt (1,).

    K[0] is dy/dt at the start. F are the coefficients of the last step after an EVENT.
    """

    K: Any
    F: Any
    work: Any
    tt: Any


class Moment(NamedTuple):
    """A step from t of the length h; times never pass `last`."""

    t: float
    h: float
    last: float


class Steps(NamedTuple):
    """So many steps of one length h from t on; times of their ends never pass `last`."""

    t: float
    h: float
    number: int
    last: float


class StepScratch(NamedTuple):
    """Room for a time, a length, what is watched (3, e)."""

    tt: Any
    hh: Any
    g: Any


def tableau() -> Tableau:
    """The coefficients of the method."""
    errors = filled([ERROR_3, ERROR_5], STAGES + 1)
    return Tableau(filled(STAGE_ROWS), np.array(STAGE_TIMES), errors[0], errors[1], filled(DENSE_ROWS))


@step
def copy(x: Any, out: Any) -> None:
    """out = x; a slice would need memory of its own."""
    for i in range(len(x)):
        out[i] = x[i]


@step
def swap(x: Any, y: Any) -> None:
    """x, y = y, x."""
    for i in range(len(x)):
        x[i], y[i] = y[i], x[i]


@step
def add_row(factor: float, x: Any, out: Any) -> None:
    """out += factor x."""
    if factor != 0.0:
        for i in range(len(x)):
            out[i] += factor * x[i]


@step
def rates_at(kernels: Kernels, tt: Any, y: Any, u: Any, out: Any) -> None:
    """dy/dt of a state."""
    if kernels.call != 0:
        _invoke(kernels.call, 0, 1, (tt, y, u))
    _invoke(kernels.rate, 0, 1, (tt, y, u, out))


@step
def stage(
    kernels: Kernels, s: int, at: Moment, now: Integration, tables: Tableau, scratch: Scratch, trial: Any
) -> None:
    """K[s], the rate at stage s."""
    copy(now.y, trial)
    for j in range(s):
        add_row(at.h * tables.A[s, j], scratch.K[j], trial)
    scratch.tt[0] = min(at.t + tables.C[s] * at.h, at.last)
    rates_at(kernels, scratch.tt, trial, now.u, scratch.K[s])


@step
def allowed_errors(h: float, end: float, y: Any, new: Any, rule: ErrorRule, sizes: Any, out: Any) -> None:
    """out (n,): errors that a step from y to new may have (see `tolerances`); sizes[1] is of groups with this step.

    `end` of the segment gives the resolution of time.
    """
    rules, atol = rule.rules, rule.atol
    group, pair, kind, metres, most = rule.scaling
    copy(sizes[0], sizes[1])
    rtol, eps, negligible, rest, gravity, reach = rules[0], rules[1], rules[3], rules[4], rules[5], rules[6]
    number, far, fast = 0.0, 0.0, 0.0
    short = (TICKS * (np.nextafter(end, np.inf) - end) / h) ** 2
    for i in range(len(y)):
        x = max(abs(y[i]), abs(new[i]))
        sizes[1, group[i]] = max(sizes[1, group[i]], metres[i] * x)
        if kind[i] == 0:
            reach, far = max(reach, min(metres[i] * x, most[i])), max(far, sizes[1, group[i]])
        elif kind[i] == 1:
            fast = max(fast, sizes[1, group[i]])
        if kind[i] != 2:
            number = max(number, x)
    for i in range(len(y)):
        size, noise = sizes[1, group[i]], h * number
        if kind[i] == 0:
            size, noise = max(size, negligible * far), max(reach, sizes[1, pair[i]])
        elif kind[i] == 1:
            size, noise = max(size, negligible * fast), max(reach, sizes[1, pair[i]]) / h
        rounding = eps * noise
        if kind[i] == 1:
            rounding = min(rounding, rtol * fast + AT_REST * rest) + eps * gravity * h
        jump = min(short * metres[i] * abs(new[i] - y[i]), JUMPED * rest)
        out[i] = atol[i] + (rtol * size + rounding + rest + jump) / metres[i]


@step
def note_sizes(new: Any, rule: ErrorRule, sizes: Any) -> None:
    """sizes[0]: of groups after a step, with a fading memory of the steps before."""
    group, _, _, metres, _ = rule.scaling
    for j in range(sizes.shape[1]):
        sizes[0, j] *= rule.rules[2]
    for i in range(len(new)):
        sizes[0, group[i]] = max(sizes[0, group[i]], metres[i] * abs(new[i]))


@step
def error_size(h: float, tables: Tableau, weight: Any, scratch: Scratch) -> float:
    """The error of a step against what is allowed, work[5]; 1 is just allowed. work[3] and work[4] are overwritten."""
    K, E3, E5 = scratch.K, tables.E3, tables.E5
    e3, e5, allowed = scratch.work[3], scratch.work[4], scratch.work[5]
    for i in range(len(e5)):
        e3[i], e5[i] = 0.0, 0.0
    for j in range(len(E5)):
        add_row(E3[j], K[j], e3)
        add_row(E5[j], K[j], e5)
    sum5, sum3, count = 0.0, 0.0, 0.0
    for i in range(len(e5)):
        scale = weight[i] / allowed[i]
        sum5 += (e5[i] * scale) ** 2
        sum3 += (e3[i] * scale) ** 2
        count += weight[i]
    below = sum5 + 0.01 * sum3
    return abs(h) * sum5 / np.sqrt(below * count) if below > 0.0 else 0.0 * below


@step
def dense(h: float, y: Any, new: Any, K: Any, D: Any, F: Any) -> None:
    """F (7, n): coefficients of the polynomial between y and new."""
    for i in range(len(y)):
        change = new[i] - y[i]
        F[0, i] = change
        F[1, i] = h * K[0, i] - change
        F[2, i] = 2.0 * change - h * (K[STAGES, i] + K[0, i])
        for r in range(len(D)):
            total = 0.0
            for j in range(K.shape[0]):
                total += D[r, j] * K[j, i]
            F[3 + r, i] = h * total


@step
def between(x: float, y: Any, F: Any, out: Any) -> None:
    """The state at a fraction x of the step."""
    for i in range(len(y)):
        value = 0.0
        for r in range(7):
            value = (value + F[6 - r, i]) * (x if r % 2 == 0 else 1.0 - x)
        out[i] = y[i] + value


@step
def crossed(value: float, sign: float, direction: float) -> bool:
    """Whether a watched function, whose sign was known, has changed it the way that counts (0 both, 1 rising)."""
    side = np.sign(value)
    return side * sign < 0.0 and (direction == 0.0 or direction == side)


@step
def noted_sign(value: float, sign: float) -> float:
    """The sign of a watched function from now on: at zero it stays what it was."""
    return sign if value == 0.0 else np.sign(value)


@step
def changed(events: int, t: float, y: Any, u: Any, tt: Any, g: Any) -> bool:
    """Whether a watched function has changed its sign the way that counts; if not, the signs are noted."""
    tt[0] = t
    _invoke(events, 0, 1, (tt, y, u, g[2]))
    for i in range(g.shape[1]):
        if crossed(g[2, i], g[0, i], g[1, i]):
            return True
    for i in range(g.shape[1]):
        g[0, i] = noted_sign(g[2, i], g[0, i])
    return False


@step
def astride(h: float, left: float) -> float:
    """The length of the next step, at most h, that keeps all its stages away from a time which is ahead by `left`.

    Near a singular configuration of a closed mechanism rounding is magnified without bound. So the step that passes it
    has it in a gap between two stages, the one that leaves most room, and the step before ends where that can be done.
    """
    if not GAPS[0] * h < left < (1.0 + GAPS[2]) * h:  # behind, in the first gap of the step as it is, or far ahead
        return h
    for gap in GAPS[1:]:
        if left <= gap * h:
            return left / gap
    return left - GAPS[2] * h


@step
def margin_of(margin: Any, usual: Any) -> float:
    """Near a singular configuration in proportion to the distance: the root of the least of the rows that count."""
    least = 1.0
    for i in range(len(margin)):
        if usual[i] > 0.0:
            least = min(least, margin[i])
    return np.sqrt(max(least, 0.0))


@sweep
def interpolate(x: float, y: Any, F: Any, out: Any) -> None:
    """The state at a fraction x of the step: `between`, callable from Python."""
    between(x, y, F, out)


@sweep
def advance(
    kernels: Kernels,
    limit: int,
    now: Integration,
    rule: ErrorRule,
    output: Any,
    tables: Tableau,
    scratch: Scratch,
) -> int:
    """Go on from (t, y) to the end, pausing after `limit` steps; return DONE, EVENT, FAILED or PAUSED.

    `output` are the output times (m,) and where their states go (m, n); counts[0] of them are done.
    """
    clock, y, u, sizes, g, margin, counts = now
    times, out = output
    K, F, work, tt = scratch
    before, trial, new = work[0], work[1], work[2]
    t, end, h_next, size_before = clock[0], clock[1], clock[2], clock[5]
    last = np.nextafter(end, t)
    taken, short = 0, int(counts[3])
    rejected = False
    while t < end:
        if taken >= limit:
            counts[3] = short
            clock[0], clock[2], clock[5] = t, h_next, size_before
            return PAUSED
        h = min(astride(h_next, clock[6] - t), end - t)
        if t + h >= last:
            h = end - t
        short = short + 1 if h < SHORT * clock[1] else 0
        if (h < 10.0 * (np.nextafter(end, np.inf) - end) or short > PATIENT) and end - t > h:
            clock[0], clock[2], clock[5] = t, h_next, size_before
            return FAILED
        at = Moment(t, h, last)
        for s in range(1, STAGES):
            stage(kernels, s, at, now, tables, scratch, trial)
        stage(kernels, STAGES, at, now, tables, scratch, new)
        allowed_errors(h, clock[1], y, new, rule, sizes, work[5])
        size = error_size(h, tables, rule.weight, scratch)
        if not size < 1.0:  # not a number counts as too large
            factor = max(LEAST, SAFETY * size**EXPONENT) if size < np.inf else LEAST
            h_next, rejected = h * factor, True
            counts[2] += 1
            continue
        # With the size before: else steps that only stability limits would be rejected every few.
        factor = SAFETY * max(size, 1e-10) ** EXPONENT
        if size > FAR:
            factor = SAFETY * size**DAMPED * size_before**BEFORE
        factor, size_before = min(GREATEST, max(LEAST, factor)), max(size, 1e-4)
        if rejected:
            factor = min(1.0, factor)
        rejected = False
        note_sizes(new, rule, sizes)
        if h * factor > h_next or h == h_next:
            h_next = h * factor  # a step cut short at the end says little about the next
        t_new = end if h == end - t else t + h
        happened = kernels.events != 0 and changed(kernels.events, min(t_new, last), new, u, tt, g)
        needed = counts[0] < len(times) and times[counts[0]] <= t_new
        if needed or happened:
            counts[4] += 1
            for s in range(STAGES + 1, 16):
                stage(kernels, s, at, now, tables, scratch, trial)
            dense(h, y, new, K, tables.D, F)
        if happened:
            clock[0], clock[2], clock[3], clock[4], clock[5] = t_new, h_next, t, h, size_before
            copy(y, before)
            copy(new, y)
            return EVENT
        while counts[0] < len(times) and times[counts[0]] <= t_new:
            x = (times[counts[0]] - t) / h
            if x >= 1.0:
                copy(new, out[counts[0]])
            else:
                between(x, y, F, out[counts[0]])
            counts[0] += 1
        copy(new, y)
        copy(K[STAGES], K[0])
        if kernels.project != 0:
            tt[0] = min(t_new, last)
            _invoke(kernels.project, 0, 1, (tt, new, u, y, margin[0]))
            rates_at(kernels, tt, y, u, K[0])
            distance, passed = margin_of(margin[0], margin[1]), clock[6] < t_new
            nearer = clock[7] - distance
            clock[6] = t_new + h * distance / nearer if nearer > 0.0 and not passed else np.inf
            clock[7] = distance
        t = t_new
        taken += 1
        counts[1] += 1
    clock[0], clock[2], clock[5] = t, h_next, size_before
    return DONE


@sweep
def explicit_steps(kernels: Kernels, steps: Steps, y: Any, u: Any, before: Any, scratch: StepScratch) -> int:
    """Take steps of the kernel (t, y, u, h) -> y; return how many are done, fewer if an event ends the last one.

    `before` is the state before the last step; the signs in g are as in `advance`.
    """
    tt, hh = scratch.tt, scratch.hh
    hh[0] = steps.h
    for i in range(steps.number):
        copy(y, before)
        tt[0] = steps.t + i * steps.h
        _invoke(kernels.rate, 0, 1, (tt, before, u, hh, y))
        end = min(steps.t + (i + 1) * steps.h, steps.last)
        if kernels.events != 0 and changed(kernels.events, end, y, u, tt, scratch.g):
            return i + 1
    return steps.number
