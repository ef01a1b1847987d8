"""Compiled functions of real robots beside Pinocchio: batches on one thread, single calls.

    python -m benchmarks.speed.compiled [--small]

Pinocchio is timed as its users call it: `abaInParallel` and `rneaInParallel` with one thread for batches, and one state
a call where it has no such function (mass matrix, derivatives).
"""

from __future__ import annotations

import os
import tempfile
import time
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from rich.console import Console
from rich.table import Table

from benchmarks.sizes import SMALL, best_time, compile_at_once
from supple.bench.pinocchio import Peer
from support.files.robots import robot_directory

ROBOTS = ("ur5_robot",) if SMALL else ("panda, fingers fixed", "panda", "ur5_robot", "talos_reduced, floating")
STATES = 16 if SMALL else 4096


def robot(label: str) -> Peer:
    """A robot of example-robot-data in both libraries."""
    name, _, change = label.partition(", ")
    path = next(robot_directory().rglob(f"{name}.urdf"))
    if change == "fingers fixed":
        text = path.read_text().replace('type="prismatic"', 'type="fixed"')
        path = Path(tempfile.mkdtemp()) / path.name
        path.write_text(text)
    return Peer.of_file(path, change == "floating")


def states(peer: Peer) -> tuple[Any, Any, Any]:
    """A batch of random states and forces."""
    q = np.stack([peer.model.random_state(i)[0] for i in range(STATES)])
    rng = np.random.default_rng(0)
    return q, rng.normal(size=(STATES, peer.model.nv)), rng.normal(size=(STATES, peer.model.nv))


