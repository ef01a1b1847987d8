"""Functions of a graph evaluated node by node in plain Python: the oracle for their machine code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.expressions.function import Function


def by_nodes(function: Function, *arrays: Any) -> list[NDArray[np.float64]]:
    """Outputs (states, ...) for inputs (states or 1, n); of parameters that are an input, too."""
    rows = [np.atleast_2d(np.asarray(x, dtype=float)) for x in arrays]
    states, names = max(len(x) for x in rows), list(function.inputs)
    found = []
    for i in range(states):
        values = {name: x[i % len(x)] for name, x in zip(names, rows, strict=True)}
        leaves = function.inputs["parameters"].flat if "parameters" in names else ()
        own = values.pop("parameters", np.zeros(0))
        numbers = {leaf.name: x for leaf, x in zip(leaves, own, strict=True)}
        found.append(function.evaluate(numbers, **values))
    return [np.array([x[name] for x in found]) for name in function.outputs]
