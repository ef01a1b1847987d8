"""The engine that needs no other process: one case after another, here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from supple.sweeps.case_blocks import Block
from supple.sweeps.plan import SweepPlan
from supple.sweeps.trajectory_writer import TrajectoryWriter


class SerialEngine:
    """Runs cases in this process; one that kills it ends the sweep, which can be resumed."""

    name = "serial"

    def run(
        self, plan: SweepPlan, tasks: Sequence[Sequence[int]], writer: TrajectoryWriter | None = None
    ) -> Iterator[Block]:
        """A block for each task."""
        for task in tasks:
            outcomes = [plan.runner.run(case, plan.changes(case)) for case in task]
            if writer is not None:
                writer.write(outcomes)
                outcomes = [x.without_trajectories() for x in outcomes]
            yield Block.of(outcomes, plan.measures)

    def close(self) -> None:
        """Nothing to end."""
