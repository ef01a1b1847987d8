"""What data say about parameters: variances, and the combinations of parameters that they say nothing about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.checks import Floats

INVISIBLE = 1e-7
"""Smallest singular value, against the largest, of a combination that data depend on: smaller ones are the error of
runs, whose tolerance is 1e-8 by default."""
UNCERTAIN = 1.0
"""Largest relative standard deviation of a combination that is taken for identified."""
NAMED = 0.1
"""Smallest share of a parameter in a combination, against the largest, that is named."""


@dataclass(frozen=True, eq=False)
class Combination:
    """A direction in the space of parameters along which the data change little.

    Attributes
    ----------
    shares : dict of str to float
        Relative changes of the parameters, the largest one 1; small ones are left out.
    deviation : float
        Relative standard deviation along it; infinite if nothing measured changes.
    """

    shares: dict[str, float]
    deviation: float

    def __str__(self) -> str:
        names = list(self.shares)
        how = "not at all" if np.isinf(self.deviation) else f"only to {100 * self.deviation:.3g} %"
        if len(names) == 1:
            return f"{names[0]}: the data determine it {how}"
        moved = ", ".join(f"{name} by {x:+.3g} %" for name, x in self.shares.items())
        return f"{' and '.join(names)}: the data determine them {how} where they change together, {moved}"


@dataclass(frozen=True, eq=False)
class Information:
    """Covariance of estimates, and what is not identified.

    Attributes
    ----------
    covariance : (P, P) array
        Infinite variances for parameters of combinations that the data do not see.
    condition : float
        Of the scaled Jacobian.
    singular_values : (P,) array
        Of it; one over each is a relative standard deviation.
    unidentified : tuple of Combination
    """

    covariance: Floats
    condition: float
    singular_values: Floats
    unidentified: tuple[Combination, ...]


def information(jacobian: Floats, scale: Floats, names: tuple[str, ...]) -> Information:
    """What weighted residuals say about parameters.

    Parameters
    ----------
    jacobian : (m, P) array
        Derivatives of the residuals, each divided by its standard deviation, by the parameters.
    scale : (P,) array
        Sizes of the parameters, which make relative changes of them comparable.
    names : tuple of str
    """
    _, s, V = np.linalg.svd(jacobian * scale, full_matrices=False)
    V, s = _complete(V, s, len(names))
    seen = s > INVISIBLE * s.max(initial=0.0)
    deviation = np.where(seen, 1.0 / np.where(seen, s, 1.0), np.inf)
    covariance = (V[seen].T / s[seen] ** 2) @ V[seen] * np.outer(scale, scale)
    for direction in V[~seen]:
        unknown = np.abs(direction) > NAMED * np.abs(direction).max()
        covariance[unknown, unknown] = np.inf
    combinations = tuple(
        _combination(direction, float(d), names)
        for direction, d in zip(V[::-1], deviation[::-1], strict=True)
        if d > UNCERTAIN
    )
    condition = float(s.max(initial=0.0) / s.min(initial=np.inf)) if s.min(initial=np.inf) > 0 else np.inf
    return Information(covariance, condition, s, combinations)


def _complete(V: Floats, s: Floats, count: int) -> tuple[Floats, Floats]:
    """All directions, those that fewer residuals than parameters leave with a singular value of zero."""
    if len(s) == count:
        return V, s
    _, _, every = np.linalg.svd(V, full_matrices=True)
    return np.vstack([V, every[len(s) :]]), np.concatenate([s, np.zeros(count - len(s))])


def _combination(direction: Floats, deviation: float, names: tuple[str, ...]) -> Combination:
    largest = direction[int(np.argmax(np.abs(direction)))]
    shares = direction / largest
    return Combination({n: float(x) for n, x in zip(names, shares, strict=True) if abs(x) > NAMED}, deviation)
