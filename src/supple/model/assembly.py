"""Closing the loops of a model from a rough guess, and making speeds fit them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import AssemblyError
from supple.recursions.closure_forces import SMALLEST
from supple.recursions.closures import ClosureWorkspace

if TYPE_CHECKING:
    from supple.model.closed import Loops

Floats = NDArray[np.float64]
CLOSED = 1e-12
"""Error, m or rad, below which a loop is closed."""
NEARLY = 1e-9
"""Error that rounding may leave where nothing helps any more."""
FLAT = 1e-9
"""Eigenvalue of the scaled S, relative to the largest, below which rows repeat each other."""
LONGEST = 0.5
"""Change of a coordinate, rad or m, in one step: longer ones would wind joints up."""
MOST_STEPS = 300
REACHES = (0.1, 0.2, 0.4, 0.8, 0.8, 1.6, 1.6, 3.0, 3.0, 3.0)
"""How far other guesses are from the one that leads nowhere, rad or m."""
DAMPINGS = (1e-6, 1e6)
"""Least and greatest, relative to S, of a step that did not help."""


def assembled(loops: Loops, q: Floats, given: NDArray[np.bool_]) -> Floats:
    """Coordinates near q at which all loops are closed; given freedoms keep theirs.

    Flexible bodies keep their shape if the joints can close the loops without them. Where no way leads down from the
    guess, as when all links lie in line, others around it are tried, further and further off.
    """
    failure: AssemblyError | None = None
    for start in _around(loops, q, given):
        for stiff in (True, False) if loops.model.is_mode.any() else (False,):
            try:
                return _closed(loops, start, given, stiff)
            except AssemblyError as error:
                failure = failure or error
    assert failure is not None
    raise failure


def _around(loops: Loops, q: Floats, given: NDArray[np.bool_]) -> Iterator[Floats]:
    """The guess, then others at random distances from it, the same ones in every run; shapes stay."""
    yield q
    rng = np.random.default_rng(0)
    for reach in REACHES:
        step = reach * rng.uniform(-1.0, 1.0, loops.model.nv)
        yield loops.model.integrate(q, np.where(given | loops.model.is_mode, 0.0, step), 1.0)


def _closed(loops: Loops, q: Floats, given: NDArray[np.bool_], stiff: bool) -> Floats:
    """The same by steps dq = -X* S^-1 phi, damped (Levenberg, Marquardt) while they do not bring the error down.

    X is M^-1 J*, for steps of least kinetic energy; with `stiff` J* without the columns of modes.
    """
    cw = loops.reflect(q, given=given)
    damping = 0.0
    for _ in range(MOST_STEPS):
        error = _largest(loops, cw)
        if error < CLOSED:
            return _upright(loops, q, cw)
        if not (np.isfinite(cw.S).all() and np.isfinite(error)):
            raise AssemblyError(_not_finite(loops, cw))
        X, S = _response(loops, cw, given, stiff)
        step = -X.T @ _least(S, np.where(loops.holonomic, cw.position, 0.0), damping)
        step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), LONGEST))
        trial = loops.model.integrate(q, step, 1.0)
        there = loops.reflect(trial, given=given)
        if _largest(loops, there) < error * (1 - 1e-4):
            q, cw, damping = trial, there, damping / 10 if damping > DAMPINGS[0] else 0.0
        elif error < NEARLY:
            return _upright(loops, q, cw)
        elif damping > DAMPINGS[1]:
            break
        else:
            damping = max(10 * damping, DAMPINGS[0])
    raise AssemblyError(_not_closed(loops, q))


def consistent(loops: Loops, q: Floats, v: Floats, given: NDArray[np.bool_]) -> Floats:
    """Speeds that fulfil all constraints: v less X* S^-1 J v; given ones stay, those of modes if the joints suffice."""
    cw = loops.reflect(q, v, given)
    for stiff in (True, False) if loops.model.is_mode.any() else (False,):
        X, S = _response(loops, cw, given, stiff)
        out: Floats = v - X.T @ _least(S, cw.velocity, 0.0)
        left = loops.errors(q, out)[1]
        if np.abs(left).max(initial=0.0) <= NEARLY * (1 + np.abs(v).max()):
            break
    else:
        i = int(np.abs(left).argmax())
        name, row = loops.rows[i]
        held = ", ".join(np.array(loops.model.speeds)[given])
        raise AssemblyError(
            f"model {loops.model.name!r}: constraint {name!r}: the speeds {held or 'given'} contradict it: "
            f"its {row.label} would change at {abs(left[i]):.3g} m/s or rad/s"
        )
    return out


def _response(loops: Loops, cw: ClosureWorkspace, given: NDArray[np.bool_], stiff: bool) -> tuple[Floats, Floats]:
    """X and S = J X*."""
    if not stiff:
        return cw.X, cw.S
    X = np.where(given | loops.model.is_mode, 0.0, cw.J)
    return X, cw.J @ X.T


def _largest(loops: Loops, cw: ClosureWorkspace) -> float:
    return float(np.abs(cw.position[loops.holonomic]).max(initial=0.0))


def _least(S: Any, r: Any, damping: float) -> Floats:
    """x of least size with (S + damping diag S) x = r, in the sense of least squares."""
    used = np.flatnonzero(S.diagonal() > SMALLEST)  # of the others rounding is all there is
    size = np.sqrt(S.diagonal()[used])
    scaled = S[np.ix_(used, used)] / np.outer(size, size) + damping * np.eye(len(used))
    out: Floats = np.zeros(len(r))
    out[used] = np.linalg.lstsq(scaled, r[used] / size, rcond=FLAT)[0] / size
    return out


def _upright(loops: Loops, q: Floats, cw: ClosureWorkspace) -> Floats:
    """The coordinates, if no joint is closed with its frames turned against each other by half a turn."""
    over = loops.turned_over(cw)
    if over:
        listed = ", ".join(map(repr, over))
        raise AssemblyError(
            f"model {loops.model.name!r}: cannot be assembled from this guess: {listed}: frames are half a turn apart"
        )
    return q


def _not_finite(loops: Loops, cw: ClosureWorkspace) -> str:
    bad = np.flatnonzero(~(np.isfinite(cw.position) & np.isfinite(cw.N).all(axis=1) & np.isfinite(cw.J).all(axis=1)))
    name, row = loops.rows[int(bad[0]) if len(bad) else 0]
    return (
        f"model {loops.model.name!r}: cannot be assembled from this guess: {name!r}: its {row.label} has no direction "
        "there, since its frames coincide or its wheel lies flat"
    )


def _not_closed(loops: Loops, q: Floats) -> str:
    off: dict[str, tuple[float, str]] = {}
    for (name, row), x, holonomic in zip(loops.rows, loops.errors(q)[0], loops.holonomic, strict=True):
        if holonomic and abs(x) > max(CLOSED, off.get(name, (0.0, ""))[0]):
            off[name] = (abs(x), row.label)
    listed = "; ".join(f"{name!r}: {label} off by {x:.3g}" for name, (x, label) in off.items())
    return f"model {loops.model.name!r}: cannot be assembled from this guess: {listed} (m or rad)"
