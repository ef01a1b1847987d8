"""A function given by a graph: named arrays of inputs, named arrays of outputs."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.call_checks import checked
from supple.errors import StateError
from supple.expressions.graph import Expr, Graph, order_of
from supple.expressions.operations import OPERATIONS

Nodes = NDArray[Any]
LEAVES = ("constant", "input", "parameter")


@checked
@dataclass(frozen=True)
class Operations:
    """How many operations an evaluation takes. Changes of sign are not counted."""

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    functions: int = 0

    @staticmethod
    def of(nodes: Iterable[Expr]) -> Operations:
        """Count nodes: a sum or difference is an addition, a root a function."""
        count: Counter[str] = Counter(OPERATIONS[node.op].counted for node in nodes if node.op not in LEAVES)
        return Operations(**{field.name: count[field.name] for field in fields(Operations)})

    @property
    def total(self) -> int:
        """All of them."""
        return self.additions + self.multiplications + self.divisions + self.functions

    def __add__(self, other: Operations) -> Operations:
        """Of both, one after the other."""
        return Operations(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __mul__(self, times: int) -> Operations:
        """Of as many evaluations."""
        return Operations(*(times * a for a in astuple(self)))


class Function:
    """Outputs as expressions of inputs and parameters.

    Parameters
    ----------
    name : str
    graph : Graph
    inputs : mapping of str to array of Expr
        Leaves, in the order in which the numbers will come; names of arrays.
    outputs : mapping of str to array of Expr or numbers
        Any shapes.
    parameters : array of Expr
        Leaves that stay from call to call.
    purpose : str
        What it computes, for the head of printed code.
    """

    def __init__(
        self,
        name: str,
        graph: Graph,
        inputs: Mapping[str, Nodes],
        outputs: Mapping[str, Nodes],
        parameters: Iterable[Expr] = (),
        purpose: str = "",
    ) -> None:
        self.name, self.graph, self.purpose = name, graph, purpose
        self.inputs = {key: np.asarray(x, dtype=object) for key, x in inputs.items()}
        self.outputs = {key: _nodes(graph, x) for key, x in outputs.items()}
        self.parameters = tuple(parameters)
        leaves = [*(leaf for x in self.inputs.values() for leaf in x.flat), *self.parameters]
        given = {leaf.id for leaf in leaves}
        if len(given) < len(leaves):
            twice = next(leaf for i, leaf in enumerate(leaves) if leaf in leaves[:i])
            raise ValueError(f"function {name!r}: the input {twice.name!r} stands twice")
        unknown = [n for n in self.order if n.op in ("input", "parameter") and n.id not in given]
        if unknown:
            raise ValueError(f"function {name!r}: not among the inputs: {', '.join(str(n.value) for n in unknown)}")

    @cached_property
    def order(self) -> tuple[Expr, ...]:
        """All nodes that the outputs need, arguments first."""
        return tuple(order_of(node for x in self.outputs.values() for node in x.flat))

    @cached_property
    def constant_ids(self) -> frozenset[int]:
        """Nodes that depend on parameters and constants alone."""
        fixed: set[int] = set()
        for node in self.order:
            if node.op in ("constant", "parameter") or (node.args and all(a.id in fixed for a in node.args)):
                fixed.add(node.id)
        return frozenset(fixed)

    @cached_property
    def operations(self) -> Operations:
        """Operations of one evaluation, what depends on parameters alone left out."""
        return Operations.of(n for n in self.order if n.id not in self.constant_ids)

    @cached_property
    def precomputed(self) -> Operations:
        """Operations on parameters alone, done once."""
        return Operations.of(n for n in self.order if n.id in self.constant_ids)

    @cached_property
    def digest(self) -> str:
        """A hash of all that decides the numbers: nodes, constants to the last bit, order of the leaves, output shapes.

        The same in every process that makes the same graph; names do not matter.
        """
        leaves = {leaf.id: (i, j) for i, x in enumerate(self.inputs.values()) for j, leaf in enumerate(x.flat)}
        leaves |= {leaf.id: (-1, j) for j, leaf in enumerate(self.parameters)}
        number = {node.id: i for i, node in enumerate(self.order)}
        hashed = hashlib.sha256(repr(([x.size for x in self.inputs.values()], len(self.parameters))).encode())
        for node in self.order:
            if node.op == "constant":
                hashed.update(b"constant" + struct.pack("<d", node.value))
            else:
                own = leaves[node.id] if node.op in LEAVES else [number[a.id] for a in node.args]
                hashed.update(f"{node.op} {own}".encode())
        hashed.update(repr([(x.shape, [number[n.id] for n in x.flat]) for x in self.outputs.values()]).encode())
        return hashed.hexdigest()

    @checked
    def evaluate(self, parameters: Mapping[str, float] | None = None, **values: Any) -> dict[str, NDArray[np.float64]]:
        """Outputs for numbers, node by node in plain Python.

        Parameters
        ----------
        parameters : mapping of name to number
            Also where they are an input of that name.
        **values : array_like
            Inputs by the names of their arrays.
        """
        known: dict[int, float] = {}
        numbers = parameters or {}
        named = [*self.parameters, *self.inputs.get("parameters", np.array([])).flat]
        missing = [leaf.name for leaf in named if leaf.name not in numbers]
        missing += [key for key in self.inputs if key != "parameters" and key not in values]
        if missing:
            raise StateError(f"{self.name}: expected numbers for {missing[0]!r}, got none")
        if "parameters" in self.inputs:
            values["parameters"] = [numbers[leaf.name] for leaf in self.inputs["parameters"].flat]
        for key, leaves in self.inputs.items():
            for leaf, x in zip(leaves.flat, np.asarray(values[key], dtype=float).flat, strict=True):
                known[leaf.id] = float(x)
        for leaf in self.parameters:
            known[leaf.id] = float(numbers[leaf.name])
        for node in self.order:
            if node.id not in known:
                known[node.id] = (
                    node.value
                    if node.op == "constant"
                    else OPERATIONS[node.op].on_floats(*[known[a.id] for a in node.args])
                )
        return {
            key: np.array([known[n.id] for n in x.flat], dtype=float).reshape(x.shape)
            for key, x in self.outputs.items()
        }

    def moved(self, graph: Graph, leaves: Mapping[Expr, Expr]) -> dict[str, Nodes]:
        """The outputs in another graph, where `leaves` stand for the inputs."""
        image: dict[int, Expr] = {old.id: new for old, new in leaves.items()}
        for node in self.order:
            if node.op == "constant":
                image[node.id] = graph.constant(node.value)
            elif node.id not in image:
                image[node.id] = rebuilt(graph, node, [image[a.id] for a in node.args])
        return {key: _mapped(x, lambda n: image[n.id]) for key, x in self.outputs.items()}

    @checked
    def substitute(self, replacements: Mapping[Expr, Any]) -> Function:
        """The same outputs with leaves (or any nodes) replaced by other nodes or numbers, simplified anew."""
        image: dict[int, Expr] = {old.id: self.graph.node(new) for old, new in replacements.items()}
        for node in self.order:
            if node.id not in image:
                image[node.id] = rebuilt(self.graph, node, [image[a.id] for a in node.args])
        outputs = {key: _mapped(x, lambda n: image[n.id]) for key, x in self.outputs.items()}
        gone = {old.id for old in replacements}
        inputs = {
            key: np.array([n for n in x.flat if n.id not in gone], dtype=object) for key, x in self.inputs.items()
        }
        return Function(self.name, self.graph, inputs, outputs, [p for p in self.parameters if p.id not in gone])


def rebuilt(graph: Graph, node: Expr, args: list[Expr]) -> Expr:
    """A node of the same operation on other arguments, simplified."""
    if node.op in LEAVES:
        return node
    if node.op in ("add", "sub", "mul", "div", "neg", "pow"):
        made: Expr = getattr(graph, node.op)(*args)
        return made
    return graph.function(node.op, *args)


def _nodes(graph: Graph, x: Any) -> Nodes:
    return _mapped(np.asarray(x, dtype=object), graph.node)


def _mapped(x: Nodes, function: Any) -> Nodes:
    out = np.empty(x.shape, dtype=object)
    for i, item in enumerate(x.flat):
        out.flat[i] = function(item)
    return out
