"""Which normal modes a reduction keeps: so many, these, all up to a frequency, or those that move most of the mass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy

from supple.call_checks import checked
from supple.checks import Floats, Ints, number
from supple.errors import ModelError, PhysicsWarning, warn
from supple.structures.discretization.mass import Sparse

MOST_MODES = 2_000
"""Integrals of pairs of modes take 9 numbers each: 300 MB."""
FIRST = 16
"""Modes that are looked at first where their number is not known; then twice as many, and so on."""
DIRECTIONS = ("rx", "ry", "rz", "x", "y", "z")


@checked
@dataclass(frozen=True)
class Bandwidth:
    """All modes up to a frequency.

    Parameters
    ----------
    frequency : float
        Hz.
    """

    frequency: float

    def __post_init__(self) -> None:
        number(self.frequency, "modes: bandwidth", minimum=0.0)


@checked
@dataclass(frozen=True)
class EffectiveMass:
    """The fewest modes that have a share of the effective mass in each of some directions.

    The whole is what all modes of the basis have together: the mass that does not sit on the root or on interfaces.

    Parameters
    ----------
    share : float
        Above 0 and below 1.
    directions : sequence of str
        Of "x", "y", "z", and "rx", "ry", "rz" for turns about the root.
    """

    share: float
    directions: Sequence[str] = ("x", "y", "z")

    def __post_init__(self) -> None:
        if not 0.0 < number(self.share, "modes: share of effective mass", minimum=0.0) < 1.0:
            raise ModelError(f"modes: share of effective mass: expected a number between 0 and 1, got {self.share!r}")
        given: Any = self.directions
        names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else ()
        if not names or any(name not in DIRECTIONS for name in names):
            raise ModelError(f"modes: directions: expected some of {', '.join(DIRECTIONS)}, got {given!r}")
        object.__setattr__(self, "directions", names)


Modes: TypeAlias = "int | Sequence[int] | Bandwidth | EffectiveMass"
Found = Callable[[int], tuple[Floats, Floats]]
"""Gives squared frequencies (m,) and shapes (size, m) of at most so many modes, the lowest."""


def checked_modes(modes: Any, basis: str) -> Modes:
    """A choice of modes, refused by name if it is none."""
    if isinstance(modes, EffectiveMass) and basis == "free-free":
        raise ModelError(
            "modes: those of the free structure have no momentum, so no effective mass; expected their number, a list "
            "or a bandwidth for the basis 'free-free'"
        )
    if isinstance(modes, Bandwidth | EffectiveMass):
        return modes
    if _is_count(modes):
        if modes > MOST_MODES:
            raise ModelError(f"modes: expected at most {MOST_MODES:,}, got {modes:,}")
        return int(modes)
    if isinstance(modes, list | tuple | range | np.ndarray) and all(_is_count(x) for x in modes):
        numbers = [int(x) for x in modes]
        if any(not 1 <= x <= MOST_MODES for x in numbers) or len(set(numbers)) < len(numbers):
            raise ModelError(f"modes: expected different numbers from 1 to {MOST_MODES:,}, got {numbers}")
        return sorted(numbers)
    raise ModelError(
        f"modes: expected their number for the basis {basis!r}, a list of mode numbers, a Bandwidth or an "
        f"EffectiveMass, got {modes!r}"
    )


def _is_count(x: Any) -> bool:
    return isinstance(x, int | np.integer) and not isinstance(x, bool) and int(x) >= 0


def chosen_modes(choice: Modes, find: Found, mass: Sparse, momentum: Floats, how: str) -> Floats:
    """Shapes (size, n) of the modes that are wanted.

    Parameters
    ----------
    choice : Modes
    find : function of int
        See `Found`.
    mass : (size, size) sparse array
    momentum : (size, 6) array
        M R: momentum of unit rotations and displacements of the root, as these degrees of freedom see it.
    how : str
        What holds the structure, for messages.
    """
    if isinstance(choice, Bandwidth):
        return _up_to(choice, find, how)
    if isinstance(choice, EffectiveMass):
        return _heaviest(choice, find, mass, momentum, how)
    count = choice if isinstance(choice, int) else max(choice, default=0)
    phi = find(count)[1]
    if phi.shape[1] < count:
        raise ModelError(f"modes: {count} asked for, but the structure has {phi.shape[1]} {how}")
    return phi if isinstance(choice, int) else phi[:, np.array(choice, dtype=np.int64) - 1]


def _up_to(choice: Bandwidth, find: Found, how: str) -> Floats:
    """Return all modes up to a frequency; warn if there are none, as modes of a bandwidth are never meant to be."""
    limit = (2.0 * np.pi * choice.frequency) ** 2
    count = FIRST
    while True:
        squares, phi = find(count)
        if len(squares) < count or squares[-1] > limit:
            if len(squares) and squares[0] > limit:
                warn(
                    f"structure: modes: none {how} up to {choice.frequency:g} Hz, the lowest has "
                    f"{np.sqrt(squares[0]) / (2.0 * np.pi):.5g} Hz; raise the bandwidth, or pass modes=0 to keep none",
                    PhysicsWarning,
                )
            return phi[:, squares <= limit]
        if count == MOST_MODES:
            raise ModelError(f"modes: more than {MOST_MODES:,} up to {choice.frequency:g} Hz; expected fewer")
        count = min(2 * count, MOST_MODES)


def _heaviest(choice: EffectiveMass, find: Found, mass: Sparse, momentum: Floats, how: str) -> Floats:
    """The modes of most effective mass in each direction, until they have the share."""
    columns = [DIRECTIONS.index(name) for name in choice.directions]
    wanted = choice.share * _effective_total(mass, momentum)[columns]
    count = FIRST
    while True:
        squares, phi = find(count)
        effective = (phi.T @ momentum[:, columns]) ** 2
        short = effective.sum(axis=0) < wanted
        if not short.any():
            return phi[:, _ranked(effective, wanted)]
        if len(squares) < count or count == MOST_MODES:
            name = choice.directions[int(np.argmax(short))]
            share = effective.sum(axis=0)[short][0] / wanted[short][0] * choice.share
            raise ModelError(
                f"modes: the {len(squares)} modes {how} have {100 * share:.4g} % of the effective mass in {name}, "
                f"expected {100 * choice.share:.4g} %"
            )
        count = min(2 * count, MOST_MODES)


def _ranked(effective: Floats, wanted: Floats) -> Ints:
    """Modes, in order, of which each direction has as much as is wanted, the heaviest first."""
    kept: set[int] = set()
    for column, least in zip(effective.T, wanted, strict=True):
        order = np.argsort(-column, kind="stable")
        needed = int(np.searchsorted(np.cumsum(column[order]), least)) + 1 if least > 0 else 0
        kept |= {int(i) for i in order[:needed]}
    return np.array(sorted(kept), dtype=np.int64)


def _effective_total(mass: Sparse, momentum: Floats) -> Floats:
    """(6,) what all modes have: momentum* M^-1 momentum; degrees of freedom without mass have no momentum either."""
    if not mass.shape[0]:
        return np.zeros(6)
    diagonal = mass.diagonal()
    tiny = 1e-14 * np.where(diagonal > 0, diagonal, 1.0)
    solved = scipy.sparse.linalg.spsolve(scipy.sparse.csc_array(mass + scipy.sparse.diags_array(tiny)), momentum)
    return np.maximum(np.einsum("ia,ia->a", momentum, np.asarray(solved).reshape(momentum.shape)), 0.0)
