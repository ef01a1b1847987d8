"""A sparse Jacobian in numbers from a few products with vectors, one for each colour of its columns or rows.

The derivative of a function along a direction that is an input itself costs a few times the function, however large the
Jacobian would be as a formula. All directions are asked for at once, as a batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.expressions.colouring import column_colours, number_of
from supple.expressions.derivatives import forward, gradient
from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Graph
from supple.expressions.sparsity import SparsityPattern, sparsity


class CompressedJacobian:
    """Derivatives of one output of a function by one of its inputs, in as few products as colours allow.

    Products J s (forward) or s* J (in reverse), whichever takes fewer operations in all.

    Parameters
    ----------
    function : Function
    output, by : str
        Names of its arrays.

    Attributes
    ----------
    pattern : SparsityPattern
        Of the Jacobian, both arrays flat.
    product : Function
        The function's inputs, and one more, "seed"; its output "product" is J s or s* J.
    seeds : (colours, n) array
        Values of "seed" that are needed.

    Examples
    --------
    >>> from supple.engines.blocks.compiled_function import CompiledFunction
    >>> from supple.symbolic import Function, Graph
    >>> g = Graph()
    >>> x = g.new_inputs("x", "0123")
    >>> J = CompressedJacobian(Function("squares", g, {"x": x}, {"y": x * x}), "y", "x")
    >>> J.seeds
    array([[1., 1., 1., 1.]])
    >>> product = CompiledFunction.of(J.product)
    >>> J.pattern.matrix(J.entries(product([1.0, 2.0, 3.0, 4.0], J.seeds))).diagonal()
    array([2., 4., 6., 8.])
    """

    def __init__(self, function: Function, output: str, by: str) -> None:
        rows, columns = function.outputs[output].ravel(), function.inputs[by].ravel()
        self.pattern: SparsityPattern = sparsity(rows, columns)
        colours = column_colours(self.pattern)
        self.product, self._in_reverse = _with_seed(function, *_tangent(rows, columns, function.graph)), False
        across = column_colours(self.pattern.transposed)
        if number_of(across) < number_of(colours):
            product = _with_seed(function, *_cotangent(rows, columns, function.graph))
            if number_of(across) * product.operations.total < number_of(colours) * self.product.operations.total:
                self.product, self._in_reverse, colours = product, True, across
        self.seeds: NDArray[np.float64] = (colours == np.arange(number_of(colours))[:, None]).astype(float)
        chosen, kept = self.pattern.columns, self.pattern.rows
        self._places = (colours[kept], chosen) if self._in_reverse else (colours[chosen], kept)

    def entries(self, products: ArrayLike) -> NDArray[Any]:
        """Entries (..., entries) of the Jacobian from the products (..., colours, n) of all seeds."""
        return np.asarray(products)[(..., *self._places)]


def _tangent(rows: Nodes, columns: Nodes, graph: Graph) -> tuple[Nodes, Nodes]:
    """A seed for each column, and J times it."""
    seed = _seed(len(columns), graph)
    return seed, np.array(forward(list(rows), dict(zip(columns, seed, strict=True))), dtype=object)


def _cotangent(rows: Nodes, columns: Nodes, graph: Graph) -> tuple[Nodes, Nodes]:
    """A seed for each row, and J* times it."""
    seed = _seed(len(rows), graph)
    return seed, np.array(gradient(graph.node(seed @ rows), list(columns)), dtype=object)


def _seed(count: int, graph: Graph) -> Nodes:
    return np.array([graph.input(str(i), "seed") for i in range(count)], dtype=object)


def _with_seed(function: Function, seed: Nodes, product: Nodes) -> Function:
    """The product as a function of the inputs and the seed."""
    inputs = {**function.inputs, "seed": seed}
    return Function(f"{function.name}_product", function.graph, inputs, {"product": product}, function.parameters)
