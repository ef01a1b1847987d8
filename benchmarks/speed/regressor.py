"""Regressor of inverse dynamics, one state at a time and in batches, beside Pinocchio in the same run.

Pinocchio fills an array that it keeps; supple gives a new one. Processor time of one core for single calls.

    python -m benchmarks.speed.regressor [--small]
"""

from __future__ import annotations

import importlib.metadata
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.sizes import SMALL, best_time, compile_at_once
from supple.bench.pinocchio import Peer

ROBOTS = ("ur5_robot",) if SMALL else ("ur5_robot", "panda", "talos_reduced")
STATES = 8 if SMALL else 64
"""States in a batch: the result of the largest robot, 10 kB a row, stays in the processor's caches."""
TOLERANCE = 1e-12
"""Largest difference, against the largest entry: rounding of the longest branch."""


def robot(name: str) -> Peer:
    """A robot of example-robot-data in both libraries."""
    files = importlib.metadata.files("example-robot-data") or []
    return Peer.of_file(Path(str(next(f for f in files if f.name == f"{name}.urdf").locate())))


def main() -> None:
    """Print the table."""
    compile_at_once()
    table = Table(title="Regressor of inverse dynamics, us a state")
    for column in (
        "robot",
        "speeds",
        "parameters",
        "supple, one",
        f"supple, {STATES}",
        "Pinocchio",
        "ratio one",
        "batch",
    ):
        table.add_column(column, justify="right" if column != "robot" else "left")
    for name in ROBOTS:
        peer = robot(name)
        model = peer.model
        q, v = model.random_state(0)
        a = np.random.default_rng(0).normal(size=model.nv)
        Y, expected = model.regressor(q, v, a), peer.regressor(q, v, a)
        assert np.abs(Y - expected).max() < TOLERANCE * np.abs(expected).max(), (
            f"{name}: Pinocchio gives another answer"
        )
        one = best_time(partial(model.regressor, q, v, a)) * 1e6
        qs, vs, accelerations = (np.tile(x, (STATES, 1)) for x in (q, v, a))
        many = best_time(partial(model.regressor, qs, vs, accelerations)) / STATES * 1e6
        other = best_time(peer.regressor_call(q, v, a)) * 1e6
        counts = (str(model.nv), str(Y.shape[1]))
        times = (f"{one:.1f}", f"{many:.2f}", f"{other:.2f}", f"{one / other:.2f}", f"{many / other:.2f}")
        table.add_row(name, *counts, *times)
    Console(width=110).print(table)
    Console().print("ratios: time of supple over that of Pinocchio; above one it is slower")


if __name__ == "__main__":
    main()
