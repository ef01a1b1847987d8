"""C libraries of models: how large they are on a microcontroller, and how fast beside other code of the same model.

    python -m benchmarks.peers.c_library [--small]

Sizes are those of `arm-none-eabi-size` for a Cortex-M4 with single precision and a Cortex-M7 with double precision,
where that compiler is installed: flash is code, tables and numbers, RAM the workspace of one thread. Times are of
forward dynamics of one state on this machine: the library, the engine's machine code as `model.forward_dynamics` calls
it from Python, and straight-line C with all numbers folded (`c_source`). All answers agree before anything is timed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
import supple.export
from benchmarks.sizes import SMALL, best_time, compile_at_once
from supple.export.c_library_derivatives import NAME as DERIVATIVES
from supple.export.c_library_files import FUNCTIONS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CALLS = 10 if SMALL else 20_000
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-ffp-contract=off"]
TARGETS = {
    "float": ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16"],
    "double": ["-mcpu=cortex-m7", "-mfpu=fpv5-d16"],
}
ARM = ["-Os", "-mthumb", "-mfloat-abi=hard", "-c"]
CHOICES = {"dynamics and steps": ("rk4",), "all but derivatives": FUNCTIONS, "all": (*FUNCTIONS, DERIVATIVES)}
TIMED = """#include <stdio.h>
#include <time.h>
{include}

