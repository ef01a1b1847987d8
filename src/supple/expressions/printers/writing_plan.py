"""Which nodes of a function get a name of their own when it is written out, and which are written in place."""

from __future__ import annotations

from dataclasses import dataclass

from supple.expressions.function import Function, Nodes
from supple.expressions.graph import Expr

LONGEST = 8
"""Operations written in place before a node gets a name all the same; keeps lines readable and recursion shallow."""


@dataclass(frozen=True)
class WritingPlan:
    """Leaves and named nodes, each after those it needs.

    Attributes
    ----------
    inputs : dict of str to array of Expr
        What changes from call to call.
    parameters : tuple of Expr
        What stays, whether the function lists it apart or takes it as an input.
    constants : tuple of Expr
        What depends on parameters alone and is used by the rest: computed once. Empty without parameters.
    variables : tuple of Expr
        Intermediate results of every evaluation.
    """

    inputs: dict[str, Nodes]
    parameters: tuple[Expr, ...]
    constants: tuple[Expr, ...]
    variables: tuple[Expr, ...]


def planned(function: Function) -> WritingPlan:
    """Choose the nodes that get a name: those used more than once, those that close the precomputation, and long ones.

    A change of sign never gets one: who uses -x uses x. So every node without a name is written just once, and the text
    is no longer than the graph.
    """
    inputs, parameters = dict(function.inputs), list(function.parameters)
    for key, x in function.inputs.items():
        if any(leaf.op == "parameter" for leaf in x.flat):
            parameters += inputs.pop(key).flat
    once = function.constant_ids if parameters else frozenset()
    uses = _uses(function, once)
    size: dict[int, int] = {}
    constants: list[Expr] = []
    variables: list[Expr] = []
    for node in function.order:
        named = node.args and node.op != "neg"
        size[node.id] = sum(size[a.id] for a in node.args) + (1 if named else 0)
        if named and (uses[node.id] > 1 or size[node.id] > LONGEST):
            size[node.id] = 0
            (constants if node.id in once else variables).append(node)
    return WritingPlan(inputs, tuple(parameters), tuple(constants), tuple(variables))


def _uses(function: Function, once: frozenset[int]) -> dict[int, int]:
    """How often each node is written; a use of a precomputed node by one that is not counts double."""
    uses = dict.fromkeys((node.id for node in function.order), 0)
    for x in function.outputs.values():
        for node in x.flat:
            uses[node.id] += 2 if node.id in once else 1
    for node in reversed(function.order):
        for a in node.args:
            if node.op == "neg":
                uses[a.id] += uses[node.id]
            else:
                uses[a.id] += 2 if a.id in once and node.id not in once else 1
    return uses
