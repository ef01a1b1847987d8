"""Designs of experiments: which values the varied quantities have in which case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import scipy

from supple.checks import Floats, is_number
from supple.errors import StateError, nearest, one_of
from supple.sampling.distributions import Choice, Column, Quantity, Seeds, case_seed
from supple.sampling.saltelli import saltelli_points

MOST_CASES = 10_000_000
SALTELLI = "saltelli"
Correlations = Sequence[tuple[str, str, float]]


def _sobol(n: int, d: int, rng: np.random.Generator) -> Floats:
    """The first of as many points as the next power of two, for which the sequence is balanced."""
    return np.asarray(scipy.stats.qmc.Sobol(d, scramble=True, seed=rng).random_base2((n - 1).bit_length())[:n])


def _halton(n: int, d: int, rng: np.random.Generator) -> Floats:
    return np.asarray(scipy.stats.qmc.Halton(d, scramble=True, seed=rng).random(n))


def _latin_hypercube(n: int, d: int, rng: np.random.Generator) -> Floats:
    return np.asarray(scipy.stats.qmc.LatinHypercube(d, seed=rng).random(n))


def _random(n: int, d: int, rng: np.random.Generator) -> Floats:
    return rng.random((n, d))


POINTS: dict[str, Callable[[int, int, np.random.Generator], Floats]] = {
    "lhs": _latin_hypercube,
    "sobol": _sobol,
    "halton": _halton,
    "random": _random,
    SALTELLI: saltelli_points,
}
"""Samplers that draw points of the unit cube: so many, of Saltelli's scheme so many groups of d + 2."""
SAMPLERS = ("grid", "list", *POINTS, "table")


def sampled(
    quantities: Mapping[str, Quantity],
    sampler: str | None = None,
    samples: int | None = None,
    seed: int = 0,
    together: Sequence[Sequence[str]] = (),
    correlation: Correlations = (),
) -> dict[str, Column]:
    """Values (cases,) of every path.

    Parameters
    ----------
    quantities : mapping of path to Quantity
    sampler : str, optional
        "grid": all combinations, the last path fastest. "list": the first values of all, then the second, ... "lhs",
        "sobol", "halton", "random": points of the unit cube turned into values by the inverse of each distribution.
        "saltelli": for Sobol indices, groups of d + 2 such points for d dimensions. By default "grid" of lists, else
        "lhs".
    samples : int, optional
        Number of cases, of "saltelli" of groups, a power of 2; grid and list have as many as their values make.
    seed : int
    together : sequence of groups of paths
        What varies together is one dimension: in a grid the lists advance together, else all have the same probability.
    correlation : sequence of (path, path, number)
        Of the normal scores of two paths (a Gaussian copula); of samplers that draw points.

    Examples
    --------
    >>> from supple.sampling.distributions import read_quantity
    >>> lists = {"a": read_quantity([1, 2], "a"), "b": read_quantity([10, 20], "b")}
    >>> {path: values.tolist() for path, values in sampled(lists).items()}
    {'a': [1, 1, 2, 2], 'b': [10, 20, 10, 20]}
    """
    drawn = {path: x for path, x in quantities.items() if not isinstance(x, Seeds)}
    chosen = sampler or ("grid" if samples is None and all(x.values is not None for x in drawn.values()) else "lhs")
    if chosen not in SAMPLERS or chosen == "table":
        raise StateError(f"sampler: no {chosen!r}{one_of(SAMPLERS)}")
    groups = grouped(list(drawn), together)
    if chosen in POINTS:
        count = _count(samples, chosen)
        if chosen == SALTELLI:
            _require_independent(quantities.keys() - drawn.keys(), drawn, correlation)
        found = _drawn(drawn, groups, chosen, count, seed, correlation)
    else:
        if correlation:
            raise StateError(f"correlation: expected with {', '.join(POINTS)}, got the sampler {chosen!r}")
        lists = {path: _listed(x, path, chosen) for path, x in drawn.items()}
        found = _grid(lists, groups) if chosen == "grid" else _zipped(lists)
        count = len(next(iter(found.values()))) if found else 1
        if samples not in (None, count):
            raise StateError(f"samples: expected {count}, which the {chosen} has, or none, got {samples}")
    seeds = {path: np.array([case_seed(seed, i) for i in range(count)]) for path in quantities.keys() - drawn.keys()}
    return {path: (found | seeds)[path] for path in quantities}


