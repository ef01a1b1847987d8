"""How many degrees of freedom a mechanism has when its loops are closed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import AssemblyError
from supple.model.loops.redundancy import ranks
from supple.model.model import Model

CONFIGURATIONS = 3
"""Closed configurations that are tried besides the neutral one: a single one may be singular."""


def degrees_of_freedom(model: Model, q: ArrayLike | None = None) -> int:
    """The number of speeds less that of the independent constraint equations, nv - rank J.

    Parameters
    ----------
    model : Model
    q : (configurations, nq) array_like, optional
        Closed configurations. J has its full rank where it is largest; by default a few that are found by assembly.
    """
    loops = model.loops
    if loops is None:
        return model.nv
    states = _closed(model) if q is None else np.atleast_2d(np.asarray(q, dtype=float))
    found = ranks(loops.jacobian(states), loops.scales.rows, loops.scales.speeds)
    return model.nv - int(found.max(initial=0))


def _closed(model: Model) -> np.ndarray:
    """Closed configurations (configurations, nq); none if the loops cannot be closed."""
    assert model.loops is not None
    found = []
    for start in (model.neutral(), *(model.random_state(n)[0] for n in range(CONFIGURATIONS))):
        try:
            found.append(model.loops.assemble(start))
        except AssemblyError:
            continue
    return np.array(found).reshape(-1, model.nq)
