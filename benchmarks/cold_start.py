"""From an empty cache to the first result: import, first forward dynamics, other numbers, and runs of the examples.

    python benchmarks/cold_start.py [--small]

Each line is a process of its own with a cache directory of its own. `again` is the same with what the first has left.
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

from sizes import SMALL

ROOT = Path(__file__).resolve().parent.parent
FIRST = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
begin = time.perf_counter()
import numpy as np, supple
imported = time.perf_counter()
sys.path[:0] = {paths!r}
from cold_models import made
model, other = made({name!r})
q, v = model.random_state(0)
tau = np.ones(model.nv)
start = time.perf_counter()
a = model.forward_dynamics(q, v, tau)
first = time.perf_counter()
b = other.forward_dynamics(q, v, tau)
changed = time.perf_counter()
assert np.isfinite(a).all() and np.abs(a - b).max() > 0
print(json.dumps([imported - begin, first - start, changed - first]))
"""
MODELS = ("pendulum",) if SMALL else ("pendulum", "panda", "talos", "flexible 2 x 4", "flexible 8 x 16")
EXAMPLES = (
    ("pendulum",) if SMALL else ("pendulum", "flexible_two_link_arm", "four_bar", "stewart_platform", "space_crane")
)


def spent(code: list[str], cache: str) -> str:
    """What a new process prints, with its compiled code in this directory."""
    environment = os.environ | {"SUPPLE_CACHE_DIR": cache}
    done = subprocess.run([sys.executable, *code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def first_calls() -> Table:
    """Seconds until the first forward dynamics of models, and of the same with other numbers."""
    table = Table(title="First forward dynamics, seconds")
    for column in ("model", "import", "empty cache", "other numbers", "again"):
        table.add_column(column, justify="left" if column == "model" else "right")
    paths = [str(ROOT / "benchmarks"), str(ROOT / "tests")]
    for name in MODELS:
        with tempfile.TemporaryDirectory() as cache:
            code = ["-c", FIRST.format(paths=paths, name=name)]
            imported, first, changed = json.loads(spent(code, cache))
            _, again, _ = json.loads(spent(code, cache))
        table.add_row(name, f"{imported:.2f}", f"{first:.3f}", f"{changed:.4f}", f"{again:.3f}")
    return table


def runs() -> Table:
    """Seconds of `supple run` from an empty cache, and again; of these the motion itself takes the last."""
    table = Table(title="supple run, seconds")
    for column in ("example", "empty cache", "again"):
        table.add_column(column, justify="left" if column == "example" else "right")
    timed = "import sys, time; t = time.perf_counter(); from supple.cli import main; sys.argv = {argv!r}\n"
    timed += "try:\n    main()\nexcept SystemExit:\n    pass\nprint(); print(time.perf_counter() - t)"
    for name in EXAMPLES:
        with tempfile.TemporaryDirectory() as cache:
            argv = ["supple", "run", str(ROOT / "examples" / f"{name}.toml"), "-o", str(Path(cache) / "motion.nc")]
            seconds = []
            for _ in range(2):
                argv = [*argv[:5], "--overwrite"]
                seconds.append(float(spent(["-c", timed.format(argv=argv)], cache).splitlines()[-1]))
        table.add_row(name, *(f"{x:.1f}" for x in seconds))
    return table


if __name__ == "__main__":
    console = Console()
    console.print(first_calls())
    console.print(runs())
