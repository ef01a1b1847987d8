"""How long does it take to derive equations of motion, and how many operations do they have?

    python -m benchmarks.counts.equations [--small]

Planar chains beside SymPy's KanesMethod, which is given the same angles and speeds. It has M v' = f, and its `rhs` goes
on to v'; both are timed, in a process of its own that is ended where it takes more than a minute. What is derived here
is v' with common factors taken out. Then larger systems by each route. Accelerations are compared before anything is
timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import supple
from benchmarks.sizes import SMALL, best_time
from supple.files import read
from supple.symbolic import EquationsOfMotion, KaneJoint, KaneSystem, MassProperties

Floats = NDArray[np.float64]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NUMBERS = {"m": 1.5, "L": 0.4, "g": 9.81}
LINKS = range(1, 2 if SMALL else 6)
LIMIT = 60.0
"""Seconds after which SymPy is stopped."""
TOLERANCE = 1e-9
ROUTES = ("kane", "composite", "articulated")


def states(n: int) -> list[tuple[Floats, Floats]]:
    """Angles and speeds at which answers are compared."""
    rng = np.random.default_rng(n)
    return [(rng.uniform(-1.5, 1.5, n), rng.normal(size=n)) for _ in range(5)]


def chain(n: int) -> EquationsOfMotion:
    """Masses at the ends of equal rods; angles from rod to rod."""
    s = KaneSystem(f"chain of {n}")
    m, length, g = s.parameters(**NUMBERS)
    s.gravity = -g * s.ground.axes[1]
    end, last = (0, -length, 0), s.ground
    for k in range(n):
        last = s.add_body(
            f"b{k}", last, joint=KaneJoint(rotations="3"), body=MassProperties(m, com=end), at=end if k else (0, 0, 0)
        )
    equations = s.equations()
    _ = equations.explicit  # made when it is asked for
    return equations


def sympy_chain(n: int) -> Any:
    """The same by SymPy: its KanesMethod with M and f."""
    import sympy
    from sympy.physics import mechanics

    q, u = mechanics.dynamicsymbols(f"q:{n}"), mechanics.dynamicsymbols(f"u:{n}")
    m, length, g = sympy.symbols(list(NUMBERS))
    ground, point = mechanics.ReferenceFrame("N"), mechanics.Point("O")
    point.set_vel(ground, 0)
    frame, masses, loads = ground, [], []
    for k in range(n):
        turned = frame.orientnew(f"A{k}", "Axis", (q[k], ground.z))
        turned.set_ang_vel(frame, u[k] * ground.z)
        end = point.locatenew(f"P{k}", -length * turned.y)
        end.v2pt_theory(point, ground, turned)
        masses.append(mechanics.Particle(f"B{k}", end, m))
        loads.append((end, -m * g * ground.y))
        frame, point = turned, end
    method = mechanics.KanesMethod(ground, q, u, [a - b.diff() for a, b in zip(u, q, strict=True)])
    method.kanes_equations(masses, loads)
    return method


def fresh_time(call: Callable[[], Any]) -> tuple[Any, float]:
    """What SymPy gives without anything that it remembers, and the shortest of as many runs as fit into a second."""
    from sympy.core.cache import clear_cache

    best, end = np.inf, time.perf_counter() + (0.0 if SMALL else 1.0)
    while True:
        clear_cache()
        begin = time.perf_counter()
        found = call()
        best = min(best, time.perf_counter() - begin)
        if time.perf_counter() > end:
            return found, best


def answer(n: int, to: Connection) -> None:
    """Send SymPy's seconds to M and f, and accelerations; then its seconds to v', and operations of these."""
    import sympy

    sympy_chain(1)  # what is loaded at first use is not timed
    method, implicit = fresh_time(lambda: sympy_chain(n))
    symbols = [*method.q, *method.u, *sympy.symbols(list(NUMBERS))]
    at = sympy.lambdify(symbols, [method.mass_matrix, method.forcing], cse=True)
    found = [at(*q, *v, *NUMBERS.values()) for q, v in states(n)]
    to.send((implicit, [np.linalg.solve(np.array(M, float), np.array(f, float))[:, 0] for M, f in found]))
    rhs, further = fresh_time(method.rhs)
    shared, rest = sympy.cse(rhs)
    to.send((implicit + further, sum(sympy.count_ops(x) for x in [*(x for _, x in shared), *rest[0]])))


def peer(n: int) -> tuple[float | None, list[Floats], float | None, int | None]:
    """What SymPy answers: seconds to M and f, accelerations, seconds to v', operations; None where it was stopped."""
    spawn = get_context("spawn")
    here, there = spawn.Pipe(duplex=False)
    process = spawn.Process(target=answer, args=(n, there))
    process.start()
    there.close()
    implicit, found = here.recv() if here.poll(LIMIT) else (None, [])
    explicit, count = here.recv() if found and here.poll(LIMIT) else (None, None)
    process.kill()
    process.join()
    return implicit, found, explicit, count


