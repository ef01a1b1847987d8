"""Which coordinates and speeds of a closed model move by themselves, and how the others follow.

Coordinate partitioning (Wehage and Haug, 1982): the columns of J that can be solved for well are those of the dependent
speeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from supple.errors import AssemblyError, StateError
from supple.model.loops.assembly import CLOSED, assembled, largest
from supple.model.loops.redundancy import Redundancy

if TYPE_CHECKING:
    from supple.model.loops.loops import Loops

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]
REFINEMENTS = 8
"""Steps back to the loops before a proper assembly is tried."""
NEARBY = 1e-3
"""Change of a coordinate, relative to its typical size, to a configuration beside another."""


class Partition(NamedTuple):
    """Independent coordinates and speeds at a configuration, and how all others follow.

    Only rolling makes a difference between the two: what has no slip can reach more places than it can move to at once.
    """

    J: Floats
    """(rows, nv) of the loops."""
    placed: Ints
    """(p,) speeds in whose directions the coordinates can be chosen."""
    moving: Ints
    """(n,) speeds that can be chosen; all of them are among `placed`."""
    dependent: Ints
    """Speeds that follow; neither these nor the moving ones are held."""
    X: Floats
    """(nv, p) changes of all coordinates, in the directions of the speeds, for unit changes of the placed ones."""
    Z: Floats
    """(nv, n) all speeds for unit moving ones; J Z = 0."""


def partition(loops: Loops, q: Floats, given: Bools, wanted: Sequence[str] = ()) -> Partition:
    """Independent coordinates and speeds at a closed configuration, given ones held.

    Dependent are those that change the conditions most, each weighed with its inertia (QR with column pivoting): then
    none of them moves much more than those it follows. Wanted speeds are independent in any case.
    """
    found = _partition(loops, q, given, np.zeros_like(given))
    if not wanted:
        return found
    asked = loops.held(wanted)
    chosen = _partition(loops, q, given, asked)
    if len(chosen.moving) > len(found.moving) or (asked & given).any():
        raise StateError(
            f"model {loops.model.name!r}: independent: expected speeds that can be chosen together, of which there are "
            f"{len(found.moving)}, got {', '.join(wanted)}"
        )
    return chosen


def _partition(loops: Loops, q: Floats, given: Bools, wanted: Bools) -> Partition:
    J = loops.jacobian(q)
    free = np.flatnonzero(~given)
    inertia = np.diag(loops.model.mass_matrix(q))
    weight, sizes = 1.0 / np.sqrt(np.where(inertia > 0, inertia, 1.0)), loops.scales.speeds
    scaled = J / loops.scales.rows[:, None]
    chosen, follow = solved(scaled[np.ix_(loops.holonomic, free)], sizes[free], weight[free], wanted[free])
    placed, X = free[chosen], np.zeros((loops.model.nv, len(chosen)))
    X[free] = follow
    chosen, follow = solved(scaled[~loops.holonomic] @ X, sizes[placed], weight[placed], wanted[placed])
    moving = placed[chosen]
    return Partition(J, placed, moving, np.setdiff1d(free, moving), X, X @ follow)


def condition(loops: Loops, q: Floats, given: Bools, moving: Bools) -> float:
    """How well the dependent speeds can be solved for: 1 if they answer as all do, 0 if they cannot close the loops.

    The least eigenvalue of S = J M^-1 J* with the moving speeds held, relative to S with none of them held.
    """
    state, held = loops.constraint_state(q, given=given), loops.constraint_state(q, given=given | moving)
    B = loops.redundancy(state.J, given).basis
    S = B.T @ state.S @ B
    size = np.sqrt(np.outer(S.diagonal(), S.diagonal()))
    values, V = np.linalg.eigh(S / size)
    W = V / np.sqrt(np.maximum(values, np.finfo(float).tiny))
    return float(np.linalg.eigvalsh(W.T @ (B.T @ held.S @ B / size) @ W).min(initial=1.0))


def solved(J: Floats, sizes: Floats, weight: Floats, wanted: Bools) -> tuple[Ints, Floats]:
    """Independent columns of J x = 0, in order, and Z (columns, independent) with x = Z x_independent.

    Parameters
    ----------
    J : (rows, columns) array
        Of equations whose typical size is 1.
    sizes : (columns,) array
        Typical change of each x, by which the rank is judged.
    weight : (columns,) array
        Change of each x that counts as one in the choice.
    wanted : (columns,) array of bool
        Columns that must be independent. If they cannot all be, there are too many in the result.
    """
    columns, unit = J.shape[1], np.ones(len(J))
    A = (J * weight)[Redundancy(J, unit, sizes).moved]
    rank = Redundancy(J, unit, np.where(wanted, 0.0, sizes)).rank
    if not rank:
        return np.arange(columns), np.eye(columns)
    others = np.flatnonzero(~wanted)
    A /= np.linalg.norm(A, axis=1)[:, None]
    order = scipy.linalg.qr(A[:, others], mode="r", pivoting=True)[1]
    follow = others[order[:rank]]
    rest = np.setdiff1d(np.arange(columns), follow)
    Z = np.zeros((columns, len(rest)))
    Z[rest, np.arange(len(rest))] = 1.0
    moved = -np.linalg.lstsq(A[:, follow], A[:, rest], rcond=None)[0]
    Z[follow] = weight[follow, None] * moved / weight[rest]
    return rest, Z


def back(loops: Loops, q: Floats, given: Bools) -> Floats:
    """The closed configuration near one that is almost closed; prescribed degrees of freedom keep theirs.

    Raises
    ------
    AssemblyError
        When there is none.
    """
    still = np.zeros((1, loops.model.nv))
    out: Floats = q
    for _ in range(REFINEMENTS):
        if largest(loops, out, loops.configuration(out)) <= CLOSED:
            return out
        out = loops.project(out[None], still, given, steps=1)[0][0]
        if not np.isfinite(out).all():
            break
    return assembled(loops, q, given)


def lost_beside(loops: Loops, q: Floats, given: Bools, found: Partition) -> int:
    """How many motions of a configuration are gone beside it; more than none in a singular configuration."""
    rng = np.random.default_rng(0)
    step = found.Z @ rng.uniform(0.5, 1.0, found.Z.shape[1])
    step *= NEARBY / max(float((np.abs(step) / loops.scales.speeds).max(initial=0.0)), NEARBY)
    try:
        beside = back(loops, loops.model.integrate(q, step, 1.0), given)
    except AssemblyError:
        return found.Z.shape[1]  # it moves in no way but infinitesimally
    return found.Z.shape[1] - partition(loops, beside, given).Z.shape[1]