def pinocchio_states(peer: Peer, batch: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """The same for Pinocchio, a column a state."""
    q, v, tau = batch
    maps = [peer.speed_map(x) for x in q]
    columns = (
        np.array([peer.coordinates(x) for x in q]),
        np.array([T @ x for T, x in zip(maps, v, strict=True)]),
        np.array([T @ x for T, x in zip(maps, tau, strict=True)]),
    )
    return tuple(np.asfortranarray(x.T) for x in columns)  # type: ignore[return-value]


def agree(name: str, ours: Any, theirs: Any) -> None:
    """Stop if the answers differ."""
    difference = np.abs(ours - theirs).max() / np.abs(theirs).max()
    assert difference < 1e-9, f"{name}: supple and Pinocchio differ by {difference}"


def supple_time(f: Any, arguments: Any) -> float:
    """Seconds a state, into arrays that are there already, as Pinocchio's are."""
    out = [np.zeros((STATES, *shape)) for shape in f.outputs.values()]
    return best_time(lambda: f(*arguments, out=out)) / STATES


def forward_dynamics(peer: Peer, batch: Any, f: Any) -> tuple[float, float]:
    """Seconds a state: supple, Pinocchio."""
    pool = pin.ModelPool(peer.pin, 1)
    q, v, tau = pinocchio_states(peer, batch)
    out = np.zeros_like(v, order="F")
    pin.abaInParallel(1, pool, q, v, tau, out)
    T = peer.speed_map(batch[0][0])
    agree("forward dynamics", T @ f(*batch)[0], out[:, 0])
    theirs = best_time(lambda: pin.abaInParallel(1, pool, q, v, tau, out))
    return supple_time(f, batch), theirs / STATES


def inverse_dynamics(peer: Peer, batch: Any, f: Any) -> tuple[float, float]:
    """Seconds a state: supple, Pinocchio."""
    pool = pin.ModelPool(peer.pin, 1)
    q, v, a = pinocchio_states(peer, batch)
    out = np.zeros_like(v, order="F")
    pin.rneaInParallel(1, pool, q, v, a, out)
    T = peer.speed_map(batch[0][0])
    agree("inverse dynamics", f(*batch)[0], T.T @ out[:, 0])
    theirs = best_time(lambda: pin.rneaInParallel(1, pool, q, v, a, out))
    return supple_time(f, batch), theirs / STATES


def mass_matrix(peer: Peer, batch: Any, f: Any) -> tuple[float, float]:
    """Seconds a state: supple in a batch, Pinocchio one state a call."""
    agree("mass matrix", f(batch[0][0]), peer.mass_matrix(batch[0][0]))
    q = pinocchio_states(peer, batch)[0][:, 0].copy()
    theirs = best_time(lambda: pin.crba(peer.pin, peer.data, q))
    return supple_time(f, batch[:1]), theirs


def derivatives(peer: Peer, batch: Any, f: Any) -> tuple[float, float]:
    """Seconds a state: supple in a batch, Pinocchio one state a call."""
    q, v, tau = (x[:, 0].copy() for x in pinocchio_states(peer, batch))
    pin.computeABADerivatives(peer.pin, peer.data, q, v, tau)
    T = peer.speed_map(batch[0][0])
    agree("derivatives by v", T @ f(*batch)[2][0] @ T.T, peer.data.ddq_dv)
    theirs = best_time(lambda: pin.computeABADerivatives(peer.pin, peer.data, q, v, tau))
    return supple_time(f, batch), theirs


QUESTIONS = {
    "forward dynamics": ("forward_dynamics", (), forward_dynamics),
    "inverse dynamics": ("inverse_dynamics", (), inverse_dynamics),
    "mass matrix": ("mass_matrix", (), mass_matrix),
    "derivatives of forward dynamics": ("forward_dynamics", ("q", "v", "tau"), derivatives),
}


def main() -> None:
    """Print the tables."""
    compile_at_once()
    console = Console(width=140)
    table = Table(title=f"Batches of {STATES} states, one thread")
    names = ("robot", "nv", "function", "compile s", "again s", "supple us", "Pinocchio us", "ratio")
    for column in names:
        table.add_column(column, justify="left" if column in ("robot", "function") else "right")
    with tempfile.TemporaryDirectory() as fresh:
        os.environ["SUPPLE_CACHE_DIR"] = fresh
        for name in ROBOTS:
            peer = robot(name)
            batch = states(peer)
            for label, (what, by, question) in QUESTIONS.items():
                table.add_row(name, str(peer.model.nv), label, *row(peer, batch, (what, by, question)))
        console.print(table)
        single_calls(console)


def row(peer: Peer, batch: Any, asked: Any) -> list[str]:
    """Seconds to compile, first and again; microseconds a state of both, and their ratio."""
    what, by, question = asked
    spent = []
    for _ in range(2):
        start = time.perf_counter()
        f = peer.model.compile(what, derivatives=by, threads=1)
        f(*(x[: min(64, STATES)] for x in batch[: len(f.inputs)]))
        spent.append(time.perf_counter() - start)
    ours, theirs = question(peer, batch, f)
    cells = [f"{x:.2f}" for x in spent]
    return [*cells, f"{ours * 1e6:.4f}", f"{theirs * 1e6:.3f}", f"{theirs / ours:.1f}"]


def call_time(call: Any) -> float:
    """Seconds of a short call in a loop that uses its results up."""

    def calls() -> None:
        for _ in repeat(None, 1000):
            call()

    return best_time(calls) / 1000


def single_calls(console: Console) -> None:
    """One state from Python."""
    table = Table(title="One call with one state from Python, forward dynamics")
    for column in ("robot", "supple us", "Pinocchio us", "supple / Pinocchio"):
        table.add_column(column, justify="left" if column == "robot" else "right")
    for name in ROBOTS:
        peer = robot(name)
        f = peer.model.compile("forward_dynamics")
        batch = states(peer)
        q, v, tau = (x[0].copy() for x in batch)
        pq, pv, pt = (x[:, 0].copy() for x in pinocchio_states(peer, batch))
        agree(name, peer.speed_map(q) @ f(q, v, tau), pin.aba(peer.pin, peer.data, pq, pv, pt))
        ours = call_time(lambda f=f, q=q, v=v, tau=tau: f(q, v, tau))
        theirs = call_time(lambda p=peer, q=pq, v=pv, t=pt: pin.aba(p.pin, p.data, q, v, t))
        table.add_row(name, f"{ours * 1e6:.3f}", f"{theirs * 1e6:.3f}", f"{ours / theirs:.2f}")
    console.print(table)


if __name__ == "__main__":
    main()
