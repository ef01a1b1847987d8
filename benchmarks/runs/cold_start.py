"""From an empty cache to the first result: import, first forward dynamics, other numbers, commands on the examples.

    python -m benchmarks.runs.cold_start [--small]

Each line is a process of its own with a cache directory of its own. `again` is the same with what the first has left.
`other numbers` are seconds of the processor: on a busy machine a call of 2 ms may wait much longer for its turn.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.sizes import SMALL

ROOT = Path(__file__).resolve().parents[2]
FIRST = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
begin = time.perf_counter()
import numpy as np, supple
imported = time.perf_counter()
sys.path.insert(0, {root!r})
from benchmarks.runs.cold_start_models import made
model, other = made({name!r})
q, v = model.random_state(0)
tau = np.ones(model.nv)
start = time.perf_counter()
a = model.forward_dynamics(q, v, tau)
first, spent = time.perf_counter(), time.process_time()
b = other.forward_dynamics(q, v, tau)
changed = time.process_time() - spent
assert np.isfinite(a).all() and np.abs(a - b).max() > 0
print(json.dumps([imported - begin, first - start, changed]))
"""
MODELS = ("pendulum",) if SMALL else ("pendulum", "panda", "talos", "flexible 2 x 4", "flexible 8 x 16")
RUN = """
import json, sys, time
begin = time.perf_counter()
import supple.cli
sys.argv, first = {argv!r}, []
if sys.argv[1] == "run":
    from supple.simulation.recorder import Recorder
    record = Recorder.record
    def recorded(self, simulator, outputs, progress):
        def moving(t):
            first.append(time.perf_counter())
            progress(t)
        return record(self, simulator, outputs, moving)
    Recorder.record = recorded
try:
    supple.cli.main()
except SystemExit as end:
    assert not end.code
print()
print(json.dumps([(first or [time.perf_counter()])[0] - begin, time.perf_counter() - begin]))
"""
"""Seconds until the first look at a motion, and until the command ends."""
EXAMPLES = ("pendulum",) if SMALL else tuple(sorted(path.stem for path in (ROOT / "examples").glob("*.toml")))
COMMANDS: tuple[tuple[str, str], ...] = (
    ("info", "pendulum"),
    ("modes", "satellite_two_booms"),
    ("info", "four_bar"),
    ("check", "pendulum"),
)
COMMANDS = () if SMALL else COMMANDS


def spent(code: list[str], cache: str) -> str:
    """What a new process prints, with its compiled code in this directory; of small sizes in the usual one."""
    environment = os.environ | ({} if SMALL else {"SUPPLE_CACHE_DIR": cache})
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages have their bytecode
    done = subprocess.run([sys.executable, *code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def first_calls() -> Table:
    """Seconds until the first forward dynamics of models, and of the same with other numbers."""
    table = Table(title="First forward dynamics, seconds")
    for column in ("model", "import", "empty cache", "other numbers", "again"):
        table.add_column(column, justify="left" if column == "model" else "right")
    for name in MODELS:
        with tempfile.TemporaryDirectory() as cache:
            code = ["-c", FIRST.format(root=str(ROOT), name=name)]
            imported, first, changed = json.loads(spent(code, cache))
            again = first if SMALL else json.loads(spent(code, cache))[1]
        table.add_row(name, f"{imported:.2f}", f"{first:.3f}", f"{changed:.4f}", f"{again:.3f}")
    return table


def commanded(name: str, example: str, cache: str, *options: str) -> list[float]:
    """Seconds until a command simulates, if it does, and until it ends."""
    argv = ["supple", name, str(ROOT / "examples" / f"{example}.toml"), *options]
    until, whole = json.loads(spent(["-c", RUN.format(argv=argv)], cache).splitlines()[-1])
    return [until, whole]


def runs() -> Table:
    """Seconds of `supple run` from an empty cache, and again: until it simulates, and in all."""
    table = Table(title="supple run, seconds")
    for column in ("example", "empty cache: until it simulates", "in all", "again: until it simulates", "in all"):
        table.add_column(column, justify="left" if column == "example" else "right")
    for name in EXAMPLES:
        with tempfile.TemporaryDirectory() as cache:
            options = "-o", str(Path(cache) / "motion.nc"), "--overwrite"
            seconds = [x for _ in range(1 if SMALL else 2) for x in commanded("run", name, cache, *options)]
        table.add_row(name, *(f"{x:.1f}" for x in seconds))
    return table


def commands() -> Table:
    """Seconds of other commands from an empty cache, and again."""
    table = Table(title="Other commands, seconds")
    for column in ("command", "empty cache", "again"):
        table.add_column(column, justify="left" if column == "command" else "right")
    for name, example in COMMANDS:
        with tempfile.TemporaryDirectory() as cache:
            seconds = [commanded(name, example, cache)[1] for _ in range(2)]
        table.add_row(f"supple {name} {example}.toml", *(f"{x:.1f}" for x in seconds))
    return table


if __name__ == "__main__":
    console = Console()
    console.print(first_calls())
    console.print(runs())
    console.print(commands())
