"""How long the dynamics of one model take, as a table: called and compiled, and beside Pinocchio if it is installed."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from supple.call_checks import checked
from supple.errors import PhysicsWarning, SuppleError
from supple.files import read
from supple.formulations import floating_frames
from supple.model.model import Model

BATCH = 4096


def best_time(call: Callable[[], Any], seconds: float = 0.3) -> float:
    """The shortest of as many runs as fit into the time, at least one, in seconds; the first, which compiles, apart."""
    call()
    best, end = np.inf, time.perf_counter() + seconds
    while True:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() >= end:
            return float(best)


@checked
def timing_table(path: Path, floating_base: bool = False, changes: Mapping[str, Any] | None = None) -> Table:
    """Microseconds a state of inverse dynamics, mass matrix and forward dynamics, for one state and for a batch.

    The columns are the model's methods, its compiled functions, and the seconds that these take to record and compile.
    For a URDF file, and if Pinocchio is installed, its times stand beside them, after a check that both agree.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PhysicsWarning)
        contents = read(path, floating_base, limits=False, mimic=False, changes=changes)
    model = floating_frames(contents.model, "supple bench")
    peer = _pinocchio_times(model, path, floating_base) if path.suffix == ".urdf" and find_spec("pinocchio") else None
    table = Table(title=f"{model.name}: {len(model.bodies)} bodies, {model.nv} speeds; us a state, one thread")
    if contents.beside_model():
        table.caption = f"without {', '.join(contents.beside_model())}"
    table.add_column("")
    columns = ["method, one", "compiled in s", "compiled, one", f"compiled, {BATCH}"]
    for column in [*columns, *(["Pinocchio, one"] if peer else [])]:
        table.add_column(column, justify="right")
    for name in ("inverse_dynamics", "mass_matrix", "forward_dynamics"):
        one, many = _arguments(model, name, 1), _arguments(model, name, BATCH)
        start = time.perf_counter()
        compiled = model.compile(name, threads=1)
        found = compiled(*many)
        spent = time.perf_counter() - start
        method = getattr(model, name)
        difference = np.abs(found - method(*many)).max() / np.abs(found).max()
        if difference > 1e-9:
            raise SuppleError(f"{path}: {name}: method and compiled function differ by {difference:.1e}")
        cells = [_microseconds(method, one, 1), f"{spent:.2f}"]
        cells += [_microseconds(compiled, one, 1), _microseconds(compiled, many, BATCH)]
        table.add_row(name.replace("_", " "), *cells, *([f"{peer[name] * 1e6:.3f}"] if peer else []))
    return table


def _microseconds(function: Callable[..., Any], arguments: tuple[Any, ...], states: int) -> str:
    return f"{best_time(lambda: function(*arguments)) / states * 1e6:.3f}"


def _arguments(model: Model, name: str, states: int) -> tuple[Any, ...]:
    """So many random states for one of the model's functions; a single one without a batch axis."""
    q, v = (np.stack(x) for x in zip(*(model.random_state(i) for i in range(states)), strict=True))
    arguments = (q,) if name == "mass_matrix" else (q, v, np.zeros_like(v))
    return tuple(x[0].copy() for x in arguments) if states == 1 else arguments


def _pinocchio_times(model: Model, path: Path, floating_base: bool) -> dict[str, float]:
    """Seconds of Pinocchio's own functions, called as its users do, on one state."""
    import pinocchio as pin

    from supple.bench.pinocchio import Peer, compared

    peer = Peer(model, path, floating_base)
    found = compared(peer, 3)
    if not found.right:
        raise SuppleError(f"{path}: the results differ from Pinocchio's: {found}")
    q, v = peer.model.random_state(0)
    state = peer.coordinates(q), peer.speed_map(q) @ v, np.zeros(peer.pin.nv)
    return {
        "inverse_dynamics": best_time(lambda: pin.rnea(peer.pin, peer.data, *state)),
        "mass_matrix": best_time(lambda: pin.crba(peer.pin, peer.data, state[0])),
        "forward_dynamics": best_time(lambda: pin.aba(peer.pin, peer.data, *state)),
    }