int main(void)
{{
    double q[] = {{{q}}}, v[] = {{{v}}}, tau[] = {{{tau}}}, a[{n}];
    int i, round;
    double best = 1e300;
    {memory}
    {call};
    for (i = 0; i < {n}; i++) {{
        printf("%.17g\\n", a[i]);
    }}
    for (round = 0; round < 5; round++) {{
        const clock_t start = clock();
        double seconds;
        for (i = 0; i < {calls}; i++) {{
            {call};
            v[0] += 1e-9 * a[0];
        }}
        seconds = (double)(clock() - start) / CLOCKS_PER_SEC / {calls};
        best = seconds < best ? seconds : best;
    }}
    printf("%.9g\\n", best);
    return 0;
}}
"""


def chain(links: int) -> supple.Model:
    """Equal links in a row."""
    mech = supple.Mechanism(f"chain of {links}")
    body = supple.RigidBody(1.0, (0.05, 0, -0.25), (0.03, 0.04, 0.02))
    for i in range(links):
        at = (0, 0, -0.5) if i else (0, 0, 0)
        mech.add_body(f"link{i}", body, f"link{i - 1}" if i else "ground", supple.Revolute("y", damping=0.1), at=at)
    return mech.build()


def seven_axis_arm() -> supple.Model:
    """An arm of seven joints with the offsets of a common robot."""
    mech = supple.Mechanism("seven-axis arm")
    places = [(0, 0, 0.333), (0, 0, 0), (0, -0.316, 0), (0.0825, 0, 0), (-0.0825, 0.384, 0), (0, 0, 0), (0.088, 0, 0)]
    turns = [0.0, -90.0, 90.0, 90.0, -90.0, 90.0, 90.0]
    for i, (at, turn) in enumerate(zip(places, turns, strict=True)):
        c, s = round(np.cos(np.radians(turn))), round(np.sin(np.radians(turn)))
        body = supple.RigidBody(3.0 - 0.3 * i, (0.02, 0.03, 0.01 * i + 0.01), (0.03, 0.04, 0.02))
        parent = f"link{i}" if i else "ground"
        rotation = [[1, 0, 0], [0, c, -s], [0, s, c]]
        mech.add_body(f"link{i + 1}", body, parent, supple.Revolute("z", damping=0.1), at=at, rotation=rotation)
    return mech.build()


def models() -> list[supple.Model]:
    """Of the table: rigid, flexible, closed."""
    names = ("cart_pendulum",) if SMALL else ("cart_pendulum", "flexible_two_link_arm", "four_bar", "stewart_platform")
    found = [supple.files.read(EXAMPLES / f"{name}.toml").model for name in names]
    return [*found, chain(10), *([] if SMALL else [chain(100), seven_axis_arm()])]


def written(model: supple.Model, folder: Path, functions: tuple[str, ...], precision: str) -> tuple[str, str]:
    """Header and source of a library."""
    supple.export.c_library(model, folder, functions, precision=precision, name="lib")
    return (folder / "lib.h").read_text(), (folder / "lib.c").read_text()


def size_row(model: supple.Model, what: str, precision: str, folder: Path) -> list[str]:
    """Blocks, kilobytes of source, flash and RAM of a library."""
    header, text = written(model, folder, CHOICES[what], precision)
    (cells,) = map(int, re.findall(r"LIB_CELLS (\d+)", header))
    ram = (cells + 4 * model.nq + 5 * model.nv) * (4 if precision == "float" else 8)
    flash = "no compiler"
    if shutil.which("arm-none-eabi-gcc"):
        command = ["arm-none-eabi-gcc", *FLAGS, *ARM, *TARGETS[precision], str(folder / "lib.c")]
        subprocess.run([*command, "-o", str(folder / "lib.o")], check=True)
        size = subprocess.run(["arm-none-eabi-size", folder / "lib.o"], capture_output=True, text=True, check=True)
        code, data, bss = size.stdout.splitlines()[1].split()[:3]
        assert data == bss == "0"
        flash = f"{int(code) / 1000:.1f}"
    blocks = len(re.findall(r"^static void block_\d+\(", text, re.MULTILINE))
    return [model.name, what, precision, str(blocks), f"{len(text) / 1000:.0f}", flash, f"{ram / 1000:.1f}"]


def sizes(folder: Path) -> Table:
    """Of all models, functions and targets."""
    table = Table("model", "functions", "precision", "blocks", "source kB", "flash kB", "RAM kB")
    for model in models():
        for what in list(CHOICES)[:: 2 if SMALL else 1]:
            small = model.nv < 50 and not (model.loops is not None and len(model.loops) > 6)
            if what == "dynamics and steps" or small:
                for precision in TARGETS:
                    table.add_row(*size_row(model, what, precision, folder))
    return table


def timed_program(model: supple.Model, folder: Path, sources: list[str], **parts: str) -> tuple[float, list[float]]:
    """Seconds of a call, and the accelerations, of a program that is made for it."""
    q, v = model.neutral() + 0.1, np.full(model.nv, 0.3)
    texts = {"q": q, "v": v, "tau": np.full(model.nv, 0.5)}
    arrays = {name: ", ".join(map(repr, x.tolist())) for name, x in texts.items()}
    (folder / "timed.c").write_text(TIMED.format(n=model.nv, calls=CALLS, **arrays, **parts))
    command = ["cc", "-std=c99", "-O2", "-ffp-contract=off", *(str(folder / x) for x in [*sources, "timed.c"])]
    subprocess.run([*command, "-o", str(folder / "timed"), "-lm"], check=True)
    done = subprocess.run([folder / "timed"], capture_output=True, text=True, check=True)
    *a, seconds = map(float, done.stdout.split())
    return max(seconds, 1e-9), a


def speeds(folder: Path) -> Table:
    """Microseconds a state of forward dynamics of trees."""
    head = ("model", "library", "engine from Python", "straight-line C", "library / engine", "library / straight")
    table = Table(*head, title="forward dynamics of one state, microseconds")
    for model in models():
        if model.loops is not None:
            continue
        written(model, folder, ("forward_dynamics",), "double")
        call = "lib_forward_dynamics(&lib_default_numbers, &work, q, v, tau, a)"
        own, a = timed_program(
            model, folder, ["lib.c"], include='#include "lib.h"', memory="static lib_workspace work;", call=call
        )
        straight, b = None, a
        if model.nv < 50:
            (folder / "straight.c").write_text(model.compile("forward_dynamics").c_source())
            head_line = "void forward_dynamics(const double *, const double *, const double *, double *);"
            straight, b = timed_program(
                model, folder, ["straight.c"], include=head_line, memory="", call="forward_dynamics(q, v, tau, a)"
            )
        q, v, tau = model.neutral() + 0.1, np.full(model.nv, 0.3), np.full(model.nv, 0.5)
        expected = model.forward_dynamics(q, v, tau)
        for x in (a, b):
            assert np.abs(np.subtract(x, expected)).max() < 1e-8 * np.abs(expected).max(), model.name
        engine = best_time(partial(_repeated, model, (q, v, tau))) / (CALLS // 10)
        times = [f"{1e6 * own:.2f}", f"{1e6 * engine:.2f}", "" if straight is None else f"{1e6 * straight:.2f}"]
        ratios = [f"{own / engine:.2f}", "" if straight is None else f"{own / straight:.2f}"]
        table.add_row(model.name, *times, *ratios)
    return table


def _repeated(model: supple.Model, state: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    for _ in range(CALLS // 10):
        model.forward_dynamics(*state)


def main() -> None:
    """Print both tables."""
    console = Console(width=120)
    if shutil.which("cc") is None:
        console.print("no C compiler: nothing to measure")
        return
    compile_at_once()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        console.print(sizes(Path(folder)))
        console.print(speeds(Path(folder)))


if __name__ == "__main__":
    main()
