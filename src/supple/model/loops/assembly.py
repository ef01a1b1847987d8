"""Closing the loops of a model from a rough guess, and making speeds fit them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.errors import AssemblyError
from supple.model.loops.closing import Closing, deformation, strain_energies
from supple.recursions.closures import ClosureWorkspace

if TYPE_CHECKING:
    from supple.model.loops.loops import Loops

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
CLOSED = 1e-12
"""Error of a constraint equation, relative to its typical size, below which a loop is closed."""
NEARLY = 1e-9
"""Error that rounding may leave where nothing helps any more."""
LONGEST = 0.5
"""Change of a coordinate, relative to its typical size, in one step: longer ones would wind joints up."""
MOST_STEPS = 300
REACHES = (0.1, 0.2, 0.4, 0.8, 0.8, 1.6, 1.6, 3.0, 3.0, 3.0)
"""How far other guesses are from the one that leads nowhere, relative to the typical sizes."""
DAMPINGS = (1e-6, 1e6)
"""Minimum and maximum, relative to S, of a step that did not help."""


def assembled(loops: Loops, q: Floats, given: Bools) -> Floats:
    """Coordinates near q at which all loops are closed; prescribed degrees of freedom keep theirs.

    Flexible bodies keep their shape if the joints can close the loops without them, from this guess or another. Where
    no way leads down from the guess, as when all links lie in line, others around it are tried, further and further
    off. Only if all of them fail are bodies strained, as little as can be.
    """
    failure: AssemblyError | None = None
    for held in (True, False) if loops.model.is_mode.any() else (True,):
        for start in _around(loops, q, given):
            try:
                found = closed(loops, start, given, held)
            except AssemblyError as error:
                failure = failure or error
            else:
                return found if held else _relaxed(loops, found, q, given)
    assert failure is not None
    raise failure


def _around(loops: Loops, q: Floats, given: Bools) -> Iterator[Floats]:
    """The guess, then others at random distances from it, the same ones in every run; shapes stay."""
    yield q
    rng = np.random.default_rng(0)
    for reach in REACHES:
        step = reach * loops.scales.speeds * rng.uniform(-1.0, 1.0, loops.model.nv)
        yield loops.model.integrate(q, np.where(given | loops.model.is_mode, 0.0, step), 1.0)


def closed(loops: Loops, q: Floats, given: Bools, held: bool = True) -> Floats:
    """The same from one guess by steps of `Closing`, damped (Levenberg, Marquardt) while the error does not fall."""
    cw, same = loops.configuration(q), np.zeros(loops.model.nv)
    damping = 0.0
    for _ in range(MOST_STEPS):
        error = largest(loops, q, cw)
        if error <= CLOSED:
            return _upright(loops, q)
        if not (np.isfinite(cw.J).all() and np.isfinite(error)):
            raise AssemblyError(_not_finite(loops, cw))
        phi, closing = np.where(loops.holonomic, cw.position, 0.0), Closing(loops, q, cw.J, given)
        step = closing.joints(phi, damping) if held else closing.strained(phi, same, damping)
        trial = loops.model.integrate(q, _limited(loops, step, phi), 1.0)
        there = loops.configuration(trial)
        if largest(loops, trial, there) < error * (1 - 1e-4):
            q, cw, damping = trial, there, damping / 10 if damping > DAMPINGS[0] else 0.0
        elif error < NEARLY:
            return _upright(loops, q)
        elif damping > DAMPINGS[1]:
            break
        else:
            damping = max(10 * damping, DAMPINGS[0])
    raise AssemblyError(_not_closed(loops, q))


def _limited(loops: Loops, step: Floats, phi: Floats) -> Floats:
    """The step, rotations, displacements and modes each shortened so that none goes too far."""
    long = np.abs(step) / loops.scales.longest(loops.scales.gap(phi), LONGEST)
    out = step.copy()
    for unit in set(loops.model.speed_units):
        own = np.array([x == unit for x in loops.model.speed_units])
        out[own] /= max(float(long[own].max()), 1.0)
    return out


def _relaxed(loops: Loops, q: Floats, guess: Floats, given: Bools) -> Floats:
    """Closed coordinates at which the strain that closing took is least, from closed ones q."""
    strain = deformation(loops.model, q, guess)
    energy = float(strain_energies(loops.model, strain).sum())
    for _ in range(MOST_STEPS):
        cw = loops.configuration(q)
        phi = np.where(loops.holonomic, cw.position, 0.0)
        step = _limited(loops, Closing(loops, q, cw.J, given).strained(phi, strain), phi)
        try:
            q_next = closed(loops, loops.model.integrate(q, step, 1.0), given, False)
        except AssemblyError:
            break
        strain = deformation(loops.model, q_next, guess)
        left = float(strain_energies(loops.model, strain).sum())
        if not left < energy * (1 - NEARLY):
            break
        q, energy = q_next, left
    return q


def strained(loops: Loops, q: Floats, guess: Floats) -> str:
    """Bodies whose shape closing has changed by more than rounding, with their strain energy; empty if none."""
    model = loops.model
    strain = deformation(model, q, guess)
    share, energies = np.abs(strain) / loops.scales.speeds, strain_energies(model, strain)
    return ", ".join(
        f"{name!r} by {energies[k]:.3g} J"
        for k, name in enumerate(model.bodies)
        if share[model.tree.v_mode[k + 1] : model.tree.v_first[k + 2]].max(initial=0.0) > NEARLY
    )


def consistent(loops: Loops, q: Floats, v: Floats, given: Bools) -> Floats:
    """Speeds that fulfil all constraints: v less X* S^-1 J v; given ones stay, those of modes if the joints suffice."""
    state = loops.constraint_state(q, v, given)
    allowed = NEARLY * float((np.abs(v) / loops.scales.speeds).max(initial=0.0)) * loops.scales.rows
    for held in (True, False) if loops.model.is_mode.any() else (False,):
        if held:
            change = Closing(loops, q, state.J, given).joints(state.velocity)
        else:
            change = -state.X.T @ loops.redundancy(state.J, given).solve(state.S, state.velocity)
        out: Floats = v + change
        left = loops.errors(q, out)[1]
        if (np.abs(left) <= allowed).all():
            break
    else:
        i = int((np.abs(left) / loops.scales.rows).argmax())
        name, row = loops.rows[i]
        fixed = ", ".join(np.array(loops.model.speeds)[given])
        raise AssemblyError(
            f"model {loops.model.name!r}: constraint {name!r}: the speeds {fixed or 'given'} contradict it: "
            f"its {row.label} would change at {abs(left[i]):.3g} m/s or rad/s"
        )
    return out


def largest(loops: Loops, q: Floats, cw: ClosureWorkspace) -> float:
    """Largest error of the closed loops, relative to the typical sizes."""
    farthest = max(float(np.abs(cw.p_second).max(initial=0.0)), loops.scales.travel(q))
    return float((np.abs(cw.position) / loops.scales.units(farthest))[loops.holonomic].max(initial=0.0))


def _upright(loops: Loops, q: Floats) -> Floats:
    """The coordinates, if no joint is closed with its frames turned against each other by half a turn."""
    over = loops.turned_over(q)
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
    closed = CLOSED * loops.scales.rows
    for (name, row), x, least, holonomic in zip(loops.rows, loops.errors(q)[0], closed, loops.holonomic, strict=True):
        if holonomic and abs(x) > max(least, off.get(name, (0.0, ""))[0]):
            off[name] = (abs(x), row.label)
    listed = "; ".join(f"{name!r}: {label} off by {x:.3g}" for name, (x, label) in off.items())
    return f"model {loops.model.name!r}: cannot be assembled from this guess: {listed} (m or rad)"
