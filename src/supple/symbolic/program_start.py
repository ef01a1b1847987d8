"""What a simulation program starts with: coordinates whose loops are closed, and steps that are stable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.errors import StateError
from supple.expressions.derivatives import jacobian

if TYPE_CHECKING:
    from supple.symbolic.equations_of_motion import EquationsOfMotion

Floats = NDArray[np.float64]
STEP = 1e-3
"""Seconds, of a program whose motion asks for no shorter steps."""
STABLE = 2.6
"""Longest step of the classical Runge-Kutta method times the size of any eigenvalue in the left half plane."""
SHARE = 0.6
"""Of the longest stable step that is taken, as in a simulation: the motion may become faster."""
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


def stable_step(equations: EquationsOfMotion, q: Floats, v: Floats, tau: Floats) -> float:
    """Seconds: a step of the classical Runge-Kutta method that the fastest motion about a state leaves stable."""
    x, n = np.concatenate([q, v]), len(q)

    def rates(x: Floats) -> Floats:
        return np.concatenate(equations.evaluate(x[:n], x[n:], tau))

    h = 1e-7 * np.maximum(np.abs(x), 1e-3)
    A = np.array([(rates(x + step) - rates(x - step)) / (2 * step[i]) for i, step in enumerate(np.diag(h))]).T
    if not np.isfinite(A).all():
        raise StateError(f"{equations.name}: the rates at the start that is given are not finite")
    fastest = float(np.abs(np.linalg.eigvals(A)).max())
    return min(STEP, SHARE * STABLE / fastest) if fastest else STEP
