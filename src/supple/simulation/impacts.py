"""What jumps do to a model, its closed loops kept: impulses at stops, and states that events have changed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from supple.model.loops.loops import Loops
from supple.model.model import Model
from supple.recursions import articulated
from supple.recursions.tree import QUATERNION, THREE_AXES

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]
IMMOVABLE = 1e-9
"""Answer of a joint to an impulse, relative to that of the open tree, below which the loops hold it."""


def impulse_at(model: Model, q: Vector, speed: int, given: Mask) -> tuple[Vector, Vector] | None:
    """Change (nv,) of all speeds by an impulse that changes one by 1, and the impulses (nv,); None if none can.

    With the impulse e at the joint, M dv = e + J* L and J dv = 0: dv = M^-1 e - M^-1 J* S^-1 J M^-1 e. Prescribed
    degrees of freedom do not move; what holds them is among the impulses. Those of the loops are not.

    Parameters
    ----------
    q : (nq,) array
        A configuration with its loops closed.
    speed : int
    given : (nv,) array of bool
    """
    (q_,), _, dtype = model.batch(q=(q, model.nq))
    x, v = np.zeros((1, model.nv)), np.zeros((1, model.nv), dtype)
    x[0, speed] = 1.0
    with model.workspace(dtype) as ws:
        model.refuse_singular(articulated.inverse_mass_solve(model.tree, model.flex, q_, given, ws, x, v))
    change: Vector = v[0]
    least, closing = IMMOVABLE * change[speed], np.zeros(model.nv)
    if model.loops is not None:
        at = model.loops.constraint_state(q, given=given)
        rows = -model.loops.redundancy(at.J, given).solve(at.S, at.J @ change)
        change, closing = change + at.X.T @ rows, at.J.T @ rows
    if change[speed] <= least:
        return None
    felt = model.mass_matrix(q) @ change - closing if given.any() else x[0]
    return change / change[speed], felt / change[speed]


def closed_again(model: Model, q: Vector, v: Vector, given: Mask, places: Iterable[int]) -> tuple[Vector, Vector]:
    """Coordinates and speeds with the loops closed again, after those at some places of (q, v) were changed.

    These and prescribed degrees of freedom keep their values.

    Raises
    ------
    AssemblyError
        If that cannot be, with what contradicts it.
    """
    loops = model.loops
    if loops is None:
        return q, v
    fixed, still = given.copy(), given.copy()
    for place in places:
        if place < model.nq:
            fixed[_speeds(model, place)] = True
        else:
            still[place - model.nq] = True
    q = loops.assemble(q, _names(loops, fixed))
    return q, loops.consistent(q, v, _names(loops, still))


def _names(loops: Loops, which: Mask) -> list[str]:
    return [name for name, x in zip(loops.model.speeds, which, strict=True) if x]


def _speeds(model: Model, place: int) -> list[int]:
    """Speeds that move a coordinate: its own, or where speeds are in body axes all of its rotation or translation."""
    tree = model.tree
    own = [int(i) for i in np.flatnonzero(tree.q_of_speed == place)]
    if own:
        return own
    for k in range(1, len(tree.parent)):
        turns = {QUATERNION: 4, THREE_AXES: 3}.get(int(tree.rotation_kind[k]), 0)
        for first, count, speed in (
            (tree.q_rotation[k], turns, tree.v_rotation[k]),
            (tree.q_translation[k], tree.translations[k], tree.v_translation[k]),
        ):
            if first <= place < first + count:
                return [int(speed) + i for i in range(3)]
    return []
