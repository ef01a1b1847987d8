"""Trajectories written to the store of a sweep by whoever ran the cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supple.sweeps.case_blocks import Outcome, spread
from supple.sweeps.zarr_groups import open_group, stored_name


@dataclass(frozen=True)
class TrajectoryWriter:
    """Writes trajectories of the cases of a task into the arrays of a store, which are there already.

    A task is a whole chunk of these arrays, or the part of it that is still to do: no two processes write to a chunk at
    the same time, and each chunk is replaced whole.

    Attributes
    ----------
    store : str
        Directory.
    """

    store: str

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Write what the outcomes have."""
        kept = sorted((x for x in outcomes if x.trajectories), key=lambda x: x.case)
        if not kept:
            return
        group = open_group(self.store, "r+")
        cases = np.array([x.case for x in kept])
        for name in kept[0].trajectories:
            array = group[stored_name(name)]
            for first, last, values in spread([x.trajectories[name].values for x in kept], cases):
                array[first:last] = np.stack(values)
