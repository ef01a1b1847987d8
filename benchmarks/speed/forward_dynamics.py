"""Articulated-body forward dynamics of long chains: time a body, growth with the number of bodies, workspace, batches.

Beside Pinocchio in the same run. Its `Data` holds tensors of nv^3 numbers, about 65 nv^3 bytes in all, so its time a
body is taken at the longest chain that fits (it no longer changes from 100 bodies on).

    python -m benchmarks.speed.forward_dynamics [--small]
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, best_time, compile_at_once
from supple.recursions.tree import Sizes, workspace

AXES = "xyz"
MASS, COM, INERTIA, OFFSET = 1.0, (0.0, 0.0, 0.05), (0.01, 0.01, 0.002), (0.0, 0.0, 0.1)
BODIES = (10, 30) if SMALL else (10, 100, 400, 1_000, 10_000, 100_000)
STATES = (1, 16) if SMALL else (1, 16, 256, 4096)


def chain(bodies: int) -> supple.Model:
    """Equal links with axes x, y, z in turn."""
    mech = supple.Mechanism("chain")
    link = supple.RigidBody(MASS, COM, INERTIA)
    parent, at = "ground", None
    for k in range(bodies):
        mech.add_body(f"b{k}", link, parent, supple.Revolute(AXES[k % 3]), at=at)
        parent, at = f"b{k}", OFFSET
    return mech.build()


def pinocchio_time(bodies: int, q: Any, v: Any, expected: Any) -> float | None:
    """Seconds of `pin.aba` on the same chain, after checking that it gives the same accelerations."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model, parent = pin.Model(), 0
    joints = [pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ]
    for k in range(bodies):
        place = pin.SE3(np.eye(3), np.array(OFFSET if k else (0.0, 0.0, 0.0)))
        parent = model.addJoint(parent, joints[k % 3](), place, f"j{k}")
        inertia = pin.Inertia(MASS, np.array(COM), np.diag(INERTIA))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    data = model.createData()
    tau = np.zeros(bodies)
    a = pin.aba(model, data, q, v, tau)
    assert np.abs(a - expected).max() < 1e-6 * np.abs(expected).max(), "Pinocchio gives another answer"
    return best_time(lambda: pin.aba(model, data, q, v, tau))


def main() -> None:
    """Print the tables."""
    compile_at_once()
    rng = np.random.default_rng(0)
    table = Table(title="Articulated-body forward dynamics of a chain, one call")
    for column in ("bodies", "supple us/body", "growth", "workspace bytes/body", "Pinocchio us/body", "ratio"):
        table.add_column(column, justify="right")
    reference = peer_reference = None
    for n in BODIES:
        model = chain(n)
        q, v, tau = rng.uniform(-0.02, 0.02, n), rng.uniform(-0.02, 0.02, n), np.zeros(n)
        a = model.forward_dynamics(q, v, tau)
        residual = np.abs(model.inverse_dynamics(q, v, a) - tau).max()
        assert residual < 1e-6 * np.abs(model.bias_forces(q, v)).max(), "inverse does not undo forward dynamics"
        mine = best_time(partial(model.forward_dynamics, q, v, tau)) / n * 1e6
        space = sum(x.nbytes for x in workspace(Sizes(n, n), np.float64) if x is not None) / n
        peer = pinocchio_time(n, q, v, a) if n <= 400 else None
        per_body = peer / n * 1e6 if peer else None
        peer_reference = per_body or peer_reference
        reference = mine if n == 1_000 else reference
        growth = f"{mine / reference:.3f}" if reference else ""
        ratio = f"{mine / (per_body or peer_reference):.2f}" if peer_reference else ""
        table.add_row(f"{n:,}", f"{mine:.3f}", growth, f"{space:.0f}", f"{per_body:.3f}" if per_body else "", ratio)
    Console().print(table)
    Console().print(
        "growth: against the time a body at 1,000; ratio: to Pinocchio's time a body on the longest chain it ran"
    )

    table = Table(title="Single calls and batches, chain of 7")
    for column in ("states", "us a state"):
        table.add_column(column, justify="right")
    model = chain(7)
    for states in STATES:
        shape = () if states == 1 else (states,)
        q, v, tau = (rng.normal(size=(*shape, 7)) for _ in range(3))
        spent = best_time(partial(model.forward_dynamics, q, v, tau)) / states * 1e6
        table.add_row(str(states), f"{spent:.3f}")
    Console().print(table)


if __name__ == "__main__":
    main()