def cells(theirs: float | None, ours: float) -> tuple[str, str]:
    """A peer's seconds, and how many times as long it takes."""
    if theirs is None:
        return f"over {LIMIT:g}", f"over {LIMIT / ours:,.0f}"
    return f"{theirs:.3f}", f"{theirs / ours:.0f}"


def chains() -> Table:
    """Seconds to derive, beside SymPy."""
    table = Table(title="Planar chains: seconds to derive, operations")
    for column in ("links", "supple, v'", "operations", "SymPy, M and f", "ratio", "SymPy, v'", "ratio", "operations"):
        table.add_column(column, justify="right")
    for n in LINKS:
        equations = chain(n)
        implicit, found, explicit, count = peer(n)
        for (q, v), theirs in zip(states(n), found, strict=False):
            same(equations.evaluate(q, v)[1], theirs, f"chain of {n}, SymPy")
        ours = best_time(partial(chain, n), seconds=1.0)
        own = (f"{ours:.4f}", f"{equations.operations.total}")
        table.add_row(str(n), *own, *cells(implicit, ours), *cells(explicit, ours), str(count or ""))
    return table


def same(ours: Floats, theirs: Floats, where: str) -> None:
    """Stop if accelerations differ."""
    off = np.abs(ours - theirs).max() / np.abs(theirs).max()
    assert off < TOLERANCE, f"{where}: accelerations differ by {off:.1e}"


def tree(joints: int = 40) -> supple.Model:
    """A body with an arm that forks again and again, on hinges with axes x, y, z in turn."""
    mech = supple.Mechanism("tree")
    link = supple.RigidBody(1.5, (0.02, 0.01, 0.1), ((0.02, 0.001, 0.002), (0.001, 0.025, 0.003), (0.002, 0.003, 0.01)))
    for k in range(joints):
        parent = f"b{(k - 1) // 2}" if k else "ground"
        side = 0.05 if k % 2 else -0.05
        mech.add_body(f"b{k}", link, parent, supple.Revolute("xyz"[k % 3]), at=(side, 0, 0.2))
    return mech.build()


def systems() -> dict[str, tuple[supple.Model, dict[str, Any]]]:
    """Models, and what is asked for beside their equations."""
    path = EXAMPLES / "ten_dof_satellite.toml"
    if SMALL:
        return {"tree of 3": (tree(3), {})}
    contents = read(path)
    satellite, given = contents.model, contents.equation_arguments()
    return {
        "satellite": (satellite, given),
        "satellite, eight small": (satellite, given | {"small": [f"q{i}" for i in (1, 2, 3, 4, 5, 6, 9, 10)]}),
        "six-axis arm": (read(EXAMPLES / "six_axis_arm.toml").model, {}),
        "tree of 40": (tree(), {}),
    }


def derived(model: supple.Model, route: str, options: dict[str, Any]) -> Callable[[], EquationsOfMotion]:
    """What derives the equations of a model and takes out common factors."""

    def derive() -> EquationsOfMotion:
        equations = supple.equations(model, route=route, **options)
        _ = equations.explicit
        return equations

    return derive


def check(model: supple.Model, equations: EquationsOfMotion, where: str) -> None:
    """Compare with the model's own accelerations, at states where small variables are zero."""
    driven = len(equations.variables.inputs)  # the last joints of each model
    for seed in range(3):
        q, v = model.random_state(seed)
        for x, leaves in ((q, equations.variables.q), (v, equations.variables.v)):
            x[[leaf in equations.small for leaf in leaves]] = 0.0
        tau = np.zeros(model.nv)
        tau[model.nv - driven :] = np.random.default_rng(seed).normal(size=driven)
        same(equations.evaluate(q, v, tau[model.nv - driven :])[1], model.forward_dynamics(q, v, tau), where)


def larger() -> Table:
    """Operations and seconds of larger systems, by each route."""
    table = Table(title="Larger systems: operations, and seconds to derive")
    table.add_column("system", no_wrap=True)
    for column in ("speeds", "symbols", *(x for route in ROUTES for x in (route, "s")), "all, s"):
        table.add_column(column, justify="right")
    for name, (model, options) in systems().items():
        row = []
        for route in ROUTES:
            equations = derived(model, route, options)()
            check(model, equations, f"{name}, {route}")
            spent = best_time(derived(model, route, options), seconds=1.0)
            row += [f"{equations.operations.total:,}", f"{spent:.2f}"]
        spent = best_time(derived(model, "auto", options), seconds=1.0)
        table.add_row(name, str(model.nv), str(len(equations.variables.symbols)), *row, f"{spent:.2f}")
    return table


def main() -> None:
    """Print the tables."""
    console = Console(width=140)
    console.print(chains())
    console.print(
        "ratio: to the seconds of supple. SymPy's operations are those after `cse`, all of them; ours are without"
    )
    console.print("changes of sign and what depends on parameters alone.")
    console.print(larger())
    console.print(
        "all: the three routes, those far behind before common factors are taken out; what `supple.equations` does."
    )


if __name__ == "__main__":
    main()
