"""What is known of cases that were run: status, message, measures, trajectories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.checks import Floats, Ints

NOT_RUN, FINISHED, FAILED, STOPPED = range(4)
STATUS_MEANINGS = ("not_run", "finished", "failed", "stopped_by_an_event")


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A variable of the results of a case over its output times.

    Attributes
    ----------
    values : (samples, ...) array
        Not a number after the end of a run that an event stopped.
    dims : tuple of str
        Of the axes, the first being "time".
    labels : dict of str to list
        Of the axes but the first, where they have labels.
    attrs : dict of str to str
    """

    values: Floats
    dims: tuple[str, ...]
    labels: dict[str, list[str]] = field(default_factory=dict)
    attrs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of one case."""

    case: int
    status: int
    message: str = ""
    wall_time: float = np.nan
    measures: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    trajectories: Mapping[str, Trajectory] = field(default_factory=dict)
    times: Floats | None = None

    def without_trajectories(self) -> Outcome:
        """The same without its trajectories, which are written already or not wanted here."""
        return Outcome(self.case, self.status, self.message, self.wall_time, self.measures, self.units)


@dataclass(frozen=True, eq=False)
class Block:
    """What came of some cases: what an engine yields.

    Attributes
    ----------
    cases : (n,) array of int
    status : (n,) array of int8
        1 finished, 2 failed, 3 stopped by an event.
    message : list of str
        Why a case failed, or which event stopped it.
    wall_time : (n,) array
        s.
    measures : dict of str to (n,) array
        Not a number where a case failed.
    units : dict of str to str
        Of measures, where they are known.
    trajectories : list of dict of str to Trajectory
        One for each case; empty where there are none, or where the engine has written them to the store itself.
    times : (samples,) array or None
        Of the trajectories, s.
    """

    cases: Ints
    status: NDArray[np.int8]
    message: list[str]
    wall_time: Floats
    measures: dict[str, Floats]
    units: dict[str, str] = field(default_factory=dict)
    trajectories: list[Mapping[str, Trajectory]] = field(default_factory=list)
    times: Floats | None = None

    @classmethod
    def of(cls, outcomes: Sequence[Outcome], names: Sequence[str]) -> Block:
        """Outcomes side by side, in the order of their cases; `names` are those of the measures."""
        every = sorted(outcomes, key=lambda x: x.case)
        units: dict[str, str] = {}
        for x in every:
            units |= {key: unit for key, unit in x.units.items() if unit}
        return cls(
            np.array([x.case for x in every], dtype=np.int64),
            np.array([x.status for x in every], dtype=np.int8),
            [x.message for x in every],
            np.array([x.wall_time for x in every], dtype=np.float64),
            {name: np.array([x.measures.get(name, np.nan) for x in every], dtype=np.float64) for name in names},
            units,
            [x.trajectories for x in every],
            next((x.times for x in every if x.times is not None), None),
        )

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        """Blocks as one, in the order of their cases."""
        every = [x for block in blocks for x in block.outcomes()]
        return cls.of(every, [*blocks[0].measures])

    def outcomes(self) -> list[Outcome]:
        """Case by case."""
        kept = self.trajectories or [{} for _ in self.cases]
        return [
            Outcome(
                case,
                int(self.status[k]),
                self.message[k],
                float(self.wall_time[k]),
                {name: float(x[k]) for name, x in self.measures.items()},
                self.units,
                kept[k],
                self.times,
            )
            for k, case in enumerate(self.cases.tolist())
        ]

    @property
    def failed(self) -> int:
        """How many cases failed."""
        return int(np.sum(self.status == FAILED))


def spread(values: Sequence[Any], cases: Ints) -> list[tuple[int, int, list[Any]]]:
    """Values of cases as runs of neighbours: first case, last case + 1, values."""
    out: list[tuple[int, int, list[Any]]] = []
    for case, value in zip(cases.tolist(), values, strict=True):
        if out and out[-1][1] == case:
            first, _, found = out[-1]
            out[-1] = first, case + 1, [*found, value]
        else:
            out.append((case, case + 1, [value]))
    return out
