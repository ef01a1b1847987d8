"""A function apart from its numbers: the same equations with other constants are the same structure.

Constants that equations are simplified by, 0, 1 and -1, belong to the structure. All others are taken out, each use of
one by itself: two gains that happen to be equal need not stay so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.expressions.function import Function, Nodes, rebuilt
from supple.expressions.graph import Expr, Graph

STRUCTURAL = (0.0, 1.0, -1.0)
"""Constants that belong to the structure."""


class LiftedFunction:
    """The structure of a function, and its numbers.

    Parameters
    ----------
    function : Function
        Without parameters.

    Attributes
    ----------
    numbers : array
        Constants in the order of their uses.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.numbers: NDArray[np.float64] = np.array([x.value for x in self._uses() if _is_number(x)], dtype=float)

    def _uses(self) -> list[Expr]:
        """All nodes that are used, once for each use: arguments, then outputs."""
        inner = [a for node in self.function.order for a in node.args]
        return inner + [x for outputs in self.function.outputs.values() for x in outputs.flat]

    @cached_property
    def digest(self) -> str:
        """Equal for functions of one structure: nodes, leaves by their places, shapes of inputs and outputs."""
        f = self.function
        names = {leaf.id: f"i{i}.{j}" for i, x in enumerate(f.inputs.values()) for j, leaf in enumerate(x.flat)}
        text = []
        for node in f.order:
            if node.op == "constant":
                names[node.id] = "c" if _is_number(node) else repr(node.value)
            elif node.args:
                text.append(f"{node.op}({','.join(names[a.id] for a in node.args)})")
                names[node.id] = f"n{len(text)}"
        ends = [(key, x.shape, [names[n.id] for n in x.flat]) for key, x in f.outputs.items()]
        sizes = [x.size for x in f.inputs.values()]
        return hashlib.sha256(repr((text, ends, sizes)).encode()).hexdigest()

    def moved(self, graph: Graph, leaves: Mapping[Expr, Expr], number: Callable[[int], Expr]) -> dict[str, Nodes]:
        """The outputs in another graph, where `leaves` stand for the inputs.

        Parameters
        ----------
        graph : Graph
        leaves : mapping of Expr to Expr
        number : function of int
            Gives the node of each of `numbers`.
        """
        image: dict[int, Expr] = {old.id: new for old, new in leaves.items()}
        count = iter(range(len(self.numbers)))

        def used(x: Expr) -> Expr:
            if x.op == "constant":
                return number(next(count)) if _is_number(x) else graph.constant(x.value)
            return image[x.id]

        for node in self.function.order:
            if node.args:
                image[node.id] = rebuilt(graph, node, [used(a) for a in node.args])
        out: dict[str, Nodes] = {}
        for key, x in self.function.outputs.items():
            out[key] = np.empty(x.shape, dtype=object)
            for i, node in enumerate(x.flat):
                out[key].flat[i] = used(node)
        return out


def _is_number(x: Expr) -> bool:
    return x.op == "constant" and x.value not in STRUCTURAL
