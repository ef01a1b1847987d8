"""Equilibrium under loads that are raised in steps, each followed by Newton's method; they may turn with bodies."""

from __future__ import annotations

import numpy as np

from supple.errors import AssemblyError
from supple.linear.balance import Balance
from supple.linear.start import Floats

LONGEST = 0.5
"""Change of a coordinate, relative to its unit, in one iteration beyond which the load step was too long."""
FARTHEST = 1.0
"""The same for all iterations of a load step: further off another branch may lie."""
MOST = 25
"""Iterations of a load step."""
QUICK = 6
"""Iterations after which the next load step is twice as long."""
SHORTEST = 1e-4
"""Share of the loads, below which a load step is not halved any more."""
LIMIT = 200
"""Iterations of all load steps."""
STILL = 1e-14
"""Change of a coordinate, relative to its unit, which is rounding."""
SINGULAR = 1e-14
"""Singular value of the scaled stiffness, relative to the largest, in whose direction nothing resists."""


class StuckError(ArithmeticError):
    """The loads could not be raised further.

    Attributes
    ----------
    q : (nq,) array
        In equilibrium under a share of the loads.
    share : float
    iterations : int
    """

    def __init__(self, q: Floats, share: float, iterations: int) -> None:
        super().__init__(f"loads raised to {share:.4g}")
        self.q, self.share, self.iterations = q, share, iterations


class TooLongError(ArithmeticError):
    """Newton's method does not follow a load step."""

    def __init__(self, iterations: int) -> None:
        super().__init__(f"no equilibrium nearby after {iterations} iterations")
        self.iterations = iterations


def loaded(balance: Balance, start: Floats) -> tuple[Floats, int]:
    """Coordinates (nq,) in equilibrium under all loads, reached from none without a jump; and the iterations it took.

    Load steps are halved where Newton's method does not follow, and doubled where it is quick.
    """
    q, total = start, 0
    share, step = -1.0, 1.0  # the first step is that to equilibrium without loads
    while share < 1.0:
        target = 0.0 if share < 0.0 else min(share + step, 1.0)
        try:
            q, count = newton(balance, q, target)
        except (TooLongError, AssemblyError) as error:
            total += error.iterations if isinstance(error, TooLongError) else 1
            step /= 2.0
        else:
            total += count
            share, step = target, 2.0 * step if count <= QUICK else step
        if share < 0.0 or step < SHORTEST or (total > LIMIT and share < 1.0):
            raise StuckError(q, max(share, 0.0), total)
    return q, total


def newton(balance: Balance, q: Floats, share: float) -> tuple[Floats, int]:
    """Coordinates in equilibrium under a share of the loads, near q, and the iterations."""
    gone, before = 0.0, np.inf
    for iteration in range(MOST):
        f = balance.partition(q)
        g = f.Z.T @ balance.residual(q, share)
        small, accepted = balance.none(f, share)
        unit = balance.units[f.partition.moving]
        K = unit[:, None] * balance.stiffness(f, share) * unit
        if not (np.isfinite(K).all() and np.isfinite(g).all()):
            break
        size = np.sqrt(np.maximum(np.abs(K).max(axis=1), np.finfo(float).tiny))  # forces differ in size more than units
        x = -np.linalg.lstsq(K / np.outer(size, size), unit * g / size, rcond=SINGULAR)[0] / size
        motion = f.Z @ (unit * x)
        far = float((np.abs(motion) / balance.units).max())
        gone += far
        if (np.abs(g) <= small).all() or (far <= STILL and (np.abs(g) <= accepted).all()):
            return balance.moved(q, motion), iteration
        if far > LONGEST or gone > FARTHEST or (iteration > 2 and far > 2.0 * before):
            break
        q, before = balance.moved(q, motion), far
    raise TooLongError(iteration + 1)
