"""Derivatives of forward dynamics from shared blocks, beside Pinocchio: one state, batches, compile times.

    python -m benchmarks.speed.derivatives [--small]

Pinocchio is timed as its users call it: `computeABADerivatives`, one state a call. It differentiates by q in its own
directions and with other speeds of a floating base; the comparison takes account of both.
"""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any

import numpy as np
import pinocchio as pin
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, best_time, compile_at_once
from supple.bench.pinocchio import Peer
from support.files.robots import robot_directory

ROBOTS = ("ur5_robot",) if SMALL else ("ur5_robot", "panda", "talos_reduced, floating")
CHAINS = (5,) if SMALL else (30, 100)
STATES = 16 if SMALL else 1024
BY = ("q", "v", "tau")


def robot(label: str) -> Peer:
    """A robot of example-robot-data in both libraries."""
    name, _, change = label.partition(", ")
    return Peer.of_file(next(robot_directory().rglob(f"{name}.urdf")), change == "floating")


def states(model: supple.Model) -> list[Any]:
    """Random states and forces."""
    rng = np.random.default_rng(0)
    q = np.stack([model.random_state(i)[0] for i in range(STATES)])
    return [q, *rng.normal(size=(2, STATES, model.nv))]


def agree(name: str, ours: Any, theirs: Any) -> None:
    """Stop if the answers differ."""
    difference = np.abs(ours - theirs).max() / np.abs(theirs).max()
    assert difference < 1e-9, f"{name}: supple and Pinocchio differ by {difference}"


def as_pinocchio(peer: Peer, state: list[Any]) -> tuple[Any, ...]:
    """A state as Pinocchio takes it."""
    T = peer.speed_map(state[0])
    return peer.coordinates(state[0]), T @ state[1], T @ state[2]


def same_derivatives(peer: Peer, state: list[Any], found: Any) -> None:
    """Compare one state.

    Coordinates that are speeds' integrals have the same directions in both; those of a floating base differ by the
    change of its own speeds and are compared by v and tau alone.
    """
    T = peer.speed_map(state[0])
    pin.computeABADerivatives(peer.pin, peer.data, *as_pinocchio(peer, state))
    _, by_q, by_v, by_tau = found
    agree("by v", T @ by_v @ T.T, peer.data.ddq_dv)
    agree("by tau", T @ by_tau @ T.T, np.asarray(peer.data.Minv))
    if peer.model.nq == peer.model.nv:
        agree("by q", T @ by_q @ T.T, peer.data.ddq_dq)


def chain(bodies: int) -> supple.Model:
    """A chain of hinges about all axes."""
    mech = supple.Mechanism(f"chain of {bodies}")
    body = supple.RigidBody(1.0, (0.05, 0.02, 0.1), (0.02, 0.03, 0.01))
    for i in range(bodies):
        parent = f"b{i - 1}" if i else "ground"
        mech.add_body(f"b{i}", body, parent, supple.Revolute("xyz"[i % 3]), at=(0.0, 0.0, 0.2) if i else None)
    return mech.build()


def timed(model: supple.Model, peer: Peer | None = None) -> tuple[list[Any], list[str], float, float]:
    """One state, compile times as text, seconds of a call and of a state in a batch; first the answers are compared."""
    spent, batch = [], states(model)
    one = [x[0].copy() for x in batch]
    start = time.perf_counter()
    f = model.compile("forward_dynamics", derivatives=BY, threads=1)
    found = f(*one)
    spent.append(time.perf_counter() - start)
    if peer is not None:
        same_derivatives(peer, one, found)
    out = [np.zeros((STATES, *shape)) for shape in f.outputs.values()]
    start = time.perf_counter()
    f(*batch, out=out)
    spent.append(time.perf_counter() - start)
    call = best_time(lambda: [f(*one) for _ in range(20)]) / 20
    each = best_time(lambda: f(*batch, out=out)) / STATES
    return one, [f"{x:.2f}" for x in spent], call, each


def peer_time(peer: Peer, state: list[Any]) -> float:
    """Seconds of one call of Pinocchio."""
    x = as_pinocchio(peer, state)
    return best_time(lambda: [pin.computeABADerivatives(peer.pin, peer.data, *x) for _ in range(20)]) / 20


def main() -> None:
    """Print the table."""
    compile_at_once()
    table = Table(title=f"Derivatives of forward dynamics by q, v and tau; batches of {STATES} states, one thread")
    columns = ("model", "nv", "first call s", "first batch s", "call us", "batch us", "Pinocchio us", "call", "batch")
    for column in columns:
        table.add_column(column, justify="left" if column == "model" else "right")
    with tempfile.TemporaryDirectory() as fresh:
        os.environ["SUPPLE_CACHE_DIR"] = fresh
        for name in ROBOTS:
            peer = robot(name)
            one, spent, call, each = timed(peer.model, peer)
            peers = peer_time(peer, one)
            times = [f"{x * 1e6:.2f}" for x in (call, each, peers)]
            table.add_row(name, str(peer.model.nv), *spent, *times, f"{call / peers:.2f}", f"{peers / each:.1f} faster")
        for bodies in CHAINS:
            model = chain(bodies)
            _, spent, call, each = timed(model)
            table.add_row(model.name, str(model.nv), *spent, f"{call * 1e6:.2f}", f"{each * 1e6:.2f}", "", "", "")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
