"""What an engine of sweeps is: it gets the plan and the cases to do, and yields blocks of what came of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from supple.sweeps.case_blocks import Block
from supple.sweeps.plan import SweepPlan
from supple.sweeps.trajectory_writer import TrajectoryWriter


class Engine(Protocol):
    """Runs cases.

    Every case of every task is in one block, in any order. With a writer, trajectories are written by whoever ran
    the cases, a task at a time, before its block is yielded without them; without one they come with the block.
    """

    @property
    def name(self) -> str:
        """Of the engine."""
        ...

    def run(
        self, plan: SweepPlan, tasks: Sequence[Sequence[int]], writer: TrajectoryWriter | None = None
    ) -> Iterator[Block]:
        """Blocks as they are finished."""
        ...

    def close(self) -> None:
        """End what was started."""
        ...
