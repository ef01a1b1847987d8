"""What jumps do to a model, its closed loops kept: impulses at stops, and states that events have changed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from supple.model.model import Model
from supple.recursions.tree import QUATERNION, THREE_AXES
from supple.simulation.start_state import closed_state

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]
IMMOVABLE = 1e-9
"""Answer of a joint to an impulse, relative to that of the open tree, below which the loops hold it."""


def impulse_at(model: Model, q: Vector, speed: int, prescribed: Mask) -> tuple[Vector, Vector] | None:
    """Change (nv,) of all speeds by an impulse that changes one by 1, and the impulses (nv,); None if none can.

    With the impulse e at the joint, M dv = e + J* L and J dv = 0: dv = M^-1 e - M^-1 J* S^-1 J M^-1 e. Prescribed
    degrees of freedom do not move; what holds them is among the impulses. Those of the loops are not.

    Parameters
    ----------
    q : (nq,) array
        A configuration with its loops closed.
    speed : int
    prescribed : (nv,) array of bool
    """
    x = np.zeros(model.nv)
    x[speed] = 1.0
    change: Vector = model.inverse_mass_product(q, x, prescribed)
    least, closing = IMMOVABLE * change[speed], np.zeros(model.nv)
    if model.loops is not None:
        at = model.loops.constraint_state(q, given=prescribed)
        rows = -model.loops.redundancy(at.J, prescribed).solve(at.S, at.J @ change)
        change, closing = change + at.X.T @ rows, at.J.T @ rows
    if change[speed] <= least:
        return None
    felt = model.mass_matrix(q) @ change - closing if prescribed.any() else x
    return change / change[speed], felt / change[speed]


def closed_again(model: Model, q: Vector, v: Vector, prescribed: Mask, places: Iterable[int]) -> tuple[Vector, Vector]:
    """Coordinates and speeds with the loops closed again, after those at some places of (q, v) were changed.

    These and prescribed degrees of freedom keep their values.

    Raises
    ------
    AssemblyError
        If that cannot be, with what contradicts it.
    """
    fixed, still = prescribed.copy(), prescribed.copy()
    for place in places:
        if place < model.nq:
            fixed[moving_speeds(model, place)] = True
        else:
            still[place - model.nq] = True
    held = ([name for name, x in zip(model.speeds, which, strict=True) if x] for which in (fixed, still))
    return closed_state(model, q, v, *held)


def moving_speeds(model: Model, place: int) -> list[int]:
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
