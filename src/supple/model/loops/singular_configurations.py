"""How far configurations are from singular ones, in which constraint equations lose rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.errors import AssemblyError
from supple.model.loops.assembly import closed
from supple.model.loops.redundancy import ranks, unit_rows
from supple.recursions.states import States

if TYPE_CHECKING:
    from supple.model.loops.loops import Loops

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
APART = 0.3
"""Of the typical sizes: how far off a motion its neighbours are looked for."""
NEARLY_SINGULAR = 1e-3
"""Margin below which a configuration is named."""


def margins(loops: Loops, q: Floats, given: Bools) -> tuple[Floats, list[str]]:
    """How far configurations (states, nq) are from singular ones, and the constraint that is nearest to failing.

    The least eigenvalue of S, its rows scaled to at most 1 at these configurations, of those that are not zero at all
    of them: zero in a singular configuration. Prescribed speeds have a prescribed motion.
    """
    found = loops.sweeps.projection(States(q, np.zeros((len(q), loops.model.nv))), given, matrices=True)
    rows, speeds = loops.scales.rows, np.where(given, 0.0, loops.scales.speeds)
    moved = unit_rows(found.J, rows, speeds)[2].any(axis=0)
    size = np.where(moved, np.sqrt(np.einsum("sii->si", found.S).max(axis=0, initial=0.0)), np.inf)
    values, vectors = np.linalg.eigh(found.S / np.outer(size, size))
    rank = int(ranks(found.J, rows, speeds).max(initial=1))
    first = len(loops) - (rank if given.any() else usual_rank(loops, q, rank))
    names = [loops.rows[int(np.abs(x[:, first]).argmax())][0] for x in vectors]
    return np.maximum(values[:, first], 0.0), names


def usual_rank(loops: Loops, q: Floats, found: int) -> int:
    """Number of independent equations in closed configurations that are not singular, as those (states, nq) may all be.

    It is at least what was `found` at them. Unless that is all there are, the loops are closed again from guesses off
    the first, middle and last of them: once for a model, as it takes a second and more where bodies are flexible.
    """
    if found < len(loops) and loops.known_rank:
        return max(found, loops.known_rank)
    rng = np.random.default_rng(0)
    none = loops.model.none_prescribed
    for at in sorted({0, len(q) // 2, len(q) - 1}) if found < len(loops) else ():
        off = APART * loops.scales.speeds * rng.uniform(-1.0, 1.0, loops.model.nv)
        guess = loops.model.integrate(q[at], np.where(loops.model.is_mode, 0.0, off), 1.0)
        try:
            other = closed(loops, guess, none)
        except AssemblyError:
            continue
        found = loops.known_rank = max(found, loops.redundancy(loops.jacobian(other)).rank)
    return found


def minima(times: Floats, margin: Floats, names: list[str]) -> list[tuple[float, str]]:
    """Times of a motion at which it passes near a singular configuration, and the constraint that fails there."""
    last = len(margin) - 1
    return [
        (float(times[i]), names[i])
        for i in map(int, np.flatnonzero(margin < NEARLY_SINGULAR))
        if margin[i] <= margin[max(i - 1, 0)] and margin[i] <= margin[min(i + 1, last)]
    ]