def grouped(paths: Sequence[str], together: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The dimensions of a design: groups that vary together where their first path stands, and all other paths."""
    group_of: dict[str, tuple[str, ...]] = {}
    for group in together:
        for path in group:
            if path not in paths:
                raise StateError(f"together: {path!r} is not varied{nearest(path, paths)}")
            if path in group_of:
                raise StateError(f"together: {path!r}: expected in one group, got it twice")
            group_of[path] = tuple(group)
    return list(dict.fromkeys(group_of.get(path, (path,)) for path in paths))


def _count(samples: Any, sampler: str) -> int:
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or not 1 <= samples <= MOST_CASES:
        raise StateError(f"samples: expected a number of cases from 1 to {MOST_CASES:,} for {sampler!r}, got {samples}")
    return int(samples)


def _require_independent(seeds: set[str], drawn: Mapping[str, Quantity], pairs: Correlations) -> None:
    """Refuse what Saltelli's scheme cannot exchange one by one."""
    if not drawn:
        raise StateError(f"sampler {SALTELLI!r}: expected one or more distributions, got none")
    if pairs:
        raise StateError(f"correlation: expected none with the sampler {SALTELLI!r}, whose factors are independent")
    for path in sorted(seeds):
        raise StateError(f"{path}: sampler {SALTELLI!r}: expected no seeds: every case would have other noise")


def _listed(x: Quantity, path: str, sampler: str) -> Column:
    if x.values is None:
        got = next(iter(x.described()))
        raise StateError(f"{path}: sampler {sampler!r}: expected values or range, got the distribution {got}")
    return x.values


def _grid(lists: Mapping[str, Column], groups: Sequence[tuple[str, ...]]) -> dict[str, Column]:
    """All combinations; the last group runs fastest."""
    lengths = []
    for group in groups:
        own = {path: len(lists[path]) for path in group}
        if len(set(own.values())) > 1:
            raise StateError(f"together: expected lists of one length, got {own}")
        lengths.append(own[group[0]])
    if prod(lengths) > MOST_CASES:
        raise StateError(f"grid: expected at most {MOST_CASES:,} cases, got {prod(lengths):,}")
    places = np.array(list(product(*map(range, lengths))), dtype=int).reshape(prod(lengths), len(groups))
    return {path: lists[path][places[:, g]] for g, group in enumerate(groups) for path in group}


def _zipped(lists: Mapping[str, Column]) -> dict[str, Column]:
    lengths = {path: len(x) for path, x in lists.items()}
    if len(set(lengths.values())) > 1:
        raise StateError(f"sampler 'list': expected lists of one length, got {lengths}")
    return dict(lists)


def _drawn(
    quantities: Mapping[str, Quantity],
    groups: Sequence[tuple[str, ...]],
    sampler: str,
    count: int,
    seed: int,
    correlation: Correlations,
) -> dict[str, Column]:
    """Values by the inverse distributions at points of the unit cube."""
    if not groups:
        return {}
    u = POINTS[sampler](count, len(groups), np.random.default_rng(seed))
    if correlation:
        for path, x in quantities.items():
            if isinstance(x, Choice) and any(path in pair[:2] for pair in correlation):
                raise StateError(f"correlation: {path!r}: expected a distribution, got a list of values")
        u = correlated(u, correlation_matrix(groups, correlation))
    return {path: quantities[path].quantiles(u[:, g]) for g, group in enumerate(groups) for path in group}


def correlation_matrix(groups: Sequence[tuple[str, ...]], correlation: Correlations) -> Floats:
    """Of the normal scores of all groups; an error if there is no such joint distribution."""
    place = {path: g for g, group in enumerate(groups) for path in group}
    C = np.eye(len(groups))
    for first, second, value in correlation:
        for path in (first, second):
            if path not in place:
                raise StateError(f"correlation: {path!r} is not varied{nearest(path, place)}")
        i, j = place[first], place[second]
        if i == j:
            raise StateError(f"correlation: {first!r} and {second!r}: expected two that vary on their own")
        if not is_number(value) or not -1 < value < 1:
            raise StateError(f"correlation: {first!r} and {second!r}: expected a number between -1 and 1, got {value}")
        C[i, j] = C[j, i] = value
    smallest = float(np.linalg.eigvalsh(C)[0])
    if smallest <= 0.0:
        raise StateError(
            f"correlation: no quantities have all these correlations at once: the smallest eigenvalue of their matrix "
            f"is {smallest:.3g}, expected a positive one"
        )
    return C


def correlated(u: Floats, C: Floats) -> Floats:
    """Points of the unit cube whose normal scores have a correlation matrix, from independent ones: Gaussian copula."""
    tiny = np.finfo(float).tiny
    z = scipy.special.ndtri(np.clip(u, tiny, 1.0 - 2.0**-53))
    return np.asarray(scipy.special.ndtr(z @ np.linalg.cholesky(C).T))
