"""Functions of a model inside JAX and CasADi, beside the compiled functions that they are made of.

    python -m benchmarks.peers.interop [--small]

JAX calls the compiled batch function once for a batch made by `vmap`, and its derivatives for Jacobians, on all cores.
CasADi evaluates the traced equations one state after the other, in its own virtual machine.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, best_time, compile_at_once
from supple.interop import jax_function

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ("cart_pendulum",) if SMALL else ("cart_pendulum", "six_axis_arm", "flexible_two_link_arm")
STATES = 16 if SMALL else 4096


def states(model: supple.Model) -> list[Any]:
    """Random states and forces."""
    found = [model.random_state(i) for i in range(STATES)]
    tau = np.random.default_rng(0).normal(size=(STATES, model.nv))
    return [np.array([q for q, _ in found]), np.array([v for _, v in found]), tau]


def row(name: str) -> list[str]:
    """Microseconds a state and ratios, after the answers have been compared."""
    model = supple.files.read(EXAMPLES / f"{name}.toml").model
    given = states(model)
    plain = model.compile("forward_dynamics")
    slopes = model.compile("forward_dynamics", derivatives=["q", "v", "tau"])
    f = jax_function(model, "forward_dynamics")
    mapped, jacobian = jax.jit(jax.vmap(f)), jax.jit(jax.vmap(jax.jacrev(f, argnums=(0, 1, 2))))
    many = model.casadi("forward_dynamics").map(STATES)
    arrays, columns = [jnp.asarray(x) for x in given], [x.T for x in given]
    expected, by_tau = plain(*given), slopes(*given)[3]
    size = np.abs(expected).max()
    assert np.abs(np.asarray(mapped(*arrays)) - expected).max() <= 1e-12 * size
    assert np.abs(np.asarray(jacobian(*arrays)[2]) - by_tau).max() <= 1e-10 * np.abs(by_tau).max()
    assert np.abs(np.array(many(*columns)).T - expected).max() <= 1e-9 * size
    calls = (
        lambda: plain(*given),
        lambda: mapped(*arrays).block_until_ready(),
        lambda: slopes(*given),
        lambda: jax.block_until_ready(jacobian(*arrays)),
        lambda: many(*columns),
    )
    batch, vmap, own, backward, virtual = (1e6 * best_time(call) / STATES for call in calls)
    numbers = [f"{batch:.3f}", f"{vmap:.3f}", f"{vmap / batch:.2f}"]
    return [name, *numbers, f"{own:.3f}", f"{backward:.3f}", f"{backward / own:.2f}", f"{virtual:.2f}"]


def main() -> None:
    """Print the table."""
    compile_at_once()
    jax.config.update("jax_enable_x64", True)
    heads = ("batch, us", "JAX vmap, us", "ratio", "derivatives, us", "JAX jacrev, us", "ratio", "CasADi, us")
    table = Table("model", *heads)
    for name in NAMES:
        table.add_row(*row(name))
    console = Console(width=120)
    console.print(f"forward dynamics and its derivatives, batches of {STATES} states, all cores but CasADi")
    console.print(table)


if __name__ == "__main__":
    main()
