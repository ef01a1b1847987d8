"""Random functions of every operation, for tests of what is done with any graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.expressions.function import Function
from supple.expressions.graph import Expr, Graph
from supple.expressions.operations import OPERATIONS

SAFE: dict[str, Callable[[Graph, Expr], Expr]] = {
    "asin": lambda g, x: 0.5 * g.sin(x),
    "acos": lambda g, x: 0.5 * g.sin(x),
    "tan": lambda g, x: 0.5 * g.sin(x),
    "log": lambda g, x: 2 + g.sin(x),
    "sqrt": lambda g, x: 2 + g.sin(x),
    "pow": lambda g, x: 2 + g.sin(x),
    "div": lambda g, x: 2 + g.sin(x),
    "exp": lambda g, x: g.sin(x),
    "sinh": lambda g, x: g.sin(x),
    "cosh": lambda g, x: g.sin(x),
    "mul": lambda g, x: g.atan(x),
}
"""Arguments inside the domains, and small enough that nothing overflows."""


def random_function(seed: int, inputs: int = 9, nodes: int = 60, outputs: int = 7) -> Function:
    """r of s: sparse, with a constant, an input, a repeated output and an unused input among them."""
    rng = np.random.default_rng(seed)
    g = Graph()
    s = g.new_inputs("s", [str(i) for i in range(inputs)])
    made: list[Expr] = list(s[:-1])
    for name in rng.permutation([*OPERATIONS] * (nodes // len(OPERATIONS) + 1)):
        near = [made[i] for i in rng.integers(max(0, len(made) - 3 * inputs), len(made), OPERATIONS[name].arity)]
        inside = SAFE.get(str(name))
        made.append(getattr(g, str(name))(*(inside(g, x) if inside else x for x in near)))
    chosen = [made[i] for i in rng.integers(inputs, len(made), outputs)]
    return Function("f", g, {"s": s}, {"r": np.array([*chosen, s[0], g.constant(2.0), chosen[0]], dtype=object)})
