"""Jacobians of large graphs: the nodes of those entries alone that can be other than zero.

Forward, a sweep for each input visits what moves with it; in reverse, a sweep for each output visits what it depends
on. Sweeps along all inputs of one colour (see `colouring`) would make the very same nodes: what depends on two of them
leads to no output, or both would have an entry in one row. Colours pay for numbers, see `compressed_jacobian`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from supple.call_checks import checked
from supple.expressions.derivatives import Sweeps
from supple.expressions.function import Nodes
from supple.expressions.graph import Expr, order_of
from supple.expressions.operations import OPERATIONS
from supple.expressions.sparsity import SparsityPattern, dependences, members


class SparseJacobian(NamedTuple):
    """Derivatives of outputs by inputs, zeros left out.

    Attributes
    ----------
    pattern : SparsityPattern
        Where they are, as `sparsity` finds it.
    entries : (entries,) array of Expr
        What they are; the graph's zero where all terms of an entry cancel.
    """

    pattern: SparsityPattern
    entries: Nodes


@checked
def sparse_jacobian(outputs: Nodes | Sequence[Any], inputs: Nodes | Sequence[Any]) -> SparseJacobian:
    """Derivatives of outputs by inputs, those alone that the structure of the graph does not make zero.

    Forward or in reverse, whichever visits fewer nodes in all.

    Parameters
    ----------
    outputs : array of Expr
        The rows, in the order of the flat array.
    inputs : array of Expr
        The columns.

    Examples
    --------
    >>> from supple.symbolic import Function, Graph
    >>> g = Graph()
    >>> x, y, z = (g.input(name) for name in "xyz")
    >>> J = sparse_jacobian([x * y, np.sin(z), y + 2 * z], [x, y, z])
    >>> J.entries
    array([y, x, cos(#4), 1.0, 2.0], dtype=object)
    >>> f = Function("slopes", g, {"s": [x, y, z]}, {"J": J.entries})
    >>> print(J.pattern.matrix(f.evaluate(s=[2.0, 3.0, 0.0])["J"]).toarray())
    [[3. 2. 0.]
     [0. 0. 1.]
     [0. 1. 2.]]
    """
    rows, columns = (list(np.asarray(x, dtype=object).flat) for x in (outputs, inputs))
    order = order_of(rows)
    sets = dependences(order, columns)
    pattern = SparsityPattern.of_rows([members(sets.get(row.id, 0)) for row in rows], len(columns))
    in_reverse = _visits_in_reverse(order, rows, sets) < _visits_forward(order, sets)
    entries = (_in_reverse if in_reverse else _forward)(rows, columns, pattern)
    return SparseJacobian(pattern, entries)


def _visits_forward(order: Sequence[Expr], sets: Mapping[int, int]) -> int:
    """Arguments that sweeps from all inputs meet."""
    return sum(sets[a.id].bit_count() for node in order for a in node.args if node.id in sets and a.id in sets)


def _visits_in_reverse(order: Sequence[Expr], rows: Sequence[Expr], sets: Mapping[int, int]) -> int:
    """Arguments that sweeps from all outputs meet, of those nodes that depend on inputs."""
    users: dict[int, int] = {}  # outputs that need a node, as bits; equal outputs are one
    for i, row in enumerate(rows):
        users.setdefault(row.id, 1 << i)
    total = 0
    for node in reversed(order):
        own = users.pop(node.id, 0)
        if node.id in sets and node.args and not OPERATIONS[node.op].stepwise:
            moving = [a.id for a in node.args if a.id in sets]
            total += len(moving) * own.bit_count()
            for i in moving:
                users[i] = users.get(i, 0) | own
    return total


def _forward(rows: Sequence[Expr], columns: Sequence[Expr], pattern: SparsityPattern) -> Nodes:
    """The entries, column by column."""
    sweeps, across = Sweeps(rows, columns), pattern.transposed
    entries = np.empty(len(pattern), dtype=object)
    places = np.argsort(pattern.columns, kind="stable")
    for j, leaf in enumerate(columns):
        slopes = sweeps.slopes({leaf: 1.0})
        for place, i in zip(places[across.starts[j] : across.starts[j + 1]], across.row(j), strict=True):
            entries[place] = slopes[rows[i].id]
    return entries


def _in_reverse(rows: Sequence[Expr], columns: Sequence[Expr], pattern: SparsityPattern) -> Nodes:
    """The entries, row by row."""
    sweeps = Sweeps(rows, columns)
    entries = np.empty(len(pattern), dtype=object)
    known: dict[int, Mapping[int, Expr]] = {}
    for i, row in enumerate(rows):
        if row.id not in known:
            weights = sweeps.weights(row)
            known[row.id] = {columns[j].id: weights[columns[j].id] for j in pattern.row(i)}
        entries[pattern.starts[i] : pattern.starts[i + 1]] = [known[row.id][columns[j].id] for j in pattern.row(i)]
    return entries
