"""What a varied number may be: one of some values, or drawn from a distribution.

A specification is a table with one key that names it, as a model file has it: `{ uniform = [0.8, 1.2] }`,
`{ normal = [70e9, 2e9], truncate = 3 }`, `{ values = [1, 2, 5] }`, `{ range = [0, 1.5], steps = 16 }`,
`{ seed = true }`. All continuous and discrete distributions of `scipy.stats` are known by their names there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.checks import Floats, integer, is_number
from supple.errors import StateError, nearest

Column = NDArray[Any]
"""Values of a path over the cases: numbers, whole numbers, or objects."""
LISTS = ("values", "range")
SEED = "seed"
MOST_STEPS = 1_000_000
EDGE = 2.0**-53
"""Probabilities are kept as far from 0 and 1, where quantiles may be infinite."""


class Quantity(Protocol):
    """What a path is varied by."""

    @property
    def values(self) -> Column | None:
        """All values, of a list; None of a distribution."""
        ...

    def quantiles(self, u: Floats) -> Column:
        """Values (cases,) at probabilities (cases,)."""
        ...

    def described(self) -> dict[str, Any]:
        """The specification, as JSON holds it."""
        ...


@dataclass(frozen=True, eq=False)
class Choice:
    """One of some values, all equally likely."""

    values: Column
    spec: dict[str, Any]

    def quantiles(self, u: Floats) -> Column:
        """The values at these places of the list."""
        return self.values[np.minimum((u * len(self.values)).astype(int), len(self.values) - 1)]

    def described(self) -> dict[str, Any]:
        """The specification."""
        return self.spec


@dataclass(frozen=True, eq=False)
class Distribution:
    """A distribution of `scipy.stats`, or the part of it between two probabilities."""

    frozen: Any
    spec: dict[str, Any]
    low: float = 0.0
    high: float = 1.0

    values = None

    def quantiles(self, u: Floats) -> Column:
        """Values at probabilities of the truncated distribution."""
        p = self.low + np.clip(u, EDGE, 1.0 - EDGE) * (self.high - self.low)
        found = _quantile(self.frozen)(p)
        return np.asarray(found, dtype=np.int64 if _is_discrete(self.frozen) else np.float64)

    def described(self) -> dict[str, Any]:
        """The specification."""
        return self.spec


@dataclass(frozen=True)
class Seeds:
    """The seed of the case: a whole number of its own for each."""

    values = None

    def quantiles(self, u: Floats) -> Column:
        """Not drawn: the plan has the seeds."""
        raise StateError("seed: expected to be filled in by the plan")

    def described(self) -> dict[str, Any]:
        """The specification."""
        return {SEED: True}


@checked
def case_seed(seed: int, case: int) -> int:
    """The seed of one case of a sweep: the same whatever other cases there are, below 2**32.

    Examples
    --------
    >>> case_seed(1, 17) == case_seed(1, 17), case_seed(1, 17) == case_seed(1, 18)
    (True, False)
    """
    entropy = [integer(seed, "seed", 0), integer(case, "case", 0)]
    return int(np.random.SeedSequence(entropy).generate_state(1)[0])


def column(values: Sequence[Any]) -> Column:
    """Values as an array: of whole numbers, of numbers, or of objects."""
    if all(isinstance(x, int | np.integer) and not isinstance(x, bool) for x in values):
        return np.array(values, dtype=np.int64)
    if all(is_number(x) for x in values):
        return np.array(values, dtype=np.float64)
    out = np.empty(len(values), dtype=object)
    out[:] = [x.item() if isinstance(x, np.generic) else x for x in values]
    return out


def read_quantity(spec: Any, where: str) -> Quantity:
    """What a specification says.

    Parameters
    ----------
    spec : mapping, list of values, or frozen distribution of scipy.stats
    where : str
        What messages start with: the path.

    Examples
    --------
    >>> read_quantity({"uniform": [1.0, 3.0]}, "mass").quantiles(np.array([0.25]))
    array([1.5])
    """
    if isinstance(spec, list | tuple | np.ndarray):
        spec = {"values": list(spec)}
    if callable(getattr(spec, "ppf", None)) or callable(getattr(spec, "icdf", None)):
        return Distribution(spec, _spec_of(spec))
    if not isinstance(spec, Mapping) or not spec:
        raise StateError(f"{where}: expected a table such as {{ uniform = [0.8, 1.2] }}, got {spec!r}")
    names = [key for key in spec if key not in ("truncate", "steps")]
    if len(names) != 1:
        raise StateError(f"{where}: expected one of values, range or a distribution, got {', '.join(names) or 'none'}")
    name, arguments = names[0], spec[names[0]]
    if name in LISTS or name == SEED:
        if "truncate" in spec:
            raise StateError(f"{where}: truncate: expected with a distribution, got it with {name}")
        if name == SEED:
            return _seeds(arguments, where)
        return _list(name, arguments, spec.get("steps"), where)
    if "steps" in spec:
        raise StateError(f"{where}: steps: expected with range, got it with {name}")
    frozen = _frozen(name, arguments, f"{where}: {name}")
    low, high = _ends(frozen, spec.get("truncate"), f"{where}: truncate")
    described = {name: dict(arguments) if isinstance(arguments, Mapping) else list(arguments)}
    return Distribution(frozen, described | ({"truncate": spec["truncate"]} if "truncate" in spec else {}), low, high)


def is_specification(x: Any) -> bool:
    """Whether a table is a specification, and not the beginning of a path that was written without quotes."""
    return isinstance(x, Mapping) and any(key in LISTS or key == SEED or _known(str(key)) for key in x)


def _seeds(asked: Any, where: str) -> Seeds:
    if asked is not True:
        raise StateError(f"{where}: seed: expected true, got {asked!r}")
    return Seeds()


def _list(name: str, x: Any, steps: Any, where: str) -> Choice:
    """Values that are written down, or equal steps."""
    if name == "values":
        if not isinstance(x, list) or not x:
            raise StateError(f"{where}: values: expected a list of one or more, got {x!r}")
        if steps is not None:
            raise StateError(f"{where}: steps: expected with range, got it with values")
        return Choice(column(x), {"values": [y.item() if isinstance(y, np.generic) else y for y in x]})
    if not isinstance(x, list) or len(x) != 2 or not all(map(is_number, x)):
        raise StateError(f"{where}: range: expected [first, last], got {x!r}")
    if isinstance(steps, bool) or not isinstance(steps, int) or not 2 <= steps <= MOST_STEPS:
        raise StateError(f"{where}: steps: expected a whole number from 2 to {MOST_STEPS:,}, got {steps!r}")
    return Choice(np.linspace(float(x[0]), float(x[1]), steps), {"range": [*x], "steps": steps})


def _normal(mean: float, deviation: float) -> Any:
    return scipy.stats.norm(mean, deviation)


def _uniform(low: float, high: float) -> Any:
    return scipy.stats.uniform(low, high - low) if low < high else None


def _loguniform(low: float, high: float) -> Any:
    return scipy.stats.loguniform(low, high) if 0 < low < high else None


def _lognormal(mean: float, deviation: float) -> Any:
    return scipy.stats.lognorm(deviation, scale=np.exp(mean))


def _triangular(low: float, mode: float, high: float) -> Any:
    return scipy.stats.triang((mode - low) / (high - low), low, high - low) if low <= mode <= high != low else None


OWN: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "uniform": (("low", "high"), _uniform),
    "normal": (("mean", "standard deviation"), _normal),
    "lognormal": (("mean of the logarithm", "its standard deviation"), _lognormal),
    "loguniform": (("low", "high"), _loguniform),
    "triangular": (("low", "mode", "high"), _triangular),
}
"""Distributions whose numbers are not those of scipy: what they are, in their order."""


def _known(name: str) -> bool:
    if name in OWN or name.startswith("_"):
        return name in OWN  # and scipy.stats, which takes long to import, is not asked
    return isinstance(getattr(scipy.stats, name, None), scipy.stats.rv_continuous | scipy.stats.rv_discrete)


def _frozen(name: str, arguments: Any, where: str) -> Any:
    """A distribution with its numbers."""
    if not _known(name):
        names = [x for x in dir(scipy.stats) if _known(x)]
        raise StateError(f"{where}: no distribution of this name{nearest(name, [*OWN, *LISTS, SEED, *names])}")
    by_name = isinstance(arguments, Mapping)
    numbers = [*arguments.values()] if by_name else arguments if isinstance(arguments, list) else [arguments]
    if not all(map(is_number, numbers)):
        raise StateError(f"{where}: expected a list of finite numbers, got {arguments!r}")
    if name in OWN:
        wanted, made = OWN[name]
        if by_name or len(numbers) != len(wanted):
            raise StateError(f"{where}: expected [{', '.join(wanted)}], got {arguments!r}")
        found = made(*numbers)
    else:
        kind = getattr(scipy.stats, name)
        try:
            found = kind(**arguments) if by_name else kind(*numbers)
        except TypeError as error:
            raise StateError(f"{where}: scipy.stats.{name}: {error}; its shapes are {kind.shapes or 'none'}") from None
    median = np.nan if found is None else _quantile(found)(np.array([0.5]))[0]
    if not np.isfinite(median):
        expected = f", expected [{', '.join(OWN[name][0])}] in order" if name in OWN else ""
        raise StateError(f"{where}: there is no such distribution, got {arguments!r}{expected}")
    return found


def _ends(frozen: Any, truncate: Any, where: str) -> tuple[float, float]:
    """Probabilities between which a distribution is truncated."""
    if truncate is None:
        return 0.0, 1.0
    if is_number(truncate):
        mean, deviation = float(frozen.mean()), float(frozen.std())
        if not (truncate > 0 and np.isfinite(mean) and np.isfinite(deviation)):
            raise StateError(f"{where}: expected a number of standard deviations, or [low, high], got {truncate!r}")
        ends = mean - truncate * deviation, mean + truncate * deviation
    elif isinstance(truncate, list) and len(truncate) == 2 and all(map(is_number, truncate)):
        ends = truncate[0], truncate[1]
    else:
        raise StateError(f"{where}: expected a number of standard deviations, or [low, high], got {truncate!r}")
    # The lowest whole number that a discrete distribution may take belongs to it.
    low = float(frozen.cdf(np.nextafter(ends[0], -np.inf) if _is_discrete(frozen) else ends[0]))
    high = float(frozen.cdf(ends[1]))
    if not low < high:
        raise StateError(f"{where}: nothing of the distribution is between {ends[0]:g} and {ends[1]:g}")
    return low, high


def _quantile(frozen: Any) -> Callable[[Floats], Any]:
    found: Callable[[Floats], Any] = frozen.ppf if hasattr(frozen, "ppf") else frozen.icdf
    return found


def _is_discrete(frozen: Any) -> bool:
    return isinstance(getattr(frozen, "dist", None), scipy.stats.rv_discrete)


def _spec_of(frozen: Any) -> dict[str, Any]:
    """A frozen distribution in words: its name in scipy and all its numbers by name."""
    kind = getattr(frozen, "dist", None)
    if kind is None:
        return {"distribution": repr(frozen)}
    shapes = [x.strip() for x in (kind.shapes or "").split(",") if x.strip()]
    numbers = dict(zip([*shapes, "loc", "scale"], map(float, frozen.args), strict=False))
    numbers |= {key: float(x) for key, x in frozen.kwds.items()}
    return {f"scipy.stats.{kind.name}": numbers}
