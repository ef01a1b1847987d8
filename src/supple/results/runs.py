"""Several runs side by side: the signals that all have, and how far each run is from the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.call_checks import checked
from supple.errors import StateError
from supple.results.differences import Difference, common_instants, difference
from supple.results.signals import Signal, find_signal, signals, times_of

if TYPE_CHECKING:
    import xarray as xr

ROUNDING = 100 * float(np.finfo(float).eps)
"""Difference, relative to the largest value, that is rounding."""


@checked
class Runs:
    """Runs to be compared, and what they have in common.

    Parameters
    ----------
    results : mapping of name to xarray.Dataset
        The first is the one that the others are compared with.
    of : sequence of str
        Names of signals, or their ends; all if there are none.

    Attributes
    ----------
    names : tuple of str
        Of the runs.
    times : dict of str to array
        By run, s.
    signals : dict of str to dict of str to Signal
        Those that all runs have, by name; each by run.
    only : dict of str to int
        How many signals a run has that others have not, if none were asked for.
    asked : bool
        Whether signals were asked for.
    differences : dict of str to tuple of Difference
        By signal, one for each run but the first.
    interpolated : tuple of str
        Runs whose samples are not at the times of the first.
    """

    def __init__(self, results: Mapping[str, xr.Dataset], of: Sequence[str] = ()) -> None:
        if not results:
            raise StateError("runs: expected one or more, got none")
        self.names = tuple(results)
        self.times = {name: times_of(x) for name, x in results.items()}
        every = {name: signals(x) for name, x in results.items()}
        first = every[self.names[0]]
        wanted = [find_signal(first, name).name for name in of] or [*first]
        common = [name for name in dict.fromkeys(wanted) if all(name in x for x in every.values())]
        missing = [(run, name) for run, x in every.items() for name in wanted if name not in x] if of else []
        if missing:
            raise StateError("run {!r}: no signal {!r}, which {!r} has".format(*missing[0], self.names[0]))
        if not common:
            raise StateError(f"runs {', '.join(self.names)}: expected signals in common, got none")
        self.asked = bool(of)
        self.only = {name: len(x.keys() - set(common)) for name, x in every.items()} if not of else {}
        self.signals: dict[str, dict[str, Signal]] = {key: {n: x[key] for n, x in every.items()} for key in common}
        self._compare()

    def _compare(self) -> None:
        reference, *others = self.names
        t = self.times
        instants = {name: common_instants(t[reference], t[name]) for name in others}
        self.interpolated = tuple(name for name, x in instants.items() if x.interpolated)
        self.differences: dict[str, tuple[Difference, ...]] = {
            key: tuple(difference(instants[n], (t[reference], x[reference]), (t[n], x[n])) for n in others)
            for key, x in self.signals.items()
        }

    def ordered(self) -> list[str]:
        """Signals, those that differ most first; as they come if they are asked for or there is one run alone.

        What counts is the share of the largest range that a signal of the same variable and unit has: beside a large
        component a small one may differ by rounding alone. Last come differences that are rounding of the values, and
        variables that are nothing else, such as momenta that stay zero.
        """
        if self.asked or len(self.names) == 1:
            return list(self.signals)
        reach: dict[tuple[str, str], float] = {}
        large: dict[tuple[str, str], float] = {}
        for key, own in self.signals.items():
            known = [x.values[np.isfinite(x.values)] for x in own.values()]
            ranges = [float(np.ptp(x)) for x in known if len(x)]
            reach[self._kind(key)] = max([reach.get(self._kind(key), 0.0), *ranges])
            values = [float(np.abs(x).max()) for x in known if len(x)]
            large[self._kind(key)] = max([large.get(self._kind(key), 0.0), *values])
        noise = ROUNDING * max(large.values(), default=0.0)

        def size(key: str) -> float:
            gap = max(float(np.nan_to_num(x.largest, nan=np.inf)) for x in self.differences[key])
            if gap < np.inf and (gap <= ROUNDING * large[self._kind(key)] or reach[self._kind(key)] <= noise):
                return 0.0
            return gap / reach[self._kind(key)] if gap and reach[self._kind(key)] else gap

        return sorted(self.signals, key=size, reverse=True)

    def _kind(self, key: str) -> tuple[str, str]:
        """Variable and unit of a signal."""
        return key.partition(".")[0], self.signals[key][self.names[0]].unit
