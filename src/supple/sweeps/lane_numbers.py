"""From the values of cases to runs side by side: groups of cases that differ in numbers alone, and their numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import Floats, Ints
from supple.errors import PhysicsWarning, StateError
from supple.model.number_arrays import flat
from supple.simulation.lane_setup import LaneSetup
from supple.sweeps.number_maps import NotSmooth, NumberMap
from supple.sweeps.plan import SweepPlan

FEW = 24
"""Cases up to which each is made the ordinary way at once."""
SHARE = 3
"""Of so many cases one may be made the ordinary way for interpolation."""


@dataclass(frozen=True, eq=False)
class LaneGroup:
    """Cases side by side: their numbers in the sweep, the run of one of them, and the numbers of all (cases, n)."""

    cases: Ints
    setup: LaneSetup
    values: Floats


class CaseNumbers:
    """The numbers of the cases of a sweep.

    Parameters
    ----------
    plan : SweepPlan
    cases : sequence of int
        Those that are to be run.
    known : mapping of case to LaneSetup, optional
        Runs that are made already.

    Attributes
    ----------
    why : list of str
        Why cases are made one by one, where they are.
    """

    def __init__(self, plan: SweepPlan, cases: Sequence[int], known: Mapping[int, LaneSetup] | None = None) -> None:
        self._plan, self._known = plan, dict(known or {})
        self.why: list[str] = []
        self._maps: dict[int, tuple[NumberMap, LaneSetup, Ints]] = {}
        every = np.array(cases, dtype=np.int64)
        smooth = {path: x for path, x in plan.values.items() if x.dtype.kind == "f"}
        kinds: dict[str, list[int]] = {}
        for case in every.tolist():
            said = repr([x[case] for path, x in plan.values.items() if path not in smooth])
            kinds.setdefault(said, []).append(case)
        for own in kinds.values():
            if len(own) > FEW:
                self._interpolate(np.array(own, dtype=np.int64), {path: x[own] for path, x in smooth.items()})

    def _interpolate(self, cases: Ints, columns: Mapping[str, Floats]) -> None:
        """Make a map for cases that differ in smooth values alone, if there is one."""
        others = {p: x for p, x in self._plan.changes(int(cases[0])).items() if p not in columns}
        try:
            first = self._of_case(int(cases[0]))

            def make(values: Mapping[str, float]) -> Floats:
                setup = self._setup(others | dict(values))
                if setup.key != first.key:
                    raise NotSmooth("cases differ in more than numbers: a value changes the structure of the equations")
                return setup.values

            found = NumberMap(make, columns, _array_of(first), len(cases) // SHARE)
        except NotSmooth as error:
            self.why.append(str(error))
            return
        except Exception as error:  # of a run at the edge of the values: each case says for itself what is wrong
            self.why.append(f"a run at the edge of the values cannot be made: {error}")
            return
        for place, case in enumerate(cases.tolist()):
            self._maps[case] = found, first, np.array([place])

    def _setup(self, changes: Mapping[str, Any]) -> LaneSetup:
        return ordinary_setup(self._plan, changes)

    def _of_case(self, case: int) -> LaneSetup:
        return self._known[case] if case in self._known else self._setup(self._plan.changes(case))

    def groups(self, cases: Sequence[int], others: list[int]) -> Iterator[LaneGroup]:
        """Cases in groups; those that are no lanes, or of which no run can be made, go to `others`."""
        mapped: dict[int, list[int]] = {}
        for case in cases:
            if case in self._maps:
                mapped.setdefault(id(self._maps[case][0]), []).append(case)
        for own in mapped.values():
            made, setup, _ = self._maps[own[0]]
            places = np.concatenate([self._maps[case][2] for case in own])
            yield LaneGroup(np.array(own, dtype=np.int64), setup, made(places))
        alike: dict[tuple[Any, ...], list[tuple[int, LaneSetup]]] = {}
        for case in cases:
            if case not in self._maps:
                try:
                    setup = self._of_case(case)
                except Exception:  # of whatever kind: it must not end the other cases, and will be said by its own run
                    others.append(case)
                    continue
                alike.setdefault(setup.key, []).append((case, setup))
        for found in alike.values():
            values = np.array([setup.values for _, setup in found])
            yield LaneGroup(np.array([case for case, _ in found], dtype=np.int64), found[0][1], values)


def ordinary_setup(plan: SweepPlan, changes: Mapping[str, Any]) -> LaneSetup:
    """The run of some values, as any engine makes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PhysicsWarning)
        model, settings = plan.runner.source.made(changes)
        if "duration" not in settings:
            raise StateError("no duration: expected [simulation] duration in the file, or duration=")
        return LaneSetup.of(model, settings)


def _array_of(setup: LaneSetup) -> Ints:
    """(n,) the array that each of a run's numbers belongs to."""
    sizes = [x.size for arrays in setup.groups.values() if arrays is not None for _, x in flat(arrays) if _real(x)]
    sizes += [len(setup.simulator.first[0]), setup.segments[1].size]
    return np.repeat(np.arange(len(sizes)), sizes)


def _real(x: Any) -> bool:
    return bool(x.dtype.kind == "f")
