"""What does a closed chain cost, and is it linear in the bodies?

    python -m benchmarks.speed.closed_chains [--small]

A chain of links hangs between two points of the ground: a tree, and one loop closed by a joint. Accelerations of the
smallest one are compared with Lagrange multipliers and dense algebra before anything is timed. Beside each time stands
that of the open tree.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, best_time, compile_at_once

SIZES = (10, 20) if SMALL else (100, 300, 1000, 3000, 10_000)


def chain(links: int, closed: bool) -> supple.Model:
    """Links of one metre on hinges about y and z in turn, from the origin to the end of the chain laid straight."""
    mech = supple.Mechanism("hanging chain")
    body = supple.RigidBody(1.0, (0.5, 0, 0), (0.01, 0.09, 0.09))
    parent = "ground"
    for i in range(links):
        mech.add_body(f"b{i}", body, parent, supple.Revolute("yz"[i % 2]), at=(1.0 if i else 0.0, 0, 0))
        parent = f"b{i}"
    if closed:
        mech.add_frame("end", parent, (1, 0, 0))
        mech.add_frame("end", "ground", (0.8 * links, 0, 0))
        mech.close_loop("support", "ground/end", f"{parent}/end", supple.Spherical())
    return mech.build()


def configuration(model: supple.Model) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A zigzag that is bent enough for the closure to be regular; it need not be closed to be timed."""
    rng = np.random.default_rng(0)
    return 0.3 * rng.normal(size=model.nq)


def check() -> None:
    """The small chain against dense algebra."""
    model = chain(12, closed=True)
    loops = model.loops
    assert loops is not None
    q = configuration(model)
    v, tau = np.random.default_rng(1).normal(size=(2, model.nv))
    J, h = loops.jacobian(q), 1e-6
    J_rate = (loops.jacobian(model.integrate(q, v, h)) - loops.jacobian(model.integrate(q, v, -h))) / (2 * h)
    K = np.block([[model.mass_matrix(q), -J.T], [J, np.zeros((len(J), len(J)))]])
    expected = np.linalg.solve(K, np.concatenate([tau - model.bias_forces(q, v), -J_rate @ v]))[: model.nv]
    found = model.forward_dynamics(q, v, tau)
    assert np.abs(found - expected).max() < 1e-6 * np.abs(expected).max()


def main() -> None:
    """Print the table."""
    compile_at_once()
    check()
    table = Table(title="forward dynamics of one state, one thread")
    for column in ("links", "open us", "closed us", "closed us a link", "closed / open"):
        table.add_column(column, justify="right")
    for links in SIZES:
        times = []
        for closed in (False, True):
            model = chain(links, closed)
            q = configuration(model)
            v, tau = np.zeros(model.nv), np.zeros(model.nv)
            times.append(1e6 * best_time(partial(model.forward_dynamics, q, v, tau)))
        table.add_row(
            f"{links:,}", f"{times[0]:.0f}", f"{times[1]:.0f}", f"{times[1] / links:.2f}", f"{times[1] / times[0]:.1f}"
        )
    Console().print(table)


if __name__ == "__main__":
    main()
