"""Modes whose acceleration is prescribed: held by forces that are found.

Modes are eliminated together and never left out of a recursion. A prescribed one is free in the recursion, and the
forces on all of them follow from M^-1 of their degrees of freedom, a column for each: a = a_0 + M^-1 E f, E* a given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError

if TYPE_CHECKING:
    from supple.model.dynamic_functions import DynamicFunctions

Numbers = NDArray[Any]
Mask = NDArray[np.bool_]


def held_modes(
    model: DynamicFunctions, q: Numbers, known: Numbers, prescribed: Mask, motion: Callable[[Numbers, Mask], Numbers]
) -> Numbers:
    """Accelerations (s, nv) of states.

    Parameters
    ----------
    q : (s, nq) array
    known : (s, nv) array
        Accelerations where they are prescribed, else forces.
    prescribed : (nv,) array of bool
    motion : function of known (s, nv) and of a mask of joints alone
        Gives accelerations (s, nv) with all modes free.
    """
    require_tree(model)
    joints = prescribed & ~model.is_mode
    held = np.flatnonzero(prescribed & model.is_mode)
    free = known.copy()
    free[:, held] = 0.0
    a = motion(free, joints).copy()
    columns = [model.inverse_mass_product(q, np.eye(model.nv)[i], joints) for i in held]
    X = np.stack(columns, axis=-1)  # (s, nv, held)
    force = np.linalg.solve(X[:, held], (known - a)[:, held, None])
    a += (X @ force)[..., 0]
    a[:, held] = known[:, held]
    return a


def require_tree(model: Any) -> None:
    """Refuse prescribed modes of a closed mechanism."""
    if model.loops is not None:
        raise StateError(
            f"model {model.name!r} has closed loops: modes cannot be prescribed there; expected a tree, or a stiff "
            "controller on the mode"
        )
