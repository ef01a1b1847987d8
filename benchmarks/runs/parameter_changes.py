"""Other numbers in the same machine code: runs with another mass, length, torque or gain; sliders of the live page.

    python -m benchmarks.runs.parameter_changes [--small]

A run again, with the same numbers and with others, is timed from the built model to the result; what it compiles is
counted. A frame of the live page is what `Live.advance` computes after a slider was moved.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL
from supple.engines.blocks import library, tiers
from supple.engines.llvm import jit
from supple.files import read
from supple.model.parameters import parameter_values
from supple.view.live.pace import FRAME
from supple.view.live.simulation import Live

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ARMS = [EXAMPLES / f"{name}.toml" for name in ("six_axis_arm", "flexible_two_link_arm")]
DURATION, REPEATS, FRAMES = (0.05, 1, 2) if SMALL else (0.5, 7, 60)
ALLOWED = 1.2
"""Times of the same run again that one with other numbers may take."""


def arm(mass: float = 2.0, length: float = 1.0) -> supple.Model:
    """Three links, of which the first two have a mass and a length to choose."""
    mech = supple.Mechanism("arm")
    for i in range(3):
        body = supple.RigidBody(mass, (0, 0, -length / 2), (0.1, 0.1, 0.01))
        at = (0, 0, -length) if i else (0, 0, 0)
        mech.add_body(f"link{i}", body, f"link{i - 1}" if i else "ground", supple.Revolute("y", damping=0.1), at=at)
    return mech.build()


def run(model: supple.Model, torque: float = 3.0, gain: float = 20.0) -> Any:
    """A run under a constant torque and a spring made by a law."""
    laws: dict[str, Any] = {"link0.angle": torque, "link1.angle": f"{gain!r}*(0.3 - link1.angle)"}
    return supple.simulate(model, DURATION, q={"link0.angle": 0.4}, tau=laws, samples=20)


RUNS: dict[str, Callable[[float], Any]] = {
    "the same": lambda _: run(arm()),
    "another mass": lambda x: run(arm(mass=2.0 + x)),
    "another length": lambda x: run(arm(length=1.0 + x)),
    "another torque": lambda x: run(arm(), torque=3.0 + x),
    "another gain": lambda x: run(arm(), gain=20.0 + x),
}


MAKERS = [(jit, "object_code_of")] + [
    (library, name) for name in ("object_code_of", "block_instructions", "tangent_instructions")
]
"""What makes code of blocks."""


def runs() -> Table:
    """Seconds of each kind of run, the best of several in turn."""
    with patch.object(tiers, "tiered", return_value=False):  # what is compiled later is compiled for other numbers
        expected = run(arm()).q.values
    spent = dict.fromkeys(RUNS, np.inf)
    compiled: list[str] = []

    def counted(make: Callable[..., Any]) -> Callable[..., Any]:
        def own(*args: Any) -> Any:
            compiled.append(make.__name__)
            return make(*args)

        return own

    with ExitStack() as stack:
        for module, name in MAKERS:
            stack.enter_context(patch.object(module, name, counted(getattr(module, name))))
        for n in range(REPEATS):
            for name, call in RUNS.items():
                start = time.perf_counter()
                found = call(0.01 * (n + 1)).q.values
                spent[name] = min(spent[name], time.perf_counter() - start)
                assert (name == "the same") == np.array_equal(found, expected), name
    assert not compiled, f"{len(compiled)} modules or blocks were made for other numbers"
    table = Table(title=f"A run of {DURATION} s, nothing compiled; allowed {ALLOWED} times the same run again")
    for column in ("numbers", "ms", "times the same"):
        table.add_column(column, justify="left" if column == "numbers" else "right")
    for name, seconds in spent.items():
        table.add_row(name, f"{seconds * 1e3:.1f}", f"{seconds / spent['the same']:.2f}")
    return table


def sliders(file: Path) -> Table:
    """Milliseconds a frame of the live page while sliders move."""
    contents = read(file)
    live = Live(contents.model, **contents.run_arguments())
    live.run(True)
    for _ in range(FRAMES):
        live.advance()
    joint, (mass, start) = live.motion.hand.joint_speeds()[0], masses(contents.model)[-1]
    table = Table(title=f"Live page of {file.stem}, a frame of {1e3 * FRAME:.0f} ms; asked below 33 ms")
    for column in ("slider", "median ms", "longest ms"):
        table.add_column(column, justify="left" if column == "slider" else "right")
    moves: dict[str, Callable[[int], None]] = {
        "none": lambda _: None,
        f"force on {joint}": lambda n: live.set({joint: 0.1 * (n % 7)}),
        f"{mass}": lambda n: live.set({mass: start * (1.0 + 0.01 * (n % 7))}),
    }
    for name, move in moves.items():
        times = []
        for n in range(FRAMES):
            begun = time.perf_counter()
            move(n)
            live.advance()
            times.append(time.perf_counter() - begun)
        assert not live.error, live.error
        table.add_row(name, f"{1e3 * float(np.median(times)):.1f}", f"{1e3 * max(times):.1f}")
    return table


def masses(model: supple.Model) -> list[tuple[str, float]]:
    """Names and numbers of the masses of a model."""
    return [(name, x) for name, x in parameter_values(model).items() if name.endswith(".mass")]


def main() -> None:
    """Print the tables."""
    console = Console()
    console.print(runs())
    for file in ARMS:
        console.print(sliders(file))


if __name__ == "__main__":
    main()
