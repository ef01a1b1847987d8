"""How a simulation program of equations closes their loops: at the start, and after every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError
from supple.expressions.derivatives import jacobian
from supple.expressions.function import Function
from supple.expressions.linear_equations import solve_general

if TYPE_CHECKING:
    from supple.symbolic.equations_of_motion import EquationsOfMotion

Floats = NDArray[np.float64]
ITERATIONS, FARTHEST, CLOSED = 100, 0.5, 1e-12
"""Of Newton's method: how many, the longest step of a coordinate, and the shortest, at which the loops are closed."""


def closed_coordinates(equations: EquationsOfMotion, q: Floats) -> Floats:
    """Coordinates (nq,) with closed loops: the dependent ones are found from the others, by Newton's method.

    Raises
    ------
    StateError
        If the loops cannot be closed.
    """
    e, dependence = equations, equations.dependence
    if dependence is None or not len(dependence.coordinates):
        return q
    q, leaves = q.copy(), list(e.variables.q)
    places = [leaves.index(x) for x in dependence.coordinates]
    slopes = jacobian(dependence.closures, dependence.coordinates)
    closing = e.function("closing", {"gap": dependence.closures, "slope": slopes})
    given = {"v": np.zeros(len(e.variables.v)), "tau": np.zeros(len(e.variables.inputs)), "t": [0.0]}
    for _ in range(ITERATIONS):
        at = closing.evaluate(e.numbers(), q=q, **{key: given[key] for key in closing.inputs if key != "q"})
        change = np.linalg.lstsq(at["slope"], -at["gap"], rcond=None)[0]
        size = float(np.abs(change).max())
        left = float(np.abs(at["slope"] @ change + at["gap"]).max())
        if size <= CLOSED * max(1.0, np.abs(q).max()) and left <= CLOSED * np.abs(at["slope"]).max():
            return q
        q[places] += change * min(1.0, FARTHEST / size) if size else 0.0
    names = ", ".join(repr(leaf.name) for leaf in dependence.coordinates)
    raise StateError(
        f"{e.name}: the loops cannot be closed by {names} from the start that is given: still open by "
        f"{np.abs(at['gap']).max():.3g}"
    )


def closing_function(equations: EquationsOfMotion) -> Function | None:
    """One step of Newton's method towards closed loops: q, and v as it is; None without loops."""
    e, dependence = equations, equations.dependence
    if dependence is None or not len(dependence.coordinates):
        return None
    q, leaves = e.variables.q.copy(), list(e.variables.q)
    places = [leaves.index(x) for x in dependence.coordinates]
    q[places] = q[places] - solve_general(jacobian(dependence.closures, dependence.coordinates), dependence.closures)
    return e.function("closing_step", {"q": q, "v": e.variables.v})
