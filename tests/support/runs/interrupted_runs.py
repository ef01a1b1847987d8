"""`supple run` that is killed again and again and resumed each time.

`python interrupted_runs.py DIRECTORY KIND:KILLS:INTEGRATOR...` runs a model without a break, then in processes of its
own that are killed so often, and prints what came of it as JSON. KIND is `files`: killed when the n-th file is touched;
or `moments`: killed at random moments.

The model has all that a run has to remember: a sampled controller with an integral, a table with breaks, a variable
that events change, a joint that a stop holds for many parts, quaternions whose sign changes.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import supple
from supple.cli import command
from supple.simulation import recorder
from supple.simulation.part_files import PartFiles

MODEL = """
name = "lift with an arm"

[variables]
strength = 1.0

[[body]]
name = "lift"
mass = 2.0
joint = { type = "prismatic", axis = "z", damping = 0.1 }

[[body]]
name = "arm"
parent = "lift"
mass = 1.0
com = [0.0, 0.0, -0.5]
inertia = [0.1, 0.1, 0.01]
joint = { type = "revolute", axis = "y" }

[[body]]
name = "top"
parent = "arm"
at = [0.0, 0.0, -1.0]
mass = 0.5
com = [0.1, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02]
joint = { type = "spherical" }

[[actuator]]
speed = "lift.position"
force = { times = [0.0, 0.7, 0.9, 1.3, 1.5], values = [0.0, 0.0, 60.0, 60.0, 20.0] }

[[actuator]]
speed = "arm.angle"
target = "0.5*strength"
kp = 30.0
kd = 3.0
ki = 5.0
limit = 8.0
rate = 37.0

[[event]]
name = "turn"
when = "arm.angle - 0.3"
change = { strength = "-strength" }

[[event]]
name = "second"
when = "t - 1"

[[limit]]
coordinate = "lift.position"
lower = -0.3

[output]
frames = ["top"]
wrenches = ["arm"]

[simulation]
duration = 2.0
samples = 201
v = { "top.wx" = 5.0, "top.wy" = 9.0 }
"""
OPTIONS = {
    "DOP853": (),
    "ESDIRK54": ("--rtol", "1e-5"),
    "Radau": ("--rtol", "1e-5"),
    "generalized_alpha": ("--step", "0.005"),
    "variational": ("--step", "0.005"),
    "leapfrog": ("--step", "0.001"),
}
OTHERS = dict.fromkeys(("BDF", "LSODA", "RK45", "RK23", "CVODE", "IDA"), ("--rtol", "1e-3"))
"""Integrators that the tests leave out: those of other libraries, whose steps know nothing of files."""
TOUCHING = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.listdir")
"""Events of the interpreter that can change a file, or come between two that do."""
PARTS = {3: 8, 10: 8, 25: 20}
"""In how many parts a run is written that is killed so often: enough that it is not finished before."""


def supple_run(model: Path, target: Path, integrator: str) -> str:
    """What the command says; with --resume if a run was begun."""
    more = ("--resume",) if Path(f"{target}.parts", "manifest.nc").exists() else ()
    options = (OPTIONS | OTHERS)[integrator]
    arguments = ["run", model, "-o", target, "--no-report", "--integrator", integrator, *options, *more]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        command("run")([str(x) for x in arguments], standalone_mode=False)
    return said.getvalue()


def contents(target: Path) -> dict[str, str]:
    """Digests of all variables, and all attributes."""
    with supple.open_results(target) as results:
        found = {str(name): digest(x.values) for name, x in results.variables.items()}
        return found | {name: str(x) for name, x in results.attrs.items()}


def digest(values: Any) -> str:
    return hashlib.sha256(values.tobytes() if values.dtype.kind != "O" else repr(values.tolist()).encode()).hexdigest()


def started(model: Path, target: Path, integrator: str, touches: int = 0) -> int:
    """The process of a run, killed when it touches the so manieth file; never if 0."""
    child = os.fork()
    if child:
        return child
    seen = 0

    def kill(name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        inner = name == "open" and arguments[1] is None  # of os.open, which opens for the open that was counted
        if name in TOUCHING and not inner and str(target) in str(arguments[0]):
            seen += 1
            if seen == touches:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(kill)
    code = 1
    try:
        supple_run(model, target, integrator)
        code = 0
    finally:
        os._exit(code)


def ended(child: int) -> int:
    """How a process ended: its code, or less than zero for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def interrupted(directory: Path, kind: str, kills: int, integrator: str) -> dict[str, Any]:
    """How the runs ended, what could be read after each, what is there in the end."""
    model = directory / "model.toml"
    model.write_text(MODEL)
    begun = time.perf_counter()
    supple_run(model, directory / "whole.nc", integrator)
    span = time.perf_counter() - begun
    target = directory / "broken.nc"
    rng = random.Random(7 if kind == "files" else None)
    codes, parts, left = [1], [0], (1, 0)
    while codes[-1] and len(codes) <= kills:
        touches = rng.randrange(1, 14 + 2 * parts[-1]) if kind == "files" else 0
        child = started(model, target, integrator, touches)
        if kind == "moments":
            time.sleep(rng.uniform(0.0, span))
            os.kill(child, signal.SIGKILL)
        codes.append(ended(child))
        parts.append(len(PartFiles(target).sound()[0]))
    if codes[-1]:
        with contextlib.suppress(supple.ResultsError), supple.open_results(target) as results:
            left = int(results.attrs["finished"]), results.sizes["time"]
        codes.append(ended(started(model, target, integrator)))
    files = sorted(path.name for path in directory.iterdir())
    return {
        "codes": codes[1:],
        "parts": parts[1:],
        "left": left,
        "files": files,
        "whole": contents(directory / "whole.nc"),
        "broken": contents(target),
    }


if __name__ == "__main__":
    os.fsync = lambda descriptor: None  # type: ignore[assignment] # a killed process loses nothing of the disk's
    recorder.WORTH_WRITING = 0.0  # every part is written
    out = {}
    for word in sys.argv[2:]:
        how, often, name = word.split(":")
        recorder.PARTS = PARTS[int(often)]
        place = Path(sys.argv[1], word.replace(":", "_"))
        place.mkdir()
        out[word] = interrupted(place, how, int(often), name)
    print(json.dumps(out))
