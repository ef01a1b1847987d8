"""Saltelli's sampling scheme for Sobol indices: N (d + 2) points of the unit cube.

Two independent samples A and B of N points, and for each of the d factors A with that factor from B. Points that belong
together follow each other, A, B, AB_1 ... AB_d, so that the first part of an unfinished sweep is a smaller scheme.
"""

from __future__ import annotations

import numpy as np

from supple.call_checks import checked
from supple.checks import Floats, generator
from supple.errors import StateError
from supple.lazy import LazyModule

qmc = LazyModule("scipy.stats.qmc")
MOST_FACTORS = 10_600
"""Half of the dimensions, 21,201, for which scipy has direction numbers of Sobol's sequence."""


@checked
def saltelli_points(samples: int, factors: int, seed: int | np.random.Generator = 0) -> Floats:
    """Points (samples (factors + 2), factors) between 0 and 1, from one scrambled Sobol sequence in 2 d dimensions.

    Parameters
    ----------
    samples : int
        N, a power of 2: the balance of Sobol points needs it.
    factors : int
        d, how many vary independently.
    seed : int or numpy.random.Generator
    """
    if samples < 1 or samples & (samples - 1):
        near = 2 ** max(0, int(samples).bit_length() - 1)
        raise StateError(
            f"samples: expected a power of 2 for the sampler 'saltelli', such as {near} or {2 * near}, got {samples}"
        )
    if factors < 1:
        raise StateError(f"factors: expected 1 or more, got {factors}")
    if factors > MOST_FACTORS:
        raise StateError(f"factors: expected at most {MOST_FACTORS:,}, got {factors!r:.60}")
    both = qmc.Sobol(2 * factors, scramble=True, seed=generator(seed, "seed")).random(samples)
    A, B = both[:, :factors], both[:, factors:]
    out = np.empty((samples, factors + 2, factors))
    out[:, 0], out[:, 1] = A, B
    for i in range(factors):
        out[:, 2 + i] = A
        out[:, 2 + i, i] = B[:, i]
    return out.reshape(-1, factors)


def saltelli_parts(values: Floats, factors: int) -> tuple[Floats, Floats, Floats]:
    """Values at the points of the scheme as those of A (N,), of B (N,) and of AB (d, N).

    What the last points have of an unfinished group is left out.
    """
    whole = len(values) // (factors + 2)
    groups = np.asarray(values, dtype=float)[: whole * (factors + 2)].reshape(whole, factors + 2)
    return groups[:, 0], groups[:, 1], groups[:, 2:].T
