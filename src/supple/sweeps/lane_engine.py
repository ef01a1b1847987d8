"""The engine `lanes`: cases as lanes of one processor's vectors, each with its own numbers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from supple.errors import StateError, SuppleError
from supple.expressions.graph import GraphTooLarge
from supple.inputs.measure_formulas import OF_BODY, OF_MODEL, MeasureFormula
from supple.simulation.lane_runs import LaneRuns
from supple.simulation.lane_setup import LaneSetup
from supple.sweeps.case_blocks import FAILED, FINISHED, Block, Outcome
from supple.sweeps.case_run import words
from supple.sweeps.lane_numbers import CaseNumbers, LaneGroup, ordinary_setup
from supple.sweeps.lane_signals import LaneCaseRun, LaneSignals
from supple.sweeps.plan import SweepPlan
from supple.sweeps.trajectory_writer import TrajectoryWriter

TOGETHER = 1024
"""Cases that are run at a time, so that not all trajectories are in memory at once."""
BYTES = 256 * 2**20
"""Of the states and the numbers of these."""


def first_lane(plan: SweepPlan) -> tuple[LaneSetup | None, str]:
    """The run of the first case of a plan as a lane, or why its cases cannot be lanes, in words."""
    for name, measure in plan.runner.measures.items():
        if not isinstance(measure, MeasureFormula):
            return None, f"measure {name!r}: a function of a whole result"
        for function in sorted(measure.functions & (OF_BODY.keys() | OF_MODEL.keys())):
            return None, f"measure {name!r}: {function}() needs the model of each case"
    if not plan.runner.moves:
        return None, "no measure needs a motion"
    try:
        setup = ordinary_setup(plan, plan.changes(0))
        if setup.simulator.system.engine != "blocks":
            return None, f"model {setup.model.name!r} is too large for blocks of machine code"
    except SuppleError as error:
        return None, str(error)
    return setup, ""


class LaneEngine:
    """Runs cases side by side.

    Parameters
    ----------
    threads : int
        Most cores that are used.

    Attributes
    ----------
    why : list of str
        After a run: why cases were made one by one, where they were.
    """

    name = "lanes"

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._first: tuple[SweepPlan, LaneSetup] | None = None
        self.why: list[str] = []

    def refusal(self, plan: SweepPlan) -> str:
        """Why the cases of a plan cannot be lanes, in words; empty if they can. The first case stands for all."""
        if self._first is None or self._first[0] is not plan:
            setup, why = first_lane(plan)
            if setup is None:
                return why
            self._first = plan, setup
        return ""

    def run(
        self, plan: SweepPlan, tasks: Sequence[Sequence[int]], writer: TrajectoryWriter | None = None
    ) -> Iterator[Block]:
        """A block for some tasks at a time.

        Raises
        ------
        StateError
            If the cases cannot be lanes, by name.
        """
        refusal = self.refusal(plan)
        if self._first is None or refusal:
            raise StateError(f"engine 'lanes': {refusal}; expected engine 'local'")
        setup = self._first[1]
        numbers = CaseNumbers(plan, [case for task in tasks for case in task], {0: setup})
        self.why = numbers.why
        for some in _together(setup, tasks):
            outcomes = self._outcomes(plan, numbers, [case for task in some for case in task])
            found = list(outcomes.values())
            if writer is not None:
                for task in some:
                    writer.write([outcomes[case] for case in task])
                found = [x.without_trajectories() for x in found]
            yield Block.of(found, plan.measures)

    def close(self) -> None:
        """Nothing to end."""

    def _outcomes(self, plan: SweepPlan, numbers: CaseNumbers, cases: Sequence[int]) -> dict[int, Outcome]:
        """What comes of some cases, by case."""
        started, others, out = time.perf_counter(), list[int](), dict[int, Outcome]()
        for group in numbers.groups(cases, others):
            try:
                out |= self._run_group(plan, group)
            except (SuppleError, GraphTooLarge, ZeroDivisionError):  # of programs: a single run says what is wrong
                others += group.cases.tolist()
        share = (time.perf_counter() - started) / max(1, len(cases))
        out = {case: replace(x, wall_time=share) for case, x in out.items()}
        return out | {case: plan.runner.run(case, plan.changes(case)) for case in others}

    def _run_group(self, plan: SweepPlan, group: LaneGroup) -> dict[int, Outcome]:
        runs = LaneRuns(group.setup, group.values, self._threads)
        motion = runs.run()
        found = LaneSignals(motion)
        out = {}
        for place, case in enumerate(group.cases.tolist()):
            if place in motion.failures:
                out[case] = Outcome(case, FAILED, motion.failures[place])
                continue
            try:
                out[case] = _measured(plan, found, case, place)
            except Exception as error:  # of whatever kind: it must not end the other cases
                out[case] = Outcome(case, FAILED, words(error))
        return out


def _measured(plan: SweepPlan, found: LaneSignals, case: int, place: int) -> Outcome:
    """What is measured of one case."""
    run, values, units = LaneCaseRun(found, place), dict[str, float](), dict[str, str]()
    for name, measure in plan.runner.measures.items():
        assert isinstance(measure, MeasureFormula)
        values[name], units[name] = measure.value(run)
    kept = found.trajectories(plan.runner.trajectories, place)
    return Outcome(case, FINISHED, "", np.nan, values, units, kept, found.t if kept else None)


def _together(setup: LaneSetup, tasks: Sequence[Sequence[int]]) -> Iterator[list[Sequence[int]]]:
    """Tasks in groups that are run at a time; `setup` is the run of one case."""
    state = len(setup.simulator.first[0]) * setup.simulator.horizon.samples
    most = max(1, min(TOGETHER, BYTES // (8 * (4 * state + len(setup.values)))))
    some: list[Sequence[int]] = []
    for task in tasks:
        if some and sum(map(len, some)) + len(task) > most:
            yield some
            some = []
        some.append(task)
    if some:
        yield some
